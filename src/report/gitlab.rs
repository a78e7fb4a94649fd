//! Findings as GitLab's code quality report.

use std::collections::HashMap;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use serde::Serialize;

use super::json::write_value;
use super::{Report, escape};
use crate::lint::{Catalogue, Excerpt, Finding, Severity, hash};

/// A valid array whatever is found, a finding a line.
#[derive(Debug)]
pub struct Gitlab<'c> {
    catalogue: &'c Catalogue,
    begun: bool,
    file: PathBuf,
    /// How often each fingerprint was seen in the file: records that are the same twice have the same ones.
    seen: HashMap<u64, u64>,
}

impl<'c> Gitlab<'c> {
    /// Names rules from the catalogue.
    pub fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, begun: false, file: PathBuf::new(), seen: HashMap::new() }
    }

    /// A fingerprint that no other finding of the run has: GitLab shows one of those that are alike.
    fn fingerprint(&mut self, file: &Path, finding: &Finding) -> u64 {
        if self.file != file {
            file.clone_into(&mut self.file);
            self.seen.clear();
        }
        let ordinal = self.seen.entry(finding.fingerprint).or_default();
        let parts = [&finding.fingerprint.to_le_bytes(), file.as_os_str().as_encoded_bytes(), &ordinal.to_le_bytes()];
        *ordinal += 1;
        hash(&parts)
    }
}

#[derive(Serialize)]
struct Issue<'a> {
    description: &'a str,
    check_name: &'a str,
    fingerprint: String,
    severity: &'static str,
    location: Location<'a>,
}

#[derive(Serialize)]
struct Location<'a> {
    path: &'a str,
    lines: Lines,
}

#[derive(Serialize)]
struct Lines {
    begin: u64,
}

impl Report for Gitlab<'_> {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")
    }

    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        out.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        let issue = Issue {
            fingerprint: format!("{:016x}", self.fingerprint(file, finding)),
            description: &finding.message,
            check_name: &self.catalogue[finding.rule].name,
            severity: match finding.severity {
                Severity::Error => "major",
                Severity::Warning => "minor",
                Severity::Style => "info",
            },
            location: Location { path: &escape::lossy(file), lines: Lines { begin: finding.at.row } },
        };
        write_value(out, &issue)
    }

    fn finish(&mut self, out: &mut dyn Write, _: bool) -> io::Result<()> {
        out.write_all(if self.begun { b"\n]\n" } else { b"]\n" })
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::super::samples::{finding, written};
    use super::*;
    use crate::lint::catalogue::samples::catalogue;

    #[test]
    fn a_finding_is_an_issue() {
        let catalogue = catalogue();
        let mut style = finding();
        style.severity = Severity::Style;
        let text = written(&mut Gitlab::new(&catalogue), Path::new("a.ctl-pgn"), &[finding(), style], None);
        let issues: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
        assert_eq!(
            issues[0],
            serde_json::json!({
                "description": "a comma is missing",
                "check_name": "missing-comma",
                "fingerprint": issues[0]["fingerprint"].as_str().unwrap(),
                "severity": "major",
                "location": {"path": "a.ctl-pgn", "lines": {"begin": 4}},
            })
        );
        assert_eq!(issues[1]["severity"], "info");
        assert_eq!(written(&mut Gitlab::new(&catalogue), Path::new("a"), &[], None), "[]\n");
    }

    #[test]
    fn fingerprints_are_unique_and_stay() {
        let catalogue = catalogue();
        let prints = |rows: &[u64]| {
            let mut report = Gitlab::new(&catalogue);
            let of = |issue: &serde_json::Value| issue["fingerprint"].as_str().unwrap().to_owned();
            let mut out = Vec::new();
            report.start(&mut out).unwrap();
            for file in ["a", "b"] {
                for &row in rows {
                    let mut finding = finding();
                    finding.at.row = row;
                    report.finding(&mut out, Path::new(file), &finding, None).unwrap();
                }
            }
            report.finish(&mut out, true).unwrap();
            serde_json::from_slice::<Vec<_>>(&out).unwrap().iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(prints(&[4, 5, 6]).iter().collect::<HashSet<_>>().len(), 6);
        assert_eq!(prints(&[4, 5, 6]), prints(&[14, 25, 36]));
    }
}
