//! Mending: the fixes of what is found, applied record by record until nothing changes.

use std::collections::BTreeMap;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::slice;

use super::finding::{Applicability, Edit, Fix};
use super::judge::{Judge, Linter, begins, behind};
use crate::driver::{self, Event, Options, Worker};
use crate::source::{Chunk, FileId, Input};
use crate::syntax::Begins;
use crate::syntax::fault::FileFault;

/// So often a record is mended and read again. Each round reads all of what the one before has made readable.
const MOST_ROUNDS: usize = 32;

/// What a run tells, file by file.
#[derive(Debug)]
pub enum Told<'a> {
    /// A chunk, the edits that mend it in bytes of the chunk, and how many fixes these are.
    Chunk(&'a Chunk, Vec<Edit>, u64),
    /// The file could not be read to its end.
    Failed,
    /// What is no record that can be read, or made us fail, was passed over.
    PassedOver,
}

/// Tells how an input, which is this one of the linter's, is mended by what `linter` finds, with fixes up to `most`, until
/// `tell` breaks.
pub fn run(
    input: &Input,
    file: FileId,
    options: &Options,
    linter: &Linter,
    most: Applicability,
    mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let mut ends = LineEnds::default();
    let make = || Mender { linter, file, judge: Judge::new(linter), most };
    driver::run(slice::from_ref(input), options, make, |event| match event {
        Event::Start(_) => {
            ends = LineEnds::default();
            ControlFlow::Continue(())
        }
        Event::Chunk { chunk, out, .. } => {
            if out.internal {
                tell(Told::PassedOver)?;
            }
            let (edits, line_ends) = ends.mend(linter, file, chunk.text(), out.edits);
            tell(Told::Chunk(chunk, edits, out.fixes + line_ends))
        }
        Event::Problem { what, .. } => tell(if what.is_failure() { Told::Failed } else { Told::PassedOver }),
        Event::End { .. } => ControlFlow::Continue(()),
    });
}

/// What mends a chunk.
#[derive(Default)]
struct Mended {
    edits: Vec<Edit>,
    fixes: u64,
    internal: bool,
}

struct Mender<'l> {
    linter: &'l Linter,
    file: FileId,
    judge: Judge<'l>,
    most: Applicability,
}

impl Worker for Mender<'_> {
    type Out = Mended;

    fn judge(&mut self, chunk: &Chunk) -> Mended {
        let mut all = Mended::default();
        for (index, (text, &start)) in chunk.records().zip(chunk.cuts()).enumerate() {
            self.judge.behind = behind(chunk, index);
            let begins = begins(chunk, start);
            let mended = catch_unwind(AssertUnwindSafe(|| self.record(text, begins)));
            let (edits, fixes) = mended.unwrap_or_else(|_| {
                // What the panic left in it is not to be trusted.
                self.judge = Judge::new(self.linter);
                all.internal = true;
                Default::default()
            });
            all.fixes += fixes;
            let start = u64::from(start);
            let shifted = |edit: Edit| Edit { at: edit.at + start, end: edit.end + start, ..edit };
            all.edits.extend(edits.into_iter().map(shifted));
        }
        all
    }
}

impl Mender<'_> {
    /// The edits that mend a record, and how many fixes these are. What would still change after some rounds is left as it
    /// was.
    fn record(&mut self, old: &[u8], begins: Begins) -> (Vec<Edit>, u64) {
        let mut patch = Patch::new(old.len());
        let mut mended = 0;
        let mut now = None;
        for _ in 0..MOST_ROUNDS {
            let text = now.as_deref().unwrap_or(old);
            // What begins behind a result is on its own line once that is mended.
            let own_line = begins == Begins::BehindResult && matches!(text, [b'\n' | b'\r', ..]);
            let (drafts, ..) = self.judge.record(text, if own_line { Begins::Line } else { begins }, None);
            let drafts = drafts.into_iter().filter(|draft| !self.linter.ignores(self.file, draft.rule));
            let fixes = drafts.filter_map(|draft| draft.fix).filter(|fix| fix.applicability <= self.most);
            let (edits, count) = chosen(fixes);
            if edits.is_empty() {
                return (patch.edits(old.len()), mended);
            }
            patch.apply(&edits);
            mended += count;
            now = Some(patch.text(old));
        }
        Default::default()
    }
}

