//! Positions, plies and the positions after them, computed by two other engines: `testdata/apply.tsv` has a selection.
//! With `CTL_SHARED` set to the folder that holds `oracle/`, all of it is run.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::path::Path;
use std::process::Command;

use ctl::game::Position;
use ctl::notation::{Letters, PdtlFault, pdtl, read_ply};

/// One position, a ply, and the position after it.
fn check(row: &str) {
    let [before, word, after] = row.split('\t').collect::<Vec<_>>().try_into().expect(row);
    let mut position = read(before);
    assert_eq!(write(&position), before);
    let ply = read_ply(word.as_bytes(), &Letters::STANDARD, position.turn, &mut |slip| panic!("{word}: {slip:?}"));
    position.apply(ply.ply.expect(row)).expect(row);
    assert_eq!(write(&position), after, "{before} {word}");
    assert_eq!(position, read(after), "{row}");
}

fn check_all(text: &str) -> usize {
    text.lines().filter(|row| !row.starts_with('#')).inspect(|row| check(row)).count()
}

/// Some of the positions were made up, with pieces and pawns that no game brings there.
fn read(value: &str) -> Position {
    let mut faults = Vec::new();
    let position = pdtl::parse(value.as_bytes(), &Letters::STANDARD, &mut |slip| faults.push(slip.fault));
    faults.retain(|fault| !matches!(fault, PdtlFault::PawnPlace | PdtlFault::TooMany));
    assert_eq!(faults, [], "{value}");
    position.expect(value)
}

fn write(position: &Position) -> String {
    let mut out = Vec::new();
    pdtl::write(position, &Letters::STANDARD, &mut out);
    String::from_utf8(out).expect("letters and digits")
}

#[test]
fn plies_change_positions_as_the_oracle_says() {
    let text = include_str!("../../testdata/apply.tsv");
    assert!(check_all(text) >= 200);
    if let Some(folder) = std::env::var_os("CTL_SHARED") {
        let file = Path::new(&folder).join("oracle/apply.tsv.gz");
        let unzipped = Command::new("gzip").arg("-dc").arg(&file).output().expect("gzip runs");
        assert_eq!(check_all(&String::from_utf8(unzipped.stdout).expect("text")), 10230);
    }
}
