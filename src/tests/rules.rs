//! The rules of play, fast and plain, agree on random lines; what a line carries on is what its positions say; and the
//! linter finds what breaks them, and nothing else.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

mod plain;

use std::cell::Cell;
use std::fmt::Write;
use std::ops::ControlFlow;

use ctl::driver::Options;
use ctl::game::{
    Capture, Castling, Check, Ending, Hex, History, Illegal, Kind, Line, Piece, Ply, Position, Promotion, Rights,
    Shape, Side, Special, Status,
};
use ctl::lint::select::Words;
use ctl::lint::{Catalogue, Linter, Selection, Told};
use ctl::notation::{GameResult, Letters, Signs, pdtl, write_ply};
use ctl::source::Input;
use plain::Plain;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

fn shown(position: &Position) -> String {
    let mut out = Vec::new();
    pdtl::write(position, &Letters::STANDARD, &mut out);
    String::from_utf8(out).expect("letters and digits")
}

fn words(plies: impl Iterator<Item = Ply>) -> Vec<String> {
    let mut words: Vec<String> = plies
        .map(|ply| {
            let mut out = Vec::new();
            write_ply(ply, &Letters::STANDARD, Signs::CANONICAL, &mut out);
            String::from_utf8(out).expect("UTF-8")
        })
        .collect();
    words.sort();
    words
}

fn bits(plies: &mut [Ply]) {
    plies.sort_unstable_by_key(|ply| ply.to_bits());
}

/// Plies, legal and the boards after them, as both see them.
fn agree(position: &Position, plies: &mut Vec<Ply>) {
    let plain = Plain::new(position);
    let mut legal = plain.legal();
    legal.sort_unstable_by_key(|(ply, _)| ply.to_bits());
    position.legal_plies(plies);
    bits(plies);
    if !plies.iter().eq(legal.iter().map(|(ply, _)| ply)) {
        let (fast, plain) = (words(plies.iter().copied()), words(legal.iter().map(|(ply, _)| *ply)));
        assert_eq!(fast, plain, "{}", shown(position));
    }
    assert_eq!(position.count_legal(), legal.len(), "{}", shown(position));
    assert_eq!(position.has_legal(), !legal.is_empty(), "{}", shown(position));
    for (ply, board) in &legal {
        let mut after = *position;
        after.apply(*ply).expect("a legal ply is coherent");
        assert!(Hex::all().all(|hex| after.on(hex) == board.on(hex)), "{ply:?} on {}", shown(position));
    }
    for side in [Side::White, Side::Black] {
        let (fast, plain) = (position.checks(side), plain.checkers(side));
        assert!(fast.by().iter().all(|hex| plain.contains(hex)), "{}", shown(position));
        assert_eq!(fast.by().len(), plain.len().min(2), "{}", shown(position));
    }
    assert_eq!(position.checks(position.turn).kind(), plain.check(), "{}", shown(position));
    let (check, none) = (plain.check() != Check::None, legal.is_empty());
    let status = match position.status() {
        Status::Quiet => (false, false),
        Status::Check(_) => (true, false),
        Status::Mate(_) => (true, true),
        Status::Stalemate => (false, true),
    };
    assert_eq!(status, (check, none), "{}", shown(position));
}

/// Every coherent ply is legal, or has a reason why it isn't.
fn legality_is_membership(line: &Line, plies: &[Ply], coherent: &[Ply]) {
    let position = line.position();
    for &ply in coherent {
        let legality = position.legality(ply);
        let is_legal = plies.binary_search_by_key(&ply.to_bits(), |ply| ply.to_bits()).is_ok();
        assert_eq!(legality.is_ok(), is_legal, "{ply:?} {legality:?} on {}", shown(position));
        assert!(!matches!(legality, Err(Illegal::Incoherent(..))), "{ply:?} on {}", shown(position));
        assert_eq!(line.legality(ply), legality, "{ply:?} on {}", shown(position));
    }
}

