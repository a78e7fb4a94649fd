//! Filters an archive: text in the order of the input, and findings about what is refused or mended.

use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::form::{Form, Written, refusal};
use super::take::{Take, Taken};
use super::write::{write, write_part};
use crate::driver::{self, Event, Options, Worker};
use crate::game::Position;
use crate::lint::judge::begins;
use crate::lint::run::problem_finding;
use crate::lint::{Excerpt, Finding, Linter, Place, Severity};
use crate::notation::{Letters, pdtl};
use crate::replay::Replayer;
use crate::source::{Chunk, FileId, Input, Problem, Rows};
use crate::syntax::{Begins, Fault, ItemKind, Reader, Record, main_line};

/// What is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Each record in this form.
    Records(Form),
    /// Of each record these parts in this form, as records of their own.
    Parts(Take, Form),
    /// The position after the last coherent ply of the main line, on a line; `?` where it is unknown.
    Pdtl,
}

/// What a run tells.
#[derive(Debug)]
pub enum Told<'a> {
    /// Text to be written.
    Text(&'a [u8]),
    /// A record was refused, or something in it was mended; placed in its file.
    Finding(FileId, Finding, Option<Excerpt<'a>>),
    /// A record was refused: its bytes, with those up to the next one; none where it was not read.
    Refused(Option<&'a [u8]>),
    /// So many bytes more are done.
    Done(u64),
    /// Reading or writing a record failed: the text is not complete.
    Failed,
}

/// Filters `inputs` and tells the text and what there is to say of it, on the calling thread, until `tell` breaks. With
/// `stop`, the first record that is refused ends the run.
pub fn run(
    inputs: &[Input],
    options: &Options,
    linter: &Linter,
    wanted: &Wanted,
    stop: bool,
    mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let make = || Filter { linter, wanted, stop, cut: false, reader: Reader::default(), replayer: Replayer::default() };
    let mut written = false;
    driver::run(inputs, options, make, |event| match event {
        Event::Start(_) | Event::End { .. } => ControlFlow::Continue(()),
        Event::Chunk { chunk, row, record, out } => {
            let excerpt = Excerpt { text: chunk.text(), base: chunk.base };
            for mut finding in out.findings {
                finding.shift(chunk.base, row, record);
                tell(Told::Finding(chunk.file, finding, Some(excerpt)))?;
            }
            if !out.text.is_empty() {
                // One empty line between records, across chunks too.
                if std::mem::replace(&mut written, true) && *wanted != Wanted::Pdtl {
                    tell(Told::Text(b"\n"))?;
                }
                tell(Told::Text(&out.text))?;
            }
            if out.internal {
                tell(Told::Failed)?;
            }
            tell(Told::Done(chunk.text().len() as u64))?;
            out.refused.into_iter().try_for_each(|record| refused(Some(&chunk.text()[record]), stop, &mut tell))
        }
        Event::Problem { file, offset, row, column, record, what } => {
            let at = Place { offset, row: row + 1, column: column + 1 };
            if let Some(mut finding) = problem_finding(linter, &what, at, record) {
                if matches!(what, Problem::Damaged(_)) && record > 0 {
                    finding.message += ", and is left out";
                }
                tell(Told::Finding(file, finding, None))?;
            }
            if what.is_failure() {
                tell(Told::Failed)?;
            }
            refused(None, stop, &mut tell)
        }
    });
}

fn refused(record: Option<&[u8]>, stop: bool, tell: &mut impl FnMut(Told<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    tell(Told::Refused(record))?;
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// What a worker made of a chunk.
#[derive(Default)]
struct Filtered {
    text: Vec<u8>,
    findings: Vec<Finding>,
    /// Where the refused records lie in the chunk.
    refused: Vec<Range<usize>>,
    internal: bool,
}

struct Filter<'l> {
    linter: &'l Linter,
    wanted: &'l Wanted,
    stop: bool,
    /// The record at hand may not be whole: it is refused, whatever it looks like, and the damage behind it counts for it.
    cut: bool,
    reader: Reader,
    replayer: Replayer,
}

impl Worker for Filter<'_> {
    type Out = Filtered;

    fn judge(&mut self, chunk: &Chunk) -> Filtered {
        let mut out = Filtered { text: Vec::with_capacity(chunk.text().len()), ..Filtered::default() };
        let mut rows = chunk.rows();
        for (number, (text, &start)) in (1..).zip(chunk.records().zip(chunk.cuts())) {
            let begins = begins(chunk, start);
            self.cut = chunk.cut && number == chunk.cuts().len() as u64;
            let length = out.text.len();
            let outcome =
                catch_unwind(AssertUnwindSafe(|| self.record(text, begins, start, number, &mut rows, &mut out)));
            let refused = outcome.unwrap_or_else(|panic| {
                // What the panic left is not to be trusted.
                self.reader = Reader::default();
                self.replayer = Replayer::default();
                out.text.truncate(length);
                out.findings.extend(self.linter.internal_finding(&*panic, start, number, &mut rows));
                out.internal = true;
                true
            });
            if refused {
                out.refused.push(start as usize..start as usize + text.len());
            }
            if self.stop && refused {
                break;
            }
        }
        out
    }
}

impl Filter<'_> {
    /// Writes a record, or says that it is refused.
    fn record(
        &mut self,
        text: &[u8],
        begins: Begins,
        start: u32,
        number: u64,
        rows: &mut Rows<'_>,
        out: &mut Filtered,
    ) -> bool {
        let mut record = self.reader.read(text, begins);
        let mut after = Vec::new();
        let replayed = if let Wanted::Parts(Take::Fragment(_), _) = self.wanted {
            self.replayer.replay_and(&mut record, |item, position| after.push((item, *position)))
        } else {
            self.replayer.replay(&mut record)
        };
        let last = replayed.last.filter(|_| !self.cut);
        let reading;
        let (form, refused) = match self.wanted {
            Wanted::Records(form) => (form, self.cut || append(&record, form, &mut out.text)),
            Wanted::Parts(take, form) => {
                reading = take.reading(form);
                let before = |item| position_before(&record, &after, item);
                let length = out.text.len();
                let missing = if self.cut || refusal(&record, &reading).is_some() {
                    None
                } else {
                    take.each(&record, before, |part| append_part(&record, &part, form, &mut out.text)).err()
                };
                if let Some(missing) = missing {
                    out.text.truncate(length);
                    record.faults.push(missing.fault(record.items));
                }
                (&reading, self.cut || refusal(&record, &reading).is_some())
            }
            Wanted::Pdtl => {
                match last {
                    Some(position) => pdtl::write(&position, &Letters::STANDARD, &mut out.text),
                    None => out.text.push(b'?'),
                }
                out.text.push(b'\n');
                (&Form::MINIMAL, self.cut || last.is_none() && refusal(&record, &Form::MINIMAL).is_some())
            }
        };
        if !record.faults.is_empty() {
            let written = Written::new(&record, form);
            let severity = |fault: &Fault, severity| reported(&written, fault, severity, refused);
            out.findings.extend(self.linter.findings_of(&record, severity, start, number, rows));
        }
        // What cuts a record is a problem of its own, and counts for both.
        refused && !self.cut
    }
}

/// Writes a record, with an empty line before it if it is not the first; tells whether it is refused.
fn append(record: &Record<'_>, form: &Form, text: &mut Vec<u8>) -> bool {
    let length = text.len();
    if length > 0 {
        text.push(b'\n');
    }
    let refused = write(record, form, text).is_err();
    if refused {
        text.truncate(length);
    }
    refused
}

/// Writes a part of a record, with an empty line before it if it is not the first.
fn append_part(record: &Record<'_>, part: &Taken, form: &Form, text: &mut Vec<u8>) {
    if !text.is_empty() {
        text.push(b'\n');
    }
    write_part(record, part, form, text);
}

/// The position before an item of the main line; `after` has those behind the plies.
fn position_before(record: &Record<'_>, after: &[(usize, Position)], item: usize) -> Option<Position> {
    let plies = main_line(record.items).filter(|(index, before)| *index < item && before.kind == ItemKind::Ply);
    let Some((ply, _)) = plies.last() else { return record.setup.position };
    after.binary_search_by_key(&ply, |(index, _)| *index).ok().map(|found| after[found].1)
}

/// Of a refused record, what refuses it; of one that is written, what was mended, or left as it is and wrong.
fn reported(written: &Written<'_>, fault: &Fault, severity: Severity, refused: bool) -> Option<Severity> {
    if refused {
        return written.is_refused_for(fault).then_some(Severity::Error);
    }
    (written.tells(fault) && severity > Severity::Style).then_some(Severity::Warning)
}
