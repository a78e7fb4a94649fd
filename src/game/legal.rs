//! Legal plies: all of a position, or whether one is, and why not (R1–R4).

use std::ops::ControlFlow;

use super::attacks::{
    DIAGONAL, DIRECTIONS, ELEPHANT, LEAPS, NEXT, Relation, WAYS, Ways, attacks_along, jumps, opposite, slides,
};
use super::coherence::triple_from;
use super::ply::Simple;
use super::{
    Capture, Castling, Check, Checks, Faced, Hex, HexSet, Incoherence, Kind, Piece, Ply, Position, Promotion,
    Promotions, Seen, Shape, Side, Special,
};

/// Why a ply is not legal. Of several reasons the first in this order is told.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Illegal {
    /// Not even the minimal reader can apply it (§11).
    Incoherent(Incoherence, Seen),
    /// It takes the king.
    KingCapture,
    /// The piece does not move so (R1, R2): see [`Piece::reach`].
    NoReach,
    /// It moves so without capture only: a knight's ride, a pawn straight ahead or obliquely.
    NoCapture,
    /// It moves so to capture only: a pawn diagonally.
    OnlyCapture,
    /// The pawn makes no triple step from where it stands (R2.1).
    NoTriple,
    /// A piece stands in its way, on this hex.
    Blocked(Hex),
    /// Only pawns capture in passing (R2.3, R2.4).
    PassingPiece,
    /// This pawn can't capture so: en passant is diagonally forward (R2.3), and a scornful pawn is captured obliquely, by a
    /// pawn that it faced (R2.4).
    PassingReach,
    /// The king has moved, or is not on its first hex: it does not leap (R3.1).
    LeapLost,
    /// A king in check does not leap (R3.1); what checks it stands there.
    LeapInCheck(Hex),
    /// The king has moved, or the rook from this hex: they do not castle (R3.3).
    CastlingLost(Hex),
    /// A king in check does not castle (R3.3); what checks it stands there.
    CastlingInCheck(Hex),
    /// A rook that castles has a piece in its way, on this hex (R3.3).
    CastlingBlocked(Hex),
    /// The king castles to a hex that is attacked before the ply (R3.4).
    CastlingAttacked {
        /// Where it would stand.
        king: Hex,
        /// Where the attacker stands.
        by: Hex,
    },
    /// The king was in check, and still is, by the same piece (R4.1).
    Unanswered {
        /// Where the king stands after the ply.
        king: Hex,
        /// Where the checking piece stands.
        by: Hex,
    },
    /// The king would be in check, by a piece that did not check it before (R3.4, R4.1).
    Exposed {
        /// Where the king stands after the ply.
        king: Hex,
        /// Where the attacker stands.
        by: Hex,
    },
    /// What is written behind `=` can't be regained (R2.5); these can, on that hex.
    NotRegainable(Promotions),
    /// `=&`, though these can be regained (R2.5).
    Regainable(Promotions),
    /// A pawn that awaits promotion must promote first (R2.7).
    PassedOver {
        /// Where it stands; there may be more.
        pawn: Hex,
        /// What it can become.
        promotions: Promotions,
    },
}

/// How a piece gets from one hex to another.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Way {
    /// At once.
    Jump,
    /// A king's leap.
    Leap,
    /// Through the hexes in a direction.
    Along(usize, u8),
    /// Without capture.
    Quiet(usize, u8),
    /// Without capture, the same jump twice.
    Ride,
    /// A pawn's capture.
    Captures,
}

impl Way {
    /// The way of `piece` from one hex to another, whatever stands on the board (R1, R2).
    #[inline]
    fn of(piece: Piece, from: Hex, to: Hex) -> Option<Way> {
        let ways = WAYS[piece.side() as usize];
        match (piece.kind(), Relation::of(from, to)) {
            (Kind::Pawn, Relation::Ray(way, steps)) => Way::of_pawn(&ways, way, steps),
            (Kind::Elephant, Relation::Ray(way, steps))
                if way == ways.ahead && steps <= 2 || steps == 1 && ELEPHANT.contains(&way) =>
            {
                Some(Way::Along(way, steps))
            }
            (Kind::King, Relation::Ray(way, 1)) => Some(Way::Along(way, 1)),
            (Kind::King, Relation::Jump) => Some(Way::Leap),
            (kind, Relation::Ray(way, steps)) if slides(kind, way) => Some(Way::Along(way, steps)),
            (kind, Relation::Jump) if jumps(kind) => Some(Way::Jump),
            (Kind::Knight, Relation::Ride) => Some(Way::Ride),
            _ => None,
        }
    }