/// The edits of those fixes that don't touch one another, the first ones first, and how many fixes these are. A fix
/// that is one of them already counts too.
fn chosen(fixes: impl Iterator<Item = Fix>) -> (Vec<Edit>, u64) {
    let mut chosen: BTreeMap<u64, Edit> = BTreeMap::new();
    let mut count = 0;
    for fix in fixes {
        let same = |edit: &Edit| chosen.get(&edit.at) == Some(edit);
        if fix.edits.iter().all(same) {
            count += 1;
            continue;
        }
        let touches = |edit: &Edit| {
            let before = chosen.range(..=edit.end).next_back();
            before.is_some_and(|(_, before)| before.end >= edit.at)
        };
        if !fix.edits.iter().any(touches) {
            count += 1;
            chosen.extend(fix.edits.into_iter().map(|edit| (edit.at, edit)));
        }
    }
    (chosen.into_values().collect(), count)
}

/// The text with its edits, which are in its order.
pub fn edited(text: &[u8], edits: &[Edit]) -> Vec<u8> {
    let mut patch = Patch::new(text.len());
    patch.apply(edits);
    patch.text(text)
}

/// A text as parts of an older one and new parts.
struct Patch(Vec<Part>);

enum Part {
    Old(Range<usize>),
    New(Vec<u8>),
}

impl Part {
    fn len(&self) -> usize {
        match self {
            Part::Old(range) => range.len(),
            Part::New(text) => text.len(),
        }
    }

    /// Cuts it in two behind so many bytes.
    fn split(self, at: usize) -> [Part; 2] {
        match self {
            Part::Old(Range { start, end }) => [Part::Old(start..start + at), Part::Old(start + at..end)],
            Part::New(mut text) => {
                let rest = text.split_off(at);
                [Part::New(text), Part::New(rest)]
            }
        }
    }
}

impl Patch {
    fn new(len: usize) -> Patch {
        Patch(vec![Part::Old(0..len)])
    }

    /// Applies edits of the newer text, in its order.
    fn apply(&mut self, edits: &[Edit]) {
        let mut old = std::mem::take(&mut self.0);
        old.reverse();
        let mut at = 0;
        for Edit { at: from, end, text } in edits {
            self.take(&mut old, *from as usize - at, true);
            self.take(&mut old, (*end - *from) as usize, false);
            at = *end as usize;
            self.0.push(Part::New(text.clone().into_bytes()));
        }
        self.0.extend(old.into_iter().rev());
    }

    /// Takes so many bytes off the end of a list, and keeps them or not.
    fn take(&mut self, from: &mut Vec<Part>, mut len: usize, keep: bool) {
        while len > 0
            && let Some(part) = from.pop()
        {
            let [taken, rest] = if part.len() > len { part.split(len) } else { [part, Part::New(Vec::new())] };
            len -= taken.len();
            if rest.len() > 0 {
                from.push(rest);
            }
            if keep {
                self.0.push(taken);
            }
        }
    }

    fn text(&self, old: &[u8]) -> Vec<u8> {
        let parts = self.0.iter().map(|part| match part {
            Part::Old(range) => &old[range.clone()],
            Part::New(text) => text,
        });
        parts.collect::<Vec<_>>().concat()
    }

    /// What is to be done to the older text, which has `len` bytes.
    fn edits(self, len: usize) -> Vec<Edit> {
        let (mut edits, mut at, mut new) = (Vec::new(), 0, Vec::new());
        for part in self.0.into_iter().chain([Part::Old(len..len)]) {
            match part {
                Part::New(text) => new.extend(text),
                Part::Old(range) => {
                    if range.start > at || !new.is_empty() {
                        let text = String::from_utf8_lossy(&std::mem::take(&mut new)).into_owned();
                        edits.push(Edit { at: at as u64, end: range.start as u64, text });
                    }
                    at = range.end;
                }
            }
        }
        edits
    }
}

/// The line ends of a file (§1.4).
#[derive(Default)]
struct LineEnds {
    /// That of its first line.
    first: Option<&'static str>,
}

