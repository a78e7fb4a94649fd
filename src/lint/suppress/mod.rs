//! Suppressions inside the file: `{: ctl-lint ignore tag-order, M104: reason }` (§9.6).
//!
//! Before the first pair, or behind the result, one holds for its record; behind a pair it holds for that pair: its number,
//! plies and comments and the parentheses of its variations, not what stands in these. What is said of a file as a whole
//! can't be suppressed so, and neither can what is said of suppressions.

use std::ops::Range;
use std::sync::LazyLock;

use memchr::memmem::Finder;
use serde::Deserialize;

mod add;

use crate::lint::catalogue::Check;
use crate::lint::context::lossy;
use crate::lint::finding::RuleId;
use crate::lint::judge::{Draft, Linter};
use crate::lint::select::nearest;
use crate::syntax::{Item, ItemKind, LINTER, Record, Spelt, is_suppression};

pub use add::{Wanted, add};

/// What is wrong with a suppression.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum SuppressionFault {
    /// It can't be read, or names no rule.
    Unknown,
    /// Its rule finds nothing where it holds.
    Unused,
    /// It gives no reason.
    NoReason,
}

/// A suppression as it is written; places are bytes of its comment.
#[derive(PartialEq, Eq, Debug)]
struct Written {
    /// The words for rules.
    rules: Vec<Range<usize>>,
    /// What stands where `ignore` was expected.
    verb: Option<Range<usize>>,
    has_reason: bool,
}

impl Written {
    /// Reads a comment of which [`is_suppression`] holds.
    fn read(comment: &[u8]) -> Written {
        const IGNORE: &[u8] = b"ignore";
        let end = comment.len() - 1;
        let verb = trimmed(comment, 2..end).start + LINTER.len();
        let verb = trimmed(comment, verb..end);
        let len = comment[verb.clone()].iter().position(|byte| byte.is_ascii_whitespace() || *byte == b':');
        let verb = verb.start..len.map_or(verb.end, |len| verb.start + len);
        let colon = comment[verb.end..end].iter().position(|byte| *byte == b':').map_or(end, |at| verb.end + at);
        let has_reason = !trimmed(comment, (colon + 1).min(end)..end).is_empty();
        if &comment[verb.clone()] != IGNORE {
            return Written { rules: Vec::new(), verb: Some(verb), has_reason: true };
        }
        let mut rules = Vec::new();
        let mut at = verb.end;
        for word in comment[verb.end..colon].split(|byte| *byte == b',') {
            rules.push(trimmed(comment, at..at + word.len()));
            at += word.len() + 1;
        }
        Written { rules, verb: None, has_reason }
    }
}

/// The range without blanks around it; of nothing but blanks its start.
fn trimmed(text: &[u8], range: Range<usize>) -> Range<usize> {
    let part = &text[range.clone()];
    let part = part.trim_ascii_end();
    let blanks = part.len() - part.trim_ascii_start().len();
    range.start + blanks..range.start + part.len()
}

/// A rule that a comment suppresses.
struct Entry {
    rule: RuleId,
    /// For what it holds.
    owner: u32,
    /// Where its word stands.
    at: u32,
    end: u32,
    used: bool,
}

/// The suppressions of a record.
pub struct Suppressions {
    entries: Vec<Entry>,
    owners: Owners,
    /// Where their comments stand.
    comments: Vec<Range<u32>>,
    /// What is wrong with them.
    faults: Vec<Draft>,
}

impl Suppressions {
    /// Those of a record, if it has any.
    pub fn of(record: &Record<'_>, linter: &Linter) -> Option<Suppressions> {
        static FINDER: LazyLock<Finder<'_>> = LazyLock::new(|| Finder::new(LINTER));
        if record.tidy || FINDER.find(record.text).is_none() {
            return None;
        }
        let is_one = |item: &&Item| item.kind == ItemKind::Comment && is_suppression(item.text(record.text));
        let mut comments = record.items.iter().filter(is_one).peekable();
        comments.peek()?;
        let owners = Owners::of(record.items);
        let mut all = Suppressions { entries: Vec::new(), owners, comments: Vec::new(), faults: Vec::new() };
        for comment in comments {
            all.read(comment, record.text, linter);
        }
        Some(all)
    }

    fn read(&mut self, comment: &Item, record: &[u8], linter: &Linter) {
        let text = comment.text(record);
        let written = Written::read(text);
        let place = |range: &Range<usize>| comment.at + range.start as u32..comment.at + range.end as u32;
        self.comments.push(comment.at..comment.end() as u32);
        if let Some(verb) = &written.verb {
            let message = match &text[verb.clone()] {
                [] => "`ignore` and rules were expected behind `ctl-lint`".to_owned(),
                verb => format!("`{}` stands where `ignore` was expected", lossy(verb)),
            };
            self.fault(linter, SuppressionFault::Unknown, place(verb), message);
        }
        for word in &written.rules {
            let range = place(word);
            match named(linter, &text[word.clone()]) {
                Ok(rule) => {
                    let owner = self.owners.at(comment.at);
                    self.entries.push(Entry { rule, owner, at: range.start, end: range.end, used: false });
                }
                Err(message) => self.fault(linter, SuppressionFault::Unknown, range, message),
            }
        }
        if !written.has_reason {
            let end = written.rules.last().map_or(text.len() - 1, |word| word.end);
            let message = "no reason is given: `: ` and why it is suppressed were expected".to_owned();
            self.fault(linter, SuppressionFault::NoReason, place(&(end..end)), message);
        }
    }

