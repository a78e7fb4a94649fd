//! Facts that two other engines computed: hexes, castlings, legal plies and how the player stands, positions after a ply
//! with its check sign, perft. `testdata/` has a selection; with `CTL_SHARED` set to the folder that holds `oracle/`, all
//! is run.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Command;

use ctl::game::{Castling, Check, Colour, Hex, Ply, Position, Side, Status};
use ctl::notation::{Letters, PdtlFault, Signs, pdtl, read_ply, write_ply};

/// The rows of a table in the shared folder, if there is one.
fn shared(name: &str) -> Option<String> {
    let path: PathBuf = Path::new(&std::env::var_os("CTL_SHARED")?).join("oracle").join(name);
    if path.extension().is_some_and(|extension| extension == "gz") {
        let unzipped = Command::new("gzip").arg("-dc").arg(&path).output().expect("gzip runs");
        assert!(unzipped.status.success(), "{}", path.display());
        return Some(String::from_utf8(unzipped.stdout).expect("text"));
    }
    Some(std::fs::read_to_string(&path).expect(name))
}

/// Checks every row of a table; how many there are.
fn rows(text: &str, check: impl Fn(&[&str])) -> usize {
    let rows = text.lines().filter(|row| !row.starts_with('#'));
    rows.inspect(|row| check(&row.split('\t').collect::<Vec<_>>())).count()
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

fn word(ply: Ply) -> String {
    let mut out = Vec::new();
    write_ply(ply, &Letters::STANDARD, Signs::CANONICAL, &mut out);
    String::from_utf8(out).expect("UTF-8")
}

fn ply(word: &str, side: Side) -> Ply {
    let read = read_ply(word.as_bytes(), &Letters::STANDARD, side, &mut |slip| panic!("{word}: {slip:?}"));
    read.ply.expect(word)
}

/// A position, a ply with its precise sign, and the position after it.
fn applied(row: &[&str]) {
    let &[before, word, after] = row else { panic!("{row:?}") };
    let mut position = read(before);
    assert_eq!(write(&position), before);
    let ply = ply(word, position.turn);
    assert_eq!(position.legality(ply), Ok(()), "{row:?}");
    position.apply(ply).expect(before);
    assert_eq!(write(&position), after, "{before} {word}");
    assert_eq!(position, read(after), "{row:?}");
    let sign = match position.status() {
        Status::Mate(_) => Check::Mate,
        Status::Check(checks) => checks.kind(),
        Status::Quiet | Status::Stalemate => Check::None,
    };
    assert_eq!(sign, ply.check(), "{row:?}");
}

fn status(position: &Position) -> &'static str {
    match position.status() {
        Status::Quiet => "none",
        Status::Mate(_) => "mate",
        Status::Stalemate => "stalemate",
        Status::Check(checks) => match checks.kind() {
            Check::Far => "far",
            Check::Adjoining => "adjoining",
            Check::Double => "doublecheck",
            other => panic!("{other:?} is no kind of check"),
        },
    }
}

/// A position, the number of its legal plies, the plies, and how the player on turn stands.
fn legal(row: &[&str]) {
    let &[value, count, plies, stands] = row else { panic!("{row:?}") };
    let position = read(value);
    let mut found = Vec::new();
    position.legal_plies(&mut found);
    let found: BTreeSet<String> = found.into_iter().map(word).collect();
    let expected: BTreeSet<String> = plies.split_whitespace().map(str::to_owned).collect();
    let (missing, more) = (expected.difference(&found), found.difference(&expected));
    let off = (missing.collect::<Vec<_>>(), more.collect::<Vec<_>>());
    assert_eq!(off, (vec![], vec![]), "{value}: missing, and more than there are");
    assert_eq!(position.count_legal().to_string(), count, "{value}");
    assert_eq!(status(&position), stands, "{value}");
}

#[test]
fn plies_change_positions_as_the_oracle_says() {
    assert!(rows(include_str!("../../testdata/apply.tsv"), applied) >= 200);
    if let Some(text) = shared("apply.tsv.gz") {
        assert_eq!(rows(&text, applied), 10230);
    }
}

#[test]
fn legal_plies_are_those_of_the_oracle() {
    assert!(rows(include_str!("../../testdata/legal.tsv"), legal) >= 150);
    for (name, count) in [("legal-small.tsv", 1501), ("legal.tsv.gz", 16109)] {
        if let Some(text) = shared(name) {
            assert_eq!(rows(&text, legal), count, "{name}");
        }
    }
    if let Some(text) = shared("legal-hard.tsv") {
        assert_eq!(rows(&text, |row| legal(&row[..4])), 571);
    }
    if let Some(text) = shared("special.tsv") {
        assert_eq!(rows(&text, |row| legal(&row[1..])), 25);
    }
}

