//! What a program says of arguments that it can't use, and the values that clap has no parser for.

use std::ffi::OsString;
use std::num::NonZeroUsize;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use super::ExitStatus;
use super::run::ended;
use crate::lint::Severity;
use crate::lint::select::nearest;
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

/// A number of threads.
pub fn threads(value: &str) -> Result<NonZeroUsize, &'static str> {
    value.parse().map_err(|_| "a number from 1 on was expected")
}

/// A number of things.
pub fn count(value: &str) -> Result<u64, &'static str> {
    value.parse().map_err(|_| "a number from 0 on was expected")
}

/// A word of a list, which may have blanks around it.
pub fn word(value: &str) -> Result<String, &'static str> {
    let word = value.trim();
    if word.is_empty() { Err("a word was expected") } else { Ok(word.to_owned()) }
}

/// A word for rules, and how bad their findings are.
pub fn severity(value: &str) -> Result<(String, Severity), String> {
    let (rule, level) = value.rsplit_once('=').ok_or("a rule, `=` and a severity were expected")?;
    let level = level.trim();
    let severity = Severity::ALL.into_iter().find(|severity| severity.name() == level);
    let severity =
        severity.ok_or_else(|| format!("no severity is called `{level}`: style, warning or error was expected"))?;
    Ok((word(rule)?, severity))
}

/// A reason that a comment can hold.
pub fn reason(value: &str) -> Result<String, &'static str> {
    let text = word(value).map_err(|_| "a reason was expected")?;
    if text.contains(|c: char| matches!(c, '{' | '}') || c.is_control()) {
        return Err("a reason has no braces and is one line");
    }
    Ok(text)
}

/// What may be meant by a path that does not exist: one in the same folder whose name is near.
pub fn near(path: &Path) -> Option<PathBuf> {
    let (name, parent) = (path.file_name()?.to_str()?, path.parent()?);
    if path.symlink_metadata().is_ok() {
        return None;
    }
    let folder = if parent.as_os_str().is_empty() { Path::new(".") } else { parent };
    let names = std::fs::read_dir(folder).ok()?.filter_map(|entry| entry.ok()?.file_name().into_string().ok());
    let mut names: Vec<String> = names.filter(|other| name.starts_with('.') || !other.starts_with('.')).collect();
    names.sort_unstable();
    nearest(name, names.iter().map(String::as_str)).first().map(|near| parent.join(near))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::lint_args::LintArgs;

    #[test]
    fn numbers_say_what_was_expected() {
        assert_eq!(threads("3"), Ok(NonZeroUsize::new(3).unwrap()));
        assert_eq!(count("0"), Ok(0));
        for value in ["0", "-1", "abc", "", "1.5", "99999999999999999999999"] {
            assert_eq!(threads(value), Err("a number from 1 on was expected"), "{value}");
        }
        assert_eq!(count("-1"), Err("a number from 0 on was expected"));
    }

    #[test]
    fn a_reason_fits_into_a_comment() {
        assert_eq!(reason(" as: printed "), Ok("as: printed".to_owned()));
        assert_eq!(reason(" "), Err("a reason was expected"));
        for value in ["a}", "{a", "a\nb", "a\u{85}b"] {
            assert_eq!(reason(value), Err("a reason has no braces and is one line"), "{value:?}");
        }
    }

    #[test]
    fn a_severity_has_a_rule() {
        assert_eq!(severity("T103=error"), Ok(("T103".to_owned(), Severity::Error)));
        assert_eq!(severity(" tag-order = style "), Ok(("tag-order".to_owned(), Severity::Style)));
        assert_eq!(severity("T103"), Err("a rule, `=` and a severity were expected".to_owned()));
        assert_eq!(severity("=error"), Err("a word was expected".to_owned()));
        assert_eq!(
            severity("T=fatal"),
            Err("no severity is called `fatal`: style, warning or error was expected".to_owned())
        );
    }

    #[test]
    fn words_have_no_blanks_around_them() {
        assert_eq!(word(" M102\t").as_deref(), Ok("M102"));
        assert!(word("").is_err() && word("  ").is_err());
    }

    #[test]
    fn hidden_characters_are_spelt_out() {
        let error = |word: &str| shown::<LintArgs>(&["ctl-lint".into(), word.into()]).unwrap().to_string();
        let said = error("--form\u{1b}[31m\n\u{202e}");
        assert!(said.contains(r"--form\u{1b}[31m\u{a}\u{202e}"), "{said}");
        assert!(!said.contains(['\u{1b}', '\u{202e}']), "{said}");
    }

    #[test]
    fn a_path_that_is_not_there_has_neighbours() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        for name in ["games-1.ctl-pgn", "notes.txt", ".games-2.ctl-pgn"] {
            std::fs::write(at(name), "").unwrap();
        }
        std::fs::create_dir(at("archive")).unwrap();
        assert_eq!(near(&at("game-1.ctl-pgn")), Some(at("games-1.ctl-pgn")));
        assert_eq!(near(&at("games-1")), Some(at("games-1.ctl-pgn")));
        assert_eq!(near(&at("archives")), Some(at("archive")));
        assert_eq!(near(&at("archives/")), Some(at("archive")));
        assert_eq!(near(&at(".games.ctl-pgn")), Some(at(".games-2.ctl-pgn")));
        for none in ["quite-else", "archive", "nowhere/games-1.ctl-pgn", ".."] {
            assert_eq!(near(&at(none)), None, "{none}");
        }
    }
}
