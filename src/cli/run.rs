//! What both programs do around a run.

use std::borrow::Cow;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

use super::{ExitStatus, RunArgs};
use crate::driver::Options;
use crate::report::escape;
use crate::source::{Input, Problem, Unreached, Walked, walk};

impl RunArgs {
    /// How the driver is to run.
    pub fn options(&self) -> Options {
        let cores = || std::thread::available_parallelism().map_or(1, std::num::NonZeroUsize::get);
        let threads = self.threads.map_or_else(cores, std::num::NonZeroUsize::get);
        Options { threads, no_mmap: self.no_mmap, ..Options::default() }
    }
}

/// Says what is wrong with the usage, on standard error.
pub fn complain(what: &impl Display) -> ExitStatus {
    // Where standard error is closed, the status still tells.
    let _ = writeln!(io::stderr().lock(), "error: {}", escape::text(&what.to_string()));
    ExitStatus::Failure
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

/// What kept a path from being reached, as a problem of reading.
pub fn problem_of(unreached: &Unreached) -> Problem {
    Problem::Unreadable(io::Error::new(unreached.error.kind(), unreached.error.to_string()))
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

/// So many of something.
pub fn counted(count: u64, one: &str, more: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { more })
}

/// How a run ended. A closed pipe ends it quietly: nobody reads on.
pub fn ended(result: io::Result<ExitStatus>) -> ExitStatus {
    match result {
        Ok(status) => status,
        Err(error) if error.kind() == ErrorKind::BrokenPipe => ExitStatus::Clean,
        Err(error) => complain(&format!("cannot write: {error}")),
    }
}
