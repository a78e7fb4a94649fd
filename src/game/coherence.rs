//! Applies a ply as the minimal reader does (§11): what is written must be there, nothing else is asked.

use super::attacks::{Relation, WAYS};
use super::ply::Simple;
use super::{
    Capture, Castling, Faced, Hex, HexSet, Kind, Piece, Ply, Position, Promotion, Rights, Shape, Side, Special,
};

named! {
    /// Why a ply cannot be applied (§11.2–11.7).
    pub enum Incoherence {
        /// Nothing stands on the origin.
        EmptyOrigin = "empty-origin",
        /// The origin holds a piece of the player who is not on turn.
        EnemyOrigin = "enemy-origin",
        /// The origin holds another piece of the player on turn.
        OtherOrigin = "other-origin",
        /// No capture is written, and the destination is not free.
        Occupied = "occupied",
        /// A capture is written, and the destination is empty.
        EmptyCapture = "empty-capture",
        /// A capture is written, and the destination holds a piece of the player on turn.
        OwnCapture = "own-capture",
        /// The destination holds another enemy piece than the one that is written.
        OtherCapture = "other-capture",
        /// Nothing is there to be taken by `@` or `@@` on that hex.
        NoPassing = "no-passing",
        /// The piece taken in passing is not the one that is written (a pawn is not written).
        OtherPassing = "other-passing",
        /// A pawn on the last hex of its column without `=X` or `=&`.
        PromotionMissing = "promotion-missing",
        /// `=` on another piece, or short of the last hex.
        PromotionFalse = "promotion-false",
        /// No pawn of the player on turn waits there.
        NoAwaiting = "no-awaiting",
        /// The king does not stand on its first hex.
        CastlingKing = "castling-king",
        /// A rook does not stand on its first hex.
        CastlingRook = "castling-rook",
        /// A hex where king or rook is to go is not free.
        CastlingBlocked = "castling-blocked",
    }
}

/// The part of a ply's word that an [`Incoherence`] speaks of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Part {
    /// From the start of the word.
    Origin,
    /// The sign between the hexes.
    Sign,
    /// The captured piece's letter, or the destination where none is written.
    Captured,
    /// The destination.
    Destination,
    /// From `=` on.
    Promotion,
}

impl Incoherence {
    /// Where in the word it shows.
    pub const fn part(self) -> Part {
        match self {
            Incoherence::EmptyOrigin
            | Incoherence::EnemyOrigin
            | Incoherence::OtherOrigin
            | Incoherence::NoAwaiting
            | Incoherence::CastlingKing
            | Incoherence::CastlingRook => Part::Origin,
            Incoherence::NoPassing => Part::Sign,
            Incoherence::OtherCapture | Incoherence::OtherPassing => Part::Captured,
            Incoherence::Occupied
            | Incoherence::EmptyCapture
            | Incoherence::OwnCapture
            | Incoherence::CastlingBlocked => Part::Destination,
            Incoherence::PromotionMissing | Incoherence::PromotionFalse => Part::Promotion,
        }
    }
}

/// What stands where an incoherent ply wants something else, packed into a fault's `seen`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Seen {
    /// The hex in question.
    pub hex: Hex,
    /// What stands there.
    pub piece: Option<Piece>,
    /// What the ply before left to be captured in passing.
    pub special: Special,
}

impl Seen {
    /// As a number: the hex in the low byte, kind and side above, then the special capture and its hex.
    pub fn to_bits(self) -> u32 {
        let piece = self.piece.map_or(0, |p| 1 + ((p.kind() as u32) << 1 | p.side() as u32));
        let (special, at) = match self.special {
            Special::None => (0, self.hex),
            Special::Double(hex) => (1, hex),
            Special::Triple(hex) => (2, hex),
            Special::Scornful(hex, Faced::Any) => (3, hex),
            Special::Scornful(hex, Faced::Left) => (4, hex),
            Special::Scornful(hex, Faced::Right) => (5, hex),
        };
        self.hex.index() as u32 | piece << 8 | special << 16 | (at.index() as u32) << 24
    }

