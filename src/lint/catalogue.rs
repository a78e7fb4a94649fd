//! The pages of `rules/`, each a rule's metadata, documentation and test in one.

use std::fmt;
use std::ops::Index;
use std::sync::OnceLock;

use regex::bytes::Regex;
use serde::Deserialize;
use serde::de::{Deserializer, Error};

use super::archive::Across;
use super::finding::{RuleId, Severity};
use super::suppress::SuppressionFault;
use crate::notation::{DateFault, IdPart, RecordKind, ResultFault};
use crate::syntax::TagName;

/// The pages by their names, compiled in.
macro_rules! pages {
    ($($name:literal),* $(,)?) => {
        &[$(($name, include_str!(concat!("../../rules/", $name, ".md"))),)*]
    };
}

/// Every page: its rule's name and its text.
#[rustfmt::skip]
pub const PAGES: &[(&str, &str)] = pages![
    // F files and encoding
    "unreadable-file",
    "not-text",
    "changed-file",
    "no-record",
    "record-too-long",
    "internal-error",
    "invalid-bytes",
    "nul-bytes",
    "byte-order-mark",
    "stray-byte-order-mark",
    "mixed-line-ends",
    "lone-carriage-return",
    "odd-blank",
    "record-behind-result",
    "ordinary-pgn",
    "damaged-archive",
    "no-such-part",
    "too-many-faults",
    "unfit-part",
    "unknown-suppression",
    "unused-suppression",
    "suppression-without-reason",
    "json-record",
    "missing-final-newline",
    "trailing-blanks",
    "tab",
    "missing-empty-line",
    "extra-empty-lines",
    "empty-line-among-tags",
    // T tags
    "missing-tag",
    "tag-order",
    "repeated-tag",
    "tags-apart",
    "unknown-tag",
    "misspelt-tag",
    "misspelt-setup-tag",
    "result-tag",
    "result-tag-hyphen",
    "result-tag-of-pgn",
    "result-tag-spelling",
    "empty-event",
    "empty-value",
    "site",
    "country-code",
    "date-form",
    "impossible-date",
    "date-separator",
    "date-hyphens",
    "round-number",
    "unknown-round",
    "round-without-date",
    "name-comma",
    "needless-match-date",
    "termination",
    "termination-result",
    "language-code",
    "mode",
    "mode-annotator",
    "player-type",
    "time-control",
    "network-address",
    "missing-variant",
    "other-variant",
    "grand-variant",
    "variant-apostrophe",
    "tag-name-case",
    "tag-name",
    "missing-tag-blank",
    "tag-quotes",
    "missing-bracket",
    "tag-escape",
    "lone-backslash",
    "control-character",
    "two-tags-on-line",
    "text-behind-tag",
    "comment-among-tags",
    "text-among-tags",
    "contradicting-tags",
    "id-only-tag",
    "game-only-tag",
    "title-without-lang",
    "missing-alias",
    "unfinished-result",
    "annotator-id",
    "needless-annotator-id",
    "missing-annotator-id",
    // I identifiers
    "id-form",
    "id-character",
    "id-letter",
    "mixed-hyphens",
    "id-class",
    "id-game-number",
    "id-annotator",
    "id-fragment",
    "id-suffix",
    "id-version",
    "id-sequence",
    "id-language",
    "id-publisher",
    "id-annotator-id",
    "id-lang",
    "id-date",
    "id-variations",
    "fragment-moves",
    // D Redefine
    "redefine-syntax",
    "redefine-letter",
    "redefine-twice",
    // M movetext
    "stray-text",
    "missing-number",
    "number-range",
    "leading-zeros",
    "number-order",
    "misplaced-unknown-number",
    "number-dot",
    "missing-blank",
    "missing-comma",
    "extra-comma",
    "half-pair",
    "broken-pair",
    "pair-over-lines",
    "one-pair-a-line",
    "ellipsis",
    "black-first",
    "glued-valuation",
    "second-valuation",
    "unknown-valuation",
    "nag-valuation",
    "valuation-after-mate",
    "indicator-order",
    "unreadable-ply",
    "lower-case",
    "written-pawn",
    "dash-for-hyphen",
    "x-for-capture",
    "undeclared-letter",
    "unknown-piece",
    "figurine-colour",
    "variation-selector",
    "old-check-sign",
    "castling-letters",
    "castling-code",
    "lookalike-letter",
    "null-move",
    "apart-check-sign",
    "blank-in-ply",
    "position-unknown",
    "blanks-before-valuation",
    // V variations
    "unbalanced-parentheses",
    "empty-variation",
    "variation-before-pair",
    "variation-number",
    "no-black-ply",
    "variation-label",
    "variation-result",
    "repeating-variation",
    // C comments
    "unclosed-comment",
    "lone-brace",
    "comment-not-first",
    "text-behind-comment",
    "brace-inside-comment",
    "record-inside-comment",
    "swallowed-pairs",
    "line-comment",
    "comment-first-in-variation",
    "missing-player-reference",
    "missing-reference-colon",
    "comment-without-ply",
    "second-comment",
    "second-automatic-comment",
    "automatic-comment-annotator",
    "comment-order",
    "malformed-reference",
    "old-letter-in-reference",
    "forward-reference",
    "reference-to-variation",
    "piece-never-there",
    "comment-language",
    "needless-language",
    // P PDTL
    "pdtl-fields",
    "pdtl-blanks",
    "pdtl-slash",
    "pdtl-line-number",
    "pdtl-line-order",
    "pdtl-line-width",
    "pdtl-empty-line",
    "pdtl-sign",
    "pdtl-digits",
    "pdtl-letters",
    "pdtl-variation-selector",
    "pdtl-pawn-place",
    "pdtl-kings",
    "pdtl-too-many",
    "pdtl-turn",
    "pdtl-castling",
    "pdtl-castling-older",
    "pdtl-castling-position",
    "pdtl-special",
    "pdtl-special-order",
    "pdtl-special-position",
    "pdtl-clock",
    "pdtl-clock-over",
    "pdtl-leading-zero",
    "pdtl-number",
    "pdtl-number-missing",
    "number-against-pdtl",
    "unknown-number",
    "turn-against-pdtl",
    "ply-after-clock",
    // A algebraic coherence
    "no-such-hex",
    "empty-origin",
    "enemy-origin",
    "wrong-piece",
    "occupied-destination",
    "empty-capture",
    "own-capture",
    "wrong-capture",
    "nothing-in-passing",
    "wrong-passing-piece",
    "missing-promotion",
    "false-promotion",
    "no-awaiting-pawn",
    "castling-origin",
    "castling-blocked",
    // G rules of play
    "piece-movement",
    "triple-step",
    "blocked-path",
    "scornful-sign",
    "passing-capture",
    "king-capture",
    "lost-right",
    "leap-in-check",
    "castling-path",
    "castling-attacked",
    "unanswered-check",
    "exposed-king",
    "promotion-choice",
    "needless-waiting",
    "forced-promotion",
    "check-sign-missing",
    "check-sign-false",
    "check-sign-kind",
    "check-sign-imprecise",
    "mate-sign-missing",
    "mate-sign-false",
    "ply-after-end",
    "ply-after-draw",
    "insufficient-material",
    "result-against-position",
    "result-against-stalemate",
    "result-without-stalemate",
    "result-against-draw",
    "waiting-side-in-check",
    // R result and ending
    "missing-end-mark",
    "needless-end-mark",
    "after-end",
    "missing-result",
    "second-result",
    "result-spelling",
    "result-hyphen",
    "result-of-pgn",
    "result-line",
    "no-moves",
    "result-against-mate",
    "result-disagreement",
    // X the whole archive
    "repeated-id",
    "repeated-record",
    "version-line",
    "repeated-game",
    "same-line",
    "lost-reference",
    "reference-kind",
    "contained",
];

