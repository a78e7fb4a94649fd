//! One record as a flat tree: its tags, and its movetext items in the order of the text.

use std::collections::HashSet;
use std::ops::Range;

use super::comment;
use super::fault::{CommentFault, Fault, FaultKind, Faults, FileFault, TagFault};
use super::layout::ends_line;
use super::lexer::{BOM, Lexer, TokenKind, is_tag_line, line_end_len, line_len, shown_len};
use super::movetext::{self, Level};
use super::tags::{self, Tag, TagName, TagNames};
use crate::game::{Position, Side};
use crate::notation::{GameResult, Id, IdFault, Letters, PlyFault, RecordKind, Slip, id, pdtl};

/// What a movetext item is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum ItemKind {
    /// A pair's number; `value` is the number.
    Number,
    /// A ply; `value` is [`crate::game::Ply::to_bits`] unless [`Spelt::UNREAD`].
    Ply,
    /// `…` in place of White's ply.
    Ellipsis,
    /// The comma of a pair.
    Comma,
    /// A valuation; `value` is its NAG (1 to 7), 0 for an unknown one.
    Valuation,
    /// `(=)`
    Offer,
    /// `:`
    End,
    /// A comment with its braces, or a `;` or `%` comment ([`Spelt::OTHER`]).
    Comment,
    /// `(`; `value` is the item of its `)`, [`Fault::NO_ITEM`] if there is none.
    Open,
    /// `)`
    Close,
    /// `$[n]`; `value` is n.
    Label,
    /// A result; `value` is the number of its [`crate::notation::GameResult`].
    Result,
    /// Anything else.
    Stray,
}

/// How an item is spelt, as bits.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Spelt(pub u16);

impl Spelt {
    /// First of its line, blanks and dots apart.
    pub const FIRST: Spelt = Spelt(1);
    /// Nothing between it and the item before.
    pub const GLUED: Spelt = Spelt(2);
    /// One plain blank, and nothing else, between it and the item before.
    pub const BLANK: Spelt = Spelt(4);
    /// The other spelling that is as right: `‐`, `*`, `...`; a `;` comment.
    pub const OTHER: Spelt = Spelt(8);
    /// Spelt as the minimal form has it: the text can be copied.
    pub const PLAIN: Spelt = Spelt(16);
    /// Black's ply.
    pub const BLACK: Spelt = Spelt(32);
    /// A word that could not be read stands where a ply is due.
    pub const UNREAD: Spelt = Spelt(64);
    /// Starts its line, right behind the item before and one LF.
    pub const TIGHT: Spelt = Spelt(128);
    /// `1?`
    pub const UNKNOWN: Spelt = Spelt(256);

    /// Whether all bits of `other` are set.
    #[inline]
    pub const fn has(self, other: Spelt) -> bool {
        self.0 & other.0 == other.0
    }

    /// Whose ply is spelt so.
    #[inline]
    pub const fn side(self) -> Side {
        if self.has(Spelt::BLACK) { Side::Black } else { Side::White }
    }

    /// With the bits of `other`.
    #[inline]
    pub const fn with(self, other: Spelt) -> Spelt {
        Spelt(self.0 | other.0)
    }
}

/// One item of the movetext, 16 bytes. Places are bytes of the record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Item {
    /// Where it begins.
    pub at: u32,
    /// Its length in bytes.
    pub len: u32,
    /// What it says, by kind.
    pub value: u32,
    /// What it is.
    pub kind: ItemKind,
    /// How it is spelt.
    pub spelt: Spelt,
}

impl Item {
    /// Bytes of the record before its end.
    #[inline]
    pub const fn end(&self) -> usize {
        (self.at + self.len) as usize
    }

    /// Which result it is, if it is one.
    pub fn result(&self) -> Option<GameResult> {
        GameResult::ALL.get(self.value as usize).copied().filter(|_| self.kind == ItemKind::Result)
    }

