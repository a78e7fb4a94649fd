//! Movetext: tokens to items (§6.9–§9). What is wrong becomes a fault, and reading goes on behind it.

use super::comment;
use super::fault::{CommentFault, EndFault, Fault, FaultKind, Faults, FileFault, MoveFault, VariationFault};
use super::layout::ends_line;
use super::lexer::{Lexer, Token, TokenKind, invisible, line_len, may_be_ply, shown_len, unicode_blank, word_len};
use super::record::{Item, ItemKind, Reader, Setup, Spelt};
use crate::game::{Check, Ply, Side};
use crate::notation::{
    GameResult, Letters, PlyFault, QuickPly, ReadPly, ResultSpelling, first_char, quick_ply, read_check, read_ply,
    read_result, valuation,
};

/// What is due next in a line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Due {
    /// A number, or the end of the line.
    Number,
    /// White's ply, or `…`.
    White,
    /// The comma, or the end of the line.
    Comma,
    /// Black's ply.
    Black,
}

/// One line being read: the main line, or a variation that is open.
#[derive(Clone, Copy, Debug)]
pub struct Level {
    /// The item of its `(`.
    open: u32,
    due: Due,
    /// The last number read.
    number: u32,
    /// The number that was due where the last one broke the order.
    missed: Option<u32>,
    /// Numbers read.
    pairs: u32,
    /// White's ply of the last pair is `…`.
    ellipsis: bool,
    /// The last pair has a Black ply.
    black: bool,
    /// The first comment or variation behind White's ply, where Black's may still follow.
    between: u32,
    /// The item of the last number; before the first one, of the `(`.
    pair: u32,
    /// The item of the last comma.
    comma: u32,
    /// The last ply has its end mark, or mates.
    ended: bool,
    /// The last ply's item, and what stands behind it.
    tail: Tail,
}

#[derive(Clone, Copy, Default, Debug)]
struct Tail {
    /// There is a ply.
    ply: bool,
    /// It mates.
    mate: bool,
    valuation: bool,
    offer: bool,
    end: bool,
    /// Bytes of the record before the ply's end.
    ply_end: u32,
    /// Its sign for whose ply it is, and whether it could be read.
    spelt: Spelt,
    /// Its item.
    item: u32,
}

impl Level {
    const fn new(open: u32) -> Level {
        Level {
            open,
            due: Due::Number,
            number: 0,
            missed: None,
            pairs: 0,
            ellipsis: false,
            black: false,
            between: Fault::NO_ITEM,
            pair: open,
            comma: Fault::NO_ITEM,
            ended: false,
            tail: Tail {
                ply: false,
                mate: false,
                valuation: false,
                offer: false,
                end: false,
                ply_end: 0,
                spelt: Spelt(0),
                item: Fault::NO_ITEM,
            },
        }
    }
}

/// How far the record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Stage {
    Moves,
    /// Something stands behind the last ply; it is reported.
    BehindEnd,
    /// The result is read.
    Result,
    /// Something stands behind the result; it is reported.
    BehindResult,
}

/// Reads the movetext from where `lexer` stands; tells whether it is in minimal form to the byte.
/// `behind_comment` says that a comment ended on the same line.
pub fn read(lexer: Lexer<'_>, text: &[u8], setup: &Setup, behind_comment: bool, out: &mut Reader) -> bool {
    out.levels.clear();
    out.labels.clear();
    out.levels.push(Level::new(Fault::NO_ITEM));
    let letters = setup.letters.unwrap_or(Letters::STANDARD);
    let tidy = out.items.is_empty() && letters.are_standard();
    let mut movetext = Movetext {
        text,
        lexer,
        setup,
        letters,
        out,
        stage: Stage::Moves,
        tidy,
        dotted: false,
        blanks: Blanks::None,
        first: !behind_comment,
        pair_on_line: false,
        glued_number: false,
        ends: 0,
        behind_comment,
        unclosed: false,
        result_at: None,
    };
    movetext.read();
    movetext.tidy
}

/// Reports a Unicode blank or an invisible character (§1.3, §1.5); `seen` is its code point.
pub fn odd_blank(text: &[u8], at: usize, len: usize, faults: &mut Faults) {
    let seen = std::str::from_utf8(&text[at..at + len]).ok().and_then(|sign| sign.chars().next()).map_or(0, u32::from);
    let kind = if seen == 0xFEFF { FileFault::StrayBom } else { FileFault::OddBlank };
    faults.push(Fault { kind: kind.into(), aside: false, at: at as u32, len: len as u32, item: Fault::NO_ITEM, seen });
}

/// What stands between two items.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Blanks {
    None,
    One,
    Other,
}

struct Movetext<'a, 'b> {
    text: &'a [u8],
    lexer: Lexer<'a>,
    setup: &'b Setup,
    letters: Letters,
    out: &'b mut Reader,
    stage: Stage,
    tidy: bool,
    /// Dots stand before the next item on its line.
    dotted: bool,
    /// Blanks before the next item, line ends apart.
    blanks: Blanks,
    /// The next item is the first of its line.
    first: bool,
    /// A pair began on this line.
    pair_on_line: bool,
    /// The next number is glued to the ply before it.
    glued_number: bool,
    /// Line ends since the last item; one LF directly behind it counts 1, anything else more.
    ends: u8,
    /// A comment ended on this line.
    behind_comment: bool,
    /// A variation is never closed: which ply is the last one is not known.
    unclosed: bool,
    /// The result's item.
    result_at: Option<u32>,
}

impl Movetext<'_, '_> {
    fn read(&mut self) {
        loop {
            if self.first && self.blanks == Blanks::None && self.stage == Stage::Moves {
                self.quick_pairs();
            }
            let Some(token) = self.lexer.next_token().filter(|_| !self.out.faults.is_full()) else { break };
            match token.kind {
                TokenKind::Blank => self.blank(token),
                TokenKind::LineEnd => self.line_end(token),
                TokenKind::Word => self.word(token),
                TokenKind::Number => self.number(token, false),
                TokenKind::Comma => self.comma(token),
                _ => self.rare(token),
            }
        }
        self.finish();
    }

    /// Reads whole pairs as long as each is the next one of its line, written as the format wants it and alone on its
    /// line: nearly all of an archive. Whatever is otherwise is left to the tokens.
    fn quick_pairs(&mut self) {
        let level = *self.level();
        let first = level.pairs == 0;
        let in_place = !first || self.depth() == 0 && self.starts_line(self.lexer.rest());
        if level.due != Due::Number || level.ended || self.dotted || self.ends > 1 || self.behind_comment || !in_place {
            return;
        }
        let start = self.lexer.at();
        let (mut at, mut pairs, mut number) = (start, 0, level.number);
        let mut tight = if self.ends == 1 { Spelt::TIGHT } else { Spelt(0) };
        let tidy = self.letters.are_standard() && (self.ends == 1 || self.out.items.is_empty());
        let plain = if self.letters.are_standard() { Spelt::PLAIN.with(Spelt::BLANK) } else { Spelt::BLANK };
        let (mut end, is_aside) = ([0; PAIR], self.depth() > 0);
        loop {
            // Before a number in a variation they are no more than blanks (§8.5).
            let dots = if is_aside { dots_at(self.text, at) } else { 0 };
            let Some(pair) = QuickPair::read(window(self.text, at + dots, &mut end), &self.letters)
                .filter(|pair| first && pairs == 0 || pair.number == number.wrapping_add(1))
            else {
                break;
            };
            let gap = if dots == 0 { tight } else { Spelt(0) };
            self.out.items.extend_from_slice(&pair.items((at + dots) as u32, gap, plain));
            (tight, number, pairs) = (Spelt::TIGHT, pair.number, pairs + 1);
            at += dots + pair.len;
        }
        if pairs == 0 {
            return;
        }
        self.lexer.skip_line(at - start);
        self.ends = 1;
        self.tidy &= tidy;
        let item = self.out.items.len() as u32 - 1;
        let black = self.out.items[item as usize];
        let level = self.level();
        level.number = number;
        level.pairs += pairs;
        level.ellipsis = false;
        level.black = true;
        level.between = Fault::NO_ITEM;
        level.tail = Tail { ply: true, ply_end: black.end() as u32, spelt: black.spelt, item, ..Tail::default() };
        level.pair = item - 3;
    }