    fn fault(&mut self, linter: &Linter, fault: SuppressionFault, at: Range<u32>, message: String) {
        if let Some(rule) = linter.suppression(fault) {
            self.faults.push(Draft::new(rule, linter.severity(rule), at.start, at.end, message.into()));
        }
    }

    /// Hides what is suppressed, and adds what is wrong with the suppressions. One of a rule about the whole archive waits.
    pub(super) fn apply(&mut self, linter: &Linter, drafts: &mut Vec<Draft>) {
        for draft in drafts.iter_mut() {
            let is_of_comments = linter.catalogue()[draft.rule].family() == 'C';
            draft.hidden = is_of_comments && self.comments.iter().any(|comment| comment.contains(&draft.at))
                || self.takes(draft.rule, draft.at);
        }
        for entry in self.entries.iter().filter(|entry| !entry.used && linter.has(entry.rule)) {
            let of_archive = matches!(linter.catalogue()[entry.rule].check, Check::Archive { .. });
            let waits = of_archive && entry.owner == Owners::RECORD;
            let rule = if waits { Some(entry.rule) } else { linter.suppression(SuppressionFault::Unused) };
            let Some(rule) = rule else { continue };
            let message = unused(entry, linter).into();
            let mut draft = Draft::new(rule, linter.severity(rule), entry.at, entry.end, message);
            draft.waits = waits;
            drafts.push(draft);
        }
        drafts.append(&mut self.faults);
    }

    /// Whether a finding is suppressed: by its pair first, so that what holds for the record shows whether it is needed.
    fn takes(&mut self, rule: RuleId, at: u32) -> bool {
        let owner = self.owners.at(at);
        let holds = |entry: &&mut Entry| entry.rule == rule && [owner, Owners::RECORD].contains(&entry.owner);
        let entry = self.entries.iter_mut().filter(holds).min_by_key(|entry| entry.owner == Owners::RECORD);
        entry.is_some_and(|entry| {
            entry.used = true;
            true
        })
    }
}

fn unused(entry: &Entry, linter: &Linter) -> String {
    let rule = &linter.catalogue()[entry.rule];
    let place = if entry.owner == Owners::RECORD { "this record" } else { "the pair before this comment" };
    format!("{} {} finds nothing in {place}", rule.code, rule.name)
}

/// The rule that a word of a suppression names.
fn named(linter: &Linter, word: &[u8]) -> Result<RuleId, String> {
    let catalogue = linter.catalogue();
    let word = lossy(word);
    if word.is_empty() {
        return Err("the code or the name of a rule was expected".to_owned());
    }
    let Some(rule) = catalogue.find(&word) else {
        let names = catalogue.rules().flat_map(|(_, rule)| [rule.name.as_str(), rule.code.as_str()]);
        let meant = nearest(&word, names).first().map_or(String::new(), |near| format!("; did you mean `{near}`?"));
        return Err(format!("no rule is called `{word}`{meant}"));
    };
    if is_about_suppressions(linter, rule) {
        return Err(format!("`{word}` is about suppressions, and can't be suppressed"));
    }
    Ok(rule)
}

/// Whether a rule's findings are about suppressions.
pub fn is_about_suppressions(linter: &Linter, rule: RuleId) -> bool {
    matches!(linter.catalogue()[rule].check, Check::Suppression { .. })
}

/// What each byte of a record belongs to: a pair, or the record.
pub struct Owners {
    /// From which byte on which owner, ascending.
    from: Vec<(u32, u32)>,
}

impl Owners {
    /// The record itself: what stands before its first pair, and from its result on.
    pub const RECORD: u32 = 0;

    /// Walks the items once.
    pub fn of(items: &[Item]) -> Owners {
        let mut from = vec![(0, Owners::RECORD)];
        let mut outer = Vec::new();
        let (mut owner, mut pairs) = (Owners::RECORD, 0);
        // A number stands before the next ply, which begins no pair of its own.
        let mut numbered = false;
        for item in items {
            let begins = match item.kind {
                ItemKind::Number => true,
                ItemKind::Ply if !item.spelt.has(Spelt::BLACK) => !std::mem::take(&mut numbered),
                ItemKind::Ellipsis => !std::mem::take(&mut numbered),
                _ => false,
            };
            numbered |= item.kind == ItemKind::Number;
            match item.kind {
                _ if begins => {
                    pairs += 1;
                    owner = pairs;
                }
                ItemKind::Open => {
                    outer.push(owner);
                    continue;
                }
                ItemKind::Close => owner = outer.pop().unwrap_or(owner),
                ItemKind::Result => owner = Owners::RECORD,
                _ => continue,
            }
            from.push((item.at, owner));
        }
        Owners { from }
    }

