//! Where pieces reach, as tables of steps (§2.3, R1), and who attacks a hex.

use std::ops::ControlFlow;

use super::{Check, Hex, Kind, Piece, Position, Side};

/// Directions by number: six orthogonal ones, then six diagonal ones, each clockwise from White's way ahead.
pub(super) const DIRECTIONS: usize = 12;
/// The first diagonal one.
pub(super) const DIAGONAL: usize = 6;
/// Columns and lines of one step (§2.3).
const STEPS: [(i8, i8); DIRECTIONS] =
    [(0, 2), (1, 1), (1, -1), (0, -2), (-1, -1), (-1, 1), (1, 3), (2, 0), (1, -3), (-1, -3), (-2, 0), (-1, 3)];
/// Columns and lines of a knight's jumps (R1).
const JUMPS: [(i8, i8); 12] =
    [(1, 5), (2, 4), (3, 1), (3, -1), (2, -4), (1, -5), (-1, -5), (-2, -4), (-3, -1), (-3, 1), (-2, 4), (-1, 5)];

/// Where a side's pieces go ahead, by [`Side`] (R1, R2).
#[derive(Clone, Copy)]
pub(super) struct Ways {
    /// Straight ahead.
    pub ahead: usize,
    /// A pawn's oblique steps.
    pub oblique: [usize; 2],
    /// A pawn's steps without capture.
    pub quiet: [usize; 3],
    /// A pawn's captures.
    pub captures: [usize; 2],
}

/// White's and Black's ways.
pub(super) const WAYS: [Ways; 2] = [
    Ways { ahead: 0, oblique: [1, 5], quiet: [0, 1, 5], captures: [6, 11] },
    Ways { ahead: 3, oblique: [2, 4], quiet: [3, 2, 4], captures: [8, 9] },
];

/// An elephant's diagonal steps: not sideways (R1).
pub(super) const ELEPHANT: [usize; 4] = [6, 8, 9, 11];

/// A table by a hex's number. It has an entry for any byte, so that no look-up is checked.
pub(super) type ByNumber<T> = [T; 256];

/// The next hex in each direction, [`Hex::OFF`] where the board ends.
pub(super) static NEXT: [ByNumber<u8>; DIRECTIONS] = {
    let mut table = [[Hex::OFF; 256]; DIRECTIONS];
    let mut direction = 0;
    while direction < DIRECTIONS {
        let mut hex = 0;
        while hex < Hex::COUNT {
            table[direction][hex] = offset(hex as u8, STEPS[direction]);
            hex += 1;
        }
        direction += 1;
    }
    table
};

/// Where a knight jumps from each hex, in the order of [`JUMPS`]; [`Hex::OFF`] where the board has ended.
pub(super) static LEAPS: ByNumber<[u8; 12]> = {
    let mut table = [[Hex::OFF; 12]; 256];
    let mut hex = 0;
    while hex < Hex::COUNT {
        let mut jump = 0;
        while jump < JUMPS.len() {
            table[hex][jump] = offset(hex as u8, JUMPS[jump]);
            jump += 1;
        }
        hex += 1;
    }
    table
};

const fn offset(hex: u8, (columns, lines): (i8, i8)) -> u8 {
    match Hex::packed(hex).offset(columns, lines) {
        Some(hex) => hex.number(),
        None => Hex::OFF,
    }
}

/// How one hex lies to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Relation {
    /// So many steps in a direction; the direction's number.
    Ray(usize, u8),
    /// A knight's jump.
    Jump,
    /// The same jump twice.
    Ride,
    /// None of these.
    None,
}

/// Codes of [`RELATIONS`]: a direction, or one of these, in the low four bits, steps above.
const JUMP: u8 = 12;
const RIDE: u8 = 13;
const UNRELATED: u8 = 15;

/// Relations by difference of columns and lines: 14 either way, and 28 either way.
static RELATIONS: [[u8; 64]; 32] = {
    let mut table = [[UNRELATED; 64]; 32];
    let mut direction = 0;
    while direction < DIRECTIONS {
        let mut steps: i8 = 1;
        while steps <= 14 {
            relate(&mut table, STEPS[direction], steps, direction as u8 | steps.cast_unsigned() << 4);
            steps += 1;
        }
        relate(&mut table, JUMPS[direction], 1, JUMP);
        relate(&mut table, JUMPS[direction], 2, RIDE);
        direction += 1;
    }
    table
};

const fn relate(table: &mut [[u8; 64]; 32], (columns, lines): (i8, i8), times: i8, code: u8) {
    let column = (14 + columns * times).cast_unsigned() as usize;
    let line = (28 + lines * times).cast_unsigned() as usize;
    if column <= 28 && line <= 56 {
        table[column][line] = code;
    }
}

