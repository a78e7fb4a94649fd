//! Writes suppressions into records: for what is found in them, each on a line of its own.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::{Owners, is_about_suppressions};
use crate::driver::{self, Event, Options, Worker};
use crate::lint::catalogue::Check;
use crate::lint::finding::RuleId;
use crate::lint::judge::{Draft, Judge, Linter, begins, behind};
use crate::source::{Chunk, Input};
use crate::syntax::{Begins, Behind, Item, ItemKind, Reader, Record};

/// Rules whose findings are to be suppressed, by the record's number from 1.
pub type Wanted = BTreeMap<u64, BTreeSet<RuleId>>;

/// Writes the text of a file with suppressions of what is wanted, and says how many comments it wrote; nothing where the
/// file could not be read as a whole.
pub fn add(
    input: &Input,
    options: &Options,
    linter: &Linter,
    wanted: &Wanted,
    reason: &str,
    out: &mut dyn Write,
) -> io::Result<Option<u64>> {
    let mut comments = Some(0);
    let mut written = Ok(());
    driver::run(
        std::slice::from_ref(input),
        options,
        || Idle,
        |event| {
            match event {
                Event::Start(_) | Event::End { .. } => {}
                Event::Problem { .. } => comments = None,
                Event::Chunk { chunk, record, .. } => {
                    let (text, count) = chunk_with(chunk, record, linter, wanted, reason);
                    comments = comments.map(|comments| comments + count);
                    written = out.write_all(&text);
                }
            }
            if written.is_ok() && comments.is_some() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        },
    );
    written.map(|()| comments)
}

/// Only the calling thread knows the numbers of records.
struct Idle;

impl Worker for Idle {
    type Out = ();

    fn judge(&mut self, _: &Chunk) {}
}

/// The text of a chunk that stands behind `before` records, and how many comments are new in it.
fn chunk_with(chunk: &Chunk, before: u64, linter: &Linter, wanted: &Wanted, reason: &str) -> (Vec<u8>, u64) {
    if chunk.cuts().is_empty() {
        return (chunk.text().to_vec(), 0);
    }
    let mut text = Vec::with_capacity(chunk.text().len());
    let mut count = 0;
    for (index, (record, &start)) in chunk.records().zip(chunk.cuts()).enumerate() {
        let added = wanted.get(&(before + index as u64 + 1)).and_then(|rules| {
            let place = Place { begins: begins(chunk, start), behind: behind(chunk, index) };
            // A record that makes us fail is left as it is; linting it tells.
            catch_unwind(AssertUnwindSafe(|| record_with(record, place, linter, rules, reason))).ok()?
        });
        match added {
            Some((with, comments)) => {
                text.extend_from_slice(&with);
                count += comments;
            }
            None => text.extend_from_slice(record),
        }
    }
    (text, count)
}

/// What stands around a record.
#[derive(Clone, Copy)]
struct Place {
    begins: Begins,
    behind: Behind,
}

impl Place {
    fn drafts(self, text: &[u8], linter: &Linter) -> Vec<Draft> {
        let mut judge = Judge::new(linter);
        judge.behind = self.behind;
        let drafts = judge.record(text, self.begins, None).0;
        drafts.into_iter().filter(|draft| !draft.waits).collect()
    }
}

/// Rules whose findings are to be suppressed, by what they belong to.
type ByOwner = BTreeMap<u32, BTreeSet<RuleId>>;

/// A record with suppressions of these rules' findings, and how many comments are new; nothing where none can be written that
/// changes nothing else.
fn record_with(
    text: &[u8],
    place: Place,
    linter: &Linter,
    rules: &BTreeSet<RuleId>,
    reason: &str,
) -> Option<(Vec<u8>, u64)> {
    let before = place.drafts(text, linter);
    let mut reader = Reader::default();
    let record = reader.read(text, place.begins);
    let (by_owner, drafts) = by_owner(&before, &record, linter, rules);
    let comment = |rules: &BTreeSet<RuleId>| {
        let names: Vec<_> = rules.iter().map(|rule| linter.catalogue()[*rule].name.as_str()).collect();
        format!("{{: ctl-lint ignore {}: {reason} }}", names.join(", "))
    };
    plans(&record, &by_owner).find_map(|plan| {
        let lines: Vec<_> = plan.iter().map(|(spot, rules)| (*spot, comment(rules))).collect();
        let with = inserted(text, &lines);
        let mut reader = Reader::default();
        let is_same = says_the_same(&record, &reader.read(&with, place.begins), lines.len());
        let is_less = is_same && is_less(&before, &place.drafts(&with, linter), drafts, linter);
        is_less.then_some((with, lines.len() as u64))
    })
}

