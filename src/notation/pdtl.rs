//! A position written down line by line: the value of the `PDTL` tag (§10).

use std::io::Write;
use std::ops::Range;

use super::ply::quick_hex;
use super::{
    Letters, Reading, Slip, alternative, figurine, figurine_of, hyphen, standard, with_plain_hyphens, write_hex,
};
use crate::game::{Castling, Faced, Hex, Kind, Piece, Position, Rights, Side, Special};

named! {
    /// What is wrong with a PDTL.
    pub enum PdtlFault {
        /// Fewer than five fields.
        FieldMissing = "pdtl-field-missing",
        /// More than six fields.
        FieldExtra = "pdtl-field-extra",
        /// Another blank than the one between two fields.
        Blank = "pdtl-blank",
        /// A blank among the pieces.
        PiecesBlank = "pdtl-pieces-blank",
        /// The pieces don't begin and end with a slash.
        Slash = "pdtl-slash",
        /// A line of the board without a number that the board has, and a colon.
        LineNumber = "pdtl-line-number",
        /// A line above the one before it.
        LineOrder = "pdtl-line-order",
        /// A line that was there before.
        LineTwice = "pdtl-line-twice",
        /// Pieces and empty hexes don't add up to the hexes of the line.
        LineWidth = "pdtl-line-width",
        /// A line that has no piece.
        LineEmpty = "pdtl-line-empty",
        /// Neither a piece nor a digit.
        Sign = "pdtl-sign",
        /// Two digits in a row, or a zero.
        Digits = "pdtl-digits",
        /// A standard letter whose piece has another one by `Redefine`.
        LetterVoid = "pdtl-letter-void",
        /// An alternative letter that `Redefine` does not declare.
        LetterUndeclared = "pdtl-letter-undeclared",
        /// A letter where figurines are declared.
        LetterForFigurine = "pdtl-letter-for-figurine",
        /// A figurine where none are declared.
        FigurineUndeclared = "pdtl-figurine-undeclared",
        /// A variation selector behind a figurine (§2.6).
        VariationSelector = "pdtl-variation-selector",
        /// A pawn where none can be.
        PawnPlace = "pdtl-pawn-place",
        /// Not one king a side.
        Kings = "pdtl-kings",
        /// More pieces of a kind than at the start, for bishops on one colour.
        TooMany = "pdtl-too-many",
        /// Turn that is neither `w` nor `b`.
        Turn = "pdtl-turn",
        /// Rights to castle that can't be read.
        Castling = "pdtl-castling",
        /// One hyphen for both kings, or a player left out.
        CastlingOlder = "pdtl-castling-older",
        /// A right whose king or rook is not on its first hex.
        CastlingFit = "pdtl-castling-fit",
        /// Special pawn capture that can't be read.
        Special = "pdtl-special",
        /// The two lines of a triple step in the wrong order.
        SpecialOrder = "pdtl-special-order",
        /// Special pawn capture that the position does not bear out.
        SpecialFit = "pdtl-special-fit",
        /// Halfmove clock that is no number.
        Clock = "pdtl-clock",
        /// 150 plies or more without capture or pawn ply.
        ClockOver = "pdtl-clock-over",
        /// A number that begins with zero.
        LeadingZero = "pdtl-leading-zero",
        /// Number of the pair that is neither a number from 1 nor `?`.
        Number = "pdtl-number",
        /// Number of the pair left out, or a hyphen for it.
        NumberMissing = "pdtl-number-missing",
    }
}

impl PdtlFault {
    /// Whether the position is still certain (§11.0, §13.3).
    pub const fn reading(self) -> Reading {
        match self {
            PdtlFault::FieldMissing
            | PdtlFault::FieldExtra
            | PdtlFault::PiecesBlank
            | PdtlFault::Slash
            | PdtlFault::LineNumber
            | PdtlFault::LineOrder
            | PdtlFault::LineTwice
            | PdtlFault::LineWidth
            | PdtlFault::Sign
            | PdtlFault::Kings
            | PdtlFault::Turn
            | PdtlFault::Castling
            | PdtlFault::Special
            | PdtlFault::Clock
            | PdtlFault::Number => Reading::Lost,
            PdtlFault::Blank
            | PdtlFault::LineEmpty
            | PdtlFault::Digits
            | PdtlFault::LetterVoid
            | PdtlFault::LetterUndeclared
            | PdtlFault::LetterForFigurine
            | PdtlFault::FigurineUndeclared
            | PdtlFault::VariationSelector
            | PdtlFault::PawnPlace
            | PdtlFault::TooMany
            | PdtlFault::CastlingOlder
            | PdtlFault::CastlingFit
            | PdtlFault::SpecialOrder
            | PdtlFault::SpecialFit
            | PdtlFault::ClockOver
            | PdtlFault::LeadingZero
            | PdtlFault::NumberMissing => Reading::Certain,
        }
    }

    /// Whether it is said once a PDTL, at the first line or field that has it.
    const fn once(self) -> bool {
        matches!(
            self,
            PdtlFault::LineOrder
                | PdtlFault::LetterVoid
                | PdtlFault::LetterUndeclared
                | PdtlFault::LetterForFigurine
                | PdtlFault::FigurineUndeclared
                | PdtlFault::VariationSelector
        )
    }
}

const PIECES: usize = 0;
const TURN: usize = 1;
const CASTLING: usize = 2;
const SPECIAL: usize = 3;
const CLOCK: usize = 4;
const NUMBER: usize = 5;

/// The piece at the start of `word`, its length in bytes, and what is wrong with its spelling.
///
/// A letter that is not in use still has one reading, as no letter stands for two pieces (§2.4, §2.5).
pub(super) fn piece(word: &[u8], letters: &Letters) -> Option<(Piece, usize, Option<PdtlFault>)> {
    if let Some((piece, len)) = figurine(word) {
        let selector = matches!(word[len..], [0xEF, 0xB8, 0x8E | 0x8F, ..]);
        let fault = match (letters.are_figurines(), selector) {
            (false, _) => Some(PdtlFault::FigurineUndeclared),
            (true, true) => Some(PdtlFault::VariationSelector),
            (true, false) => None,
        };
        return Some((piece, if selector { len + 3 } else { len }, fault));
    }
    let sign = *word.first()?;
    let letter = sign.to_ascii_uppercase();
    let side = if sign == letter { Side::White } else { Side::Black };
    let (kind, fault) = match (letters.kind(letter), standard(letter)) {
        (Some(kind), _) => (kind, None),
        (None, Some(kind)) => (kind, Some(PdtlFault::LetterVoid)),
        (None, None) => (alternative(letter)?, Some(PdtlFault::LetterUndeclared)),
    };
    let fault = if letters.are_figurines() { Some(PdtlFault::LetterForFigurine) } else { fault };
    Some((Piece::new(side, kind), 1, fault))
}

