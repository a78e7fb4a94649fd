//! A run of `ctl-lint`: findings to standard output, all else to standard error.

use std::borrow::Cow;
use std::io::{self, BufWriter, ErrorKind, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::config::Config;
use super::lint_args::{Format, LintArgs};
use super::mend::{Mended, Mending};
use super::pages::{Asked, write_table};
use super::progress::Progress;
use super::reports::Reports;
use super::run::{
    complain, counted, ended, inputs, note_that, read_bounded, show_files, shown_name, total_bytes, unreached_finding,
};
use super::summary::Summary;
use super::{ExitStatus, generate, suppress};
use crate::lint::{self, Baseline, Catalogue, Excerpt, Finding, Linter, Selection, Told};
use crate::report::{Report, escape};
use crate::source::{FileId, Input, Output, Walked};

/// Does what the arguments ask for.
pub fn run(args: &LintArgs) -> ExitStatus {
    let stdout = io::stdout().lock();
    // Who looks on sees findings as they come.
    let mut out: Box<dyn Write> =
        if stdout.is_terminal() { Box::new(stdout) } else { Box::new(BufWriter::new(stdout)) };
    if let Some(kind) = args.run.generate {
        return ended(
            generate::write::<LintArgs>(kind, &mut out).and_then(|()| out.flush()).map(|()| ExitStatus::Clean),
        );
    }
    let catalogue = Catalogue::load();
    let result = if args.rules {
        write_table(&mut out, catalogue.rules().map(|(_, rule)| rule)).map(|()| ExitStatus::Clean)
    } else if let Some(word) = &args.explain {
        match Asked::parse(catalogue, word) {
            Ok(asked) => asked.write(catalogue, &mut out).map(|()| ExitStatus::Clean),
            Err(unknown) => Ok(complain(&unknown)),
        }
    } else {
        lint(args, catalogue, &mut out)
    };
    ended(result.and_then(|status| out.flush().map(|()| status)))
}

fn lint(args: &LintArgs, catalogue: &'static Catalogue, out: &mut dyn Write) -> io::Result<ExitStatus> {
    let config = match Config::of(args) {
        Ok(config) => config,
        Err(wrong) => return Ok(complain(&wrong)),
    };
    let selection = match Selection::new(catalogue, &[config.words(), args.words()]) {
        Ok(selection) => selection,
        Err(unknown) => return Ok(complain(&unknown)),
    };
    let args = &config.under(args);
    if args.board.is_some() && (args.format() != Format::Full || args.statistics) {
        return Ok(complain(&"--board draws under the findings of --format full"));
    }
    if args.statistics && args.format().is_foreign() {
        let what = "--statistics is text or an object: with it --format takes full, concise, json or jsonl";
        return Ok(complain(&what));
    }
    let mending = match args.mending() {
        Ok(mending) => mending,
        Err(why) => return Ok(complain(&why)),
    };
    let mut walked = match inputs(&args.paths, &args.run) {
        Ok(walked) => walked,
        Err(status) => return Ok(status),
    };
    if args.run.show_files {
        return show_files(&walked, out);
    }
    let ignored = walked.inputs.iter().map(|input| config.ignored(&shown_name(input, args.stdin_filename.as_deref())));
    let linter = Linter::new(catalogue, &selection).ignoring(ignored.collect());
    let linter = if args.board.is_some() { linter.with_boards() } else { linter };
    if let Some(most) = mending.filter(|_| args.diff) {
        return Mending { args, linter: &linter, most }.diff(&walked, out);
    }
    if args.add_suppressions && walked.inputs.contains(&Input::Stdin) {
        return Ok(complain(&"suppressions can't be written to standard input: name files"));
    }
    let reports = match Reports::create(&args.report, catalogue, &walked.inputs) {
        Ok(reports) => reports,
        Err(status) => return Ok(status),
    };
    let mut baseline = match baseline(args) {
        Ok(baseline) => baseline,
        Err(wrong) => return Ok(complain(&wrong)),
    };
    let mended = mending.map(|most| Mending { args, linter: &linter, most }.fix(&mut walked, out)).transpose()?;
    let mut status = mended.as_ref().map_or(ExitStatus::Clean, |mended| mended.status);
    if let Some(reason) = &args.reason {
        status = status.merge(suppress::add(args, &walked, &linter, &mut baseline.clone(), reason));
    }
    let mut err = io::stderr();
    let spooled = mended.as_ref().and_then(Mended::spooled);
    let out: &mut dyn Write = if spooled.is_some() { &mut err } else { out };
    let is_terminal = if spooled.is_some() { io::stderr().is_terminal() } else { io::stdout().is_terminal() };
    let color = args.run.color.decide(is_terminal, |name| std::env::var_os(name));
    let mut run = Run {
        args,
        spooled,
        walked: &walked,
        report: args.report_on(catalogue, color),
        out,
        reports,
        summary: Summary::default(),
        status,
        failed: None,
        progress: Progress::new(|| total_bytes(&walked.inputs), args.run.quiet),
        error: None,
    };
    run.all(&linter, &mut baseline);
    run.end(&linter, &baseline, mended.as_ref())
}

/// The most bytes that are read of a baseline.
const LONGEST_BASELINE: u64 = 1 << 28;

/// The findings that are known of the archive.
fn baseline(args: &LintArgs) -> Result<Baseline, String> {
    let Some(path) = args.write_baseline.as_ref().or(args.baseline.as_ref()) else { return Ok(Baseline::default()) };
    let name = escape::name(path);
    let text = match read_bounded(path, LONGEST_BASELINE) {
        Ok(text) => text,
        Err(error) if error.kind() == ErrorKind::NotFound && args.write_baseline.is_some() => {
            return Ok(Baseline::begin());
        }
        Err(error) => return Err(format!("cannot read the baseline {name}: {error}")),
    };
    Baseline::parse(&text).map_err(|error| {
        let (row, column) = (error.line(), error.column());
        let what = error.to_string();
        let what = what.strip_suffix(&format!(" at line {row} column {column}")).unwrap_or(&what);
        format!("{name}:{row}:{column}: {what}")
    })
}

fn write_baseline(path: &Path, linter: &Linter, baseline: &Baseline) -> ExitStatus {
    let written = Output::create(path).and_then(|mut output| {
        baseline.write(linter, &mut output)?;
        output.commit()
    });
    let unwritten = |error| complain(&format!("cannot write {}: {error}", escape::name(path)));
    written.map_or_else(unwritten, |()| ExitStatus::Clean)
}

struct Run<'a> {
    args: &'a LintArgs,
    /// The input whose text is that of standard input, mended.
    spooled: Option<usize>,
    walked: &'a Walked,
    report: Box<dyn Report + 'a>,
    out: &'a mut dyn Write,
    reports: Reports<'a>,
    summary: Summary,
    status: ExitStatus,
    /// The file that was last told to have failed.
    failed: Option<FileId>,
    progress: Progress,
    /// Why nothing more is written to standard output.
    error: Option<io::Error>,
}

