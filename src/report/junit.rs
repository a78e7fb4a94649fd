//! Findings as failed tests in `JUnit`'s XML, for what reads nothing else.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use super::{Report, escape};
use crate::lint::{Catalogue, Excerpt, Finding};

/// A suite is written when it has so many bytes, and goes on as another one of the same name.
const LONGEST_SUITE: usize = 1 << 20;

/// A suite a file, with a failed case for each finding, or one that passed. A suite tells first how many cases it has;
/// therefore it is kept until it is whole, or long.
#[derive(Debug)]
pub struct Junit<'c> {
    catalogue: &'c Catalogue,
    /// Of the file that was spoken of last; empty before the first.
    name: String,
    cases: String,
    tests: u64,
    failures: u64,
}

impl<'c> Junit<'c> {
    /// Names rules from the catalogue.
    pub const fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, name: String::new(), cases: String::new(), tests: 0, failures: 0 }
    }

    fn write_suite(&mut self, out: &mut dyn Write) -> io::Result<()> {
        if self.tests > 0 {
            let Junit { name, cases, tests, failures, .. } = self;
            writeln!(out, r#"<testsuite name="{name}" tests="{tests}" failures="{failures}" errors="0" skipped="0">"#)?;
            out.write_all(cases.as_bytes())?;
            writeln!(out, "</testsuite>")?;
        }
        self.cases.clear();
        (self.tests, self.failures) = (0, 0);
        Ok(())
    }

    /// Writes the last suite if it is of another file.
    fn turn_to(&mut self, name: String, out: &mut dyn Write) -> io::Result<()> {
        if self.name != name {
            self.write_suite(out)?;
            self.name = name;
        }
        Ok(())
    }

    // Writing to a string can't fail.
    fn add_failure(&mut self, finding: &Finding) {
        let Junit { name: file, cases, .. } = self;
        let (code, rule) = (&self.catalogue[finding.rule].code, &self.catalogue[finding.rule].name);
        let (row, column, severity) = (finding.at.row, finding.at.column, finding.severity.name());
        let message = xml(&finding.message);
        let _ = writeln!(
            cases,
            r#"<testcase name="{code} {rule} {row}:{column}" classname="{file}" file="{file}" line="{row}">"#
        );
        let _ = write!(cases, r#"<failure type="{severity}" message="{message}">{file}:{row}:{column}: {message}"#);
        for note in &finding.notes {
            let _ = write!(cases, "\n{}", xml(note));
        }
        cases.push_str("</failure>\n</testcase>\n");
        self.tests += 1;
        self.failures += 1;
    }
}

impl Report for Junit<'_> {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ctl-lint\">")
    }

    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        self.turn_to(xml(&escape::lossy(file)), out)?;
        if self.cases.len() > LONGEST_SUITE {
            self.write_suite(out)?;
        }
        self.add_failure(finding);
        Ok(())
    }

    fn file(&mut self, out: &mut dyn Write, file: &Path) -> io::Result<()> {
        let name = xml(&escape::lossy(file));
        if self.name != name {
            self.turn_to(name, out)?;
            let _ = writeln!(
                self.cases,
                r#"<testcase name="no finding of its own" classname="{0}" file="{0}"/>"#,
                self.name
            );
            self.tests += 1;
        }
        self.write_suite(out)
    }

    fn finish(&mut self, out: &mut dyn Write, _: bool) -> io::Result<()> {
        self.write_suite(out)?;
        writeln!(out, "</testsuites>")
    }
}

/// Text for an element or an attribute. What XML can't hold, or nobody sees, is spelt out.
fn xml(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\u{FFFE}' | '\u{FFFF}' => out.extend(c.escape_unicode()),
            c if escape::is_hidden(c) => out.extend(c.escape_unicode()),
            c => out.push(c),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::super::samples::{finding, written};
    use super::*;
    use crate::lint::Severity;
    use crate::lint::catalogue::samples::catalogue;

    const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"ctl-lint\">\n";

    #[test]
    fn a_file_is_a_suite_and_a_finding_a_case() {
        let catalogue = catalogue();
        let mut other = finding();
        (other.severity, other.at.row) = (Severity::Style, 5);
        other.notes.push("a <note>".to_owned());
        let text = written(&mut Junit::new(&catalogue), Path::new("a.ctl-pgn"), &[finding(), other], None);
        assert_eq!(
            text.strip_prefix(HEAD).unwrap(),
            "\
<testsuite name=\"a.ctl-pgn\" tests=\"2\" failures=\"2\" errors=\"0\" skipped=\"0\">
<testcase name=\"M104 missing-comma 4:4\" classname=\"a.ctl-pgn\" file=\"a.ctl-pgn\" line=\"4\">
<failure type=\"error\" message=\"a comma is missing\">a.ctl-pgn:4:4: a comma is missing</failure>
</testcase>
<testcase name=\"M104 missing-comma 5:4\" classname=\"a.ctl-pgn\" file=\"a.ctl-pgn\" line=\"5\">
<failure type=\"style\" message=\"a comma is missing\">a.ctl-pgn:5:4: a comma is missing
a &lt;note&gt;</failure>
</testcase>
</testsuite>
</testsuites>
"
        );
    }

    #[test]
    fn a_file_without_findings_passes() {
        let catalogue = catalogue();
        let mut report = Junit::new(&catalogue);
        let mut out = Vec::new();
        report.finding(&mut out, Path::new("gone"), &finding(), None).unwrap();
        report.file(&mut out, Path::new("a")).unwrap();
        report.finding(&mut out, Path::new("b"), &finding(), None).unwrap();
        report.file(&mut out, Path::new("b")).unwrap();
        report.file(&mut out, Path::new("c")).unwrap();
        let text = String::from_utf8(out).unwrap();
        let suites: Vec<_> = text.lines().filter(|line| line.starts_with("<testsuite ")).collect();
        let suite = |name: &str, failures: u8| {
            format!("<testsuite name=\"{name}\" tests=\"1\" failures=\"{failures}\" errors=\"0\" skipped=\"0\">")
        };
        assert_eq!(suites, [suite("gone", 1), suite("a", 0), suite("b", 1), suite("c", 0)]);
        assert_eq!(text.matches("name=\"no finding of its own\"").count(), 2);
    }

    #[test]
    fn a_long_suite_goes_on_as_another() {
        let catalogue = catalogue();
        let text = written(&mut Junit::new(&catalogue), Path::new("a"), &vec![finding(); 10_000], None);
        let suites: Vec<_> = text.split("<testsuite ").skip(1).collect();
        assert!(suites.len() > 1);
        let mut all = 0;
        for suite in suites {
            let cases = suite.matches("<testcase ").count();
            assert!(suite.starts_with(&format!("name=\"a\" tests=\"{cases}\" failures=\"{cases}\"")), "{cases}");
            all += cases;
        }
        assert_eq!(all, 10_000);
    }

    #[test]
    fn what_xml_cannot_hold_is_spelt_out() {
        assert_eq!(
            xml("a<b>&\"'\u{1}\0\t\n\u{FFFE}\u{202E}×"),
            r"a&lt;b&gt;&amp;&quot;'\u{1}\u{0}\u{9}\u{a}\u{fffe}\u{202e}×"
        );
        assert_eq!(
            written(&mut Junit::new(&catalogue()), Path::new("a"), &[], None),
            HEAD.to_owned() + "</testsuites>\n"
        );
    }
}
