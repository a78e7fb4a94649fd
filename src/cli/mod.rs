//! The command line: arguments, exit status, colours, progress, summary.

pub mod config;
pub mod filter;
pub mod filter_args;
pub mod generate;
pub mod lint;
pub mod lint_args;
mod mend;
pub mod pages;
pub mod progress;
mod rejects;
mod reports;
mod run;
pub mod summary;
mod suppress;
pub mod usage;

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{Args, ValueEnum, ValueHint};

use generate::Kind;

use crate::source::PathGlob;

/// How a run ended; the worse is the greater.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum ExitStatus {
    /// Nothing to complain of.
    Clean = 0,
    /// Findings at or above the limit, or records that could not be filtered.
    Complaints = 1,
    /// Usage, configuration, reading, writing or an internal error.
    Failure = 2,
}

impl ExitStatus {
    /// The worse of two.
    pub fn merge(self, other: Self) -> Self {
        self.max(other)
    }
}

impl From<ExitStatus> for ExitCode {
    fn from(status: ExitStatus) -> Self {
        ExitCode::from(status as u8)
    }
}

/// When to use colours.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum ColorChoice {
    /// On a terminal, unless `NO_COLOR` is set or `TERM` is dumb
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl ColorChoice {
    /// Whether a stream gets colours, by whether it is a terminal and the environment (`std::env::var_os`).
    pub fn decide(self, terminal: bool, var: impl Fn(&str) -> Option<OsString>) -> bool {
        match self {
            ColorChoice::Always => true,
            ColorChoice::Never => false,
            ColorChoice::Auto => {
                terminal
                    && var("NO_COLOR").is_none_or(|value| value.is_empty())
                    && var("TERM").is_none_or(|term| term != "dumb")
            }
        }
    }
}

/// What both programs take.
#[derive(Args, Clone, PartialEq, Eq, Debug)]
pub struct RunArgs {
    /// Leave out what matches in the folders that are walked; repeatable
    ///
    /// A glob without a slash (`*-draft.*`, `old`) is matched with the names of files and folders, at any depth; one with a
    /// slash (`2026/old`, `/old`) with paths, as they are shown or from the PATH on that is walked; one that ends in a
    /// slash matches folders only. A folder that matches is not entered. `*` and `?` match no slash, `**` does. Files and
    /// folders that are named, also by --files-from, are read all the same.
    #[arg(long, value_name = "GLOB")]
    pub exclude: Vec<PathGlob>,

    /// What a configuration wants to be read in folders; no option says it.
    #[arg(skip)]
    pub include: Option<Vec<PathGlob>>,

    /// Read the files and folders that a list names; `-`: the list is on standard input
    ///
    /// A path a line, or separated by NUL if there is one in the list. They come behind the PATHs; without
    /// any PATH only they are read.
    #[arg(long, value_name = "FILE")]
    pub files_from: Option<PathBuf>,

    /// List what would be read, and read nothing
    ///
    /// A path a line, `-` for standard input; control characters and bytes that are not UTF-8 are spelt out.
    #[arg(long)]
    pub show_files: bool,

    /// Read no configuration file
    ///
    /// ctl-lint reads the nearest `ctl-lint.toml`, at or above the current folder. ctl-filter reads none, with or without this.
    #[arg(long)]
    pub isolated: bool,

    /// Number of threads [default: one a core]
    ///
    /// The output is the same for any number. No more than 256 are started.
    #[arg(short = 'j', long, value_name = "N", value_parser = usage::threads, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub threads: Option<NonZeroUsize>,

    /// Read files instead of mapping them into memory
    ///
    /// By default files of 1 MiB and more are mapped, unless they are compressed.
    #[arg(long)]
    pub no_mmap: bool,

    /// When to use colours
    #[arg(long, value_name = "WHEN", value_enum, default_value_t = ColorChoice::Auto)]
    pub color: ColorChoice,

    /// No progress, no summary
    #[arg(short, long)]
    pub quiet: bool,

    /// Print completions for a shell, the man page, or the schema of `ctl-lint.toml`, and do nothing else
    ///
    /// It goes to standard output; no PATH and no other option is taken.
    #[arg(long, value_name = "KIND", value_enum, exclusive = true)]
    pub generate: Option<Kind>,
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_worse_status_wins() {
        assert_eq!(ExitStatus::Clean.merge(ExitStatus::Complaints), ExitStatus::Complaints);
        assert_eq!(ExitStatus::Failure.merge(ExitStatus::Complaints), ExitStatus::Failure);
        assert_eq!(ExitCode::from(ExitStatus::Failure), ExitCode::from(2));
    }

    #[test]
    fn colours_are_for_terminals_that_want_them() {
        let with =
            |name: &'static str, value: &'static str| move |var: &str| (var == name).then(|| OsString::from(value));
        assert!(ColorChoice::Auto.decide(true, |_| None));
        assert!(!ColorChoice::Auto.decide(false, |_| None));
        assert!(!ColorChoice::Auto.decide(true, with("NO_COLOR", "1")));
        assert!(ColorChoice::Auto.decide(true, with("NO_COLOR", "")));
        assert!(!ColorChoice::Auto.decide(true, with("TERM", "dumb")));
        assert!(ColorChoice::Always.decide(false, with("NO_COLOR", "1")));
        assert!(!ColorChoice::Never.decide(true, |_| None));
    }
}
