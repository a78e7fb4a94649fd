//! A ply as a word: CTL-AN and CTL-FAN (§6.1–6.8).
//!
//! ```
//! use ctl::notation::{Letters, read_ply};
//! use ctl::game::Side;
//!
//! let read = read_ply("EG5×GF8+^ ?!".as_bytes(), &Letters::STANDARD, Side::White, &mut |slip| panic!("{slip:?}"));
//! assert_eq!(read.len, "EG5×GF8+^".len());
//! ```

use super::{Letters, Reading, Slip, alternative, figurine, figurine_of, standard};
use crate::game::{COLUMNS, Capture, Castling, Check, Hex, Kind, Part, Piece, Ply, Promotion, Shape, Side};

named! {
    /// What is wrong with the word of a ply.
    pub enum PlyFault {
        /// Lower-case piece, column, promotion or castling letters (§6.1).
        LowerCase = "lower-case",
        /// A written `P`, or pawn's figurine (§6.1).
        WrittenPawn = "written-pawn",
        /// Another dash than `-` and `‐` (§6.2).
        Dash = "dash",
        /// The letter x, or what looks like it, for `×` (§6.3).
        CaptureX = "capture-x",
        /// A letter that this record does not declare, or no longer has; letters for figurines and the reverse (§2.5).
        PieceLetter = "piece-letter",
        /// A figurine of the other colour (§2.6).
        FigurineColour = "figurine-colour",
        /// A variation selector behind a figurine (§2.6).
        VariationSelector = "variation-selector",
        /// `^+` for `+^` (§6.8).
        OldCheck = "old-check",
        /// Castling in figurines (§6.7).
        CastlingFigurines = "castling-figurines",
        /// Castling with a letter that `Redefine` has replaced (§5.3).
        CastlingPrefix = "castling-prefix",
        /// A letter of another alphabet that looks like a Latin one (§13.3).
        Lookalike = "lookalike",
        /// A letter that stands for no piece (§2.5).
        UnknownPiece = "unknown-piece",
        /// A coordinate that the board does not have (§11.1).
        NoHex = "no-hex",
        /// No destination code of a castling, or another game's castling (§6.7).
        CastlingCode = "castling-code",
        /// Blanks between the parts of a ply (§6.1).
        BlankInside = "blank-in-ply",
        /// The null move `--` (§7.6).
        NullMove = "null-move",
        /// A word that is no ply, from the first character that cannot continue one (§6.1).
        NoPly = "no-ply",
    }
}

impl PlyFault {
    /// Whether the ply's meaning is still certain (§13.3).
    pub const fn reading(self) -> Reading {
        match self {
            PlyFault::Lookalike
            | PlyFault::UnknownPiece
            | PlyFault::NoHex
            | PlyFault::CastlingCode
            | PlyFault::NullMove
            | PlyFault::NoPly => Reading::Lost,
            _ => Reading::Certain,
        }
    }
}

/// What a word said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ReadPly {
    /// The ply, nothing where the word has none that can be applied.
    pub ply: Option<Ply>,
    /// Bytes of the word that belong to it; what follows is glued to it.
    pub len: usize,
    /// Spelt `‐` or `*` where `-` or `×` would do: both are right.
    pub other_sign: bool,
    /// Spelt in standard letters, without fault: the word can be copied.
    pub plain: bool,
}

/// What a well-written word said.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct QuickPly {
    /// The ply.
    pub ply: Ply,
    /// Bytes of the word that belong to it.
    pub len: u32,
    /// As [`ReadPly::other_sign`].
    pub other_sign: bool,
}

/// The value of a byte as a digit; 10 for what is none.
static DIGIT: [u8; 256] = {
    let mut table = [10; 256];
    let mut digit = 0;
    while digit < 10 {
        table[b'0' as usize + digit] = digit as u8;
        digit += 1;
    }
    table
};

/// The row of [`HEXES`] for a column's letter and the digit behind it, by both bytes as one number; 0 for all others.
static ROWS: [u8; 1 << 16] = {
    let mut table = [0; 1 << 16];
    let mut column = 0;
    while column < COLUMNS.len() {
        let mut digit = 0;
        while digit < 10 {
            table[u16::from_le_bytes([COLUMNS[column], b'0' + digit]) as usize] = 1 + column as u8 * 10 + digit;
            digit += 1;
        }
        column += 1;
    }
    table
};

const NO_HEX: u8 = u8::MAX;
/// The number of a hex by its row in [`ROWS`] and the value of its second digit, 10 where it has one digit only; none has a
/// zero before it (§2.2).
static HEXES: [[u8; 16]; 1 + 10 * COLUMNS.len()] = {
    let mut table = [[NO_HEX; 16]; 1 + 10 * COLUMNS.len()];
    let mut column = 0;
    while column < COLUMNS.len() {
        let mut line = 0;
        while line <= 28 {
            let (first, second) = if line < 10 { (line, 10) } else { (line / 10, line % 10) };
            if let Some(hex) = Hex::at(column as u8, line as u8) {
                table[1 + column * 10 + first][second] = hex.index() as u8;
            }
            line += 1;
        }
        column += 1;
    }
    table
};

const HYPHEN: &[u8] = "‐".as_bytes();
const TIMES: &[u8] = "×".as_bytes();
const INFINITY: &[u8] = "∞".as_bytes();

/// Other dashes that people write (§6.2).
const DASHES: [&str; 9] = ["\u{2011}", "\u{2012}", "–", "—", "\u{2015}", "−", "\u{FE58}", "\u{FE63}", "\u{FF0D}"];
/// What people write for `×` (§6.3).
const CROSSES: [&str; 9] = ["x", "X", "х", "Х", "χ", "Χ", "✕", "✖", "⨯"];

