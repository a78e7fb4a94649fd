//! Filters an archive: text in the order of the input, and findings about what is refused or mended.

use std::ops::{ControlFlow, Range};
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::data::{Data, FromJson, Rows as DataRows, Slip, numbered};
use super::form::{Form, Written, refusal};
use super::gather::{Entry, Fate, Gather, Gatherer, Made, Member};
use super::take::{Take, Taken};
use super::write::{write, write_part};
use crate::driver::{self, Event, Options, Worker};
use crate::game::Position;
use crate::lint::judge::{begins, shown_id};
use crate::lint::run::problem_finding;
use crate::lint::{Excerpt, Finding, Linter, Place, Severity};
use crate::notation::{Letters, pdtl};
use crate::replay::Replayer;
use crate::source::{Chunk, FileId, Input, Problem, Rows};
use crate::syntax::fault::FileFault;
use crate::syntax::{Begins, Fault, Reader, Record};

/// What is written.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Wanted {
    /// Each record in this form.
    Records(Form),
    /// Of each record these parts in this form, as records of their own.
    Parts(Take, Form),
    /// Records in this form, those that are parts of one as that one.
    Gathered(Gather, Form),
    /// The position after the last coherent ply of the main line, on a line; `?` where it is unknown.
    Pdtl,
    /// Each record in a notation for other programs.
    Data(Data),
}