    /// Its text.
    #[inline]
    pub fn text<'a>(&self, record: &'a [u8]) -> &'a [u8] {
        &record[self.at as usize..self.end()]
    }
}

/// The first result behind the moves.
pub fn result_item(items: &[Item]) -> Option<&Item> {
    items.iter().find(|item| item.kind == ItemKind::Result)
}

/// The items outside variations, with their places among all; of a variation that is never closed nobody knows the end, and
/// nothing from there on is given (§8.4).
pub fn main_line(items: &[Item]) -> Outside<'_> {
    outside_variations(items, 0..items.len())
}

/// The same of the items in a range.
pub fn outside_variations(items: &[Item], range: Range<usize>) -> Outside<'_> {
    Outside { items: &items[..range.end.min(items.len())], next: range.start }
}

/// The first items, if they are a pair with both plies, both read, and nothing else: number, ply, comma, ply.
#[inline]
pub fn whole_pair(items: &[Item]) -> Option<&[Item; 4]> {
    let pair @ [number, white, comma, black] = items.first_chunk()?;
    let kinds = [number.kind, white.kind, comma.kind, black.kind];
    let is_read = !(white.spelt.has(Spelt::UNREAD) | black.spelt.has(Spelt::UNREAD));
    (kinds == [ItemKind::Number, ItemKind::Ply, ItemKind::Comma, ItemKind::Ply] && is_read).then_some(pair)
}

/// Items outside variations, with their places among all.
pub struct Outside<'a> {
    items: &'a [Item],
    next: usize,
}

impl Outside<'_> {
    /// White's and Black's ply, if the next items are a whole pair and nothing else, `12. E7-E13, E21-E15`; they are passed.
    #[inline]
    pub fn whole_pair(&mut self) -> Option<[Item; 2]> {
        let [_, white, _, black] = whole_pair(self.items.get(self.next..)?)?;
        self.next += 4;
        Some([*white, *black])
    }
}

impl<'a> Iterator for Outside<'a> {
    type Item = (usize, &'a Item);

    #[inline]
    fn next(&mut self) -> Option<(usize, &'a Item)> {
        loop {
            let index = self.next;
            let item = self.items.get(index)?;
            self.next += 1;
            if item.kind != ItemKind::Open {
                return Some((index, item));
            }
            self.next = self.next.max((item.value as usize).saturating_add(1));
        }
    }
}

/// The last ply outside variations.
pub fn last_ply(items: &[Item]) -> Option<&Item> {
    let mut depth = 0_usize;
    items.iter().rev().find(|item| {
        match item.kind {
            ItemKind::Close => depth += 1,
            ItemKind::Open => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0 && item.kind == ItemKind::Ply
    })
}

/// Where in its file a record begins.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Begins {
    /// At the file's first byte.
    File,
    /// At the start of a line.
    Line,
    /// Behind a result on its line (§1.7).
    BehindResult,
}

/// What the tags say about the moves (§11.0).
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Setup {
    /// The letters of the pieces, nothing when `Redefine` is unreadable.
    pub letters: Option<Letters>,
    /// `PDTL` is there.
    pub has_pdtl: bool,
    /// The position that it gives, or the initial one; nothing when it is unreadable.
    pub position: Option<Position>,
    /// The initial tag names a game that is replayed.
    pub replayed: bool,
}

/// A record as it was read. What it borrows is reused for the next one.
#[derive(Debug)]
pub struct Record<'a> {
    /// Its bytes.
    pub text: &'a [u8],
    /// Its tags, in the order of the text.
    pub tags: &'a [Tag],
    /// Its movetext, in the order of the text; comments before and among the tags too.
    pub items: &'a [Item],
    /// What is wrong with it; replay adds to them.
    pub faults: &'a mut Faults,
    /// What the tags say about the moves.
    pub setup: Setup,
    /// The value of its first `Id` tag; nothing where there is none, or none that can be read (§4).
    pub id: Option<Id<'a>>,
    /// The movetext is in minimal form to the byte, from its first number to its result.
    pub tidy: bool,
    /// It is no record of CTL-PGN at all but one of ordinary PGN: nothing else is said of it.
    pub ordinary_pgn: bool,
}