/// What is to be suppressed, and how many findings of the record that is.
fn by_owner(before: &[Draft], record: &Record<'_>, linter: &Linter, rules: &BTreeSet<RuleId>) -> (ByOwner, usize) {
    let owners = Owners::of(record.items);
    let mut by_owner = ByOwner::new();
    let is_wanted = |draft: &&Draft| rules.contains(&draft.rule) && !is_about_suppressions(linter, draft.rule);
    for draft in before.iter().filter(is_wanted) {
        by_owner.entry(owners.at(draft.at)).or_default().insert(draft.rule);
    }
    let of_archive = |rule: &&RuleId| matches!(linter.catalogue()[**rule].check, Check::Archive { .. });
    for rule in rules.iter().filter(of_archive) {
        by_owner.entry(Owners::RECORD).or_default().insert(*rule);
    }
    (by_owner, before.iter().filter(is_wanted).count())
}

/// Where a line of its own can stand: behind the line that ends at a byte, or before the one that begins there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Spot {
    Before(usize),
    Behind(usize),
}

/// Which comments to write, the best plan first: behind its pair each, where that ends its line, the others for the record;
/// all for the record; those of pairs alone.
fn plans(record: &Record<'_>, by_owner: &ByOwner) -> impl Iterator<Item = BTreeMap<Spot, BTreeSet<RuleId>>> {
    let ends = pair_ends(record);
    let spots: Vec<_> = spots_of_record(record).into_iter().map(Some).collect();
    let none = BTreeMap::new();
    let by_pair = spots.iter().map(|spot| (&ends, *spot));
    let for_record = spots.iter().map(|spot| (&none, *spot));
    let plans = by_pair.chain(for_record).chain([(&ends, None)]).map(|(ends, for_record)| {
        let mut plan: BTreeMap<Spot, BTreeSet<RuleId>> = BTreeMap::new();
        for (owner, rules) in by_owner {
            if let Some(spot) = ends.get(owner).copied().or(for_record) {
                plan.entry(spot).or_default().extend(rules);
            }
        }
        plan
    });
    plans.filter(|plan| !plan.is_empty()).collect::<Vec<_>>().into_iter()
}

/// For each pair that ends its line, the spot behind that line.
fn pair_ends(record: &Record<'_>) -> BTreeMap<u32, Spot> {
    let owners = Owners::of(record.items);
    let mut ends = BTreeMap::new();
    let mut done = BTreeSet::new();
    for item in record.items {
        let owner = owners.at(item.at);
        match item.kind {
            ItemKind::Comment | ItemKind::Open | ItemKind::Close => drop(done.insert(owner)),
            _ if done.contains(&owner) => {}
            _ => match line_end(record.text, item.end()) {
                Some(spot) => drop(ends.insert(owner, spot)),
                None => drop(ends.remove(&owner)),
            },
        }
    }
    ends.remove(&Owners::RECORD);
    ends
}

/// Where a comment holds for the record: before its first pair, behind its result, behind its last tag.
fn spots_of_record(record: &Record<'_>) -> Vec<Spot> {
    let is_move = |item: &&Item| !matches!(item.kind, ItemKind::Comment | ItemKind::Result);
    let before_moves = record.items.iter().find(is_move).and_then(|item| line_before(record.text, item.at as usize));
    let result = record.items.iter().rfind(|item| item.kind == ItemKind::Result);
    let behind_result = result.and_then(|item| line_end(record.text, item.end()));
    let behind_tags = record.tags.last().and_then(|tag| line_end(record.text, tag.end as usize));
    before_moves.into_iter().chain(behind_result).chain(behind_tags).collect()
}