    /// What [`Seen::to_bits`] packed.
    pub fn from_bits(bits: u32) -> Option<Seen> {
        let piece = match (bits >> 8) as u8 {
            0 => None,
            packed => {
                let side = if (packed - 1) & 1 == 0 { Side::White } else { Side::Black };
                Some(Piece::new(side, Kind::from_number((packed - 1) >> 1)?))
            }
        };
        let at = Hex::from_index((bits >> 24) as u8)?;
        let special = match bits >> 16 & 7 {
            0 => Special::None,
            1 => Special::Double(at),
            2 => Special::Triple(at),
            3 => Special::Scornful(at, Faced::Any),
            4 => Special::Scornful(at, Faced::Left),
            _ => Special::Scornful(at, Faced::Right),
        };
        Some(Seen { hex: Hex::from_index(bits as u8)?, piece, special })
    }
}

/// What a ply changes of a position besides pieces and turn, and does not tell itself.
#[derive(Clone, Copy, Debug)]
pub(super) struct Left {
    pub rights: [Rights; 2],
    pub special: Special,
    pub clock: u32,
}

/// From where White and Black make a triple step (R2.1): the columns B to E and G to K.
static TRIPLE_FROM: [HexSet; 2] = {
    let mut from = [HexSet::EMPTY; 2];
    let mut column: u8 = 3;
    while column <= 11 {
        let line = 8 - column.abs_diff(7);
        if let (Some(white), Some(black)) = (Hex::at(column, line), Hex::at(column, 28 - line))
            && column != 7
        {
            from[Side::White as usize].insert(white);
            from[Side::Black as usize].insert(black);
        }
        column += 1;
    }
    from
};

/// Whether a pawn of `side` can make a triple step from a hex (R2.1).
#[inline]
pub(super) fn triple_from(side: Side, hex: Hex) -> bool {
    TRIPLE_FROM[side as usize].contains(hex)
}

/// The rooks' first hexes, whose they are, and whether it is the king's rook.
const ROOK_HOMES: [(Hex, Side, bool); 4] = [
    (Castling::king_rook_home(Side::White), Side::White, true),
    (Castling::queen_rook_home(Side::White), Side::White, false),
    (Castling::king_rook_home(Side::Black), Side::Black, true),
    (Castling::queen_rook_home(Side::Black), Side::Black, false),
];

/// What makes a step from or to a hex more than a step.
mod remarkable {
    /// A rook's first hex.
    pub const ROOK_HOME: u8 = 1;
    /// White's pawns go no further; Black's are the next bit.
    pub const LAST_FOR_WHITE: u8 = 2;
    /// On both sides.
    pub const LAST: u8 = LAST_FOR_WHITE | LAST_FOR_WHITE << 1;
}

/// Nearly no step touches a remarkable hex: asked first, for all at once.
static REMARKABLE: [u8; Hex::COUNT] = {
    let mut table = [0; Hex::COUNT];
    let mut home = 0;
    while home < ROOK_HOMES.len() {
        table[ROOK_HOMES[home].0.index()] = remarkable::ROOK_HOME;
        home += 1;
    }
    let mut column: u8 = 0;
    while column < 15 {
        let edge = column.abs_diff(7);
        if let (Some(white), Some(black)) = (Hex::at(column, 28 - edge), Hex::at(column, edge)) {
            table[white.index()] |= remarkable::LAST_FOR_WHITE;
            table[black.index()] |= remarkable::LAST_FOR_WHITE << 1;
        }
        column += 1;
    }
    table
};

/// All bits where something is so, none where it is not: what is a coin's toss in a game is reckoned with, not branched on.
#[inline]
const fn ones_if(so: bool) -> u8 {
    (so as u8).wrapping_neg()
}

/// By how far two hexes lie apart in number, whether a pawn's step can leave something: hexes are numbered column by column,
/// and one step along a column leaves nothing.
static MAY_LEAVE: [bool; 256] = {
    let mut table = [true; 256];
    (table[0], table[1], table[255]) = (false, false, false);
    table
};

impl Special {
    /// Whether a step can leave something: looked up for all pieces, as it is not foreseen which piece moves.
    #[inline]
    fn may_be_left_by(step: Simple) -> bool {
        let distance = step.from().number().abs_diff(step.to().number());
        MAY_LEAVE[usize::from(distance | ones_if(step.piece() != Kind::Pawn as u8))]
    }