    #[inline]
    fn blank(&mut self, token: Token) {
        let plain = self.blanks == Blanks::None && token.len == 1 && self.text[token.at] == b' ';
        self.blanks = if plain { Blanks::One } else { Blanks::Other };
        if !plain || ends_line(self.lexer.rest()) {
            self.loose_blanks(token);
        }
    }

    /// Blanks that end their line, or tabs among them (§1.5).
    #[cold]
    fn loose_blanks(&mut self, token: Token) {
        if ends_line(self.lexer.rest()) {
            self.fault(FileFault::TrailingBlanks, token.at, token.len);
        } else if let Some(tab) = self.text[token.at..token.end()].iter().position(|byte| *byte == b'\t')
            && token.end() < self.text.len()
        {
            self.fault(FileFault::Tab, token.at + tab, 1);
        }
    }

    #[inline]
    fn line_end(&mut self, token: Token) {
        let tight = self.ends == 0 && self.blanks == Blanks::None && token.len == 1 && self.text[token.at] == b'\n';
        self.ends = if tight { 1 } else { 2 };
        self.blanks = Blanks::None;
        self.first = true;
        self.pair_on_line = false;
        self.dotted = false;
        self.behind_comment = false;
    }

    fn rare(&mut self, token: Token) {
        match token.kind {
            TokenKind::Digits => self.digits(token),
            TokenKind::Dots => self.dots(token),
            TokenKind::Ellipsis => self.ellipsis(token, true),
            TokenKind::Semicolon => self.sign_for_comma(token),
            TokenKind::Offer => self.offer(token),
            TokenKind::Open => self.open(token),
            TokenKind::Close => self.close(token),
            TokenKind::Label => self.label(token),
            TokenKind::Result => self.result(token),
            TokenKind::Comment | TokenKind::UnclosedComment | TokenKind::LineComment => self.comment(token),
            TokenKind::LoneBrace => {
                self.fault(CommentFault::LoneBrace, token.at, 1);
                self.behind_comment = false;
                self.item(ItemKind::Stray, token, 0, Spelt(0));
            }
            TokenKind::Nul => {
                self.fault(FileFault::Nul, token.at, token.len);
                self.blanks = Blanks::Other;
            }
            TokenKind::OddBlank => {
                odd_blank(self.text, token.at, token.len, &mut self.out.faults);
                self.blanks = Blanks::Other;
            }
            _ => self.stray(token),
        }
    }

    #[inline]
    fn level(&mut self) -> &mut Level {
        let last = self.out.levels.len() - 1;
        &mut self.out.levels[last]
    }

    #[inline]
    fn depth(&self) -> usize {
        self.out.levels.len() - 1
    }

    fn fault(&mut self, kind: impl Into<FaultKind>, at: usize, len: usize) {
        self.fault_seen(kind, at, len, 0);
    }

    fn fault_seen(&mut self, kind: impl Into<FaultKind>, at: usize, len: usize, seen: u32) {
        let aside = self.depth() > 0 || matches!(self.stage, Stage::Result | Stage::BehindResult);
        self.fault_aside(kind, aside, at, len, seen);
    }

    fn fault_aside(&mut self, kind: impl Into<FaultKind>, aside: bool, at: usize, len: usize, seen: u32) {
        let item = self.out.items.len() as u32;
        let (at, len) = (at as u32, len as u32);
        self.out.faults.push(Fault { kind: kind.into(), aside, at, len, item, seen });
    }

    /// Adds an item, with how it stands among the others.
    #[inline]
    fn item(&mut self, kind: ItemKind, token: Token, value: u32, spelt: Spelt) {
        let gap = match (self.first, self.blanks) {
            (true, Blanks::None) if self.ends == 1 && !self.dotted => Spelt::FIRST.with(Spelt::TIGHT),
            (true, _) => Spelt::FIRST,
            (false, Blanks::None) if !self.dotted => Spelt::GLUED,
            (false, Blanks::One) if !self.dotted => Spelt::BLANK,
            (false, _) => Spelt(0),
        };
        let spelt = spelt.with(gap);
        self.tidy &= is_tidy(kind, spelt)
            || self.out.items.is_empty() && kind == ItemKind::Number && self.starts_line(&self.text[token.at..]);
        self.out.items.push(Item { at: token.at as u32, len: token.len as u32, value, kind, spelt });
        self.first = false;
        self.dotted = false;
        self.blanks = Blanks::None;
        self.ends = 0;
        if self.behind_comment {
            self.behind_comment = false;
            self.text_behind_comment(token);
        }
    }

    /// Whether `rest`, an end of the text, starts a line.
    fn starts_line(&self, rest: &[u8]) -> bool {
        self.text[..self.text.len() - rest.len()].last().is_none_or(|byte| *byte == b'\n')
    }

    /// `}` is the last of its line (§9.2).
    fn text_behind_comment(&mut self, token: Token) {
        self.fault(CommentFault::TextBehind, token.at, shown_len(self.text, token.at));
    }

    /// Where the last item ends, comments and closed variations apart: what is missing is missing there.
    fn last_end(&self) -> usize {
        let items = &self.out.items;
        let mut at = items.len();
        while at > 0 {
            at -= 1;
            match items[at].kind {
                ItemKind::Comment => {}
                ItemKind::Close => at = items[at].value as usize,
                _ => return items[at].end(),
            }
        }
        0
    }

    /// A pair stays on its line (§7.1); where a comment or a variation breaks it, that is reported.
    fn same_line(&mut self, token: Token) {
        let broken = || matches!(self.out.items.last(), Some(Item { kind: ItemKind::Comment | ItemKind::Close, .. }));
        if self.first && !broken() {
            self.fault(MoveFault::PairOverLines, token.at, token.len);
        }
    }

    /// What stands behind a ply stays on its line too.
    fn mark_on_line(&mut self, token: Token) {
        if self.first {
            self.fault(MoveFault::PairOverLines, token.at, token.len);
        }
    }

    /// Whether `token` stands behind the end; reported once (§6.12).
    fn is_behind_end(&mut self, token: Token) -> bool {
        let behind = match self.stage {
            Stage::Moves => self.depth() == 0 && self.level().ended,
            _ => true,
        };
        if behind {
            let next = match self.stage {
                Stage::Moves => Some(Stage::BehindEnd),
                Stage::Result => Some(Stage::BehindResult),
                Stage::BehindEnd | Stage::BehindResult => None,
            };
            if let Some(stage) = next {
                self.fault_aside(EndFault::AfterEnd, false, token.at, shown_len(self.text, token.at), 0);
                self.stage = stage;
            }
            self.item(ItemKind::Stray, token, 0, Spelt(0));
        }
        behind
    }

    fn stray(&mut self, token: Token) {
        if self.is_behind_end(token) {
            return;
        }
        self.stray_text(token);
        self.item(ItemKind::Stray, token, 0, Spelt(0));
    }

    /// Words that are nothing, one after another on a line, are one fault.
    fn stray_text(&mut self, token: Token) {
        let kind = FaultKind::Move(MoveFault::StrayText);
        let last_item = self.out.items.len() as u32;
        if let Some(last) = self.out.faults.last_mut()
            && last.kind == kind
            && last.item + 1 == last_item
            && !self.first
        {
            last.len = token.end() as u32 - last.at;
            last.item = last_item;
            return;
        }
        self.fault(MoveFault::StrayText, token.at, token.len);
    }

