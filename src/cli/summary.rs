//! What a run has counted.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::io::{self, Write};

use serde::Serialize;

use super::ExitStatus;
use super::lint_args::FailOn;
use super::run::counted;
use crate::lint::{Applicability, Catalogue, Finding, RuleId, Severity};

/// The commonest rules that a summary names.
const COMMONEST: usize = 10;

/// Counts of a run; findings count whether shown or not.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Summary {
    /// Files read.
    pub files: u64,
    /// Records read.
    pub records: u64,
    /// Plies of main lines and variations.
    pub plies: u64,
    severities: BTreeMap<Severity, u64>,
    rules: BTreeMap<RuleId, u64>,
    /// Findings with a safe fix, and with an unsafe one.
    fixable: BTreeMap<Applicability, u64>,
}

/// The object of `--statistics --format json`.
#[derive(Serialize)]
struct Object<'a> {
    files: u64,
    records: u64,
    plies: u64,
    findings: BTreeMap<&'a str, u64>,
}

impl Summary {
    /// Counts a finding.
    pub fn count(&mut self, finding: &Finding) {
        *self.severities.entry(finding.severity).or_default() += 1;
        *self.rules.entry(finding.rule).or_default() += 1;
        if let Some(fix) = &finding.fix {
            *self.fixable.entry(fix.applicability).or_default() += 1;
        }
    }

    /// The exit status that the findings alone give.
    pub fn status(&self, limit: FailOn) -> ExitStatus {
        let reached = self.severities.keys().any(|severity| limit.reached(*severity));
        if reached { ExitStatus::Complaints } else { ExitStatus::Clean }
    }

    /// Writes the counts and the commonest rules.
    pub fn write(&self, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
        let found = |severity| self.severities.get(&severity).copied().unwrap_or(0);
        writeln!(
            out,
            "{}, {}, {}: {}, {}, {}",
            counted(self.files, "file", "files"),
            counted(self.records, "record", "records"),
            counted(self.plies, "ply", "plies"),
            counted(found(Severity::Error), "error", "errors"),
            counted(found(Severity::Warning), "warning", "warnings"),
            counted(found(Severity::Style), "style finding", "style findings"),
        )?;
        let fixable = |applicability| self.fixable.get(&applicability).copied().unwrap_or(0);
        match (fixable(Applicability::Safe), fixable(Applicability::Unsafe)) {
            (0, 0) => {}
            (safe, 0) => writeln!(out, "--fix would mend {safe}")?,
            (0, more) => writeln!(out, "--fix --unsafe-fixes would mend {more}")?,
            (safe, more) => writeln!(out, "--fix would mend {safe}, --unsafe-fixes {more} more")?,
        }
        self.write_rules(catalogue, COMMONEST, out)
    }

    /// Writes the findings of each rule, the commonest first.
    pub fn write_statistics(&self, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
        self.write_rules(catalogue, usize::MAX, out)
    }

    /// Writes all counts as one object.
    pub fn write_json(&self, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
        let findings = self.rules.iter().map(|(id, count)| (catalogue[*id].code.as_str(), *count)).collect();
        let object = Object { files: self.files, records: self.records, plies: self.plies, findings };
        serde_json::to_writer(&mut *out, &object)?;
        writeln!(out)
    }

    fn write_rules(&self, catalogue: &Catalogue, most: usize, out: &mut dyn Write) -> io::Result<()> {
        let mut rules: Vec<_> = self.rules.iter().collect();
        rules.sort_by_key(|(id, count)| (Reverse(**count), **id));
        rules.truncate(most);
        let width = rules.first().map_or(0, |(_, count)| count.to_string().len());
        for (id, count) in rules {
            let rule = &catalogue[*id];
            writeln!(out, "{count:>width$}  {} {}: {}", rule.code, rule.name, rule.summary)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::Place;
    use crate::lint::catalogue::samples::catalogue;

    fn finding(rule: u16, severity: Severity) -> Finding {
        let at = Place { offset: 0, row: 1, column: 1 };
        Finding {
            rule: RuleId(rule),
            severity,
            at,
            end: at,
            message: String::new(),
            notes: Vec::new(),
            related: Vec::new(),
            record: 1,
            id: None,
            ply: None,
            board: None,
            record_key: 0,
            fingerprint: 0,
            fix: None,
        }
    }

    fn summary() -> Summary {
        let mut summary = Summary { files: 1, records: 2, plies: 345, ..Summary::default() };
        summary.count(&finding(0, Severity::Style));
        summary.count(&finding(3, Severity::Warning));
        (0..10).for_each(|_| summary.count(&finding(3, Severity::Style)));
        summary
    }

    fn text(write: impl FnOnce(&mut Vec<u8>) -> io::Result<()>) -> String {
        let mut out = Vec::new();
        write(&mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn counts_are_told_with_the_commonest_rules_first() {
        assert_eq!(
            text(|out| summary().write(&catalogue(), out)),
            "\
1 file, 2 records, 345 plies: 0 errors, 1 warning, 11 style findings
11  T103 tag-order: tags out of order
 1  F110 trailing-blank: blanks at a line's end
"
        );
        assert_eq!(
            text(|out| summary().write_statistics(&catalogue(), out)).lines().next(),
            Some("11  T103 tag-order: tags out of order")
        );
    }

    #[test]
    fn a_summary_names_the_ten_commonest_rules() {
        let catalogue = Catalogue::load();
        let mut summary = Summary::default();
        for rule in 0..12 {
            (0..=rule).for_each(|_| summary.count(&finding(rule, Severity::Error)));
        }
        let said = text(|out| summary.write(catalogue, out));
        let counts: Vec<_> = said.lines().skip(1).filter_map(|line| line.split_whitespace().next()).collect();
        assert_eq!(counts, ["12", "11", "10", "9", "8", "7", "6", "5", "4", "3"]);
        assert_eq!(text(|out| summary.write_statistics(catalogue, out)).lines().count(), 12);
    }

    #[test]
    fn statistics_are_one_object() {
        assert_eq!(
            text(|out| summary().write_json(&catalogue(), out)),
            "{\"files\":1,\"records\":2,\"plies\":345,\"findings\":{\"F110\":1,\"T103\":11}}\n"
        );
        let none = text(|out| Summary::default().write_json(&catalogue(), out));
        assert_eq!(none, "{\"files\":0,\"records\":0,\"plies\":0,\"findings\":{}}\n");
    }

    #[test]
    fn the_status_follows_the_limit() {
        assert_eq!(summary().status(FailOn::Error), ExitStatus::Clean);
        assert_eq!(summary().status(FailOn::Warning), ExitStatus::Complaints);
        assert_eq!(summary().status(FailOn::Never), ExitStatus::Clean);
        assert_eq!(Summary::default().status(FailOn::Style), ExitStatus::Clean);
    }
}