const fn is_blank(byte: u8) -> bool {
    matches!(byte, b' ' | b'\t')
}

/// What is written among the pieces.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Sign {
    /// A digit: so many empty hexes.
    Empty(u8),
    /// A piece, and what is wrong with its spelling.
    Piece(Piece, Option<PdtlFault>),
    /// Anything else.
    Other,
}

/// What is written in a line of the board, or as rights to castle, and where.
pub fn signs<'a>(text: &'a [u8], letters: &'a Letters) -> impl Iterator<Item = (Sign, Range<usize>)> + 'a {
    let mut at = 0;
    std::iter::from_fn(move || {
        let first = *text.get(at)?;
        let (sign, len) = if first.is_ascii_digit() {
            (Sign::Empty(first - b'0'), 1)
        } else {
            piece(&text[at..], letters).map_or((Sign::Other, 1), |(piece, len, fault)| (Sign::Piece(piece, fault), len))
        };
        at += len;
        Some((sign, at - len..at))
    })
}

/// The number of a line of the board.
fn line_number(text: &[u8]) -> Option<u8> {
    match text {
        [ones @ b'0'..=b'9'] => Some(ones - b'0'),
        [tens @ b'1'..=b'2', ones @ b'0'..=b'9'] => Some((tens - b'0') * 10 + ones - b'0').filter(|line| *line <= 28),
        _ => None,
    }
}

/// The pieces that a value places, whatever is wrong with it elsewhere.
pub fn placed<'a>(value: &'a [u8], letters: &'a Letters) -> impl Iterator<Item = (Hex, Piece)> + 'a {
    let pieces = fields(value).first().cloned().unwrap_or_default();
    let lines = value[pieces].split(|&byte| byte == b'/');
    lines.flat_map(move |line| {
        let colon = line.iter().position(|&byte| byte == b':').unwrap_or(line.len());
        let number = line_number(&line[..colon]);
        let mut hexes = number.into_iter().flat_map(Hex::on_line);
        let contents = signs(line.get(colon + 1..).unwrap_or_default(), letters);
        contents.filter_map(move |(sign, _)| match sign {
            Sign::Empty(hexes_free) => {
                hexes.by_ref().take(usize::from(hexes_free)).for_each(drop);
                None
            }
            Sign::Piece(piece, _) => Some((hexes.next()?, piece)),
            Sign::Other => None,
        })
    })
}

/// The fields: the pieces up to their last slash, then what blanks part.
pub fn fields(value: &[u8]) -> Vec<Range<usize>> {
    let mut fields = Vec::with_capacity(6);
    let mut at = 0;
    while let Some(blanks) = value[at..].iter().position(|&byte| !is_blank(byte)) {
        let start = at + blanks;
        let slash = if fields.is_empty() { value.iter().rposition(|&byte| byte == b'/') } else { None };
        let from = slash.unwrap_or(start);
        at = value[from..].iter().position(|&byte| is_blank(byte)).map_or(value.len(), |len| from + len);
        fields.push(start..at);
    }
    fields
}

struct Reader<'a> {
    value: &'a [u8],
    letters: &'a Letters,
    fault: &'a mut dyn FnMut(Slip<PdtlFault>),
    /// Whether the position is unreadable.
    lost: bool,
    /// Faults that were said, a bit each.
    said: u64,
}

/// Reads the value of a `PDTL` tag. Every fault is reported once with its place: a field, or within the pieces
/// the contents of a line, or its number. Nothing when the position is unreadable.
///
/// The position holds what its board bears out: a right to castle without its king or rook, and a special pawn
/// capture that can't be, are reported and left out (R3.5).
pub fn parse(value: &[u8], letters: &Letters, fault: &mut dyn FnMut(Slip<PdtlFault>)) -> Option<Position> {
    let mut reader = Reader { value, letters, fault, lost: false, said: 0 };
    let position = reader.position();
    if reader.lost { None } else { position }
}