/// Every ply that the minimal reader takes.
fn coherent(position: &Position) -> Vec<Ply> {
    let promotions = ["&", "D", "V", "R", "G", "N", "J"].map(|letter| match letter {
        "&" => Promotion::Awaiting,
        letter => Promotion::to(kind(letter)).expect("a pawn becomes it"),
    });
    let all = [Promotion::None].into_iter().chain(promotions);
    let mut shapes: Vec<Shape> = Castling::all().map(Shape::Castle).collect();
    for (from, piece) in position.pieces().filter(|(_, piece)| piece.side() == position.turn) {
        shapes.extend(promotions.map(|promotion| Shape::Promote { at: from, promotion }));
        let piece = piece.kind();
        for to in Hex::all() {
            let taken = position.on(to).map_or((Capture::None, Kind::Pawn), |there| (Capture::Taken, there.kind()));
            let mut captures = vec![taken];
            if let Special::Double(hex) | Special::Triple(hex) | Special::Scornful(hex, _) = position.special {
                let victim = position.on(hex).map_or(Kind::Pawn, Piece::kind);
                captures.extend([(Capture::Passing, victim), (Capture::LongPassing, victim)]);
            }
            for (capture, captured) in captures {
                let step = |promotion| Shape::Step { piece, from, to, capture, captured, promotion };
                shapes.extend(all.clone().map(step));
            }
        }
    }
    let plies = shapes.into_iter().map(|shape| Ply::new(shape, Check::None));
    plies.filter(|ply| { *position }.apply(*ply).is_ok()).collect()
}

fn kind(letter: &str) -> Kind {
    Letters::STANDARD.kind(letter.as_bytes()[0]).expect(letter)
}

/// What a line knows is what its position says.
fn line_is_true(line: &Line) {
    let position = line.position();
    assert_eq!(line.status(), position.status(), "{}", shown(position));
}

/// A start, and what to play from there.
#[derive(Clone, Debug)]
struct Plan {
    start: Position,
    choices: Vec<u16>,
}

/// A few pieces anywhere, so that pawns are near their last hexes, kings in each other's way, and lines open.
fn sparse() -> impl Strategy<Value = Position> {
    let men = prop::collection::vec((0..169_u8, 0..8_u8, any::<bool>()), 1..14);
    (men, any::<[bool; 6]>(), 0..169_u8, 0..169_u8, any::<[bool; 3]>()).prop_filter_map("kings that can be", |parts| {
        let (men, rights, white, black, [black_turn, white_home, black_home]) = parts;
        let mut position = Position::empty();
        position.turn = if black_turn { Side::Black } else { Side::White };
        for (hex, number, is_black) in men {
            let side = if is_black { Side::Black } else { Side::White };
            position.put(Hex::from_index(hex)?, Some(Piece::new(side, Kind::from_number(number)?)));
        }
        for (side, at_home, hex) in [(Side::White, white_home, white), (Side::Black, black_home, black)] {
            let home = Castling::king_home(side);
            let hex = if at_home { home } else { Hex::from_index(hex)? };
            position.put(hex, Some(Piece::new(side, Kind::King)));
            if at_home {
                let [king_rook, queen_rook] = [rights[side as usize], rights[side as usize + 2]];
                position.rights[side as usize] = Rights { king: true, king_rook, queen_rook };
                let rook = Some(Piece::new(side, Kind::Rook));
                position.put(Castling::king_rook_home(side), rook);
                position.put(Castling::queen_rook_home(side), rook);
            }
        }
        let kings = [Side::White, Side::Black].map(|side| position.king(side));
        let can_be = kings.iter().all(Option::is_some) && !position.checks(position.turn.other()).any();
        can_be.then_some(position)
    })
}

/// The positions of the oracle that show something.
fn known() -> Vec<Position> {
    let rows = include_str!("../../testdata/legal.tsv").lines().filter(|row| !row.starts_with('#'));
    let read = |row: &str| pdtl::parse(row.split('\t').next()?.as_bytes(), &Letters::STANDARD, &mut |_| {});
    rows.filter_map(read).collect()
}

fn plans(most: usize) -> impl Strategy<Value = Plan> {
    let choices = prop::collection::vec(any::<u16>(), 0..most);
    let starts = prop_oneof![
        2 => Just(Position::INITIAL),
        2 => prop::sample::select(known()),
        3 => sparse(),
    ];
    (starts, choices).prop_map(|(start, choices)| Plan { start, choices })
}

/// One of the plies; every third time one of the rarer kinds, if there is one.
fn choose(plies: &[Ply], choice: u16) -> Option<Ply> {
    let is_rare = |ply: &&Ply| match ply.shape() {
        Shape::Step { capture, promotion, piece, .. } => {
            capture != Capture::None || promotion != Promotion::None || piece == Kind::Pawn
        }
        _ => true,
    };
    let rare: Vec<&Ply> = plies.iter().filter(is_rare).collect();
    let (kind, index) = (choice % 3, usize::from(choice / 3));
    if kind == 0 && !rare.is_empty() {
        Some(*rare[index % rare.len()])
    } else {
        plies.get(index % plies.len().max(1)).copied()
    }
}

