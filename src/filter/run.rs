//! Filters an archive: text in the order of the input, and findings about what is refused or mended.

use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::write::{refusal, write_minimal};
use crate::driver::{self, Event, Options, Worker};
use crate::lint::judge::begins;
use crate::lint::run::problem_finding;
use crate::lint::{Excerpt, Finding, Linter, Place, Severity};
use crate::notation::{Letters, pdtl};
use crate::replay::Replayer;
use crate::source::{Chunk, FileId, Input, Problem, Rows};
use crate::syntax::{Begins, Fault, FaultKind, Reader};

/// What is written of a record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Form {
    /// The minimal form (§13.1).
    Minimal,
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
    form: Form,
    stop: bool,
    mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let make = || Filter { linter, form, stop, cut: false, reader: Reader::default(), replayer: Replayer::default() };
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
                if std::mem::replace(&mut written, true) && form == Form::Minimal {
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
    form: Form,
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
        let replayed = self.replayer.replay(&mut record);
        let last = replayed.last.filter(|_| !self.cut);
        let refused = self.cut
            || match self.form {
                Form::Minimal => refusal(&record).is_some(),
                Form::Pdtl => last.is_none() && refusal(&record).is_some(),
            };
        match self.form {
            Form::Minimal if refused => {}
            Form::Minimal => {
                if !out.text.is_empty() {
                    out.text.push(b'\n');
                }
                write_minimal(&record, &mut out.text);
            }
            Form::Pdtl => {
                match last {
                    Some(position) => pdtl::write(&position, &Letters::STANDARD, &mut out.text),
                    None => out.text.push(b'?'),
                }
                out.text.push(b'\n');
            }
        }
        if !record.faults.is_empty() {
            let severity = |fault: &Fault, severity| reported(fault, severity, refused);
            out.findings.extend(self.linter.findings_of(&record, severity, start, number, rows));
        }
        // What cuts a record is a problem of its own, and counts for both.
        refused && !self.cut
    }
}

/// Of a refused record, what refuses it; of one that is written, what was mended, or left as it is and wrong.
fn reported(fault: &Fault, severity: Severity, refused: bool) -> Option<Severity> {
    if refused {
        return fault.refuses().then_some(Severity::Error);
    }
    let left_out = fault.aside || matches!(fault.kind, FaultKind::Comment(_));
    (!left_out && severity > Severity::Style).then_some(Severity::Warning)
}