    /// To what a byte belongs.
    pub fn at(&self, at: u32) -> u32 {
        let behind = self.from.partition_point(|(from, _)| *from <= at);
        self.from[behind.saturating_sub(1)].1
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::select::Words;
    use crate::lint::{Catalogue, Judge, Selection};
    use crate::source::line_ends;
    use crate::syntax::Begins;

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n";
    const MOVES: &str = "1. E7-E13 E21-E15\n";

    /// What is found in a record of these lines, the tags before them: `row code`, rows from the first of the lines.
    fn in_lines(lines: &str) -> String {
        let (text, catalogue) = (format!("{TAGS}{lines}"), Catalogue::load());
        let words = Words { ignore: vec!["I".to_owned()], ..Words::default() };
        let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).unwrap());
        let drafts = Judge::new(&linter).record(text.as_bytes(), Begins::File, None).0;
        let row = |at: u32| line_ends(&text.as_bytes()[TAGS.len()..at as usize]) + 1;
        drafts.iter().map(|d| format!("{} {}", row(d.at), catalogue[d.rule].code)).collect::<Vec<_>>().join(", ")
    }

    #[test]
    fn comments_for_the_linter_are_known() {
        for yes in ["{: ctl-lint ignore M109: a }", "{:ctl-lint}", "{:\n ctl-lint\tfoo}"] {
            assert!(is_suppression(yes.as_bytes()), "{yes}");
        }
        for no in ["{ ctl-lint ignore M109 }", "{: ctl-linter }", "{: @W: ctl-lint }", "{: ctl-lint ignore M109", "{}"]
        {
            assert!(!is_suppression(no.as_bytes()), "{no}");
        }
    }

    #[test]
    fn a_comment_is_read_in_parts() {
        let read = |text: &str| {
            let Written { rules, verb, has_reason } = Written::read(text.as_bytes());
            let words = rules.into_iter().map(|range| text[range].to_owned()).collect::<Vec<_>>();
            (words.join("|"), verb.map(|range| text[range].to_owned()), has_reason)
        };
        let rules = |text: &str, has_reason| (text.to_owned(), None, has_reason);
        assert_eq!(read("{: ctl-lint ignore tag-order, M104: a: b }"), rules("tag-order|M104", true));
        assert_eq!(read("{:ctl-lint ignore\nM104 ,\r\n M109}"), rules("M104|M109", false));
        assert_eq!(read("{: ctl-lint ignore M104 M109: }"), rules("M104 M109", false));
        assert_eq!(read("{: ctl-lint ignore : a }"), rules("", true));
        assert_eq!(read("{: ctl-lint ignore }"), rules("", false));
        assert_eq!(read("{: ctl-lint ignore,}"), (String::new(), Some("ignore,".to_owned()), true));
        assert_eq!(read("{: ctl-lint }"), (String::new(), Some(String::new()), true));
    }

    #[test]
    fn a_pair_holds_its_plies_and_the_parentheses_behind_it() {
        let ends = "2. F8-F12, F20-F16 :\n*\n";
        let of_pair = |variations: &str, comment: &str| in_lines(&format!("{MOVES}{comment}{variations}{ends}"));
        let comment = "{: ctl-lint ignore M109: a }\n";
        assert_eq!(of_pair("", ""), "1 M109");
        assert_eq!(of_pair("", comment), "");
        let variations = "(1. F8-F12 F20-F16)\n()\n";
        assert_eq!(of_pair(variations, comment), "3 M109, 4 V102");
        assert_eq!(of_pair(variations, "{: ctl-lint ignore M109, V102: a }\n"), "3 M109");
        assert_eq!(in_lines(&format!("{MOVES}()\n{comment}(1. F8-F12 F20-F16)\n{ends}")), "2 V102, 4 M109");
        assert_eq!(in_lines(&format!("{comment}{MOVES}(1. F8-F12 F20-F16)\n{ends}")), "");
        assert_eq!(in_lines(&format!("{MOVES}(1. F8-F12 F20-F16)\n{ends}{comment}")), "");
        assert_eq!(in_lines(&format!("{MOVES}(1. F8-F12 F20-F16\n{comment})\n{ends}")), "1 M109");
        assert_eq!(in_lines(&format!("1. E7-E13, E21-E15\n{comment}{ends}")), "2 F121");
    }

    #[test]
    fn a_pair_without_its_number_is_one() {
        let lines = "1. E7-E13 E21-E15\nF8-F12 F20-F16\n{: ctl-lint ignore M109, M102: a }\n3. A5-A7, A23-A21 :\n*\n";
        assert_eq!(in_lines(lines), "1 M109");
    }
}