/// The families' letters; the first letter of a code.
pub const FAMILIES: &str = "FTIDMVCPAGRX";

/// Whether, and how surely, a rule's findings can be mended.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Fix {
    /// They can't.
    None,
    /// The meaning stays.
    Safe,
    /// The meaning may change.
    Unsafe,
}

impl Fix {
    /// As it is written in pages and lists.
    pub const fn name(self) -> &'static str {
        match self {
            Fix::None => "none",
            Fix::Safe => "safe",
            Fix::Unsafe => "unsafe",
        }
    }
}

/// Within what a rule speaks once only.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Once {
    /// A file.
    File,
}

/// What a rule looks at.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(tag = "kind", rename_all = "kebab-case", deny_unknown_fields)]
pub enum Check {
    /// It claims these faults of reading or replaying.
    Fault {
        /// The faults' names.
        of: Vec<String>,
    },
    /// Tags stand in their order (§3.5, §3.6, §3.8).
    TagOrder {
        /// Of a game record, each place with the tags that can hold it; what is not named follows in any order.
        game: Vec<Vec<TagName>>,
        /// Of an Id record.
        id: Vec<Vec<TagName>>,
        /// What ends either.
        last: Vec<TagName>,
        /// Tags of a game record that an Id record has none of: its Id stands for them.
        replaced: Vec<TagName>,
    },
    /// Each of these places is held by one of its tags.
    MissingTag {
        /// In a game record.
        game: Vec<Vec<TagName>>,
        /// In an Id record.
        id: Vec<Vec<TagName>>,
        /// Those of a game record that may be empty.
        game_optional: Vec<TagName>,
        /// Those of an Id record that may be empty.
        id_optional: Vec<TagName>,
    },
    /// No tag is repeated.
    RepeatedTag {
        /// Save these.
        except: Vec<TagName>,
    },
    /// The repetitions of these tags stand together.
    TagsApart {
        /// The tags.
        tags: Vec<TagName>,
    },
    /// Names that the format does not know (§3.3).
    UnknownTag {
        /// Those that look like one of these names, or of any that it knows; nothing: those that look like none.
        like: Option<Vec<TagName>>,
        /// Save those that look like one of these.
        #[serde(default)]
        unlike: Vec<TagName>,
    },
    /// The values of tags.
    TagValue {
        /// The tags.
        tags: Vec<TagName>,
        /// What the whole value matches.
        pattern: Pattern,
        /// What is expected, for the message.
        expected: String,
    },
    /// The values of tags have none of these flaws.
    TagFlaw {
        /// The tags.
        tags: Vec<TagName>,
        /// Only values that hold this are judged; nothing: all.
        with: Option<String>,
        /// The flaws; only the first that a value has is told.
        flaws: Vec<Flaw>,
    },
    /// The values of tags are words of a list.
    TagWord {
        /// The tags.
        tags: Vec<TagName>,
        /// The words.
        words: Vec<String>,
    },
    /// Tags whose value is empty, or has nothing but blanks. No other rule speaks of these values.
    EmptyValue {
        /// The tags; none: all.
        #[serde(default)]
        tags: Vec<TagName>,
        /// Save these.
        #[serde(default)]
        except: Vec<TagName>,
        /// What there is to say, behind "is empty".
        says: String,
    },
    /// What the value of a tag asks of other tags.
    TagBeside(Beside),
    /// Dates (§3.22).
    Date {
        /// The tags.
        tags: Vec<TagName>,
        /// The faults to be told.
        of: Vec<DateFault>,
    },
    /// The value of `Result` (§3.25).
    ResultTag {
        /// The faults to be told.
        of: Vec<ResultFault>,
    },
    /// The code of a country at the end of these tags (§3.21).
    Country {
        /// The tags.
        tags: Vec<TagName>,
    },
    /// The codes of languages (§3.28).
    Language {
        /// The tags.
        tags: Vec<TagName>,
    },
    /// The result line says what the `Result` tag says (§7.8).
    ResultAgreement,
    /// These tags stand in records of one kind only (§3.6, §3.29, §3.30).
    TagsOnlyIn {
        /// The kind.
        record: RecordKind,
        /// The tags.
        tags: Vec<TagName>,
        /// Only those with this value; nothing: with any.
        value: Option<String>,
    },
    /// A tag stands only behind another one (§3.9).
    TagBehind {
        /// The tag.
        tag: TagName,
        /// What stands anywhere before it.
        needs: TagName,
    },
    /// An address in a name's place has an alias behind it (§3.10).
    MissingAlias {
        /// Address, name and alias of each player.
        players: Vec<[TagName; 3]>,
    },
    /// A tag says what a part of the Id says.
    IdAgreement {
        /// The part.
        part: IdPart,
        /// The tag, the first one of its name.
        tag: TagName,
        /// The kind of record it is for; both if none is named.
        record: Option<RecordKind>,
    },
    /// An Id of class A wants a tag (§3.35, §4.3).
    ClassATag {
        /// The tag.
        tag: TagName,
        /// What it stands behind: the last of the first of these that is there.
        behind: Vec<TagName>,
        /// The kind of record it is for; both if none is named.
        record: Option<RecordKind>,
    },
    /// A tag stands only with an Id of class A, or in a game of some modes (§3.35).
    ClassAOnly {
        /// The tag.
        tag: TagName,
        /// The modes.
        modes: Vec<String>,
    },
    /// The suffixes `V` and `S` of the Id fit the variations (§4.6).
    IdVariations,
    /// The fragment of the Id fits the moves (§4.8).
    FragmentAgreement,
    /// What is wrong with comments that suppress findings (§9.6).
    Suppression {
        /// The fault.
        of: SuppressionFault,
    },
    /// What records say of one another (§4.9, §3.36).
    Archive {
        /// What is found.
        finds: Across,
    },
}