impl Wanted {
    /// What stands before the first record, between two, and behind the last one, if there is one.
    fn frame(&self, written: bool) -> [&'static str; 3] {
        match self {
            Wanted::Records(_) | Wanted::Parts(..) | Wanted::Gathered(..) => ["", "\n", ""],
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
    tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let make = || Filter {
        linter,
        wanted,
        stop,
        cut: false,
        member: None,
        json: options.lines.then(FromJson::default),
        reader: Reader::default(),
        replayer: Replayer::default(),
    };
    let mut gatherer = match wanted {
        Wanted::Gathered(how, form) => Some(Gatherer::new(linter, *how, form, options.record, stop)),
        _ => None,
    };
    let mut teller = Teller { tell, wanted, stop, written: false, broken: false };
    let mut before = 0;
    if teller.frame(0).is_break() {
        return;
    }
    driver::run(inputs, options, make, |event| match event {
        Event::Start(_) => ControlFlow::Continue(()),
        Event::End { file, records, .. } => {
            before += records;
            teller.gathered(file, &mut gatherer)
        }
        Event::Chunk { chunk, row, record, mut out } => {
            if let Some(gatherer) = &mut gatherer {
                let findings = std::mem::take(&mut out.findings);
                let made = gatherer.chunk(chunk, (row, record), std::mem::take(&mut out.entries), &out.text, findings);
                out.text.clear();
                teller.made(chunk.file, made)?;
            }
            let excerpt = Excerpt { text: chunk.text(), base: chunk.base };
            for mut finding in out.findings {
                finding.shift(chunk.base, row, record);
                teller.tell(Told::Finding(chunk.file, finding, Some(excerpt)))?;
            }
            if out.rows.is_empty() {
                teller.text(&out.text)?;
            } else {
                teller.text(&numbered(&out.text, &out.rows, before + record))?;
            }
            if out.internal {
                teller.tell(Told::Failed)?;
            }
            teller.tell(Told::Done(chunk.text().len() as u64))?;
            out.refused.into_iter().try_for_each(|record| teller.refused(Some(&chunk.text()[record])))
        }
        Event::Problem { file, offset, row, column, record, what } => {
            teller.gathered(file, &mut gatherer)?;
            let at = Place { offset, row: row + 1, column: column + 1 };
            if let Some(mut finding) = problem_finding(linter, &what, at, record) {
                if matches!(what, Problem::Damaged(_)) && record > 0 {
                    finding.message += ", and is left out";
                }
                teller.tell(Told::Finding(file, finding, None))?;
            }
            if what.is_failure() {
                teller.tell(Told::Failed)?;
            }
            teller.refused(None)
        }
    });
    if !teller.broken {
        let _ = teller.frame(2);
    }
}

/// Tells what there is to tell, in its order.
struct Teller<'w, F> {
    tell: F,
    wanted: &'w Wanted,
    /// What is refused ends the run.
    stop: bool,
    /// There is text of a record.
    written: bool,
    /// Nothing more is to be told.
    broken: bool,
}

impl<F: FnMut(Told<'_>) -> ControlFlow<()>> Teller<'_, F> {
    fn tell(&mut self, told: Told<'_>) -> ControlFlow<()> {
        let flow = (self.tell)(told);
        self.broken = flow.is_break();
        flow
    }

    /// Writes a part of what stands around records.
    fn frame(&mut self, part: usize) -> ControlFlow<()> {
        match self.wanted.frame(self.written)[part] {
            "" => ControlFlow::Continue(()),
            text => self.tell(Told::Text(text.as_bytes())),
        }
    }

    fn text(&mut self, text: &[u8]) -> ControlFlow<()> {
        if text.is_empty() {
            return ControlFlow::Continue(());
        }
        // Across chunks too something stands between records.
        if std::mem::replace(&mut self.written, true) {
            self.frame(1)?;
        }
        self.tell(Told::Text(text))
    }

    fn refused(&mut self, record: Option<&[u8]>) -> ControlFlow<()> {
        self.tell(Told::Refused(record))?;
        if self.stop { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }

    /// What was gathered and waits for more that does not come.
    fn gathered(&mut self, file: FileId, gatherer: &mut Option<Gatherer<'_>>) -> ControlFlow<()> {
        let made = gatherer.as_mut().map(|gatherer| gatherer.close(Made::default()));
        made.map_or(ControlFlow::Continue(()), |made| self.made(file, made))
    }

    fn made(&mut self, file: FileId, made: Made) -> ControlFlow<()> {
        for finding in made.findings {
            self.tell(Told::Finding(file, finding, None))?;
        }
        self.text(&made.text)?;
        if made.failed {
            self.tell(Told::Failed)?;
        }
        for record in &made.refused {
            self.tell(Told::Refused(Some(record)))?;
        }
        // What is refused together is told together.
        if self.stop && !made.refused.is_empty() { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    }
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
    /// The records, where they may belong together: then what is refused stands here.
    entries: Vec<Entry>,
}

struct Filter<'l> {
    linter: &'l Linter,
    wanted: &'l Wanted,
    stop: bool,
    /// The record at hand may not be whole: it is refused, whatever it looks like, and the damage behind it counts for it.
    cut: bool,
    /// What the record at hand may belong to.
    member: Option<(Member, Option<String>)>,
    /// What makes records of lines, if they come as such.
    json: Option<FromJson>,
    reader: Reader,
    replayer: Replayer,
}

impl Worker for Filter<'_> {
    type Out = Filtered;

    fn judge(&mut self, chunk: &Chunk) -> Filtered {
        let mut out = Filtered { text: Vec::with_capacity(chunk.text().len()), ..Filtered::default() };
        if chunk.cuts().is_empty() && !chunk.cut && self.json.is_none() {
            self.without_record(chunk, &mut out);
        }
        let mut rows = chunk.rows();
        for (number, (text, &start)) in (1..).zip(chunk.records().zip(chunk.cuts())) {
            let begins = begins(chunk, start);
            self.cut = chunk.cut && number == chunk.cuts().len() as u64;
            self.member = None;
            let place = if self.gathers() { rows.place(start as usize) } else { (1, 1) };
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
            let source = start as usize..start as usize + text.len();
            if self.gathers() {
                let fate = match (refused, self.cut) {
                    (_, true) => Fate::Cut,
                    (true, _) => Fate::Refused,
                    _ => Fate::Written(length + usize::from(length > 0)..out.text.len()),
                };
                let (member, id) = self.member.take().unzip();
                out.entries.push(Entry { source, place, begins, member, id: id.flatten(), fate });
            } else if refused {
                out.refused.push(source);
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
    fn gathers(&self) -> bool {
        matches!(self.wanted, Wanted::Gathered(..))
    }

    /// Says of a text that it has no record, unless there is nothing in it. **Decision**: comments alone are allowed (§1.1), and
    /// left out with a warning; what may be more, behind a brace that is never closed, is refused.
    fn without_record(&mut self, chunk: &Chunk, out: &mut Filtered) {
        if chunk.text().trim_ascii().is_empty() {
            return;
        }
        let outcome = catch_unwind(AssertUnwindSafe(|| self.linter.without_record(&mut self.reader, chunk)));
        out.findings = outcome.unwrap_or_else(|panic| {
            self.reader = Reader::default();
            out.internal = true;
            self.linter.internal_finding(&*panic, 0, 0, &mut chunk.rows())
        });
        if out.findings.iter().any(|finding| finding.severity == Severity::Error) {
            out.refused.push(0..chunk.text().len());
        }
        out.findings.extend(self.linter.no_record());
    }

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
        let behind = if let Wanted::Parts(take, _) = self.wanted { take.begins_behind(&record) } else { None };
        let mut begin = record.setup.position;
        let mut after = Vec::new();
        let replayed = match (behind, self.wanted) {
            (Some(ply), _) => {
                begin = None;
                let keep = |item, position: &Position| begin = Some(*position).filter(|_| item == ply).or(begin);
                self.replayer.replay_and(&mut record, keep)
            }
            (None, Wanted::Data(data)) if data.needs_positions() => {
                self.replayer.replay_and(&mut record, |item, position| after.push((item, *position)))
            }
            _ => self.replayer.replay(&mut record),
        };
        let last = replayed.last.filter(|_| !self.cut);
        let reading;
        let (form, refused) = match self.wanted {
            Wanted::Records(form) => (form, self.cut || append(&record, form, &mut out.text)),
            Wanted::Gathered(how, form) => {
                self.member = Member::of(&record, *how).map(|member| (member, shown_id(&record)));
                (form, self.cut || append(&record, form, &mut out.text))
            }
            Wanted::Parts(take, form) => {
                reading = take.reading(form);
                let length = out.text.len();
                let missing = if self.cut || refusal(&record, &reading).is_some() {
                    None
                } else {
                    take.each(&record, begin, |part| append_part(&record, &part, form, &mut out.text)).err()
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

/// Of a refused record, what refuses it; of one that is written, what was mended, or left as it is and wrong.
fn reported(written: &Written<'_>, fault: &Fault, severity: Severity, refused: bool) -> Option<Severity> {
    if refused {
        return written.is_refused_for(fault).then_some(Severity::Error);
    }
    (written.tells(fault) && severity > Severity::Style).then_some(Severity::Warning)
}