    #[inline]
    fn of_pawn(ways: &Ways, way: usize, steps: u8) -> Option<Way> {
        match steps {
            1..=3 if way == ways.ahead => Some(Way::Quiet(way, steps)),
            1 if ways.oblique.contains(&way) => Some(Way::Quiet(way, steps)),
            1 if ways.captures.contains(&way) => Some(Way::Captures),
            _ => None,
        }
    }
}

impl Piece {
    /// Where it gets to from a hex on an empty board (R1, R2), its captures, a leap and a triple step included where the
    /// hex allows them.
    ///
    /// ```
    /// use ctl::game::{Hex, Kind, Piece, Side};
    ///
    /// let elephant = Piece::new(Side::White, Kind::Elephant);
    /// let reach = elephant.reach(Hex::at(6, 5).unwrap());
    /// assert_eq!(format!("{reach:?}"), "{D2, D8, E7, E9, F2, F8}");
    /// ```
    pub fn reach(self, from: Hex) -> HexSet {
        let reaches = |to: &Hex| match Way::of(self, from, *to) {
            Some(Way::Quiet(_, 3)) => triple_from(self.side(), from),
            Some(Way::Leap) => from == Castling::king_home(self.side()),
            way => way.is_some(),
        };
        Hex::all().filter(reaches).collect()
    }
}

/// The last hexes of the columns (R2.5), by [`Side`].
const LAST: [[Hex; 15]; 2] = {
    let mut last = [[Hex::packed(0); 15]; 2];
    let mut column: u8 = 0;
    while column < 15 {
        let edge = column.abs_diff(7);
        if let (Some(white), Some(black)) = (Hex::at(column, 28 - edge), Hex::at(column, edge)) {
            last[Side::White as usize][column as usize] = white;
            last[Side::Black as usize][column as usize] = black;
        }
        column += 1;
    }
    last
};

impl Position {
    /// What a pawn of `side` can become on its last hex `at` (R2.5): pieces of which fewer stand on the board than at the
    /// start; the bishop of that hex's colour.
    pub fn regainable(&self, side: Side, at: Hex) -> Promotions {
        let mut counts = [0_u8; 16];
        let mut bishop = false;
        for (hex, piece) in self.pieces() {
            if piece.side() == side {
                counts[piece.kind() as usize] += 1;
                bishop |= piece.kind() == Kind::Bishop && hex.colour() == at.colour();
            }
        }
        let mut promotions = Promotions::NONE;
        for kind in [Kind::Queen, Kind::Wyvern, Kind::Rook, Kind::Pegasus, Kind::Knight, Kind::Bishop] {
            let lacks = if kind == Kind::Bishop { !bishop } else { counts[kind as usize] < kind.initial_count() };
            if let Some(promotion) = Promotion::to(kind).filter(|_| lacks) {
                promotions.insert(promotion);
            }
        }
        promotions
    }

    /// Pawns of the player on turn that await promotion and can become something (R2.7): unless he is in check, one of
    /// them must promote. Those for which there is nothing are left out.
    #[inline]
    pub fn due(&self) -> impl Iterator<Item = (Hex, Promotions)> {
        let side = self.turn;
        let pawn = Some(Piece::new(side, Kind::Pawn));
        let waiting = LAST[side as usize].into_iter().filter(move |hex| self.on(*hex) == pawn);
        waiting.map(move |hex| (hex, self.regainable(side, hex))).filter(|(_, promotions)| !promotions.is_empty())
    }

