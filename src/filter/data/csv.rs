//! Records as rows, one for each ply, as in RFC 4180 but for the line ends, which are LF.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write;

use super::Known;
use super::ply::{Parts, letter, promoted};
use super::walk::{Half, Step, walk};
use crate::game::{Castling, Side};
use crate::notation::{Letters, Signs, check_sign, pdtl, write_hex, write_ply};
use crate::syntax::{Record, TagName};

/// The names of the columns.
pub(super) const HEAD: &str = "record,id,line,parent,pair,side,piece,from,to,capture,captured,promotion,castling,sign,\
    valuation,offer,ply\n";
/// The same, with the position behind the ply.
pub(super) const HEAD_WITH_POSITIONS: &str = "record,id,line,parent,pair,side,piece,from,to,capture,captured,promotion,\
    castling,sign,valuation,offer,ply,pdtl\n";

/// A field, in quotes if it needs them.
fn quoted(field: &str) -> Cow<'_, str> {
    if field.contains([',', '"', '\n', '\r']) {
        Cow::Owned(format!("\"{}\"", field.replace('"', "\"\"")))
    } else {
        Cow::Borrowed(field)
    }
}

/// Adds a field to a row.
fn field(out: &mut Vec<u8>, value: impl Display) {
    // Nothing but memory can be lacking.
    let _ = write!(out, ",{value}");
}

/// Adds a field to a row, an empty one for nothing.
fn optional(out: &mut Vec<u8>, value: Option<impl Display>) {
    match value {
        Some(value) => field(out, value),
        None => out.push(b','),
    }
}

/// A line of the record: its number, and that of the line it is an alternative in.
#[derive(Clone, Copy)]
struct Line {
    number: u32,
    parent: Option<u32>,
}

struct Rows<'a> {
    record: &'a Record<'a>,
    known: Option<Known<'a>>,
    /// The record's Id as a field.
    id: Cow<'a, str>,
    lines: Vec<Line>,
    /// How many lines there are so far.
    count: u32,
    out: &'a mut Vec<u8>,
}

/// Writes the rows of a record without their first field, which is its number: whoever knows that puts it, and a comma,
/// before each. No field has a line end in it.
pub(super) fn write(record: &Record<'_>, known: Option<Known<'_>>, out: &mut Vec<u8>) {
    let id = String::from_utf8_lossy(record.value(TagName::Id).unwrap_or_default());
    let id = Cow::Owned(quoted(&id).into_owned());
    let mut rows = Rows { record, known, id, lines: vec![Line { number: 0, parent: None }], count: 1, out };
    walk(record, |step| rows.step(&step));
}

impl Rows<'_> {
    fn step(&mut self, step: &Step<'_>) {
        match step {
            Step::Pair(pair) => pair.halves.iter().flatten().for_each(|half| self.row(pair.number, half)),
            Step::Open(_) => {
                let parent = self.lines.last().map(|line| line.number);
                self.lines.push(Line { number: self.count, parent });
                self.count += 1;
            }
            Step::Close => {
                self.lines.pop();
            }
            Step::Comment(_) | Step::Result(_) => {}
        }
    }

    fn row(&mut self, pair: Option<u32>, half: &Half) {
        let parts = Parts::of(half.ply, half.side);
        let line = self.lines.last().copied().unwrap_or(Line { number: 0, parent: None });
        let out = &mut *self.out;
        out.extend_from_slice(self.id.as_bytes());
        field(out, line.number);
        optional(out, line.parent);
        match pair {
            Some(pair) => field(out, pair),
            None => field(out, '?'),
        }
        field(out, if half.side == Side::White { 'w' } else { 'b' });
        field(out, letter(parts.piece));
        for hex in [parts.from, parts.to] {
            out.push(b',');
            write_hex(hex, out);
        }
        let (sign, captured) = parts.captures.unzip();
        optional(out, sign);
        optional(out, captured.map(letter));
        optional(out, promoted(parts.promotion));
        optional(out, parts.castling.map(Castling::code));
        field(out, check_sign(half.ply.check()));
        field(out, quoted(&half.valuation(self.record)));
        field(out, if half.offer { "(=)" } else { "" });
        out.push(b',');
        write_ply(half.ply, &Letters::STANDARD, Signs::CANONICAL, out);
        if let Some(known) = self.known {
            self.out.push(b',');
            match known.behind(half.item) {
                Some(position) => pdtl::write(position, &Letters::STANDARD, self.out),
                None => self.out.push(b'?'),
            }
        }
        self.out.push(b'\n');
    }
}

/// Puts before each row the number of its record; `records` has these numbers, each with where the record's rows end.
pub(in crate::filter) fn numbered(text: &[u8], records: &super::Rows, before: u64) -> Vec<u8> {
    let mut out = Vec::with_capacity(text.len() + text.len() / 8);
    let mut start = 0;
    for (number, end) in records {
        let number = (before + number).to_string();
        for row in text[start..*end].split_inclusive(|byte| *byte == b'\n') {
            out.extend_from_slice(number.as_bytes());
            out.push(b',');
            out.extend_from_slice(row);
        }
        start = *end;
    }
    out
}
