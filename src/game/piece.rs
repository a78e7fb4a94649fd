//! Pieces (§2.4).

use std::num::NonZeroU8;

/// One of the two players.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Side {
    /// Moves first.
    White = 0,
    /// Moves second.
    Black = 1,
}

impl Side {
    /// The opponent.
    #[inline]
    pub const fn other(self) -> Side {
        match self {
            Side::White => Side::Black,
            Side::Black => Side::White,
        }
    }
}

impl std::fmt::Display for Side {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(if *self == Side::White { "White" } else { "Black" })
    }
}

/// What a piece is, whoever owns it (§2.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug, Hash)]
#[repr(u8)]
pub enum Kind {
    /// P
    Pawn = 0,
    /// E
    Elephant = 1,
    /// J
    Bishop = 2,
    /// N
    Knight = 3,
    /// G
    Pegasus = 4,
    /// R
    Rook = 5,
    /// V
    Wyvern = 6,
    /// D
    Queen = 7,
    /// K
    King = 8,
}

impl Kind {
    /// All kinds, in the order of §2.4.
    pub const ALL: [Kind; 9] = [
        Kind::Pawn,
        Kind::Elephant,
        Kind::Bishop,
        Kind::Knight,
        Kind::Pegasus,
        Kind::Rook,
        Kind::Wyvern,
        Kind::Queen,
        Kind::King,
    ];

    /// By four bits that are known to be a kind's number: no look-up can fail, and none is checked.
    pub(super) const PADDED: [Kind; 16] = {
        let mut kinds = [Kind::King; 16];
        let mut number = 0;
        while number < Kind::ALL.len() {
            kinds[number] = Kind::ALL[number];
            number += 1;
        }
        kinds
    };

    /// The kind with this number, as packed in a ply or a fault.
    #[inline]
    pub const fn from_number(number: u8) -> Option<Kind> {
        if number < 9 { Some(Kind::ALL[number as usize]) } else { None }
    }

    /// How many of them a side has at the start (§10.7).
    pub const fn initial_count(self) -> u8 {
        [11, 4, 3, 2, 2, 2, 1, 1, 1][self as usize]
    }

    /// Its name in messages.
    pub const fn name(self) -> &'static str {
        ["pawn", "elephant", "bishop", "knight", "pegasus", "rook", "wyvern", "queen", "king"][self as usize]
    }

    /// Its name with the indefinite article.
    pub const fn with_article(self) -> &'static str {
        ["a pawn", "an elephant", "a bishop", "a knight", "a pegasus", "a rook", "a wyvern", "a queen", "a king"]
            [self as usize]
    }
}

/// A piece of one side. `Option<Piece>` is one byte: the kind, the side, and a 1.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Piece(NonZeroU8);

impl Piece {
    /// The piece of this kind and side.
    #[inline]
    pub const fn new(side: Side, kind: Kind) -> Piece {
        match NonZeroU8::new(Piece::code(side, kind as u8)) {
            Some(bits) => Piece(bits),
            None => unreachable!(),
        }
    }

    /// The byte of the piece of this side whose kind has this number.
    #[inline]
    pub(super) const fn code(side: Side, kind: u8) -> u8 {
        kind << 2 | (side as u8) << 1 | 1
    }

    /// The piece with this byte, which is one that a piece has, or 0.
    #[inline]
    pub(super) const fn of_code(code: u8) -> Option<Piece> {
        match NonZeroU8::new(code) {
            Some(bits) => Some(Piece(bits)),
            None => None,
        }
    }

    /// Its byte; 0 for none.
    #[inline]
    pub(super) fn code_of(piece: Option<Piece>) -> u8 {
        piece.map_or(0, |piece| piece.0.get())
    }

    /// What it is.
    #[inline]
    pub const fn kind(self) -> Kind {
        Kind::PADDED[(self.0.get() >> 2 & 15) as usize]
    }

    /// Whose it is.
    #[inline]
    pub const fn side(self) -> Side {
        if self.0.get() & 2 == 0 { Side::White } else { Side::Black }
    }
}

impl std::fmt::Debug for Piece {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.side(), self.kind().name())
    }
}