    /// Whether a ply is legal, and if not, why.
    ///
    /// ```
    /// use ctl::game::{Illegal, Position};
    /// use ctl::notation::{Letters, read_ply};
    ///
    /// let position = Position::INITIAL;
    /// let legality = |word: &str| {
    ///     let read = read_ply(word.as_bytes(), &Letters::STANDARD, position.turn, &mut |slip| panic!("{slip:?}"));
    ///     position.legality(read.ply.unwrap())
    /// };
    /// assert_eq!(legality("E7-E13"), Ok(()));
    /// assert_eq!(legality("EE5-E11"), Err(Illegal::NoReach));
    /// assert!(matches!(legality("RC3-C9"), Err(Illegal::Blocked(hex)) if hex.to_string() == "C5"));
    /// ```
    pub fn legality(&self, ply: Ply) -> Result<(), Illegal> {
        let mut after = *self;
        after.apply(ply).map_err(|(why, seen)| Illegal::Incoherent(why, seen))?;
        match ply.shape() {
            Shape::Step { captured: Kind::King, .. } => return Err(Illegal::KingCapture),
            Shape::Step { piece, from, to, capture, .. } if capture.is_in_passing() => {
                self.passes_so(piece, from, to, capture)?;
            }
            Shape::Step { piece, from, to, capture, .. } => self.moves_so(piece, from, to, capture)?,
            Shape::Castle(castling) => self.castles_so(castling)?,
            Shape::Promote { .. } => {}
        }
        self.leaves_safe(&after)?;
        self.promotes_so(ply)
    }

    /// Whether the piece moves so, and nothing is in its way.
    fn moves_so(&self, piece: Kind, from: Hex, to: Hex, capture: Capture) -> Result<(), Illegal> {
        let piece = Piece::new(self.turn, piece);
        let captures = capture == Capture::Taken;
        match Way::of(piece, from, to).ok_or(Illegal::NoReach)? {
            Way::Quiet(_, 3) if !triple_from(self.turn, from) => Err(Illegal::NoTriple),
            Way::Quiet(..) | Way::Ride if captures => Err(Illegal::NoCapture),
            Way::Captures if !captures => Err(Illegal::OnlyCapture),
            Way::Jump | Way::Captures => Ok(()),
            Way::Along(way, steps) | Way::Quiet(way, steps) => match self.first(from, way, Hex::OFF) {
                Some(first) if first.steps < usize::from(steps) => Err(Illegal::Blocked(first.hex)),
                _ => Ok(()),
            },
            Way::Ride => {
                let via = from.rides().find(|(_, last)| *last == to).map(|(via, _)| via);
                via.filter(|via| self.on(*via).is_some()).map_or(Ok(()), |via| Err(Illegal::Blocked(via)))
            }
            Way::Leap => self.leaps_so(),
        }
    }

    fn leaps_so(&self) -> Result<(), Illegal> {
        if !self.may_leap(self.turn) {
            return Err(Illegal::LeapLost);
        }
        self.checks(self.turn).by().first().map_or(Ok(()), |by| Err(Illegal::LeapInCheck(*by)))
    }

    /// Whether a side's king has never moved (R3.1, R3.5).
    #[inline]
    fn may_leap(&self, side: Side) -> bool {
        self.rights[side as usize].king && self.king(side) == Some(Castling::king_home(side))
    }

    /// Whether this piece can capture so in passing; that something can be captured is known.
    fn passes_so(&self, piece: Kind, from: Hex, to: Hex, capture: Capture) -> Result<(), Illegal> {
        if piece != Kind::Pawn {
            return Err(Illegal::PassingPiece);
        }
        if self.passers(to, capture).any(|hex| hex == from) { Ok(()) } else { Err(Illegal::PassingReach) }
    }

    /// From where a pawn of the player on turn would capture on `to` in passing (R2.3, R2.4).
    #[inline]
    fn passers(&self, to: Hex, capture: Capture) -> impl Iterator<Item = Hex> {
        let ways = &WAYS[self.turn as usize];
        let scornful = match (self.special, capture) {
            (Special::Scornful(_, faced), Capture::Passing) => Some(faced),
            _ => None,
        };
        let back = if scornful.is_some() { ways.oblique } else { ways.captures };
        let pawn = Some(Piece::new(self.turn, Kind::Pawn));
        back.into_iter().filter_map(move |way| to.step(opposite(way))).filter(move |from| {
            let origin = || from.step(ways.ahead).is_some_and(|origin| self.on(origin).is_none());
            self.on(*from) == pawn
                && match scornful {
                    None => self.on(to).is_none(),
                    Some(Faced::Any) => origin(),
                    Some(Faced::Left) => from.column() < to.column(),
                    Some(Faced::Right) => from.column() > to.column(),
                }
        })
    }