impl Reader<'_> {
    fn report(&mut self, fault: PdtlFault, place: &Range<usize>) {
        let bit = 1 << fault as u64;
        if fault.once() && self.said & bit != 0 {
            return;
        }
        self.said |= bit;
        self.lost |= fault.reading() == Reading::Lost;
        (self.fault)(Slip { fault, at: place.start as u32, len: place.len() as u32 });
    }

    fn position(&mut self) -> Option<Position> {
        let fields = fields(self.value);
        self.blanks(&fields);
        if let Some(pieces) = fields.first()
            && let Some(blank) = self.value[pieces.clone()].iter().position(|&byte| is_blank(byte))
        {
            // Where the pieces end is then a guess, and so are the other fields.
            let at = pieces.start + blank;
            self.report(PdtlFault::PiecesBlank, &(at..at + 1));
            return None;
        }
        let mut position = Position::empty();
        let placed = fields.first().is_some_and(|pieces| self.pieces(pieces.clone(), &mut position));
        let end = fields.last().map_or(0, |field| field.end);
        if fields.len() <= CLOCK {
            self.report(PdtlFault::FieldMissing, &(end..end));
            return None;
        }
        let turn = self.turn(&fields[TURN]);
        let rights = self.castling(&fields[CASTLING]);
        if let (true, Some(rights)) = (placed, rights) {
            self.keep_rights(rights, &fields[CASTLING], &mut position);
        }
        let special = self.special(&fields[SPECIAL]);
        if let (true, Some(turn), Some(special)) = (placed, turn, &special) {
            position.turn = turn;
            self.keep_special(special, &fields[SPECIAL], &mut position);
        }
        let clock = self.clock(&fields[CLOCK]);
        position.clock = clock.unwrap_or(0);
        match fields.get(NUMBER) {
            Some(field) => position.number = self.number(field),
            // With a field that can't be read it is anyone's guess which one is missing.
            None if special.is_some() && clock.is_some() => {
                position.number = 0;
                self.report(PdtlFault::NumberMissing, &(end..end));
            }
            None => {}
        }
        if let Some(extra) = fields.get(NUMBER + 1) {
            self.report(PdtlFault::FieldExtra, &(extra.start..end));
        }
        Some(position)
    }

    /// Blanks before, behind and between the fields.
    fn blanks(&mut self, fields: &[Range<usize>]) {
        let mut at = 0;
        for (number, next) in fields.iter().map(|field| field.start).chain([self.value.len()]).enumerate() {
            let is_inner = number > 0 && number < fields.len();
            let good = usize::from(is_inner && self.value[at] == b' ');
            if at + good < next {
                self.report(PdtlFault::Blank, &(at + good..next));
            }
            at = fields.get(number).map_or(next, |field| field.end);
        }
    }

    /// Puts the pieces on the board; whether all of it is certain.
    fn pieces(&mut self, field: Range<usize>, position: &mut Position) -> bool {
        let text = &self.value[field.clone()];
        let [b'/', lines @ .., b'/'] = text else {
            let place = if text.first() == Some(&b'/') { field.end..field.end } else { field.start..field.start + 1 };
            self.report(PdtlFault::Slash, &place);
            return false;
        };
        let mut seen = 0;
        let mut at = field.start + 1;
        for line in lines.split(|&byte| byte == b'/') {
            if let Some((number, colon)) = self.line_number(line, at, &mut seen) {
                self.contents(number, at + colon + 1..at + line.len(), position);
            }
            at += line.len() + 1;
        }
        if !self.lost {
            self.counts(&field, position);
        }
        !self.lost
    }

    /// The number of a line and where its colon is; `seen` has a bit for each line so far.
    fn line_number(&mut self, line: &[u8], at: usize, seen: &mut u32) -> Option<(u8, usize)> {
        let colon = line.iter().position(|&byte| byte == b':');
        let place = at..at + colon.unwrap_or(line.len());
        let number = line_number(&line[..colon.unwrap_or(0)]);
        let (Some(number), Some(colon)) = (number, colon) else {
            self.report(PdtlFault::LineNumber, &place);
            return None;
        };
        let is_twice = *seen >> number & 1 == 1;
        let is_above = *seen & ((1 << number) - 1) != 0;
        *seen |= 1 << number;
        if is_twice || is_above {
            self.report(if is_twice { PdtlFault::LineTwice } else { PdtlFault::LineOrder }, &place);
            return None;
        }
        Some((number, colon))
    }

    /// Puts the pieces of one line on the board.
    fn contents(&mut self, line: u8, place: Range<usize>, position: &mut Position) {
        let mut hexes = Hex::on_line(line);
        let (mut width, mut pieces) = (0, 0);
        let (mut spelling, mut digits, mut pawn) = (None, false, false);
        let mut after_digit = false;
        for (sign, _) in signs(&self.value[place.clone()], self.letters) {
            match sign {
                Sign::Empty(empty) => {
                    digits |= after_digit || empty == 0;
                    width += usize::from(empty);
                    hexes.by_ref().take(usize::from(empty)).for_each(drop);
                }
                Sign::Piece(piece, fault) => {
                    if let Some(hex) = hexes.next() {
                        position.put(hex, Some(piece));
                        pawn |= piece.kind() == Kind::Pawn && is_behind_pawns(hex, piece.side());
                    }
                    spelling = spelling.or(fault);
                    (width, pieces) = (width + 1, pieces + 1);
                }
                Sign::Other => return self.report(PdtlFault::Sign, &place),
            }
            after_digit = matches!(sign, Sign::Empty(_));
        }
        if width != Hex::on_line(line).count() {
            return self.report(PdtlFault::LineWidth, &place);
        }
        if let Some(fault) = spelling {
            self.report(fault, &place);
        }
        let others = [(digits, PdtlFault::Digits), (pieces == 0, PdtlFault::LineEmpty), (pawn, PdtlFault::PawnPlace)];
        if let Some((_, fault)) = others.into_iter().find(|(is_there, _)| *is_there) {
            self.report(fault, &place);
        }
    }

    /// What the initial array forbids (§10.7).
    fn counts(&mut self, field: &Range<usize>, position: &Position) {
        let mut kinds = [[0_u8; 9]; 2];
        let mut bishops = [[0_u8; 3]; 2];
        for hex in Hex::all() {
            if let Some(piece) = position.on(hex) {
                kinds[piece.side() as usize][piece.kind() as usize] += 1;
                bishops[piece.side() as usize][hex.colour() as usize] += u8::from(piece.kind() == Kind::Bishop);
            }
        }
        let is_surplus =
            |counts: &[u8; 9]| Kind::ALL.into_iter().any(|kind| counts[kind as usize] > kind.initial_count());
        if kinds.iter().any(|counts| counts[Kind::King as usize] != 1) {
            self.report(PdtlFault::Kings, field);
        } else if kinds.iter().any(is_surplus) || bishops.iter().flatten().any(|&count| count > 1) {
            self.report(PdtlFault::TooMany, field);
        }
    }

    fn turn(&mut self, field: &Range<usize>) -> Option<Side> {
        match self.value[field.clone()] {
            [b'w'] => Some(Side::White),
            [b'b'] => Some(Side::Black),
            _ => {
                self.report(PdtlFault::Turn, field);
                None
            }
        }
    }

    /// The rights as written (§10.3).
    fn castling(&mut self, field: &Range<usize>) -> Option<[Rights; 2]> {
        let mut spelling = None;
        let white = self.side_rights(field.clone(), Side::White, &mut spelling);
        let black = self.side_rights(white.1..field.end, Side::Black, &mut spelling);
        let (rights, end) = ([white.0, black.0], black.1);
        if end != field.end || rights == [None; 2] {
            self.report(PdtlFault::Castling, field);
            return None;
        }
        if rights.contains(&None) {
            self.report(PdtlFault::CastlingOlder, field);
        } else if let Some(fault) = spelling {
            self.report(fault, field);
        }
        Some(rights.map(|rights| rights.unwrap_or(Rights::NONE)))
    }

    /// The rights of one side at the start of a place, if it has some there, and where they end.
    fn side_rights(
        &self,
        place: Range<usize>,
        side: Side,
        spelling: &mut Option<PdtlFault>,
    ) -> (Option<Rights>, usize) {
        let Range { start, end } = place;
        let len = hyphen(&self.value[start..end]);
        if len != 0 {
            return (Some(Rights::NONE), start + len);
        }
        let mut kinds = Vec::with_capacity(3);
        let mut at = start;
        while let Some((piece, len, fault)) = piece(&self.value[at..end], self.letters)
            && piece.side() == side
        {
            kinds.push(piece.kind());
            *spelling = spelling.or(fault);
            at += len;
        }
        let rights = match kinds[..] {
            [Kind::Rook, Kind::King, Kind::Rook] => Rights::ALL,
            [Kind::King, Kind::Rook] => Rights { queen_rook: false, ..Rights::ALL },
            [Kind::Rook, Kind::King] => Rights { king_rook: false, ..Rights::ALL },
            [Kind::King] => Rights { king: true, ..Rights::NONE },
            _ => return (None, start),
        };
        (Some(rights), at)
    }

    /// Keeps the rights whose king and rook are on their first hexes.
    fn keep_rights(&mut self, rights: [Rights; 2], field: &Range<usize>, position: &mut Position) {
        position.rights = rights_on(position, rights);
        if position.rights != rights {
            self.report(PdtlFault::CastlingFit, field);
        }
    }

    /// The special pawn capture as written, with the lines behind `@` (§10.4).
    fn special(&mut self, field: &Range<usize>) -> Option<(Special, Vec<u8>)> {
        let read = read_special(&self.value[field.clone()]);
        if read.is_none() {
            self.report(PdtlFault::Special, field);
        }
        read
    }

    /// Keeps a special pawn capture that the board and the lines with it bear out.
    fn keep_special(&mut self, (special, lines): &(Special, Vec<u8>), field: &Range<usize>, position: &mut Position) {
        position.special = *special;
        let passed = passed_lines(*special, position.turn);
        let is_reversed = lines.len() == 2 && lines.iter().rev().eq(&passed);
        if !position.special_fits() || !is_reversed && *lines != passed {
            position.special = Special::None;
            self.report(PdtlFault::SpecialFit, field);
        } else if is_reversed {
            self.report(PdtlFault::SpecialOrder, field);
        }
    }

    fn clock(&mut self, field: &Range<usize>) -> Option<u32> {
        let number = read_number(&self.value[field.clone()]);
        match number {
            None => self.report(PdtlFault::Clock, field),
            Some(150..) => self.report(PdtlFault::ClockOver, field),
            Some(_) if has_leading_zero(&self.value[field.clone()]) => self.report(PdtlFault::LeadingZero, field),
            Some(_) => {}
        }
        number
    }

    /// The number of the pair, 0 when it is unknown (§10.6).
    fn number(&mut self, field: &Range<usize>) -> u32 {
        let text = &self.value[field.clone()];
        if text == b"?" {
            return 0;
        }
        if hyphen(text) == text.len() {
            self.report(PdtlFault::NumberMissing, field);
            return 0;
        }
        match read_number(text) {
            None | Some(0) => {
                self.report(PdtlFault::Number, field);
                0
            }
            Some(number) => {
                if has_leading_zero(text) {
                    self.report(PdtlFault::LeadingZero, field);
                }
                number
            }
        }
    }
}

