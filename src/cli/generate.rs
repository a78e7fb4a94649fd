//! `--generate`: completions and man pages, from what the programs say of themselves; the configuration's schema.

use std::fmt::Write as _;
use std::io::{self, Write};

use super::config;
use clap::{Command, CommandFactory, ValueEnum};
use clap_complete::Shell;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, bold, roman};

/// What is to be generated.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum)]
pub enum Kind {
    /// Completions for bash
    Bash,
    /// Completions for zsh
    Zsh,
    /// Completions for fish
    Fish,
    /// Completions for PowerShell
    Powershell,
    /// The man page
    Man,
    /// The JSON schema of `ctl-lint.toml`
    Schema,
}

/// What the long help and the man page say behind the options: a title, and lines of a term and its explanation.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Section {
    /// The title.
    pub title: &'static str,
    /// The lines; terms stand in a column of their own.
    pub lines: &'static [(&'static str, &'static str)],
}

/// A program that has more to say of itself than its options.
pub trait Documented: CommandFactory {
    /// What stands behind the options.
    const SECTIONS: &'static [Section];
}

/// The sections as the long help shows them.
pub fn after_help(sections: &[Section]) -> String {
    let mut out = String::new();
    for (number, Section { title, lines }) in sections.iter().enumerate() {
        let width = lines.iter().map(|(term, _)| term.len()).max().unwrap_or(0);
        // Writing to a string does not fail.
        let _ = write!(out, "{}{title}:", if number == 0 { "" } else { "\n\n" });
        for (term, text) in *lines {
            let _ = write!(out, "\n  {term:width$}  {text}");
        }
    }
    out
}

/// Writes what is asked for.
pub fn write<P: Documented>(kind: Kind, out: &mut dyn Write) -> io::Result<()> {
    let shell = match kind {
        Kind::Bash => Shell::Bash,
        Kind::Zsh => Shell::Zsh,
        Kind::Fish => Shell::Fish,
        Kind::Powershell => Shell::PowerShell,
        Kind::Man => return write_man(P::command(), P::SECTIONS, out),
        Kind::Schema => return config::write_schema(out),
    };
    let mut command = P::command();
    let name = command.get_name().to_owned();
    // The generator panics where it cannot write; a vector takes all.
    let mut script = Vec::new();
    clap_complete::generate(shell, &mut command, name, &mut script);
    out.write_all(&script)
}

fn write_man(mut command: Command, sections: &[Section], out: &mut dyn Write) -> io::Result<()> {
    let usage = command.render_usage().to_string();
    // The page has no date of its own; what is empty must be quoted to keep its place.
    let man = Man::new(command.override_usage(usage.trim_start_matches("Usage: ").to_owned()))
        .date("\"\"")
        .manual("ctl-tools");
    let mut page = Vec::new();
    man.render_title(&mut page)?;
    man.render_name_section(&mut page)?;
    man.render_synopsis_section(&mut page)?;
    man.render_description_section(&mut page)?;
    man.render_options_section(&mut page)?;
    let mut roff = Roff::new();
    for Section { title, lines } in sections {
        roff.control("SH", [title.to_uppercase().as_str()]);
        for (term, text) in *lines {
            roff.control("TP", []);
            roff.text([bold(*term)]);
            roff.text([roman(*text)]);
        }
    }
    roff.to_writer(&mut page)?;
    String::from_utf8_lossy(&page).lines().try_for_each(|line| writeln!(out, "{}", set_bold(line)))
}

/// A line of a man page with bold type for what stands between backquotes.
fn set_bold(line: &str) -> String {
    let mut out = String::with_capacity(line.len());
    for (number, part) in line.split('`').enumerate() {
        match number {
            0 => {}
            _ if number % 2 == 1 => out.push_str("\\fB"),
            _ => out.push_str("\\fR"),
        }
        out.push_str(part);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cli::filter_args::FilterArgs;
    use crate::cli::lint_args::LintArgs;
    use clap::Parser;

    #[test]
    fn sections_stand_in_columns() {
        let first = Section { title: "Status", lines: &[("0", "well"), ("10", "ill")] };
        let second = Section { title: "More", lines: &[("a", "b")] };
        assert_eq!(after_help(&[first, second]), "Status:\n  0   well\n  10  ill\n\nMore:\n  a  b");
    }

    #[test]
    fn backquotes_are_bold() {
        assert_eq!(set_bold("take `a` or `b`"), r"take \fBa\fR or \fBb\fR");
        assert_eq!(set_bold(".SH NAME"), ".SH NAME");
    }

    /// The examples that a program gives can be parsed.
    fn check_examples<P: Documented + Parser>() {
        let examples = P::SECTIONS.iter().find(|section| section.title == "Examples").unwrap();
        for (line, _) in examples.lines {
            assert!(P::try_parse_from(line.split(' ')).is_ok(), "{line}");
            assert!(line.starts_with(P::command().get_name()), "{line}");
        }
    }

    #[test]
    fn examples_are_usage() {
        check_examples::<LintArgs>();
        check_examples::<FilterArgs>();
    }
}
