//! Which rules are on, and how bad their findings are: what the configuration and the command line say.

use std::collections::HashSet;
use std::fmt;

use super::catalogue::{Catalogue, FAMILIES, Rule, is_clause};
use super::finding::{RuleId, Severity};

/// A word that nothing answers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// What is not there, with the word.
    pub message: String,
    /// The known words that may be meant.
    pub nearest: Vec<String>,
}

impl Unknown {
    /// A word that selects no rules.
    pub fn selector(catalogue: &Catalogue, word: &str) -> Self {
        let known: Vec<String> = Selection::words(catalogue).collect();
        let nearest = nearest(word, known.iter().map(String::as_str)).into_iter().map(str::to_owned).collect();
        Self { message: format!("no rule, family or group is called `{word}`"), nearest }
    }

    /// A word that asks for no rule and no clause that a rule cites.
    pub fn subject(catalogue: &Catalogue, word: &str) -> Self {
        let clauses = || catalogue.rules().flat_map(|(_, rule)| &rule.clauses).map(String::as_str);
        if is_clause(word) {
            let section = word.split_once('.').map(|(section, _)| section);
            let cited = section.filter(|section| catalogue.rules().any(|(_, rule)| rule.cites(section)));
            return Self {
                message: format!("no rule cites {word}"),
                nearest: cited.into_iter().map(str::to_owned).collect(),
            };
        }
        let nearest = nearest(word, names(catalogue).chain(clauses())).into_iter().map(str::to_owned).collect();
        Self { message: format!("no rule or clause is called `{word}`"), nearest }
    }
}

/// The names of all rules, then their codes.
fn names(catalogue: &Catalogue) -> impl Iterator<Item = &str> {
    let rules = || catalogue.rules().map(|(_, rule)| rule);
    rules().map(|rule| rule.name.as_str()).chain(rules().map(|rule| rule.code.as_str()))
}

/// The known words next to `word`, at most three: those in which the fewest letters differ, no more than one in three,
/// capitals or not; else those that hold it.
pub fn nearest<'k>(word: &str, known: impl IntoIterator<Item = &'k str>) -> Vec<&'k str> {
    const MOST: usize = 3;
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let (mut near, mut least, mut holding) = (Vec::new(), usize::MAX, Vec::new());
    for candidate in known {
        let lower = candidate.to_lowercase();
        let length = lower.chars().count();
        let most = least.min(length / 3);
        // Lengths that differ by more need no measuring, which takes their product of time.
        let distance = (length.abs_diff(letters) <= most).then(|| strsim::osa_distance(&word, &lower));
        if let Some(distance) = distance.filter(|distance| *distance <= most) {
            if distance < least {
                near.clear();
            }
            least = distance;
            near.push(candidate);
        }
        if word.len() > 2 && lower.contains(&word) {
            holding.push(candidate);
        }
    }
    let mut nearest = if near.is_empty() { holding } else { near };
    let mut seen = HashSet::new();
    nearest.retain(|candidate| seen.insert(*candidate));
    nearest.truncate(MOST);
    nearest
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}; ", self.message)?;
        let nearest: Vec<_> = self.nearest.iter().map(|word| format!("`{word}`")).collect();
        match nearest.split_last() {
            None => write!(f, "--rules lists what there is"),
            Some((only, [])) => write!(f, "did you mean {only}?"),
            Some((last, others)) => write!(f, "did you mean {} or {last}?", others.join(", ")),
        }
    }
}

impl std::error::Error for Unknown {}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Group {
    All,
    Spec,
    Play,
    Style,
}

impl Group {
    const ALL: [Group; 4] = [Group::All, Group::Spec, Group::Play, Group::Style];