    /// A number with its dot or `?`; `spelt` says that it is not written so.
    #[inline]
    fn number(&mut self, token: Token, odd: bool) {
        if (self.stage != Stage::Moves || self.level().ended) && self.is_behind_end(token) {
            return;
        }
        self.half_pair();
        let digits = &self.text[token.at..token.end()];
        let sign = digits[digits.len() - 1];
        let len = digits.iter().take_while(|byte| byte.is_ascii_digit()).count();
        let value = digits[..len]
            .iter()
            .fold(0_u64, |value, digit| value.saturating_mul(10).saturating_add(u64::from(digit - b'0')));
        let number = u32::try_from(value).unwrap_or(u32::MAX);
        let mut spelt = if odd { Spelt(0) } else { Spelt::PLAIN };
        if sign == b'?' {
            spelt = spelt.with(Spelt::UNKNOWN);
        }
        if value == 0 {
            self.fault(MoveFault::NumberZero, token.at, len);
        } else if value > u64::from(u32::MAX) {
            self.fault(MoveFault::NumberTooLarge, token.at, len);
        } else if digits[0] == b'0' {
            self.fault(MoveFault::LeadingZeros, token.at, len);
            spelt.0 &= !Spelt::PLAIN.0;
        }
        let due = self.due_number();
        // A number that cannot be one takes the place of the one that is due.
        let good = value == u64::from(number) && number > 0;
        if good {
            self.check_number(token, number, sign, due);
        }
        if std::mem::take(&mut self.glued_number) {
            self.fault(MoveFault::GluedNumber, token.at, 0);
        }
        if !odd {
            self.blank_behind(MoveFault::GluedNumber, token.end());
        }
        let behind_variation = matches!(self.out.items.last(), Some(Item { kind: ItemKind::Close, .. }));
        if !self.first && (behind_variation || self.pair_on_line) {
            self.fault(MoveFault::TwoPairsOnLine, token.at, len);
        }
        self.pair_on_line = true;
        let item = self.out.items.len() as u32;
        self.item(ItemKind::Number, token, number, spelt);
        let level = self.level();
        level.pair = item;
        level.number = if good { number } else { due.unwrap_or(number) };
        level.pairs += 1;
        level.due = Due::White;
        level.ellipsis = false;
        level.black = false;
        level.between = Fault::NO_ITEM;
    }

    /// The number of the next pair, or of the pair that a variation replaces; nothing for a record's first one.
    #[inline]
    fn due_number(&mut self) -> Option<u32> {
        let level = *self.level();
        if level.pairs > 0 {
            return Some(level.number.saturating_add(1));
        }
        let outer = self.depth().checked_sub(1).map(|outer| self.out.levels[outer])?;
        (outer.pairs > 0).then_some(outer.number)
    }

    #[inline]
    fn check_number(&mut self, token: Token, number: u32, sign: u8, due: Option<u32>) {
        let first = self.level().pairs == 0;
        let missed = std::mem::take(&mut self.level().missed);
        if sign == b'?' && !(number == 1 && first) {
            self.fault(MoveFault::NumberUnknown, token.at, token.len);
        } else if let Some(due) = due.filter(|due| *due != number) {
            if missed.is_some_and(|missed| missed.checked_add(1) == Some(number)) {
                // One number was misprinted, and the line goes on as if it were not (§7.3: once, where it happens).
                return;
            }
            self.level().missed = Some(due).filter(|_| !first);
            let kind = if first { FaultKind::from(VariationFault::FirstNumber) } else { MoveFault::NumberOrder.into() };
            self.fault_seen(kind, token.at, token.len, due);
        }
    }

    /// A blank stands behind numbers and commas (§7.6); one that is not plain, or NUL, is reported as such, and dots are an
    /// ellipsis that has a fault of its own.
    #[inline]
    fn blank_behind(&mut self, kind: MoveFault, at: usize) {
        let rest = self.lexer.rest();
        // Before `)` it is a ply that is missing.
        let good = matches!(rest.first(), None | Some(b' ' | b'\t' | b'\n' | b'\r' | 0 | b')'));
        if !good && unicode_blank(rest) == 0 && !rest.starts_with(b"..") {
            self.fault(kind, at, 0);
        }
    }

    /// Reports a pair that breaks off before its line does (§7.1).
    #[inline]
    fn half_pair(&mut self) {
        if self.level().due != Due::Number {
            let end = self.last_end();
            self.fault(MoveFault::HalfPair, end, 0);
        }
    }

    /// Digits without a dot: a number whose dot is missing or stands apart, or nothing.
    fn digits(&mut self, token: Token) {
        let blanks = self.blanks_at(token.end());
        let behind = &self.text[token.end() + blanks..];
        let is_ellipsis = behind.starts_with("…".as_bytes()) || behind.starts_with(b"...");
        let dotted = behind.first() == Some(&b'.') && !is_ellipsis;
        let is_ply = is_ellipsis || may_be_ply(behind);
        let due = self.level().due == Due::Number || self.level().due == Due::Comma;
        if self.stage != Stage::Moves || !due || !(dotted && blanks > 0 || is_ply) {
            return self.stray(token);
        }
        if dotted {
            self.fault(MoveFault::BlankBeforeDot, token.end(), blanks);
            self.lexer.take(blanks + 1);
            let whole = Token { len: token.len + blanks + 1, ..token };
            self.odd_blanks_inside(whole);
            self.blank_behind(MoveFault::GluedNumber, whole.end());
            self.number(whole, true);
        } else {
            self.fault(MoveFault::NoDot, token.end(), 0);
            self.number(token, true);
        }
    }

    /// What stands next on the line, blanks apart.
    fn next_on_line(&self) -> Option<TokenKind> {
        let mut ahead = self.lexer.clone();
        loop {
            match ahead.next_token()?.kind {
                TokenKind::Blank | TokenKind::OddBlank => {}
                TokenKind::LineEnd => return None,
                kind => return Some(kind),
            }
        }
    }

    /// Dots: `…`, a comma's place, or no more than a blank (§7.4, §7.6, §8.5).
    fn dots(&mut self, token: Token) {
        let next = self.next_on_line();
        let indents = matches!(
            next,
            Some(
                TokenKind::Number
                    | TokenKind::Digits
                    | TokenKind::Open
                    | TokenKind::Close
                    | TokenKind::Comment
                    | TokenKind::UnclosedComment
                    | TokenKind::Dots
            )
        ) || next.is_none() && (self.first || self.dotted);
        if self.stage != Stage::Moves && !indents {
            return self.stray(token);
        }
        let due = self.level().due;
        // PGN's `1...`, whose first dot is the number's.
        let pgn = token.len == 2 && self.is_glued();
        match due {
            Due::White if token.len > 2 || token.len == 2 && next != Some(TokenKind::Word) || pgn => {
                self.ellipsis(token, token.len == 3);
            }
            Due::Comma if next == Some(TokenKind::Word) && !self.first => self.sign_for_comma(token),
            _ if indents => self.dotted = true,
            _ => self.stray(token),
        }
    }

    fn ellipsis(&mut self, token: Token, good: bool) {
        if self.is_behind_end(token) {
            return;
        }
        let level = *self.level();
        if level.due != Due::White {
            return self.stray(token);
        }
        self.same_line(token);
        if !good {
            self.fault(MoveFault::Ellipsis, token.at, token.len);
        }
        let depth = self.depth();
        if level.pairs > 1 {
            self.fault(MoveFault::EllipsisPlace, token.at, token.len);
        } else if depth == 0 {
            let black = self.setup.has_pdtl && self.setup.position.is_none_or(|position| position.turn == Side::Black);
            if !black {
                self.fault_seen(MoveFault::BlackFirst, token.at, token.len, u32::from(self.setup.has_pdtl));
            }
        } else if self.out.levels[depth - 1].pairs > 0 && !self.out.levels[depth - 1].black {
            self.fault(VariationFault::NoBlackPly, token.at, token.len);
        }
        let other = if self.text[token.at] == b'.' { Spelt::OTHER } else { Spelt(0) };
        self.item(ItemKind::Ellipsis, token, 0, if good { other.with(Spelt::PLAIN) } else { other });
        let level = self.level();
        level.due = Due::Comma;
        level.ellipsis = true;
    }