impl Check {
    /// Whether it looks at the values of this tag; nothing for a check that looks at more than single tags.
    pub fn looks_at(&self, tag: TagName) -> Option<bool> {
        match self {
            Check::TagValue { tags, .. }
            | Check::TagFlaw { tags, .. }
            | Check::TagWord { tags, .. }
            | Check::Date { tags, .. }
            | Check::Country { tags }
            | Check::Language { tags } => Some(tags.contains(&tag)),
            Check::EmptyValue { tags, except, .. } => {
                Some((tags.is_empty() || tags.contains(&tag)) && !except.contains(&tag))
            }
            Check::ResultTag { .. } => Some(tag == TagName::Result),
            _ => None,
        }
    }

    /// Whether it looks at the names of tags only, and in which order they stand: what it says of one record it says of all
    /// with the same.
    pub fn is_of_names(&self) -> bool {
        match self {
            Check::TagsOnlyIn { value, .. } => value.is_none(),
            Check::TagOrder { .. }
            | Check::MissingTag { .. }
            | Check::RepeatedTag { .. }
            | Check::TagsApart { .. }
            | Check::UnknownTag { .. }
            | Check::TagBehind { .. }
            | Check::MissingAlias { .. } => true,
            _ => false,
        }
    }

    /// The tags of which a record has at least one if the check can have anything to say of it; nothing: any record may.
    pub fn asks_for(&self) -> Option<Vec<TagName>> {
        Some(match self {
            Check::TagsOnlyIn { tags, .. } => tags.clone(),
            Check::ResultAgreement => vec![TagName::Result],
            Check::ClassAOnly { tag, .. } => vec![*tag],
            Check::TagBeside(asked) => vec![asked.tag],
            Check::IdAgreement { .. } | Check::ClassATag { .. } | Check::IdVariations | Check::FragmentAgreement => {
                vec![TagName::Id]
            }
            _ => return None,
        })
    }
}