/// The dash at the start of `word` that is neither `-` nor `‐`: its length in bytes.
pub fn other_dash(word: &[u8]) -> Option<usize> {
    starts_with_any(word, &DASHES)
}

fn starts_with_any(word: &[u8], signs: &[&str]) -> Option<usize> {
    signs.iter().find(|sign| word.starts_with(sign.as_bytes())).map(|sign| sign.len())
}

/// Reads the ply at the start of `word`, which must not be empty, as `side` writes it (figurines tell colours).
///
/// A well-written word in letters takes the quick way; only another one is read with care.
#[inline]
pub fn read_ply(word: &[u8], letters: &Letters, side: Side, fault: &mut dyn FnMut(Slip<PlyFault>)) -> ReadPly {
    match Window::over(word, |window| window.ply(letters)) {
        Some(QuickPly { ply, len, other_sign }) if ends_well(&word[len as usize..]) => {
            ReadPly { ply: Some(ply), len: len as usize, other_sign, plain: letters.are_standard() }
        }
        _ => Careful { word, letters, side, at: 0, fault, faults: 0, lost: false, lower: false }.read(),
    }
}

/// Whether nothing stands behind a ply that its word could have meant as a part of it.
#[inline]
fn ends_well(rest: &[u8]) -> bool {
    matches!(rest.first(), None | Some(b':' | b'?' | b'!' | b'(' | b',' | b' ' | b'\n' | b'\r' | b')'))
}

/// No well-written ply is longer: so many bytes are looked at without asking each time whether the text goes on.
pub const WINDOW: usize = 32;

/// The first bytes of a text, zeros behind its end; no part of a ply is zero.
#[derive(Clone, Copy)]
struct Window<'a>(&'a [u8; WINDOW]);