    /// What a step of a pawn leaves to be captured in passing (R2.3, R2.4), on the position before it.
    #[inline]
    fn left_by(before: &Position, side: Side, from: Hex, to: Hex) -> Special {
        if from.column() != to.column() {
            return if before.faces(side, from) { Special::left_aside(before, side, from, to) } else { Special::None };
        }
        // Hexes are numbered column by column: on one, how many steps it is.
        let steps = from.index().abs_diff(to.index());
        let is_ahead = (from < to) == (side == Side::White);
        let passes = || is_ahead && before.is_free(from, WAYS[side as usize].ahead, steps);
        match steps {
            2 if passes() => Special::Double(to),
            3 if triple_from(side, from) && passes() => Special::Triple(to),
            _ => Special::None,
        }
    }

    /// What a step of a pawn that faces another leaves on another column.
    #[cold]
    fn left_aside(before: &Position, side: Side, from: Hex, to: Hex) -> Special {
        let relation = Relation::of(from, to);
        if relation.steps() == 1 && WAYS[side as usize].oblique.contains(&relation.way()) {
            return Special::Scornful(to, before.faced(side, from, to));
        }
        Special::None
    }

    /// The hex whose piece a capture in passing on `to` takes, if this lets it (§11.5).
    pub fn victim(self, capture: Capture, to: Hex, capturer: Side) -> Option<Hex> {
        let behind = |hex: Hex, lines| hex.ahead(capturer, lines) == Some(to);
        match (self, capture) {
            (Special::Scornful(hex, _), Capture::Passing) if hex == to => Some(hex),
            (Special::Double(hex) | Special::Triple(hex), Capture::Passing) if behind(hex, 2) => Some(hex),
            (Special::Triple(hex), Capture::LongPassing) if behind(hex, 4) => Some(hex),
            _ => None,
        }
    }
}