impl<'a> Record<'a> {
    /// The first tag of this name.
    pub fn tag(&self, name: TagName) -> Option<&'a Tag> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// The value of the first tag of this name, as it is written.
    pub fn value(&self, name: TagName) -> Option<&'a [u8]> {
        self.tag(name).map(|tag| tag.value(self.text))
    }

    /// The names of its tags.
    pub fn tag_names(&self) -> TagNames {
        self.tags.iter().map(|tag| tag.name).collect()
    }

    /// Whether it is an Id record or a game record (§3.7).
    pub fn kind(&self) -> RecordKind {
        kind_of(self.tags)
    }
}

fn kind_of(tags: &[Tag]) -> RecordKind {
    use TagName::{Black, BlackAlias, BlackNa, Id, White, WhiteAlias, WhiteNa};
    let names: TagNames = tags.iter().map(|tag| tag.name).collect();
    let players = TagNames::from_iter([White, Black, WhiteNa, BlackNa, WhiteAlias, BlackAlias]);
    if names.has(Id) && !names.meets(players) { RecordKind::Id } else { RecordKind::Game }
}

fn identifier(value: &[u8], kind: RecordKind) -> (Option<Id<'_>>, Vec<Slip<IdFault>>) {
    let mut slips = Vec::new();
    let read = id::parse(value, kind, &mut |slip| slips.push(slip));
    (read, slips)
}

/// Another record's identifier, of the kind that is referred to. One of the other kind is well-formed too (§3.36).
pub(crate) fn reference(value: &[u8], kind: RecordKind) -> (Option<Id<'_>>, Vec<Slip<IdFault>>) {
    let read = identifier(value, kind);
    if read.1.is_empty() {
        return read;
    }
    let other = if kind == RecordKind::Id { RecordKind::Game } else { RecordKind::Id };
    Some(identifier(value, other)).filter(|other| other.1.is_empty()).unwrap_or(read)
}

/// Reads records, one after another, into the same memory.
#[derive(Default, Debug)]
pub struct Reader {
    pub(super) tags: Vec<Tag>,
    pub(super) items: Vec<Item>,
    pub(super) faults: Faults,
    pub(super) levels: Vec<Level>,
    pub(super) labels: HashSet<(u32, u32)>,
    pub(super) slips: Vec<Slip<PlyFault>>,
}

impl Reader {
    /// Reads one record.
    pub fn read<'a>(&'a mut self, text: &'a [u8], begins: Begins) -> Record<'a> {
        self.tags.clear();
        self.items.clear();
        self.faults.clear();
        if begins == Begins::BehindResult {
            let at = memchr::memchr(b'[', text).unwrap_or_default();
            self.fault(FileFault::RecordBehindResult, at, "[Variant".len());
        }
        let mut lexer = Lexer::new(text);
        let behind_comment = head(&mut lexer, text, begins, self);
        let setup = self.setup(text);
        let id = self.identifiers(text);
        let tidy = movetext::read(lexer, text, &setup, behind_comment, self);
        let ordinary_pgn = self.is_ordinary_pgn(text);
        if simdutf8::basic::from_utf8(text).is_err() && !ordinary_pgn {
            self.invalid_bytes(text);
        }
        let tidy = tidy && self.faults.is_empty();
        Record { text, tags: &self.tags, items: &self.items, faults: &mut self.faults, setup, id, tidy, ordinary_pgn }
    }

    fn fault(&mut self, kind: impl Into<FaultKind>, at: usize, len: usize) {
        let (at, len) = (at as u32, len as u32);
        self.faults.push(Fault { kind: kind.into(), aside: false, at, len, item: Fault::NO_ITEM, seen: 0 });
    }

