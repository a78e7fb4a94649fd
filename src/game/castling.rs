//! The 24 castlings (§6.7, R3.2).

use super::{Hex, Kind, Side};

/// One of the 24 castling codes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
pub struct Castling(u8);

/// Code, king's hex, the king's rook's, the queen's rook's, as White; Black's are mirrored (line 28 − n).
type Row = (&'static str, (u8, u8), Option<(u8, u8)>, Option<(u8, u8)>);

/// Columns: C4 D5 E6 F7 G8 H9 I10 K11.
const ROWS: [Row; 24] = [
    ("KRK-EE", (6, 5), Some((6, 7)), None),
    ("KRK-EF", (6, 5), Some((7, 6)), None),
    ("KRK-FE", (7, 6), Some((6, 7)), None),
    ("KRK-FG", (7, 6), Some((8, 5)), None),
    ("KRK-HG", (9, 6), Some((8, 5)), None),
    ("KRK-HH", (9, 6), Some((9, 4)), None),
    ("KRK-HIO", (9, 6), Some((10, 5)), None),
    ("KRK-HIOO", (9, 6), Some((10, 7)), None),
    ("KRK-IH", (10, 5), Some((9, 4)), None),
    ("KRK-II", (10, 5), Some((10, 7)), None),
    ("KRK-IK", (10, 5), Some((11, 4)), None),
    ("KRD-DD", (5, 2), None, Some((5, 4))),
    ("KRD-DE", (5, 2), None, Some((6, 1))),
    ("KRD-ED", (6, 5), None, Some((5, 4))),
    ("KRD-EF", (6, 5), None, Some((7, 6))),
    ("KRD-FE", (7, 6), None, Some((6, 5))),
    ("KRD-FG", (7, 6), None, Some((8, 7))),
    ("KRD-HG", (9, 6), None, Some((8, 7))),
    ("KRD-HH", (9, 6), None, Some((9, 8))),
    ("KRR-EEF", (6, 5), Some((6, 7)), Some((7, 6))),
    ("KRR-FEE", (7, 6), Some((6, 7)), Some((6, 5))),
    ("KRR-FGG", (7, 6), Some((8, 5)), Some((8, 7))),
    ("KRR-HGG", (9, 6), Some((8, 5)), Some((8, 7))),
    ("KRR-HIH", (9, 6), Some((10, 7)), Some((9, 8))),
];

/// The king's first hex, the king's rook's, the queen's rook's, as White.
const HOME: [(u8, u8); 3] = [(8, 1), (10, 3), (4, 3)];

const fn hex((column, line): (u8, u8), side: Side) -> Hex {
    let line = if matches!(side, Side::White) { line } else { 28 - line };
    match Hex::at(column, line) {
        Some(hex) => hex,
        None => panic!("the tables of this file name hexes of the board only"),
    }
}

impl Castling {
    /// How many codes there are.
    pub const COUNT: u8 = ROWS.len() as u8;

    /// The code's number, below [`Castling::COUNT`].
    #[inline]
    pub const fn number(self) -> u8 {
        self.0
    }

    /// The castling whose number a ply has packed.
    #[inline]
    pub(super) const fn packed(number: u8) -> Castling {
        Castling(number)
    }

    /// The castling with this number.
    #[inline]
    pub const fn from_number(number: u8) -> Option<Castling> {
        if number < Castling::COUNT { Some(Castling(number)) } else { None }
    }

    /// All of them.
    pub fn all() -> impl Iterator<Item = Castling> {
        (0..Castling::COUNT).map(Castling)
    }

    /// The code with a plain hyphen, such as `KRK-HIO`.
    pub const fn code(self) -> &'static str {
        ROWS[self.0 as usize].0
    }

    /// Where the king goes.
    pub const fn king_to(self, side: Side) -> Hex {
        hex(ROWS[self.0 as usize].1, side)
    }

    /// Where the king's rook goes, if it takes part.
    pub const fn king_rook_to(self, side: Side) -> Option<Hex> {
        match ROWS[self.0 as usize].2 {
            Some(at) => Some(hex(at, side)),
            None => None,
        }
    }

    /// Where the queen's rook goes, if it takes part.
    pub const fn queen_rook_to(self, side: Side) -> Option<Hex> {
        match ROWS[self.0 as usize].3 {
            Some(at) => Some(hex(at, side)),
            None => None,
        }
    }

    /// The king, the king's rook and the queen's rook: from where each goes, and where to if it takes part.
    pub(super) const fn moves(self, side: Side) -> [(Kind, Hex, Option<Hex>); 3] {
        [
            (Kind::King, Castling::king_home(side), Some(self.king_to(side))),
            (Kind::Rook, Castling::king_rook_home(side), self.king_rook_to(side)),
            (Kind::Rook, Castling::queen_rook_home(side), self.queen_rook_to(side)),
        ]
    }

    /// The king's first hex.
    pub const fn king_home(side: Side) -> Hex {
        hex(HOME[0], side)
    }

    /// The king's rook's first hex.
    pub const fn king_rook_home(side: Side) -> Hex {
        hex(HOME[1], side)
    }

    /// The queen's rook's first hex.
    pub const fn queen_rook_home(side: Side) -> Hex {
        hex(HOME[2], side)
    }
}
