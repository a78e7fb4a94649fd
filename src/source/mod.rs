//! Paths to bytes, bytes to records; rows and columns; safe writing. Knows tag lines, braces and movetext lines, and
//! never looks inside a tag or a comment.

mod chunk;
mod input;
mod output;
mod records;
mod rows;
mod walk;

use std::{fmt, io};

pub use chunk::{Chunk, Cutter, FileId, Piece, Spare};
pub use input::{Input, NotText, Reader};
pub use output::{Output, stdout_among};
pub use records::{LOOK, RECORD_BOUND, Splitter};
pub use rows::{Rows, line_ends};
pub use walk::{Unreached, Walked, walk};

/// Why a file, or a part of one, could not be read.
#[derive(Debug)]
pub enum Problem {
    /// It could not be opened, or reading it failed.
    Unreadable(io::Error),
    /// It is something else (§1.2); it is not read further.
    NotText(NotText),
    /// It got shorter while it was read; the record it breaks off in is left out.
    Changed,
    /// A record over the bound was passed over unread (§1.11); reading goes on behind it.
    RecordTooLong {
        /// Its length.
        bytes: u64,
        /// Its line ends.
        rows: u64,
    },
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Problem::Unreadable(error) => write!(f, "cannot be read: {error}"),
            Problem::NotText(what) => write!(f, "not a text in UTF-8, but {}", what.name()),
            Problem::Changed => f.write_str("got shorter while it was read"),
            Problem::RecordTooLong { bytes, .. } => write!(f, "a record of {bytes} bytes, passed over unread"),
        }
    }
}