/// Those of the rights whose king and rook are on their first hexes (R3.5).
fn rights_on(position: &Position, rights: [Rights; 2]) -> [Rights; 2] {
    [Side::White, Side::Black].map(|side| {
        let stands = |kind, hex| position.on(hex) == Some(Piece::new(side, kind));
        let Rights { king, king_rook, queen_rook } = rights[side as usize];
        let king = king && stands(Kind::King, Castling::king_home(side));
        Rights {
            king,
            king_rook: king && king_rook && stands(Kind::Rook, Castling::king_rook_home(side)),
            queen_rook: king && queen_rook && stands(Kind::Rook, Castling::queen_rook_home(side)),
        }
    })
}

/// Whether no pawn of `side` can be there, behind where its pawns start (§10.7).
pub fn is_behind_pawns(hex: Hex, side: Side) -> bool {
    let line = if side == Side::White { hex.line() } else { 28 - hex.line() };
    line + hex.column().abs_diff(7) < 8
}

fn read_number(text: &[u8]) -> Option<u32> {
    if !text.iter().all(u8::is_ascii_digit) {
        return None;
    }
    std::str::from_utf8(text).ok()?.parse().ok()
}

fn has_leading_zero(text: &[u8]) -> bool {
    text.len() > 1 && text[0] == b'0'
}

/// A special pawn capture as it is written, with the lines behind `@`.
pub fn read_special(text: &[u8]) -> Option<(Special, Vec<u8>)> {
    if !text.is_empty() && hyphen(text) == text.len() {
        return Some((Special::None, Vec::new()));
    }
    let (hex, len) = quick_hex(text)?;
    let lines = match text[len..].split_first() {
        None => return Some((Special::Scornful(hex, Faced::Any), Vec::new())),
        Some((b'@', lines)) => lines,
        Some(_) => return None,
    };
    let line = |text: &[u8]| match read_number(text) {
        Some(line @ 0..=28) if !has_leading_zero(text) => Some(line as u8),
        _ => None,
    };
    match lines.iter().position(|byte| !byte.is_ascii_digit()) {
        None => Some((Special::Double(hex), vec![line(lines)?])),
        Some(at) => {
            let (first, rest) = lines.split_at(at);
            Some((Special::Triple(hex), vec![line(first)?, line(&rest[hyphen(rest)..])?]))
        }
    }
}

/// The lines behind `@`: those that the pawn passed, in order of travel; `turn` is the capturer's.
pub fn passed_lines(special: Special, turn: Side) -> Vec<u8> {
    let (hex, steps): (Hex, &[i8]) = match special {
        Special::None | Special::Scornful(..) => return Vec::new(),
        Special::Double(hex) => (hex, &[2]),
        Special::Triple(hex) => (hex, &[4, 2]),
    };
    steps.iter().filter_map(|&lines| hex.ahead(turn, lines)).map(Hex::line).collect()
}

/// A piece as a PDTL writes it.
pub fn spell(piece: Piece, letters: &Letters) -> String {
    let mut out = Vec::new();
    push_piece(piece, letters, &mut out);
    String::from_utf8(out).unwrap_or_default()
}