    /// Whether the rights are there, the king is not in check, the ways are free, and the king's hex is not attacked
    /// before the ply (R3.3, R3.4).
    fn castles_so(&self, castling: Castling) -> Result<(), Illegal> {
        let side = self.turn;
        self.has_right(castling).map_err(Illegal::CastlingLost)?;
        if let Some(by) = self.checks(side).by().first() {
            return Err(Illegal::CastlingInCheck(*by));
        }
        self.is_open(castling).map_err(Illegal::CastlingBlocked)?;
        let king = castling.king_to(side);
        self.attacker(king, side.other(), Hex::OFF).map_or(Ok(()), |by| Err(Illegal::CastlingAttacked { king, by }))
    }

    /// Whether king and rooks have never moved; else the first hex of one that has (R3.3, R3.5).
    #[inline]
    fn has_right(&self, castling: Castling) -> Result<(), Hex> {
        let side = self.turn;
        let rights = self.rights[side as usize];
        let rook = Some(Piece::new(side, Kind::Rook));
        if !self.may_leap(side) {
            return Err(Castling::king_home(side));
        }
        for (home, to, right) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side), rights.king_rook),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side), rights.queen_rook),
        ] {
            if to.is_some() && !(right && self.on(home) == rook) {
                return Err(home);
            }
        }
        Ok(())
    }

    /// Whether the rooks' ways and all last hexes are free; else a hex that is not (R3.3).
    #[inline]
    fn is_open(&self, castling: Castling) -> Result<(), Hex> {
        let side = self.turn;
        let king = castling.king_to(side);
        if self.on(king).is_some() {
            return Err(king);
        }
        for (home, to) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side)),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side)),
        ] {
            if let Some(to) = to
                && let Relation::Ray(way, steps) = Relation::of(home, to)
                && let Some(first) = self.first(home, way, Hex::OFF)
                && first.steps <= usize::from(steps)
            {
                return Err(first.hex);
            }
        }
        Ok(())
    }

    /// Whether the mover's king is not attacked after his ply (R4.1).
    fn leaves_safe(&self, after: &Position) -> Result<(), Illegal> {
        let side = self.turn;
        let Some(king) = after.king(side) else { return Ok(()) };
        let Some(by) = after.attacker(king, side.other(), Hex::OFF) else { return Ok(()) };
        let before = self.checks(side);
        let still = after.checks(side).by().iter().find(|by| before.by().contains(by)).copied();
        Err(still.map_or(Illegal::Exposed { king, by }, |by| Illegal::Unanswered { king, by }))
    }

    /// Whether a pawn becomes what it can, and none that must promote is passed over (R2.5–R2.7).
    fn promotes_so(&self, ply: Ply) -> Result<(), Illegal> {
        let (at, promotion) = match ply.shape() {
            Shape::Step { to, promotion, .. } => (to, promotion),
            Shape::Promote { at, promotion } => (at, promotion),
            Shape::Castle(_) => (Castling::king_home(self.turn), Promotion::None),
        };
        if promotion != Promotion::None {
            let promotions = self.regainable(self.turn, at);
            match promotion {
                Promotion::Awaiting if promotions.is_empty() => {}
                Promotion::Awaiting => return Err(Illegal::Regainable(promotions)),
                _ if promotions.contains(promotion) => {}
                _ => return Err(Illegal::NotRegainable(promotions)),
            }
        }
        if matches!(ply.shape(), Shape::Promote { .. }) {
            return Ok(());
        }
        match self.due().next() {
            Some((pawn, promotions)) if !self.checks(self.turn).any() => Err(Illegal::PassedOver { pawn, promotions }),
            _ => Ok(()),
        }
    }

    /// Whether a ply is a plain step that is legal at a glance; the player on turn is not in check, and no pawn of his
    /// awaits promotion. Where it is not, [`Position::legality`] knows better.
    #[inline]
    pub(super) fn is_plainly_legal(&self, ply: Ply) -> bool {
        let Some(Simple { piece, from, to, captures, captured }) = ply.simple() else { return false };
        let enemy = if captures { Piece::code(self.turn.other(), captured) } else { 0 };
        let Some(there) = self.on(from).filter(|there| Piece::code_of(Some(*there)) == Piece::code(self.turn, piece))
        else {
            return false;
        };
        if Piece::code_of(self.on(to)) != enemy || there.kind() == Kind::Pawn && to.is_last_for(self.turn) {
            return false;
        }
        let is_free = match Way::of(there, from, to) {
            Some(Way::Jump | Way::Along(_, 1)) => true,
            Some(Way::Along(way, steps)) => self.is_free(from, way, steps),
            Some(Way::Captures) => captures,
            Some(Way::Quiet(_, 1)) => !captures,
            Some(Way::Quiet(way, steps)) => {
                !captures && (steps == 2 || triple_from(self.turn, from)) && self.is_free(from, way, steps)
            }
            Some(Way::Leap | Way::Ride) | None => false,
        };
        is_free && self.keeps_safe(there.kind(), from, to)
    }

    /// Whether nothing stands between a hex and another, so many steps away.
    #[inline]
    fn is_free(&self, from: Hex, way: usize, steps: u8) -> bool {
        self.first(from, way, Hex::OFF).is_none_or(|first| first.steps >= usize::from(steps))
    }

    /// Whether a king that is not in check is in none after a step: a line to it that may be opened says no.
    #[inline]
    fn keeps_safe(&self, piece: Kind, from: Hex, to: Hex) -> bool {
        let enemy = self.turn.other();
        let Some(king) = self.king(self.turn) else { return true };
        if piece == Kind::King {
            return self.attacker(to, enemy, from.number()).is_none();
        }
        let Relation::Ray(way, steps) = Relation::of(king, from) else { return true };
        self.first(from, way, Hex::OFF).is_none_or(|behind| {
            behind.piece.side() != enemy || !attacks_along(behind.piece, way, usize::from(steps) + behind.steps)
        })
    }

    /// Whether a piece, unless it is a king's shield, has an empty hex to go to next to it. The player is not in check.
    #[inline]
    pub(super) fn steps_freely(&self, from: Hex, piece: Piece) -> bool {
        let ways: &[usize] = match piece.kind() {
            Kind::Pawn => &WAYS[piece.side() as usize].quiet,
            Kind::Elephant => &ELEPHANT,
            Kind::Rook | Kind::Wyvern => &[0, 1, 2, 3, 4, 5],
            Kind::Bishop | Kind::Pegasus | Kind::Queen => &[6, 7, 8, 9, 10, 11],
            Kind::Knight | Kind::King => &[],
        };
        ways.iter().any(|way| {
            from.step(*way).is_some_and(|to| self.on(to).is_none() && self.keeps_safe(piece.kind(), from, to))
        })
    }

    /// The hexes whose pieces a coherent ply changes.
    pub(super) fn touched(&self, ply: Ply) -> [Option<Hex>; 6] {
        match ply.shape() {
            Shape::Step { from, to, capture, .. } => {
                let victim = if capture.is_in_passing() { self.special.victim(capture, to, self.turn) } else { None };
                [Some(from), Some(to), victim.filter(|hex| *hex != to), None, None, None]
            }
            Shape::Promote { at, .. } => [Some(at), None, None, None, None, None],
            Shape::Castle(castling) => {
                let side = self.turn;
                let [king_rook, queen_rook] = [castling.king_rook_to(side), castling.queen_rook_to(side)];
                [
                    Some(Castling::king_home(side)),
                    Some(castling.king_to(side)),
                    king_rook.map(|_| Castling::king_rook_home(side)),
                    king_rook,
                    queen_rook.map(|_| Castling::queen_rook_home(side)),
                    queen_rook,
                ]
            }
        }
    }

    /// Whether a capture in passing is legal (R2.3, R2.4).
    #[inline]
    pub(super) fn passes(&self) -> bool {
        Generator::new(self, |_| ControlFlow::Break(())).passing().is_break()
            && (self.due().next().is_none() || self.checks(self.turn).any())
    }

    /// All legal plies, into a buffer that is emptied first; in no particular order, without check signs.
    ///
    /// ```
    /// use ctl::game::Position;
    ///
    /// let mut plies = Vec::new();
    /// Position::INITIAL.legal_plies(&mut plies);
    /// assert_eq!(plies.len(), 68);
    /// ```
    pub fn legal_plies(&self, plies: &mut Vec<Ply>) {
        plies.clear();
        let _ = self.each_legal(|ply| {
            plies.push(ply);
            ControlFlow::Continue(())
        });
    }

    /// How many legal plies there are.
    pub fn count_legal(&self) -> usize {
        let mut count = 0;
        let _ = self.each_legal(|_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Whether there is a legal ply.
    pub fn has_legal(&self) -> bool {
        self.each_legal(|_| ControlFlow::Break(())).is_break()
    }

    /// Hands out every legal ply until it is told to stop.
    #[inline]
    fn each_legal(&self, each: impl FnMut(Ply) -> ControlFlow<()>) -> ControlFlow<()> {
        Generator::new(self, each).run()
    }
}

/// Makes the legal plies of a position. Lines through the king are looked at once, for all plies.
struct Generator<'a, F> {
    position: &'a Position,
    side: Side,
    ways: &'a Ways,
    /// Who checks the king.
    checks: Checks,
    /// Where a piece that is no king may go: anywhere, or where it answers the check.
    targets: HexSet,
    /// Own pieces that alone stand between the king and an attacker.
    pinned: HexSet,
    each: F,
}