    #[inline]
    fn comma(&mut self, token: Token) {
        if (self.stage != Stage::Moves || self.level().ended) && self.is_behind_end(token) {
            return;
        }
        match self.level().due {
            Due::Comma => {}
            Due::White => {
                let end = self.last_end();
                self.fault(MoveFault::HalfPair, end, 0);
            }
            Due::Number | Due::Black => {
                self.fault(MoveFault::ExtraComma, token.at, 1);
                return self.item(ItemKind::Stray, token, 0, Spelt(0));
            }
        }
        self.between();
        self.same_line(token);
        self.blank_behind(MoveFault::GluedComma, token.end());
        self.due_black(token, Spelt::PLAIN);
    }

    #[inline]
    fn due_black(&mut self, comma: Token, spelt: Spelt) {
        let item = self.out.items.len() as u32;
        self.item(ItemKind::Comma, comma, 0, spelt);
        let level = self.level();
        level.comma = item;
        level.due = Due::Black;
    }

    /// Black's ply follows: what stands behind White's does not belong there (§7.1).
    #[inline]
    fn between(&mut self) {
        let between = std::mem::replace(&mut self.level().between, Fault::NO_ITEM);
        if between != Fault::NO_ITEM {
            let item = self.out.items[between as usize];
            // A comment that is not the first of its line has that fault already (§9.2).
            if item.kind != ItemKind::Comment || item.spelt.has(Spelt::FIRST) {
                self.fault(MoveFault::InsidePair, item.at as usize, 1);
            }
        }
    }

    /// A dot or a semicolon where the comma belongs.
    fn sign_for_comma(&mut self, token: Token) {
        if self.stage != Stage::Moves || self.level().due != Due::Comma || self.next_on_line() != Some(TokenKind::Word)
        {
            return self.stray(token);
        }
        self.fault_seen(MoveFault::NoComma, token.at, token.len, u32::from(self.text[token.at]));
        self.between();
        self.due_black(token, Spelt(0));
    }

    #[inline]
    fn word(&mut self, token: Token) {
        let word = &self.text[token.at..token.end()];
        if matches!(word[0], b'?' | b'!' | b':' | b'$' | 0xE2) && is_mark(word) {
            return if word.starts_with(b"$[") { self.no_label(token) } else { self.marks(token) };
        }
        if (self.stage != Stage::Moves || self.level().ended) && self.is_behind_end(token) {
            return;
        }
        let side = if matches!(self.level().due, Due::Number | Due::White) { Side::White } else { Side::Black };
        let mut slips = std::mem::take(&mut self.out.slips);
        slips.clear();
        let read = self.read_word(word, side, &mut slips);
        if slips.is_empty() && read.ply.is_some() && invisible(&word[read.len..]) == 0 {
            self.ply(token, side, read);
        } else {
            self.odd_ply(token, side, read, &mut slips);
        }
        self.out.slips = slips;
    }

    #[inline]
    fn read_word(&mut self, word: &[u8], side: Side, slips: &mut Vec<crate::notation::Slip<PlyFault>>) -> ReadPly {
        let letters = self.letters;
        read_ply(word, &letters, side, &mut |slip| slips.push(slip))
    }

    /// A word with something to say about it.
    fn odd_ply(
        &mut self,
        token: Token,
        side: Side,
        mut read: ReadPly,
        slips: &mut Vec<crate::notation::Slip<PlyFault>>,
    ) {
        let mut token = self.without_number(token, side, &mut read, slips);
        let mut places = Vec::new();
        if let Some((whole, joined)) = self.with_blanks(token, side, slips, &mut places) {
            self.fault(PlyFault::BlankInside, token.end(), self.blanks_at(token.end()));
            self.odd_blanks_inside(whole);
            (token, read) = (whole, joined);
        }
        let word = &self.text[token.at..token.end()];
        let invalid = std::str::from_utf8(word).is_err();
        let hidden = places.is_empty() && (0..word.len()).any(|at| invisible(&word[at..]) > 0);
        if invalid {
            // The bytes themselves are reported for the record as a whole.
            slips.clear();
        } else if hidden {
            read = self.read_without_invisible(token, side, slips, &mut places);
        }
        if self.setup.letters.is_none() {
            // The letters are those of a tag that could not be read: that has been said once (§5.1).
            slips.retain(|slip| !matches!(slip.fault, PlyFault::PieceLetter | PlyFault::CastlingPrefix));
        }
        let is_ply = read.ply.is_some()
            || invalid
            || !slips.is_empty() && slips.iter().all(|slip| slip.fault != PlyFault::NoPly);
        let due = self.level().due;
        if !is_ply && matches!(due, Due::Number | Due::Comma) {
            if self.apart_check(token) {
                return;
            }
            if self.level().tail.ply && self.stage == Stage::Moves && self.is_sign(word) {
                return self.valuation(token);
            }
            self.stray_text(token);
            return self.item(ItemKind::Stray, token, 0, Spelt(0));
        }
        for slip in slips.iter() {
            let place = |at: u32| places.get(at as usize).map_or(at as usize, |place| *place);
            let at = token.at + place(slip.at);
            // What lies between its last byte and the next one is no part of it.
            let end = token.at + if slip.len == 0 { place(slip.at) } else { place(slip.at + slip.len - 1) + 1 };
            self.fault(slip.fault, at, end.saturating_sub(at));
        }
        if hidden {
            read.plain = false;
        }
        self.ply(token, side, read);
    }

    /// Blanks and tabs at a place, and Unicode blanks, in bytes.
    fn blanks_at(&self, at: usize) -> usize {
        let len = |at: usize| match &self.text[at..] {
            [b' ' | b'\t', ..] => 1,
            text => unicode_blank(text),
        };
        let ends = std::iter::successors(Some(at), |at| Some(at + len(*at)).filter(|end| end > at));
        ends.last().map_or(0, |end| end - at)
    }

    /// Reports the Unicode blanks inside a ply or a number (§1.5).
    fn odd_blanks_inside(&mut self, token: Token) {
        for at in token.at..token.end() {
            let len = unicode_blank(&self.text[at..]);
            if len > 0 {
                odd_blank(self.text, at, len, &mut self.out.faults);
            }
        }
    }

    /// A word that is no ply where one is due, but becomes one with the words behind it on its line, as in `E7 - E13`: all
    /// of them, read without the blanks (§6.1). `places` gives, for each byte of what was read, its place in the whole.
    fn with_blanks(
        &mut self,
        token: Token,
        side: Side,
        slips: &mut Vec<crate::notation::Slip<PlyFault>>,
        places: &mut Vec<usize>,
    ) -> Option<(Token, ReadPly)> {
        /// Of so many words a ply can be made, with a blank beside its sign or its promotion.
        const WORDS: usize = 6;
        let lost = slips.iter().any(|slip| slip.fault == PlyFault::NoPly);
        if !lost || !matches!(self.level().due, Due::White | Due::Black) || token.len > LONGEST {
            return None;
        }
        let mut bare = self.text[token.at..token.end()].to_vec();
        let (mut found, mut inside) = (Vec::new(), (0..token.len).collect::<Vec<_>>());
        let mut end = token.end();
        for _ in 1..WORDS {
            let start = end + self.blanks_at(end);
            let len = word_len(&self.text[start..]);
            if start == end || len == 0 || len > LONGEST {
                return None;
            }
            end = start + len;
            bare.extend_from_slice(&self.text[start..end]);
            inside.extend(start - token.at..end - token.at);
            found.clear();
            let mut read = self.read_word(&bare, side, &mut found);
            let next = end + self.blanks_at(end);
            let goes_on = self.text.get(next) == Some(&b'=');
            if is_whole(&read, &found) && !goes_on && (read.len == bare.len() || is_mark(&bare[read.len..])) {
                self.lexer.take(end - token.end());
                inside.push(end - token.at);
                (read.len, read.plain) = (inside[read.len - 1] + 1, false);
                (*slips, *places) = (found, inside);
                return Some((Token { len: end - token.at, ..token }, read));
            }
        }
        None
    }

