//! Bytes to tokens: every byte of a record belongs to exactly one, nothing fails, nothing is copied.
//!
//! What `source` needs to know of the format to cut records (tag lines, braces, `;`, `%`) is said there once; the
//! rules here are the same.

use crate::notation::{figurine, lookalike, read_result};
use memchr::{memchr, memchr2};

/// A byte order mark.
pub const BOM: &[u8] = "\u{FEFF}".as_bytes();

/// What a token is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum TokenKind {
    /// Spaces and tabs.
    Blank,
    /// LF, CRLF or a lone CR.
    LineEnd,
    /// A Unicode blank, or an invisible character that no word surrounds (§1.5).
    OddBlank,
    /// A byte order mark at the start of the text.
    Bom,
    /// A run of NUL bytes.
    Nul,
    /// A tag, and whatever else stands on its line.
    Tag,
    /// A line among the tags that is neither tag nor comment nor blank (§1.7).
    StrayLine,
    /// `{` to `}`.
    Comment,
    /// `{` to the end of the text.
    UnclosedComment,
    /// `;` or `%` to the end of its line.
    LineComment,
    /// `}` alone.
    LoneBrace,
    /// Digits with the dot, or `?`, that makes them a number.
    Number,
    /// Digits without one.
    Digits,
    /// Dots that belong to no number.
    Dots,
    /// `…`
    Ellipsis,
    /// `,`
    Comma,
    /// `;` glued to a word.
    Semicolon,
    /// `(`
    Open,
    /// `)`
    Close,
    /// `(=)`
    Offer,
    /// `$[n]`
    Label,
    /// A result, however spelt.
    Result,
    /// Anything else up to a sign of these.
    Word,
}

/// One token.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Token {
    /// What it is.
    pub kind: TokenKind,
    /// Bytes of the text before it.
    pub at: usize,
    /// Its length in bytes.
    pub len: usize,
}

impl Token {
    /// Bytes of the text before its end.
    #[inline]
    pub const fn end(&self) -> usize {
        self.at + self.len
    }
}

/// Classes of bytes within movetext.
const WORD: u8 = 0;
const STOP: u8 = 1;
/// The first byte of a character that may be a blank.
const MAYBE: u8 = 2;
static CLASS: [u8; 256] = {
    let mut table = [WORD; 256];
    let stops = b"\0 \t\n\r.,;(){}";
    let mut i = 0;
    while i < stops.len() {
        table[stops[i] as usize] = STOP;
        i += 1;
    }
    let maybe = [0x0B_u8, 0x0C, 0xC2, 0xE1, 0xE2, 0xE3];
    let mut i = 0;
    while i < maybe.len() {
        table[maybe[i] as usize] = MAYBE;
        i += 1;
    }
    table
};

/// The length of the Unicode blank, or vertical blank, at the start of `text` (§1.5), 0 if none is there.
pub fn unicode_blank(text: &[u8]) -> usize {
    match text {
        [0x0B | 0x0C, ..] => 1,
        [0xC2, 0x85 | 0xA0, ..] => 2,
        [0xE1, 0x9A, 0x80, ..]
        | [0xE2, 0x80, 0x80..=0x8A | 0xA8 | 0xA9 | 0xAF, ..]
        | [0xE2, 0x81, 0x9F, ..]
        | [0xE3, 0x80, 0x80, ..] => 3,
        _ => 0,
    }
}

/// The length of the invisible character at the start of `text`: soft hyphen, zero width, direction marks, byte order
/// mark (§1.5); 0 if none is there.
pub fn invisible(text: &[u8]) -> usize {
    match text {
        [0xC2, 0xAD, ..] | [0xCD, 0x8F, ..] | [0xD8, 0x9C, ..] => 2,
        [0xE2, 0x80, 0x8B..=0x8F | 0xAA..=0xAE, ..]
        | [0xE2, 0x81, 0xA0..=0xAF, ..]
        | [0xE1, 0xA0, 0x8E, ..]
        | [0xEF, 0xBB, 0xBF, ..] => 3,
        _ => 0,
    }
}

/// Bytes from `at` up to the end of its line, the line end excluded.
pub fn line_len(text: &[u8], at: usize) -> usize {
    memchr2(b'\n', b'\r', &text[at..]).unwrap_or(text.len() - at)
}