/// Walks this many random lines of at most so many plies, and looks at each position; how many there were.
fn walk(lines: u32, most: usize, look: impl Fn(&Line, &mut Vec<Ply>, u16)) -> u32 {
    let seen = Cell::new(0);
    let config = Config { cases: lines, failure_persistence: None, ..Config::default() };
    let walked = TestRunner::new(config).run(&plans(most), |plan| {
        let mut history = History::default();
        let mut line = Line::new(plan.start, &mut history);
        let (mut plies, mut keys) = (Vec::new(), Vec::new());
        for choice in plan.choices {
            look(&line, &mut plies, choice);
            keys.push(line.position().key());
            let times = keys.iter().filter(|key| keys.last() == Some(key)).count();
            assert_eq!(line.repetitions(&history) as usize, times, "{}", shown(line.position()));
            seen.set(seen.get() + 1);
            let Some(ply) = choose(&plies, choice) else { break };
            let before = *line.position();
            assert_eq!(line.play(ply, &mut history), Ok(()));
            assert_eq!(line.back([ply], &history), before);
        }
        Ok(())
    });
    walked.expect("what holds on every line");
    seen.get()
}

#[test]
fn fast_and_plain_rules_agree() {
    let seen = walk(700, 120, |line, plies, _| agree(line.position(), plies));
    assert!(seen >= 20_000, "{seen} positions are too few");
}

#[test]
fn a_line_knows_what_its_positions_say() {
    let seen = walk(700, 120, |line, plies, _| {
        line_is_true(line);
        line.position().legal_plies(plies);
    });
    assert!(seen >= 20_000, "{seen} positions are too few");
}

#[test]
fn every_coherent_ply_is_legal_or_has_a_reason() {
    walk(60, 40, |line, plies, _| {
        line.position().legal_plies(plies);
        bits(plies);
        legality_is_membership(line, plies, &coherent(line.position()));
    });
}

#[test]
fn a_line_goes_on_behind_illegal_plies() {
    walk(60, 60, |line, plies, choice| {
        line.position().legal_plies(plies);
        let mut history = History::default();
        let coherent = coherent(line.position());
        let Some(ply) = coherent.get(usize::from(choice) % coherent.len().max(1)) else { return };
        let before = *line.position();
        let mut line = Line::new(before, &mut history);
        let _ = line.play(*ply, &mut history);
        line_is_true(&line);
        assert_eq!(line.back([*ply], &history), before);
        let mut answers = Vec::new();
        line.position().legal_plies(&mut answers);
        if let Some(ply) = choose(&answers, choice) {
            let _ = line.play(ply, &mut history);
            line_is_true(&line);
        }
    });
}

/// A record of plies with their precise signs.
struct Written {
    text: String,
    position: Position,
    /// The number of the pair.
    number: u32,
    result: GameResult,
}

impl Written {
    fn new(start: Position) -> Written {
        let pdtl = shown(&start);
        let text = format!("[Variant \"C'escacs\"]\n[Id \"Me-X01\"]\n[Annotator \"Me\"]\n[PDTL \"{pdtl}\"]\n");
        Written { text, position: start, number: start.number.max(1), result: GameResult::Unfinished }
    }

    /// Writes a ply; where it stands, as a finding names it.
    fn play(&mut self, ply: Ply, sign: bool) -> String {
        let side = self.position.turn;
        let (number, first) = (self.number, self.text.ends_with("]\n"));
        let dot = if first && self.position.number == 0 { '?' } else { '.' };
        match side {
            Side::White => write!(self.text, "{number}{dot} "),
            Side::Black if first => write!(self.text, "{number}{dot} …, "),
            Side::Black => write!(self.text, ", "),
        }
        .expect("a string takes all");
        self.position.apply(ply).expect("a coherent ply");
        let sign = if sign { self.position.status().sign() } else { Check::None };
        self.text += &words([ply.with_check(sign)].into_iter())[0];
        if side == Side::Black {
            self.text += "\n";
            self.number += 1;
        }
        format!("{number}{}", if side == Side::White { 'w' } else { 'b' })
    }