impl Window<'_> {
    /// Looks at the start of `text`.
    #[inline]
    fn over<R>(text: &[u8], look: impl Fn(Window<'_>) -> R) -> R {
        let Some(window) = text.first_chunk() else { return Window::over_end(text, look) };
        look(Window(window))
    }

    /// Looks at the start of a text that is shorter than a window.
    #[cold]
    fn over_end<R>(text: &[u8], look: impl FnOnce(Window<'_>) -> R) -> R {
        let mut window = [0; WINDOW];
        window[..text.len()].copy_from_slice(text);
        look(Window(&window))
    }

    #[inline]
    fn byte(self, at: usize) -> u8 {
        self.0[at % WINDOW]
    }

    #[inline]
    fn is(self, at: usize, sign: &[u8]) -> bool {
        sign.iter().enumerate().all(|(index, byte)| self.byte(at + index) == *byte)
    }

    /// Where the well-written hex at `at` is to be looked for in [`HEXES`]; 0 if there is none.
    #[inline]
    fn row(self, at: usize) -> u8 {
        ROWS[usize::from(u16::from_le_bytes([self.byte(at), self.byte(at + 1)]))]
    }

    /// The well-written hex at `at`, whose row is known, and where it ends. One digit or two is a coin's toss in a game:
    /// looked up and reckoned with, not branched on.
    #[inline]
    fn hex(self, at: usize, row: u8) -> (Option<Hex>, usize) {
        let second = DIGIT[usize::from(self.byte(at + 2))];
        let number = HEXES[usize::from(row)][usize::from(second & 15)];
        (Hex::from_index(number), at + 2 + usize::from(second < 10))
    }

    /// A hex, behind the letter of a piece if it may be `written` and no hex begins in its place (§5.4); a pawn has none.
    /// Another coin's toss: where no letter is written, that of byte 0 is asked for, which is the pawn's.
    #[inline]
    fn piece_and_hex(self, at: usize, written: bool, letters: &Letters) -> (Option<Kind>, Option<Hex>, usize) {
        let (here, behind) = (self.row(at), self.row(at + 1));
        let written = written && here == 0;
        let row = if written { behind } else { here };
        let kind = letters.named(self.byte(at) & u8::from(written).wrapping_neg());
        let (hex, end) = self.hex(at + usize::from(written), row);
        (kind, hex, end)
    }

    #[inline]
    fn check(self, at: usize) -> (Check, usize) {
        match (self.byte(at), self.byte(at + 1)) {
            (b'#', _) => (Check::Mate, at + 1),
            (b'+', b'^') => (Check::Adjoining, at + 2),
            (b'+', b'+') => (Check::Double, at + 2),
            (b'+', _) if self.is(at + 1, INFINITY) => (Check::Far, at + 1 + INFINITY.len()),
            (b'+', _) => (Check::Plain, at + 1),
            _ => (Check::None, at),
        }
    }

    /// The sign between the hexes, whether it is the other spelling, and where it ends.
    #[inline]
    fn separator(self, at: usize) -> Option<(Capture, bool, usize)> {
        Some(match self.byte(at) {
            b'-' => (Capture::None, false, at + 1),
            0xC3 if self.is(at, TIMES) => (Capture::Taken, false, at + TIMES.len()),
            b'*' => (Capture::Taken, true, at + 1),
            b'@' if self.byte(at + 1) == b'@' => (Capture::LongPassing, false, at + 2),
            b'@' => (Capture::Passing, false, at + 1),
            0xE2 if self.is(at, HYPHEN) => (Capture::None, true, at + HYPHEN.len()),
            _ => return None,
        })
    }

    #[inline]
    fn promotion(self, at: usize, letters: &Letters) -> Option<(Promotion, usize)> {
        match (self.byte(at), self.byte(at + 1)) {
            (b'=', b'&') => Some((Promotion::Awaiting, at + 2)),
            (b'=', letter) if !letters.are_figurines() => Some((Promotion::to(letters.kind(letter)?)?, at + 2)),
            (b'=', _) => None,
            _ => Some((Promotion::None, at)),
        }
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    fn ply(self, letters: &Letters) -> Option<QuickPly> {
        let (piece, from, at) = self.piece_and_hex(0, true, letters);
        let (capture, other_sign, at) = self.separator(at)?;
        let (captured, to, at) = self.piece_and_hex(at, capture != Capture::None, letters);
        let (piece, from, captured, to) = (piece?, from?, captured?, to?);
        let step = |promotion| Shape::Step { piece, from, to, capture, captured, promotion };
        if !matches!(self.byte(at), b'=' | b'+' | b'#') {
            return Some(QuickPly { ply: Ply::new(step(Promotion::None), Check::None), len: at as u32, other_sign });
        }
        let (promotion, at) = self.promotion(at, letters)?;
        let (check, at) = self.check(at);
        Some(QuickPly { ply: Ply::new(step(promotion), check), len: at as u32, other_sign })
    }
}

/// The check sign at the start of `text` (§6.8), and its length.
pub fn read_check(text: &[u8]) -> Option<(Check, usize)> {
    Some(Window::over(text, |window| window.check(0))).filter(|(check, _)| *check != Check::None)
}

/// The well-written hex at the start of `text`, and its length.
pub fn quick_hex(text: &[u8]) -> Option<(Hex, usize)> {
    Window::over(text, |window| {
        let (hex, len) = window.hex(0, window.row(0));
        // A third digit is no part of it.
        hex.filter(|_| !window.byte(len).is_ascii_digit()).map(|hex| (hex, len))
    })
}

/// Reads a ply that is written as the format wants it, in letters, at the start of a text that goes on with zeros behind
/// its end; nothing if it is not, and then [`read_ply`] tells why.
#[inline(always)]
#[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
pub fn quick_ply(word: &[u8; WINDOW], letters: &Letters) -> Option<QuickPly> {
    Window(word).ply(letters)
}

/// A coordinate as written; nothing where the board does not have it.
struct Coordinate(Option<Hex>);

/// Reads a word that the quick way does not: it goes on behind each fault as long as it can.
struct Careful<'a> {
    word: &'a [u8],
    letters: &'a Letters,
    side: Side,
    at: usize,
    fault: &'a mut dyn FnMut(Slip<PlyFault>),
    faults: u32,
    lost: bool,
    /// Lower case has been reported for this word.
    lower: bool,
}

impl Careful<'_> {
    fn rest(&self) -> &[u8] {
        &self.word[self.at.min(self.word.len())..]
    }

    fn slip(&mut self, fault: PlyFault, at: usize, len: usize) {
        self.faults += 1;
        self.lost |= fault.reading() == Reading::Lost;
        (self.fault)(Slip { fault, at: at as u32, len: len as u32 });
    }

    fn no_ply(&mut self) -> Option<Shape> {
        let len = char_len(self.rest());
        self.slip(PlyFault::NoPly, self.at, len);
        None
    }

    fn read(mut self) -> ReadPly {
        let mut other_sign = false;
        let shape = match self.castling_prefix() {
            Some(prefix) => self.castling(prefix, &mut other_sign),
            None if self.is_foreign_castling() => {
                self.slip(PlyFault::CastlingCode, 0, self.word.len());
                None
            }
            None if self.word == b"--" => {
                self.slip(PlyFault::NullMove, 0, 2);
                None
            }
            None => self.step(&mut other_sign),
        };
        let Some(shape) = shape else {
            // What cannot be read goes as far as the word does: nothing of it is a word of its own.
            let ply = None;
            return ReadPly { ply, len: self.word.len(), other_sign, plain: false };
        };
        let check = self.check();
        let plain = self.faults == 0 && self.letters.are_standard();
        ReadPly { ply: (!self.lost).then(|| Ply::new(shape, check)), len: self.at, other_sign, plain }
    }

    /// One letter, upper-cased, or the Latin one that it looks like: with its length in bytes.
    fn letter(&mut self, at: usize) -> Option<(u8, usize)> {
        let rest = self.word.get(at..)?;
        let &first = rest.first()?;
        if first.is_ascii_uppercase() {
            return Some((first, 1));
        }
        if first.is_ascii_lowercase() {
            return Some((first.to_ascii_uppercase(), 1));
        }
        lookalike(rest)
    }

    /// Reports how the letter read by [`Careful::letter`] is written.
    fn judge_letter(&mut self, at: usize, len: usize) {
        if len > 1 {
            self.slip(PlyFault::Lookalike, at, len);
        } else if self.word[at].is_ascii_lowercase() && !self.lower {
            self.lower = true;
            self.slip(PlyFault::LowerCase, at, 1);
        }
    }

    /// The piece that moves or is captured, a pawn where none is written; nothing if the letter stands for none.
    fn piece(&mut self, owner: Side) -> Option<Kind> {
        let start = self.at;
        if let Some((piece, len)) = figurine(self.rest()) {
            self.at += len;
            if !self.letters.are_figurines() {
                self.slip(PlyFault::PieceLetter, start, len);
            } else if piece.side() == Side::Black && owner == Side::White {
                self.slip(PlyFault::FigurineColour, start, len);
            } else if piece.kind() == Kind::Pawn {
                self.slip(PlyFault::WrittenPawn, start, len);
            }
            self.variation_selector();
            return Some(piece.kind());
        }
        let Some((letter, len)) = self.letter(start) else { return Some(Kind::Pawn) };
        // A piece's letter is followed by a letter, a column by its line (§5.4).
        if self.letter(start + len).is_none() {
            return Some(Kind::Pawn);
        }
        self.at += len;
        let kind = self.letters.kind(letter).filter(|_| !self.letters.are_figurines() || letter == b'P');
        match kind.or(alternative(letter)).or(standard(letter)) {
            Some(_) if kind.is_none() && len == 1 => self.slip(PlyFault::PieceLetter, start, len),
            Some(Kind::Pawn) if len == 1 => self.slip(PlyFault::WrittenPawn, start, len),
            Some(_) => {}
            None => {
                self.slip(PlyFault::UnknownPiece, start, len);
                return None;
            }
        }
        self.judge_letter(start, len);
        kind.or(alternative(letter)).or(standard(letter))
    }

    /// Variation selectors mean nothing here (§2.6).
    fn variation_selector(&mut self) {
        while let Some(len) = starts_with_any(self.rest(), &["\u{FE0E}", "\u{FE0F}"]) {
            self.slip(PlyFault::VariationSelector, self.at, len);
            self.at += len;
        }
    }

    /// A coordinate; what is not on the board is reported and read over. Nothing where there is none.
    fn hex(&mut self) -> Option<Coordinate> {
        let start = self.at;
        let Some((letter, len)) = self.letter(start) else {
            self.no_ply();
            return None;
        };
        let digits = self.word[start + len..].iter().take_while(|byte| byte.is_ascii_digit()).count();
        if digits == 0 {
            self.at += if COLUMNS.contains(&letter) { len } else { 0 };
            self.no_ply();
            return None;
        }
        self.judge_letter(start, len);
        self.at += len + digits;
        let hex = hex_of(letter, &self.word[start + len..self.at]);
        if hex.is_none() {
            self.slip(PlyFault::NoHex, start, len + digits);
        }
        Some(Coordinate(hex))
    }

    fn separator(&mut self, other_sign: &mut bool) -> Option<Capture> {
        let rest = self.rest();
        let (capture, len, fault) = match rest {
            [b'-', b'-', ..] => return None,
            [b'-', ..] => (Capture::None, 1, None),
            [b'*', ..] => (Capture::Taken, 1, None),
            [b'@', b'@', ..] => (Capture::LongPassing, 2, None),
            [b'@', ..] => (Capture::Passing, 1, None),
            _ if rest.starts_with(HYPHEN) => (Capture::None, HYPHEN.len(), None),
            _ if rest.starts_with(TIMES) => (Capture::Taken, TIMES.len(), None),
            _ => {
                let dash = other_dash(rest).map(|len| (Capture::None, len, Some(PlyFault::Dash)));
                let cross =
                    || starts_with_any(rest, &CROSSES).map(|len| (Capture::Taken, len, Some(PlyFault::CaptureX)));
                dash.or_else(cross)?
            }
        };
        *other_sign = rest.starts_with(b"*") || rest.starts_with(HYPHEN);
        if let Some(fault) = fault {
            self.slip(fault, self.at, len);
        }
        self.at += len;
        Some(capture)
    }

    fn step(&mut self, other_sign: &mut bool) -> Option<Shape> {
        let piece = self.piece(self.side);
        let Coordinate(from) = self.hex()?;
        if self.rest().starts_with(b"=") {
            if piece != Some(Kind::Pawn) {
                return self.no_ply();
            }
            let promotion = self.promotion()?;
            if promotion == Promotion::Awaiting {
                self.at -= 1;
                return self.no_ply();
            }
            return from.map(|at| Shape::Promote { at, promotion });
        }
        let Some(capture) = self.separator(other_sign) else { return self.no_ply() };
        let captured = if capture == Capture::None { Some(Kind::Pawn) } else { self.piece(self.side.other()) };
        let Coordinate(to) = self.hex()?;
        let promotion = if self.rest().starts_with(b"=") { self.promotion()? } else { Promotion::None };
        // A hex or a piece that could not be read is reported already: the word goes on, the ply has no value.
        self.lost |= piece.is_none() || captured.is_none() || from.is_none() || to.is_none();
        let any = Castling::king_home(Side::White);
        let (from, to) = (from.unwrap_or(any), to.unwrap_or(any));
        let (piece, captured) = (piece.unwrap_or(Kind::Pawn), captured.unwrap_or(Kind::Pawn));
        Some(Shape::Step { piece, from, to, capture, captured, promotion })
    }

    /// `=X` or `=&`.
    fn promotion(&mut self) -> Option<Promotion> {
        self.at += 1;
        if self.rest().starts_with(b"&") {
            self.at += 1;
            return Some(Promotion::Awaiting);
        }
        let start = self.at;
        let mut foreign = false;
        let (kind, len, declared) = if let Some((piece, len)) = figurine(self.rest()) {
            foreign = self.letters.are_figurines() && piece.side() == Side::Black && self.side == Side::White;
            (Some(piece.kind()), len, self.letters.are_figurines())
        } else {
            let Some((letter, len)) = self.letter(start) else {
                self.no_ply();
                return None;
            };
            let kind = self.letters.kind(letter).filter(|_| !self.letters.are_figurines());
            (kind.or(alternative(letter)).or(standard(letter)), len, kind.is_some())
        };
        let Some(promotion) = kind.and_then(Promotion::to) else {
            self.no_ply();
            return None;
        };
        if foreign {
            self.slip(PlyFault::FigurineColour, start, len);
        }
        if !declared {
            self.slip(PlyFault::PieceLetter, start, len);
        }
        if self.word[start] < 0x80 || lookalike(&self.word[start..]).is_some() {
            self.judge_letter(start, len);
        }
        self.at += len;
        self.variation_selector();
        Some(promotion)
    }

    fn check(&mut self) -> Check {
        if self.rest().starts_with(b"^+") {
            self.slip(PlyFault::OldCheck, self.at, 2);
            self.at += 2;
            return Check::Adjoining;
        }
        let (check, len) = read_check(self.rest()).unwrap_or((Check::None, 0));
        self.at += len;
        check
    }

    /// `KRK`, `KRD` or `KRR` as this record writes them: which rooks, and the length in bytes.
    fn castling_prefix(&mut self) -> Option<&'static str> {
        let (mut at, mut kinds, mut figurines) = (0, [Kind::Pawn; 3], 0);
        for kind in &mut kinds {
            if let Some((piece, len)) = figurine(&self.word[at..]) {
                *kind = piece.kind();
                figurines += 1;
                at += len;
            } else {
                let (letter, len) = self.letter(at)?;
                // The queen's letter names a flank here and is never redefined (§5.3).
                let named = if letter == b'D' { None } else { self.letters.kind(letter) };
                *kind = named.or(standard(letter)).or(alternative(letter))?;
                at += len;
            }
        }
        let (prefix, third) = match kinds {
            [Kind::King, Kind::Rook, Kind::King] => ("KRK-", Kind::King),
            [Kind::King, Kind::Rook, Kind::Queen] => ("KRD-", Kind::Queen),
            [Kind::King, Kind::Rook, Kind::Rook] => ("KRR-", Kind::Rook),
            _ => return None,
        };
        // `KT8-…` is a king on T8, and `KRA1` no castling: a sign must follow.
        if self.word.get(at).is_none_or(u8::is_ascii_alphanumeric) {
            return None;
        }
        if figurines > 0 {
            self.slip(PlyFault::CastlingFigurines, 0, at);
        } else {
            self.judge_castling_letters(third, at);
        }
        self.at = at;
        Some(prefix)
    }

    fn judge_castling_letters(&mut self, third: Kind, len: usize) {
        let (mut at, mut index) = (0, 0);
        let mut void = None;
        while at < len {
            let Some((letter, width)) = self.letter(at) else { return };
            let kind = [Kind::King, Kind::Rook, third][index];
            let expected = if kind == Kind::Queen { b'D' } else { self.letters.letter(kind) };
            if width == 1 && letter != expected && void.is_none() {
                void = Some((at, letter));
            }
            self.judge_letter(at, width);
            at += width;
            index += 1;
        }
        if let Some((at, letter)) = void {
            let fault = if standard(letter).is_some() { PlyFault::CastlingPrefix } else { PlyFault::PieceLetter };
            self.slip(fault, at, 1);
        }
    }

    fn castling(&mut self, prefix: &str, other_sign: &mut bool) -> Option<Shape> {
        if self.separator(other_sign) != Some(Capture::None) {
            return self.no_ply();
        }
        let start = self.at;
        let len = self.rest().iter().take_while(|byte| byte.is_ascii_alphanumeric()).count();
        let code = self.rest()[..len].to_ascii_uppercase();
        let codes =
            || Castling::all().filter_map(|castling| castling.code().strip_prefix(prefix).map(|code| (castling, code)));
        if let Some((castling, _)) = codes().find(|(_, known)| known.as_bytes() == code) {
            if let Some(lower) = self.rest()[..len].iter().position(u8::is_ascii_lowercase) {
                self.judge_letter(start + lower, 1);
            }
            self.at += len;
            return Some(Shape::Castle(castling));
        }
        let good = codes()
            .map(|(_, known)| known.bytes().zip(&code).take_while(|(known, seen)| known == *seen).count())
            .max()
            .unwrap_or(0);
        self.slip(PlyFault::CastlingCode, start + good, len - good);
        None
    }

    /// Castling as orthodox chess writes it.
    fn is_foreign_castling(&self) -> bool {
        let letters: Vec<u8> = self.word.iter().filter(|byte| byte.is_ascii_alphanumeric()).copied().collect();
        [&b"OO"[..], b"OOO", b"00", b"000", b"oo", b"ooo"].contains(&&letters[..])
            && !self.word[1..].first().is_some_and(u8::is_ascii_alphanumeric)
    }
}

