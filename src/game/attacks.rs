//! Where pieces reach, as tables of steps (§2.3, R1), and who attacks a hex.

use std::ops::ControlFlow;

use super::{Check, Hex, HexSet, Kind, Piece, Position, Side};

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

/// How one hex lies to another: a direction in the low four bits, or what comes behind the directions, and steps above.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Relation(u8);

/// A knight's jump, in the place of a direction; two steps of it are a ride.
pub(super) const JUMP: usize = 12;
/// None of these.
const UNRELATED: u8 = 15;
/// So many numbers take the place of a direction.
const WAYS_OF_RELATION: usize = 16;

/// Relations by the difference of two [`PLACES`].
static RELATIONS: [Relation; 2048] = {
    let mut table = [Relation(UNRELATED); 2048];
    let mut direction = 0;
    while direction < DIRECTIONS {
        let mut steps: i8 = 1;
        while steps <= 14 {
            relate(&mut table, STEPS[direction], steps, direction);
            steps += 1;
        }
        relate(&mut table, JUMPS[direction], 1, JUMP);
        relate(&mut table, JUMPS[direction], 2, JUMP);
        direction += 1;
    }
    table
};

/// Column and line of each hex in one number, so that one subtraction tells how two hexes lie: a column is as much as all
/// differences of lines, from -28 to 28, and more.
static PLACES: ByNumber<u16> = {
    let mut table = [0; 256];
    let mut hex = 0;
    while hex < Hex::COUNT {
        let (column, line) = Hex::packed(hex as u8).coordinates();
        table[hex] = column as u16 * 64 + line as u16;
        hex += 1;
    }
    table
};

/// The same of a difference.
const fn difference(columns: i8, lines: i8) -> usize {
    (columns as i16 * 64 + lines as i16).cast_unsigned() as usize % 2048
}

const fn relate(table: &mut [Relation; 2048], (columns, lines): (i8, i8), steps: i8, way: usize) {
    let (columns, lines) = (columns as i16 * steps as i16, lines as i16 * steps as i16);
    if columns >= -14 && columns <= 14 && lines >= -28 && lines <= 28 {
        table[difference(columns as i8, lines as i8)] = Relation(way as u8 | steps.cast_unsigned() << 4);
    }
}

impl Relation {
    /// A knight's ride: two jumps one behind the other.
    pub const RIDE: Relation = Relation(JUMP as u8 | 2 << 4);

    /// How `to` lies as seen from `from`.
    #[inline]
    pub fn of(from: Hex, to: Hex) -> Relation {
        let difference = PLACES[to.index()].wrapping_sub(PLACES[from.index()]);
        RELATIONS[usize::from(difference) % RELATIONS.len()]
    }

    /// The direction, or [`JUMP`], or another number where there is none.
    #[inline]
    pub const fn way(self) -> usize {
        (self.0 & 15) as usize
    }

    /// The direction, if there is one.
    #[inline]
    pub fn direction(self) -> Option<usize> {
        Some(self.way()).filter(|way| *way < DIRECTIONS)
    }

    /// How many steps, or jumps; 0 where there is no way.
    #[inline]
    pub const fn steps(self) -> usize {
        (self.0 >> 4) as usize
    }
}

/// How a piece gets from one hex to another, whatever stands on the board (R1, R2): a set of facts.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Manner(u8);

impl Manner {
    /// It can't.
    pub const NONE: Manner = Manner(0);
    /// It gets there without capture.
    pub const QUIET: Manner = Manner(1);
    /// It captures there.
    pub const CAPTURES: Manner = Manner(2);
    /// The hexes between are passed.
    pub const PASSES: Manner = Manner(4);
    /// A king's leap.
    pub const LEAPS: Manner = Manner(8);
    /// A pawn's triple step.
    pub const TRIPLE: Manner = Manner(16);

    /// The manner of `piece` from one hex to another.
    #[inline]
    pub fn of(piece: Piece, relation: Relation) -> Manner {
        MANNERS[row(Piece::code_of(Some(piece)))][usize::from(relation.0)]
    }

    const fn and(self, other: Manner) -> Manner {
        Manner(self.0 | other.0)
    }

    /// Whether it has all of these facts.
    #[inline]
    pub const fn has(self, facts: Manner) -> bool {
        self.0 & facts.0 == facts.0
    }