    fn end(&self) -> String {
        let moves = self.text.trim_end();
        let mark = if moves.ends_with(['#', ']']) { "" } else { " :" };
        format!("{moves}{mark}\n{}\n", self.result.text())
    }
}

/// The result of a game that ended so.
fn result_of(ending: Ending, loser: Side) -> GameResult {
    match ending {
        Ending::Mate => GameResult::of_mate(loser.other()),
        Ending::Stalemate => GameResult::of_stalemate(loser.other()),
        Ending::Clock | Ending::Repetition => GameResult::Draw,
    }
}

/// What the rules of play find in a text: the ply, if it is at one, the name, the message.
fn found(text: &str) -> Vec<(Option<String>, String, String)> {
    let catalogue = Catalogue::load();
    let words = Words { select: Some(vec!["G".to_owned()]), ..Words::default() };
    let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).expect("a family"));
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record.ctl-pgn");
    std::fs::write(&file, text).expect("written");
    let mut found = Vec::new();
    ctl::lint::run(&[Input::File(file)], &Options::default(), &linter, |told| {
        if let Told::Finding(_, finding, _) = told {
            found.push((finding.ply, catalogue[finding.rule].name.clone(), finding.message));
        }
        ControlFlow::Continue(())
    });
    found
}

/// Plays on from a line with legal plies, until the game is over or nobody can mate; the choices that are left.
fn play_on<'c>(line: &mut Line, history: &mut History, written: &mut Written, choices: &'c [u16]) -> &'c [u16] {
    let mut plies = Vec::new();
    for (index, choice) in choices.iter().enumerate() {
        if let Some(ending) = line.ending(history) {
            written.result = result_of(ending, line.position().turn);
            return &[];
        }
        if line.cannot_mate() {
            return &[];
        }
        line.position().legal_plies(&mut plies);
        let Some(ply) = choose(&plies, *choice) else { return &choices[index..] };
        written.play(ply, true);
        assert_eq!(line.play(ply, history), Ok(()));
    }
    if let Some(ending) = line.ending(history) {
        written.result = result_of(ending, line.position().turn);
    }
    &[]
}

fn each_plan(most: usize, check: impl Fn(Plan) -> Result<(), TestCaseError>) {
    let config = Config { cases: 500, failure_persistence: None, ..Config::default() };
    TestRunner::new(config).run(&plans(most), check).expect("what holds of every record");
}

#[test]
fn the_linter_finds_nothing_in_what_is_played_by_the_rules() {
    each_plan(80, |plan| {
        let (mut history, mut written) = (History::default(), Written::new(plan.start));
        let mut line = Line::new(plan.start, &mut history);
        play_on(&mut line, &mut history, &mut written, &plan.choices);
        let text = written.end();
        let found = found(&text);
        prop_assert!(found.is_empty(), "{found:?}\n{text}");
        Ok(())
    });
}

#[test]
fn the_linter_finds_a_ply_that_the_plain_rules_do_not_allow_and_nothing_else() {
    let tried = Cell::new(0);
    each_plan(40, |plan| {
        let (mut history, mut written) = (History::default(), Written::new(plan.start));
        let mut line = Line::new(plan.start, &mut history);
        let half = plan.choices.len() / 2;
        play_on(&mut line, &mut history, &mut written, &plan.choices[..half]);
        let (position, rest) = (*line.position(), &plan.choices[half..]);
        let legal = Plain::new(&position).legal();
        let is_legal = |ply: &Ply| legal.iter().any(|(other, _)| other == ply);
        let illegal: Vec<Ply> = coherent(&position).into_iter().filter(|ply| !is_legal(ply)).collect();
        let (Some(&choice), None, false) = (rest.first(), line.ending(&history), line.cannot_mate()) else {
            return Ok(());
        };
        let Some(&ply) = illegal.get(usize::from(choice) % illegal.len().max(1)) else { return Ok(()) };
        let place = written.play(ply, false);
        prop_assert!(line.play(ply, &mut history).is_err());
        play_on(&mut line, &mut history, &mut written, &rest[1..]);
        let text = written.end();
        let found = found(&text);
        let places: Vec<_> = found.iter().map(|(place, ..)| place.as_deref()).collect();
        prop_assert_eq!(places, [Some(place.as_str())], "{:?}\n{}", found, text);
        tried.set(tried.get() + 1);
        Ok(())
    });
    assert!(tried.get() >= 300, "{} records are too few", tried.get());
}