/// One row of the castlings: code, colour, then from and to of king, king's rook, queen's rook.
fn castling(row: &[&str]) {
    let castling = Castling::all().find(|castling| castling.code() == row[0]).expect(row[0]);
    let side = if row[1] == "white" { Side::White } else { Side::Black };
    let shown = |hex: Option<Hex>| hex.map_or("-".to_owned(), |hex| hex.to_string());
    let rook = |from: Hex, to: Option<Hex>| [shown(to.map(|_| from)), shown(to)];
    let king = [Castling::king_home(side).to_string(), castling.king_to(side).to_string()];
    let king_rook = rook(Castling::king_rook_home(side), castling.king_rook_to(side));
    let queen_rook = rook(Castling::queen_rook_home(side), castling.queen_rook_to(side));
    assert_eq!([king, king_rook, queen_rook].concat(), row[2..], "{row:?}");
}

#[test]
fn castlings_go_where_the_oracle_says() {
    assert_eq!(rows(include_str!("../../testdata/castlings.tsv"), castling), 48);
}

/// Hexes by their names' order, with a blank between them.
fn sorted(hexes: impl Iterator<Item = Hex>) -> Vec<String> {
    let mut names: Vec<String> = hexes.map(|hex| hex.to_string()).collect();
    names.sort();
    names
}

/// One row of the geometry: hex, colour, orthogonal, diagonal, jumps, rides, whose last hex it is.
fn geometry(row: &[&str]) {
    let hex = Hex::all().find(|hex| hex.to_string() == row[0]).expect(row[0]);
    let words = |cell: &str| {
        let mut words: Vec<String> = cell.split(' ').filter(|word| *word != "-").map(str::to_owned).collect();
        words.sort();
        words
    };
    let colour = match hex.colour() {
        Colour::Light => "light",
        Colour::Dark => "dark",
        Colour::Coloured => "colour",
    };
    assert_eq!(colour, row[1], "{hex}");
    assert_eq!(sorted(hex.orthogonal()), words(row[2]), "{hex}");
    assert_eq!(sorted(hex.diagonal()), words(row[3]), "{hex}");
    assert_eq!(sorted(hex.jumps()), words(row[4]), "{hex}");
    let mut rides: Vec<String> = hex.rides().map(|(via, to)| format!("{via}>{to}")).collect();
    rides.sort();
    assert_eq!(rides, words(row[5]), "{hex}");
    let last =
        [(Side::White, "w"), (Side::Black, "b")].map(|(side, sign)| if hex.is_last_for(side) { sign } else { "" });
    assert_eq!(last.concat(), row[6].replace('-', ""), "{hex}");
}

#[test]
fn hexes_lie_as_the_oracle_says() {
    assert_eq!(rows(include_str!("../../testdata/geometry.tsv"), geometry), 169);
}

/// How many lines of legal plies there are to a depth.
fn perft(position: &Position, depth: usize, buffers: &mut [Vec<Ply>]) -> u64 {
    let Some((plies, buffers)) = buffers.split_first_mut().filter(|_| depth > 1) else {
        return position.count_legal() as u64;
    };
    position.legal_plies(plies);
    let mut sum = 0;
    for &ply in &*plies {
        let mut after = *position;
        after.apply(ply).expect("a legal ply is coherent");
        sum += perft(&after, depth - 1, buffers);
    }
    sum
}

/// As many are counted when the whole oracle is not at hand.
const QUICK: u64 = 500_000;

#[test]
fn lines_of_plies_are_as_many_as_the_oracle_says() {
    let most = if std::env::var_os("CTL_SHARED").is_some() { u64::MAX } else { QUICK };
    let checked = rows(include_str!("../../testdata/perft.tsv"), |row| {
        let position = read(row[0]);
        for (depth, count) in
            (1..).zip(&row[1..5]).filter_map(|(depth, count)| Some((depth, count.parse::<u64>().ok()?)))
        {
            if count <= most {
                assert_eq!(perft(&position, depth, &mut vec![Vec::new(); 4]), count, "{row:?} {depth}");
            }
        }
    });
    assert_eq!(checked, 13);
}
