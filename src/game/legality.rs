//! Whether a ply is legal, and why not (R1–R4).

use super::attacks::{JUMP, Manner, Relation, attacks, is_clear};
use super::coherence::triple_from;
use super::ply::Simple;
use super::{
    Capture, Castling, Checks, Hex, HexSet, Incoherence, Kind, Piece, Ply, Position, Promotion, Promotions, Seen, Shape,
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
    /// The pawn makes no triple step from where it stands (R2.1).
    NoTriple,
    /// It moves so without capture only: a knight's ride, a pawn straight ahead or obliquely.
    NoCapture,
    /// It moves so to capture only: a pawn diagonally.
    OnlyCapture,
    /// A scornful pawn is captured by the one that it faced, as it should be, but with another sign than `@` (R2.4).
    ScornfulSign,
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

/// What is known of a position before it is asked whether a ply is legal.
pub(super) struct Known {
    /// Who gives check to the player on turn.
    pub checks: Checks,
    /// Where something stands.
    pub occupied: HexSet,
    /// Whether a pawn may have to promote.
    pub may_be_due: bool,
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
        let reaches = |to: &Hex| match Manner::of(self, Relation::of(from, *to)) {
            manner if manner.has(Manner::TRIPLE) => triple_from(self.side(), from),
            manner if manner.has(Manner::LEAPS) => from == Castling::king_home(self.side()),
            manner => manner != Manner::NONE,
        };
        Hex::all().filter(reaches).collect()
    }
}

/// The hex in the middle, where a knight's ride touches down.
#[inline]
fn between(from: Hex, to: Hex) -> Option<Hex> {
    Hex::at(u8::midpoint(from.column(), to.column()), u8::midpoint(from.line(), to.line()))
}

