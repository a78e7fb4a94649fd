//! The rules about the whole archive (§4.9, §3.36): workers keep a few numbers of each record, and when all have been read
//! there is told what records say of one another.

mod again;
mod digest;
mod gather;
mod weigh;
mod words;

use std::collections::{HashMap, HashSet};
use std::ops::ControlFlow;

use serde::Deserialize;

use super::finding::{Finding, Place, Related};
use super::judge::{Linter, hash};
use super::run::Told;
use crate::driver::Options;
use crate::source::{Chunk, FileId, Input};

use digest::Digest;
pub use gather::{Gathered, Gatherer};
use gather::{IdText, Key, Reference, Texts};
use weigh::Verdict;

/// What is found about records by looking at others.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Across {
    /// The Id of an Id record a second time, with other moves (§4.9).
    RepeatedId,
    /// The Id of an Id record a second time, with the same moves, or with moves that are not known (§4.9).
    RepeatedRecord,
    /// Another main line in another version of an Id (§4.9).
    VersionLine,
    /// A game a second time: Id, round, date, players and moves (§4.9).
    RepeatedGame,
    /// A main line a second time, under another Id (§4.9).
    SameLine,
    /// A reference to a record that is not there (§3.36).
    LostReference,
    /// A reference to a record of the wrong kind (§3.36).
    ReferenceKind,
    /// A game that is the beginning of another one.
    Contained,
}

/// What is kept of all records. A record's number counts from 0 over all files.
#[derive(Default)]
pub struct Archive {
    keys: Vec<Key>,
    firsts: Vec<u32>,
    references: Vec<Reference>,
    texts: Texts,
    stretches: Vec<Stretch>,
    /// Files that could not be read, or not to their end.
    failed: HashSet<FileId>,
}

/// Records that follow one another in a file, as they came in a chunk.
struct Stretch {
    file: FileId,
    /// The number of the first one.
    first: usize,
    /// Bytes, line ends and records before it in its file.
    offset: u64,
    row: u64,
    record: u64,
    /// Bytes of [`Archive::texts`] before those of these records.
    texts: usize,
}

/// A record as it is weighed.
#[derive(Clone, Copy)]
struct Seen<'a> {
    stretch: &'a Stretch,
    key: &'a Key,
    id: Option<IdText<'a>>,
}

impl Archive {
    /// Keeps what was gathered of a chunk, which has so many line ends and records of its file before it. Chunks come in
    /// order.
    pub fn keep(&mut self, chunk: &Chunk, row: u64, record: u64, gathered: &Gathered) {
        if gathered.keys.is_empty() {
            return;
        }
        let first = self.keys.len();
        let (file, texts) = (chunk.file, self.texts.len());
        self.stretches.push(Stretch { file, first, offset: chunk.base, row, record, texts });
        self.keys.extend(&gathered.keys);
        self.firsts.extend(&gathered.firsts);
        let number = |reference: &Reference| Reference { record: first + reference.record, ..*reference };
        self.references.extend(gathered.references.iter().map(number));
        self.texts.append(&gathered.texts);
    }

    /// A file could not be read to its end.
    pub fn failed(&mut self, file: FileId) {
        self.failed.insert(file);
    }

