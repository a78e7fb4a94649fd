//! How the player on turn stands: check, mate, stalemate (R4); what a position is counted by, and what can't mate (R5).

use super::{Check, Checks, Hex, Kind, Piece, Position, Rights, Side, Special};

/// How the player on turn stands (R4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Status {
    /// Not in check, with a legal ply.
    Quiet,
    /// In check, with a legal ply.
    Check(Checks),
    /// In check, without a legal ply (R4.3).
    Mate(Checks),
    /// Not in check, without a legal ply (R4.4).
    Stalemate,
}

impl Status {
    pub(super) fn of(checks: Checks, has_legal: bool) -> Status {
        match (checks.any(), has_legal) {
            (false, true) => Status::Quiet,
            (true, true) => Status::Check(checks),
            (true, false) => Status::Mate(checks),
            (false, false) => Status::Stalemate,
        }
    }

    /// The precise sign of the ply that led here (§6.8).
    pub fn sign(self) -> Check {
        match self {
            Status::Quiet | Status::Stalemate => Check::None,
            Status::Check(checks) => checks.kind(),
            Status::Mate(_) => Check::Mate,
        }
    }
}

impl Position {
    /// How the player on turn stands.
    ///
    /// ```
    /// use ctl::game::{Check, Status};
    /// use ctl::notation::{Letters, pdtl};
    ///
    /// let value = b"/27:1k/12:3e3/8:2RK3/ w -- - 0 40";
    /// let position = pdtl::parse(value, &Letters::STANDARD, &mut |slip| panic!("{slip:?}")).unwrap();
    /// let Status::Check(checks) = position.status() else { panic!("the elephant checks from afar") };
    /// assert_eq!((checks.kind(), checks.by()[0].to_string()), (Check::Far, "F12".to_owned()));
    /// ```
    pub fn status(&self) -> Status {
        Status::of(self.checks(self.turn), self.has_legal())
    }

    /// A number for what makes two positions the same (R5.2): pieces, turn, rights, and a capture in passing if it is
    /// legal. Clock and number of the pair are left out.
    ///
    /// ```
    /// use ctl::game::Position;
    ///
    /// let mut position = Position::INITIAL;
    /// position.number = 7;
    /// assert_eq!(position.key(), Position::INITIAL.key());
    /// ```
    pub fn key(&self) -> u64 {
        let men = self.pieces().map(|(hex, piece)| man(hex, Some(piece))).fold(0, |key, man| key ^ man);
        let rights = self.rights.iter().fold(0, |bits, rights| bits << 3 | bits_of(*rights));
        let special = match self.special {
            Special::Double(hex) | Special::Triple(hex) | Special::Scornful(hex, _) if self.passes() => hex.number(),
            _ => Hex::OFF,
        };
        let turn = if self.turn == Side::White { 0 } else { mix(1 << 21) };
        men ^ turn ^ mix(1 << 20 | u64::from(special) << 8 | u64::from(rights))
    }

    /// Whether neither side can mate with what it has (R5.3): a lone king against a king and at most one bishop, knight or
    /// elephant.
    pub fn cannot_mate(&self) -> bool {
        let mut others = [0, 0];
        for (_, piece) in self.pieces().filter(|(_, piece)| piece.kind() != Kind::King) {
            if !matches!(piece.kind(), Kind::Bishop | Kind::Knight | Kind::Elephant) {
                return false;
            }
            others[piece.side() as usize] += 1;
        }
        others.iter().sum::<u32>() <= 1
    }
}

fn bits_of(rights: Rights) -> u8 {
    u8::from(rights.king) << 2 | u8::from(rights.king_rook) << 1 | u8::from(rights.queen_rook)
}

/// The part of the key for what stands on a hex.
#[inline]
pub(super) fn man(hex: Hex, piece: Option<Piece>) -> u64 {
    piece.map_or(0, |piece| mix((u64::from(Piece::code_of(Some(piece))) << 8) | hex.index() as u64))
}

/// Spreads a small number over all bits.
#[inline]
const fn mix(number: u64) -> u64 {
    let spread = (number ^ number << 32).wrapping_mul(0x9E37_79B9_7F4A_7C15);
    let spread = (spread ^ spread >> 29).wrapping_mul(0xD6E8_FEB8_6659_FD93);
    spread ^ spread >> 32
}

/// What ends a game on the board (R4.3, R4.4, R5.1, R5.2).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Ending {
    /// The player on turn is mated.
    Mate,
    /// The player on turn is stalemated.
    Stalemate,
    /// 150 plies without capture or pawn ply.
    Clock,
    /// The same position for the fifth time.
    Repetition,
}

impl Ending {
    /// Plies without capture or pawn ply at which the game is over (R5.1).
    pub const CLOCK: u32 = 150;
    /// How often the same position ends it (R5.2).
    pub const TIMES: u32 = 5;
}

#[cfg(test)]
mod tests {
    use crate::notation::{Letters, pdtl};

    #[test]
    fn a_lone_king_and_one_piece_less_than_a_pegasus_cannot_mate() {
        for (pieces, expected) in [
            ("/27:1k/1:1K/", true),
            ("/27:1k/3:1J2/1:1K/", true),
            ("/27:1k/3:1n2/1:1K/", true),
            ("/27:1k/3:1E2/1:1K/", true),
            ("/27:1k/3:1J1n/1:1K/", false),
            ("/27:1k/4:1J3/3:1J2/1:1K/", false),
            ("/27:1k/3:1G2/1:1K/", false),
            ("/27:1k/9:3P4/1:1K/", false),
        ] {
            let value = format!("{pieces} w -- - 0 40");
            let position = pdtl::parse(value.as_bytes(), &Letters::STANDARD, &mut |slip| panic!("{slip:?}"));
            assert_eq!(position.unwrap().cannot_mate(), expected, "{pieces}");
        }
    }
}