impl<'a, F: FnMut(Ply) -> ControlFlow<()>> Generator<'a, F> {
    /// Before it has looked at anything.
    #[inline]
    fn new(position: &'a Position, each: F) -> Self {
        let side = position.turn;
        let ways = &WAYS[side as usize];
        let (checks, targets, pinned) = (Checks::NONE, HexSet::ALL, HexSet::EMPTY);
        Generator { position, side, ways, checks, targets, pinned, each }
    }

    /// Finds checks and pins.
    #[inline]
    fn look_around(&mut self, king: Hex) {
        let enemy = self.side.other();
        for way in 0..DIRECTIONS {
            let Some(first) = self.position.first(king, way, Hex::OFF) else { continue };
            if first.piece.side() == enemy {
                if attacks_along(first.piece, way, first.steps) {
                    self.checks.add(first.hex, king);
                    self.targets = self.line(king, way);
                }
            } else if let Some(second) = self.position.first(first.hex, way, Hex::OFF)
                && second.piece.side() == enemy
                && attacks_along(second.piece, way, first.steps + second.steps)
            {
                self.pinned.insert(first.hex);
            }
        }
        for &from in &LEAPS[king.index()] {
            if let Some(Some(piece)) = self.position.board.get(usize::from(from))
                && piece.side() == enemy
                && jumps(piece.kind())
            {
                self.checks.add(Hex::packed(from), king);
                self.targets = HexSet::from_iter([Hex::packed(from)]);
            }
        }
    }

