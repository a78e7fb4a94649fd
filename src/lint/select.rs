//! Which rules are on: what `--select`, `--ignore` and `--extend-select` say.

use std::fmt;

use super::catalogue::{Catalogue, FAMILIES, Rule};
use super::finding::{RuleId, Severity};

/// A word that no rule, family, group or clause answers to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Unknown {
    /// The word.
    pub word: String,
    /// The known word that is next to it, if one is near.
    pub nearest: Option<String>,
}

impl Unknown {
    /// Looks for the nearest code, name or group.
    pub fn new(catalogue: &Catalogue, word: &str) -> Self {
        let rules = catalogue.rules().flat_map(|(_, rule)| [rule.name.as_str(), rule.code.as_str()]);
        let nearest = rules
            .chain(Group::ALL.map(Group::name))
            .map(|known| (strsim::osa_distance(&word.to_lowercase(), &known.to_lowercase()), known))
            .min_by_key(|(distance, _)| *distance)
            .filter(|(distance, known)| *distance <= known.len() / 3)
            .map(|(_, known)| known.to_owned());
        Self { word: word.to_owned(), nearest }
    }
}

impl fmt::Display for Unknown {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "no rule, family, group or clause is called {:?}", self.word)?;
        match &self.nearest {
            Some(nearest) => write!(f, "; did you mean {nearest:?}?"),
            None => Ok(()),
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
        group.or_else(|| catalogue.find(word).map(Selector::Rule)).ok_or_else(|| Unknown::new(catalogue, word))
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

/// A bit for each rule: whether it is on.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selection {
    on: Vec<bool>,
}

impl Selection {
    /// Weighs the three lists of words: for each rule the most specific one decides, of equals that of `ignore`.
    /// Where none holds, the page does, or with any `select` the rule is off.
    pub fn new(
        catalogue: &Catalogue,
        select: &[String],
        ignore: &[String],
        extend_select: &[String],
    ) -> Result<Self, Unknown> {
        let parse = |words: &[String]| {
            words.iter().map(|word| Selector::parse(catalogue, word.trim())).collect::<Result<Vec<_>, _>>()
        };
        let wanted = [parse(select)?, parse(extend_select)?].concat();
        let unwanted = parse(ignore)?;
        let on = |(id, rule): (RuleId, &Rule)| {
            let rank = |list: &[Selector]| list.iter().filter_map(|selector| selector.rank(id, rule)).max();
            match (rank(&wanted), rank(&unwanted)) {
                (None, None) => select.is_empty() && rule.default,
                (wanted, unwanted) => wanted > unwanted,
            }
        };
        Ok(Self { on: catalogue.rules().map(on).collect() })
    }

    /// Every rule, those that are off by default too.
    pub fn everything(catalogue: &Catalogue) -> Self {
        Self { on: vec![true; catalogue.len()] }
    }

    /// The rules that are on if the run doesn't say otherwise.
    pub fn usual(catalogue: &Catalogue) -> Self {
        Self { on: catalogue.rules().map(|(_, rule)| rule.default).collect() }
    }

    /// Whether the rule is on.
    pub fn has(&self, rule: RuleId) -> bool {
        self.on.get(usize::from(rule.0)).copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::super::catalogue::samples;
    use super::*;

    /// The codes that are on, by lists as they are written at the command line.
    fn on(select: &str, ignore: &str, extend: &str) -> String {
        let catalogue = samples::catalogue();
        let words = |list: &str| list.split_terminator(',').map(str::to_owned).collect::<Vec<_>>();
        let selection = Selection::new(&catalogue, &words(select), &words(ignore), &words(extend)).unwrap();
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
    fn an_unknown_word_is_named_with_its_neighbour() {
        let catalogue = samples::catalogue();
        let unknown = |word: &str| Selection::new(&catalogue, &[], &[word.to_owned()], &[]).unwrap_err();
        assert_eq!(unknown("tag-odrer").nearest.as_deref(), Some("tag-order"));
        assert_eq!(unknown("t103").nearest.as_deref(), Some("T103"));
        assert_eq!(unknown("stile").nearest.as_deref(), Some("style"));
        assert_eq!(unknown("quite-else").nearest, None);
        assert_eq!(unknown("B").to_string(), "no rule, family, group or clause is called \"B\"");
        assert_eq!(unknown("").nearest, None);
    }
}