pub(super) fn push_piece(piece: Piece, letters: &Letters, out: &mut Vec<u8>) {
    if letters.are_figurines() {
        out.extend_from_slice(figurine_of(piece).as_bytes());
    } else {
        let letter = letters.letter(piece.kind());
        out.push(if piece.side() == Side::White { letter } else { letter.to_ascii_lowercase() });
    }
}

/// Appends a position as a PDTL in its canonical form, with `-` for hyphens (§10, §13.6).
pub fn write(position: &Position, letters: &Letters, out: &mut Vec<u8>) {
    for line in (0..=28).rev() {
        write_line(position, line, letters, out);
    }
    out.extend_from_slice(if position.turn == Side::White { b"/ w " } else { b"/ b " });
    for side in [Side::White, Side::Black] {
        write_rights(position.rights[side as usize], side, letters, out);
    }
    out.push(b' ');
    write_special(position, out);
    // Writing to a vector can't fail.
    let _ = match position.number {
        0 => write!(out, " {} ?", position.clock),
        number => write!(out, " {} {number}", position.clock),
    };
}

fn write_line(position: &Position, line: u8, letters: &Letters, out: &mut Vec<u8>) {
    if Hex::on_line(line).all(|hex| position.on(hex).is_none()) {
        return;
    }
    out.push(b'/');
    if line >= 10 {
        out.push(b'0' + line / 10);
    }
    out.extend_from_slice(&[b'0' + line % 10, b':']);
    let mut empty = 0;
    let push_empty = |empty: u8, out: &mut Vec<u8>| {
        if empty != 0 {
            out.push(b'0' + empty);
        }
    };
    for hex in Hex::on_line(line) {
        match position.on(hex) {
            None => empty += 1,
            Some(piece) => {
                push_empty(empty, out);
                empty = 0;
                push_piece(piece, letters, out);
            }
        }
    }
    push_empty(empty, out);
}

fn write_rights(rights: Rights, side: Side, letters: &Letters, out: &mut Vec<u8>) {
    if !rights.king {
        out.push(b'-');
        return;
    }
    let signs = [(rights.queen_rook, Kind::Rook), (true, Kind::King), (rights.king_rook, Kind::Rook)];
    for (_, kind) in signs.into_iter().filter(|(is_there, _)| *is_there) {
        push_piece(Piece::new(side, kind), letters, out);
    }
}

fn write_special(position: &Position, out: &mut Vec<u8>) {
    let (Special::Double(hex) | Special::Triple(hex) | Special::Scornful(hex, _)) = position.special else {
        out.push(b'-');
        return;
    };
    write_hex(hex, out);
    for (line, sign) in passed_lines(position.special, position.turn).into_iter().zip(["@", "-"]) {
        let _ = write!(out, "{sign}{line}");
    }
}

/// Appends a PDTL with other letters for its pieces and its rights to castle, all else as it stands (§13.1).
pub fn reletter(value: &[u8], from: &Letters, to: &Letters, out: &mut Vec<u8>) {
    let fields = fields(value);
    let lettered = [PIECES, CASTLING].map(|field| fields.get(field).cloned().unwrap_or_default());
    let mut at = 0;
    while at < value.len() {
        let piece = lettered.iter().any(|field| field.contains(&at)).then(|| piece(&value[at..], from)).flatten();
        if let Some((piece, len, _)) = piece {
            push_piece(piece, to, out);
            at += len;
        } else {
            out.push(value[at]);
            at += 1;
        }
    }
}

/// Appends a PDTL in its canonical form (§13.6) and in other letters. A field that the board does not bear out is left out
/// of the position, and stays as it is written but for its hyphens.
pub fn rewrite(value: &[u8], from: &Letters, to: &Letters, out: &mut Vec<u8>) {
    let mut kept = [None; 2];
    let position = parse(value, from, &mut |slip| match slip.fault {
        PdtlFault::CastlingFit => kept[0] = Some(CASTLING),
        PdtlFault::SpecialFit => kept[1] = Some(SPECIAL),
        _ => {}
    });
    let (mut own, mut printed) = (Vec::with_capacity(value.len()), Vec::with_capacity(value.len()));
    reletter(value, from, to, &mut own);
    let own = with_plain_hyphens(&own);
    let Some(position) = position else { return out.extend_from_slice(&own) };
    write(&position, to, &mut printed);
    let own_fields = fields(&own);
    for (number, field) in fields(&printed).into_iter().enumerate() {
        let own_field = own_fields.get(number).filter(|_| kept.contains(&Some(number)));
        let text = own_field.map_or(&printed[field], |field| &own[field.clone()]);
        out.extend_from_slice(if number > 0 { b" " } else { b"" });
        out.extend_from_slice(text);
    }
}

#[cfg(test)]
mod tests {
    use PdtlFault as F;
    use proptest::prelude::*;

    use super::*;

    fn letters(redefine: &str) -> Letters {
        if redefine.is_empty() { Letters::STANDARD } else { Letters::parse(redefine.as_bytes()).expect(redefine) }
    }

    fn read(value: &str, redefine: &str) -> (Option<Position>, Vec<(PdtlFault, u32, u32)>) {
        let mut slips = Vec::new();
        let position =
            parse(value.as_bytes(), &letters(redefine), &mut |slip| slips.push((slip.fault, slip.at, slip.len)));
        (position, slips)
    }

    fn print(position: &Position, redefine: &str) -> String {
        let mut out = Vec::new();
        write(position, &letters(redefine), &mut out);
        String::from_utf8(out).expect("text")
    }

    const INITIAL: &str = "/28:v/27:dk/26:gjg/25:rnnr/24:pejep/23:ppeepp/22:2pjp2/21:3pp3/20:3p3/8:3P3/7:3PP3/6:2PJP2\
        /5:PPEEPP/4:PEJEP/3:RNNR/2:GJG/1:DK/0:V/ w RKRrkr - 0 1";
    const CATALAN: &str = "/28:v/27:dk/26:gag/25:tcct/24:peaep/23:ppeepp/22:2pap2/21:3pp3/20:3p3/8:3P3/7:3PP3/6:2PAP2\
        /5:PPEEPP/4:PEAEP/3:TCCT/2:GAG/1:DK/0:V/ w TKTtkt - 0 1";
    const FIGURINES: &str = "/28:🩒/27:♛♚/26:🩓♝🩓/25:♜♞♞♜/24:♟☗♝☗♟/23:♟♟☗☗♟♟/22:2♟♝♟2/21:3♟♟3/20:3♟3/8:3♙3/7:3♙♙3\
        /6:2♙♗♙2/5:♙♙☖☖♙♙/4:♙☖♗☖♙/3:♖♘♘♖/2:🩐♗🩐/1:♕♔/0:🩏/ w ♖♔♖♜♚♜ - 0 1";

