//! `--rules` and `--explain`: the catalogue on the screen.

use std::io::{self, Write};

use crate::lint::catalogue::is_clause;
use crate::lint::select::Unknown;
use crate::lint::{Catalogue, Rule, RuleId};
use crate::report::page;

/// Writes a table of the rules: code, severity, fix, name, summary.
pub fn write_table<'c>(out: &mut dyn Write, rules: impl Iterator<Item = &'c Rule>) -> io::Result<()> {
    let rules: Vec<_> = rules.collect();
    let width = rules.iter().map(|rule| rule.name.len()).max().unwrap_or(0);
    for rule in rules {
        let (severity, fix) = (rule.severity.name(), rule.fix.name());
        writeln!(out, "{}  {severity:7}  {fix:6}  {:width$}  {}", rule.code, rule.name, rule.summary)?;
    }
    Ok(())
}

/// What `--explain` asks for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Asked {
    /// A rule, by code or name.
    Rule(RuleId),
    /// The rules that cite a clause; at least one.
    Clause(Vec<RuleId>),
}

impl Asked {
    /// Looks the word up.
    pub fn parse(catalogue: &Catalogue, word: &str) -> Result<Self, Unknown> {
        if let Some(id) = catalogue.find(word) {
            return Ok(Asked::Rule(id));
        }
        // The sign of a clause is not on every keyboard.
        let clause = if word.starts_with(|c: char| c.is_ascii_digit()) { format!("§{word}") } else { word.to_owned() };
        let citing = || catalogue.rules().filter(|(_, rule)| rule.cites(&clause)).map(|(id, _)| id);
        let ids: Vec<_> = if is_clause(&clause) { citing().collect() } else { Vec::new() };
        if ids.is_empty() { Err(Unknown::subject(catalogue, &clause)) } else { Ok(Asked::Clause(ids)) }
    }

    /// Writes the rule's page, or the table of the rules.
    pub fn write(&self, catalogue: &Catalogue, out: &mut dyn Write) -> io::Result<()> {
        match self {
            Asked::Rule(id) => write_page(catalogue, *id, out),
            Asked::Clause(ids) => write_table(out, ids.iter().map(|id| &catalogue[*id])),
        }
    }
}

fn write_page(catalogue: &Catalogue, id: RuleId, out: &mut dyn Write) -> io::Result<()> {
    let rule = &catalogue[id];
    writeln!(out, "{} {}: {}", rule.code, rule.name, rule.summary)?;
    write!(out, "{}, {}, fix: {}", rule.severity.name(), rule.clauses.join(", "), rule.fix.name())?;
    if rule.once.is_some() {
        write!(out, ", once a file")?;
    }
    if !rule.default {
        write!(out, ", off by default")?;
    }
    writeln!(out, ", since {}", rule.since)?;
    page::write(catalogue, id, out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::catalogue::samples::catalogue;

    fn explained(word: &str) -> String {
        let catalogue = catalogue();
        let mut out = Vec::new();
        Asked::parse(&catalogue, word).unwrap().write(&catalogue, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_table_has_a_line_for_each_rule() {
        let mut out = Vec::new();
        write_table(&mut out, catalogue().rules().map(|(_, rule)| rule)).unwrap();
        assert_eq!(
            String::from_utf8(out).unwrap(),
            "\
F110  style    safe    trailing-blank  blanks at a line's end
G102  error    none    blocked-path    a piece stands in the way
M104  error    safe    missing-comma   no comma between the plies of a pair
T103  warning  none    tag-order       tags out of order
"
        );
    }

    #[test]
    fn a_page_is_shown_without_what_only_tests_need() {
        assert_eq!(explained("M104"), explained("missing-comma"));
        assert_eq!(
            explained("M104"),
            "\
M104 missing-comma: no comma between the plies of a pair
error, §7.1, §7.6, fix: safe, since 0.1.0

Without the comma a simple reader takes the pair for one word.

text:

    not an example

bad crlf:

    1. E7-E13 E21-E15
    *

fixed:

    1. E7-E13, E21-E15
    *

good:

    1. E7-E13, E21-E15
    ```
    *
"
        );
        assert!(explained("T103").contains("fix: none, once a file, since"));
        assert!(explained("G102").contains("fix: none, off by default, since"));
    }

    #[test]
    fn a_clause_lists_the_rules_that_cite_it() {
        assert!(explained("§7.6").starts_with("M104  error"));
        assert!(explained("§7").starts_with("M104  error"));
        assert_eq!(explained("7.6"), explained("§7.6"));
        assert_eq!(explained("7"), explained("§7"));
        assert!(explained("R2.3").starts_with("G102  error"));
        for word in ["§99.1", "99.1", "7.", "2.3", "", "R", "tag-odrer"] {
            assert!(Asked::parse(&catalogue(), word).is_err(), "{word}");
        }
    }
}