/// The spot behind the line that ends behind `at`, if nothing but blanks stands between.
fn line_end(text: &[u8], at: usize) -> Option<Spot> {
    let blanks = text[at..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
    let ends = text.get(at + blanks).is_none_or(|byte| matches!(byte, b'\n' | b'\r'));
    ends.then_some(Spot::Behind(at + blanks))
}

/// The spot before the line that begins with `at`, if nothing but blanks and dots stands between.
fn line_before(text: &[u8], at: usize) -> Option<Spot> {
    let is_blank = |byte: &&u8| matches!(byte, b' ' | b'\t' | b'.');
    let start = at - text[..at].iter().rev().take_while(is_blank).count();
    match &text[..start] {
        [] | [0xEF, 0xBB, 0xBF] => Some(Spot::Before(start)),
        [.., b'\r', b'\n'] => Some(Spot::Behind(start - 2)),
        [.., b'\n' | b'\r'] => Some(Spot::Behind(start - 1)),
        _ => None,
    }
}

/// The text with more lines, given in the order of their spots.
fn inserted(text: &[u8], lines: &[(Spot, String)]) -> Vec<u8> {
    let first = text.iter().position(|byte| matches!(byte, b'\n' | b'\r'));
    let line_end: &[u8] = match first.map(|at| &text[at..]) {
        Some([b'\r', b'\n', ..]) => b"\r\n",
        Some([b'\r', ..]) => b"\r",
        _ => b"\n",
    };
    let mut out = Vec::with_capacity(text.len() + 80 * lines.len());
    let mut done = 0;
    for (spot, line) in lines {
        let (Spot::Before(at) | Spot::Behind(at)) = *spot;
        out.extend_from_slice(&text[done..at]);
        let (before, behind): (&[u8], &[u8]) =
            if matches!(spot, Spot::Before(_)) { (b"", line_end) } else { (line_end, b"") };
        out.extend([before, line.as_bytes(), behind].concat());
        done = at;
    }
    out.extend_from_slice(&text[done..]);
    out
}

/// Whether tags and moves are the same, and so many comments are new.
fn says_the_same(old: &Record<'_>, new: &Record<'_>, comments: usize) -> bool {
    let is_comment = |item: &&Item| item.kind == ItemKind::Comment;
    let tags = |of: &Record<'_>| {
        of.tags.iter().map(|tag| of.text[tag.at as usize..tag.end as usize].to_vec()).collect::<Vec<_>>()
    };
    // The value of a parenthesis is the number of another item.
    let is_parenthesis = |item: &Item| matches!(item.kind, ItemKind::Open | ItemKind::Close);
    let value = |item: &Item| if is_parenthesis(item) { 0 } else { item.value };
    let moves = |of: &Record<'_>| {
        let items = of.items.iter().filter(|item| !is_comment(item));
        items.map(|item| (item.kind, value(item), item.text(of.text).to_vec())).collect::<Vec<_>>()
    };
    let count = |of: &Record<'_>| of.items.iter().filter(is_comment).count();
    count(new) == count(old) + comments && tags(old) == tags(new) && moves(old) == moves(new)
}