    /// A ply with the next pair's number glued to it, `F20-F163.`: cut there, so that both are read (§7.6).
    fn without_number(
        &mut self,
        token: Token,
        side: Side,
        read: &mut ReadPly,
        slips: &mut Vec<crate::notation::Slip<PlyFault>>,
    ) -> Token {
        let word = &self.text[token.at..token.end()];
        let next = self.level().number.saturating_add(1).to_string();
        let Some(ply) = word.strip_suffix(next.as_bytes()).filter(|_| self.lexer.rest().first() == Some(&b'.')) else {
            return token;
        };
        let mut others = Vec::new();
        if ply.is_empty() || !slips.iter().all(|slip| slip.fault == PlyFault::NoHex) {
            return token;
        }
        let other = self.read_word(ply, side, &mut others);
        if !others.is_empty() || other.ply.is_none() || other.len < ply.len() {
            return token;
        }
        slips.clear();
        *read = other;
        self.lexer.back(next.len());
        self.glued_number = true;
        Token { len: ply.len(), ..token }
    }

    /// A check sign behind its ply and a blank is read as if it were glued to it (§6.8), with what is glued to the sign.
    fn apart_check(&mut self, token: Token) -> bool {
        let word = &self.text[token.at..token.end()];
        let index = self.out.items.len().wrapping_sub(1);
        let ply = |item: &&mut Item| item.kind == ItemKind::Ply && !item.spelt.has(Spelt::UNREAD);
        let Some(item) = self.out.items.last_mut().filter(ply) else { return false };
        let Some((check, len)) = read_check(word).filter(|(_, len)| word.get(*len).is_none() || is_mark(&word[*len..]))
        else {
            return false;
        };
        let ply = Ply::from_item(item.value);
        if self.first || self.dotted || ply.check() != Check::None {
            return false;
        }
        item.value = ply.with_check(check).to_bits();
        item.len = (token.at + len) as u32 - item.at;
        item.spelt.0 &= !Spelt::PLAIN.0;
        let (spelt, mates) = (item.spelt, check == Check::Mate);
        let aside = self.depth() > 0;
        let (at, len, item) = (token.at as u32, len as u32, index as u32);
        self.out.faults.push(Fault { kind: MoveFault::ApartCheck.into(), aside, at, len, item, seen: 0 });
        let level = self.level();
        level.tail = Tail { mate: mates, spelt, ply_end: at + len, ..level.tail };
        level.ended = mates && !aside;
        self.blanks = Blanks::None;
        if len < token.len as u32 {
            self.glued(Token { at: token.at + len as usize, len: token.len - len as usize, ..token });
        }
        true
    }

    /// Whether a word behind a ply is a sign and no text: a valuation that the format does not know (§6.9).
    fn is_sign(&self, word: &[u8]) -> bool {
        let behind_ply = matches!(
            self.out.items.last(),
            Some(Item { kind: ItemKind::Ply | ItemKind::Valuation | ItemKind::Offer, .. })
        );
        behind_ply
            && !self.first
            && std::str::from_utf8(word)
                .is_ok_and(|word| !word.chars().any(|sign| sign.is_alphanumeric() || sign == '['))
    }

    /// Reads a word as if its invisible characters were not there, and reports them (§1.5). `places` gives, for each
    /// byte of what was read, its place in the word.
    fn read_without_invisible(
        &mut self,
        token: Token,
        side: Side,
        slips: &mut Vec<crate::notation::Slip<PlyFault>>,
        places: &mut Vec<usize>,
    ) -> ReadPly {
        let word = &self.text[token.at..token.end()];
        let mut bare = Vec::new();
        let mut at = 0;
        while at < word.len() {
            let len = invisible(&word[at..]);
            if len > 0 {
                odd_blank(self.text, token.at + at, len, &mut self.out.faults);
                at += len;
            } else {
                bare.push(word[at]);
                places.push(at);
                at += 1;
            }
        }
        places.push(word.len());
        slips.clear();
        if bare.is_empty() {
            return ReadPly { ply: None, len: word.len(), other_sign: false, plain: false };
        }
        let mut read = self.read_word(&bare, side, slips);
        read.len = places[read.len];
        read
    }

    /// A ply, or a word in a ply's place, with what is glued to it.
    #[inline]
    fn ply(&mut self, token: Token, side: Side, read: ReadPly) {
        let due = self.level().due;
        match due {
            Due::Number => {
                self.fault(MoveFault::NoNumber, token.at, 0);
                let level = self.level();
                level.number = level.number.saturating_add(1);
                level.pairs += 1;
                level.ellipsis = false;
                level.black = false;
            }
            Due::Comma => {
                let end = self.last_end();
                self.fault(MoveFault::NoComma, end, 0);
                self.between();
            }
            Due::Black => self.between(),
            Due::White => {}
        }
        if due != Due::Number {
            self.same_line(Token { len: read.len.max(1), ..token });
        }
        let spelt = read.spelt().with(if side == Side::Black { Spelt::BLACK } else { Spelt(0) });
        let (item, mate) = (self.out.items.len() as u32, read.ply.is_some_and(Ply::mates));
        let len = if read.ply.is_none() { token.len } else { read.len };
        self.item(ItemKind::Ply, Token { len, ..token }, read.ply.map_or(0, Ply::to_bits), spelt);
        let main = self.depth() == 0;
        let level = self.level();
        level.tail = Tail { ply: true, mate, ply_end: (token.at + len) as u32, spelt, item, ..Tail::default() };
        level.ended = main && mate;
        if side == Side::Black {
            level.black = true;
            level.due = Due::Number;
        } else {
            level.due = Due::Comma;
        }
        if len < token.len {
            self.glued(Token { at: token.at + len, len: token.len - len, ..token });
        }
    }

    /// What is glued to a ply: marks, another ply, or something that makes the whole word unreadable.
    fn glued(&mut self, mut token: Token) {
        loop {
            let hidden = invisible(&self.text[token.at..token.end()]);
            if hidden == 0 {
                break;
            }
            odd_blank(self.text, token.at, hidden, &mut self.out.faults);
            token = Token { at: token.at + hidden, len: token.len - hidden, ..token };
        }
        if token.len == 0 {
            return;
        }
        let word = &self.text[token.at..token.end()];
        if is_mark(word) {
            return self.marks(token);
        }
        let mut slips = Vec::new();
        let white = self.level().due == Due::Comma;
        if white && !self.level().ended {
            let read = self.read_word(word, Side::Black, &mut slips);
            if read.ply.is_some() {
                return self.odd_ply(token, Side::Black, read, &mut slips);
            }
        }
        let ply = self.level().tail.item as usize;
        let item = &mut self.out.items[ply];
        item.spelt = item.spelt.with(Spelt::UNREAD);
        item.len = token.end() as u32 - item.at;
        let spelt = item.spelt;
        self.level().tail.spelt = spelt;
        self.level().ended = false;
        self.level().tail.mate = false;
        if std::str::from_utf8(word).is_ok() {
            let len = first_char(word).map_or(1, char::len_utf8);
            self.out.faults.push(Fault {
                kind: PlyFault::NoPly.into(),
                aside: self.out.levels.len() > 1,
                at: token.at as u32,
                len: len as u32,
                item: ply as u32,
                seen: 0,
            });
        }
    }