/// The length of the line's text from `at` on, or of as much of it as a message may show: lines of many such places are
/// not gone over for each.
pub fn shown_len(text: &[u8], at: usize) -> usize {
    const SHOWN: usize = 256;
    let text = &text[..text.len().min(at + SHOWN)];
    text[at..at + line_len(text, at)].trim_ascii_end().len()
}

/// The length of the line end at the start of `text`, 0 if none is there (§1.4).
pub fn line_end_len(text: &[u8]) -> usize {
    match text {
        [b'\r', b'\n', ..] => 2,
        [b'\r' | b'\n', ..] => 1,
        _ => 0,
    }
}

/// Whether a line, from its first non-blank on, is a tag line. What stands behind its end does not matter.
pub fn is_tag_line(line: &[u8]) -> bool {
    matches!(line, [b'[', letter, ..] if letter.is_ascii_alphabetic())
}

/// Whether a line is movetext (§1.7): digits and `.` or `?`, `(`, or a result, behind blanks and dots. What stands behind
/// its end does not matter.
fn is_movetext_line(line: &[u8]) -> bool {
    let start = line.iter().position(|byte| !matches!(byte, b' ' | b'\t' | b'.')).unwrap_or(line.len());
    let line = &line[start..];
    let digits = line.iter().take_while(|byte| byte.is_ascii_digit()).count();
    line.first() == Some(&b'(')
        || digits > 0 && matches!(line.get(digits), Some(b'.' | b'?'))
        || read_result(line).is_some()
}

/// Reads the tokens of one record.
#[derive(Clone, Debug)]
pub struct Lexer<'a> {
    text: &'a [u8],
    at: usize,
    /// Movetext has begun: `[` begins no tag any more.
    in_movetext: bool,
    /// Only blanks since the last line end.
    line_start: bool,
    /// Where the last tag line starts, as far as it was asked for.
    last_tag: Option<usize>,
}

impl<'a> Lexer<'a> {
    /// Starts at the beginning of a record.
    pub const fn new(text: &'a [u8]) -> Lexer<'a> {
        Lexer { text, at: 0, in_movetext: false, line_start: true, last_tag: None }
    }

    /// Whether movetext has begun.
    pub const fn in_movetext(&self) -> bool {
        self.in_movetext
    }

    /// The text from the next token on.
    #[inline]
    pub fn rest(&self) -> &'a [u8] {
        &self.text[self.at..]
    }

    /// Bytes of the text before the next token.
    #[inline]
    pub const fn at(&self) -> usize {
        self.at
    }

    /// Passes over `len` bytes of tags, the last of which ends a line, that the caller has read himself.
    #[inline]
    pub const fn skip_tag_line(&mut self, len: usize) {
        self.at += len;
        self.line_start = true;
    }

    /// Passes over `len` bytes of movetext, the last of which ends a line, that the caller has read himself.
    #[inline]
    pub const fn skip_line(&mut self, len: usize) {
        self.at += len;
        self.line_start = true;
        self.in_movetext = true;
    }

    /// Takes the next `len` bytes as a word that the caller has read himself.
    #[inline]
    pub fn take(&mut self, len: usize) -> Token {
        self.line_start = false;
        self.token(TokenKind::Word, len)
    }

    /// Gives the last `len` bytes back: they are read once more, as a token of their own.
    pub const fn back(&mut self, len: usize) {
        self.at -= len;
    }

    #[inline]
    fn token(&mut self, kind: TokenKind, len: usize) -> Token {
        let token = Token { kind, at: self.at, len };
        self.at += len;
        token
    }

    /// The next token, nothing at the end of the text.
    #[inline]
    pub fn next_token(&mut self) -> Option<Token> {
        let (kind, len) = self.look()?;
        match kind {
            TokenKind::LineEnd => self.line_start = true,
            TokenKind::Blank | TokenKind::Bom | TokenKind::OddBlank | TokenKind::Nul => {}
            _ => self.line_start = false,
        }
        Some(self.token(kind, len))
    }

