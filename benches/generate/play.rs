//! Plausible play: pieces go as their geometry has it (R1, R2), kings are neither captured nor guarded.

use super::random::Random;
use ctl::game::{Capture, Castling, Check, Hex, Kind, Piece, Ply, Position, Promotion, Shape, Side, Special};

/// Columns and lines of a step (§2.3).
type Step = (i8, i8);
const ORTHOGONAL: [Step; 6] = [(0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1)];
const DIAGONAL: [Step; 6] = [(2, 0), (1, 3), (1, -3), (-2, 0), (-1, -3), (-1, 3)];
const ELEPHANT: [Step; 4] = [(1, 3), (1, -3), (-1, -3), (-1, 3)];
const JUMPS: [Step; 12] =
    [(1, 5), (1, -5), (-1, 5), (-1, -5), (2, 4), (2, -4), (-2, 4), (-2, -4), (3, 1), (3, -1), (-3, 1), (-3, -1)];

/// After so many plies without capture or pawn ply a line ends, before R5.1 ends it.
const LONGEST_CLOCK: u32 = 149;

const fn forward(side: Side) -> i8 {
    if matches!(side, Side::White) { 1 } else { -1 }
}

/// Where one piece can go: free hexes, and those of the enemy (kings too: that is how a check shows).
struct Reach<'a> {
    position: &'a Position,
    from: Hex,
    side: Side,
    to: &'a mut Vec<Hex>,
}

impl Reach<'_> {
    fn is_free(&self, hex: Hex) -> bool {
        self.position.on(hex).is_none()
    }

    /// Adds a hex unless an own piece holds it; whether it is free.
    fn add(&mut self, hex: Hex) -> bool {
        let there = self.position.on(hex);
        if there.is_none_or(|piece| piece.side() != self.side) {
            self.to.push(hex);
        }
        there.is_none()
    }

    fn steps(&mut self, steps: &[Step]) {
        for &(columns, lines) in steps {
            self.from.offset(columns, lines).map(|hex| self.add(hex));
        }
    }

    fn rays(&mut self, steps: &[Step]) {
        for &(columns, lines) in steps {
            let mut at = self.from;
            while let Some(hex) = at.offset(columns, lines) {
                if !self.add(hex) {
                    break;
                }
                at = hex;
            }
        }
    }

    /// The same jump twice, without capture.
    fn rides(&mut self) {
        for (columns, lines) in JUMPS {
            let first = self.from.offset(columns, lines).filter(|hex| self.is_free(*hex));
            let second = first.and_then(|hex| hex.offset(columns, lines)).filter(|hex| self.is_free(*hex));
            self.to.extend(second);
        }
    }

    fn elephant(&mut self) {
        self.steps(&ELEPHANT);
        let free = self.from.ahead(self.side, 2).is_some_and(|hex| self.add(hex));
        if free {
            self.from.ahead(self.side, 4).map(|hex| self.add(hex));
        }
    }

    fn pawn(&mut self) {
        let forward = forward(self.side);
        for columns in [-1, 1] {
            let oblique = self.from.offset(columns, forward).filter(|hex| self.is_free(*hex));
            let captured = self.from.offset(columns, 3 * forward).filter(|hex| !self.is_free(*hex));
            self.to.extend(oblique);
            captured.map(|hex| self.add(hex));
        }
        // From F8, A5 and L5, and Black's, there is no triple step (R2.1).
        let home = Position::INITIAL.on(self.from) == Some(Piece::new(self.side, Kind::Pawn));
        let longest = if home && !matches!(self.from.column(), 2 | 7 | 12) { 6 } else { 4 };
        for lines in (2..=longest).step_by(2) {
            let Some(hex) = self.from.ahead(self.side, lines).filter(|hex| self.is_free(*hex)) else { break };
            self.to.push(hex);
        }
    }
}

