//! How findings are mended: edits from the tags and items around them, never from patterns of text.

mod comments;
mod end;
mod files;
mod moves;
mod pdtl;
mod play;
mod tags;

use std::ops::Range;

use super::context::Context;
use super::finding::{Applicability, Edit, Fix};
use crate::syntax::fault::{CommentFault, Fault, FaultKind};
use crate::syntax::{Item, ItemKind, Record, is_tag_line, line_end_len};

pub use tags::{of_check, of_value};

/// A ply with as many marks behind it is mended by hand: each of them is a finding.
const MOST_MARKS: usize = 16;

/// How a fault is mended, in bytes of its record; nothing where nobody but its author knows.
pub fn of_fault(fault: &Fault, context: &Context<'_>) -> Option<Fix> {
    let around = Around { context, fault };
    let fix = match fault.kind {
        FaultKind::File(kind) => safe(around.file(kind)),
        FaultKind::Tag(kind) => tags::of_fault(kind, fault, context),
        FaultKind::Pdtl(kind) => safe(around.pdtl(kind)),
        FaultKind::Ply(kind) => safe(around.ply(kind)),
        FaultKind::Move(kind) => safe(around.pair(kind)),
        FaultKind::End(kind) => around.end(kind),
        // It says what nobody said, if only once more.
        FaultKind::Comment(CommentFault::NoLanguage) => fix(Applicability::Unsafe, around.language()),
        FaultKind::Comment(kind) => safe(around.comment(kind)),
        FaultKind::Play(kind) => around.play(kind),
        _ => None,
    };
    fix.filter(|fix| !fix.edits.iter().any(|edit| begins_anew(edit, context.record)))
}

/// Whether behind an edit something else begins: a comment at a `;` that it parts from what stands before, or at a `%` that
/// it puts at the start of a line (§9.3), or a record at a tag there (§1.7).
fn begins_anew(edit: &Edit, record: &Record<'_>) -> bool {
    let (text, at, end) = (record.text, edit.at as usize, edit.end as usize);
    // The last byte before it that is none of those, as it was and as it will be.
    let last = |passed: fn(u8) -> bool| {
        let is_it = |byte: &&u8| !passed(**byte);
        let new = || edit.text.as_bytes().iter().rev().chain(text[..at].iter().rev());
        [text[..end].iter().rev().find(is_it).copied(), new().find(is_it).copied()]
    };
    let turns = |[old, new]: [Option<u8>; 2], begins: fn(u8) -> bool| !old.is_none_or(begins) && new.is_none_or(begins);
    let rest = &text[end..];
    rest.starts_with(b";") && turns(last(|_| false), |byte| byte.is_ascii_whitespace())
        || rest.starts_with(b"%") && turns(last(|_| false), is_line_end)
        || turns(last(is_blank), is_line_end) && begins_record(rest, at, record)
}

/// Whether a tag is what stands next in `rest`, and begins a record if its line or a result ends before it: moves, or what
/// may be some, stand before byte `at`, or for the initial tag another one.
fn begins_record(rest: &[u8], at: usize, record: &Record<'_>) -> bool {
    let tag = &rest[blanks_behind(rest, 0)..];
    let behind_moves = || record.items.iter().find(|item| item.kind != ItemKind::Comment).map(|item| item.at);
    let behind_tag = || record.tags.first().map(|tag| tag.at).filter(|_| tag[1..].starts_with(b"Variant"));
    is_tag_line(tag) && behind_moves().into_iter().chain(behind_tag()).any(|before| before as usize <= at)
}

/// Whether there are tags or moves, and not just some text.
fn is_record(record: &Record<'_>) -> bool {
    let is_move = |item: &Item| matches!(item.kind, ItemKind::Number | ItemKind::Ply);
    !record.tags.is_empty() || record.items.iter().any(is_move)
}

fn safe(edits: Option<Vec<Edit>>) -> Option<Fix> {
    fix(Applicability::Safe, edits)
}

fn fix(applicability: Applicability, edits: Option<Vec<Edit>>) -> Option<Fix> {
    edits.filter(|edits| !edits.is_empty()).map(|edits| Fix { applicability, edits })
}