    /// Valuations and end marks, one after another in a word (§6.9, §6.10).
    fn marks(&mut self, token: Token) {
        if !self.level().tail.ply || matches!(self.stage, Stage::Result | Stage::BehindResult | Stage::BehindEnd) {
            return self.mark_without_ply(token);
        }
        let mut at = token.at;
        while at < token.end() {
            let word = &self.text[at..token.end()];
            if !is_mark(word) {
                // The end mark ends a word: a result may be glued to it (§7.7).
                if self.text[..at].ends_with(b":") && read_result(word).is_some_and(|read| read.len == word.len()) {
                    return self.lexer.back(word.len());
                }
                let rest = Token { at, len: word.len(), ..token };
                return if token.len > LONGEST { self.stray(rest) } else { self.word(rest) };
            }
            let len = mark_len(word);
            let mark = Token { kind: TokenKind::Word, at, len };
            if word[0] == b':' {
                self.end_mark(mark);
            } else {
                self.valuation(mark);
            }
            at += len;
        }
    }

    /// A mark that stands behind no ply; the end mark of a bare position says nothing (§7.9).
    fn mark_without_ply(&mut self, token: Token) {
        let bare = self.setup.has_pdtl && self.out.levels.len() == 1 && self.level().pairs == 0;
        if self.stage == Stage::Moves && bare && &self.text[token.at..token.end()] == b":" {
            self.fault(EndFault::MarkWithoutPly, token.at, token.len);
            return self.item(ItemKind::Stray, token, 0, Spelt(0));
        }
        self.stray(token);
    }

    fn valuation(&mut self, token: Token) {
        if self.is_ply_due() {
            return self.stray(token);
        }
        let word = &self.text[token.at..token.end()];
        let nag = match word {
            [b'$', digit @ b'1'..=b'7'] => u32::from(digit - b'0'),
            _ => (1..=7).find(|nag| valuation(*nag).is_some_and(|sign| sign.as_bytes() == word)).unwrap_or(0),
        };
        let tail = self.level().tail;
        self.mark_on_line(token);
        if word[0] == b'$' && nag > 0 {
            self.fault_seen(MoveFault::Nag, token.at, token.len, nag);
        }
        if nag == 0 {
            self.fault(MoveFault::Valuation, token.at, token.len);
        } else if tail.offer || tail.end {
            self.fault(MoveFault::IndicatorOrder, token.at, token.len);
        } else if tail.valuation {
            self.fault(MoveFault::TwoValuations, token.at, token.len);
        } else if self.is_glued() {
            self.fault(MoveFault::GluedValuation, token.at, token.len);
        } else if !self.first && !self.dotted && self.blanks == Blanks::Other {
            self.blanks_before_valuation(token.at);
        }
        if tail.mate && nag > 0 {
            self.fault(MoveFault::ValuationAfterMate, token.at, token.len);
        }
        self.item(ItemKind::Valuation, token, nag, Spelt(0));
        self.level().tail.valuation = true;
    }

    /// Behind a number or a comma a mark could be on the ply before or on the one that follows.
    fn is_ply_due(&mut self) -> bool {
        matches!(self.level().due, Due::White | Due::Black)
    }

    /// One blank stands before a valuation (§6.9); of one that is not plain something else is said.
    fn blanks_before_valuation(&mut self, at: usize) {
        let blanks = self.text[..at].iter().rev().take_while(|byte| **byte == b' ').count();
        if blanks > 1 {
            self.fault(MoveFault::BlanksBeforeValuation, at - blanks + 1, blanks - 1);
        }
    }

    fn is_glued(&self) -> bool {
        !self.first && !self.dotted && self.blanks == Blanks::None
    }

    fn offer(&mut self, token: Token) {
        let tail = self.level().tail;
        if !tail.ply || self.stage != Stage::Moves || self.is_ply_due() {
            return self.stray(token);
        }
        self.mark_on_line(token);
        if tail.end || tail.offer || tail.valuation && !self.is_glued() {
            self.fault(MoveFault::IndicatorOrder, token.at, token.len);
        } else if !tail.valuation && self.is_glued() {
            self.fault(MoveFault::GluedOffer, token.at, token.len);
        }
        self.item(ItemKind::Offer, token, 0, Spelt(0));
        self.level().tail.offer = true;
    }

    fn end_mark(&mut self, token: Token) {
        let tail = self.level().tail;
        self.mark_on_line(token);
        if tail.end || (tail.valuation || tail.offer) && !self.is_glued() {
            self.fault(MoveFault::IndicatorOrder, token.at, token.len);
        }
        if tail.mate {
            self.fault(EndFault::MateAndMark, token.at, token.len);
        }
        let main = self.depth() == 0;
        if !main {
            self.fault(EndFault::MarkInVariation, token.at, token.len);
        }
        self.item(ItemKind::End, token, 0, Spelt(0));
        let level = self.level();
        level.tail.end = true;
        level.ended = main;
    }

    fn open(&mut self, token: Token) {
        if matches!(self.stage, Stage::Result | Stage::BehindResult | Stage::BehindEnd) {
            self.is_behind_end(token);
            return;
        }
        self.intrude(token);
        if self.level().pairs == 0 {
            self.fault(VariationFault::BeforePair, token.at, 1);
        }
        let item = self.out.items.len() as u32;
        self.item(ItemKind::Open, token, Fault::NO_ITEM, Spelt(0));
        self.out.levels.push(Level::new(item));
    }

    /// A comment or a variation: not between the plies of a pair (§7.1).
    fn intrude(&mut self, token: Token) {
        let item = self.out.items.len() as u32;
        let level = self.level();
        match level.due {
            Due::Comma | Due::Black if level.between == Fault::NO_ITEM => level.between = item,
            Due::Number | Due::Comma | Due::Black => {}
            Due::White => {
                if token.kind != TokenKind::Comment || self.first {
                    self.fault(MoveFault::InsidePair, token.at, 1);
                }
            }
        }
    }

    fn close(&mut self, token: Token) {
        if self.depth() == 0 {
            if self.stage == Stage::Moves {
                self.fault(VariationFault::LoneClose, token.at, 1);
                self.item(ItemKind::Stray, token, 0, Spelt(0));
            } else {
                self.is_behind_end(token);
            }
            return;
        }
        self.end_line();
        let open = self.level().open;
        if self.level().pairs == 0 {
            let at = self.out.items[open as usize].at as usize;
            self.fault(VariationFault::Empty, at, token.end() - at);
        }
        self.repeats(open as usize);
        let item = self.out.items.len() as u32;
        self.out.items[open as usize].value = item;
        self.item(ItemKind::Close, token, open, Spelt(0));
        self.out.levels.pop();
    }

    /// A variation that is closed here, and does no more than repeat the pair that it replaces (§8.8).
    fn repeats(&mut self, open: usize) {
        let outer = self.out.levels[self.depth() - 1];
        if self.level().pairs != 1 || outer.pairs == 0 {
            return;
        }
        let (items, inside) = (&self.out.items, open + 1);
        if items[inside..].iter().any(|item| matches!(item.kind, ItemKind::Open | ItemKind::Comment)) {
            return;
        }
        let Some(number) = items[inside..].iter().position(|item| item.kind == ItemKind::Number) else { return };
        let number = inside + number;
        // A pair without its number has no item of its own.
        let replaced = items.get(outer.pair as usize..).and_then(pair_at);
        let own = pair_at(&items[number..]);
        if own.is_some_and(|own| own.iter().flatten().count() > 0 && repeated(own, replaced)) {
            let Item { at, len, .. } = items[number];
            let (kind, item) = (VariationFault::Repeats.into(), number as u32);
            self.out.faults.push(Fault { kind, aside: true, at, len, item, seen: 0 });
        }
    }

