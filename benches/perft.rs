//! How fast the rules of play are: `cargo bench --bench perft`. One thread; plies a second.
#![allow(clippy::expect_used, reason = "a legal ply is coherent")]

use ctl::game::{History, Line, Ply, Position};
use divan::counter::ItemsCount;
use divan::{Bencher, black_box};

/// Lines of four plies from the initial position.
const LEAVES: u64 = 25_048_957;

/// Calls `last` on every position that is reached, one ply short of the end; sums up what it says.
fn perft(position: &Position, buffers: &mut [Vec<Ply>], last: &impl Fn(&Position, &mut Vec<Ply>) -> u64) -> u64 {
    let Some((plies, buffers)) = buffers.split_first_mut() else { return 0 };
    if buffers.is_empty() {
        return last(position, plies);
    }
    position.legal_plies(plies);
    let after = |ply: &Ply| {
        let mut after = *position;
        after.apply(*ply).expect("a legal ply");
        perft(&after, buffers, last)
    };
    plies.iter().map(after).sum()
}

fn four_plies(bencher: Bencher<'_, '_>, last: impl Fn(&Position, &mut Vec<Ply>) -> u64) {
    let mut buffers = vec![Vec::new(); 4];
    bencher.counter(ItemsCount::new(LEAVES)).bench_local(|| {
        assert_eq!(perft(black_box(&Position::INITIAL), &mut buffers, &last), LEAVES);
    });
}

/// The last plies are counted.
#[divan::bench(sample_count = 5)]
fn counted(bencher: Bencher<'_, '_>) {
    four_plies(bencher, |position, _| position.count_legal() as u64);
}

/// The last plies are made and applied.
#[divan::bench(sample_count = 5)]
fn applied(bencher: Bencher<'_, '_>) {
    four_plies(bencher, |position, plies| {
        position.legal_plies(plies);
        for ply in &*plies {
            let mut after = *position;
            after.apply(*ply).expect("a legal ply");
            black_box(&after);
        }
        plies.len() as u64
    });
}

/// Random games, judged as a linter does: is the ply legal, does it give check, is the game drawn.
#[divan::bench]
fn judged(bencher: Bencher<'_, '_>) {
    let games: Vec<Vec<Ply>> = (1..=100).map(|seed| game(seed, 200)).collect();
    let mut history = History::default();
    let plies: usize = games.iter().map(Vec::len).sum();
    bencher.counter(ItemsCount::new(plies)).bench_local(|| {
        for game in &games {
            history.clear();
            let mut line = Line::new(Position::INITIAL, &mut history);
            for ply in game {
                assert_eq!(line.play(black_box(*ply), &mut history), Ok(()));
                black_box((line.checks(), line.draw(&history)));
            }
        }
    });
}

/// A game of random plies.
fn game(mut seed: u64, most: usize) -> Vec<Ply> {
    let mut history = History::default();
    let mut line = Line::new(Position::INITIAL, &mut history);
    let (mut plies, mut game) = (Vec::new(), Vec::new());
    while game.len() < most && line.ending(&history).is_none() {
        line.position().legal_plies(&mut plies);
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let ply = plies[(seed >> 33) as usize % plies.len()];
        line.play(ply, &mut history).expect("a legal ply");
        game.push(ply);
    }
    game
}

fn main() {
    divan::main();
}
