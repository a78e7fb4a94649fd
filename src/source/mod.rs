//! Paths to bytes, bytes to records; rows and columns; safe writing. Knows tag lines, braces and movetext lines, and
//! never looks inside a tag or a comment.

mod chunk;
mod input;
mod output;
mod records;
mod rows;
mod unpack;
mod walk;

use std::{fmt, io};

pub use chunk::{Chunk, Cutter, FileId, Piece, Spare};
pub use input::{Input, NotText, Reader};
pub use output::{Before, Output, stdout_among};
pub use records::{LOOK, RECORD_BOUND, Splitter};
pub use rows::{Rows, line_ends};
pub use unpack::{Damage, Packing};
pub use walk::{PathGlob, Unreached, Walked, Wanted, walk};

/// Why a file, or a part of one, could not be read.
#[derive(Debug)]
pub enum Problem {
    /// It could not be opened, or reading it failed.
    Unreadable(io::Error),
    /// It, or what was compressed in it, is something else (§1.2); it is not read further.
    NotText(NotText, Option<Packing>),
    /// It got shorter while it was read; the record it breaks off in is left out.
    Changed,
    /// Its compressed data are damaged; of the record before that place nobody knows whether it is whole.
    Damaged(Damage),
    /// A record over the bound was passed over unread (§1.11); reading goes on behind it.
    RecordTooLong {
        /// Its length.
        bytes: u64,
        /// Its line ends.
        rows: u64,
    },
}

impl Problem {
    /// Whether reading failed: a run that meets it did not do all it should.
    pub const fn is_failure(&self) -> bool {
        matches!(self, Problem::Unreadable(_) | Problem::Changed | Problem::Damaged(_))
    }
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Problem::NotText(what, None) => write!(f, "not a text in UTF-8, but {}", what.name()),
            Problem::NotText(what, Some(packing)) => {
                write!(f, "not a text in UTF-8, but {} inside {} data", what.name(), packing.name())
            }
            Problem::Changed => f.write_str("got shorter while it was read"),
            Problem::Damaged(damage) => damage.fmt(f),
            Problem::RecordTooLong { bytes, .. } => write!(f, "a record of {bytes} bytes, passed over unread"),
        }
    }
}