    /// A line ends: what its last pair lacks (§7.1, §8.3).
    fn end_line(&mut self) {
        let level = *self.level();
        match level.due {
            Due::Number => {}
            Due::Comma if !level.ellipsis => {}
            Due::Black if !level.ellipsis => {
                let comma = self.out.items[level.comma as usize];
                self.fault(MoveFault::ExtraComma, comma.at as usize, comma.len as usize);
                self.tidy = false;
            }
            Due::White | Due::Comma | Due::Black => self.half_pair(),
        }
        self.level().due = Due::Number;
    }

    fn label(&mut self, token: Token) {
        let digits = &self.text[token.at + 2..token.end() - 1];
        let number = std::str::from_utf8(digits).ok().and_then(|digits| digits.parse::<u32>().ok());
        let in_place = matches!(self.out.items.last(), Some(Item { kind: ItemKind::Open, .. })) && self.is_glued();
        let Some(number) = number.filter(|_| in_place && self.stage == Stage::Moves) else {
            return self.no_label(token);
        };
        // The label belongs to the pair of the line outside.
        let pair = self.out.levels[self.depth() - 1].pair;
        if !self.out.labels.insert((pair, number)) {
            self.fault_seen(VariationFault::LabelTwice, token.at, token.len, number);
        }
        self.item(ItemKind::Label, token, number, Spelt(0));
    }

    /// A label elsewhere, or a word that begins like one (§8.6).
    fn no_label(&mut self, token: Token) {
        if !self.is_behind_end(token) {
            self.fault(VariationFault::Label, token.at, token.len);
            self.item(ItemKind::Stray, token, 0, Spelt(0));
        }
    }

    fn comment(&mut self, token: Token) {
        let item = self.out.items.len() as u32;
        let line_comment = token.kind == TokenKind::LineComment;
        let behind_comment = std::mem::take(&mut self.behind_comment);
        if line_comment {
            self.fault(CommentFault::LineComment, token.at, token.len);
        } else if behind_comment {
            self.text_behind_comment(Token { len: 1, ..token });
        } else if !self.first {
            self.fault(CommentFault::NotFirst, token.at, 1);
        }
        self.intrude(Token { kind: TokenKind::Comment, ..token });
        if self.depth() > 0 && self.level().pairs == 0 {
            self.fault(CommentFault::FirstInVariation, token.at, 1);
        }
        if !line_comment {
            comment::judge(self.text, token.at, token.end(), true, item, &mut self.out.faults);
        }
        let other = if line_comment { Spelt::OTHER } else { Spelt(0) };
        self.item(ItemKind::Comment, token, 0, other);
        self.behind_comment = !line_comment;
    }

    fn result(&mut self, token: Token) {
        if self.depth() > 0 {
            let rest = self.lexer.rest();
            let alone = self.first && rest[..line_len(rest, 0)].trim_ascii().is_empty();
            if !alone {
                self.fault(VariationFault::Result, token.at, token.len);
                return self.item(ItemKind::Stray, token, 0, Spelt(0));
            }
            self.close_all();
        }
        let Some(read) = read_result(&self.text[token.at..token.end()]) else { return self.stray(token) };
        if self.result_at.is_some() {
            self.fault_aside(EndFault::TwoResults, false, token.at, token.len, 0);
            return self.item(ItemKind::Stray, token, 0, Spelt(0));
        }
        self.end_moves(token.at);
        let odd = match read.spelling {
            ResultSpelling::Good => None,
            ResultSpelling::Hyphen => Some((EndFault::ResultHyphen, "‐".len())),
            ResultSpelling::Dash => Some((EndFault::ResultDash, 3)),
            ResultSpelling::Blanks => Some((EndFault::ResultBlanks, 1)),
            ResultSpelling::Pgn => Some((EndFault::ResultPgn, token.len)),
        };
        if let Some((fault, len)) = odd {
            self.fault_seen(fault, token.at + read.at, len, read.result as u32);
        }
        if !self.first && self.level().pairs > 0 {
            self.fault(EndFault::ResultOnPairLine, token.at, token.len);
        }
        let tail = self.level().tail;
        if tail.mate {
            let side = tail.spelt.side();
            let due = GameResult::of_mate(side);
            if due != read.result && read.spelling != ResultSpelling::Pgn {
                self.fault_seen(EndFault::ResultAgainstMate, token.at, token.len, due as u32);
            }
        }
        self.result_at = Some(self.out.items.len() as u32);
        self.item(ItemKind::Result, token, read.result as u32, if odd.is_none() { Spelt::PLAIN } else { Spelt(0) });
        self.stage = Stage::Result;
    }

    /// Unclosed variations end here (§8.4): each is reported at its `(`.
    fn close_all(&mut self) {
        let Some(outer) = self.out.levels.get(1).map(|level| level.open) else { return };
        self.unclosed = true;
        // What looks like the end of a variation may be the end of the main line.
        let mark = FaultKind::End(EndFault::MarkInVariation);
        self.out.faults.retain(|fault| fault.kind != mark || fault.item < outer);
        while self.depth() > 0 {
            let open = self.level().open;
            let at = self.out.items[open as usize].at;
            self.out.levels.pop();
            let kind = VariationFault::Unclosed.into();
            self.out.faults.push(Fault { kind, aside: false, at, len: 1, item: open, seen: 0 });
        }
    }

    /// The main line ends at its result, or without one (§6.11, §7.9).
    fn end_moves(&mut self, at: usize) {
        self.end_line();
        let level = *self.level();
        if level.pairs == 0 {
            if !self.setup.has_pdtl {
                self.fault(EndFault::NoMoves, at, 0);
            }
        } else if !level.ended
            && level.tail.ply
            && !level.tail.spelt.has(Spelt::UNREAD)
            && self.stage == Stage::Moves
            && !self.unclosed
        {
            let at = level.tail.ply_end as usize;
            let item = level.tail.item;
            let kind = EndFault::NoEndMark.into();
            self.out.faults.push(Fault { kind, aside: false, at: at as u32, len: 0, item, seen: 0 });
            self.tidy = false;
        }
    }

    fn finish(&mut self) {
        // What an unclosed comment has swallowed can't be missed (§1.8).
        let is_unclosed = |fault: &Fault| fault.kind == CommentFault::Unclosed.into();
        if self.out.faults.iter().any(is_unclosed) {
            return;
        }
        self.close_all();
        if self.result_at.is_some() {
            return;
        }
        let is_move = |item: &&Item| item.kind != ItemKind::Comment;
        let last = self.out.items.iter().rev().find(is_move).map(Item::end);
        let last = last.into_iter().chain(self.out.tags.last().map(|tag| tag.end as usize)).max().unwrap_or(0);
        let line_end = last + line_len(self.text, last);
        let next_line = match &self.text[line_end..] {
            [b'\r', b'\n', ..] => line_end + 2,
            [] => line_end,
            _ => line_end + 1,
        };
        self.end_moves(next_line);
        let tail = self.level().tail;
        let fault =
            if tail.mate && self.stage == Stage::Moves { EndFault::NoResultButMate } else { EndFault::NoResult };
        self.fault(fault, next_line, 0);
        self.tidy = false;
    }
}

/// White's and Black's ply in the pair whose number is the first of these items, check signs apart; nothing where one of
/// them could not be read.
fn pair_at(items: &[Item]) -> Option<[Option<Ply>; 2]> {
    // No pair has more: number, and for each ply itself, valuation, offer, and comma or end mark.
    const MOST: usize = 9;
    let others = |item: &&Item| matches!(item.kind, ItemKind::Number | ItemKind::Comment | ItemKind::Open);
    let rest = items.iter().skip(1).take(MOST);
    let mut plies = [None; 2];
    for item in rest.take_while(|item| !others(item)).filter(|item| item.kind == ItemKind::Ply) {
        if item.spelt.has(Spelt::UNREAD) {
            return None;
        }
        let side = usize::from(item.spelt.has(Spelt::BLACK));
        plies[side] = Some(Ply::from_item(item.value).with_check(Check::None));
    }
    Some(plies)
}