/// The hex of a column's letter and the digits behind it; no leading zeros (§2.2).
fn hex_of(letter: u8, digits: &[u8]) -> Option<Hex> {
    if digits.len() > 2 || digits.len() == 2 && digits[0] == b'0' {
        return None;
    }
    let line = digits.iter().fold(0, |line, digit| line * 10 + (digit - b'0'));
    Hex::at(COLUMNS.iter().position(|column| *column == letter)? as u8, line)
}

/// Greek and Cyrillic letters that look like Latin ones of this notation.
const LOOKALIKES: &[(&str, u8)] = &[
    ("А", b'A'),
    ("В", b'B'),
    ("С", b'C'),
    ("Е", b'E'),
    ("Н", b'H'),
    ("І", b'I'),
    ("Ј", b'J'),
    ("К", b'K'),
    ("Р", b'P'),
    ("Ѕ", b'S'),
    ("Т", b'T'),
    ("Х", b'X'),
    ("Α", b'A'),
    ("Β", b'B'),
    ("Ε", b'E'),
    ("Ζ", b'Z'),
    ("Η", b'H'),
    ("Ι", b'I'),
    ("Κ", b'K'),
    ("Ν", b'N'),
    ("Ρ", b'P'),
    ("Τ", b'T'),
    ("Χ", b'X'),
    ("а", b'A'),
    ("с", b'C'),
    ("е", b'E'),
    ("р", b'P'),
    ("х", b'X'),
    ("ѕ", b'S'),
    ("і", b'I'),
    ("ј", b'J'),
];