impl Run<'_> {
    /// Puts the reports in their places, and writes statistics and summary.
    fn end(self, linter: &Linter, baseline: &Baseline, mended: Option<&Mended>) -> io::Result<ExitStatus> {
        let catalogue = linter.catalogue();
        let Run { args, out, summary, .. } = self;
        self.progress.finish();
        let reported = self.reports.commit();
        match self.error {
            None => {}
            // A closed pipe is no reason to keep silent about a report that was not written.
            Some(error) if error.kind() == ErrorKind::BrokenPipe && reported == ExitStatus::Failure => {
                return Ok(reported);
            }
            Some(error) => return Err(error),
        }
        if args.statistics && args.format().is_json() {
            summary.write_json(catalogue, out)?;
        } else if args.statistics {
            summary.write_statistics(catalogue, out)?;
        }
        out.flush()?;
        let kept = match &args.write_baseline {
            Some(path) if self.status == ExitStatus::Failure => {
                note_that(&format!("{} is not written: not all could be read", escape::name(path)));
                self.status
            }
            Some(path) => write_baseline(path, linter, baseline),
            None => ExitStatus::Clean,
        };
        if !(args.run.quiet || args.statistics && args.format().is_json()) {
            let mut err = io::stderr().lock();
            mended.iter().try_for_each(|mended| mended.write(&mut err))?;
            summary.write(catalogue, &mut err)?;
            if baseline.hidden() > 0 {
                writeln!(err, "not shown: {} of the baseline", counted(baseline.hidden(), "finding", "findings"))?;
            }
        }
        Ok(self.status.merge(reported).merge(kept).merge(summary.status(args.fail_on())))
    }

    fn all(&mut self, linter: &Linter, baseline: &mut Baseline) {
        let mut flow = self.tell(|report, out| report.start(out));
        for unreached in &self.walked.problems {
            match unreached_finding(linter, unreached) {
                Ok(finding) => flow = self.finding(&unreached.path, &finding, None),
                Err(unsaid) => self.failed(&unreached.path, Some(&unsaid)),
            }
            self.status = ExitStatus::Failure;
        }
        if flow.is_continue() {
            let walked = self.walked;
            let options = self.args.run.options();
            lint::run_beyond(baseline, &walked.inputs, &options, linter, |told| self.told(told));
        }
        let whole = self.status != ExitStatus::Failure;
        let _ = self.tell(|report, out| report.finish(out, whole));
    }

    fn told(&mut self, told: Told<'_>) -> ControlFlow<()> {
        match told {
            Told::Finding(file, mut finding, excerpt) => {
                let name = self.name(file);
                for related in &mut finding.related {
                    related.name = related.file.map(|file| self.name(file).into_owned());
                }
                return self.finding(&name, &finding, excerpt);
            }
            Told::Done { bytes, plies } => {
                self.summary.plies += plies;
                self.progress.advance(bytes);
            }
            Told::File { file, records } => {
                self.summary.files += 1;
                self.summary.records += records;
                if self.failed != Some(file) {
                    let name = self.name(file);
                    return self.tell(|report, out| report.file(out, &name));
                }
            }
            Told::Failed(file, unsaid) => {
                self.failed = Some(file);
                let name = self.name(file);
                self.failed(&name, unsaid.as_deref());
            }
        }
        ControlFlow::Continue(())
    }

    fn failed(&mut self, file: &Path, unsaid: Option<&str>) {
        self.status = ExitStatus::Failure;
        if let Some(why) = unsaid {
            self.progress.suspend(|| complain(&format!("{}: {why}", file.display())));
        }
    }

    fn name(&self, file: FileId) -> Cow<'static, Path> {
        let number = file.0 as usize;
        let input = if self.spooled == Some(number) { &Input::Stdin } else { &self.walked.inputs[number] };
        shown_name(input, self.args.stdin_filename.as_deref())
    }

    fn finding(&mut self, file: &Path, finding: &Finding, excerpt: Option<Excerpt<'_>>) -> ControlFlow<()> {
        self.summary.count(finding);
        self.tell(|report, out| report.finding(out, file, finding, excerpt))
    }

    /// Tells something to all reports; breaks when none is left that can be written.
    fn tell(&mut self, say: impl Fn(&mut dyn Report, &mut dyn Write) -> io::Result<()>) -> ControlFlow<()> {
        self.reports.tell(&say);
        if self.error.is_none() && !self.args.statistics {
            let (report, out) = (&mut self.report, &mut self.out);
            self.error = self.progress.suspend(|| say(&mut **report, *out)).err();
        }
        if self.error.is_some() && !self.reports.are_written() {
            return ControlFlow::Break(());
        }
        ControlFlow::Continue(())
    }
}
