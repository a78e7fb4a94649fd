//! One word of text and one value: parse and print side by side, each the other's inverse.
//!
//! A reader here knows nothing of files: it gives offsets within its word.

mod letters;
mod ply;
mod result;

pub use letters::{Letters, RedefineFault, Slip, alternative, figurine, figurine_of, standard};
pub use ply::{PlyFault, ReadPly, Signs, lookalike, other_dash, part_of, read_ply, write_hex, write_ply};
pub use result::{GameResult, ReadResult, ResultSpelling, read_result};

/// Whether what was read is certain in spite of a fault (§13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The specification fixes its one meaning.
    Certain,
    /// It cannot be read.
    Lost,
}