impl Relation {
    /// How `to` lies as seen from `from`.
    #[inline]
    pub fn of(from: Hex, to: Hex) -> Relation {
        let ((column, line), (to_column, to_line)) = (from.coordinates(), to.coordinates());
        let (columns, lines) = (14 + to_column - column, 28 + to_line - line);
        match RELATIONS[usize::from(columns & 31)][usize::from(lines & 63)] {
            JUMP => Relation::Jump,
            RIDE => Relation::Ride,
            UNRELATED => Relation::None,
            code => Relation::Ray(usize::from(code & 15), code >> 4),
        }
    }
}

/// A set of kinds, a bit for each by number.
type Kinds = u16;

const fn kinds(kinds: &[Kind]) -> Kinds {
    let (mut set, mut index) = (0, 0);
    while index < kinds.len() {
        set |= 1 << kinds[index] as u16;
        index += 1;
    }
    set
}

/// Who slides in a direction, by whether it is diagonal.
const SLIDERS: [Kinds; 2] =
    [kinds(&[Kind::Rook, Kind::Wyvern, Kind::Queen]), kinds(&[Kind::Bishop, Kind::Pegasus, Kind::Queen])];
/// Who attacks by a knight's jump.
const JUMPERS: Kinds = kinds(&[Kind::Knight, Kind::Pegasus, Kind::Wyvern]);

/// Which kinds of a side attack a hex from where they stand, as seen from the hex: in this direction, one step away, two,
/// or more (number 3).
static ATTACKERS: [[[Kinds; 4]; DIRECTIONS]; 2] = [attackers_of(Side::White), attackers_of(Side::Black)];

const fn attackers_of(side: Side) -> [[Kinds; 4]; DIRECTIONS] {
    let ways = WAYS[side as usize];
    let mut table = [[0; 4]; DIRECTIONS];
    let mut direction = 0;
    while direction < DIRECTIONS {
        let sliders = SLIDERS[(direction >= DIAGONAL) as usize];
        let back = opposite(direction);
        let mut near = sliders | kinds(&[Kind::King]);
        let mut second = sliders;
        if back == ways.ahead {
            near |= kinds(&[Kind::Elephant]);
            second |= kinds(&[Kind::Elephant]);
        }
        if direction >= DIAGONAL && STEPS[direction].1 != 0 {
            near |= kinds(&[Kind::Elephant]);
        }
        if back == ways.captures[0] || back == ways.captures[1] {
            near |= kinds(&[Kind::Pawn]);
        }
        table[direction] = [0, near, second, sliders];
        direction += 1;
    }
    table
}

/// The direction back.
pub(super) const fn opposite(direction: usize) -> usize {
    let first = if direction >= DIAGONAL { DIAGONAL } else { 0 };
    first + (direction - first + 3) % 6
}

/// Whether a piece attacks what is so many steps away in the direction opposite to this one, nothing between them.
#[inline]
pub(super) fn attacks_along(piece: Piece, direction: usize, steps: usize) -> bool {
    ATTACKERS[piece.side() as usize][direction][steps.min(3)] >> piece.kind() as u16 & 1 != 0
}

/// Whether it slides in this direction.
#[inline]
pub(super) fn slides(kind: Kind, direction: usize) -> bool {
    SLIDERS[usize::from(direction >= DIAGONAL)] >> kind as u16 & 1 != 0
}

/// Whether it jumps as a knight does.
#[inline]
pub(super) fn jumps(kind: Kind) -> bool {
    JUMPERS >> kind as u16 & 1 != 0
}

impl Hex {
    /// The next hexes in orthogonal directions (§2.3), up to six.
    pub fn orthogonal(self) -> impl Iterator<Item = Hex> {
        (0..DIAGONAL).filter_map(move |direction| self.step(direction))
    }

    /// The next hexes in diagonal directions (§2.3), up to six.
    pub fn diagonal(self) -> impl Iterator<Item = Hex> {
        (DIAGONAL..DIRECTIONS).filter_map(move |direction| self.step(direction))
    }

    /// Where a knight jumps from here (R1), up to twelve hexes.
    pub fn jumps(self) -> impl Iterator<Item = Hex> {
        LEAPS[self.index()].iter().filter_map(|&hex| Hex::from_index(hex))
    }

    /// Where a knight rides from here (R1): the hex between, and the last.
    pub fn rides(self) -> impl Iterator<Item = (Hex, Hex)> {
        (0..JUMPS.len()).filter_map(move |jump| {
            let via = Hex::from_index(LEAPS[self.index()][jump])?;
            Some((via, Hex::from_index(LEAPS[via.index()][jump])?))
        })
    }

    /// The next hex in a direction.
    #[inline]
    pub(super) fn step(self, direction: usize) -> Option<Hex> {
        Hex::from_index(NEXT[direction][self.index()])
    }
}

