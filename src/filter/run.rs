//! Filters an archive: text in the order of the input, and findings about what is refused or mended.

use std::cell::Cell;
use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::data::{Data, FromJson, Rows as DataRows, Slip, numbered};
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
use crate::syntax::fault::FileFault;
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
    /// Each record in a notation for other programs.
    Data(Data),
}

impl Wanted {
    /// What stands before the first record, between two, and behind the last one, if there is one.
    fn frame(&self, written: bool) -> [&'static str; 3] {
        match self {
            Wanted::Records(_) | Wanted::Parts(..) => ["", "\n", ""],
            Wanted::Pdtl => [""; 3],
            Wanted::Data(data) => [data.head(), data.between(), data.tail(written)],
        }
    }
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
/// `stop`, the first record that is refused ends the run. With [`Options::lines`] every line holds a record in JSON.
pub fn run(
    inputs: &[Input],
    options: &Options,
    linter: &Linter,
    wanted: &Wanted,
    stop: bool,
    mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let make = || Filter {
        linter,
        wanted,
        stop,
        cut: false,
        json: options.lines.then(FromJson::default),
        reader: Reader::default(),
        replayer: Replayer::default(),
    };
    let (mut written, mut before) = (false, 0);
    let is_broken = Cell::new(false);
    let mut tell = |told: Told<'_>| {
        let flow = tell(told);
        is_broken.set(flow.is_break());
        flow
    };
    if tell_text(wanted.frame(written)[0].as_bytes(), &mut tell).is_break() {
        return;
    }
    driver::run(inputs, options, make, |event| match event {
        Event::Start(_) => ControlFlow::Continue(()),
        Event::End { records, .. } => {
            before += records;
            ControlFlow::Continue(())
        }
        Event::Chunk { chunk, row, record, out } => {
            let excerpt = Excerpt { text: chunk.text(), base: chunk.base };
            for mut finding in out.findings {
                finding.shift(chunk.base, row, record);
                tell(Told::Finding(chunk.file, finding, Some(excerpt)))?;
            }
            if !out.text.is_empty() {
                // Across chunks too something stands between records.
                if std::mem::replace(&mut written, true) {
                    tell_text(wanted.frame(written)[1].as_bytes(), &mut tell)?;
                }
                if out.rows.is_empty() {
                    tell(Told::Text(&out.text))?;
                } else {
                    tell(Told::Text(&numbered(&out.text, &out.rows, before + record)))?;
                }
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
    if !is_broken.get() {
        let _ = tell_text(wanted.frame(written)[2].as_bytes(), &mut tell);
    }
}

fn tell_text(text: &[u8], tell: &mut impl FnMut(Told<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    if text.is_empty() { ControlFlow::Continue(()) } else { tell(Told::Text(text)) }
}

fn refused(record: Option<&[u8]>, stop: bool, tell: &mut impl FnMut(Told<'_>) -> ControlFlow<()>) -> ControlFlow<()> {
    tell(Told::Refused(record))?;
    if stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
}

/// What a worker made of a chunk.
#[derive(Default)]
struct Filtered {
    text: Vec<u8>,
    /// Where the rows of records end in it, if these are to be numbered.
    rows: DataRows,
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
    /// What makes records of lines, if they come as such.
    json: Option<FromJson>,
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
                catch_unwind(AssertUnwindSafe(|| self.piece(text, (begins, start, number), &mut rows, &mut out)));
            let refused = outcome.unwrap_or_else(|panic| {
                // What the panic left is not to be trusted.
                self.json = self.json.take().map(|_| FromJson::default());
                self.reader = Reader::default();
                self.replayer = Replayer::default();
                out.text.truncate(length);
                out.rows.retain(|(_, end)| *end <= length);
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

/// How a record begins, and where in its chunk, and its number there, from 1.
type At = (Begins, u32, u64);

impl Filter<'_> {
    /// Writes what a chunk has for a record, or says that it is refused.
    fn piece(&mut self, text: &[u8], at: At, rows: &mut Rows<'_>, out: &mut Filtered) -> bool {
        let Some(json) = &mut self.json else { return self.record(text, at, rows, out) };
        if text.trim_ascii().is_empty() {
            return false;
        }
        let (_, start, number) = at;
        let mut made = Vec::new();
        if let Err(slip) = json.read(text, &mut made) {
            if !self.cut {
                out.findings.extend(self.json_finding(slip, start, number, rows));
            }
            return !self.cut;
        }
        let told = out.findings.len();
        let refused = self.record(&made, (Begins::Line, 0, number), &mut Rows::new(&made, false, 0), out);
        let place = place(start, rows);
        for finding in &mut out.findings[told..] {
            // In the line nothing stands where it stands in the record.
            (finding.at, finding.end, finding.fix) = (place, place, None);
            finding.related.iter_mut().for_each(|related| related.at = place);
        }
        refused
    }

    fn json_finding(&self, slip: Slip, start: u32, number: u64, rows: &mut Rows<'_>) -> Option<Finding> {
        let place = place(start + slip.at as u32, rows);
        let finding = self.linter.file_finding(FileFault::Json, place, slip.what)?;
        Some(Finding { record: number, severity: Severity::Error, ..finding })
    }

    /// Writes a record, or says that it is refused.
    fn record(&mut self, text: &[u8], (begins, start, number): At, rows: &mut Rows<'_>, out: &mut Filtered) -> bool {
        let mut record = self.reader.read(text, begins);
        let mut after = Vec::new();
        let needs_positions = match self.wanted {
            Wanted::Parts(take, _) => matches!(take, Take::Fragment(_)),
            Wanted::Data(data) => data.needs_positions(),
            Wanted::Records(_) | Wanted::Pdtl => false,
        };
        let replayed = if needs_positions {
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
            Wanted::Data(data) => {
                let refused = self.cut || !data.can_write(&record, last.is_some());
                if !refused || data.writes_all() {
                    data.write(&record, last.map(|_| &after[..]), &mut out.text);
                    out.rows.extend(data.numbers_rows().then_some((number, out.text.len())));
                }
                (data.form(), refused)
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

/// The place of a byte of a chunk.
fn place(offset: u32, rows: &mut Rows<'_>) -> Place {
    let (row, column) = rows.place(offset as usize);
    Place { offset: u64::from(offset), row: u64::from(row), column }
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
