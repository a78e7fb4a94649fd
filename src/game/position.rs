//! A position with all that a PDTL says (§10), 192 bytes and `Copy`: a variation starts from a snapshot.

use super::{Hex, Kind, Piece, Side};

/// What a side may still do with its king (§10.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Rights {
    /// The king has not moved: it may leap.
    pub king: bool,
    /// The king's rook (I3, I25) has not moved.
    pub king_rook: bool,
    /// The queen's rook (C3, C25) has not moved.
    pub queen_rook: bool,
}

impl Rights {
    /// Nothing has moved.
    pub const ALL: Rights = Rights { king: true, king_rook: true, queen_rook: true };
    /// The king has moved.
    pub const NONE: Rights = Rights { king: false, king_rook: false, queen_rook: false };
}

/// What the last ply left to be captured in passing (§10.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Special {
    /// Nothing.
    None,
    /// A pawn made a double step and stands there (or what it promoted to).
    Double(Hex),
    /// A pawn made a triple step and stands there.
    Triple(Hex),
    /// A scornful pawn stands there (R2.4).
    Scornful(Hex, Faced),
}

/// Which pawn a scornful one faced, and may capture it: the one on the column to its left, or to its right.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Faced {
    /// Only one can have, or it is not known which: a PDTL does not tell, and then either may (§10.4).
    Any,
    /// Two can have, and the one nearer to P has.
    Left,
    /// Two can have, and the one nearer to Z has.
    Right,
}

/// A position.
///
/// What stands on the board is read with [`Position::on`] and changed with [`Position::put`]; the rest is open.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Position {
    /// What stands on each hex, by [`Hex::index`].
    pub(super) board: [Option<Piece>; Hex::COUNT],
    /// Where White's and Black's king stand, by number; [`Hex::OFF`] where there is none.
    pub(super) kings: [u8; 2],
    /// Who is on turn.
    pub turn: Side,
    /// White's and Black's rights.
    pub rights: [Rights; 2],
    /// What the last ply left to be captured in passing.
    pub special: Special,
    /// Plies since the last capture or pawn ply (§10.5).
    pub clock: u32,
    /// Number of the pair, 0 when unknown (§10.6).
    pub number: u32,
}

impl Position {
    /// What stands on a hex.
    #[inline]
    pub fn on(&self, hex: Hex) -> Option<Piece> {
        self.board[hex.index()]
    }

    /// Puts a piece on a hex, or takes it away. A side has one king; of two, the last one counts.
    #[inline]
    pub fn put(&mut self, hex: Hex, piece: Option<Piece>) {
        for king in &mut self.kings {
            if *king == hex.number() {
                *king = Hex::OFF;
            }
        }
        if let Some(king) = piece.filter(|piece| piece.kind() == Kind::King) {
            self.kings[king.side() as usize] = hex.number();
        }
        self.board[hex.index()] = piece;
    }

    /// What stands on the board, by hex.
    #[inline]
    pub fn pieces(&self) -> impl Iterator<Item = (Hex, Piece)> {
        Hex::all().zip(self.board).filter_map(|(hex, piece)| Some((hex, piece?)))
    }

    /// Where a side's king stands. There is none on an empty board, and after a coherent ply that took it (§11.8).
    #[inline]
    pub fn king(&self, side: Side) -> Option<Hex> {
        Hex::from_index(self.kings[side as usize])
    }

    /// No piece, White on turn, no rights, pair 1.
    pub const fn empty() -> Position {
        Position {
            board: [None; Hex::COUNT],
            kings: [Hex::OFF; 2],
            turn: Side::White,
            rights: [Rights::NONE; 2],
            special: Special::None,
            clock: 0,
            number: 1,
        }
    }

    /// The initial position of C'escacs (the example of §10's source).
    pub const INITIAL: Position = initial();
}

impl std::fmt::Debug for Position {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_map().entries(Hex::all().filter_map(|hex| Some((hex, self.on(hex)?)))).finish()?;
        write!(f, " {} {:?} {:?} {} {}", self.turn, self.rights, self.special, self.clock, self.number)
    }
}

/// White's first hexes; Black's are mirrored, line 28 − n (§10.7).
const ARRAY: [(Kind, &[(u8, u8)]); 9] = [
    // columns: P0 T1 A2 B3 C4 D5 E6 F7 G8 H9 I10 K11 L12 X13 Z14
    (Kind::Pawn, &[(2, 5), (3, 4), (4, 5), (5, 6), (6, 7), (7, 8), (8, 7), (9, 6), (10, 5), (11, 4), (12, 5)]),
    (Kind::Elephant, &[(5, 4), (6, 5), (8, 5), (9, 4)]),
    (Kind::Bishop, &[(7, 2), (7, 4), (7, 6)]),
    (Kind::Knight, &[(6, 3), (8, 3)]),
    (Kind::Pegasus, &[(5, 2), (9, 2)]),
    (Kind::Rook, &[(4, 3), (10, 3)]),
    (Kind::Wyvern, &[(7, 0)]),
    (Kind::Queen, &[(6, 1)]),
    (Kind::King, &[(8, 1)]),
];

const fn initial() -> Position {
    let mut position = Position::empty();
    position.rights = [Rights::ALL; 2];
    let mut group = 0;
    while group < ARRAY.len() {
        let (kind, hexes) = ARRAY[group];
        let mut i = 0;
        while i < hexes.len() {
            let (column, line) = hexes[i];
            if let (Some(white), Some(black)) = (Hex::at(column, line), Hex::at(column, 28 - line)) {
                position.board[white.index()] = Some(Piece::new(Side::White, kind));
                position.board[black.index()] = Some(Piece::new(Side::Black, kind));
                if matches!(kind, Kind::King) {
                    position.kings = [white.number(), black.number()];
                }
            }
            i += 1;
        }
        group += 1;
    }
    position
}
