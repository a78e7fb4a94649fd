//! What both programs do around a run.

use std::borrow::Cow;
use std::fmt::Display;
use std::fs;
use std::io::{self, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};

use super::usage::near;
use super::{ExitStatus, RunArgs};
use crate::driver::Options;
use crate::lint::run::{file_message, problem_finding};
use crate::lint::{Finding, Linter, Place};
use crate::report::escape;
use crate::source::{Input, PathGlob, Problem, Unreached, Walked, Wanted, walk};

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

/// The files to read, of `paths` and of the list that `--files-from` names; it is an error to find none.
pub fn inputs(paths: &[PathBuf], args: &RunArgs) -> Result<Walked, ExitStatus> {
    let mut paths = paths.to_vec();
    if let Some(list) = &args.files_from {
        paths.extend(listed(list).map_err(|error| complain(&format!("cannot read {}: {error}", list.display())))?);
        if is_stdin(list) && paths.iter().any(|path| is_stdin(path)) {
            return Err(complain(&"standard input is the list of --files-from, and can't be read for records too"));
        }
    }
    let walked = walk(&paths, Wanted { include: args.include.as_deref(), exclude: &args.exclude });
    if walked.inputs.is_empty() && walked.problems.is_empty() {
        let names: Vec<String> = paths.iter().map(|path| escape::name(path)).collect();
        let names = if names.is_empty() { "an empty list".to_owned() } else { names.join(", ") };
        let left = if args.exclude.is_empty() { "" } else { ", without what is excluded" };
        let searched = match &args.include {
            None => "names that end in .ctl-pgn, .ctl-pgn.gz or .ctl-pgn.zst".to_owned(),
            Some(globs) => globs.iter().map(PathGlob::text).collect::<Vec<_>>().join(", "),
        };
        return Err(complain(&format!(
            "no file matched in {names}{left}: folders are searched for {searched}, other files are to be named"
        )));
    }
    Ok(walked)
}

/// A file that is read as a whole, if it has no more than `most` bytes: a device may have no end.
pub fn read_bounded(path: &Path, most: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    fs::File::open(path)?.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most { Err(io::Error::other(format!("it has more than {most} bytes"))) } else { Ok(bytes) }
}

fn is_stdin(path: &Path) -> bool {
    path == Path::new("-")
}

/// The paths that a list names.
fn listed(list: &Path) -> io::Result<Vec<PathBuf>> {
    let mut bytes = Vec::new();
    if is_stdin(list) {
        io::stdin().lock().read_to_end(&mut bytes)?;
    } else {
        bytes = fs::read(list)?;
    }
    paths_in(&bytes)
}

/// A path a line, whose ends may be CR LF, or separated by NUL if there is one. Empty lines name nothing.
fn paths_in(list: &[u8]) -> io::Result<Vec<PathBuf>> {
    let end = if list.contains(&0) { 0 } else { b'\n' };
    let lines = list.split(|&byte| byte == end);
    let names = lines.map(|line| if end == 0 { line } else { line.strip_suffix(b"\r").unwrap_or(line) });
    names.filter(|name| !name.is_empty()).map(path_of).collect()
}

/// The path that has these bytes.
#[cfg(unix)]
#[expect(clippy::unnecessary_wraps, reason = "elsewhere not all bytes are a path")]
pub fn path_of(name: &[u8]) -> io::Result<PathBuf> {
    use std::os::unix::ffi::OsStrExt;
    Ok(PathBuf::from(std::ffi::OsStr::from_bytes(name)))
}

/// The path that has these bytes.
#[cfg(not(unix))]
pub fn path_of(name: &[u8]) -> io::Result<PathBuf> {
    std::str::from_utf8(name).map(PathBuf::from).map_err(io::Error::other)
}

/// Lists what would be read, a line each, and says what can't be reached.
pub fn show_files(walked: &Walked, out: &mut dyn Write) -> io::Result<ExitStatus> {
    for input in &walked.inputs {
        writeln!(out, "{}", escape::name(input.path().map_or(Path::new("-"), shown_path)))?;
    }
    out.flush()?;
    for unreached in &walked.problems {
        complain(&format!("{}: this path cannot be read: {}", escape::name(&unreached.path), unreached.error));
    }
    Ok(if walked.problems.is_empty() { ExitStatus::Clean } else { ExitStatus::Failure })
}

/// The finding about a path that could not be reached, with what may be meant; where its rule is off, what there is to say.
pub fn unreached_finding(linter: &Linter, unreached: &Unreached) -> Result<Finding, String> {
    let problem = Problem::Unreadable(io::Error::new(unreached.error.kind(), unreached.error.to_string()));
    let meant = near(&unreached.path).map(|near| format!("did you mean {}?", near.display()));
    match problem_finding(linter, &problem, Place::START, 0) {
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
        Some(path) => Cow::Owned(shown_path(path).to_owned()),
        None => stdin.map_or(Cow::Borrowed(Path::new("<stdin>")), |name| Cow::Owned(name.to_owned())),
    }
}

fn shown_path(path: &Path) -> &Path {
    path.strip_prefix("./").unwrap_or(path)
}

/// How much text there is to read, where that is known.
pub fn total_bytes(inputs: &[Input]) -> Option<u64> {
    inputs.iter().map(Input::text_len).sum()
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_have_lines_or_nul() {
        let paths = |list: &[u8]| paths_in(list).unwrap();
        for (list, want) in [
            (&b"a\nb c\n"[..], &["a", "b c"][..]),
            (b"a\r\n\r\n b\n\nc\r", &["a", " b", "c"]),
            (b"a\nb\0c\r\0", &["a\nb", "c\r"]),
            (b"", &[]),
            (b"\n\n", &[]),
            (b"-", &["-"]),
        ] {
            assert_eq!(paths(list), want.iter().map(PathBuf::from).collect::<Vec<_>>(), "{list:?}");
        }
    }

    #[test]
    fn files_are_shown_a_line_each() {
        let inputs = ["./a.ctl-pgn", "b\nc", "d\u{1B}[2J", "é"].map(|path| Input::File(path.into()));
        let mut walked = Walked { inputs: inputs.to_vec(), ..Walked::default() };
        walked.inputs.push(Input::Stdin);
        let mut out = Vec::new();
        assert_eq!(show_files(&walked, &mut out).unwrap(), ExitStatus::Clean);
        assert_eq!(String::from_utf8(out).unwrap(), "a.ctl-pgn\nb\\u{a}c\nd\\u{1b}[2J\né\n-\n");
    }

    #[cfg(unix)]
    #[test]
    fn listed_names_need_not_be_utf8() {
        assert_eq!(paths_in(b"p\xE8\n").unwrap()[0].as_os_str().as_encoded_bytes(), b"p\xE8");
    }
}
