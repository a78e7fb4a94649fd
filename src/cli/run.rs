//! What both programs do around a run.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::usage::near;
use super::{ExitStatus, RunArgs};
use crate::driver::Options;
use crate::lint::run::{file_message, problem_finding};
use crate::lint::{Finding, Linter};
use crate::report::escape;
use crate::source::{Input, Problem, Unreached, Walked, walk};

/// More threads than this are of no use: each of them keeps chunks of its own.
const MOST_THREADS: usize = 256;

impl RunArgs {
    /// How the driver is to run.
    pub fn options(&self) -> Options {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let threads = self.threads.map_or_else(cores, std::num::NonZeroUsize::get);
        Options { threads: threads.min(MOST_THREADS), no_mmap: self.no_mmap, ..Options::default() }
    }
}

/// Says what is wrong with the usage, on standard error.
pub fn complain(what: &impl Display) -> ExitStatus {
    // Where standard error is closed, the status still tells.
    let _ = writeln!(io::stderr().lock(), "error: {}", escape::text(&what.to_string()));
    ExitStatus::Failure
}

/// Says more of what was said before, on standard error.
pub fn note_that(what: &str) {
    let _ = writeln!(io::stderr().lock(), "note: {}", escape::text(what));
}

/// The files to read; it is an error to find none.
pub fn inputs(paths: &[PathBuf]) -> Result<Walked, ExitStatus> {
    let walked = walk(paths);
    if walked.inputs.is_empty() && walked.problems.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| escape::name(path)).collect();
        return Err(complain(&format!(
            "no file matched in {}: folders are searched for names that end in .ctl-pgn, other files are to be named",
            names.join(", ")
        )));
    }
    Ok(walked)
}

/// The finding about a path that could not be reached, with what may be meant; where its rule is off, what there is to say.
pub fn unreached_finding(linter: &Linter, unreached: &Unreached) -> Result<Finding, String> {
    let problem = Problem::Unreadable(io::Error::new(unreached.error.kind(), unreached.error.to_string()));
    let meant = near(&unreached.path).map(|near| format!("did you mean {}?", near.display()));
    match problem_finding(linter, &problem, 0, 0, 0) {
        Some(mut finding) => {
            finding.notes.extend(meant);
            Ok(finding)
        }
        None => Err([Some(file_message(&problem)), meant].into_iter().flatten().collect::<Vec<_>>().join("; ")),
    }
}

/// What an input is called in reports.
pub fn shown_name(input: &Input, stdin: Option<&Path>) -> Cow<'static, Path> {
    match input.path() {
        Some(path) => Cow::Owned(path.strip_prefix("./").unwrap_or(path).to_owned()),
        None => stdin.map_or(Cow::Borrowed(Path::new("<stdin>")), |name| Cow::Owned(name.to_owned())),
    }
}

/// How much there is to read, where that is known.
pub fn total_bytes(inputs: &[Input]) -> Option<u64> {
    inputs
        .iter()
        .map(|input| std::fs::metadata(input.path()?).ok().filter(std::fs::Metadata::is_file).map(|file| file.len()))
        .sum()
}

/// How a run ended. A closed pipe ends it quietly: nobody reads on.
pub fn ended(result: io::Result<ExitStatus>) -> ExitStatus {
    match result {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitStatus::Clean,
        Err(error) => complain(&format!("cannot write: {error}")),
    }
}