/// The Latin letter that the first character of `text` looks like, and the character's length in bytes.
pub fn lookalike(text: &[u8]) -> Option<(u8, usize)> {
    LOOKALIKES.iter().find(|(sign, _)| text.starts_with(sign.as_bytes())).map(|(sign, latin)| (*latin, sign.len()))
}

fn char_len(text: &[u8]) -> usize {
    let width = match text.first() {
        None => 0,
        Some(0..0xC0) => 1,
        Some(0xC0..0xE0) => 2,
        Some(0xE0..0xF0) => 3,
        Some(_) => 4,
    };
    width.min(text.len())
}

/// Where a part of a ply's word lies, from and to in bytes of the word, for a fault that replay finds. Blanks within the
/// word, which have a fault of their own, are read over.
pub fn part_of(word: &[u8], part: Part) -> (usize, usize) {
    let places: Vec<usize> = (0..word.len()).filter(|&at| !matches!(word[at], b' ' | b'\t')).collect();
    let bare: Vec<u8> = places.iter().map(|&at| word[at]).collect();
    let (from, to) = part_of_bare(&bare, part);
    let place = |at: usize| places.get(at).copied().unwrap_or(word.len());
    (place(from), if from < to { place(to - 1) + 1 } else { place(from) })
}

/// Where the check sign of a ply's word lies, from and to in bytes of the word; both are its end where there is none.
pub fn check_of(word: &[u8]) -> (usize, usize) {
    const FAR: &[u8] = "∞".as_bytes();
    let is_sign = |byte: &u8| matches!(byte, b'+' | b'^' | b'#') || FAR.contains(byte);
    (word.iter().rposition(|byte| !is_sign(byte)).map_or(0, |last| last + 1), word.len())
}