/// What a tag asks of other tags.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Beside {
    /// The tag, the first one of its name.
    pub tag: TagName,
    /// Which values of it ask something; nothing: any.
    pub value: Option<Pattern>,
    /// The other tags.
    pub beside: Vec<TagName>,
    /// One of the others must be there.
    #[serde(default)]
    pub needed: bool,
    /// None of the others may have such a value.
    pub clash: Option<Pattern>,
    /// This one may not have the same value, whichever hyphens it has.
    pub unlike: Option<TagName>,
    /// Why, for the message.
    pub says: String,
}

/// What a value may not be.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Flaw {
    /// What the whole value matches.
    pub pattern: Pattern,
    /// What there is to say, behind the value.
    pub says: String,
}

/// A regular expression over bytes that matches a whole value; compiled on first use.
#[derive(Clone, Debug, Deserialize)]
#[serde(from = "String")]
pub struct Pattern {
    source: String,
    compiled: OnceLock<Option<Regex>>,
}

impl From<String> for Pattern {
    fn from(source: String) -> Self {
        Self { source, compiled: OnceLock::new() }
    }
}

impl PartialEq for Pattern {
    fn eq(&self, other: &Self) -> bool {
        self.source == other.source
    }
}

impl Eq for Pattern {}

impl Pattern {
    /// Whether it matches the whole value. What is no regular expression matches all; a test lets none of these pass.
    pub fn matches(&self, value: &[u8]) -> bool {
        self.regex().is_none_or(|regex| regex.is_match(value))
    }

    fn regex(&self) -> Option<&Regex> {
        let compile = || Regex::new(&format!("^(?:{})$", self.source)).ok();
        self.compiled.get_or_init(compile).as_ref()
    }
}

impl<'de> Deserialize<'de> for TagName {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        match TagName::parse(name.as_bytes()) {
            (TagName::Unknown, _) | (_, false) => Err(D::Error::custom(format!("no tag {name:?}"))),
            (tag, true) => Ok(tag),
        }
    }
}

/// A rule as its page's first block says it.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Rule {
    /// The family's letter and three digits, never reused.
    pub code: String,
    /// The page's title, which reads well after "ignore".
    #[serde(skip)]
    pub name: String,
    /// How bad its findings are, if the run doesn't say otherwise.
    pub severity: Severity,
    /// What it cites, as `§6.4` or `R2.3`; at least one, the chief one first.
    pub clauses: Vec<String>,
    /// What it finds, in one line.
    pub summary: String,
    /// Whether its findings can be mended.
    pub fix: Fix,
    /// The version that brought it.
    pub since: String,
    /// Whether it is on if the run doesn't say otherwise.
    #[serde(default = "on")]
    pub default: bool,
    /// Within what it speaks once only.
    pub once: Option<Once>,
    /// What it looks at.
    pub check: Check,
}

const fn on() -> bool {
    true
}

impl Rule {
    /// The letter of its family.
    pub fn family(&self) -> char {
        self.code.chars().next().unwrap_or_default()
    }

    /// The chief clause it cites.
    pub fn clause(&self) -> &str {
        self.clauses.first().map_or("", String::as_str)
    }