/// Whether no finding is left that was not there, and fewer are where some were to be suppressed.
fn is_less(before: &[Draft], after: &[Draft], wanted: usize, linter: &Linter) -> bool {
    let count = |drafts: &[Draft]| {
        let mut counts: BTreeMap<RuleId, usize> = BTreeMap::new();
        drafts.iter().for_each(|draft| *counts.entry(draft.rule).or_default() += 1);
        counts
    };
    let (old, new) = (count(before), count(after));
    let of_suppressions = |drafts: &[Draft]| drafts.iter().filter(|d| is_about_suppressions(linter, d.rule)).count();
    let fewer = after.len() < before.len() || wanted == 0;
    fewer
        && new.iter().all(|(rule, count)| old.get(rule).is_some_and(|old| count <= old))
        && of_suppressions(before) == of_suppressions(after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::select::Words;
    use crate::lint::{Catalogue, Selection};

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Annotator \"Me\"]\n";

    /// The lines behind the tags with suppressions of all that is found in them, but for tags and identifiers.
    fn with(lines: &str) -> String {
        let catalogue = Catalogue::load();
        let words = Words { ignore: ["I", "T", "F130"].map(str::to_owned).to_vec(), ..Words::default() };
        let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).unwrap());
        let rules = catalogue.rules().map(|(id, _)| id).filter(|id| catalogue[*id].family() != 'X').collect();
        let place = Place { begins: Begins::File, behind: Behind::Nothing };
        let tags = if lines.contains("\r\n") { TAGS.replace('\n', "\r\n") } else { TAGS.to_owned() };
        let text = format!("{tags}{lines}");
        match record_with(text.as_bytes(), place, &linter, &rules, "so be it") {
            Some((with, _)) => String::from_utf8(with).unwrap().strip_prefix(&tags).unwrap().to_owned(),
            None => "nothing".to_owned(),
        }
    }

    #[test]
    fn each_pair_has_a_line_of_its_own_if_it_ends_one() {
        assert_eq!(
            with("1. E7-E13 E21-E15!\n{@W: a }\n2. F8-F12, F20-F16\n(2. C5-C7 C23-C21)\n3. A5-A7, A23-A21 : *\n"),
            "{: ctl-lint ignore missing-comma, result-line: so be it }\n1. E7-E13 E21-E15!\n\
             {: ctl-lint ignore comment-language, missing-comma, glued-valuation: so be it }\n{@W: a }\n\
             2. F8-F12, F20-F16\n(2. C5-C7 C23-C21)\n3. A5-A7, A23-A21 : *\n"
        );
    }

    #[test]
    fn what_stands_at_no_lines_end_is_suppressed_for_the_record() {
        assert_eq!(
            with("1. E7-E13 E21-E15 2. F8-F12 F20-F16 :\n*\n"),
            "{: ctl-lint ignore missing-comma: so be it }\n1. E7-E13 E21-E15 2. F8-F12 F20-F16 :\n\
             {: ctl-lint ignore missing-comma, one-pair-a-line: so be it }\n*\n"
        );
        assert_eq!(
            with("1. E7-E13, E21-E15 : *"),
            "{: ctl-lint ignore result-line: so be it }\n1. E7-E13, E21-E15 : *"
        );
    }

    #[test]
    fn what_can_be_suppressed_is() {
        let catalogue = Catalogue::load();
        let linter = Linter::new(catalogue, &Selection::usual(catalogue));
        let rules = catalogue.rules().map(|(id, _)| id).filter(|id| catalogue[*id].family() != 'X').collect();
        let with = |text: &str, behind| {
            let place = Place { begins: Begins::File, behind };
            let (with, comments) = record_with(text.as_bytes(), place, &linter, &rules, "a").unwrap();
            (String::from_utf8(with).unwrap(), comments)
        };
        // What has no tags has no place for the whole record but before its first pair.
        let text = "\u{FEFF}1. E7-E13, E21-E15 2. F8-F12 F20-F16 :\n";
        let comment = "{: ctl-lint ignore byte-order-mark, missing-variant, missing-tag: a }\n";
        let end = "{: ctl-lint ignore missing-comma, one-pair-a-line, missing-result: a }\n";
        assert_eq!(with(text, Behind::Nothing), (format!("\u{FEFF}{comment}{}{end}", &text[3..]), 2));
    }

    #[test]
    fn line_ends_are_those_of_the_record() {
        assert_eq!(
            with("1. E7-E13 E21-E15 :  \r\n*\r\n"),
            "1. E7-E13 E21-E15 :  \r\n{: ctl-lint ignore trailing-blanks, missing-comma: so be it }\r\n*\r\n"
        );
        let end = "1. E7-E13 E21-E15 :";
        assert_eq!(with(end), format!("{end}\n{{: ctl-lint ignore missing-comma, missing-result: so be it }}"));
    }

    #[test]
    fn where_nothing_is_found_nothing_is_written() {
        assert_eq!(with("1. E7-E13, E21-E15 :\n*\n"), "nothing");
        // Neither is what is said of suppressions suppressed.
        assert_eq!(with("1. E7-E13, E21-E15 :\n{: ctl-lint ignore M109: a }\n*\n"), "nothing");
    }
}
