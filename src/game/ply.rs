//! A ply as a number: what one word of the movetext means (§6), 32 bits.

use super::{Castling, Hex, Kind};

/// How a ply captures (§6.2–6.4).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Capture {
    /// `-`: no capture.
    None = 0,
    /// `×`: what stands on the destination.
    Taken = 1,
    /// `@`: en passant or a scornful pawn.
    Passing = 2,
    /// `@@`: en passant on the first of the two hexes that a triple step passes.
    LongPassing = 3,
}

impl Capture {
    /// Whether what is captured may stand on another hex than the destination: `@` and `@@`.
    #[inline]
    pub const fn is_in_passing(self) -> bool {
        matches!(self, Capture::Passing | Capture::LongPassing)
    }
}

/// What is written behind `=` (§6.5).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Promotion {
    /// No `=`.
    None = 0,
    /// `=&`: nothing to regain, the pawn waits.
    Awaiting = 1,
    /// `=J`
    Bishop = 2,
    /// `=N`
    Knight = 3,
    /// `=G`
    Pegasus = 4,
    /// `=R`
    Rook = 5,
    /// `=V`
    Wyvern = 6,
    /// `=D`
    Queen = 7,
}

impl Promotion {
    const ALL: [Promotion; 8] = [
        Promotion::None,
        Promotion::Awaiting,
        Promotion::Bishop,
        Promotion::Knight,
        Promotion::Pegasus,
        Promotion::Rook,
        Promotion::Wyvern,
        Promotion::Queen,
    ];

    /// What is behind `=` in a ply with this number.
    pub(super) const fn packed(number: u8) -> Promotion {
        Promotion::ALL[(number & 7) as usize]
    }

    /// The new piece, if there is one.
    #[inline]
    pub const fn kind(self) -> Option<Kind> {
        match self {
            Promotion::None | Promotion::Awaiting => None,
            _ => Kind::from_number(self as u8),
        }
    }

    /// Promotion to `kind`, if a pawn can become one (§11.6).
    pub const fn to(kind: Kind) -> Option<Promotion> {
        match kind {
            Kind::Pawn | Kind::Elephant | Kind::King => None,
            _ => Some(Promotion::ALL[kind as usize]),
        }
    }
}

/// A set of what can stand behind `=`.
#[derive(Clone, Copy, PartialEq, Eq, Default, Hash)]
pub struct Promotions(u8);

impl Promotions {
    /// Nothing.
    pub const NONE: Promotions = Promotions(0);

    /// Adds one.
    #[inline]
    pub fn insert(&mut self, promotion: Promotion) {
        self.0 |= 1 << promotion as u8;
    }

    /// Whether it is in the set.
    #[inline]
    pub fn contains(self, promotion: Promotion) -> bool {
        self.0 >> promotion as u8 & 1 != 0
    }

    /// Whether none is.
    #[inline]
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Those in the set, the queen first.
    #[inline]
    pub fn iter(self) -> impl Iterator<Item = Promotion> {
        Promotion::ALL.into_iter().rev().filter(move |promotion| self.contains(*promotion))
    }
}

impl std::fmt::Debug for Promotions {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_set().entries(self.iter()).finish()
    }
}

/// The sign glued to a ply (§6.8).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum Check {
    /// No sign.
    None = 0,
    /// `+`
    Plain = 1,
    /// `+∞`: from afar.
    Far = 2,
    /// `+^`: adjoining, or a knight's leap.
    Adjoining = 3,
    /// `++`
    Double = 4,
    /// `#`
    Mate = 5,
}

impl Check {
    /// All signs, in order.
    pub const ALL_SIGNS: [Check; 6] =
        [Check::None, Check::Plain, Check::Far, Check::Adjoining, Check::Double, Check::Mate];
}

/// The three ways a ply is written (§6.1, §6.6, §6.7).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Shape {
    /// From one hex to another.
    Step {
        /// The piece that moves.
        piece: Kind,
        /// Where it stood.
        from: Hex,
        /// Where it goes.
        to: Hex,
        /// Whether and how it captures.
        capture: Capture,
        /// The captured piece as written; a pawn is not written.
        captured: Kind,
        /// What is written behind `=`.
        promotion: Promotion,
    },
    /// An awaiting pawn promotes where it stands: `A23=D` (§6.6).
    Promote {
        /// Where the pawn stands.
        at: Hex,
        /// What it becomes; never [`Promotion::None`].
        promotion: Promotion,
    },
    /// `KRK-HIO` and the like (§6.7).
    Castle(Castling),
}

/// A step without `@`, `@@` and `=`, that takes no king: nearly every ply. Kinds are numbers.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Simple(u32);

impl Simple {
    #[inline]
    pub const fn from(self) -> Hex {
        Hex::packed(self.0 as u8)
    }

    #[inline]
    pub const fn to(self) -> Hex {
        Hex::packed((self.0 >> 8) as u8)
    }

    #[inline]
    pub const fn piece(self) -> u8 {
        (self.0 >> 16 & 15) as u8
    }

    #[inline]
    pub const fn captures(self) -> bool {
        self.0 >> 24 & 1 != 0
    }