    /// Whether it cites the clause, or one within it (`§6.4` lies within `§6`).
    pub fn cites(&self, clause: &str) -> bool {
        self.clauses
            .iter()
            .filter_map(|cited| cited.strip_prefix(clause))
            .any(|rest| rest.is_empty() || rest.starts_with('.'))
    }

    fn parse(name: &str, page: &str) -> Result<Self, String> {
        let (title, body) = page.split_once('\n').unwrap_or((page, ""));
        let title = title.strip_prefix("# ").ok_or("the first line is no title")?;
        if title != name {
            return Err(format!("the title is {title:?}"));
        }
        let first = blocks(body).find(|block| !matches!(block, Ok(Block::Prose(_))));
        let Some(Block::Fence { info: "toml", text }) = first.transpose()? else {
            return Err("the first fenced block is not toml".to_owned());
        };
        let mut rule: Rule = toml::from_str(text).map_err(|error| error.message().to_owned())?;
        name.clone_into(&mut rule.name);
        rule.check_wording()?;
        Ok(rule)
    }

    /// What the types can't say of a rule's words.
    fn check_wording(&self) -> Result<(), String> {
        if !is_code(&self.code) {
            return Err(format!("{:?} is no code", self.code));
        }
        if !self.name.bytes().all(|b| b.is_ascii_lowercase() || b == b'-') {
            return Err("the name has other characters than lower-case letters and hyphens".to_owned());
        }
        if self.clauses.is_empty() {
            return Err("no clause is cited".to_owned());
        }
        if let Some(clause) = self.clauses.iter().find(|clause| !is_clause(clause)) {
            return Err(format!("{clause:?} is no clause"));
        }
        Ok(())
    }
}

/// Whether it is a family's letter and three digits.
fn is_code(word: &str) -> bool {
    let digits = word.strip_prefix(|letter| FAMILIES.contains(letter)).unwrap_or_default();
    digits.len() == 3 && digits.bytes().all(|b| b.is_ascii_digit())
}

/// Whether it is written as a clause of the format (`§6`, `§6.4`) or of the rules of play (`R2.3`).
pub fn is_clause(word: &str) -> bool {
    let numbers = word.strip_prefix('§').or_else(|| word.strip_prefix('R')).unwrap_or_default();
    let (section, clause) = numbers.split_once('.').unwrap_or((numbers, "1"));
    [section, clause].iter().all(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit())) && !is_code(word)
}

/// A page that can't be used.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PageError {
    /// The page's name.
    pub page: String,
    /// What is wrong with it.
    pub reason: String,
}

impl fmt::Display for PageError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "rules/{}.md: {}", self.page, self.reason)
    }
}

impl std::error::Error for PageError {}

/// All rules, in the order of their codes; a [`RuleId`] is the place in it.
#[derive(Clone, Debug)]
pub struct Catalogue {
    rules: Vec<(Rule, &'static str)>,
}

impl Catalogue {
    /// The rules that are compiled in.
    ///
    /// Panics on a page that can't be used: the tests don't let one pass.
    pub fn load() -> &'static Self {
        static LOADED: OnceLock<Catalogue> = OnceLock::new();
        LOADED.get_or_init(|| Self::parse(PAGES).unwrap_or_else(|error| panic!("{error}")))
    }

    /// The rules of these pages, each its name and text; examples are left for [`Catalogue::page`].
    pub fn parse(pages: &[(&str, &'static str)]) -> Result<Self, PageError> {
        let mut rules = Vec::with_capacity(pages.len());
        for &(name, text) in pages {
            let rule = Rule::parse(name, text).map_err(|reason| PageError { page: name.to_owned(), reason })?;
            rules.push((rule, text));
        }
        rules.sort_by(|(a, _), (b, _)| a.code.cmp(&b.code));
        if let Some([(a, _), (b, _)]) = rules.windows(2).find(|pair| pair[0].0.code == pair[1].0.code) {
            return Err(PageError { page: b.name.clone(), reason: format!("has the code of {}", a.name) });
        }
        Ok(Self { rules })
    }

    /// The rules with their numbers, by code.
    pub fn rules(&self) -> impl Iterator<Item = (RuleId, &Rule)> {
        (0..).map(RuleId).zip(self.rules.iter().map(|(rule, _)| rule))
    }

    /// How many rules there are.
    pub fn len(&self) -> usize {
        self.rules.len()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.rules.is_empty()
    }

    /// The rule with this code.
    pub fn by_code(&self, code: &str) -> Option<RuleId> {
        let place = self.rules.binary_search_by(|(rule, _)| rule.code.as_str().cmp(code)).ok()?;
        Some(RuleId(place as u16))
    }

    /// The rule with this name.
    fn by_name(&self, name: &str) -> Option<RuleId> {
        self.rules().find(|(_, rule)| rule.name == name).map(|(id, _)| id)
    }

    /// The rule with this code or name.
    pub fn find(&self, word: &str) -> Option<RuleId> {
        self.by_code(word).or_else(|| self.by_name(word))
    }

    /// The prose and examples of a rule's page.
    pub fn page(&self, id: RuleId) -> Result<Page, PageError> {
        Page::parse(self.text(id)).map_err(|reason| PageError { page: self[id].name.clone(), reason })
    }

    /// The blocks of a rule's page behind its title, up to the first that can't be read.
    pub fn blocks(&self, id: RuleId) -> impl Iterator<Item = Block<'static>> {
        let body = self.text(id).split_once('\n').map_or("", |(_, body)| body);
        blocks(body).map_while(Result::ok)
    }

    fn text(&self, id: RuleId) -> &'static str {
        self.rules[usize::from(id.0)].1
    }
}