/// Whether a pair is the other one, as far as it goes.
fn repeated(own: [Option<Ply>; 2], other: Option<[Option<Ply>; 2]>) -> bool {
    other.is_some_and(|other| own.iter().zip(other).all(|(own, other)| own.is_none() || *own == other))
}

/// How many dots begin a line that starts at byte `at`.
fn dots_at(text: &[u8], at: usize) -> usize {
    text[at..].iter().take_while(|byte| **byte == b'.').count()
}

/// No pair that is read quickly is longer, with what is looked at behind it.
const PAIR: usize = 64;

/// The bytes from `at` on, with zeros behind the text's end.
#[inline]
fn window<'a>(text: &'a [u8], at: usize, end: &'a mut [u8; PAIR]) -> &'a [u8; PAIR] {
    let rest = &text[at..];
    rest.first_chunk().unwrap_or_else(|| {
        *end = [0; PAIR];
        end[..rest.len()].copy_from_slice(rest);
        end
    })
}

/// A pair written as the format wants it, alone on its line but for dots: `12. E7-E13, E21-E15` and LF.
struct QuickPair {
    number: u32,
    digits: u32,
    white: QuickPly,
    black: QuickPly,
    /// With its line end.
    len: usize,
}

/// Where a byte stands first among the 16 from `FROM` on; anywhere if it is not among them.
#[inline]
fn first_of_16<const FROM: usize>(text: &[u8; PAIR], byte: u8) -> usize {
    const ONES: u64 = u64::MAX / 0xFF;
    let (words, _) = text.as_chunks();
    let found = |word: usize| {
        let other = u64::from_le_bytes(words[FROM / 8 + word]) ^ (ONES * u64::from(byte));
        other.wrapping_sub(ONES) & !other & (ONES << 7)
    };
    let at = |found: u64| found.trailing_zeros() as usize / 8;
    let (near, far) = (found(0), found(1));
    FROM + if near != 0 { at(near) } else { 8 + at(far) }
}

/// What was found out, taken from what was foreseen where that is right: the processor goes on with it at once.
#[inline]
fn foreseen(foreseen: usize, found: usize) -> usize {
    if foreseen == found {
        return foreseen;
    }
    unforeseen(found)
}

#[cold]
#[inline(never)]
fn unforeseen(found: usize) -> usize {
    found
}

impl QuickPair {
    /// Reads the pair at the start of a text that goes on with zeros behind its end.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a pair of an archive: a call costs a tenth of it")]
    fn read(text: &[u8; PAIR], letters: &Letters) -> Option<QuickPair> {
        let digit = |at: usize| u32::from(text[at].wrapping_sub(b'0'));
        let (number, digits) = match text {
            [_, b'.', ..] => (digit(0), 1),
            [_, b'0'..=b'9', b'.', ..] => (10 * digit(0) + digit(1), 2),
            [_, b'0'..=b'9', b'0'..=b'9', b'.', ..] => (100 * digit(0) + 10 * digit(1) + digit(2), 3),
            _ => return None,
        };
        if !matches!(text[0], b'1'..=b'9') || text[digits + 1] != b' ' {
            return None;
        }
        // Where comma and line end nearly always stand: neither ply, nor the next pair, waits until what is before it is read.
        let (comma, end) = (first_of_16::<8>(text, b','), first_of_16::<16>(text, b'\n'));
        let white = quick_ply(text[digits + 2..].first_chunk()?, letters)?;
        let comma = foreseen(comma, digits + 2 + white.len as usize);
        let black = quick_ply(text.get(comma..)?.strip_prefix(b", ")?.first_chunk()?, letters)?;
        let end = foreseen(end, comma + 2 + black.len as usize);
        let whole = text.get(end) == Some(&b'\n') && !white.ply.mates() && !black.ply.mates();
        whole.then_some(QuickPair { number, digits: digits as u32, white, black, len: end + 1 })
    }

    /// Its items, from byte `at` of the record; `plain` is how its plies are spelt.
    #[inline]
    fn items(&self, at: u32, tight: Spelt, plain: Spelt) -> [Item; 4] {
        let item = |kind, at, len, value, spelt| Item { at, len, value, kind, spelt };
        let ply = |read: &QuickPly, at, spelt: Spelt| {
            let other = if read.other_sign { Spelt::OTHER } else { Spelt(0) };
            item(ItemKind::Ply, at, read.len, read.ply.to_bits(), spelt.with(other))
        };
        let white = at + self.digits + 2;
        let comma = white + self.white.len;
        [
            item(ItemKind::Number, at, self.digits + 1, self.number, Spelt::FIRST.with(Spelt::PLAIN).with(tight)),
            ply(&self.white, white, plain),
            item(ItemKind::Comma, comma, 1, 0, Spelt::GLUED.with(Spelt::PLAIN)),
            ply(&self.black, comma + 2, plain.with(Spelt::BLACK)),
        ]
    }
}

impl ReadPly {
    /// How the ply is spelt, as an item has it.
    #[inline]
    fn spelt(&self) -> Spelt {
        let bit = |set: bool, bit: Spelt| if set { bit } else { Spelt(0) };
        bit(self.plain, Spelt::PLAIN)
            .with(bit(self.other_sign, Spelt::OTHER))
            .with(bit(self.ply.is_none(), Spelt::UNREAD))
    }
}

/// Whether a word is a ply, whatever is wrong with its parts.
fn is_whole(read: &ReadPly, slips: &[crate::notation::Slip<PlyFault>]) -> bool {
    let is_part = |fault| matches!(fault, PlyFault::NoPly | PlyFault::CastlingCode | PlyFault::NullMove);
    read.ply.is_some() || !slips.is_empty() && !slips.iter().any(|slip| is_part(slip.fault))
}

/// The longest word, in bytes, that is taken apart where a ply is glued to the marks of another: each is looked at again
/// for what stands behind it.
const LONGEST: usize = 256;

/// Whether a word begins with a valuation or an end mark.
fn is_mark(word: &[u8]) -> bool {
    matches!(word[0], b'?' | b'!' | b':' | b'$') || word.starts_with("◇".as_bytes())
}

/// The length of the mark at the start of a word.
fn mark_len(word: &[u8]) -> usize {
    match word[0] {
        b':' => 1,
        b'?' | b'!' => word.iter().take_while(|byte| matches!(byte, b'?' | b'!')).count(),
        b'$' if !word.get(1).is_some_and(u8::is_ascii_digit) => word.len(),
        b'$' => 1 + word[1..].iter().take_while(|byte| byte.is_ascii_digit()).count(),
        _ => "◇".len(),
    }
}

/// Whether an item stands as the minimal form writes it.
#[inline]
const fn is_tidy(kind: ItemKind, spelt: Spelt) -> bool {
    match kind {
        ItemKind::Number | ItemKind::Result => spelt.has(Spelt(Spelt::TIGHT.0 | Spelt::PLAIN.0)),
        ItemKind::Ply | ItemKind::Ellipsis => spelt.has(Spelt(Spelt::BLANK.0 | Spelt::PLAIN.0)),
        ItemKind::Comma => spelt.has(Spelt(Spelt::GLUED.0 | Spelt::PLAIN.0)),
        ItemKind::End => spelt.0 & (Spelt::GLUED.0 | Spelt::BLANK.0) != 0,
        ItemKind::Offer => spelt.has(Spelt::BLANK),
        _ => false,
    }
}