    #[inline]
    pub const fn captured(self) -> u8 {
        (self.0 >> 20 & 15) as u8
    }
}

/// A ply with its check sign, packed:
/// from 8 bits, to 8, piece 4 (9 castling, 10 promotion in place), captured 4, capture 2, promotion 3, check 3.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct Ply(u32);

const CASTLE: u32 = 9;
const PROMOTE: u32 = 10;

impl Ply {
    /// Packs a ply.
    #[inline]
    pub const fn new(shape: Shape, check: Check) -> Ply {
        let bits = match shape {
            Shape::Step { piece, from, to, capture, captured, promotion } => {
                from.index() as u32
                    | (to.index() as u32) << 8
                    | (piece as u32) << 16
                    | (captured as u32) << 20
                    | (capture as u32) << 24
                    | (promotion as u32) << 26
            }
            Shape::Promote { at, promotion } => at.index() as u32 | PROMOTE << 16 | (promotion as u32) << 26,
            Shape::Castle(castling) => castling.number() as u32 | CASTLE << 16,
        };
        Ply(bits | (check as u32) << 29)
    }

    /// The ply as a number, for an item of the tree.
    #[inline]
    pub const fn to_bits(self) -> u32 {
        self.0
    }

    /// The ply that [`Ply::to_bits`] gave; nothing for a number that no ply has.
    #[inline]
    pub fn from_bits(bits: u32) -> Option<Ply> {
        Some(Ply(bits)).filter(|ply| ply.is_sound())
    }

    /// Whether all that is packed is there; [`Ply::new`] packs nothing else.
    fn is_sound(self) -> bool {
        let (low, high) = (self.0 as u8, (self.0 >> 8) as u8);
        let body = match self.0 >> 16 & 15 {
            CASTLE => Castling::from_number(low).is_some(),
            PROMOTE => Hex::from_index(low).is_some(),
            piece => {
                let kinds = [piece as u8, (self.0 >> 20 & 15) as u8];
                kinds.into_iter().all(|kind| Kind::from_number(kind).is_some())
                    && [low, high].into_iter().all(|hex| Hex::from_index(hex).is_some())
            }
        };
        body && self.0 >> 29 < 6
    }

    /// The ply of an item that the reader made: [`Ply::from_bits`] without its check.
    #[inline]
    pub(crate) const fn from_item(bits: u32) -> Ply {
        Ply(bits)
    }

    /// What the ply does.
    #[inline]
    pub fn shape(self) -> Shape {
        let (low, high) = (self.0 as u8, (self.0 >> 8) as u8);
        let promotion = Promotion::packed((self.0 >> 26) as u8);
        match self.0 >> 16 & 15 {
            CASTLE => Shape::Castle(Castling::packed(low)),
            PROMOTE => Shape::Promote { at: Hex::packed(low), promotion },
            piece => Shape::Step {
                piece: Kind::PADDED[piece as usize & 15],
                from: Hex::packed(low),
                to: Hex::packed(high),
                capture: [Capture::None, Capture::Taken, Capture::Passing, Capture::LongPassing]
                    [(self.0 >> 24 & 3) as usize],
                captured: Kind::PADDED[(self.0 >> 20 & 15) as usize],
                promotion,
            },
        }
    }

    /// What is written behind `=`.
    #[inline]
    pub const fn promotion(self) -> Promotion {
        Promotion::packed((self.0 >> 26) as u8)
    }

    /// Whether it captures, in whatever way.
    #[inline]
    pub const fn captures(self) -> bool {
        self.0 >> 24 & 3 != 0
    }

    /// A number that the same step back has too, and few others: all of them that lead back add up to none.
    #[inline]
    pub(super) const fn trace(self) -> u64 {
        const SIGNS: u64 = 0x9E37_79B9_7F4A_7C15;
        SIGNS.rotate_left(self.0 & 63) ^ SIGNS.rotate_left(self.0 >> 8 & 63)
    }

    /// The step that it is, if nothing about it is out of the ordinary.
    #[inline]
    pub(super) fn simple(self) -> Option<Simple> {
        /// Captures in passing, what stands behind `=`, and the bit that of all kinds a king's number alone has.
        const OTHERWISE: u32 = (Capture::Passing as u32) << 24 | 7 << 26 | (Kind::King as u32) << 20;
        let simple = Simple(self.0);
        (self.0 & OTHERWISE == 0 && simple.piece() <= Kind::King as u8).then_some(simple)
    }

    /// Its check sign.
    #[inline]
    pub const fn check(self) -> Check {
        Check::ALL_SIGNS[(self.0 >> 29) as usize % 6]
    }

    /// Whether it has this sign.
    #[inline]
    pub const fn has_check(self, check: Check) -> bool {
        self.0 >> 29 == check as u32
    }

    /// Whether its sign is `#`.
    #[inline]
    pub const fn mates(self) -> bool {
        self.has_check(Check::Mate)
    }

    /// The same ply with another check sign.
    pub const fn with_check(self, check: Check) -> Ply {
        Ply(self.0 & !(7 << 29) | (check as u32) << 29)
    }
}

impl std::fmt::Debug for Ply {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{:?} {:?}", self.shape(), self.check())
    }
}
