//! A run of `ctl-filter`: text to standard output or to files, reports to standard error.

use std::fmt;
use std::io::{self, ErrorKind, IsTerminal, LineWriter, Stderr, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::slice;

use super::filter_args::{FilterArgs, OnError};
use super::progress::Progress;
use super::rejects::Rejects;
use super::run::{complain, counted, ended, inputs, note_that, show_files, shown_name, total_bytes, unreached_finding};
use super::{ExitStatus, generate};
use crate::driver::Options;
use crate::filter::{self, Told};
use crate::lint::{Catalogue, Linter, Selection};
use crate::report::{Concise, Report, escape};
use crate::source::{Input, Output, Walked, stdout_among};

/// Does what the arguments ask for.
pub fn run(args: &FilterArgs) -> ExitStatus {
    if let Some(kind) = args.run.generate {
        let written = generate::write::<FilterArgs>(kind, &mut io::stdout().lock());
        return ended(written.map(|()| ExitStatus::Clean));
    }
    if let Some(what) = args.contradiction() {
        return complain(&what);
    }
    let walked = match inputs(&args.paths, &args.reading()) {
        Ok(walked) => walked,
        Err(status) => return status,
    };
    if args.run.show_files {
        return ended(show_files(&walked, &mut io::stdout().lock()));
    }
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::usual(catalogue));
    let color = args.run.color.decide(io::stderr().is_terminal(), |name| std::env::var_os(name));
    let mut run = Run {
        args,
        options: Options { lines: args.from.is_some(), ..args.run.options() },
        linter: &linter,
        report: Concise::new(catalogue, color),
        err: LineWriter::new(io::stderr()),
        progress: Progress::new(|| total_bytes(&walked.inputs), args.run.quiet),
        status: ExitStatus::Clean,
    };
    let ended = if args.in_place {
        run.unreached(&walked);
        run.in_place(&walked.inputs);
        Ok(())
    } else {
        run.together(&walked)
    };
    run.progress.finish();
    match ended {
        Ok(()) => run.status,
        // A closed pipe ends a run quietly: nobody reads on.
        Err(Unwritten { error, .. }) if error.kind() == ErrorKind::BrokenPipe => ExitStatus::Clean,
        Err(unwritten) => complain(&unwritten),
    }
}

/// What could not be written, and why.
struct Unwritten {
    /// The file; standard output has no name.
    name: Option<PathBuf>,
    error: io::Error,
}

impl Unwritten {
    fn to(name: Option<&Path>) -> impl Fn(io::Error) -> Unwritten {
        move |error| Unwritten { name: name.map(Path::to_owned), error }
    }
}

impl fmt::Display for Unwritten {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = self.name.as_deref().map(escape::name).map(|name| format!(" {name}"));
        write!(f, "cannot write{}: {}", name.unwrap_or_default(), self.error)
    }
}

/// How a pass over inputs ended.
#[derive(Default)]
struct Pass {
    /// Something was written.
    written: bool,
    refused: u64,
    /// Of these, what was not read as a record.
    unread: u64,
    /// An input was not read to its end, or the program failed.
    failed: bool,
}

impl Pass {
    /// Why what was written is not all that there is, if so.
    fn lacks(&self, stop: bool) -> Option<String> {
        if self.failed {
            return Some("not all of the input could be read".to_owned());
        }
        let refused = counted(self.refused, "record", "records");
        (stop && self.refused > 0).then(|| format!("{refused} could not be filtered"))
    }
}

struct Run<'a> {
    args: &'a FilterArgs,
    options: Options,
    linter: &'a Linter,
    report: Concise<'a>,
    /// Standard error itself passes on each piece of a line. Where it is closed, the status still tells.
    err: LineWriter<Stderr>,
    progress: Progress,
    status: ExitStatus,
}