    /// Judges the initial tag, reads `Redefine` and `PDTL`.
    fn setup(&mut self, text: &[u8]) -> Setup {
        let replayed = self.initial_tag(text);
        let redefine = self.single(text, TagName::Redefine, TagFault::TwoRedefines);
        let letters = match redefine {
            None => Some(Letters::STANDARD),
            Some(tag) => match Letters::parse(tag.value(text)) {
                Ok(letters) => Some(letters),
                Err(slip) => {
                    let at = tag.value_at as usize + slip.at as usize;
                    self.fault(slip.fault, at, slip.len as usize);
                    None
                }
            },
        };
        let pdtl = self.single(text, TagName::Pdtl, TagFault::TwoPdtls);
        let position = match (pdtl, &letters) {
            (None, _) => Some(Position::INITIAL),
            (Some(_), None) => None,
            (Some(tag), Some(letters)) => {
                let faults = &mut self.faults;
                pdtl::parse(tag.value(text), letters, &mut |slip| {
                    let (kind, at) = (slip.fault.into(), tag.value_at + slip.at);
                    faults.push(Fault { kind, aside: false, at, len: slip.len, item: Fault::NO_ITEM, seen: 0 });
                })
            }
        };
        Setup { letters, has_pdtl: pdtl.is_some(), position, replayed }
    }

    /// Judges the values that are identifiers (§4); gives that of the first `Id` tag.
    fn identifiers<'a>(&mut self, text: &'a [u8]) -> Option<Id<'a>> {
        let kind = kind_of(&self.tags);
        let mut id = None;
        for tag in &self.tags {
            let value = tag.value(text);
            let (read, slips) = match tag.name {
                TagName::Id => identifier(value, kind),
                TagName::Revisited | TagName::Model => reference(value, RecordKind::Id),
                TagName::Example => reference(value, RecordKind::Game),
                _ => continue,
            };
            if tag.name == TagName::Id {
                id = id.or(Some(read));
            }
            self.faults.extend(slips.into_iter().map(|slip| {
                let (kind, at) = (slip.fault.into(), tag.value_at + slip.at);
                Fault { kind, aside: false, at, len: slip.len, item: Fault::NO_ITEM, seen: 0 }
            }));
        }
        id.flatten()
    }

    /// The first tag of this name; another value before it makes the record unreadable (§13.3).
    fn single(&mut self, text: &[u8], name: TagName, twice: TagFault) -> Option<Tag> {
        let mut tags = self.tags.iter().copied().filter(|tag| tag.name == name);
        let first = tags.next()?;
        if let Some(other) = tags.find(|tag| tag.value(text) != first.value(text)) {
            self.fault(twice, other.name_at as usize, other.name_len as usize);
        }
        Some(first)
    }

    /// Whether the record starts with the initial tag of a game that is replayed (§1.6, §3.1).
    fn initial_tag(&mut self, text: &[u8]) -> bool {
        let Some(&tag) = self.tags.first().filter(|tag| tag.name == TagName::Variant) else {
            let at = self.tags.first().map_or_else(|| first_word(text), |tag| tag.at as usize);
            self.fault(
                TagFault::NoVariant,
                at,
                text[at..].iter().take_while(|byte| !byte.is_ascii_whitespace()).count(),
            );
            return true;
        };
        let (at, len) = (tag.value_at as usize, tag.value_len as usize);
        let value = tag.value(text);
        if let Some(sign) = apostrophe(value) {
            self.fault(TagFault::VariantApostrophe, at + sign.start, sign.len());
            return !value.starts_with(b"Grand");
        }
        match value {
            b"C'escacs" => true,
            b"Grand C'escacs" => {
                self.fault(TagFault::GrandVariant, at, len);
                false
            }
            _ => {
                self.fault(TagFault::OtherVariant, at, len);
                false
            }
        }
    }

    /// Whether the record has no initial tag and moves of orthodox chess; then that is the one thing said of it.
    fn is_ordinary_pgn(&mut self, text: &[u8]) -> bool {
        let no_variant = FaultKind::Tag(TagFault::NoVariant);
        if !self.faults.iter().any(|fault| fault.kind == no_variant) {
            return false;
        }
        let unread = |item: &&Item| item.kind == ItemKind::Stray || item.spelt.has(Spelt::UNREAD);
        if !self.items.iter().filter(unread).any(|item| is_san(item.text(text))) {
            return false;
        }
        self.faults.retain(|fault| fault.kind == no_variant);
        for fault in self.faults.iter_mut() {
            fault.kind = FileFault::OrdinaryPgn.into();
        }
        true
    }

    /// Reports every sequence of bytes that is not UTF-8 (§1.2).
    fn invalid_bytes(&mut self, text: &[u8]) {
        let (mut at, mut next, mut depth, mut ended) = (0, 0, 0_usize, false);
        for chunk in text.utf8_chunks() {
            let bad = at + chunk.valid().len();
            at = bad + chunk.invalid().len();
            if bad == at {
                continue;
            }
            while let Some(item) = self.items.get(next).filter(|item| (item.at as usize) <= bad) {
                match item.kind {
                    ItemKind::Open => depth += 1,
                    ItemKind::Close => depth = depth.saturating_sub(1),
                    ItemKind::Result => ended = true,
                    _ => {}
                }
                next += 1;
            }
            let item = next.checked_sub(1).map(|index| self.items[index]).filter(|item| item.end() > bad);
            let in_comment = item.is_some_and(|item| item.kind == ItemKind::Comment);
            self.faults.push(Fault {
                kind: FileFault::NotUtf8.into(),
                aside: in_comment || depth > 0 || ended,
                at: bad as u32,
                len: (at - bad) as u32,
                item: item.map_or(Fault::NO_ITEM, |_| next as u32 - 1),
                seen: u32::from(text[bad]),
            });
        }
    }
}

