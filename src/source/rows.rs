//! Rows and columns of bytes.

use memchr::{memchr_iter, memrchr2};

const MARK: &[u8] = b"\xEF\xBB\xBF";

/// How many lines end in `bytes`: LF, CRLF and a lone CR are one each (§1.4).
pub fn line_ends(bytes: &[u8]) -> u64 {
    let feeds = memchr_iter(b'\n', bytes).count();
    let lone_returns = memchr_iter(b'\r', bytes).filter(|&i| bytes.get(i + 1) != Some(&b'\n')).count();
    (feeds + lone_returns) as u64
}

/// Turns offsets within a text into rows and columns, in one sweep when the offsets ascend.
#[derive(Clone, Debug)]
pub struct Rows<'a> {
    text: &'a [u8],
    start: usize,
    start_column: u32,
    at: usize,
    row: u32,
    column: u32,
}

impl<'a> Rows<'a> {
    /// `first`: the text starts its file, so that a byte order mark counts nothing; `column`: how many
    /// characters stand before the text on its line.
    pub fn new(text: &'a [u8], first: bool, column: u32) -> Rows<'a> {
        let start = if first && text.starts_with(MARK) { MARK.len() } else { 0 };
        let start_column = column + 1;
        Rows { text, start, start_column, at: start, row: 1, column: start_column }
    }

    /// Row and column of the character at byte `offset`, both from 1, the row from the text's start. A column counts
    /// Unicode scalar values, an invalid byte is one, a line end has none; an offset within a character is the character's.
    pub fn place(&mut self, offset: usize) -> (u32, u32) {
        let offset = character_start(self.text, offset.min(self.text.len())).max(self.start);
        if offset < self.at {
            (self.at, self.row, self.column) = (self.start, 1, self.start_column);
        }
        let mut between = &self.text[self.at..offset];
        // Between CR and LF the line has not ended, and the CR has no column.
        let within_line_end = between.ends_with(b"\r") && self.text.get(offset) == Some(&b'\n');
        if within_line_end {
            between = &between[..between.len() - 1];
        }
        if let Some(end) = memrchr2(b'\n', b'\r', between) {
            self.row += line_ends(&between[..=end]) as u32;
            self.column = 1;
            between = &between[end + 1..];
        }
        self.column += characters(between);
        self.at = offset - usize::from(within_line_end);
        (self.row, self.column)
    }
}

/// Backs up from within a character to its first byte.
fn character_start(text: &[u8], offset: usize) -> usize {
    let is_within = |lead: &usize| {
        (2..=4).any(|len| {
            lead + len > offset && text.get(*lead..lead + len).is_some_and(|bytes| std::str::from_utf8(bytes).is_ok())
        })
    };
    if text.get(offset).is_none_or(|byte| byte & 0xC0 != 0x80) {
        return offset;
    }
    (offset.saturating_sub(3)..offset).rev().find(|&i| text[i] & 0xC0 != 0x80).filter(is_within).unwrap_or(offset)
}

/// Unicode scalar values, and bytes that belong to none.
fn characters(bytes: &[u8]) -> u32 {
    if bytes.is_ascii() {
        return bytes.len() as u32;
    }
    bytes.utf8_chunks().map(|chunk| chunk.valid().chars().count() + chunk.invalid().len()).sum::<usize>() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn line_ends_are_counted() {
        for (text, want) in [("", 0), ("a", 0), ("a\nb\r\nc\rd", 3), ("\r\r\n\n\r", 4), ("\n\r", 2)] {
            assert_eq!(line_ends(text.as_bytes()), want, "{text:?}");
        }
    }

    fn places(text: &[u8], first: bool, column: u32) -> Vec<(u32, u32)> {
        let mut rows = Rows::new(text, first, column);
        (0..=text.len()).map(|offset| rows.place(offset)).collect()
    }

    #[test]
    fn columns_count_characters() {
        assert_eq!(
            places("a\u{D7}b\u{1F600}c".as_bytes(), false, 0).iter().map(|p| p.1).collect::<Vec<_>>(),
            [1, 2, 2, 3, 4, 4, 4, 4, 5, 6]
        );
        // A lone continuation byte, a character broken off, a byte that can begin none.
        assert_eq!(
            places(b"\x80\xE2\x80x\xFF\xE2\x80", false, 0).iter().map(|p| p.1).collect::<Vec<_>>(),
            [1, 2, 3, 4, 5, 6, 7, 8]
        );
    }

    #[test]
    fn rows_begin_behind_line_ends() {
        assert_eq!(places(b"a\nb\r\n\rc", false, 0), [(1, 1), (1, 2), (2, 1), (2, 2), (2, 2), (3, 1), (4, 1), (4, 2)]);
    }

    #[test]
    fn a_mark_at_the_files_start_counts_nothing() {
        let text = "\u{FEFF}ab\n\u{FEFF}c".as_bytes();
        assert_eq!(places(text, true, 0)[..6], [(1, 1), (1, 1), (1, 1), (1, 1), (1, 2), (1, 3)]);
        assert_eq!(Rows::new(text, true, 0).place(9), (2, 2));
        assert_eq!(Rows::new(text, false, 0).place(3), (1, 2));
    }

    #[test]
    fn a_text_may_begin_within_a_line_and_offsets_may_go_back() {
        let mut rows = Rows::new(b"ab\ncd", false, 4);
        assert_eq!([5, 1, 3, 0, 99].map(|offset| rows.place(offset)), [(2, 3), (1, 6), (2, 1), (1, 5), (2, 3)]);
    }
}
