//! An archive's findings, file by file in the order of the text.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use super::archive::Archive;
use super::finding::{Excerpt, Finding, Place, RuleId};
use super::judge::{Judge, Judged, Linter};
use crate::driver::{self, Event, Options};
use crate::source::{Chunk, FileId, Input, Problem};
use crate::syntax::fault::FileFault;

/// What a run tells.
#[derive(Debug)]
pub enum Told<'a> {
    /// A finding, placed in its file, with the text it lies in.
    Finding(FileId, Finding, Option<Excerpt<'a>>),
    /// So many bytes more are done, and so many plies.
    Done {
        /// Bytes of the file.
        bytes: u64,
        /// Plies of main lines and variations.
        plies: u64,
    },
    /// A file is done.
    File {
        /// Which.
        file: FileId,
        /// Its records.
        records: u64,
    },
    /// Reading or judging failed: whatever was found, the run did not do all it should. With what there is to say of it
    /// where its rule is off: a failure is never silent.
    Failed(FileId, Option<String>),
}

/// What is known of the file that is told at the moment.
#[derive(Default)]
struct Known {
    /// Rules that have spoken and speak once.
    spoken: HashSet<RuleId>,
    /// The kind of the file's first line end: LF, CRLF, a lone CR.
    line_end: Option<usize>,
    failed: bool,
}

/// The kinds of line ends, as [`Judged::line_ends`] has them.
const LINE_ENDS: [&str; 3] = ["LF", "CR LF", "a lone CR"];

/// Lints `inputs` and tells what is found, on the calling thread, until `tell` breaks. What only the whole archive shows comes
/// last, in the order of the records.
pub fn run(inputs: &[Input], options: &Options, linter: &Linter, mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>) {
    let mut known = Known::default();
    let mut archive = Archive::default();
    let stopped = Cell::new(false);
    let mut tell = |told: Told<'_>| {
        let flow = tell(told);
        stopped.set(flow.is_break());
        flow
    };
    driver::run(
        inputs,
        options,
        || Judge::new(linter),
        |event| match event {
            Event::Start(_) => {
                known = Known::default();
                ControlFlow::Continue(())
            }
            Event::Chunk { chunk, row, record, mut out } => {
                archive.keep(chunk, row, record, &std::mem::take(&mut out.gathered));
                known.chunk(linter, chunk, row, record, out, &mut tell)
            }
            Event::Problem { file, offset, row, column, record, what } => {
                known.failed = true;
                if what.is_failure() {
                    archive.failed(file);
                }
                let at = Place { offset, row: row + 1, column: column + 1 };
                let finding = problem_finding(linter, &what, at, record);
                let unsaid = finding.is_none().then(|| file_message(&what));
                if let Some(finding) = finding {
                    tell(Told::Finding(file, finding, None))?;
                }
                if what.is_failure() { tell(Told::Failed(file, unsaid)) } else { ControlFlow::Continue(()) }
            }
            Event::End { file, records, .. } => {
                if records == 0 && !known.failed {
                    let text = "this file holds no record: one starts with [Variant \"C'escacs\"]".to_owned();
                    if let Some(finding) = linter.file_finding(FileFault::NoRecord, Place::START, text) {
                        tell(Told::Finding(file, finding, None))?;
                    }
                }
                tell(Told::File { file, records })
            }
        },
    );
    if !stopped.get() {
        let _ = archive.tell(inputs, options, linter, &mut tell);
    }
}

impl Known {
    fn chunk(
        &mut self,
        linter: &Linter,
        chunk: &Chunk,
        row: u64,
        record: u64,
        judged: Judged,
        tell: &mut impl FnMut(Told<'_>) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let mut findings = judged.findings;
        let line_ends = self.line_ends(linter, &judged.line_ends);
        if !line_ends.is_empty() {
            findings.extend(line_ends);
            findings.sort_by_key(|finding| (finding.at.offset, finding.rule));
        }
        let excerpt = Excerpt { text: chunk.text(), base: chunk.base };
        for mut finding in findings {
            if linter.catalogue()[finding.rule].once.is_some() && !self.spoken.insert(finding.rule) {
                continue;
            }
            finding.shift(chunk.base, row, record);
            tell(Told::Finding(chunk.file, finding, Some(excerpt)))?;
        }
        if judged.internal {
            tell(Told::Failed(chunk.file, None))?;
        }
        tell(Told::Done { bytes: chunk.text().len() as u64, plies: judged.plies })
    }

    /// Line ends that differ from the file's first one, and carriage returns alone (§1.4).
    fn line_ends(&mut self, linter: &Linter, ends: &[Option<Place>; 3]) -> Vec<Finding> {
        let first = (0..3).filter(|&kind| ends[kind].is_some()).min_by_key(|&kind| ends[kind]);
        let Some(usual) = self.line_end.or(first) else { return Vec::new() };
        self.line_end = Some(usual);
        let mixed = (0..2).filter(|&kind| kind != usual).filter_map(|kind| {
            let text = format!("this line ends in {}, the file's first in {}", LINE_ENDS[kind], LINE_ENDS[usual]);
            linter.file_finding(FileFault::MixedEnds, ends[kind]?, text)
        });
        let alone = ends[2].and_then(|at| {
            linter.file_finding(FileFault::LoneCr, at, "a carriage return alone ends this line".to_owned())
        });
        mixed.chain(alone).collect()
    }
}

/// The finding about what could not be read, at a place behind `record` records in its file.
pub fn problem_finding(linter: &Linter, what: &Problem, at: Place, record: u64) -> Option<Finding> {
    let fault = match what {
        Problem::Unreadable(_) => FileFault::Unreadable,
        Problem::NotText(..) => FileFault::NotText,
        Problem::Changed => FileFault::Changed,
        Problem::Damaged(_) => FileFault::Damaged,
        Problem::RecordTooLong { .. } => FileFault::RecordTooLong,
    };
    let mut finding = linter.file_finding(fault, at, file_message(what))?;
    if fault == FileFault::RecordTooLong {
        finding.record = record + 1;
    }
    Some(finding)
}

/// What there is to say of a file that could not be read, or not all of it.
pub fn file_message(what: &Problem) -> String {
    match what {
        Problem::RecordTooLong { .. } => format!("{what}: 64 MiB are the most that are read"),
        Problem::NotText(..) => format!("this file is {what}"),
        Problem::Damaged(_) => format!("{what}: what follows is not read, and the record before it may not be whole"),
        Problem::Unreadable(_) | Problem::Changed => format!("this file {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::{Error, ErrorKind};

    #[test]
    fn problems_that_no_example_shows_are_told() {
        let gone = Problem::Unreadable(Error::new(ErrorKind::NotFound, "no such file"));
        for (what, text) in [
            (gone, "this file cannot be read: no such file"),
            (Problem::Changed, "this file got shorter while it was read"),
            (
                Problem::RecordTooLong { bytes: 70_000_000, rows: 9 },
                "a record of 70000000 bytes, passed over unread: 64 MiB are the most that are read",
            ),
        ] {
            assert_eq!(file_message(&what), text);
        }
    }
}