impl Run<'_> {
    fn fail(&mut self, what: &impl fmt::Display) {
        self.status = self.progress.suspend(|| complain(what));
    }

    /// Reports the paths that lead to no input.
    fn unreached(&mut self, walked: &Walked) {
        for unreached in &walked.problems {
            if let Ok(finding) = unreached_finding(self.linter, unreached) {
                let _ = self.report.finding(&mut self.err, &unreached.path, &finding, None);
                // The report has no room for them.
                finding.notes.iter().for_each(|note| note_that(note));
            }
            self.status = ExitStatus::Failure;
        }
    }

    /// Filters all inputs to standard output, or to a file.
    fn together(&mut self, walked: &Walked) -> Result<(), Unwritten> {
        let name = self.args.output.as_deref().filter(|name| *name != Path::new("-"));
        let mut file = name.map(Output::packed).transpose().map_err(Unwritten::to(name))?;
        let rejects = self.args.rejects.as_deref();
        let lines = self.options.lines;
        let mut refused =
            rejects.map(|path| Rejects::create(path, lines)).transpose().map_err(Unwritten::to(rejects))?;
        if let Some(why) = self.crossed(&walked.inputs, file.as_ref(), refused.as_ref()) {
            self.fail(&why);
            return Ok(());
        }
        self.unreached(walked);
        let mut stdout = io::stdout().lock();
        // Chunks come whole: a buffer before standard output would only copy them once more.
        let out: &mut dyn Write = file.as_mut().map_or(&mut stdout, |file| file);
        let mut pass = self.pass(&walked.inputs, (out, name), refused.as_mut().zip(rejects))?;
        out.flush().map_err(Unwritten::to(name))?;
        pass.failed |= !walked.problems.is_empty();
        self.keep_rejects(&pass, refused)?;
        match (file, pass.lacks(self.args.on_error == OnError::Stop)) {
            (None, _) => Ok(()),
            (Some(file), None) => file.commit().map_err(Unwritten::to(name)),
            (Some(file), Some(why)) => {
                self.left(name, &file, &why);
                Ok(())
            }
        }
    }

    /// Which files are to be written that are read or written already.
    fn crossed(&self, inputs: &[Input], file: Option<&Output>, rejects: Option<&Rejects>) -> Option<String> {
        let rejects = rejects.map(Rejects::output);
        let read = match file {
            Some(file) => file.input_among(inputs),
            None => stdout_among(inputs),
        };
        if let Some(input) = read.or_else(|| rejects?.input_among(inputs)) {
            let name = escape::name(&shown_name(input, None));
            return Some(format!("{name} is to be read and written: name another file"));
        }
        let (name, output) = (self.args.rejects.as_deref()?, self.args.output.as_deref());
        let same = output.is_some_and(|output| rejects.is_some_and(|rejects| rejects.leads_to(output)));
        same.then(|| format!("{} is to take what is written and what is refused: name two files", escape::name(name)))
    }

    /// The refused records are put in place before the text that lacks them.
    fn keep_rejects(&mut self, pass: &Pass, refused: Option<Rejects>) -> Result<(), Unwritten> {
        let (Some(name), Some(refused)) = (self.args.rejects.as_deref(), refused) else { return Ok(()) };
        if let Some(why) = pass.lacks(false) {
            self.left(Some(name), refused.output(), &why);
            return Ok(());
        }
        if pass.unread > 0 {
            let what = counted(pass.unread, "refusal is", "refusals are");
            self.note(&format!("{what} not in {}: only what was read as a record is", escape::name(name)));
        }
        refused.commit().map_err(Unwritten::to(Some(name)))
    }

    /// Replaces each input by its filtered text.
    fn in_place(&mut self, inputs: &[Input]) {
        for input in inputs {
            match self.replace(input) {
                Ok(true) => {}
                Ok(false) => break,
                Err(unwritten) => self.fail(&unwritten),
            }
        }
    }

    /// Replaces one input, and says whether to go on.
    fn replace(&mut self, input: &Input) -> Result<bool, Unwritten> {
        let Some(path) = input.path() else {
            self.fail(&"standard input cannot be filtered in place: name files");
            return Ok(true);
        };
        let shown = shown_name(input, None);
        let name = Some(&*shown);
        let mut output = Output::in_place(path).map_err(Unwritten::to(name))?;
        let pass = self.pass(slice::from_ref(input), (&mut output, name), None)?;
        match pass.lacks(true) {
            Some(why) => self.left(name, &output, &why),
            None if pass.written => output.commit().map_err(Unwritten::to(name))?,
            None => self.left(name, &output, "it holds no record"),
        }
        Ok(pass.refused == 0 || self.args.on_error == OnError::Skip)
    }

    fn left(&mut self, name: Option<&Path>, output: &Output, why: &str) {
        let name = name.map(escape::name).unwrap_or_default();
        self.note(&format!("{name} is {}: {why}", output.left()));
    }

    fn note(&mut self, what: &str) {
        let err = &mut self.err;
        let _ = self.progress.suspend(|| writeln!(err, "{what}"));
    }

    /// Filters inputs one behind another.
    fn pass(
        &mut self,
        inputs: &[Input],
        (out, name): (&mut dyn Write, Option<&Path>),
        mut rejects: Option<(&mut Rejects, &Path)>,
    ) -> Result<Pass, Unwritten> {
        let Run { args, options, linter, report, err, progress, status } = self;
        let (mut pass, mut result) = (Pass::default(), Ok(()));
        filter::run(inputs, options, linter, &args.wanted(), args.on_error == OnError::Stop, |told| {
            let mut written = Ok(());
            match told {
                Told::Text(text) => {
                    pass.written = true;
                    written = progress.suspend(|| out.write_all(text)).map_err(Unwritten::to(name));
                }
                Told::Finding(file, finding, excerpt) => {
                    let name = shown_name(&inputs[file.0 as usize], None);
                    let _ = progress.suspend(|| report.finding(err, &name, &finding, excerpt));
                }
                Told::Refused(record) => {
                    *status = status.merge(ExitStatus::Complaints);
                    pass.refused += 1;
                    pass.unread += u64::from(record.is_none());
                    if let Some((record, (rejects, name))) = record.zip(rejects.as_mut()) {
                        written = rejects.record(record).map_err(Unwritten::to(Some(name)));
                    }
                }
                Told::Done(bytes) => progress.advance(bytes),
                Told::Failed => {
                    *status = ExitStatus::Failure;
                    pass.failed = true;
                }
            }
            result = written;
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result.map(|()| pass)
    }
}