impl Index<RuleId> for Catalogue {
    type Output = Rule;

    fn index(&self, id: RuleId) -> &Rule {
        &self.rules[usize::from(id.0)].0
    }
}

/// A text that a page shows.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Sample {
    /// The text with its last line end.
    pub text: &'static str,
    /// Further words behind `bad`, `fixed` or `good`, such as `crlf`.
    pub words: Vec<&'static str>,
}

/// A finding as an `expect` block writes it.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Expected {
    /// The row, from 1.
    pub row: u64,
    /// The column, from 1.
    pub column: u32,
    /// The rule's code.
    pub code: &'static str,
    /// The message.
    pub message: &'static str,
}

/// A text that breaks a rule.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Example {
    /// The text.
    pub bad: Sample,
    /// All its findings, in order.
    pub expect: Vec<Expected>,
    /// The text as it is mended.
    pub fixed: Option<Sample>,
}

/// What a page says besides its first block.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Page {
    /// What stands outside the fenced examples, in order.
    pub prose: Vec<&'static str>,
    /// Texts that break the rule.
    pub examples: Vec<Example>,
    /// Texts without findings.
    pub good: Vec<Sample>,
}

/// What the block before was, which says what may follow.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Behind {
    Bad,
    Expect,
    Other,
}

impl Page {
    fn parse(text: &'static str) -> Result<Self, String> {
        let mut page = Self::default();
        let mut behind = Behind::Other;
        for block in blocks(text.split_once('\n').map_or("", |(_, body)| body)) {
            match block? {
                Block::Prose(text) if text.trim().is_empty() => {}
                Block::Prose(text) => page.prose.push(text.trim()),
                Block::Fence { info, text } => behind = page.add(info, text, behind)?,
            }
        }
        if behind == Behind::Bad {
            return Err("the last bad example has no expect block".to_owned());
        }
        Ok(page)
    }

    fn add(&mut self, info: &'static str, text: &'static str, behind: Behind) -> Result<Behind, String> {
        let mut words = info.split_whitespace();
        let kind = match words.next() {
            Some("ctl-pgn") => words.next().unwrap_or_default(),
            Some("expect") => "expect",
            _ => return if behind == Behind::Bad { Err(no_place(info)) } else { Ok(Behind::Other) },
        };
        let sample = Sample { text, words: words.collect() };
        match (kind, behind, self.examples.last_mut()) {
            ("bad", Behind::Expect | Behind::Other, _) => {
                self.examples.push(Example { bad: sample, expect: Vec::new(), fixed: None });
                Ok(Behind::Bad)
            }
            ("expect", Behind::Bad, Some(example)) => {
                example.expect = text.lines().map(expected).collect::<Result<_, _>>()?;
                Ok(Behind::Expect)
            }
            ("fixed", Behind::Expect, Some(example)) => {
                example.fixed = Some(sample);
                Ok(Behind::Other)
            }
            ("good", Behind::Expect | Behind::Other, _) => {
                self.good.push(sample);
                Ok(Behind::Other)
            }
            _ => Err(no_place(info)),
        }
    }
}

fn no_place(info: &str) -> String {
    format!("a block {info:?} can't stand there")
}

/// Reads `row:column code message`.
fn expected(line: &'static str) -> Result<Expected, String> {
    let read = || {
        let (place, rest) = line.split_once(' ')?;
        let (row, column) = place.split_once(':')?;
        let (code, message) = rest.split_once(' ').unwrap_or((rest, ""));
        Some(Expected { row: row.parse().ok()?, column: column.parse().ok()?, code, message })
    };
    read().filter(|expected| is_code(expected.code)).ok_or_else(|| format!("{line:?} is no expected finding"))
}

