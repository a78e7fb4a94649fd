//! A finding is data: which rule, where, and what it says.

use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use super::board::Board;
use crate::source::FileId;

/// How bad a finding is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    /// A matter of layout, or advice.
    Style,
    /// Probably not meant so.
    Warning,
    /// Against the format.
    Error,
}

impl Severity {
    /// From the least on.
    pub const ALL: [Severity; 3] = [Severity::Style, Severity::Warning, Severity::Error];

    /// As it is written in pages, options and reports.
    pub const fn name(self) -> &'static str {
        match self {
            Severity::Style => "style",
            Severity::Warning => "warning",
            Severity::Error => "error",
        }
    }
}

/// A rule: its number in the catalogue.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Hash)]
pub struct RuleId(pub u16);

/// A place in a file: bytes of the uncompressed file from 0, rows and columns from 1; a column counts Unicode
/// scalar values (an invalid byte counts as one), a byte order mark and line ends count nothing.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Place {
    /// Bytes before it.
    pub offset: u64,
    /// Lines before it, and one.
    pub row: u64,
    /// Characters before it on its line, and one.
    pub column: u32,
}

impl Place {
    /// Where a file begins.
    pub const START: Place = Place { offset: 0, row: 1, column: 1 };
}

/// Another place that a finding speaks of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Related {
    /// Its file, if it is another one than the finding's.
    pub file: Option<FileId>,
    /// What that file is called; whoever knows that sets it before the finding is shown.
    pub name: Option<PathBuf>,
    /// Where it begins.
    pub at: Place,
    /// The record it lies in, from 1.
    pub record: u64,
    /// That record's Id.
    pub id: Option<String>,
    /// What stands there.
    pub message: String,
}

/// The part of a file that a finding lies in: whole lines, as they stand.
#[derive(Clone, Copy, Debug)]
pub struct Excerpt<'a> {
    /// The bytes.
    pub text: &'a [u8],
    /// Bytes of the file before them.
    pub base: u64,
}

/// Whether a fix keeps the meaning.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Applicability {
    /// It stays.
    Safe,
    /// It may change.
    Unsafe,
}

/// Other text for a stretch of a record, a chunk or a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Edit {
    /// Bytes before it.
    pub at: u64,
    /// Bytes before its end, exclusive; nothing is replaced where it is `at`.
    pub end: u64,
    /// What is to stand there.
    pub text: String,
}

/// How a finding is mended: by all of its edits, which don't overlap, in the order of the text.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Fix {
    /// Whether the meaning stays.
    pub applicability: Applicability,
    /// At least one.
    pub edits: Vec<Edit>,
}

impl Fix {
    /// Moves it behind so many bytes.
    pub fn shift(&mut self, bytes: u64) {
        for edit in &mut self.edits {
            edit.at += bytes;
            edit.end += bytes;
        }
    }
}

/// Something to say about a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Finding {
    /// Which rule.
    pub rule: RuleId,
    /// How bad, after the run's settings.
    pub severity: Severity,
    /// Where it begins.
    pub at: Place,
    /// Where it ends, exclusive.
    pub end: Place,
    /// What stands there and what was expected, one line, without the place.
    pub message: String,
    /// More to know, a line each.
    pub notes: Vec<String>,
    /// Other places it speaks of.
    pub related: Vec<Related>,
    /// The record it lies in, from 1; 0 for what belongs to the file.
    pub record: u64,
    /// That record's Id.
    pub id: Option<String>,
    /// The ply it is at, as `12w` or `4:1/4w`.
    pub ply: Option<String>,
    /// The position before that ply, where it is to be drawn.
    pub board: Option<Box<Board>>,
    /// The record by its content, wherever it stands: a hash of its Id, or else of its plies; 0 for what belongs to the file.
    pub record_key: u64,
    /// Stable when lines move: rule, record key, faulty text, ordinal.
    pub fingerprint: u64,
    /// How it is mended.
    pub fix: Option<Fix>,
}

impl Finding {
    /// Moves it behind what precedes its chunk in the file: bytes, lines and records.
    pub fn shift(&mut self, bytes: u64, lines: u64, records: u64) {
        let places = self.related.iter_mut().map(|related| &mut related.at);
        for place in places.chain([&mut self.at, &mut self.end]) {
            place.offset += bytes;
            place.row += lines;
        }
        let numbers = self.related.iter_mut().map(|related| &mut related.record).chain([&mut self.record]);
        numbers.filter(|number| **number > 0).for_each(|number| *number += records);
        self.fix.iter_mut().for_each(|fix| fix.shift(bytes));
    }
}