/// Reads what precedes the movetext: the tags, and comments before and among them (§1.7, §1.10). Tells whether a comment
/// ended on the line where the movetext begins.
fn head(lexer: &mut Lexer<'_>, text: &[u8], begins: Begins, out: &mut Reader) -> bool {
    let item = |out: &mut Reader, kind, at: usize, len: usize, spelt| {
        out.items.push(Item { at: at as u32, len: len as u32, value: 0, kind, spelt });
    };
    let mut comments = 0;
    let mut behind_comment = false;
    // At the start of a line, and where the first empty one lies since the last tag.
    let (mut at_start, mut empty) = (true, None);
    // Nearly every record begins with tags, a line each: they need no detour through tokens.
    while is_tag_line(lexer.rest()) {
        let (at, len) = (lexer.at(), line_len(text, lexer.at()));
        tags::read_line(text, at, at + len, &mut out.tags, &mut out.faults);
        lexer.skip_tag_line(len + line_end_len(&text[at + len..]));
    }
    loop {
        let ahead = lexer.clone();
        let Some(token) = lexer.next_token() else { return false };
        if lexer.in_movetext() {
            *lexer = ahead;
            return behind_comment;
        }
        match token.kind {
            TokenKind::Blank => {
                if ends_line(lexer.rest()) {
                    out.fault(FileFault::TrailingBlanks, token.at, token.len);
                }
                continue;
            }
            TokenKind::LineEnd | TokenKind::LineComment | TokenKind::LoneBrace => {}
            _ if behind_comment => {
                out.fault(CommentFault::TextBehind, token.at, shown_len(text, token.at));
            }
            _ => {}
        }
        behind_comment = token.kind == TokenKind::Comment;
        if std::mem::replace(&mut at_start, token.kind == TokenKind::LineEnd) && at_start {
            empty = empty.or(Some(token.at).filter(|_| !out.tags.is_empty()));
        }
        match token.kind {
            TokenKind::Tag => {
                if let Some(at) = empty.take() {
                    out.fault(TagFault::EmptyLine, at, 0);
                }
                // What is among the tags is known only when a tag follows it; comments behind them are about the game.
                for index in comments..out.items.len() {
                    let Item { at, kind, .. } = out.items[index];
                    if kind == ItemKind::Comment {
                        out.fault(TagFault::CommentAmongTags, at as usize, 1);
                    }
                }
                comments = out.items.len();
                tags::read_line(text, token.at, token.end(), &mut out.tags, &mut out.faults);
            }
            TokenKind::StrayLine => {
                item(out, ItemKind::Stray, token.at, token.len, Spelt::FIRST);
                let len = text[token.at..token.end()].trim_ascii_end().len();
                out.fault(TagFault::TextAmongTags, token.at, len);
                if len < token.len {
                    out.fault(FileFault::TrailingBlanks, token.at + len, token.len - len);
                }
            }
            TokenKind::Comment | TokenKind::UnclosedComment => {
                item(out, ItemKind::Comment, token.at, token.len, Spelt::FIRST);
                let aside = true;
                comment::judge(text, token.at, token.end(), aside, out.items.len() as u32 - 1, &mut out.faults);
            }
            TokenKind::LineComment => {
                item(out, ItemKind::Comment, token.at, token.len, Spelt::FIRST.with(Spelt::OTHER));
                out.fault(CommentFault::LineComment, token.at, token.len);
            }
            TokenKind::LoneBrace => {
                item(out, ItemKind::Stray, token.at, 1, Spelt::FIRST);
                out.fault(CommentFault::LoneBrace, token.at, 1);
            }
            TokenKind::Bom if begins == Begins::File => out.fault(FileFault::Bom, token.at, token.len),
            TokenKind::Bom => out.fault(FileFault::StrayBom, token.at, token.len),
            TokenKind::Nul => out.fault(FileFault::Nul, token.at, token.len),
            TokenKind::OddBlank => movetext::odd_blank(text, token.at, token.len, &mut out.faults),
            _ => {}
        }
    }
}