    /// Tells what is found, in the order of the records.
    pub fn tell(
        &self,
        inputs: &[Input],
        options: &Options,
        linter: &Linter,
        tell: &mut impl FnMut(Told<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut verdicts = weigh::all(self);
        if linter.across(Across::Contained).is_some() {
            again::contained(self, inputs, options, &mut verdicts);
        }
        verdicts.retain(|verdict| linter.across(verdict.finds).is_some());
        verdicts.sort_unstable();
        let mut ordinals = HashMap::new();
        verdicts.iter().try_for_each(|verdict| match self.finding(verdict, linter, &mut ordinals) {
            Some((file, finding)) => tell(Told::Finding(file, finding, None)),
            None => ControlFlow::Continue(()),
        })
    }

    /// All records, with their numbers.
    fn records(&self) -> impl Iterator<Item = (usize, Seen<'_>)> {
        let ends = self.stretches.iter().skip(1).map(|stretch| stretch.first).chain([self.keys.len()]);
        self.stretches.iter().zip(ends).flat_map(move |(stretch, end)| {
            (stretch.first..end).map(move |number| (number, self.seen_in(stretch, &self.keys[number])))
        })
    }

    fn seen_in<'a>(&'a self, stretch: &'a Stretch, key: &'a Key) -> Seen<'a> {
        Seen { stretch, key, id: self.texts.get(stretch.texts, key.id) }
    }

    /// One record.
    fn seen(&self, number: usize) -> Seen<'_> {
        let behind = self.stretches.partition_point(|stretch| stretch.first <= number);
        self.seen_in(&self.stretches[behind - 1], &self.keys[number])
    }

    /// The references of a record.
    fn references_of(&self, number: usize) -> &[Reference] {
        let from = self.references.partition_point(|reference| reference.record < number);
        let len = self.references[from..].partition_point(|reference| reference.record == number);
        &self.references[from..from + len]
    }

    /// What a reference says.
    fn referred(&self, reference: &Reference) -> Option<IdText<'_>> {
        self.texts.get(self.seen(reference.record).stretch.texts, reference.id)
    }

    /// The finding that a verdict comes to, and its file; `ordinals` counts findings that say the same.
    fn finding(
        &self,
        verdict: &Verdict,
        linter: &Linter,
        ordinals: &mut HashMap<u64, u32>,
    ) -> Option<(FileId, Finding)> {
        let rule = linter.across(verdict.finds)?;
        let seen = self.seen(verdict.record);
        let other = verdict.other.map(|other| (other, self.seen(other)));
        let reference = verdict.reference.map(|index| &self.references[index]);
        let id = reference.map_or(seen.id, |reference| self.referred(reference));
        let at = reference.map_or_else(|| seen.place(), |reference| seen.stretch.place_of(reference));
        let text = id.map_or("", |id| id.text);
        let whose = seen.id.map_or_else(|| hash(&[&seen.key.line.bytes()]), |id| hash(&[id.text.as_bytes()]));
        let content = hash(&[linter.catalogue()[rule].code.as_bytes(), &whose.to_le_bytes(), text.as_bytes()]);
        let ordinal = ordinals.entry(content).or_insert(0_u32);
        let fingerprint = hash(&[&content.to_le_bytes(), &ordinal.to_le_bytes()]);
        *ordinal += 1;
        let finding = Finding {
            rule,
            severity: linter.severity(rule),
            at,
            end: id.filter(|id| id.base.is_some()).map_or(at, |id| behind(at, id.text)),
            message: words::message(verdict, text, reference, other.and_then(|(_, other)| other.id)),
            notes: Vec::new(),
            related: other.map(|(number, other)| related(number, &other, &seen, verdict)).into_iter().collect(),
            record: seen.stretch.number(verdict.record),
            id: seen.id.map(|id| id.text.to_owned()),
            ply: None,
            board: None,
            record_key: whose,
            fingerprint,
            fix: None,
        };
        Some((seen.stretch.file, finding))
    }
}

/// The other record as a finding speaks of it.
fn related(number: usize, other: &Seen<'_>, seen: &Seen<'_>, verdict: &Verdict) -> Related {
    Related {
        file: Some(other.stretch.file).filter(|file| *file != seen.stretch.file),
        name: None,
        at: other.place(),
        record: other.stretch.number(number),
        id: other.id.map(|id| id.text.to_owned()),
        message: words::related(verdict.finds).to_owned(),
    }
}

/// The place behind a text that stands on one line.
fn behind(at: Place, text: &str) -> Place {
    Place { offset: at.offset + text.len() as u64, row: at.row, column: at.column + text.chars().count() as u32 }
}

impl Stretch {
    fn place(&self, at: u32, row: u32, column: u32) -> Place {
        Place { offset: self.offset + u64::from(at), row: self.row + u64::from(row), column }
    }

    fn place_of(&self, reference: &Reference) -> Place {
        self.place(reference.at, reference.row, reference.column())
    }

    /// In its file, from 1, the number of one of its records.
    fn number(&self, record: usize) -> u64 {
        self.record + (record - self.first) as u64 + 1
    }
}

impl Seen<'_> {
    /// Where findings about it begin: its Id's value, or its first tag.
    fn place(&self) -> Place {
        self.stretch.place(self.key.at, self.key.row, self.key.column())
    }

    /// What all versions of its Id have in common.
    fn base(&self) -> Option<Digest> {
        self.id.and_then(IdText::base_digest)
    }

    /// Its Id, unless it is none.
    fn full(&self) -> Option<Digest> {
        self.id.filter(|id| id.base.is_some()).map(|id| Digest::of_id(id.text))
    }
}