impl Position {
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
        self.legality_of(
            ply,
            &after,
            &Known { checks: self.checks(self.turn), occupied: self.occupied(), may_be_due: true },
        )
    }

    /// The same of a coherent ply, with the position after it, and what is known of the one before.
    pub(super) fn legality_of(&self, ply: Ply, after: &Position, known: &Known) -> Result<(), Illegal> {
        match ply.shape() {
            Shape::Step { captured: Kind::King, .. } => return Err(Illegal::KingCapture),
            Shape::Step { piece, from, to, capture, .. } if capture.is_in_passing() => {
                self.passes_so(piece, from, to, capture)?;
            }
            Shape::Step { piece, from, to, capture, .. } => {
                self.moves_so(Piece::new(self.turn, piece), from, to, capture == Capture::Taken, known)?;
            }
            Shape::Castle(castling) => self.castles_so(castling, known)?,
            Shape::Promote { .. } => {}
        }
        self.leaves_safe(ply, after, known)?;
        self.promotes_so(ply)?;
        let due = if known.may_be_due && !known.checks.any() { self.due().next() } else { None };
        match due {
            Some((pawn, promotions)) if !matches!(ply.shape(), Shape::Promote { .. }) => {
                Err(Illegal::PassedOver { pawn, promotions })
            }
            _ => Ok(()),
        }
    }

    /// Whether the piece moves so, and nothing is in its way.
    fn moves_so(&self, piece: Piece, from: Hex, to: Hex, captures: bool, known: &Known) -> Result<(), Illegal> {
        let relation = Relation::of(from, to);
        let manner = Manner::of(piece, relation);
        if manner == Manner::NONE {
            Err(Illegal::NoReach)
        } else if manner.has(Manner::TRIPLE) && !triple_from(self.turn, from) {
            Err(Illegal::NoTriple)
        } else if captures && !manner.has(Manner::CAPTURES) {
            Err(if self.scorned(from, to) { Illegal::ScornfulSign } else { Illegal::NoCapture })
        } else if !captures && !manner.has(Manner::QUIET) {
            Err(Illegal::OnlyCapture)
        } else if manner.has(Manner::LEAPS) {
            self.leaps_so(known.checks)
        } else if !manner.has(Manner::PASSES) {
            Ok(())
        } else if relation.way() == JUMP {
            between(from, to).filter(|via| self.on(*via).is_some()).map_or(Ok(()), |via| Err(Illegal::Blocked(via)))
        } else {
            let first = self.first(&known.occupied, from, relation.way());
            let blocker = first.hex().filter(|_| first.steps < relation.steps());
            blocker.map_or(Ok(()), |hex| Err(Illegal::Blocked(hex)))
        }
    }

    /// Whether a pawn on `from` faced the scornful pawn on `to` (R2.4).
    fn scorned(&self, from: Hex, to: Hex) -> bool {
        self.special.victim(Capture::Passing, to, self.turn) == Some(to)
            && self.passers(to, Capture::Passing).any(|hex| hex == from)
    }

    fn leaps_so(&self, checks: Checks) -> Result<(), Illegal> {
        if !self.may_leap(self.turn) {
            return Err(Illegal::LeapLost);
        }
        checks.by().first().map_or(Ok(()), |by| Err(Illegal::LeapInCheck(*by)))
    }

    /// Whether this piece can capture so in passing; that something can be captured is known.
    fn passes_so(&self, piece: Kind, from: Hex, to: Hex, capture: Capture) -> Result<(), Illegal> {
        if piece != Kind::Pawn {
            return Err(Illegal::PassingPiece);
        }
        if self.passers(to, capture).any(|hex| hex == from) { Ok(()) } else { Err(Illegal::PassingReach) }
    }

    /// Whether the rights are there, the king is not in check, the ways are free, and the king's hex is not attacked
    /// before the ply (R3.3, R3.4).
    fn castles_so(&self, castling: Castling, known: &Known) -> Result<(), Illegal> {
        let side = self.turn;
        self.has_right(castling).map_err(Illegal::CastlingLost)?;
        if let Some(by) = known.checks.by().first() {
            return Err(Illegal::CastlingInCheck(*by));
        }
        self.is_open(castling, &known.occupied).map_err(Illegal::CastlingBlocked)?;
        let king = castling.king_to(side);
        let by = self.attacker(&known.occupied, king, side.other());
        by.map_or(Ok(()), |by| Err(Illegal::CastlingAttacked { king, by }))
    }

    /// Whether the mover's king is not attacked after his ply (R4.1).
    fn leaves_safe(&self, ply: Ply, after: &Position, known: &Known) -> Result<(), Illegal> {
        let side = self.turn;
        let is_safe = match ply.shape() {
            Shape::Step { piece, from, to, capture, .. } => {
                piece != Kind::King && !capture.is_in_passing() && self.keeps_safe(&known.occupied, false, from, to)
            }
            Shape::Promote { .. } => true,
            Shape::Castle(_) => false,
        };
        if is_safe && !known.checks.any() {
            return Ok(());
        }
        let Some(king) = after.king(side) else { return Ok(()) };
        let Some(by) = after.attacker(&after.occupied(), king, side.other()) else { return Ok(()) };
        let still = after.checks(side).by().iter().find(|by| known.checks.by().contains(by)).copied();
        Err(still.map_or(Illegal::Exposed { king, by }, |by| Illegal::Unanswered { king, by }))
    }

    /// Whether a pawn becomes what it can (R2.5, R2.6).
    fn promotes_so(&self, ply: Ply) -> Result<(), Illegal> {
        let (at, promotion) = match ply.shape() {
            Shape::Step { to, promotion, .. } => (to, promotion),
            Shape::Promote { at, promotion } => (at, promotion),
            Shape::Castle(_) => (Castling::king_home(self.turn), Promotion::None),
        };
        let all = || self.regainable(self.turn, at);
        match promotion {
            Promotion::None => Ok(()),
            Promotion::Awaiting if all().is_empty() => Ok(()),
            Promotion::Awaiting => Err(Illegal::Regainable(all())),
            _ if promotion.kind().is_some_and(|kind| self.is_regainable(self.turn, at, kind)) => Ok(()),
            _ => Err(Illegal::NotRegainable(all())),
        }
    }

    /// The step that a ply is, if it is one that is legal at a glance; no pawn of the player on turn must promote, and whether
    /// it answers a check is not asked. Of others, [`Position::legality`] knows more.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    pub(super) fn plain_step(&self, ply: Ply, occupied: &HexSet) -> Option<Simple> {
        let step = ply.simple().filter(|step| self.fits(*step))?;
        let (from, to) = (step.from(), step.to());
        let relation = Relation::of(from, to);
        let manner = Manner::of(self.on(from)?, relation);
        let wanted = if step.captures() { Manner::CAPTURES } else { Manner::QUIET };
        // A ride touches down between, all others pass what lies between: of one step nothing does.
        let moves = manner.is(wanted, Manner::LEAPS)
            && (!manner.has(Manner::TRIPLE) || triple_from(self.turn, from))
            && is_clear(occupied, from, to, relation.way())
            && (relation != Relation::RIDE || between(from, to).is_some_and(|via| self.on(via).is_none()));
        (moves && self.keeps_safe(occupied, step.piece() == Kind::King as u8, from, to)).then_some(step)
    }

    /// Whether a step that is legal otherwise answers the check of one piece.
    #[inline]
    pub(super) fn answers(&self, by: Hex, step: Simple) -> bool {
        let Some(king) = self.king(self.turn) else { return true };
        if step.from() == king || step.to() == by {
            return true;
        }
        let (check, step) = (Relation::of(king, by), Relation::of(king, step.to()));
        check.direction().is_some() && check.way() == step.way() && step.steps() < check.steps()
    }

    /// Whether a step opens no check to the own king, and does not take it to one: a line to it that may be opened says no.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn keeps_safe(&self, occupied: &HexSet, of_king: bool, from: Hex, to: Hex) -> bool {
        let enemy = self.turn.other();
        let Some(king) = self.king(self.turn) else { return true };
        if of_king {
            // It hides nothing from what attacks it.
            let mut others = *occupied;
            others.remove(from);
            return self.attacker(&others, to, enemy).is_none();
        }
        let relation = Relation::of(king, from);
        let Some(way) = relation.direction() else { return true };
        let behind = self.first(occupied, from, way);
        !attacks(enemy, behind.piece, way, relation.steps() + behind.steps)
    }
}