impl Position {
    /// Applies a ply of the player on turn, checking what §11 asks and no more.
    ///
    /// # Errors
    /// What does not fit, and what stands there; the position is then as it was.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    pub fn apply(&mut self, ply: Ply) -> Result<(), (Incoherence, Seen)> {
        if !self.simple_step(ply) {
            self.any_ply(ply)?;
        }
        self.pass_turn();
        Ok(())
    }

    /// The other player is on turn, behind Black in the next pair.
    #[inline]
    pub(super) fn pass_turn(&mut self) {
        self.number = self.number.saturating_add(self.turn as u32 & u32::from(self.number != 0));
        self.turn = self.turn.other();
    }

    /// Applies nearly every ply of a game: a step, with or without a capture on the destination, that fits and
    /// promotes nothing. Tells whether it did; [`Position::any_ply`] does the rest, and would do this too.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    fn simple_step(&mut self, ply: Ply) -> bool {
        let Some(step) = ply.simple() else { return false };
        if !self.fits(step) {
            return false;
        }
        self.make(step);
        true
    }

    /// Whether what a step says is there: its piece, and what it captures, or nothing; and it takes no pawn to a last hex.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    pub(super) fn fits(&self, step: Simple) -> bool {
        let mover = Piece::code(self.turn, step.piece());
        let enemy = Piece::code(self.turn.other(), step.captured()) & ones_if(step.captures());
        let (there, target) = (Piece::code_of(self.on(step.from())), Piece::code_of(self.on(step.to())));
        let arrives = REMARKABLE[step.to().index()] & remarkable::LAST & ones_if(step.piece() == Kind::Pawn as u8);
        // All at once: each by itself nearly never fails.
        (there ^ mover) | (target ^ enemy) | arrives == 0
    }

    /// Applies a step that fits, but for whose turn it is then; gives the piece that made it.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    pub(super) fn make(&mut self, step: Simple) -> Option<Piece> {
        let (piece, from, to) = (step.piece(), step.from(), step.to());
        let is_pawn = piece == Kind::Pawn as u8;
        let there = self.on(from);
        if (REMARKABLE[from.index()] | REMARKABLE[to.index()]) & remarkable::ROOK_HOME != 0 {
            self.forget_rook(from);
            self.forget_rook(to);
        }
        let may_leave = Special::may_be_left_by(step);
        self.special = if may_leave { Special::left_by(self, self.turn, from, to) } else { Special::None };
        if piece == Kind::King as u8 {
            self.rights[self.turn as usize] = Rights::NONE;
            self.kings[self.turn as usize] = to.number();
        }
        self.board[from.index()] = None;
        self.board[to.index()] = there;
        let goes_on = u32::from(is_pawn | step.captures()).wrapping_sub(1);
        self.clock = self.clock.saturating_add(1) & goes_on;
        there
    }

    /// Checks and applies a ply, but for whose turn it is then.
    #[inline(never)]
    fn any_ply(&mut self, ply: Ply) -> Result<(), (Incoherence, Seen)> {
        match ply.shape() {
            Shape::Step { piece, from, to, capture, captured, promotion } => {
                let victim = self.check_step(piece, from, to, capture, captured, promotion)?;
                self.step(piece, from, to, victim, promotion);
            }
            Shape::Promote { at, promotion } => {
                let pawn = Piece::new(self.turn, Kind::Pawn);
                if self.on(at) != Some(pawn) || !at.is_last_for(self.turn) || promotion.kind().is_none() {
                    return Err((Incoherence::NoAwaiting, self.seen(at)));
                }
                self.put(at, promotion.kind().map(|kind| Piece::new(self.turn, kind)));
                self.special = Special::None;
                self.clock = 0;
            }
            Shape::Castle(castling) => self.castle(castling)?,
        }
        Ok(())
    }

    /// What only the position itself knows of it.
    #[inline]
    pub(super) fn left(&self) -> Left {
        Left { rights: self.rights, special: self.special, clock: self.clock }
    }

    /// Takes back a ply that was applied; what was left then is told.
    pub(super) fn take_back(&mut self, ply: Ply, left: Left) {
        let side = self.turn.other();
        match ply.shape() {
            Shape::Step { piece, from, to, capture, captured, .. } => {
                self.put(to, None);
                self.put(from, Some(Piece::new(side, piece)));
                let victim = match capture {
                    Capture::None => None,
                    Capture::Taken => Some(to),
                    Capture::Passing | Capture::LongPassing => left.special.victim(capture, to, side),
                };
                if let Some(hex) = victim {
                    self.put(hex, Some(Piece::new(self.turn, captured)));
                }
            }
            Shape::Promote { at, .. } => self.put(at, Some(Piece::new(side, Kind::Pawn))),
            Shape::Castle(castling) => {
                let moves = castling.moves(side);
                moves.iter().filter_map(|(.., to)| *to).for_each(|to| self.put(to, None));
                let came = moves.iter().filter(|(.., to)| to.is_some());
                came.for_each(|(kind, home, _)| self.put(*home, Some(Piece::new(side, *kind))));
            }
        }
        self.number -= u32::from(side == Side::Black && self.number > 1);
        self.turn = side;
        Left { rights: self.rights, special: self.special, clock: self.clock } = left;
    }

    /// Whether the player not on turn can have left [`Position::special`] with his last ply (§10.4).
    pub fn special_fits(&self) -> bool {
        let mover = self.turn.other();
        let stands = |hex: Hex| {
            self.on(hex).is_some_and(|piece| {
                let promoted = || hex.is_last_for(mover) && Promotion::to(piece.kind()).is_some();
                piece.side() == mover && (piece.kind() == Kind::Pawn || promoted())
            })
        };
        let free = |hex: Hex, back| hex.ahead(self.turn, back).is_some_and(|hex| self.on(hex).is_none());
        match self.special {
            Special::None => true,
            Special::Double(hex) => stands(hex) && [2, 4].into_iter().all(|back| free(hex, back)),
            Special::Triple(hex) => {
                stands(hex)
                    && [2, 4, 6].into_iter().all(|back| free(hex, back))
                    && hex.ahead(self.turn, 6).is_some_and(|from| triple_from(mover, from))
            }
            Special::Scornful(hex, _) => stands(hex) && self.scorned_before(hex, mover),
        }
    }

    /// Whether an enemy pawn stands straight ahead of what a side has, or had, on a hex (R2.4).
    fn faces(&self, side: Side, from: Hex) -> bool {
        from.step(WAYS[side as usize].ahead).and_then(|hex| self.on(hex)) == Some(Piece::new(side.other(), Kind::Pawn))
    }

    /// Which pawn a scornful one faced, on the position before its step: told only where another can have been faced.
    fn faced(&self, side: Side, from: Hex, to: Hex) -> Faced {
        let columns = if from.column() < to.column() { 2 } else { -2 };
        let other = from.offset(columns, 0).filter(|other| self.on(*other).is_none() && self.faces(side, *other));
        match (other, columns) {
            (None, _) => Faced::Any,
            (Some(_), 2) => Faced::Left,
            (Some(_), _) => Faced::Right,
        }
    }

    /// Whether a pawn of `mover` that stepped obliquely to `to` can have faced an enemy pawn before (R2.4).
    fn scorned_before(&self, to: Hex, mover: Side) -> bool {
        let back = if mover == Side::White { -1 } else { 1 };
        [-1, 1]
            .into_iter()
            .filter_map(|columns| to.offset(columns, back))
            .any(|from| self.on(from).is_none() && self.faces(mover, from))
    }

    #[cold]
    fn fail<T>(&self, why: Incoherence, hex: Hex) -> Result<T, (Incoherence, Seen)> {
        Err((why, self.seen(hex)))
    }

    fn seen(&self, hex: Hex) -> Seen {
        Seen { hex, piece: self.on(hex), special: self.special }
    }

    /// Checks §11.2–11.6; gives the hex whose piece is captured. What is written is compared with what stands there in
    /// one step; only where they differ is it asked in what.
    #[inline]
    fn check_step(
        &self,
        piece: Kind,
        from: Hex,
        to: Hex,
        capture: Capture,
        captured: Kind,
        promotion: Promotion,
    ) -> Result<Option<Hex>, (Incoherence, Seen)> {
        if self.on(from) != Some(Piece::new(self.turn, piece)) {
            return self.fail(self.wrong_origin(from), from);
        }
        let enemy = Some(Piece::new(self.turn.other(), captured));
        let victim = match capture {
            Capture::None if self.on(to).is_some() => return self.fail(Incoherence::Occupied, to),
            Capture::None => None,
            Capture::Taken if self.on(to) != enemy => return self.fail(self.wrong_capture(to), to),
            Capture::Taken => Some(to),
            Capture::Passing | Capture::LongPassing => match self.special.victim(capture, to, self.turn) {
                None => return self.fail(Incoherence::NoPassing, to),
                Some(hex) if self.on(hex) != enemy => return self.fail(Incoherence::OtherPassing, hex),
                Some(hex) => Some(hex),
            },
        };
        let arrives = piece == Kind::Pawn && to.is_last_for(self.turn);
        match (arrives, promotion) {
            (true, Promotion::None) => self.fail(Incoherence::PromotionMissing, to),
            (false, Promotion::None) | (true, _) => Ok(victim),
            (false, _) => self.fail(Incoherence::PromotionFalse, to),
        }
    }

    /// Why what is written does not stand on the origin.
    fn wrong_origin(&self, from: Hex) -> Incoherence {
        match self.on(from) {
            None => Incoherence::EmptyOrigin,
            Some(there) if there.side() == self.turn => Incoherence::OtherOrigin,
            Some(_) => Incoherence::EnemyOrigin,
        }
    }

    /// Why what is written cannot be captured on the destination.
    fn wrong_capture(&self, to: Hex) -> Incoherence {
        match self.on(to) {
            None => Incoherence::EmptyCapture,
            Some(there) if there.side() == self.turn => Incoherence::OwnCapture,
            Some(_) => Incoherence::OtherCapture,
        }
    }

    #[inline]
    fn step(&mut self, piece: Kind, from: Hex, to: Hex, victim: Option<Hex>, promotion: Promotion) {
        let side = self.turn;
        self.special = match piece {
            Kind::Pawn => Special::left_by(self, side, from, to),
            _ => Special::None,
        };
        if let Some(hex) = victim {
            self.put(hex, None);
        }
        self.put(from, None);
        self.put(to, Some(Piece::new(side, promotion.kind().unwrap_or(piece))));
        self.clock = if piece == Kind::Pawn || victim.is_some() { 0 } else { self.clock.saturating_add(1) };
        if piece == Kind::King {
            self.rights[side as usize] = Rights::NONE;
        }
        self.forget_rook(from);
        self.forget_rook(to);
    }

    /// A rook that leaves its first hex, or is captured there, takes its right along.
    fn forget_rook(&mut self, hex: Hex) {
        if let Some(&(_, side, of_king)) = ROOK_HOMES.iter().find(|(home, ..)| *home == hex) {
            let rights = &mut self.rights[side as usize];
            if of_king { rights.king_rook = false } else { rights.queen_rook = false }
        }
    }

    fn castle(&mut self, castling: Castling) -> Result<(), (Incoherence, Seen)> {
        let side = self.turn;
        let moves = castling.moves(side);
        let taking_part = || moves.iter().filter_map(|&(kind, from, to)| Some((Piece::new(side, kind), from, to?)));
        for (piece, from, _) in taking_part() {
            if self.on(from) != Some(piece) {
                let why =
                    if piece.kind() == Kind::King { Incoherence::CastlingKing } else { Incoherence::CastlingRook };
                return Err((why, self.seen(from)));
            }
        }
        for (_, _, to) in taking_part() {
            if self.on(to).is_some() && !taking_part().any(|(_, from, _)| from == to) {
                return Err((Incoherence::CastlingBlocked, self.seen(to)));
            }
        }
        for (_, from, _) in taking_part() {
            self.put(from, None);
        }
        for (piece, _, to) in taking_part() {
            self.put(to, Some(piece));
        }
        self.rights[side as usize] = Rights::NONE;
        self.special = Special::None;
        self.clock = self.clock.saturating_add(1);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::Check;
    use super::*;

    /// Every step of what stands there, and of what doesn't, from one hex to another.
    fn steps(position: &Position) -> impl Iterator<Item = Ply> {
        let kinds = |hex| position.on(hex).map_or(vec![Kind::Pawn, Kind::King], |piece| vec![piece.kind(), Kind::Pawn]);
        let captures = [Capture::None, Capture::Taken, Capture::Passing];
        Hex::all().flat_map(move |from| {
            Hex::all().flat_map(kinds).zip(Hex::all().flat_map(|to| [to; 2])).flat_map(move |(captured, to)| {
                captures.into_iter().flat_map(move |capture| {
                    kinds(from).into_iter().map(move |piece| {
                        let promotion = Promotion::None;
                        Ply::new(Shape::Step { piece, from, to, capture, captured, promotion }, Check::None)
                    })
                })
            })
        })
    }

    #[test]
    fn simple_steps_are_applied_as_any_ply_is() {
        let mut position = Position::INITIAL;
        let mut simple = 0;
        for played in 0..40 {
            let mut next = None;
            for (index, ply) in steps(&position).enumerate() {
                let (mut quick, mut careful) = (position, position);
                if quick.simple_step(ply) {
                    careful.any_ply(ply).unwrap();
                    assert!(quick == careful, "{ply:?} on {position:?}");
                    simple += 1;
                    if next.is_none() || (index + played) % 97 == 0 {
                        next = Some(ply);
                    }
                }
            }
            position.apply(next.unwrap()).unwrap();
        }
        assert!(simple > 100_000);
    }

    #[test]
    fn what_was_seen_survives_packing() {
        let at = |column, line| Hex::at(column, line).unwrap();
        for special in [
            Special::None,
            Special::Double(at(0, 7)),
            Special::Triple(at(8, 13)),
            Special::Scornful(at(14, 21), Faced::Right),
        ] {
            for piece in [None, Some(Piece::new(Side::White, Kind::Pawn)), Some(Piece::new(Side::Black, Kind::King))] {
                let seen = Seen { hex: at(14, 21), piece, special };
                assert_eq!(Seen::from_bits(seen.to_bits()), Some(seen));
            }
        }
    }
}