    #[test]
    fn the_initial_position_is_read_and_printed_in_any_letters() {
        for (value, redefine) in [(INITIAL, ""), (CATALAN, "A@J, C@N, T@R"), (FIGURINES, "FAN")] {
            assert!(read(value, redefine) == (Some(Position::INITIAL), vec![]), "{redefine}");
            assert_eq!(print(&Position::INITIAL, redefine), value);
            let mut out = Vec::new();
            reletter(value.as_bytes(), &letters(redefine), &Letters::STANDARD, &mut out);
            assert_eq!(out, INITIAL.as_bytes());
        }
    }

    #[test]
    fn rewritten_it_is_as_its_position_is_printed() {
        let rewritten = |value: &str, from: &str, to: &str| {
            let mut out = Vec::new();
            rewrite(value.as_bytes(), &letters(from), &letters(to), &mut out);
            String::from_utf8(out).expect("text")
        };
        for (value, from) in [(INITIAL, ""), (CATALAN, "A@J, C@N, T@R"), (FIGURINES, "FAN")] {
            assert_eq!(rewritten(value, from, ""), INITIAL);
            assert_eq!(rewritten(INITIAL, "", from), value);
        }
        let pieces = "/27:1k/25:r2r/20:2p11p1/3:R2R/1:1K/";
        let plain = "/27:1k/25:r2r/20:2p2p1/3:R2R/1:1K/";
        for (rest, canonical) in [
            ("w RKRrkr ‐ 00 -", "w RKRrkr - 0 ?"),
            ("w RKR ‐ 3", "w RKR- - 3 ?"),
            ("w  ‐‐ - 3 07", "w -- - 3 7"),
            // No special capture can be there: it stays as it is written, though no position has it.
            ("b ‐rkr G13@9‐11 0 3", "b -rkr G13@9-11 0 3"),
        ] {
            assert_eq!(rewritten(&format!("{pieces} {rest}"), "", ""), format!("{plain} {canonical}"), "{rest}");
        }
        let odd = "/27:1k/21:v/1:1K/ w RKR‐ - 0 1";
        assert_eq!(rewritten(odd, "", "W@V"), "/27:1k/21:w/1:1K/ w RKR- - 0 1", "not a line that is whole");
        assert_eq!(rewritten("/27:1k/1:1K/ w RKR‐ ‐ 0 1", "", "T@R"), "/27:1k/1:1K/ w TKT- - 0 1");
    }

    #[test]
    fn the_turn_is_no_wyvern() {
        let value = "/28:w/27:qk/25:r2r/3:R2R/1:QK/0:W/ w RKRrkr ‐ 00 -";
        let mut out = Vec::new();
        reletter(value.as_bytes(), &letters("W@V, Q@D"), &Letters::STANDARD, &mut out);
        assert_eq!(std::str::from_utf8(&out), Ok("/28:v/27:dk/25:r2r/3:R2R/1:DK/0:V/ w RKRrkr ‐ 00 -"));
    }

    /// Faults of `value` and whether it is read all the same; offsets in bytes.
    fn check(value: &str, redefine: &str, expected: &[(PdtlFault, u32, u32)]) {
        let (position, slips) = read(value, redefine);
        assert_eq!(slips, expected, "{value}");
        assert_eq!(position.is_some(), expected.iter().all(|slip| slip.0.reading() == Reading::Certain), "{value}");
    }

    #[test]
    fn faults_of_the_pieces_have_their_place() {
        for (value, expected) in [
            // the first five as in the shared cases 143 and 145
            ("/27:1k/25:r3r/3:R2R/1:1K/ w RKRrkr - 0 1", &[(F::LineWidth, 10, 3)][..]),
            ("/27:1k/25:r1/3:R2R/1:1K/ w Rrkr - 0 1", &[(F::LineWidth, 10, 2), (F::Castling, 27, 4)]),
            ("/3:R2R/25:r2r/27:1k/1:1K/ w RKRrkr - 0 1", &[(F::LineOrder, 7, 2)]),
            ("/27:1k/25:r2r/3:R2R/3:R2R/1:1K/ w RKRrkr - 0 1", &[(F::LineTwice, 20, 1)]),
            ("27:1k/25:r2r/3:R2R/1:1K w RKRrkr - 0 1", &[(F::Slash, 0, 1)]),
            ("/27:1k/25:r2r/3:R2R/1:1K w RKRrkr - 0 1", &[(F::Slash, 24, 0)]),
            ("/27:1k/25:r2r/29:1/1:1K/ w -- - 0 1", &[(F::LineNumber, 14, 2)]),
            ("/27:1k//r2r/01:1K/ w -- - 0 1", &[(F::LineNumber, 7, 0), (F::LineNumber, 8, 3), (F::LineNumber, 12, 2)]),
            ("/27:1k/4:x4/1:1K/ w -- - 0 1", &[(F::Sign, 9, 2)]),
            ("/27:k1k/1:1K/ w -- - 0 1", &[(F::LineWidth, 4, 3)]),
            ("/27:1k/4:12e1/3:0r3/1:1K/ w -- - 0 1", &[(F::Digits, 9, 4), (F::Digits, 16, 3)]),
            ("/27:1k/4:9/1:1K/ w -- - 0 1", &[(F::LineWidth, 9, 1)]),
            ("/27:1k/4:5/1:1K/ w -- - 0 1", &[(F::LineEmpty, 9, 1)]),
            ("/27:1k/4:/1:1K/ w -- - 0 1", &[(F::LineWidth, 9, 0)]),
            ("/27:1k/25:3p/3:3P/1:KK/ w -- - 0 1", &[(F::PawnPlace, 10, 2), (F::PawnPlace, 15, 2), (F::Kings, 0, 23)]),
            ("/27:1k/3:3R/ w -- - 0 1", &[(F::Kings, 0, 12)]),
            ("/27:1k/3:RRR1/1:1K/ w -- - 0 1", &[(F::TooMany, 0, 19)]),
            ("/27:1k/5:j1j3/1:1K/ w -- - 0 1", &[(F::TooMany, 0, 19)]),
            ("/27:1k/24:j4/23:j5/22:j6/1:1K/ w -- - 0 1", &[]),
            ("/27:1k /1:1K/ w -- - 0 1", &[(F::PiecesBlank, 6, 1)]),
            ("", &[(F::FieldMissing, 0, 0)]),
            ("x", &[(F::Slash, 0, 1), (F::FieldMissing, 1, 0)]),
        ] {
            check(value, "", expected);
        }
    }

