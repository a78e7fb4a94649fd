//! What a program says of arguments that it can't use.

use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

use clap::Parser;

use super::ExitStatus;
use super::run::ended;
use crate::report::escape;

/// What `main` of both programs does: reads the arguments and runs, or tells help, version or a usage error.
pub fn main<P: Parser>(run: impl FnOnce(&P) -> ExitStatus) -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().collect();
    let status = match P::try_parse_from(&arguments) {
        Ok(args) => run(&args),
        Err(error) => tell(&shown::<P>(&arguments).unwrap_or(error)),
    };
    status.into()
}

/// The error as it may reach a terminal: that of arguments whose hidden characters are spelt out.
fn shown<P: Parser>(arguments: &[OsString]) -> Option<clap::Error> {
    P::try_parse_from(arguments.iter().map(|argument| escape::name(Path::new(argument)))).err()
}

fn tell(error: &clap::Error) -> ExitStatus {
    if error.use_stderr() {
        // Where standard error is closed, the status still tells.
        let _ = error.print();
        return ExitStatus::Failure;
    }
    ended(error.print().map(|()| ExitStatus::Clean))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::lint_args::LintArgs;

    #[test]
    fn hidden_characters_are_spelt_out() {
        let error = |word: &str| shown::<LintArgs>(&["ctl-lint".into(), word.into()]).unwrap().to_string();
        let said = error("--form\u{1b}[31m\n\u{202e}");
        assert!(said.contains(r"--form\u{1b}[31m\u{a}\u{202e}"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said}");
    }
}
