//! One line a finding, for people who know the rules and for other programs' eyes.

use std::io::{self, Write};
use std::path::Path;

use codespan_reporting::term::{WriteStyle, termcolor::WriteColor};

use super::{Report, coloured, escape, full::style};
use crate::lint::{Catalogue, Excerpt, Finding};

/// `path:row:column: severity CODE rule-name message [id ply]`.
#[derive(Debug)]
pub struct Concise<'c> {
    catalogue: &'c Catalogue,
    color: bool,
}

impl<'c> Concise<'c> {
    /// Names rules from the catalogue; the severity is coloured if that is wanted.
    pub const fn new(catalogue: &'c Catalogue, color: bool) -> Self {
        Self { catalogue, color }
    }
}

impl Report for Concise<'_> {
    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        let mut out = coloured(out, self.color);
        let rule = &self.catalogue[finding.rule];
        write!(out, "{}:{}:{}: ", escape::name(file), finding.at.row, finding.at.column)?;
        out.set_header(style(finding.severity))?;
        out.write_all(finding.severity.name().as_bytes())?;
        WriteColor::reset(&mut *out)?;
        write!(out, " {} {} {}", rule.code, rule.name, escape::text(&finding.message))?;
        let whose: Vec<_> = [&finding.id, &finding.ply].into_iter().flatten().map(|word| escape::text(word)).collect();
        if !whose.is_empty() {
            write!(out, " [{}]", whose.join(" "))?;
        }
        writeln!(out)
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{finding, written};
    use super::*;
    use crate::lint::catalogue::samples::catalogue;

    #[test]
    fn a_finding_is_a_line() {
        let catalogue = catalogue();
        let mut other = finding();
        other.id = None;
        other.message = "odd \u{202E}\n word".to_owned();
        let mut of_file = other.clone();
        of_file.ply = None;
        let lines =
            written(&mut Concise::new(&catalogue, false), Path::new("a.ctl-pgn"), &[finding(), other, of_file], None);
        assert_eq!(
            lines,
            "a.ctl-pgn:4:4: error M104 missing-comma a comma is missing [Me-X01 12w]\n\
             a.ctl-pgn:4:4: error M104 missing-comma odd \\u{202e}\\u{a} word [12w]\n\
             a.ctl-pgn:4:4: error M104 missing-comma odd \\u{202e}\\u{a} word\n"
        );
    }

    #[test]
    fn only_the_severity_is_coloured() {
        let catalogue = catalogue();
        let line = written(&mut Concise::new(&catalogue, true), Path::new("a"), &[finding()], None);
        assert!(line.starts_with("a:4:4: \x1B[") && line.contains("error\x1B[0m M104"), "{line:?}");
    }
}
