//! `ctl-lint`: arguments to a run.

use std::process::ExitCode;

fn main() -> ExitCode {
    ctl::cli::usage::main(ctl::cli::lint::run)
}
