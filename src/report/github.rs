//! Findings as GitHub's runners take them from the log of a job: annotations at the lines of a change.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use super::{Report, escape};
use crate::lint::{Catalogue, Excerpt, Finding, Severity};

/// `::error file=…,line=…,col=…,endLine=…,endColumn=…,title=…::message`, a line each.
#[derive(Debug)]
pub struct Github<'c> {
    catalogue: &'c Catalogue,
}

impl<'c> Github<'c> {
    /// Names rules from the catalogue.
    pub const fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue }
    }
}

impl Report for Github<'_> {
    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        let rule = &self.catalogue[finding.rule];
        let Finding { at, end, .. } = finding;
        let command = match finding.severity {
            Severity::Error => "error",
            Severity::Warning => "warning",
            Severity::Style => "notice",
        };
        write!(out, "::{command} file={},line={}", property(&escape::lossy(file)), at.row)?;
        // Of a place that goes over lines GitHub takes no columns.
        if at.row == end.row {
            write!(out, ",col={},endLine={},endColumn={}", at.column, end.row, end.column)?;
        } else {
            write!(out, ",endLine={}", end.row)?;
        }
        write!(out, ",title={} {}::{}", rule.code, rule.name, data(&finding.message))?;
        for note in &finding.notes {
            write!(out, "%0A{}", data(note))?;
        }
        writeln!(out)
    }
}

/// A message: its percent signs and line ends are encoded, as runners decode them; what else is hidden is spelt out.
fn data(text: &str) -> String {
    encoded(text, "%\r\n")
}

/// A property's value, which colons and commas would end.
fn property(text: &str) -> String {
    encoded(text, "%\r\n:,")
}

fn encoded(text: &str, reserved: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if reserved.contains(c) {
            // All that is reserved is ASCII; writing to a string can't fail.
            let _ = write!(out, "%{:02X}", u32::from(c));
        } else if escape::is_hidden(c) {
            out.extend(c.escape_unicode());
        } else {
            out.push(c);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::samples::{finding, place, written};
    use super::*;
    use crate::lint::catalogue::samples::catalogue;

    fn line(file: &str, change: impl FnOnce(&mut Finding)) -> String {
        let catalogue = catalogue();
        let mut finding = finding();
        change(&mut finding);
        written(&mut Github::new(&catalogue), Path::new(file), &[finding], None)
    }

    #[test]
    fn a_finding_is_a_command() {
        assert_eq!(
            line("games/a.ctl-pgn", |_| {}),
            "::error file=games/a.ctl-pgn,line=4,col=4,endLine=4,endColumn=9,title=M104 missing-comma::a comma is missing\n"
        );
        let warning = line("a", |finding| finding.severity = Severity::Warning);
        assert!(warning.starts_with("::warning file=a,"), "{warning}");
        let style = line("a", |finding| finding.severity = Severity::Style);
        assert!(style.starts_with("::notice file=a,"), "{style}");
    }

    #[test]
    fn a_place_over_lines_has_no_columns() {
        let command = line("a", |finding| finding.end = place(200, 7, 2));
        assert!(command.contains("file=a,line=4,endLine=7,title="), "{command}");
    }

    #[test]
    fn what_would_end_a_part_is_encoded() {
        let command = line("a,b: 100%\n.ctl-pgn", |finding| {
            finding.message = "50% of `a,b: c`\u{1b}::".to_owned();
            finding.notes = vec!["a note".to_owned(), "two\r\nlines".to_owned()];
        });
        assert!(command.starts_with("::error file=a%2Cb%3A 100%25%0A.ctl-pgn,line=4,"), "{command}");
        assert!(command.ends_with("::50%25 of `a,b: c`\\u{1b}::%0Aa note%0Atwo%0D%0Alines\n"), "{command}");
    }
}