#[cfg(test)]
mod tests {
    use crate::game::Position;
    use crate::notation::{Letters, pdtl, read_ply};

    const INITIAL: &str = "/28:v/27:dk/26:gjg/25:rnnr/24:pejep/23:ppeepp/22:2pjp2/21:3pp3/20:3p3/8:3P3/7:3PP3/6:2PJP2/\
        5:PPEEPP/4:PEJEP/3:RNNR/2:GJG/1:DK/0:V/ w RKRrkr - 0 1";
    const FACING: &str = "/27:1k/14:3p3/12:3P3/1:1K/ w -- - 0 1";
    const PASSED: &str = "/27:1k/13:3p4/12:3PP2/10:3K3/ w -- E13@15 0 40";
    const CHECKED: &str = "/27:1k/9:4r3/3:R2R/1:1K/ w RKR- - 0 40";
    const PROMOTING: &str = "/27:1k/22:p6/21:1P6/3:R2R/2:1J1/1:1K/ w -- T22 0 21";

    fn read(value: &str) -> Position {
        pdtl::parse(value.as_bytes(), &Letters::STANDARD, &mut |_| {}).expect(value)
    }

    #[test]
    fn every_reason_is_told_with_its_hexes() {
        for (value, word, reason) in [
            (INITIAL, "EE7-E9", "Incoherent(OtherOrigin, Seen { hex: E7, piece: Some(White pawn), special: None })"),
            ("/27:1k/25:2R1/1:1K/ w -- - 0 1", "RG25×KG27", "KingCapture"),
            (INITIAL, "ED4-D8", "Blocked(D6)"),
            (INITIAL, "EE5-E11", "NoReach"),
            (INITIAL, "F8-F14", "NoTriple"),
            (INITIAL, "NE3-G13", "Blocked(F8)"),
            (INITIAL, "JF4-D10", "Blocked(E7)"),
            (FACING, "F12×F14", "NoCapture"),
            (FACING, "F12-G15", "OnlyCapture"),
            (FACING, "F12-F16", "Blocked(F14)"),
            (PASSED, "KF10@E15", "PassingPiece"),
            (PASSED, "H12@E15", "PassingReach"),
            ("/27:1k/3:R2R/1:1K/ w -- - 0 40", "KG1-H6", "LeapLost"),
            ("/27:1k/3:R2R/1:1K/ w -- - 0 40", "KRK-FE", "CastlingLost(G1)"),
            ("/27:1k/3:R2R/1:1K/ w KR- - 0 40", "KRD-DD", "CastlingLost(C3)"),
            (CHECKED, "KG1-H6", "LeapInCheck(G9)"),
            (CHECKED, "KRK-FE", "CastlingInCheck(G9)"),
            (CHECKED, "RC3-C5", "Unanswered { king: G1, by: G9 }"),
            (CHECKED, "KG1-G3", "Unanswered { king: G3, by: G9 }"),
            ("/27:1k/4:1N3/3:R2R/1:1K/ w RKR- - 0 40", "KRD-FE", "CastlingBlocked(D4)"),
            ("/27:1k/19:3r4/3:R2R/1:1K/ w RKR- - 0 40", "KRK-EE", "CastlingAttacked { king: E5, by: E19 }"),
            ("/27:1k/5:r5/3:R2R/1:1K/ w RKR- - 0 40", "KRD-DD", "Exposed { king: D2, by: A5 }"),
            ("/27:1k/12:3e3/10:3R3/8:3K3/ w -- - 0 40", "RF10-G11", "Exposed { king: F8, by: F12 }"),
            (PROMOTING, "A21-A23=R", "NotRegainable({Queen, Wyvern, Pegasus, Knight})"),
            (PROMOTING, "A21-A23=&", "Regainable({Queen, Wyvern, Pegasus, Knight})"),
            (
                "/27:1k/22:P6/20:3p3/6:3J3/3:RNNR/2:GJG/1:DK/0:V/ w -- - 0 20",
                "KG1-H4",
                "PassedOver { pawn: T22, promotions: {Bishop} }",
            ),
        ] {
            let position = read(value);
            let read = read_ply(word.as_bytes(), &Letters::STANDARD, position.turn, &mut |slip| panic!("{slip:?}"));
            let legality = position.legality(read.ply.expect(word));
            assert_eq!(format!("{legality:?}"), format!("Err({reason})"), "{value} {word}");
        }
    }
}