/// Other text from byte `at` to byte `end` of the record.
fn edit(at: usize, end: usize, text: impl Into<String>) -> Edit {
    Edit { at: at as u64, end: end as u64, text: text.into() }
}

/// The same alone.
#[expect(clippy::unnecessary_wraps, reason = "most faults have an edit, and all are asked alike")]
fn one(at: usize, end: usize, text: impl Into<String>) -> Option<Vec<Edit>> {
    Some(vec![edit(at, end, text)])
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

const fn is_line_end(byte: u8) -> bool {
    matches!(byte, b'\n' | b'\r')
}

/// How the record's first line ends, where that is no carriage return alone.
fn line_end(text: &[u8]) -> &'static str {
    /// A first line that is longer is not gone over for each finding.
    const MOST: usize = 4096;
    let feed = memchr::memchr(b'\n', &text[..text.len().min(MOST)]).and_then(|at| at.checked_sub(1));
    if feed.is_some_and(|before| text[before] == b'\r') { "\r\n" } else { "\n" }
}

/// Where the blanks before byte `at` begin.
fn blanks_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|byte| !is_blank(*byte)).map_or(0, |last| last + 1)
}

/// Where the blanks from byte `at` on end.
fn blanks_behind(text: &[u8], at: usize) -> usize {
    text[at..].iter().position(|byte| !is_blank(*byte)).map_or(text.len(), |len| at + len)
}

/// Where the blanks and line ends before byte `at` begin.
fn space_before(text: &[u8], at: usize) -> usize {
    text[..at].iter().rposition(|byte| !byte.is_ascii_whitespace()).map_or(0, |last| last + 1)
}

/// What stands at byte `at` gets a line of its own.
fn on_own_line(text: &[u8], at: usize) -> Option<Vec<Edit>> {
    one(blanks_before(text, at), at, line_end(text))
}

/// The line of what stands from byte `at` to byte `end` and has it for itself, with its end.
fn own_line(text: &[u8], at: usize, end: usize) -> Option<Range<usize>> {
    let (start, blanks_end) = (blanks_before(text, at), blanks_behind(text, end));
    let behind = line_end_len(&text[blanks_end..]);
    let starts = start == 0 || is_line_end(text[start - 1]);
    (starts && behind > 0).then_some(start..blanks_end + behind)
}

/// The item that begins at a byte.
fn item_at(items: &[Item], at: usize) -> Option<usize> {
    items.binary_search_by_key(&(at as u32), |item| item.at).ok()
}

/// A fault in its record.
struct Around<'a> {
    context: &'a Context<'a>,
    fault: &'a Fault,
}

impl<'a> Around<'a> {
    fn text(&self) -> &'a [u8] {
        self.context.record.text
    }

    fn items(&self) -> &'a [Item] {
        self.context.record.items
    }

    fn at(&self) -> usize {
        self.fault.at as usize
    }

    fn end_at(&self) -> usize {
        self.fault.end() as usize
    }

    fn span(&self) -> &'a [u8] {
        self.context.bytes(self.fault.at, self.fault.end())
    }

    /// Other text for what the fault spans.
    fn instead(&self, text: impl Into<String>) -> Option<Vec<Edit>> {
        one(self.at(), self.end_at(), text)
    }

    /// What stands for the sign that the fault spans when it goes: a blank, where another word follows.
    fn apart(&self) -> &'static str {
        let ends_word = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, b')' | b':' | b',');
        if self.text().get(self.end_at()).is_none_or(ends_word) { "" } else { " " }
    }

    /// An item gets a line of its own, with the dots before it (§8.5).
    fn item_on_own_line(&self, index: usize) -> Option<Vec<Edit>> {
        let (text, at) = (self.text(), self.items()[index].at as usize);
        let before = index.checked_sub(1).map_or(0, |before| self.items()[before].end());
        let gap = text[before..at].iter().rev().take_while(|byte| is_blank(**byte) || **byte == b'.').count();
        let dots = std::str::from_utf8(&text[at - gap..at]).ok()?.trim_start();
        one(at - gap, at, format!("{}{dots}", line_end(text)))
    }
}