fn part_of_bare(word: &[u8], part: Part) -> (usize, usize) {
    let behind =
        |from: usize, stop: fn(&u8) -> bool| word[from..].iter().position(stop).map_or(word.len(), |len| from + len);
    // The sign follows the origin's line; a castling has no line, and its code is all letters.
    let digit = behind(0, u8::is_ascii_digit);
    let sign = if digit < word.len() {
        behind(digit, |byte| !byte.is_ascii_digit())
    } else {
        behind(0, |byte| *byte == b'-').min(memchr::memmem::find(word, HYPHEN).unwrap_or(word.len()))
    };
    let sign_len = if word[sign..].starts_with(b"@@") { 2 } else { char_len(&word[sign..]) };
    let captured = sign + sign_len;
    let end = behind(captured, |byte| matches!(byte, b'=' | b'+' | b'#' | b'^'));
    let promoted = behind(end, |byte| matches!(byte, b'+' | b'#' | b'^'));
    match part {
        Part::Origin => (0, sign),
        Part::Sign => (sign, captured),
        Part::Captured => (captured, end),
        Part::Destination => {
            let column = word[captured..end].iter().rposition(u8::is_ascii_alphabetic).filter(|_| digit < word.len());
            (captured + column.unwrap_or(0), end)
        }
        Part::Promotion => (end, promoted),
    }
}

/// How a ply is printed.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Signs {
    /// Between the hexes of a ply without capture, and in castlings.
    pub hyphen: &'static str,
    /// Between the hexes of a capture.
    pub times: &'static str,
}

impl Signs {
    /// `-` and `×`, the canonical ones (§13.6).
    pub const CANONICAL: Signs = Signs { hyphen: "-", times: "×" };
    /// `‐` and `*`: the other spelling of each.
    pub const OTHER: Signs = Signs { hyphen: "‐", times: "*" };
}

/// Prints a ply: the one routine that does.
pub fn write_ply(ply: Ply, letters: &Letters, signs: Signs, out: &mut Vec<u8>) {
    let letter = |kind: Kind, out: &mut Vec<u8>| {
        if letters.are_figurines() {
            out.extend_from_slice(figurine_of(Piece::new(Side::White, kind)).as_bytes());
        } else {
            out.push(letters.letter(kind));
        }
    };
    let promoted = |promotion: Promotion, out: &mut Vec<u8>| match promotion {
        Promotion::None => {}
        Promotion::Awaiting => out.extend_from_slice(b"=&"),
        _ => {
            out.push(b'=');
            promotion.kind().into_iter().for_each(|kind| letter(kind, out));
        }
    };
    match ply.shape() {
        Shape::Step { piece, from, to, capture, captured, promotion } => {
            if piece != Kind::Pawn {
                letter(piece, out);
            }
            write_hex(from, out);
            out.extend_from_slice(match capture {
                Capture::None => signs.hyphen.as_bytes(),
                Capture::Taken => signs.times.as_bytes(),
                Capture::Passing => b"@",
                Capture::LongPassing => b"@@",
            });
            if captured != Kind::Pawn {
                letter(captured, out);
            }
            write_hex(to, out);
            promoted(promotion, out);
        }
        Shape::Promote { at, promotion } => {
            write_hex(at, out);
            promoted(promotion, out);
        }
        Shape::Castle(castling) => {
            // Figurines leave castlings in letters (§6.7); the queen's letter names a flank (§5.3).
            let code = castling.code().as_bytes();
            for &byte in &code[..3] {
                let kind = if byte == b'D' { None } else { standard(byte) };
                out.push(kind.map_or(byte, |kind| letters.letter(kind)));
            }
            out.extend_from_slice(signs.hyphen.as_bytes());
            out.extend_from_slice(&code[4..]);
        }
    }
    out.extend_from_slice(check_sign(ply.check()).as_bytes());
}

/// The sign of a check as it is printed (§6.8).
pub const fn check_sign(check: Check) -> &'static str {
    match check {
        Check::None => "",
        Check::Plain => "+",
        Check::Far => "+∞",
        Check::Adjoining => "+^",
        Check::Double => "++",
        Check::Mate => "#",
    }
}

/// The valuation that a NAG stands for, `$1` to `$7` (§6.9).
pub fn valuation(nag: u32) -> Option<&'static str> {
    const SIGNS: [&str; 7] = ["!", "?", "!!", "??", "!?", "?!", "◇"];
    SIGNS.get((nag as usize).checked_sub(1)?).copied()
}

