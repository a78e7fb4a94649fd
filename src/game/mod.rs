//! C'escacs itself: hexes, pieces, positions, plies applied. No text, no files.

mod castling;
mod coherence;
mod hex;
mod piece;
mod ply;
mod position;

pub use castling::Castling;
pub use coherence::{Incoherence, Part, Seen};
pub use hex::{COLUMNS, Colour, Hex};
pub use piece::{Kind, Piece, Side};
pub use ply::{Capture, Check, Ply, Promotion, Shape};
pub use position::{Position, Rights, Special};
