//! `testdata/clauses.tsv` splits the clauses of the format into single statements and names what breaks each: a page and
//! its bad example. With `CTL_SHARED` set to the folder that holds `spec/`, the table is
//! compared with the text of the format too.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use ctl::lint::{Catalogue, Rule, Severity};
use regex::Regex;

use super::has_no_examples;

/// Clauses of §1–§11 that can be broken; a row of the table has each.
const CLAUSES: usize = 100;

/// `by` is `page#2` for the second bad example of a page, `page` where it can have none.
struct Row {
    line: &'static str,
    clause: &'static str,
    severity: Severity,
    statement: &'static str,
    by: &'static str,
}

fn severity(letter: &str) -> Option<Severity> {
    match letter {
        "E" => Some(Severity::Error),
        "W" => Some(Severity::Warning),
        "S" => Some(Severity::Style),
        _ => None,
    }
}

fn rows() -> Vec<Row> {
    let table = include_str!("../../testdata/clauses.tsv");
    let rows = table.lines().skip(1).map(|line| {
        let [clause, letter, statement, by] = line.split('\t').collect::<Vec<_>>().try_into().unwrap();
        Row { line, clause, severity: severity(letter).unwrap(), statement, by }
    });
    rows.collect()
}

/// A clause's section and number, for their order.
fn numbers(clause: &str) -> (u32, u32) {
    let (section, number) = clause.split_once('.').unwrap_or((clause, "0"));
    (section.parse().unwrap(), number.parse().unwrap())
}

/// Whether it is one of §1–§11 and has a number: §10 as a whole speaks of the fields, §14 of the source's own examples.
fn is_numbered(clause: &str) -> bool {
    clause.contains('.')
}

/// What a row says that is not so.
fn fault(row: &Row, catalogue: &Catalogue) -> Option<String> {
    let (name, number) = row.by.split_once('#').unwrap_or((row.by, "0"));
    let Some((id, rule)) = catalogue.rules().find(|(_, rule)| rule.name == name) else {
        return Some("there is no such page".to_owned());
    };
    let page = catalogue.page(id).unwrap();
    let number: usize = number.parse().unwrap();
    let Rule { severity, clauses, .. } = rule;
    let example = number.checked_sub(1).and_then(|index| page.examples.get(index));
    if *severity != row.severity {
        Some(format!("the page's severity is {}", severity.name()))
    } else if is_numbered(row.clause) && !rule.clauses.contains(&format!("§{}", row.clause)) {
        Some(format!("the page cites {clauses:?}"))
    } else if let Some(example) = example {
        // That the example gives what its page expects is another test's.
        let shown = example.expect.iter().any(|expected| expected.code == rule.code);
        (!shown).then(|| "the example gives no finding of its page".to_owned())
    } else {
        (number > 0 || !has_no_examples(&rule.check)).then(|| format!("the page has {} examples", page.examples.len()))
    }
}

#[test]
fn every_row_names_what_breaks_it() {
    let catalogue = Catalogue::load();
    let rows = rows();
    let told = |row: &Row| fault(row, catalogue).map(|fault| format!("{}\n  {fault}", row.line));
    let wrong: Vec<_> = rows.iter().filter_map(told).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(rows.is_sorted_by_key(|row| numbers(row.clause)), "the clauses stand in their order");
    let statements: BTreeSet<_> = rows.iter().map(|row| (row.clause, row.statement)).collect();
    assert_eq!(statements.len(), rows.len(), "no statement stands twice");
}

#[test]
fn every_page_breaks_a_clause() {
    let rows = rows();
    let named: BTreeSet<_> = rows.iter().map(|row| row.by.split('#').next().unwrap()).collect();
    let unnamed: Vec<_> =
        Catalogue::load().rules().map(|(_, rule)| &rule.name).filter(|name| !named.contains(name.as_str())).collect();
    assert!(unnamed.is_empty(), "pages without a row: {unnamed:?}");
}

/// Clauses that define something and have rows all the same: what breaks them is found at other clauses' severities.
const DEFINING: [&str; 5] = ["2.1", "2.2", "2.4", "6.5", "6.6"];

#[test]
fn every_clause_has_a_row() {
    let rows = rows();
    let clauses: BTreeSet<_> = rows.iter().map(|row| row.clause).filter(|clause| is_numbered(clause)).collect();
    assert!(DEFINING.iter().all(|clause| clauses.contains(clause)));
    assert_eq!(clauses.len(), CLAUSES + DEFINING.len());
    let Some(folder) = std::env::var_os("CTL_SHARED") else { return };
    let format = std::fs::read_to_string(Path::new(&folder).join("spec/CTL-PGN.md")).unwrap();
    let told = told(&format);
    let mut table: BTreeMap<&str, BTreeSet<Severity>> = BTreeMap::new();
    for row in rows.iter().filter(|row| is_numbered(row.clause) && !DEFINING.contains(&row.clause)) {
        table.entry(row.clause).or_default().insert(row.severity);
    }
    for (clause, severity, _) in OURS {
        assert!(table.entry(clause).or_default().remove(&severity), "§{clause}: no row has that severity");
    }
    assert_eq!(table, told);
}

/// Severities of rows that the format's letters don't give, and why.
const OURS: [(&str, Severity, &str); 2] = [
    ("1.1", Severity::Error, "files that can't be read have no clause of their own"),
    ("10.3", Severity::Warning, "it says in words that older spellings are read with a warning"),
];

/// The severities of each clause of §1–§11 in the format's text: the letter of its row, and those that stand behind a
/// case.
fn told(format: &str) -> BTreeMap<&str, BTreeSet<Severity>> {
    let row = Regex::new(r"(?m)^\| (\d+\.\d+) \| (.*) \|$").unwrap();
    let case = r"(?:[:(;] ?|\b(?:is|are|else|position|order) |\*\*Decision\*\* )([EWS])(?:[ ,;.):]|$)";
    let (case, code) = (Regex::new(case).unwrap(), Regex::new("`[^`]*`").unwrap());
    let mut told = BTreeMap::new();
    for [clause, cells] in row.captures_iter(format).map(|row| row.extract().1) {
        let (section, _) = numbers(clause);
        // That nothing else is checked can't be broken.
        if section > 11 || clause == "11.8" {
            continue;
        }
        let (letter, text) = if section == 11 { ("E", cells) } else { cells.split_once(" | ").unwrap() };
        let text = code.replace_all(text, "");
        let letters = case.captures_iter(&text).map(|case| case.extract().1).map(|[letter]| letter);
        let severities: BTreeSet<_> = letters.chain([letter]).filter_map(severity).collect();
        if !severities.is_empty() {
            told.insert(clause, severities);
        }
    }
    told
}
