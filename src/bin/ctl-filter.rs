//! `ctl-filter`: arguments to a run.

use std::process::ExitCode;

use clap::Parser;
use ctl::cli::filter_args::FilterArgs;

fn main() -> ExitCode {
    ctl::cli::filter::run(&FilterArgs::parse()).into()
}