impl LineEnds {
    /// Edits that also bring a chunk's line ends into line with the file's first one, and how many of them these are.
    fn mend(&mut self, linter: &Linter, file: FileId, text: &[u8], edits: Vec<Edit>) -> (Vec<Edit>, u64) {
        self.first = self.first.or_else(|| first_line_end(text));
        let Some(first) = self.first else { return (edits, 0) };
        let finds = |fault| linter.finding(fault).is_some_and(|rule| !linter.ignores(file, rule));
        let (mixed, alone) = (finds(FileFault::MixedEnds), finds(FileFault::LoneCr));
        let mut patch = Patch::new(text.len());
        patch.apply(&edits);
        let now = patch.text(text);
        let ends = line_end_edits(&now, first, mixed, alone);
        if ends.is_empty() {
            return (edits, 0);
        }
        patch.apply(&ends);
        (patch.edits(text.len()), ends.len() as u64)
    }
}

/// How the first line of a text ends; LF where that is a carriage return alone.
fn first_line_end(text: &[u8]) -> Option<&'static str> {
    let at = memchr::memchr2(b'\n', b'\r', text)?;
    Some(if text[at..].starts_with(b"\r\n") { "\r\n" } else { "\n" })
}

/// Edits that make `wanted` of other line ends, of carriage returns alone, or of both.
pub(super) fn line_end_edits(text: &[u8], wanted: &'static str, mixed: bool, alone: bool) -> Vec<Edit> {
    let is_behind_return = |at: usize| at > 0 && text[at - 1] == b'\r';
    let ends = memchr::memchr2_iter(b'\n', b'\r', text).filter_map(|at| match &text[at..] {
        [b'\r', b'\n', ..] => (mixed && wanted == "\n").then_some((at, at + 2)),
        [b'\r', ..] => alone.then_some((at, at + 1)),
        _ if is_behind_return(at) => None,
        _ => (mixed && wanted == "\r\n").then_some((at, at + 1)),
    });
    ends.map(|(at, end)| Edit { at: at as u64, end: end as u64, text: wanted.to_owned() }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edit(at: u64, end: u64, text: &str) -> Edit {
        Edit { at, end, text: text.to_owned() }
    }

    #[test]
    fn edits_upon_edits_are_edits_of_the_first_text() {
        let old = b"0123456789";
        let mut patch = Patch::new(old.len());
        patch.apply(&[edit(1, 3, "ab"), edit(5, 5, "XYZ"), edit(9, 10, "")]);
        assert_eq!(patch.text(old), b"0ab34XYZ5678");
        patch.apply(&[edit(2, 6, "-"), edit(8, 9, ""), edit(12, 12, "!")]);
        assert_eq!(patch.text(old), b"0a-YZ678!");
        let edits = patch.edits(old.len());
        assert_eq!(edits, [edit(1, 6, "a-YZ"), edit(9, 10, "!")]);
        assert_eq!(edited(old, &edits), b"0a-YZ678!");
        assert_eq!(Patch::new(4).edits(4), []);
    }

    #[test]
    fn fixes_that_touch_wait_for_the_next_round() {
        let fix = |edits: &[Edit]| Fix { applicability: Applicability::Safe, edits: edits.to_vec() };
        let (edits, count) = chosen(
            [
                fix(&[edit(3, 5, "a"), edit(9, 9, "b")]),
                fix(&[edit(5, 5, "c")]),
                fix(&[edit(1, 2, "d"), edit(4, 4, "e")]),
                fix(&[edit(3, 5, "a"), edit(9, 9, "b")]),
                fix(&[edit(6, 8, "f")]),
            ]
            .into_iter(),
        );
        assert_eq!((edits, count), (vec![edit(3, 5, "a"), edit(6, 8, "f"), edit(9, 9, "b")], 3));
    }

    #[test]
    fn line_ends_become_like_the_first() {
        let mended = |text: &str, mixed, alone| {
            let first = first_line_end(text.as_bytes()).unwrap();
            String::from_utf8(edited(text.as_bytes(), &line_end_edits(text.as_bytes(), first, mixed, alone))).unwrap()
        };
        assert_eq!(mended("a\nb\r\nc\rd", true, true), "a\nb\nc\nd");
        assert_eq!(mended("a\r\nb\nc\r\r\n", true, true), "a\r\nb\r\nc\r\n\r\n");
        assert_eq!(mended("a\rb\r\nc\n", true, true), "a\nb\nc\n");
        assert_eq!(mended("a\r\nb\nc\rd", true, false), "a\r\nb\r\nc\rd");
        assert_eq!(mended("a\r\nb\nc\rd", false, true), "a\r\nb\nc\r\nd");
    }
}
