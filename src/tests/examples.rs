//! The worked examples of the format's description give the findings that §14 lists, and our own samples give theirs. `name.expect` has a line `row:column CODE rule-name` for each finding, derived
//! by hand from the clauses.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::fs;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ctl::driver::Options;
use ctl::lint::{Catalogue, Linter, Selection, Told};
use ctl::replay::Replayer;
use ctl::source::Input;
use ctl::syntax::{Begins, FaultKind, ItemKind, Reader};

fn testdata() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata")
}

/// All findings of the rules that are on by default, as `.expect` files write them.
fn findings(file: &Path) -> Vec<String> {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::usual(catalogue));
    let mut found = Vec::new();
    ctl::lint::run(&[Input::File(file.to_owned())], &Options::default(), &linter, |told| {
        if let Told::Finding(_, finding, _) = told {
            let rule = &catalogue[finding.rule];
            found.push(format!("{}:{} {} {}", finding.at.row, finding.at.column, rule.code, rule.name));
        }
        ControlFlow::Continue(())
    });
    found
}

/// Lines of a `.expect` file; `#` begins what is said about them.
fn expected(file: &Path) -> Vec<String> {
    let text = fs::read_to_string(file).expect("every example has its .expect");
    text.lines().filter(|line| !line.starts_with('#')).map(str::to_owned).collect()
}

fn compare(archives: &[PathBuf]) {
    let mut wrong = Vec::new();
    for archive in archives {
        let (found, expected) = (findings(archive), expected(&archive.with_extension("expect")));
        if found != expected {
            wrong.push(format!("{}\n  expected {expected:#?}\n  found {found:#?}", archive.display()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_worked_examples_give_the_findings_of_clause_14() {
    let files = fs::read_dir(testdata().join("examples")).expect("the folder is there");
    let mut archives: Vec<PathBuf> = files.map(|file| file.expect("readable").path()).collect();
    archives.retain(|path| path.extension().is_some_and(|extension| extension == "ctl-pgn"));
    archives.sort();
    assert_eq!(archives.len(), 11);
    compare(&archives);
}

#[test]
fn the_sample_is_right_and_the_other_has_its_faults() {
    compare(&[testdata().join("sample.ctl-pgn"), testdata().join("sample-faults.ctl-pgn")]);
}

/// Records with an incoherence at each of their plies, one after another: who replays a ply notices its own.
#[test]
fn every_ply_of_the_fools_mate_and_its_variations_is_replayed() {
    let text = fs::read(testdata().join("examples/fools-mate-variations.ctl-pgn")).expect("the example is there");
    let mut reader = Reader::default();
    let mut record = reader.read(&text, Begins::File);
    let replayed = Replayer::default().replay(&mut record);
    assert!(record.faults.is_empty(), "{:?}", record.faults);
    assert_eq!(replayed.plies, 12 + 10);
    let plies: Vec<_> = record.items.iter().copied().filter(|item| item.kind == ItemKind::Ply).collect();
    for ply in plies {
        let word = ply.text(&text);
        let at = ply.at as usize;
        let mut spoilt = text.clone();
        if word[1].is_ascii_digit() {
            // A pawn's ply becomes a rook's.
            spoilt.insert(at, b'R');
        } else {
            spoilt[at] = if word[0] == b'R' { b'V' } else { b'R' };
        }
        let mut record = reader.read(&spoilt, Begins::File);
        Replayer::default().replay(&mut record);
        let noticed = |item: u32| record.items[item as usize].at as usize == at;
        let word = String::from_utf8_lossy(word);
        let first = record
            .faults
            .iter()
            .filter(|fault| matches!(fault.kind, FaultKind::Incoherence(_)))
            .min_by_key(|fault| fault.at);
        assert!(first.is_some_and(|fault| noticed(fault.item)), "{word}: {:?}", record.faults);
    }
}