/// Where the first word of a record without tags begins.
fn first_word(text: &[u8]) -> usize {
    let mark = BOM.len() * usize::from(text.starts_with(BOM));
    mark + text[mark..].iter().position(|byte| !byte.is_ascii_whitespace()).unwrap_or(0)
}

/// Where another sign stands for the apostrophe in the value of the initial tag (§3.1).
fn apostrophe(value: &[u8]) -> Option<Range<usize>> {
    let name = value.strip_prefix(b"Grand ").unwrap_or(value);
    let sign = std::str::from_utf8(name.strip_prefix(b"C")?.strip_suffix(b"escacs")?).ok()?;
    let start = value.len() - name.len() + 1;
    ["’", "‘", "‛", "´", "`", "′", "ʼ", "ʹ", "＇"].contains(&sign).then(|| start..start + sign.len())
}

/// Whether a word is a move in the short notation of ordinary PGN.
fn is_san(word: &[u8]) -> bool {
    let end = word.iter().rposition(|byte| !b"+#!?".contains(byte)).map_or(0, |last| last + 1);
    let mut core = &word[..end];
    if matches!(core, b"O-O" | b"O-O-O") {
        return true;
    }
    if let [head @ .., b'=', b'Q' | b'R' | b'B' | b'N'] = core {
        core = head;
    }
    match core {
        [head @ .., b'a'..=b'h', b'1'..=b'8'] => {
            head.len() <= 4 && head.iter().all(|byte| b"KQRBNabcdefgh12345678x".contains(byte))
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::fault::MoveFault;

    /// The faults of a record whose tags are followed by this text, each with what it is at, sorted.
    fn faults(tags: &str, text: &str) -> Vec<String> {
        let text = format!("[Variant \"C'escacs\"]\n[Id \"Me-X01\"]\n[Annotator \"Me\"]\n{tags}{text}");
        let mut reader = Reader::default();
        let record = reader.read(text.as_bytes(), Begins::File);
        let shown = |fault: &Fault| {
            format!("{} {}", fault.kind.name(), &text[fault.at as usize..(fault.at + fault.len) as usize])
        };
        let mut faults: Vec<String> = record.faults.iter().map(shown).collect();
        faults.sort();
        faults
    }

    #[test]
    fn what_stands_behind_a_comment_before_the_moves_is_read() {
        let pair = "1. E7-E13, E21-E15:\n*\n";
        assert_eq!(faults("", &format!("{{ c }} {pair}")), ["text-behind-comment 1. E7-E13, E21-E15:"]);
        assert_eq!(faults("", "{ c } *\n"), ["no-moves ", "text-behind-comment *"]);
        assert_eq!(faults("", &format!("{{ c }} {{ d }}\n{pair}")), ["text-behind-comment { d }"]);
        assert_eq!(faults("", &format!("{{ c }} d\n{pair}")), ["stray-text d", "text-behind-comment d"]);
        let tag = "{ c } [Lang \"en\"]";
        assert_eq!(faults(&format!("{tag}\n"), pair), ["comment-among-tags {", "text-behind-comment [Lang \"en\"]"]);
    }

    #[test]
    fn comments_in_variations_behind_the_end_stand_well() {
        let text = "1. E7-E13:, E21-E15\n(1. E7-E9, E21-E19\n.{ @W: c }\n)\n*\n";
        assert_eq!(faults("", text), ["after-end , E21-E15"]);
    }

    #[test]
    fn a_number_without_its_dot_stands_before_figurines_too() {
        assert_eq!(faults("[Redefine \"FAN\"]\n", "1 ♘E3-B4, ♘E25-B24:\n*\n"), ["no-dot "]);
    }

    #[test]
    fn each_line_that_ends_in_a_comma_has_its_own() {
        let text = "1. E7-E13, E21-E15\n(1. E7-E9,\n(1. E7-E11,\n)) :\n*\n";
        let mut reader = Reader::default();
        let record = reader.read(text.as_bytes(), Begins::Line);
        let comma = FaultKind::Move(MoveFault::ExtraComma);
        let commas = record.faults.iter().filter(|fault| fault.kind == comma).map(|fault| fault.at as usize);
        assert_eq!(commas.collect::<Vec<_>>(), [text.find("11,").unwrap() + 2, text.find("9,").unwrap() + 1]);
    }

    #[test]
    fn what_is_glued_to_a_ply_behind_an_invisible_sign_is_part_of_its_word() {
        let text = "1. E7-E13\u{200B}x, E21-E15 :\n*\n";
        let mut reader = Reader::default();
        let record = reader.read(text.as_bytes(), Begins::Line);
        let ply = record.items.iter().find(|item| item.kind == ItemKind::Ply).unwrap();
        assert_eq!(ply.text(text.as_bytes()), "E7-E13\u{200B}x".as_bytes());
        assert_eq!(faults("", text), ["no-ply x", "odd-blank \u{200B}"]);
    }

    #[test]
    fn a_label_is_used_once_at_a_pair() {
        let pair = "1. E7-E13, E21-E15\n";
        let inner = "(1. …, E21-E17)\n($[1] 1. …, E21-E19)\n";
        let text =
            format!("{pair}($[1] 1. D6-D12, E21-E15\n{inner})\n($[2] 1. E7-E9)\n2. F8-F12\n($[2] 2. F8-F10) :\n*\n");
        assert_eq!(faults("", &text), [""; 0]);
        let text = format!("{pair}($[1] 1. D6-D12, E21-E15\n{inner})\n($[1] 1. E7-E9) :\n*\n");
        assert_eq!(faults("", &text), ["label-twice $[1]"]);
    }

    #[test]
    fn letters_of_a_tag_that_cannot_be_read_are_no_faults() {
        let tag = "[Redefine \"A@J; C@N\"]\n";
        assert_eq!(faults(tag, "1. CE3-B4, AF22-D22:\n*\n"), ["redefine-syntax ;"]);
    }
}