    /// Whether it has all of these facts, and none of those.
    #[inline]
    pub const fn is(self, facts: Manner, others: Manner) -> bool {
        self.0 & (facts.0 | others.0) == facts.0
    }
}

/// Manners by piece and relation.
static MANNERS: [ByNumber<Manner>; 32] = {
    let mut table = [[Manner::NONE; 256]; 32];
    let mut kind = 0;
    while kind < Kind::ALL.len() {
        let mut relation = 0;
        while relation < 256 {
            let (way, steps) = (Relation(relation as u8).way(), Relation(relation as u8).steps());
            if steps > 0 && way <= JUMP {
                let [white, black] = [Side::White, Side::Black];
                let rows = [row(Piece::code(white, kind as u8)), row(Piece::code(black, kind as u8))];
                table[rows[0]][relation] = manner(&WAYS[0], Kind::ALL[kind], way, steps);
                table[rows[1]][relation] = manner(&WAYS[1], Kind::ALL[kind], way, steps);
            }
            relation += 1;
        }
        kind += 1;
    }
    table
};

/// The row of a piece, by its byte, of which the lowest bit says nothing.
const fn row(code: u8) -> usize {
    (code >> 1) as usize % 32
}

const fn manner(ways: &Ways, kind: Kind, way: usize, steps: usize) -> Manner {
    let both = Manner::QUIET.and(Manner::CAPTURES);
    match kind {
        Kind::Pawn => of_pawn(ways, way, steps),
        Kind::Elephant if way == ways.ahead && steps == 2 => both.and(Manner::PASSES),
        Kind::Elephant if steps == 1 && (way == ways.ahead || is_among(&ELEPHANT, way)) => both,
        Kind::King if steps == 1 && way < DIRECTIONS => both,
        Kind::King if steps == 1 => both.and(Manner::LEAPS),
        Kind::Knight if way == JUMP && steps == 2 => Manner::QUIET.and(Manner::PASSES),
        _ if way == JUMP && steps == 1 && has(JUMPERS, kind) => both,
        _ if way < DIRECTIONS && has(SLIDERS[(way >= DIAGONAL) as usize], kind) && steps == 1 => both,
        _ if way < DIRECTIONS && has(SLIDERS[(way >= DIAGONAL) as usize], kind) => both.and(Manner::PASSES),
        _ => Manner::NONE,
    }
}

const fn of_pawn(ways: &Ways, way: usize, steps: usize) -> Manner {
    match steps {
        1 if is_among(&ways.quiet, way) => Manner::QUIET,
        1 if is_among(&ways.captures, way) => Manner::CAPTURES,
        2 if way == ways.ahead => Manner::QUIET.and(Manner::PASSES),
        3 if way == ways.ahead => Manner::QUIET.and(Manner::PASSES).and(Manner::TRIPLE),
        _ => Manner::NONE,
    }
}

const fn is_among(ways: &[usize], way: usize) -> bool {
    let mut index = 0;
    while index < ways.len() && ways[index] != way {
        index += 1;
    }
    index < ways.len()
}

/// Kinds that attack alike.
type Kinds = &'static [Kind];
/// Who slides in a direction, by whether it is diagonal.
const SLIDERS: [Kinds; 2] = [&[Kind::Rook, Kind::Wyvern, Kind::Queen], &[Kind::Bishop, Kind::Pegasus, Kind::Queen]];
/// Who attacks by a knight's jump.
const JUMPERS: Kinds = &[Kind::Knight, Kind::Pegasus, Kind::Wyvern];

const fn has(kinds: &[Kind], kind: Kind) -> bool {
    let mut index = 0;
    while index < kinds.len() && kinds[index] as u8 != kind as u8 {
        index += 1;
    }
    index < kinds.len()
}

/// Pieces of a side, a bit for each by its byte; no piece has none.
type Men = u64;

const fn men(side: Side, kinds: Kinds) -> Men {
    let (mut men, mut index) = (0, 0);
    while index < kinds.len() {
        men |= 1 << Piece::code(side, kinds[index] as u8);
        index += 1;
    }
    men
}

/// Which pieces of a side attack a hex from where they stand, as seen from the hex: in this direction (or by a jump), one
/// step away, two, or more (number 3).
static ATTACKERS: [[[Men; 4]; WAYS_OF_RELATION]; 2] = [attackers_of(Side::White), attackers_of(Side::Black)];