    #[test]
    fn faults_of_the_other_fields_have_their_place() {
        for (value, expected) in [
            // the first eight as in the shared cases 147 and 149
            ("/27:1k/25:r2r/3:R3/1:1K/ w RKRrkr - 0 1", &[(F::CastlingFit, 27, 6)][..]),
            ("/27:1k/25:r2r/3:R2R/2:K2/ w RKRrkr - 0 1", &[(F::CastlingFit, 28, 6)]),
            ("/27:1k/25:r2r/3:R2R/1:1K/ w KQkq - 0 1", &[(F::Castling, 28, 4)]),
            ("/27:1k/3:R2R/1:1K/ w - - 0 1", &[(F::CastlingOlder, 21, 1)]),
            ("/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0", &[(F::NumberMissing, 38, 0)]),
            ("/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0 -", &[(F::NumberMissing, 39, 1)]),
            ("/27:1k/25:r2r/3:R2R/1:1K/ W RKRrkr - 0 1", &[(F::Turn, 26, 1)]),
            ("/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - x 1", &[(F::Clock, 37, 1)]),
            ("/27:1k/1:1K/ w ‐‐ ‐ 0 30", &[]),
            ("/27:1k/1:1K/ w -- 0 1", &[(F::Special, 18, 1)]),
            ("/27:1k/1:1K/ w -- - 0 1 2 3", &[(F::FieldExtra, 24, 3)]),
            (
                " /27:1k/1:1K/  w\t-- - 0 1 ",
                &[(F::Blank, 0, 1), (F::Blank, 14, 1), (F::Blank, 16, 1), (F::Blank, 25, 1)],
            ),
            ("/27:1k/1:1K/ w -- - 150 0", &[(F::ClockOver, 20, 3), (F::Number, 24, 1)]),
            ("/27:1k/1:1K/ w -- - 00 01", &[(F::LeadingZero, 20, 2), (F::LeadingZero, 23, 2)]),
            ("/27:1k/1:1K/ w -- - 0 4294967296", &[(F::Number, 22, 10)]),
            ("/27:1k/1:1K/ w -- F13 0 1", &[(F::Special, 18, 3)]),
            ("/27:1k/1:1K/ w -- F14 0 1", &[(F::SpecialFit, 18, 3)]),
            ("/27:1k/1:1K/ w -- G15@7-x 0 1", &[(F::Special, 18, 7)]),
        ] {
            check(value, "", expected);
        }
    }

    #[test]
    fn a_letter_out_of_use_has_one_reading() {
        let value = "/27:1k/25:r2r/3:T2T/1:1K/ w TKTrkr - 0 1";
        check(value, "", &[(F::LetterUndeclared, 16, 3)]);
        check(value, "T@R", &[(F::LetterVoid, 10, 3)]);
        check(value, "FAN", &[(F::LetterForFigurine, 4, 2)]);
        check("/27:1♚/1:1♔/ w -- - 0 1", "", &[(F::FigurineUndeclared, 4, 4)]);
        check("/27:1♚\u{FE0E}/1:1♔/ w -♚ - 0 1", "FAN", &[(F::VariationSelector, 4, 7)]);
        assert!(read(value, "").0 == read("/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0 1", "").0);
    }

    #[test]
    fn rights_are_read_in_all_spellings() {
        let n = Rights::NONE;
        let k = Rights { king: true, ..n };
        for (field, rights, fault) in [
            ("RKRrkr", [Rights::ALL; 2], None),
            ("KR-", [Rights { king_rook: true, ..k }, n], None),
            ("-rk", [n, Rights { queen_rook: true, ..k }], None),
            ("Kk", [k, k], None),
            ("--", [n, n], None),
            ("-", [n, n], Some(F::CastlingOlder)),
            ("KR", [Rights { king_rook: true, ..k }, n], Some(F::CastlingOlder)),
            ("rk", [n, Rights { queen_rook: true, ..k }], Some(F::CastlingOlder)),
        ] {
            let (position, slips) = read(&format!("/27:1k/25:r2r/3:R2R/1:1K/ w {field} - 0 1"), "");
            assert_eq!(position.map(|position| position.rights), Some(rights), "{field}");
            assert_eq!(slips.first().map(|slip| slip.0), fault, "{field}");
        }
        for field in ["rkrRKR", "RR-", "KRR-", "RKRr", "---", "kRKR", "RKRrkr-", "Ek", "–"] {
            let (position, slips) = read(&format!("/27:1k/25:r2r/3:R2R/1:1K/ w {field} - 0 1"), "");
            assert!(position.is_none() && slips == [(F::Castling, 28, field.len() as u32)], "{field}");
        }
    }

    #[test]
    fn a_special_capture_fits_the_board() {
        let white = "/27:1k/14:3P3/13:4P3/1:1K/ b --";
        let black = "/27:1k/18:3p3/16:3P3/15:3p4/1:1K/ w --";
        for (value, special, fault) in [
            (format!("{white} G13@9-11 0 1"), Special::Triple(hex("G13")), None),
            (format!("{white} G13@11-9 0 1"), Special::Triple(hex("G13")), Some(F::SpecialOrder)),
            (format!("{white} G13@11 0 1"), Special::Double(hex("G13")), None),
            (format!("{white} G13@15 0 1"), Special::None, Some(F::SpecialFit)),
            (format!("{white} F14@12 0 1"), Special::Double(hex("F14")), None),
            (format!("{white} F14@10-12 0 1"), Special::None, Some(F::SpecialFit)),
            (format!("{white} F14 0 1"), Special::None, Some(F::SpecialFit)),
            (format!("{black} E15@19-17 0 1"), Special::Triple(hex("E15")), None),
            (format!("{black} F18@20 0 1"), Special::Double(hex("F18")), None),
            ("/27:1k/16:3P3/15:3pp3/14:3p3/1:1K/ w -- E15 0 1".into(), Special::None, Some(F::SpecialFit)),
            ("/27:1k/15:3p4/14:3P3/1:1K/ w -- E15 0 1".into(), Special::Scornful(hex("E15"), Faced::Any), None),
            ("/27:1k/7:r7/1:1K/ w -- P7@9 0 1".into(), Special::Double(hex("P7")), None),
            ("/27:1k/9:r7/1:1K/ w -- P9@11 0 1".into(), Special::None, Some(F::SpecialFit)),
        ] {
            let (position, slips) = read(&value, "");
            assert_eq!(position.map(|position| position.special), Some(special), "{value}");
            assert_eq!(slips.first().map(|slip| slip.0), fault, "{value}");
        }
    }