/// Prints a coordinate (§2.2).
pub fn write_hex(hex: Hex, out: &mut Vec<u8>) {
    out.push(COLUMNS[hex.column() as usize]);
    let line = hex.line();
    if line >= 10 {
        out.push(b'0' + line / 10);
    }
    out.push(b'0' + line % 10);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn faults(word: &str, letters: &Letters, side: Side) -> (ReadPly, Vec<(PlyFault, u32, u32)>) {
        let mut out = Vec::new();
        let read = read_ply(word.as_bytes(), letters, side, &mut |slip| out.push((slip.fault, slip.at, slip.len)));
        (read, out)
    }

    fn canonical(word: &str, letters: &Letters) -> String {
        let (read, _) = faults(word, letters, Side::White);
        let mut out = Vec::new();
        write_ply(read.ply.expect(word), &Letters::STANDARD, Signs::CANONICAL, &mut out);
        String::from_utf8(out).expect("UTF-8")
    }

    #[test]
    fn well_written_plies_are_read_whole() {
        for word in [
            "E7-E13",
            "E13×F16",
            "F12@@G9",
            "C11@D14",
            "EG5×GF8+^",
            "VZ15-Z7+∞",
            "KRK-HIOO",
            "KRR-EEF+",
            "A23=D#",
            "A21@T22=V",
            "T22-A23=&",
            "A23@DT22",
            "GA7-D6++",
            "KT8-T10",
            "F0=V",
        ] {
            let (read, slips) = faults(word, &Letters::STANDARD, Side::White);
            assert_eq!((slips.len(), read.len, read.plain), (0, word.len(), true), "{word}");
            assert_eq!(canonical(word, &Letters::STANDARD), word);
        }
    }

    #[test]
    fn other_spellings_mean_the_same() {
        let a = Letters::parse(b"A@J, T@R").expect("good");
        let q = Letters::parse(b"B@J, Q@D").expect("good");
        for (word, letters, meaning) in [
            ("E7‐E13", &Letters::STANDARD, "E7-E13"),
            ("E13*F16", &Letters::STANDARD, "E13×F16"),
            ("AA5-A7", &a, "JA5-A7"),
            ("A5×AA7", &a, "A5×JA7"),
            ("KTK-HIO", &a, "KRK-HIO"),
            ("KTT-HIH", &a, "KRR-HIH"),
            ("KT8-T10", &a, "KT8-T10"),
            ("KRD-DD", &q, "KRD-DD"),
            ("QE1-E9", &q, "DE1-E9"),
            ("A21×A23=T", &a, "A21×A23=R"),
            ("♗F6×🩓C15", &Letters::FIGURINES, "JF6×GC15"),
            ("KRK-HIO", &Letters::FIGURINES, "KRK-HIO"),
        ] {
            let (_, slips) = faults(word, letters, Side::White);
            assert_eq!((slips, canonical(word, letters).as_str()), (vec![], meaning), "{word}");
        }
    }

    #[test]
    fn each_fault_is_told_at_its_place_and_the_ply_is_read_where_it_can_be() {
        use PlyFault::*;
        let b = Letters::parse(b"B@J").expect("good");
        let t = Letters::parse(b"T@R").expect("good");
        let standard = Letters::STANDARD;
        let fan = Letters::FIGURINES;
        for (word, letters, slips, meaning) in [
            ("e7-e13", &standard, vec![(LowerCase, 0, 1)], Some("E7-E13")),
            ("krk-hio", &standard, vec![(LowerCase, 0, 1)], Some("KRK-HIO")),
            ("KRK-hio", &standard, vec![(LowerCase, 4, 1)], Some("KRK-HIO")),
            ("A21-A23=d", &standard, vec![(LowerCase, 8, 1)], Some("A21-A23=D")),
            ("PE7-E13", &standard, vec![(WrittenPawn, 0, 1)], Some("E7-E13")),
            ("E13×PF16", &standard, vec![(WrittenPawn, 5, 1)], Some("E13×F16")),
            ("E7–E13", &standard, vec![(Dash, 2, 3)], Some("E7-E13")),
            ("KRK–HIO", &standard, vec![(Dash, 3, 3)], Some("KRK-HIO")),
            ("E7xE13", &standard, vec![(CaptureX, 2, 1)], Some("E7×E13")),
            ("X8xХ10", &standard, vec![(CaptureX, 2, 1), (Lookalike, 3, 2)], None),
            ("BF6-C15", &standard, vec![(PieceLetter, 0, 1)], Some("JF6-C15")),
            ("JF6-C15", &b, vec![(PieceLetter, 0, 1)], Some("JF6-C15")),
            ("JF6-C15", &fan, vec![(PieceLetter, 0, 1)], Some("JF6-C15")),
            ("♗F6-C15", &standard, vec![(PieceLetter, 0, 3)], Some("JF6-C15")),
            ("♝F6-C15", &fan, vec![(FigurineColour, 0, 3)], Some("JF6-C15")),
            ("♗\u{FE0E}F6-C15", &fan, vec![(VariationSelector, 3, 3)], Some("JF6-C15")),
            ("GL5-H6^+", &standard, vec![(OldCheck, 6, 2)], Some("GL5-H6+^")),
            ("♔♖♔-HIO", &fan, vec![(CastlingFigurines, 0, 9)], Some("KRK-HIO")),
            ("KRK-HIO", &t, vec![(CastlingPrefix, 1, 1)], Some("KRK-HIO")),
            ("KTK-HIO", &standard, vec![(PieceLetter, 1, 1)], Some("KRK-HIO")),
            ("Е7-E13", &standard, vec![(Lookalike, 0, 2)], None),
            ("HF6-F8", &standard, vec![(UnknownPiece, 0, 1)], None),
            ("E7-E14", &standard, vec![(NoHex, 3, 3)], None),
            ("J8-J10", &standard, vec![(NoHex, 0, 2), (NoHex, 3, 3)], None),
            ("F20-F016", &standard, vec![(NoHex, 4, 4)], None),
            ("P5-P7", &standard, vec![(NoHex, 0, 2)], None),
            ("KRK-HI", &standard, vec![(CastlingCode, 6, 0)], None),
            ("KRK-HI0", &standard, vec![(CastlingCode, 6, 1)], None),
            ("KRD-FF", &standard, vec![(CastlingCode, 5, 1)], None),
            ("O-O", &standard, vec![(CastlingCode, 0, 3)], None),
            ("--", &standard, vec![(NullMove, 0, 2)], None),
            ("F8~F12", &standard, vec![(NoPly, 2, 1)], None),
            ("F8-F", &standard, vec![(NoPly, 4, 0)], None),
            ("E13Ã—F16", &standard, vec![(NoPly, 3, 2)], None),
            ("e4", &standard, vec![(LowerCase, 0, 1), (NoHex, 0, 2), (NoPly, 2, 0)], None),
            ("A23=&", &standard, vec![(NoPly, 4, 1)], None),
            ("A21-A23=E", &standard, vec![(NoPly, 8, 1)], None),
            ("A21-A23=X", &standard, vec![(NoPly, 8, 1)], None),
        ] {
            let (read, seen) = faults(word, letters, Side::White);
            assert_eq!(seen, slips, "{word}");
            assert_eq!(read.ply.map(|_| canonical(word, letters)).as_deref(), meaning, "{word}");
            assert!(!read.plain, "{word}");
        }
    }

    #[test]
    fn parts_are_found() {
        for (word, part, text) in [
            ("EG5×GF8+^", Part::Origin, "EG5"),
            ("RX8×NX6", Part::Captured, "NX6"),
            ("RX8×NX6", Part::Destination, "X6"),
            ("F12@@G9", Part::Sign, "@@"),
            ("F12@@G9", Part::Destination, "G9"),
            ("T20-T22=D+", Part::Promotion, "=D"),
            ("T20-T22+", Part::Promotion, ""),
            ("A23=D#", Part::Origin, "A23"),
            ("KRK-HIO+", Part::Destination, "HIO"),
            ("KRK‐HIO", Part::Origin, "KRK"),
        ] {
            let (from, to) = part_of(word.as_bytes(), part);
            assert_eq!(&word[from..to], text, "{word} {part:?}");
        }
    }

    fn hexes() -> impl Strategy<Value = Hex> {
        (0..169u8).prop_filter_map("on the board", Hex::from_index)
    }

    fn plies() -> impl Strategy<Value = Ply> {
        let promotions = prop::sample::select(vec![
            Promotion::None,
            Promotion::Awaiting,
            Promotion::Bishop,
            Promotion::Knight,
            Promotion::Pegasus,
            Promotion::Rook,
            Promotion::Wyvern,
            Promotion::Queen,
        ]);
        let captures =
            prop::sample::select(vec![Capture::None, Capture::Taken, Capture::Passing, Capture::LongPassing]);
        let kinds = || prop::sample::select(Kind::ALL.to_vec());
        let step = (kinds(), hexes(), hexes(), captures, kinds(), promotions.clone()).prop_map(
            |(piece, from, to, capture, captured, promotion)| {
                let captured = if capture == Capture::None { Kind::Pawn } else { captured };
                Shape::Step { piece, from, to, capture, captured, promotion }
            },
        );
        let promote = (hexes(), promotions)
            .prop_filter("a piece", |(_, promotion)| promotion.kind().is_some())
            .prop_map(|(at, promotion)| Shape::Promote { at, promotion });
        let castle = (0..Castling::COUNT).prop_filter_map("a code", |n| Castling::from_number(n).map(Shape::Castle));
        let checks = prop::sample::select(Check::ALL_SIGNS.to_vec());
        (prop_oneof![8 => step, 1 => promote, 1 => castle], checks).prop_map(|(shape, check)| Ply::new(shape, check))
    }

    proptest! {
        #[test]
        fn print_and_parse_are_inverse(
            ply in plies(),
            value in prop::sample::select(vec!["", "A@J, C@N, T@R", "L@J, S@N, T@R, W@V", "B@J, W@V, Q@D", "FAN"]),
            ascii in any::<bool>(),
        ) {
            let standard = value.is_empty();
            let letters = if standard { Letters::STANDARD } else { Letters::parse(value.as_bytes()).expect("good") };
            let mut word = Vec::new();
            write_ply(ply, &letters, if ascii { Signs::OTHER } else { Signs::CANONICAL }, &mut word);
            let mut slips = Vec::new();
            let read = read_ply(&word, &letters, Side::White, &mut |slip| slips.push(slip));
            let text = String::from_utf8_lossy(&word);
            prop_assert_eq!((read.ply, read.len, slips.len()), (Some(ply), word.len(), 0), "{}", text);
            prop_assert_eq!(Ply::from_bits(ply.to_bits()), Some(ply));
        }

        #[test]
        fn no_word_is_too_strange(word in prop::collection::vec(prop::sample::select(
            "EFGPKRJDHX01279-‐×*@=&+#^∞♗🩓xeЕ~ \u{FE0F}".chars().collect::<Vec<_>>()), 1..12)
        ) {
            let word: String = word.into_iter().collect();
            for letters in [Letters::STANDARD, Letters::FIGURINES] {
                let mut slips = Vec::new();
                let read = read_ply(word.as_bytes(), &letters, Side::Black, &mut |slip| slips.push(slip));
                prop_assert!(read.len <= word.len());
                for slip in slips {
                    prop_assert!((slip.at + slip.len) as usize <= word.len(), "{:?} {}", slip, word);
                }
                for part in [Part::Origin, Part::Sign, Part::Captured, Part::Destination, Part::Promotion] {
                    let (from, to) = part_of(word.as_bytes(), part);
                    prop_assert!(from <= to && to <= word.len());
                }
            }
        }
    }
}