    #[inline]
    fn look(&mut self) -> Option<(TokenKind, usize)> {
        let rest = self.rest();
        let &first = rest.first()?;
        let run = |bytes: &[u8]| rest.iter().take_while(|byte| bytes.contains(byte)).count();
        Some(match first {
            b' ' | b'\t' => (TokenKind::Blank, run(b" \t")),
            b'\n' => (TokenKind::LineEnd, 1),
            b'\r' => (TokenKind::LineEnd, line_end_len(rest)),
            0 => (TokenKind::Nul, memchr_not_nul(rest)),
            0xEF if self.at == 0 && rest.starts_with(BOM) => (TokenKind::Bom, BOM.len()),
            b'{' => match memchr(b'}', rest) {
                Some(end) => (TokenKind::Comment, end + 1),
                None => (TokenKind::UnclosedComment, rest.len()),
            },
            b'}' => (TokenKind::LoneBrace, 1),
            b';' | b'%' if self.starts_line_comment(first) => (TokenKind::LineComment, line_len(self.text, self.at)),
            // What stands behind a comment is read like what starts a line.
            _ if !self.in_movetext => {
                if is_tag_line(rest) {
                    (TokenKind::Tag, line_len(self.text, self.at))
                } else if unicode_blank(rest) + invisible(rest) > 0 {
                    self.movetext(first)
                } else if is_movetext_line(rest) || !self.tag_follows() {
                    self.in_movetext = true;
                    self.movetext(first)
                } else {
                    (TokenKind::StrayLine, line_len(self.text, self.at))
                }
            }
            _ => self.movetext(first),
        })
    }

    #[inline]
    fn movetext(&self, first: u8) -> (TokenKind, usize) {
        let rest = self.rest();
        match first {
            b'0'..=b'9' => self.digits(),
            b',' => (TokenKind::Comma, 1),
            b';' => (TokenKind::Semicolon, 1),
            b'.' => (TokenKind::Dots, rest.iter().take_while(|byte| **byte == b'.').count()),
            b'(' if rest.starts_with(b"(=)") => (TokenKind::Offer, 3),
            b'(' => (TokenKind::Open, 1),
            b')' => (TokenKind::Close, 1),
            b'*' if read_result(rest).is_some() => (TokenKind::Result, 1),
            b'$' if rest.get(1) == Some(&b'[') => {
                let digits = rest[2..].iter().take_while(|byte| byte.is_ascii_digit()).count();
                if rest.get(2 + digits) == Some(&b']') { (TokenKind::Label, digits + 3) } else { self.word() }
            }
            0x0B | 0x0C | 0xC2.. if unicode_blank(rest) + invisible(rest) > 0 => {
                (TokenKind::OddBlank, unicode_blank(rest) + invisible(rest))
            }
            0xE2 if rest.starts_with("…".as_bytes()) => (TokenKind::Ellipsis, 3),
            _ => self.word(),
        }
    }

    /// A word: up to a sign that ends one. Invisible characters within it belong to it.
    #[inline]
    fn word(&self) -> (TokenKind, usize) {
        let rest = self.rest();
        (TokenKind::Word, 1 + word_len(&rest[1..]))
    }

    fn digits(&self) -> (TokenKind, usize) {
        let rest = self.rest();
        let digits = rest.iter().take_while(|byte| byte.is_ascii_digit()).count();
        match rest.get(digits) {
            Some(b'.') => (TokenKind::Number, digits + 1),
            Some(b'?') if rest.get(digits + 1) != Some(&b'?') => (TokenKind::Number, digits + 1),
            _ => match read_result(rest) {
                Some(read) => (TokenKind::Result, read.len),
                None if rest.get(digits).is_some_and(|&byte| CLASS[usize::from(byte)] == WORD)
                    && !may_be_ply(&rest[digits..]) =>
                {
                    self.word()
                }
                None => (TokenKind::Digits, digits),
            },
        }
    }

    /// `;` at a line's start or behind a blank, `%` as the first byte of a line (§9.3).
    fn starts_line_comment(&self, sign: u8) -> bool {
        let before = self.at.checked_sub(1).map(|at| self.text[at]);
        match sign {
            b'%' => matches!(before, None | Some(b'\n' | b'\r')),
            _ => self.line_start || matches!(before, Some(b' ' | b'\t')),
        }
    }

    /// Whether a tag line follows, comments apart: then a line that is none stands among the tags. Looked for once.
    fn tag_follows(&mut self) -> bool {
        let last = *self.last_tag.get_or_insert_with(|| last_tag_line(self.text, self.at));
        self.at < last
    }
}

/// Where the last tag line before the movetext starts, 0 if there is none from `at` on.
fn last_tag_line(text: &[u8], at: usize) -> usize {
    let mut last = 0;
    let mut line = at;
    while line < text.len() {
        let blanks = text[line..].iter().take_while(|byte| matches!(byte, b' ' | b'\t')).count();
        let start = line + blanks;
        if text[start..].first() == Some(&b'{') {
            line = memchr(b'}', &text[start..]).map_or(text.len(), |end| start + end + 1);
            continue;
        }
        let len = line_len(text, start);
        if is_tag_line(&text[start..start + len]) {
            last = start;
        } else if is_movetext_line(&text[start..start + len]) {
            break;
        }
        line = start + len + 1;
    }
    last
}