    const fn name(self) -> &'static str {
        match self {
            Group::All => "all",
            Group::Spec => "spec",
            Group::Play => "play",
            Group::Style => "style",
        }
    }

    /// The rules of play are clause 12; the chief clause and the page's own severity decide.
    fn has(self, rule: &Rule) -> bool {
        let clause = rule.clause();
        let of_play = clause.starts_with('R') || clause == "§12" || clause.starts_with("§12.");
        match self {
            Group::All => true,
            Group::Spec => !of_play && rule.severity > Severity::Style,
            Group::Play => of_play,
            Group::Style => rule.severity == Severity::Style,
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Selector {
    Group(Group),
    Family(char),
    Rule(RuleId),
}

/// How specific a selector is that holds for a rule; the higher wins.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rank {
    All,
    Group,
    Family,
    Rule,
}

impl Selector {
    fn parse(catalogue: &Catalogue, word: &str) -> Result<Self, Unknown> {
        let mut letters = word.chars();
        if let (Some(letter), None) = (letters.next(), letters.next())
            && FAMILIES.contains(letter)
        {
            return Ok(Selector::Family(letter));
        }
        let group = Group::ALL.into_iter().find(|group| group.name() == word).map(Selector::Group);
        group.or_else(|| catalogue.find(word).map(Selector::Rule)).ok_or_else(|| Unknown::selector(catalogue, word))
    }

    fn rank(self, id: RuleId, rule: &Rule) -> Option<Rank> {
        let (rank, holds) = match self {
            Selector::Group(Group::All) => (Rank::All, true),
            Selector::Group(group) => (Rank::Group, group.has(rule)),
            Selector::Family(letter) => (Rank::Family, rule.family() == letter),
            Selector::Rule(named) => (Rank::Rule, named == id),
        };
        holds.then_some(rank)
    }
}

/// What one source, a configuration or a command line, says about rules: codes, names, letters of families, groups.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Words {
    /// Rules to use instead of the default ones.
    pub select: Option<Vec<String>>,
    /// Rules not to use.
    pub ignore: Vec<String>,
    /// Rules to use besides.
    pub extend_select: Vec<String>,
    /// How bad rules' findings are.
    pub severity: Vec<(String, Severity)>,
}

/// For each rule whether it is on, and how bad its findings are.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    rules: Vec<(bool, Severity)>,
}

impl Selection {
    /// Weighs what the sources say. The last `select` replaces those before it. For each rule the most specific word
    /// decides, of equals that of the later source, then that of `ignore`. Where none holds, the page does, or with any
    /// `select` the rule is off. Of severities the later source's hold, of one source the most specific, then the last.
    pub fn new(catalogue: &Catalogue, sources: &[Words]) -> Result<Self, Unknown> {
        let selecting = sources.iter().rposition(|words| words.select.is_some());
        let mut words = Vec::new();
        let mut severities = Vec::new();
        for (source, said) in sources.iter().enumerate() {
            let select = said.select.iter().flatten().filter(|_| selecting == Some(source));
            for (list, wanted) in [(&said.extend_select, true), (&said.ignore, false)] {
                for word in list {
                    words.push((Selector::parse(catalogue, word.trim())?, source, wanted));
                }
            }
            for word in select {
                words.push((Selector::parse(catalogue, word.trim())?, source, true));
            }
            for (word, severity) in &said.severity {
                severities.push((Selector::parse(catalogue, word.trim())?, source, *severity));
            }
        }
        let on = |id, rule: &Rule| {
            let ranked =
                words.iter().filter_map(|(word, source, wanted)| Some((word.rank(id, rule)?, source, !wanted)));
            ranked.max().map_or(selecting.is_none() && rule.default, |(_, _, unwanted)| !unwanted)
        };
        let severity = |id, rule: &Rule| {
            let said =
                severities.iter().filter_map(|(word, source, said)| Some(((source, word.rank(id, rule)?), said)));
            said.max_by_key(|(weight, _)| *weight).map_or(rule.severity, |(_, said)| *said)
        };
        Ok(Self { rules: catalogue.rules().map(|(id, rule)| (on(id, rule), severity(id, rule))).collect() })
    }

    /// Says whether a word names rules.
    pub fn check_word(catalogue: &Catalogue, word: &str) -> Result<(), Unknown> {
        Selector::parse(catalogue, word.trim()).map(|_| ())
    }

    /// All words that name rules: names, codes, groups, letters of families.
    pub fn words(catalogue: &Catalogue) -> impl Iterator<Item = String> {
        let families = FAMILIES.chars().map(String::from);
        names(catalogue).chain(Group::ALL.map(Group::name)).map(str::to_owned).chain(families)
    }