/// The first piece in a direction from a hex.
#[derive(Clone, Copy)]
pub(super) struct First {
    pub piece: Piece,
    pub hex: Hex,
    pub steps: usize,
}

impl Position {
    /// The first piece from a hex on in a direction; one on `without` is looked through.
    #[inline]
    pub(super) fn first(&self, from: Hex, direction: usize, without: u8) -> Option<First> {
        let next = &NEXT[direction];
        let (mut at, mut steps) = (from.number(), 0);
        loop {
            at = next[usize::from(at)];
            steps += 1;
            match self.board.get(usize::from(at))? {
                Some(piece) if at != without => return Some(First { piece: *piece, hex: Hex::packed(at), steps }),
                _ => {}
            }
        }
    }

    /// Goes through the pieces of `by` that attack a hex (R1, R2), those beside it and along lines first; the king on
    /// `without` hides nothing.
    #[inline]
    pub(super) fn each_attacker(
        &self,
        hex: Hex,
        by: Side,
        without: u8,
        mut each: impl FnMut(Hex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        for direction in 0..DIRECTIONS {
            if let Some(first) = self.first(hex, direction, without)
                && first.piece.side() == by
                && attacks_along(first.piece, direction, first.steps)
            {
                each(first.hex)?;
            }
        }
        for &from in &LEAPS[hex.index()] {
            if let Some(Some(piece)) = self.board.get(usize::from(from))
                && piece.side() == by
                && jumps(piece.kind())
            {
                each(Hex::packed(from))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A piece of `by` that attacks a hex; the king on `without` hides nothing.
    #[inline]
    pub(super) fn attacker(&self, hex: Hex, by: Side, without: u8) -> Option<Hex> {
        let mut found = None;
        let _ = self.each_attacker(hex, by, without, |from| {
            found = Some(from);
            ControlFlow::Break(())
        });
        found
    }

    /// The pieces that give check to a side's king (R4.2); a pinned piece does too (R4.1).
    ///
    /// ```
    /// use ctl::game::{Check, Position, Side};
    ///
    /// assert_eq!(Position::INITIAL.checks(Side::White).kind(), Check::None);
    /// ```
    pub fn checks(&self, side: Side) -> Checks {
        let mut checks = Checks::NONE;
        if let Some(king) = self.king(side) {
            let _ = self.each_attacker(king, side.other(), Hex::OFF, |from| {
                checks.add(from, king);
                ControlFlow::Continue(())
            });
        }
        checks
    }
}

impl Position {
    /// The checks to a king that was in none before a step, which opened no line but the one through `from`.
    #[inline]
    pub(super) fn checks_by_step(&self, king: Hex, piece: Piece, from: Hex, to: Hex) -> Checks {
        let mut checks = Checks::NONE;
        let direct = match Relation::of(king, to) {
            Relation::Jump => jumps(piece.kind()),
            Relation::Ray(way, steps) if attacks_along(piece, way, usize::from(steps)) => {
                self.first(king, way, Hex::OFF).is_some_and(|first| first.hex == to)
            }
            _ => false,
        };
        if direct {
            checks.add(to, king);
        }
        if let Relation::Ray(way, _) = Relation::of(king, from)
            && let Some(first) = self.first(king, way, Hex::OFF)
            && first.hex != to
            && first.piece.side() == piece.side()
            && attacks_along(first.piece, way, first.steps)
        {
            checks.add(first.hex, king);
        }
        checks
    }
}

/// Who gives check, and of which kind it is (R4.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Checks {
    by: [Hex; 2],
    count: u8,
    kind: Check,
}

impl Checks {
    /// No check.
    pub const NONE: Checks = Checks { by: [Hex::packed(0); 2], count: 0, kind: Check::None };

    /// Adds a checking piece.
    #[inline]
    pub(super) fn add(&mut self, from: Hex, king: Hex) {
        self.kind = match (self.count, Relation::of(from, king)) {
            (0, Relation::Ray(_, 1) | Relation::Jump) => Check::Adjoining,
            (0, _) => Check::Far,
            _ => Check::Double,
        };
        if let Some(place) = self.by.get_mut(usize::from(self.count)) {
            *place = from;
            self.count += 1;
            self.by[..usize::from(self.count)].sort_unstable();
        }
    }

    /// Where the checking pieces stand, sorted; two of them, if there are more.
    #[inline]
    pub fn by(&self) -> &[Hex] {
        &self.by[..usize::from(self.count)]
    }

    /// The precise sign: nothing, [`Check::Far`], [`Check::Adjoining`] or [`Check::Double`].
    #[inline]
    pub fn kind(&self) -> Check {
        self.kind
    }

    /// Whether there is any.
    #[inline]
    pub fn any(&self) -> bool {
        self.count != 0
    }
}
