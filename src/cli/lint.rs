//! A run of `ctl-lint`: findings to standard output, all else to standard error.

use std::borrow::Cow;
use std::io::{self, BufWriter, IsTerminal, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::lint_args::LintArgs;
use super::pages::{Asked, write_table};
use super::progress::Progress;
use super::run::{complain, ended, inputs, show_files, shown_name, total_bytes, unreached_finding};
use super::summary::Summary;
use super::{ExitStatus, generate};
use crate::lint::{self, Catalogue, Excerpt, Finding, Linter, Selection, Told};
use crate::report::Report;
use crate::source::{FileId, Walked};

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
    let selection = match Selection::new(catalogue, &[args.words()]) {
        Ok(selection) => selection,
        Err(unknown) => return Ok(complain(&unknown)),
    };
    let linter = Linter::new(catalogue, &selection);
    let walked = match inputs(&args.paths, &args.run) {
        Ok(walked) => walked,
        Err(status) => return Ok(status),
    };
    if args.run.show_files {
        return show_files(&walked, out);
    }
    let color = args.run.color.decide(io::stdout().is_terminal(), |name| std::env::var_os(name));
    let mut run = Run {
        args,
        walked: &walked,
        report: args.format.report(catalogue, color, args.max_per_rule),
        out,
        summary: Summary::default(),
        status: ExitStatus::Clean,
        progress: Progress::new(|| total_bytes(&walked.inputs), args.run.quiet),
        error: None,
    };
    run.all(&linter);
    run.progress.finish();
    if let Some(error) = run.error {
        return Err(error);
    }
    if args.statistics && args.format.is_json() {
        run.summary.write_json(catalogue, run.out)?;
    } else if args.statistics {
        run.summary.write_statistics(catalogue, run.out)?;
    }
    run.out.flush()?;
    if !(args.run.quiet || args.statistics && args.format.is_json()) {
        run.summary.write(catalogue, &mut io::stderr().lock())?;
    }
    Ok(run.status.merge(run.summary.status(args.fail_on)))
}

struct Run<'a> {
    args: &'a LintArgs,
    walked: &'a Walked,
    report: Box<dyn Report + 'a>,
    out: &'a mut dyn Write,
    summary: Summary,
    status: ExitStatus,
    progress: Progress,
    error: Option<io::Error>,
}

impl Run<'_> {
    fn all(&mut self, linter: &Linter) {
        if !self.args.statistics {
            self.error = self.report.start(self.out).err();
        }
        for unreached in &self.walked.problems {
            match unreached_finding(linter, unreached) {
                Ok(finding) => drop(self.finding(&unreached.path, &finding, None)),
                Err(unsaid) => self.failed(&unreached.path, Some(&unsaid)),
            }
            self.status = ExitStatus::Failure;
        }
        if self.error.is_none() {
            let walked = self.walked;
            let options = self.args.run.options();
            lint::run(&walked.inputs, &options, linter, |told| self.told(told));
        }
        if self.error.is_none() && !self.args.statistics {
            self.error = self.report.finish(self.out).err();
        }
    }

    fn told(&mut self, told: Told<'_>) -> ControlFlow<()> {
        match told {
            Told::Finding(file, finding, excerpt) => {
                let name = self.name(file);
                return self.finding(&name, &finding, excerpt);
            }
            Told::Done { bytes, plies } => {
                self.summary.plies += plies;
                self.progress.advance(bytes);
            }
            Told::File { records } => {
                self.summary.files += 1;
                self.summary.records += records;
            }
            Told::Failed(file, unsaid) => {
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
        shown_name(&self.walked.inputs[file.0 as usize], self.args.stdin_filename.as_deref())
    }

    fn finding(&mut self, file: &Path, finding: &Finding, excerpt: Option<Excerpt<'_>>) -> ControlFlow<()> {
        self.summary.count(finding);
        if self.args.statistics {
            return ControlFlow::Continue(());
        }
        let (report, out) = (&mut self.report, &mut self.out);
        let written = self.progress.suspend(|| report.finding(out, file, finding, excerpt));
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                self.error = Some(error);
                ControlFlow::Break(())
            }
        }
    }
}