/// Fills `to` with where the piece on `from` can go.
fn reach(position: &Position, from: Hex, to: &mut Vec<Hex>) {
    to.clear();
    let Some(piece) = position.on(from) else { return };
    let side = piece.side();
    let mut reach = Reach { position, from, side, to };
    match piece.kind() {
        Kind::Pawn => reach.pawn(),
        Kind::Elephant => reach.elephant(),
        Kind::Bishop => reach.rays(&DIAGONAL),
        Kind::Knight => {
            reach.steps(&JUMPS);
            reach.rides();
        }
        Kind::Pegasus => {
            reach.rays(&DIAGONAL);
            reach.steps(&JUMPS);
        }
        Kind::Rook => reach.rays(&ORTHOGONAL),
        Kind::Wyvern => {
            reach.rays(&ORTHOGONAL);
            reach.steps(&JUMPS);
        }
        Kind::Queen => {
            reach.rays(&ORTHOGONAL);
            reach.rays(&DIAGONAL);
        }
        Kind::King => {
            reach.steps(&ORTHOGONAL);
            reach.steps(&DIAGONAL);
            if position.rights[side as usize].king {
                reach.steps(&JUMPS);
            }
        }
    }
}

fn is_king(position: &Position, hex: Hex) -> bool {
    position.on(hex).is_some_and(|piece| piece.kind() == Kind::King)
}

/// What a pawn of `side` can become on `hex` (R2.5).
fn regainable(position: &Position, side: Side, hex: Hex) -> Vec<Promotion> {
    let mut kinds = [0_u8; 9];
    let mut bishop = false;
    for at in Hex::all() {
        if let Some(piece) = position.on(at).filter(|piece| piece.side() == side) {
            kinds[piece.kind() as usize] += 1;
            bishop |= piece.kind() == Kind::Bishop && at.colour() == hex.colour();
        }
    }
    Kind::ALL
        .into_iter()
        .filter(|&kind| kinds[kind as usize] < kind.initial_count() && !(kind == Kind::Bishop && bishop))
        .filter_map(Promotion::to)
        .collect()
}

/// Plays for both sides. It holds memory that is reused from ply to ply.
#[derive(Default)]
pub struct Player {
    own: Vec<Hex>,
    to: Vec<Hex>,
    plies: Vec<Ply>,
}

impl Player {
    /// Up to `count` plies from `start`; fewer where there is none to play.
    pub fn line(&mut self, start: &Position, count: u32, random: &mut Random) -> Vec<Ply> {
        let mut position = *start;
        let mut plies = Vec::new();
        while (plies.len() as u32) < count && position.clock < LONGEST_CLOCK {
            let Some(ply) = self.ply(&position, random) else { break };
            if position.apply(ply).is_err() {
                break;
            }
            plies.push(self.with_check(ply, &position, random));
        }
        plies
    }

    fn ply(&mut self, position: &Position, random: &mut Random) -> Option<Ply> {
        let side = position.turn;
        self.own.clear();
        self.own.extend(Hex::all().filter(|hex| position.on(*hex).is_some_and(|piece| piece.side() == side)));
        self.in_place(position, random)
            .or_else(|| self.passing(position, random))
            .or_else(|| castling(position, random))
            .or_else(|| self.step(position, random))
    }

    /// An awaiting pawn becomes what has become regainable: that is compulsory (R2.7).
    fn in_place(&self, position: &Position, random: &mut Random) -> Option<Ply> {
        let side = position.turn;
        let pawn = Some(Piece::new(side, Kind::Pawn));
        self.own.iter().filter(|hex| hex.is_last_for(side) && position.on(**hex) == pawn).find_map(|&at| {
            let promotion = random.pick(&regainable(position, side, at))?;
            Some(Ply::new(Shape::Promote { at, promotion }, Check::None))
        })
    }

