//! An archive's findings, file by file in the order of the text.

use std::cell::Cell;
use std::collections::HashSet;
use std::ops::ControlFlow;

use super::archive::Archive;
use super::baseline::Baseline;
use super::finding::{Applicability, Excerpt, Finding, Fix, Place, RuleId};
use super::judge::{Judge, Judged, Linter};
use super::mend::line_end_edits;
use super::suppress::SuppressionFault;
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
struct Known<'r> {
    inputs: &'r [Input],
    baseline: &'r mut Baseline,
    /// Rules that have spoken and speak once.
    spoken: HashSet<RuleId>,
    /// The kind of the file's first line end: LF, CRLF, a lone CR.
    line_end: Option<usize>,
    failed: bool,
    /// In all files, suppressions of rules about the whole archive: whether each is used, and else the finding that it isn't.
    waiting: Vec<(FileId, bool, Finding)>,
}

/// The kinds of line ends, as [`Judged::line_ends`] has them.
const LINE_ENDS: [&str; 3] = ["LF", "CR LF", "a lone CR"];

/// Lints `inputs` and tells what is found, on the calling thread, until `tell` breaks. What only the whole archive shows comes
/// last, in the order of the records.
pub fn run(inputs: &[Input], options: &Options, linter: &Linter, tell: impl FnMut(Told<'_>) -> ControlFlow<()>) {
    run_beyond(&mut Baseline::default(), inputs, options, linter, tell);
}

/// The same, but tells only what a baseline doesn't know. That a file could not be read it never knows.
pub fn run_beyond(
    baseline: &mut Baseline,
    inputs: &[Input],
    options: &Options,
    linter: &Linter,
    mut tell: impl FnMut(Told<'_>) -> ControlFlow<()>,
) {
    let mut known =
        Known { inputs, baseline, spoken: HashSet::new(), line_end: None, failed: false, waiting: Vec::new() };
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
                known.begin();
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
                let finding = finding.filter(|finding| !linter.ignores(file, finding.rule));
                let unsaid = finding.is_none().then(|| file_message(&what));
                if let Some(finding) = finding.and_then(|finding| known.beyond(file, finding, what.is_failure())) {
                    tell(Told::Finding(file, finding, None))?;
                }
                if what.is_failure() { tell(Told::Failed(file, unsaid)) } else { ControlFlow::Continue(()) }
            }
            Event::End { file, records, .. } => {
                if records == 0 && !known.failed {
                    let finding = linter.no_record().filter(|finding| !linter.ignores(file, finding.rule));
                    if let Some(finding) = finding.and_then(|finding| known.beyond(file, finding, false)) {
                        tell(Told::Finding(file, finding, None))?;
                    }
                }
                tell(Told::File { file, records })
            }
        },
    );
    if !stopped.get() {
        let _ = archive.tell(inputs, options, linter, &mut |told| match told {
            Told::Finding(file, finding, excerpt) => match known.across(linter, file, finding) {
                Some(finding) => tell(Told::Finding(file, finding, excerpt)),
                None => ControlFlow::Continue(()),
            },
            told => tell(told),
        });
        let _ =
            known.unused(linter).into_iter().try_for_each(|(file, finding)| tell(Told::Finding(file, finding, None)));
    }
}

impl Known<'_> {
    fn begin(&mut self) {
        self.spoken.clear();
        (self.line_end, self.failed) = (None, false);
    }

    /// A finding about a file, unless the baseline knows it; what a failure says always stays.
    fn beyond(&mut self, file: FileId, finding: Finding, failure: bool) -> Option<Finding> {
        let mut findings = vec![finding];
        if !failure {
            self.baseline.hide(self.inputs[file.0 as usize].path(), &mut findings);
        }
        findings.pop()
    }

    /// A finding about the whole archive, unless its record suppresses it, or the baseline knows it.
    fn across(&mut self, linter: &Linter, file: FileId, finding: Finding) -> Option<Finding> {
        let holds =
            |of: &FileId, other: &Finding| *of == file && (other.rule, other.record) == (finding.rule, finding.record);
        let mut suppressed = false;
        for (_, used, _) in self.waiting.iter_mut().filter(|(of, _, other)| holds(of, other)) {
            (*used, suppressed) = (true, true);
        }
        if suppressed || linter.ignores(file, finding.rule) { None } else { self.beyond(file, finding, false) }
    }

    /// Suppressions of what was not found in the whole archive.
    fn unused(&mut self, linter: &Linter) -> Vec<(FileId, Finding)> {
        let Some(rule) = linter.suppression(SuppressionFault::Unused) else { return Vec::new() };
        let waiting = std::mem::take(&mut self.waiting)
            .into_iter()
            .filter(|(file, used, _)| !used && !linter.ignores(*file, rule));
        let told =
            waiting.map(|(file, _, finding)| (file, Finding { rule, severity: linter.severity(rule), ..finding }));
        let told: Vec<_> = told.collect();
        told.into_iter().filter_map(|(file, finding)| Some((file, self.beyond(file, finding, false)?))).collect()
    }

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
        let line_ends = self.line_ends(linter, chunk.text(), &judged.line_ends);
        if !line_ends.is_empty() {
            findings.extend(line_ends);
            findings.sort_by_key(|finding| (finding.at.offset, finding.rule));
        }
        findings.retain(|finding| {
            !linter.ignores(chunk.file, finding.rule)
                && (linter.catalogue()[finding.rule].once.is_none() || self.spoken.insert(finding.rule))
        });
        self.baseline.hide(self.inputs[chunk.file.0 as usize].path(), &mut findings);
        for mut finding in judged.waiting {
            finding.shift(chunk.base, row, record);
            self.waiting.push((chunk.file, false, finding));
        }
        let excerpt = Excerpt { text: chunk.text(), base: chunk.base };
        for mut finding in findings {
            finding.shift(chunk.base, row, record);
            tell(Told::Finding(chunk.file, finding, Some(excerpt)))?;
        }
        if judged.internal {
            tell(Told::Failed(chunk.file, None))?;
        }
        tell(Told::Done { bytes: chunk.text().len() as u64, plies: judged.plies })
    }

    /// Line ends that differ from the file's first one, and carriage returns alone (§1.4).
    fn line_ends(&mut self, linter: &Linter, content: &[u8], ends: &[Option<Place>; 3]) -> Vec<Finding> {
        let first = (0..3).filter(|&kind| ends[kind].is_some()).min_by_key(|&kind| ends[kind]);
        let Some(usual) = self.line_end.or(first) else { return Vec::new() };
        self.line_end = Some(usual);
        let mixed = (0..2).filter(|&kind| kind != usual).filter_map(|kind| {
            let text = format!("this line ends in {}, the file's first in {}", LINE_ENDS[kind], LINE_ENDS[usual]);
            let finding = linter.file_finding(FileFault::MixedEnds, ends[kind]?, text)?;
            Some(with_line_ends(finding, content, usual, true))
        });
        let alone = ends[2].and_then(|at| {
            let text = "a carriage return alone ends this line".to_owned();
            let finding = linter.file_finding(FileFault::LoneCr, at, text)?;
            Some(with_line_ends(finding, content, usual, false))
        });
        mixed.chain(alone).collect()
    }
}

/// A finding about line ends, mended in all of its chunk.
fn with_line_ends(mut finding: Finding, text: &[u8], usual: usize, mixed: bool) -> Finding {
    let wanted = if usual == 1 { "\r\n" } else { "\n" };
    let edits = line_end_edits(text, wanted, mixed, !mixed);
    finding.fix = (!edits.is_empty()).then_some(Fix { applicability: Applicability::Safe, edits });
    finding
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