    fn hex(text: &str) -> Hex {
        quick_hex(text.as_bytes()).expect(text).0
    }

    /// Positions that §10.7 allows, with every special capture that fits.
    fn positions() -> impl Strategy<Value = Position> {
        let hexes = Just(Hex::all().collect::<Vec<_>>()).prop_shuffle();
        let rights = proptest::array::uniform2(proptest::array::uniform3(any::<bool>()));
        (hexes, 2..48_usize, any::<bool>(), rights, any::<usize>(), 0..150_u32, any::<u32>()).prop_map(
            |(hexes, pieces, is_black, rights, special, clock, number)| {
                let mut position = Position::empty();
                (position.clock, position.number) = (clock, number);
                position.turn = if is_black { Side::Black } else { Side::White };
                place(&mut position, &hexes, pieces);
                let wanted = rights.map(|[king, king_rook, queen_rook]| Rights { king, king_rook, queen_rook });
                position.rights = rights_on(&position, wanted);
                position.special = fitting_special(&position, special);
                position
            },
        )
    }

    fn fitting_special(position: &Position, pick: usize) -> Special {
        let mut fitting = vec![Special::None];
        for hex in Hex::all() {
            for special in [Special::Double(hex), Special::Triple(hex), Special::Scornful(hex, Faced::Any)] {
                let mut other = *position;
                other.special = special;
                if other.special_fits() {
                    fitting.push(special);
                }
            }
        }
        fitting[pick % fitting.len()]
    }

    /// Kings and rooks on their first hexes, then the other pieces on the hexes as they come.
    fn place(position: &mut Position, hexes: &[Hex], pieces: usize) {
        let sides = [Side::White, Side::Black];
        for side in sides {
            position.put(Castling::king_home(side), Some(Piece::new(side, Kind::King)));
            position.put(Castling::king_rook_home(side), Some(Piece::new(side, Kind::Rook)));
            position.put(Castling::queen_rook_home(side), Some(Piece::new(side, Kind::Rook)));
        }
        let array = sides.into_iter().flat_map(|side| {
            let kinds = Kind::ALL.into_iter().filter(|kind| !matches!(kind, Kind::King | Kind::Rook));
            kinds.flat_map(move |kind| std::iter::repeat_n(Piece::new(side, kind), kind.initial_count().into()))
        });
        let array: Vec<Piece> = array.collect();
        let mut bishops = [[false; 3]; 2];
        for (&hex, &piece) in hexes.iter().zip(array.iter().cycle().skip(pieces)).take(pieces) {
            let bishop = &mut bishops[piece.side() as usize][hex.colour() as usize];
            let is_possible = match piece.kind() {
                Kind::Pawn => !is_behind_pawns(hex, piece.side()),
                Kind::Bishop => !std::mem::replace(bishop, true),
                _ => true,
            };
            if is_possible && position.on(hex).is_none() {
                position.put(hex, Some(piece));
            }
        }
        for (side, &hex) in sides.into_iter().zip(hexes.iter().rev()).take(pieces % 3) {
            if position.on(hex).is_none() {
                position.put(Castling::king_home(side), None);
                position.put(hex, Some(Piece::new(side, Kind::King)));
            }
        }
    }

    proptest! {
        #[test]
        fn what_is_printed_is_read_back(position in positions(), redefine in "|FAN|A@J, C@N, T@R, W@V, Q@D") {
            let text = print(&position, &redefine);
            let (read, slips) = read(&text, &redefine);
            prop_assert_eq!(slips, vec![], "{}", text);
            prop_assert!(read == Some(position), "{}", text);
        }

        #[test]
        fn letters_change_there_and_back(position in positions(), redefine in "|FAN|B@J, S@N, T@R, W@V, Q@D") {
            let (standard, others) = (print(&position, ""), print(&position, &redefine));
            let mut out = Vec::new();
            reletter(standard.as_bytes(), &Letters::STANDARD, &letters(&redefine), &mut out);
            prop_assert_eq!(&out, others.as_bytes());
            out.clear();
            reletter(others.as_bytes(), &letters(&redefine), &Letters::STANDARD, &mut out);
            prop_assert_eq!(&out, standard.as_bytes());
        }

        #[test]
        fn a_spoilt_text_is_reported_or_read(
            position in positions(),
            at in any::<proptest::sample::Index>(),
            removed in 0..3_usize,
            added in "[/0-9:a-zA-Z@? -]{0,2}|‐|♔|🩐",
        ) {
            let mut value = print(&position, "").into_bytes();
            let at = at.index(value.len());
            value.splice(at..(at + removed).min(value.len()), added.bytes());
            let mut slips = Vec::new();
            let read = parse(&value, &Letters::STANDARD, &mut |slip| slips.push(slip));
            prop_assert!(slips.iter().all(|slip| (slip.at + slip.len) as usize <= value.len()));
            prop_assert_eq!(read.is_none(), slips.iter().any(|slip| slip.fault.reading() == Reading::Lost));
            if let Some(position) = read {
                let again = parse(print(&position, "").as_bytes(), &Letters::STANDARD, &mut |_| {});
                prop_assert!(again == Some(position));
            }
        }

        #[test]
        fn no_text_makes_it_panic(value in "[/0-9: a-zA-Z@?‐♔🩐-]{0,60}", tail in any::<[u8; 4]>()) {
            let value = [value.as_bytes(), &tail].concat();
            parse(&value, &Letters::FIGURINES, &mut |_| {});
            reletter(&value, &Letters::FIGURINES, &Letters::STANDARD, &mut Vec::new());
        }
    }
}
