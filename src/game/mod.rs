//! C'escacs itself: hexes, pieces, positions, plies applied. No text, no files.

mod attacks;
mod castling;
mod coherence;
mod hex;
mod legal;
mod legality;
mod line;
mod piece;
mod ply;
mod position;
mod status;

pub use attacks::Checks;
pub use castling::Castling;
pub use coherence::{Incoherence, Part, Seen};
pub use hex::{COLUMNS, Colour, Hex, HexSet};
pub use legality::Illegal;
pub use line::{History, Line};
pub use piece::{Kind, Piece, Side};
pub use ply::{Capture, Check, Ply, Promotion, Promotions, Shape};
pub use position::{Faced, Position, Rights, Special};
pub use status::{Ending, Status};
