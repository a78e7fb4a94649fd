//! `ctl-lint`: arguments to a run.

use std::process::ExitCode;

use clap::Parser;
use ctl::cli::lint_args::LintArgs;

fn main() -> ExitCode {
    ctl::cli::lint::run(&LintArgs::parse()).into()
}
