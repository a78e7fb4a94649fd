//! C'escacs itself: hexes, pieces, positions, and the rules of play. No text, no files.
//!
//! A [`Position`] applies what is coherent ([`Position::apply`], §11), lists the legal plies ([`Position::legal_plies`]) and
//! tells why another is not legal ([`Position::legality`]) and how the player on turn stands ([`Position::status`]). A [`Line`]
//! does the same ply by ply, in a fraction of the time, and knows when the game is over. Words and numbers are turned into
//! each other by [`notation`](crate::notation):
//!
//! ```
//! use ctl::game::Check;
//! use ctl::notation::{Letters, Signs, pdtl, read_ply, write_ply};
//!
//! let value = b"/21:1D6/18:2K4/12:2R4/9:k7/ w -- - 11 107";
//! let mut position = pdtl::parse(value, &Letters::STANDARD, &mut |slip| panic!("{slip:?}")).unwrap();
//! let read = read_ply(b"DA21-A9", &Letters::STANDARD, position.turn, &mut |slip| panic!("{slip:?}"));
//! let ply = read.ply.unwrap();
//!
//! let mut plies = Vec::new();
//! position.legal_plies(&mut plies);
//! assert!(plies.contains(&ply));
//!
//! position.apply(ply).unwrap();
//! let sign = position.status().sign();
//! assert_eq!(sign, Check::Mate);
//!
//! let mut out = Vec::new();
//! write_ply(ply.with_check(sign), &Letters::STANDARD, Signs::CANONICAL, &mut out);
//! out.push(b' ');
//! pdtl::write(&position, &Letters::STANDARD, &mut out);
//! assert_eq!(out, b"DA21-A9# /18:2K4/12:2R4/9:kD6/ b -- - 12 107");
//! ```

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