const fn attackers_of(side: Side) -> [[Men; 4]; WAYS_OF_RELATION] {
    let ways = WAYS[side as usize];
    let mut table = [[0; 4]; WAYS_OF_RELATION];
    table[JUMP][1] = men(side, JUMPERS);
    let mut direction = 0;
    while direction < DIRECTIONS {
        let sliders = men(side, SLIDERS[(direction >= DIAGONAL) as usize]);
        let back = opposite(direction);
        let mut near = sliders | men(side, &[Kind::King]);
        let mut second = sliders;
        if back == ways.ahead {
            near |= men(side, &[Kind::Elephant]);
            second |= men(side, &[Kind::Elephant]);
        }
        if is_among(&ELEPHANT, back) {
            near |= men(side, &[Kind::Elephant]);
        }
        if is_among(&ways.captures, back) {
            near |= men(side, &[Kind::Pawn]);
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

/// The same by number; from none there is none back.
static OPPOSITE: [u8; WAYS_OF_RELATION] = {
    let mut table = [UNRELATED; WAYS_OF_RELATION];
    let mut direction = 0;
    while direction < DIRECTIONS {
        table[direction] = opposite(direction) as u8;
        direction += 1;
    }
    table
};

/// Whether a piece of a side stands there that attacks a hex, seen from the hex in this direction (or by a jump), so many
/// steps away, nothing between.
#[inline]
pub(super) fn attacks(by: Side, there: Option<Piece>, way: usize, steps: usize) -> bool {
    ATTACKERS[by as usize][way & 15][steps.min(3)] >> (Piece::code_of(there) & 63) & 1 != 0
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

/// The hexes from each hex on in each direction, to the board's end; none where there is no direction.
static RAYS: [[HexSet; WAYS_OF_RELATION]; Hex::COUNT] = {
    let mut table = [[HexSet::EMPTY; WAYS_OF_RELATION]; Hex::COUNT];
    let mut hex = 0;
    while hex < Hex::COUNT {
        let mut direction = 0;
        while direction < DIRECTIONS {
            let mut at = NEXT[direction][hex];
            while at != Hex::OFF {
                table[hex][direction].insert(Hex::packed(at));
                at = NEXT[direction][at as usize];
            }
            direction += 1;
        }
        hex += 1;
    }
    table
};

/// Directions in which hexes have ascending numbers: further columns, or up.
const ASCENDING: [usize; 6] = [0, 1, 2, 6, 7, 8];
/// The ascending ones, a bit for each.
const IS_ASCENDING: u32 = {
    let (mut bits, mut index) = (0, 0);
    while index < ASCENDING.len() {
        bits |= 1 << ASCENDING[index];
        index += 1;
    }
    bits
};

/// The first piece in a direction from a hex, or the end of the board.
#[derive(Clone, Copy)]
pub(super) struct First {
    pub piece: Option<Piece>,
    /// Where it stands, by number.
    pub at: u8,
    pub steps: usize,
}

impl First {
    /// Where it stands, if it is a piece.
    #[inline]
    pub fn hex(self) -> Option<Hex> {
        Hex::from_index(self.at)
    }
}

/// Looking along lines. Which hexes are held is told: most often it is known, and one held by a king that moves is left out.
impl Position {
    /// The hexes on which something stands.
    pub(super) fn occupied(&self) -> HexSet {
        HexSet::of(&self.board.map(|there| Piece::code_of(there) & 1))
    }

    /// What stands on the hex with a number, if there is such a hex: looked up in any case, as it is not foreseen where the
    /// board ends.
    #[inline]
    fn at(&self, number: u8) -> Option<Piece> {
        let is_there = u8::from(usize::from(number) < Hex::COUNT).wrapping_neg();
        Piece::of_code(Piece::code_of(self.board[usize::from(number & is_there)]) & is_there)
    }

    /// The first piece from a hex on in a direction.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    pub(super) fn first(&self, occupied: &HexSet, from: Hex, direction: usize) -> First {
        let held = RAYS[from.index()][direction % WAYS_OF_RELATION].and(occupied);
        // Both are looked for: it is not foreseen which is asked.
        self.first_at(from, [held.last(), held.first()][usize::from(IS_ASCENDING >> direction & 1 != 0)])
    }

    #[inline]
    fn first_at(&self, from: Hex, at: u8) -> First {
        let steps = Relation::of(from, Hex::packed(at)).steps();
        First { piece: self.at(at), at, steps }
    }

    /// Whether nothing stands on a hex's next ones in a direction, short of so many steps.
    #[inline]
    pub(super) fn is_free(&self, from: Hex, direction: usize, steps: usize) -> bool {
        let next = &NEXT[direction];
        let mut at = usize::from(next[from.index()]);
        for _ in 1..steps {
            if self.board.get(at).is_some_and(Option::is_some) {
                return false;
            }
            at = usize::from(next[at]);
        }
        true
    }

    /// Goes through the pieces of `by` that attack a hex (R1, R2), those beside it and along lines first.
    #[inline]
    fn each_attacker(
        &self,
        occupied: &HexSet,
        hex: Hex,
        by: Side,
        mut each: impl FnMut(Hex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let rays = &RAYS[hex.index()];
        let mut look = |direction, at| {
            let first = self.first_at(hex, at);
            if attacks(by, first.piece, direction, first.steps) {
                each(Hex::packed(at))
            } else {
                ControlFlow::Continue(())
            }
        };
        for direction in ASCENDING {
            look(direction, rays[direction].and(occupied).first())?;
        }
        for direction in ASCENDING.map(opposite) {
            look(direction, rays[direction].and(occupied).last())?;
        }
        self.each_jumper(hex, by, each)
    }

    /// Those among them that attack by a knight's jump.
    #[inline]
    pub(super) fn each_jumper(
        &self,
        hex: Hex,
        by: Side,
        mut each: impl FnMut(Hex) -> ControlFlow<()>,
    ) -> ControlFlow<()> {
        let jumps = |from: u8| attacks(by, self.at(from), JUMP, 1);
        let leaps = &LEAPS[hex.index()];
        // Nearly never one does: asked for all at once.
        if leaps.iter().fold(false, |any, from| any | jumps(*from)) {
            for &from in leaps.iter().filter(|from| jumps(**from)) {
                each(Hex::packed(from))?;
            }
        }
        ControlFlow::Continue(())
    }

    /// A piece of `by` that attacks a hex.
    #[inline]
    pub(super) fn attacker(&self, occupied: &HexSet, hex: Hex, by: Side) -> Option<Hex> {
        let mut found = None;
        let _ = self.each_attacker(occupied, hex, by, |from| {
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
            let _ = self.each_attacker(&self.occupied(), king, side.other(), |from| {
                checks.add(from, king);
                ControlFlow::Continue(())
            });
        }
        checks
    }

    /// The checks to a king that was in none before a step, which opened no line but the one through `from`.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    pub(super) fn checks_by_step(&self, occupied: &HexSet, king: Hex, piece: Piece, from: Hex, to: Hex) -> Checks {
        let mut checks = Checks::NONE;
        let relation = Relation::of(to, king);
        if Manner::of(piece, relation).is(Manner::CAPTURES, Manner::LEAPS)
            && is_clear(occupied, to, king, relation.way())
        {
            checks.add(to, king);
        }
        if let Some(way) = Relation::of(king, from).direction() {
            let first = self.first(occupied, king, way);
            if attacks(piece.side(), first.piece, way, first.steps) && first.at != to.number() {
                checks.add(Hex::packed(first.at), king);
            }
        }
        checks
    }
}

/// Whether nothing stands between two hexes; where they lie in no direction from one another, nothing does.
#[inline(always)]
#[expect(clippy::inline_always, reason = "once a ply of an archive")]
pub(super) fn is_clear(occupied: &HexSet, from: Hex, to: Hex, direction: usize) -> bool {
    let there = &RAYS[from.index()][direction % WAYS_OF_RELATION];
    let back = &RAYS[to.index()][usize::from(OPPOSITE[direction % WAYS_OF_RELATION]) % WAYS_OF_RELATION];
    there.and(back).and(occupied).is_empty()
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
        self.kind = match (self.count, Relation::of(from, king).steps()) {
            (0, 1) => Check::Adjoining,
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
    pub const fn any(&self) -> bool {
        self.count != 0
    }
}