    /// The hexes from a king on in a direction, up to the first enemy piece and with it.
    fn line(&self, king: Hex, way: usize) -> HexSet {
        let mut line = HexSet::EMPTY;
        let mut at = king;
        while let Some(next) = at.step(way) {
            line.insert(next);
            at = next;
            if self.position.on(next).is_some_and(|piece| piece.side() != self.side) {
                break;
            }
        }
        line
    }

    /// Where the piece on a hex may go, whatever it is.
    #[inline]
    fn targets_of(&self, from: Hex) -> HexSet {
        if !self.pinned.contains(from) {
            return self.targets;
        }
        match self.position.king(self.side).map(|king| (king, Relation::of(king, from))) {
            Some((king, Relation::Ray(way, _))) => self.line(king, way).and(&self.targets),
            _ => self.targets,
        }
    }

    #[inline]
    fn run(mut self) -> ControlFlow<()> {
        if let Some(king) = self.position.king(self.side) {
            self.look_around(king);
        }
        if !self.checks.any() && self.position.due().next().is_some() {
            return self.due();
        }
        // A double check leaves the king alone to move.
        if self.checks.kind() != Check::Double {
            self.pieces()?;
            self.passing()?;
        }
        self.king()
    }

    /// Promotions of pawns that must (R2.7).
    #[cold]
    fn due(&mut self) -> ControlFlow<()> {
        for (at, promotions) in self.position.due() {
            for promotion in promotions.iter() {
                (self.each)(Ply::new(Shape::Promote { at, promotion }, Check::None))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pieces(&mut self) -> ControlFlow<()> {
        let (own, count) = self.own();
        for &hex in &own[..count] {
            let from = Hex::packed(hex);
            let Some(kind) = self.position.on(from).map(Piece::kind) else { continue };
            let targets = self.targets_of(from);
            match kind {
                Kind::Pawn => self.pawn(from, &targets)?,
                Kind::Elephant => self.elephant(from, &targets)?,
                Kind::King => {}
                Kind::Bishop => self.rays(kind, DIAGONAL, from, &targets)?,
                Kind::Rook => self.rays(kind, 0, from, &targets)?,
                Kind::Queen => {
                    self.rays(kind, 0, from, &targets)?;
                    self.rays(kind, DIAGONAL, from, &targets)?;
                }
                Kind::Knight => self.knight(from, &targets)?,
                Kind::Pegasus => {
                    self.rays(kind, DIAGONAL, from, &targets)?;
                    self.leaps(kind, from, &targets)?;
                }
                Kind::Wyvern => {
                    self.rays(kind, 0, from, &targets)?;
                    self.leaps(kind, from, &targets)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The hexes of own pieces, by number, and how many there are.
    #[inline]
    fn own(&self) -> ([u8; Hex::COUNT], usize) {
        let mut own = [0; Hex::COUNT];
        let mut count = 0;
        let mine = Piece::code(self.side, 0);
        for (hex, piece) in self.position.board.iter().enumerate() {
            own[count] = hex as u8;
            count += usize::from(Piece::code_of(*piece) & 3 == mine);
        }
        (own, count)
    }

    #[inline]
    fn step(&mut self, piece: Kind, from: Hex, to: Hex, captured: Option<Kind>) -> ControlFlow<()> {
        let capture = if captured.is_some() { Capture::Taken } else { Capture::None };
        let captured = captured.unwrap_or(Kind::Pawn);
        let shape = Shape::Step { piece, from, to, capture, captured, promotion: Promotion::None };
        (self.each)(Ply::new(shape, Check::None))
    }

    /// A step to a hex, if it may go there and no own piece holds it. Kings are not captured.
    #[inline]
    fn try_step(&mut self, piece: Kind, from: Hex, to: Hex, targets: &HexSet) -> ControlFlow<()> {
        if !targets.contains(to) {
            return ControlFlow::Continue(());
        }
        match self.position.on(to) {
            None => self.step(piece, from, to, None),
            Some(there) if there.side() != self.side && there.kind() != Kind::King => {
                self.step(piece, from, to, Some(there.kind()))
            }
            Some(_) => ControlFlow::Continue(()),
        }
    }

    /// The six directions from `first` on.
    #[inline]
    fn rays(&mut self, piece: Kind, first: usize, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for next in &NEXT[first..first + 6] {
            let mut at = next[from.index()];
            while let Some(there) = self.position.board.get(usize::from(at)) {
                self.try_step(piece, from, Hex::packed(at), targets)?;
                if there.is_some() {
                    break;
                }
                at = next[usize::from(at)];
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn leaps(&mut self, piece: Kind, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for to in from.jumps() {
            self.try_step(piece, from, to, targets)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn knight(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for (jump, &to) in LEAPS[from.index()].iter().enumerate() {
            let Some(via) = Hex::from_index(to) else { continue };
            self.try_step(Kind::Knight, from, via, targets)?;
            if self.position.on(via).is_none()
                && let Some(to) = Hex::from_index(LEAPS[via.index()][jump])
                && self.position.on(to).is_none()
            {
                self.try_step(Kind::Knight, from, to, targets)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn elephant(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for way in ELEPHANT {
            if let Some(to) = from.step(way) {
                self.try_step(Kind::Elephant, from, to, targets)?;
            }
        }
        let Some(next) = from.step(self.ways.ahead) else { return ControlFlow::Continue(()) };
        self.try_step(Kind::Elephant, from, next, targets)?;
        match next.step(self.ways.ahead).filter(|_| self.position.on(next).is_none()) {
            Some(second) => self.try_step(Kind::Elephant, from, second, targets),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline]
    fn pawn(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        let longest = if triple_from(self.side, from) { 3 } else { 2 };
        let mut at = from;
        for _ in 0..longest {
            let Some(to) = at.step(self.ways.ahead).filter(|to| self.position.on(*to).is_none()) else { break };
            self.pawn_step(from, to, None, targets)?;
            at = to;
        }
        for way in self.ways.oblique {
            if let Some(to) = from.step(way).filter(|to| self.position.on(*to).is_none()) {
                self.pawn_step(from, to, None, targets)?;
            }
        }
        for way in self.ways.captures {
            if let Some(to) = from.step(way)
                && let Some(there) = self.position.on(to)
                && there.side() != self.side
                && there.kind() != Kind::King
            {
                self.pawn_step(from, to, Some(there.kind()), targets)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pawn_step(&mut self, from: Hex, to: Hex, captured: Option<Kind>, targets: &HexSet) -> ControlFlow<()> {
        if !targets.contains(to) {
            return ControlFlow::Continue(());
        }
        if to.step(self.ways.ahead).is_some() {
            return self.step(Kind::Pawn, from, to, captured);
        }
        let capture = if captured.is_some() { Capture::Taken } else { Capture::None };
        self.arrive(from, to, capture, captured.unwrap_or(Kind::Pawn))
    }

    /// A pawn's step to a last hex, with all that it can become there (R2.5, R2.6).
    #[cold]
    fn arrive(&mut self, from: Hex, to: Hex, capture: Capture, captured: Kind) -> ControlFlow<()> {
        let mut promotions = self.position.regainable(self.side, to);
        if promotions.is_empty() {
            promotions.insert(Promotion::Awaiting);
        }
        for promotion in promotions.iter() {
            let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion };
            (self.each)(Ply::new(shape, Check::None))?;
        }
        ControlFlow::Continue(())
    }

    /// Captures in passing. What they do to lines is too much for pins: each is tried (there are two at most).
    #[inline]
    fn passing(&mut self) -> ControlFlow<()> {
        match self.position.special {
            Special::None => ControlFlow::Continue(()),
            Special::Scornful(hex, _) => self.pass(hex, Some(hex), Capture::Passing),
            Special::Double(hex) => self.pass(hex, hex.step(self.ways.ahead), Capture::Passing),
            Special::Triple(hex) => {
                let first = hex.step(self.ways.ahead);
                self.pass(hex, first, Capture::Passing)?;
                self.pass(hex, first.and_then(|hex| hex.step(self.ways.ahead)), Capture::LongPassing)
            }
        }
    }

    #[inline]
    fn pass(&mut self, victim: Hex, to: Option<Hex>, capture: Capture) -> ControlFlow<()> {
        let position = self.position;
        let captured = position.on(victim).filter(|piece| piece.side() != self.side && piece.kind() != Kind::King);
        let (Some(to), Some(captured)) = (to, captured) else { return ControlFlow::Continue(()) };
        for from in position.passers(to, capture) {
            let mut after = *position;
            after.put(victim, None);
            after.put(to, position.on(from));
            after.put(from, None);
            if self.is_safe(&after) {
                self.pass_from(from, to, capture, captured.kind())?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pass_from(&mut self, from: Hex, to: Hex, capture: Capture, captured: Kind) -> ControlFlow<()> {
        if to.step(self.ways.ahead).is_none() {
            return self.arrive(from, to, capture, captured);
        }
        let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion: Promotion::None };
        (self.each)(Ply::new(shape, Check::None))
    }

    fn is_safe(&self, after: &Position) -> bool {
        after.king(self.side).is_none_or(|king| after.attacker(king, self.side.other(), Hex::OFF).is_none())
    }

    /// The king's steps and leaps, and castlings.
    #[inline]
    fn king(&mut self) -> ControlFlow<()> {
        let Some(king) = self.position.king(self.side) else { return ControlFlow::Continue(()) };
        for way in 0..DIRECTIONS {
            if let Some(to) = king.step(way) {
                self.king_step(king, to)?;
            }
        }
        if self.checks.any() || !self.position.may_leap(self.side) {
            return ControlFlow::Continue(());
        }
        let mut free = HexSet::EMPTY;
        for to in king.jumps() {
            if self.king_step(king, to)? && self.position.on(to).is_none() {
                free.insert(to);
            }
        }
        if free.is_empty() { ControlFlow::Continue(()) } else { self.castlings(&free) }
    }

    /// Whether the king may go to a hex.
    #[inline]
    fn king_step(&mut self, king: Hex, to: Hex) -> ControlFlow<(), bool> {
        let there = self.position.on(to);
        if there.is_some_and(|piece| piece.side() == self.side || piece.kind() == Kind::King)
            || self.position.attacker(to, self.side.other(), king.number()).is_some()
        {
            return ControlFlow::Continue(false);
        }
        self.step(Kind::King, king, to, there.map(Piece::kind))?;
        ControlFlow::Continue(true)
    }

    /// Castlings; `free` are empty hexes in a king's leap that are not attacked.
    fn castlings(&mut self, free: &HexSet) -> ControlFlow<()> {
        for castling in Castling::all() {
            let king = castling.king_to(self.side);
            if !free.contains(king)
                || self.position.has_right(castling).is_err()
                || self.position.is_open(castling).is_err()
            {
                continue;
            }
            let ply = Ply::new(Shape::Castle(castling), Check::None);
            let mut after = *self.position;
            if after.apply(ply).is_ok() && self.is_safe(&after) {
                (self.each)(ply)?;
            }
        }
        ControlFlow::Continue(())
    }
}