/// A part of a page.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Block<'p> {
    /// Lines outside fences.
    Prose(&'p str),
    /// A fenced block.
    Fence {
        /// What stands behind the opening backticks.
        info: &'p str,
        /// The lines between the fences.
        text: &'p str,
    },
}

/// Cuts a page into its parts, on demand, so that loading reads no further than the first block.
fn blocks(page: &str) -> impl Iterator<Item = Result<Block<'_>, String>> {
    let mut rest = page;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        if rest.starts_with("```") {
            let fence = take_fence(rest);
            rest = fence.as_ref().map_or("", |(_, behind)| behind);
            return Some(fence.map(|(block, _)| block));
        }
        let (prose, behind) = rest.split_at(rest.find("\n```").map_or(rest.len(), |at| at + 1));
        rest = behind;
        Some(Ok(Block::Prose(prose)))
    })
}

/// Reads the fence that the text begins with; gives it and what is behind it.
fn take_fence(text: &str) -> Result<(Block<'_>, &str), String> {
    let (open, body) = text.split_once('\n').unwrap_or((text, ""));
    let info = open.trim_start_matches('`');
    let ticks = open.len() - info.len();
    let info = info.trim();
    let mut end = 0;
    for line in body.split_inclusive('\n') {
        let mark = line.trim_end();
        if mark.len() >= ticks && mark.bytes().all(|b| b == b'`') {
            return Ok((Block::Fence { info, text: &body[..end] }, &body[end + line.len()..]));
        }
        end += line.len();
    }
    Err(format!("the block {info:?} is not closed"))
}

/// Two throw-away pages for the tests of this floor and those above.
#[cfg(test)]
pub(crate) mod samples {
    use super::Catalogue;