    /// Every other time that something can be captured in passing (R2.3, R2.4).
    fn passing(&mut self, position: &Position, random: &mut Random) -> Option<Ply> {
        let side = position.turn;
        self.plies.clear();
        let mut add = |victim: Hex, to: Option<Hex>, lines: i8, capture: Capture| {
            let Some(captured) = position.on(victim).map(Piece::kind) else { return };
            for (to, columns) in to.into_iter().flat_map(|to| [(to, -1), (to, 1)]) {
                let Some(from) = to.offset(columns, -lines * forward(side)) else { continue };
                let faced = || from.ahead(side, 2).is_some_and(|hex| position.on(hex).is_none());
                if position.on(from) == Some(Piece::new(side, Kind::Pawn)) && (lines == 3 || faced()) {
                    let promotion = promotion(position, to, random);
                    let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion };
                    self.plies.push(Ply::new(shape, Check::None));
                }
            }
        };
        match position.special {
            Special::None => {}
            Special::Double(hex) => add(hex, hex.ahead(side, 2), 3, Capture::Passing),
            Special::Triple(hex) => {
                add(hex, hex.ahead(side, 2), 3, Capture::Passing);
                add(hex, hex.ahead(side, 4), 3, Capture::LongPassing);
            }
            Special::Scornful(hex, _) => add(hex, Some(hex), 1, Capture::Passing),
        }
        if random.percent(50) { random.pick(&self.plies) } else { None }
    }

    /// A random piece goes to a random hex; if it cannot move, the next one does.
    fn step(&mut self, position: &Position, random: &mut Random) -> Option<Ply> {
        let first = random.below(self.own.len() as u32) as usize;
        for index in 0..self.own.len() {
            let from = self.own[(first + index) % self.own.len()];
            reach(position, from, &mut self.to);
            self.to.retain(|hex| !is_king(position, *hex));
            let (Some(to), Some(piece)) = (random.pick(&self.to), position.on(from).map(Piece::kind)) else { continue };
            let captured = position.on(to).map(Piece::kind);
            let capture = if captured.is_some() { Capture::Taken } else { Capture::None };
            let promotion = if piece == Kind::Pawn { promotion(position, to, random) } else { Promotion::None };
            let captured = captured.unwrap_or(Kind::Pawn);
            return Some(Ply::new(Shape::Step { piece, from, to, capture, captured, promotion }, Check::None));
        }
        None
    }

    /// The sign of a check by the piece that moved, in one of its two spellings (§6.8); others are not looked for.
    fn with_check(&mut self, ply: Ply, after: &Position, random: &mut Random) -> Ply {
        let Shape::Step { to, .. } = ply.shape() else { return ply };
        reach(after, to, &mut self.to);
        let Some(king) = self.to.iter().find(|hex| is_king(after, **hex)) else { return ply };
        let near = |steps: &[Step]| steps.iter().any(|&(columns, lines)| to.offset(columns, lines) == Some(*king));
        let adjoining = near(&ORTHOGONAL) || near(&DIAGONAL) || near(&JUMPS);
        ply.with_check(match (random.percent(50), adjoining) {
            (true, _) => Check::Plain,
            (false, true) => Check::Adjoining,
            (false, false) => Check::Far,
        })
    }
}

/// What a pawn on turn becomes on `to`, nothing short of the last hex.
fn promotion(position: &Position, to: Hex, random: &mut Random) -> Promotion {
    if to.is_last_for(position.turn) {
        random.pick(&regainable(position, position.turn, to)).unwrap_or(Promotion::Awaiting)
    } else {
        Promotion::None
    }
}

/// Now and then, where nothing has moved that takes part.
fn castling(position: &Position, random: &mut Random) -> Option<Ply> {
    let rights = position.rights[position.turn as usize];
    if !rights.king || !random.percent(15) {
        return None;
    }
    let castling = Castling::from_number(random.below(u32::from(Castling::COUNT)) as u8)?;
    let side = position.turn;
    let unmoved = (rights.king_rook || castling.king_rook_to(side).is_none())
        && (rights.queen_rook || castling.queen_rook_to(side).is_none());
    let ply = Ply::new(Shape::Castle(castling), Check::None);
    let mut after = *position;
    (unmoved && after.apply(ply).is_ok()).then_some(ply)
}