/// Bytes of `text` up to a sign that ends a word.
#[inline]
pub fn word_len(text: &[u8]) -> usize {
    let mut len = 0;
    while let Some(&byte) = text.get(len) {
        match CLASS[usize::from(byte)] {
            WORD => {}
            MAYBE if unicode_blank(&text[len..]) == 0 => {}
            _ => break,
        }
        len += 1;
    }
    len
}

/// Whether what stands behind digits may be a ply, so that the digits are a number without its dot: a capital, a
/// figurine, what looks like a capital, or small letters with a line's number behind them.
pub fn may_be_ply(rest: &[u8]) -> bool {
    let Some(first) = rest.first() else { return false };
    let letters = rest.iter().take_while(|byte| byte.is_ascii_alphabetic()).count();
    first.is_ascii_uppercase()
        || (1..=2).contains(&letters) && rest.get(letters).is_some_and(u8::is_ascii_digit)
        || lookalike(rest).is_some()
        || figurine(rest).is_some()
}

fn memchr_not_nul(rest: &[u8]) -> usize {
    rest.iter().position(|byte| *byte != 0).unwrap_or(rest.len())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn kinds(text: &str) -> Vec<(TokenKind, &str)> {
        let mut lexer = Lexer::new(text.as_bytes());
        let mut out = Vec::new();
        while let Some(token) = lexer.next_token() {
            if token.kind != TokenKind::Blank && token.kind != TokenKind::LineEnd {
                out.push((token.kind, &text[token.at..token.end()]));
            }
        }
        out
    }

    #[test]
    fn a_record_falls_into_its_tokens() {
        use TokenKind::*;
        assert_eq!(
            kinds(
                "\u{FEFF}[Variant \"C'escacs\"]\n; pgn\nstray\n{ c }[\n [Id \"a\"] x\n1. E7-E13 ?!(=), …\n.(12? ...,A5*B6 ; x\n($[12] 0-3*) * 1"
            ),
            [
                (Bom, "\u{FEFF}"),
                (Tag, "[Variant \"C'escacs\"]"),
                (LineComment, "; pgn"),
                (StrayLine, "stray"),
                (Comment, "{ c }"),
                (StrayLine, "["),
                (Tag, "[Id \"a\"] x"),
                (Number, "1."),
                (Word, "E7-E13"),
                (Word, "?!"),
                (Offer, "(=)"),
                (Comma, ","),
                (Ellipsis, "…"),
                (Dots, "."),
                (Open, "("),
                (Number, "12?"),
                (Dots, "..."),
                (Comma, ","),
                (Word, "A5*B6"),
                (LineComment, "; x"),
                (Open, "("),
                (Label, "$[12]"),
                (Result, "0-3"),
                (Result, "*"),
                (Close, ")"),
                (Result, "*"),
                (Digits, "1"),
            ]
        );
        assert_eq!(
            kinds("1. E7\u{AD}-E13\u{A0},\u{200B} \0\0}{ x"),
            [
                (Number, "1."),
                (Word, "E7\u{AD}-E13"),
                (OddBlank, "\u{A0}"),
                (Comma, ","),
                (OddBlank, "\u{200B}"),
                (Nul, "\0\0"),
                (LoneBrace, "}"),
                (UnclosedComment, "{ x"),
            ]
        );
    }

    #[test]
    fn movetext_without_a_number_is_movetext_where_no_tag_follows() {
        assert_eq!(kinds("[Id \"a\"]\nE7-E13, x")[1], (TokenKind::Word, "E7-E13"));
    }

    proptest! {
        #[test]
        fn every_byte_belongs_to_one_token(text in prop::collection::vec(prop::sample::select(
            b"[]{}()=$;%.,*0123-EFG?! \t\n\r\0\xC2\xA0\xE2\x80\xA6\x8B\xEF\xBB\xBF\"".to_vec()), 0..60)
        ) {
            let mut lexer = Lexer::new(&text);
            let mut end = 0;
            while let Some(token) = lexer.next_token() {
                prop_assert_eq!(token.at, end);
                prop_assert!(token.len > 0);
                end = token.end();
            }
            prop_assert_eq!(end, text.len());
        }
    }
}