    /// The rules that these words name.
    pub fn named(catalogue: &Catalogue, words: &[String]) -> Result<Vec<RuleId>, Unknown> {
        let words = words.iter().map(|word| Selector::parse(catalogue, word.trim())).collect::<Result<Vec<_>, _>>()?;
        let named = catalogue.rules().filter(|(id, rule)| words.iter().any(|word| word.rank(*id, rule).is_some()));
        Ok(named.map(|(id, _)| id).collect())
    }

    /// Every rule, those that are off by default too.
    pub fn everything(catalogue: &Catalogue) -> Self {
        Self { rules: catalogue.rules().map(|(_, rule)| (true, rule.severity)).collect() }
    }

    /// The rules that are on if the run doesn't say otherwise.
    pub fn usual(catalogue: &Catalogue) -> Self {
        Self { rules: catalogue.rules().map(|(_, rule)| (rule.default, rule.severity)).collect() }
    }

    /// Whether the rule is on.
    pub fn has(&self, rule: RuleId) -> bool {
        self.rules.get(usize::from(rule.0)).is_some_and(|(on, _)| *on)
    }

    /// How bad the rule's findings are.
    pub fn severity(&self, rule: RuleId) -> Severity {
        self.rules.get(usize::from(rule.0)).map_or(Severity::Error, |(_, severity)| *severity)
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::samples;
    use super::*;

    /// Lists as they are written at the command line.
    fn words(select: &str, ignore: &str, extend: &str) -> Words {
        let list = |list: &str| list.split_terminator(',').map(str::to_owned).collect::<Vec<_>>();
        let select = Some(list(select)).filter(|words| !words.is_empty());
        Words { select, ignore: list(ignore), extend_select: list(extend), severity: Vec::new() }
    }

    /// The codes that are on.
    fn on(select: &str, ignore: &str, extend: &str) -> String {
        on_by(&[words(select, ignore, extend)])
    }

    fn on_by(sources: &[Words]) -> String {
        let catalogue = samples::catalogue();
        let selection = Selection::new(&catalogue, sources).unwrap();
        let codes = catalogue.rules().filter(|(id, _)| selection.has(*id)).map(|(_, rule)| rule.code.as_str());
        codes.collect::<Vec<_>>().join(" ")
    }

    #[test]
    fn the_pages_decide_unless_told_otherwise() {
        assert_eq!(on("", "", ""), "F110 M104 T103");
        assert_eq!(on("", "", "G"), "F110 G102 M104 T103");
        assert_eq!(on("", "T,missing-comma", ""), "F110");
        assert_eq!(on("tag-order", "", ""), "T103");
        assert_eq!(on("tag-order", "", "blocked-path"), "G102 T103");
        assert_eq!(on("tag-order, M104", "", ""), "M104 T103");
    }

    #[test]
    fn groups_are_disjoint_parts_of_the_contract() {
        assert_eq!(on("spec", "", ""), "M104 T103");
        assert_eq!(on("play", "", ""), "G102");
        assert_eq!(on("style", "", ""), "F110");
        assert_eq!(on("all", "", ""), "F110 G102 M104 T103");
    }

    #[test]
    fn the_more_specific_word_wins_and_of_equals_ignore() {
        assert_eq!(on("T103", "T", ""), "T103");
        assert_eq!(on("T", "spec", ""), "T103");
        assert_eq!(on("spec", "all", ""), "M104 T103");
        assert_eq!(on("all", "T", ""), "F110 G102 M104");
        assert_eq!(on("T103,M104", "tag-order", ""), "M104");
        assert_eq!(on("", "all", "M"), "M104");
        assert_eq!(on("", "M", "M"), "F110 T103");
    }

    #[test]
    fn of_equals_the_later_source_wins_and_its_selection_replaces() {
        let with = |select: &str, ignore: &str| on_by(&[words("F,M", "T103", "G"), words(select, ignore, "")]);
        assert_eq!(with("", ""), "F110 G102 M104");
        assert_eq!(with("", "M104"), "F110 G102");
        assert_eq!(with("T", ""), "G102");
        assert_eq!(with("T103", ""), "G102 T103");
        assert_eq!(with("T103", "G"), "T103");
        let nothing = Words { select: Some(Vec::new()), ..Words::default() };
        assert_eq!(on_by(std::slice::from_ref(&nothing)), "");
        assert_eq!(on_by(&[nothing, words("", "", "M")]), "M104");
    }

    #[test]
    fn of_severities_the_later_source_wins_then_the_most_specific() {
        use Severity::{Error, Style, Warning};
        let catalogue = samples::catalogue();
        let source = |said: &[(&str, Severity)]| Words {
            severity: said.iter().map(|(word, severity)| ((*word).to_owned(), *severity)).collect(),
            ..Words::default()
        };
        let severities = |sources: &[Words]| {
            let selection = Selection::new(&catalogue, sources).unwrap();
            catalogue.rules().map(|(id, _)| selection.severity(id)).collect::<Vec<_>>()
        };
        assert_eq!(severities(&[]), catalogue.rules().map(|(_, rule)| rule.severity).collect::<Vec<_>>());
        let file = source(&[("tag-order", Style), ("T", Warning), ("all", Error)]);
        assert_eq!(severities(std::slice::from_ref(&file)), [Error, Error, Error, Style]);
        assert_eq!(severities(&[file, source(&[("T", Error), ("T", Warning)])]), [Error, Error, Error, Warning]);
    }

    #[test]
    fn an_unknown_word_is_named_with_its_neighbour() {
        let catalogue = samples::catalogue();
        let unknown = |word: &str| Selection::new(&catalogue, &[words("", word, "")]).unwrap_err();
        let unknown = |word: &str| match word {
            "" => Selection::check_word(&catalogue, word).unwrap_err(),
            word => unknown(word),
        };
        let nearest = |word: &str| unknown(word).nearest.join(" ");
        assert_eq!(nearest("tag-odrer"), "tag-order");
        assert_eq!(nearest("Tag_Order"), "tag-order");
        assert_eq!(nearest("t103"), "T103");
        assert_eq!(nearest("T10"), "T103");
        assert_eq!(nearest("stile"), "style");
        assert_eq!(nearest("x"), "X");
        assert_eq!(nearest("blocked"), "blocked-path");
        assert_eq!(nearest("quite-else"), "");
        assert_eq!(nearest(""), "");
        assert_eq!(
            unknown("§3.5").to_string(),
            "no rule, family or group is called `§3.5`; --rules lists what there is"
        );
    }

    #[test]
    fn of_words_as_near_three_are_named() {
        let known = ["T101", "T102", "T103", "T104", "M101", "T102"];
        assert_eq!(nearest("T10", known), ["T101", "T102", "T103"]);
        assert_eq!(nearest("m10l", known), ["M101"]);
        assert_eq!(nearest("M102", known), ["T102", "M101"]);
        let unknown = |nearest: &[&str]| {
            let nearest = nearest.iter().map(|word| (*word).to_owned()).collect();
            Unknown { message: "no".to_owned(), nearest }.to_string()
        };
        assert_eq!(unknown(&["a"]), "no; did you mean `a`?");
        assert_eq!(unknown(&["a", "b"]), "no; did you mean `a` or `b`?");
        assert_eq!(unknown(&["a", "b", "c"]), "no; did you mean `a`, `b` or `c`?");
    }

    #[test]
    fn a_clause_that_no_rule_cites_has_a_section() {
        let catalogue = samples::catalogue();
        let said = |word: &str| Unknown::subject(&catalogue, word).to_string();
        assert_eq!(said("§7.99"), "no rule cites §7.99; did you mean `§7`?");
        assert_eq!(said("§99"), "no rule cites §99; --rules lists what there is");
        assert_eq!(said("7.6"), "no rule or clause is called `7.6`; did you mean `§7.6`?");
        assert_eq!(said("tag-odrer"), "no rule or clause is called `tag-odrer`; did you mean `tag-order`?");
    }
}
