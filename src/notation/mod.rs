//! One word of text and one value: parse and print side by side, each the other's inverse.
//!
//! A reader here knows nothing of files: it gives offsets within its word.

use std::borrow::Cow;

mod date;
pub mod id;
mod language;
mod letters;
pub mod pdtl;
mod ply;
pub mod reference;
mod result;

pub use date::{Date, DateFault, NoSuch, ReadDate, read_date};
pub use id::{Fragment, Id, IdFault, IdPart, RecordKind, Stretch, Unique};
pub use language::LanguageCode;
pub use letters::{Letters, RedefineFault, Slip, alternative, figurine, figurine_of, standard};
pub use pdtl::{PdtlFault, spell};
pub use ply::{
    PlyFault, QuickPly, ReadPly, Signs, check_of, check_sign, lookalike, other_dash, part_of, quick_hex, quick_ply,
    read_check, read_ply, valuation, write_hex, write_ply,
};
pub use result::{GameResult, ReadResult, ResultFault, ResultSpelling, read_result};

/// Whether what was read is certain in spite of a fault (§13.3).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Reading {
    /// The specification fixes its one meaning.
    Certain,
    /// It cannot be read.
    Lost,
    /// The plies of the main line are certain; the variation, the comment or the valuation is not.
    LostAside,
}

/// The character at the start of a text, if there is one and it is UTF-8.
pub fn first_char(text: &[u8]) -> Option<char> {
    const LONGEST: usize = 4;
    match text {
        [first, ..] if first.is_ascii() => Some(char::from(*first)),
        _ => text[..text.len().min(LONGEST)].utf8_chunks().next()?.valid().chars().next(),
    }
}

/// Whether a letter or digit stands at the start of a text.
pub fn begins_word(text: &[u8]) -> bool {
    first_char(text).is_some_and(char::is_alphanumeric)
}

/// Length of the hyphen at the start of `word`, `-` or `‐` (U+2010), in bytes; 0 if there is none.
const fn hyphen(word: &[u8]) -> usize {
    match word {
        [b'-', ..] => 1,
        [0xE2, 0x80, 0x90, ..] => 3,
        _ => 0,
    }
}

/// A text with `-` for each `‐` (U+2010) in it (§13.6).
pub fn with_plain_hyphens(text: &[u8]) -> Cow<'_, [u8]> {
    const OTHER: &[u8] = "‐".as_bytes();
    let mut parts = memchr::memmem::find_iter(text, OTHER).peekable();
    if parts.peek().is_none() {
        return Cow::Borrowed(text);
    }
    let mut plain = Vec::with_capacity(text.len());
    let mut done = 0;
    for at in parts {
        plain.extend_from_slice(&text[done..at]);
        plain.push(b'-');
        done = at + OTHER.len();
    }
    plain.extend_from_slice(&text[done..]);
    Cow::Owned(plain)
}