    const COMMA: &str = r#"# missing-comma

```toml
code = "M104"
severity = "error"
clauses = ["§7.1", "§7.6"]
summary = "no comma between the plies of a pair"
fix = "safe"
since = "0.1.0"
check = { kind = "fault", of = ["missing-comma"] }
```

Without the comma a simple reader takes the pair for one word.

```text
not an example
```

```ctl-pgn bad crlf
1. E7-E13 E21-E15
*
```

```expect
1:10 M104 a comma is missing between 1. E7-E13 and E21-E15
```

```ctl-pgn fixed
1. E7-E13, E21-E15
*
```

````ctl-pgn good
1. E7-E13, E21-E15
```
*
````
"#;

    const ORDER: &str = r#"# tag-order

```toml
code = "T103"
severity = "warning"
clauses = ["§3.5"]
summary = "tags out of order"
fix = "none"
since = "0.1.0"
once = "file"
check = { kind = "fault", of = ["tag-order"] }
```
"#;

    const BLANKS: &str = r#"# trailing-blank

```toml
code = "F110"
severity = "style"
clauses = ["§1.5"]
summary = "blanks at a line's end"
fix = "safe"
since = "0.1.0"
check = { kind = "fault", of = ["trailing-blank"] }
```
"#;

    const BLOCKED: &str = r#"# blocked-path

```toml
code = "G102"
severity = "error"
clauses = ["R2.3"]
summary = "a piece stands in the way"
fix = "none"
since = "0.1.0"
default = false
check = { kind = "fault", of = ["blocked-path"] }
```
"#;

    pub(crate) const PAGES: &[(&str, &str)] =
        &[("missing-comma", COMMA), ("tag-order", ORDER), ("trailing-blank", BLANKS), ("blocked-path", BLOCKED)];

    /// Four rules: F110 trailing-blank, G102 blocked-path (off), M104 missing-comma, T103 tag-order.
    pub(crate) fn catalogue() -> Catalogue {
        Catalogue::parse(PAGES).unwrap()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reason(name: &str, text: &'static str) -> String {
        Catalogue::parse(&[(name, text)]).unwrap_err().to_string()
    }

    /// The sample page with one passage replaced.
    fn changed(from: &str, to: &str) -> &'static str {
        let (_, page) = samples::PAGES[0];
        assert!(page.contains(from));
        page.replace(from, to).leak()
    }

    #[test]
    fn every_page_that_is_compiled_in_can_be_used() {
        let catalogue = Catalogue::parse(PAGES).unwrap();
        assert_eq!(Catalogue::load().len(), PAGES.len());
        for (id, rule) in catalogue.rules() {
            catalogue.page(id).unwrap();
            for pattern in patterns(&rule.check) {
                assert!(pattern.regex().is_some(), "{}: {pattern:?}", rule.name);
            }
        }
    }

    fn patterns(check: &Check) -> Vec<&Pattern> {
        match check {
            Check::TagValue { pattern, .. } => vec![pattern],
            Check::TagFlaw { flaws, .. } => flaws.iter().map(|flaw| &flaw.pattern).collect(),
            Check::TagBeside(asked) => asked.value.iter().chain(&asked.clash).collect(),
            _ => Vec::new(),
        }
    }

    #[test]
    fn rules_are_numbered_by_code_and_found_by_either_name() {
        let catalogue = samples::catalogue();
        let codes: Vec<_> = catalogue.rules().map(|(_, rule)| rule.code.as_str()).collect();
        assert_eq!(codes, ["F110", "G102", "M104", "T103"]);
        assert_eq!(catalogue.find("M104"), Some(RuleId(2)));
        assert_eq!(catalogue.find("missing-comma"), Some(RuleId(2)));
        assert_eq!(catalogue.find("missing"), None);
        let rule = &catalogue[RuleId(2)];
        assert_eq!((rule.family(), rule.clause(), rule.severity), ('M', "§7.1", Severity::Error));
        assert_eq!((rule.fix, rule.default, rule.once), (Fix::Safe, true, None));
        assert_eq!(rule.check, Check::Fault { of: vec!["missing-comma".to_owned()] });
        assert!(rule.cites("§7.6") && rule.cites("§7") && !rule.cites("§7.") && !rule.cites("§"));
        assert_eq!(catalogue[RuleId(3)].once, Some(Once::File));
    }

    #[test]
    fn a_page_gives_its_examples() {
        let catalogue = samples::catalogue();
        let page = catalogue.page(RuleId(2)).unwrap();
        assert_eq!(page.prose, ["Without the comma a simple reader takes the pair for one word."]);
        let [example] = page.examples.as_slice() else { panic!("{:?}", page.examples) };
        assert_eq!(example.bad, Sample { text: "1. E7-E13 E21-E15\n*\n", words: vec!["crlf"] });
        let message = "a comma is missing between 1. E7-E13 and E21-E15";
        assert_eq!(example.expect, [Expected { row: 1, column: 10, code: "M104", message }]);
        assert_eq!(example.fixed.as_ref().map(|fixed| fixed.text), Some("1. E7-E13, E21-E15\n*\n"));
        assert_eq!(page.good[0].text, "1. E7-E13, E21-E15\n```\n*\n");
    }

    #[test]
    fn a_bad_page_is_named_with_its_reason() {
        assert_eq!(reason("comma", samples::PAGES[0].1), "rules/comma.md: the title is \"missing-comma\"");
        assert_eq!(reason("x", "x\n"), "rules/x.md: the first line is no title");
        assert_eq!(reason("x", "# x\n\nProse.\n"), "rules/x.md: the first fenced block is not toml");
        assert_eq!(reason("x", "# x\n```toml\ncode = 1\n"), "rules/x.md: the block \"toml\" is not closed");
        for (from, to, part) in [
            ("M104", "M14", "\"M14\" is no code"),
            ("M104", "B104", "\"B104\" is no code"),
            ("\"§7.1\", \"§7.6\"", "", "no clause is cited"),
            ("§7.6", "7.6", "\"7.6\" is no clause"),
            ("fix = \"safe\"", "fix = \"sure\"", "unknown variant `sure`"),
            ("since =", "sinse =", "unknown field `sinse`"),
            ("kind = \"fault\"", "kind = \"vault\"", "unknown variant `vault`"),
            ("of = [", "on = 1, of = [", "unknown field `on`"),
            ("since = \"0.1.0\"\n", "", "missing field `since`"),
        ] {
            let reason = reason("missing-comma", changed(from, to));
            assert!(reason.starts_with("rules/missing-comma.md: ") && reason.contains(part), "{to}: {reason}");
        }
        let twice = [samples::PAGES[0], ("tag-order", samples::PAGES[1].1.replace("T103", "M104").leak())];
        assert_eq!(Catalogue::parse(&twice).unwrap_err().reason, "has the code of missing-comma");
    }

    #[test]
    fn bad_examples_are_named_too() {
        for (from, to, part) in [
            ("```expect", "```text", "\"text\" can't stand there"),
            ("ctl-pgn fixed", "ctl-pgn mended", "\"ctl-pgn mended\" can't stand there"),
            ("ctl-pgn bad crlf", "ctl-pgn good", "\"expect\" can't stand there"),
            ("ctl-pgn good", "ctl-pgn bad", "the last bad example has no expect block"),
            ("1:10 M104", "1:10 comma", "\"1:10 comma a comma"),
            ("1:10 M104", "1.10 M104", "\"1.10 M104 a comma"),
        ] {
            let catalogue = Catalogue::parse(&[("missing-comma", changed(from, to))]).unwrap();
            let error = catalogue.page(RuleId(0)).unwrap_err();
            assert_eq!(error.page, "missing-comma");
            assert!(error.reason.contains(part), "{to}: {}", error.reason);
        }
    }
}
