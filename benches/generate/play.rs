//! Play by the rules: any legal ply, with its sign (R1–R4).

use super::random::Random;
use ctl::game::{Capture, Check, Ending, Hex, History, Line, Ply, Position, Shape, Side, Status};
use ctl::notation::GameResult;

/// A line as it was played.
pub struct Played {
    /// Its plies, with their signs.
    pub plies: Vec<Ply>,
    /// How it ended, if the rules ended it; the last ply led there.
    pub ending: Option<Ending>,
}

impl Played {
    /// What the rules make of the game (R4, R5): whoever made the last ply mates, or wins by stalemate.
    pub fn result(&self, last: &Position) -> Option<GameResult> {
        let white = last.turn == Side::Black;
        Some(match self.ending? {
            Ending::Mate if white => GameResult::WhiteWins,
            Ending::Mate => GameResult::BlackWins,
            Ending::Stalemate if white => GameResult::WhiteStalemates,
            Ending::Stalemate => GameResult::BlackStalemates,
            Ending::Clock | Ending::Repetition => GameResult::Draw,
        })
    }
}

/// Plays for both sides. It holds memory that is reused from ply to ply.
#[derive(Default)]
pub struct Player {
    history: History,
    plies: Vec<Ply>,
    picked: Vec<Ply>,
}

impl Player {
    /// Up to `count` plies from `start`; fewer where the game ends.
    pub fn line(&mut self, start: &Position, count: u32, random: &mut Random) -> Played {
        self.history.clear();
        let mut line = Line::new(*start, &mut self.history);
        let mut played = Played { plies: Vec::new(), ending: None };
        while (played.plies.len() as u32) < count && played.ending.is_none() {
            let Some(ply) = self.ply(line.position(), random) else { break };
            if line.play(ply, &mut self.history).is_err() {
                break;
            }
            played.plies.push(ply.with_check(sign(line.status(), random)));
            played.ending = line.ending(&self.history);
        }
        played
    }

    /// A legal ply: every other time that something can be captured in passing it is, castling with both rooks as often,
    /// with one seldom; else any piece that can go does.
    fn ply(&mut self, position: &Position, random: &mut Random) -> Option<Ply> {
        self.plies.clear();
        position.legal_plies(&mut self.plies);
        let (passing, both, one) = (random.percent(50), random.percent(50), random.percent(4));
        self.pick(passing, random, |ply| {
            matches!(ply.shape(), Shape::Step { capture: Capture::Passing | Capture::LongPassing, .. })
        })
        .or_else(|| self.pick(both, random, |ply| rooks(*ply) == 2))
        .or_else(|| self.pick(one, random, |ply| rooks(*ply) == 1))
        .or_else(|| self.step(random))
    }

    /// One of the plies of a kind, if that is wanted.
    fn pick(&mut self, wanted: bool, random: &mut Random, kind: impl Fn(&Ply) -> bool) -> Option<Ply> {
        self.picked.clear();
        self.picked.extend(self.plies.iter().copied().filter(|ply| wanted && kind(ply)));
        random.pick(&self.picked)
    }

    /// A ply of a piece that can go; each is as likely as another.
    fn step(&mut self, random: &mut Random) -> Option<Ply> {
        let mut hexes: Vec<Hex> = self.plies.iter().filter_map(|ply| from(*ply)).collect();
        hexes.dedup();
        let hex = random.pick(&hexes);
        self.pick(hex.is_some(), random, |ply| from(*ply) == hex).or_else(|| random.pick(&self.plies))
    }
}

fn from(ply: Ply) -> Option<Hex> {
    match ply.shape() {
        Shape::Step { from, .. } | Shape::Promote { at: from, .. } => Some(from),
        Shape::Castle(_) => None,
    }
}

/// How many rooks castle with the king.
fn rooks(ply: Ply) -> usize {
    let Shape::Castle(castling) = ply.shape() else { return 0 };
    [castling.king_rook_to(Side::White), castling.queen_rook_to(Side::White)].into_iter().flatten().count()
}

/// The sign of a ply in one of its two spellings (§6.8).
fn sign(status: Status, random: &mut Random) -> Check {
    match status.sign() {
        precise @ (Check::None | Check::Mate) => precise,
        precise => {
            if random.percent(50) {
                Check::Plain
            } else {
                precise
            }
        }
    }
}
