//! What a message may look at: the record around a fault.

use std::fmt::Write;

use crate::game::{Capture, Castling, Hex, Piece, Ply, Shape, Side, Special};
use crate::replay::referee::Foul;
use crate::syntax::{Fault, Item, ItemKind, Record, Spelt};

/// What a finding says.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Message {
    /// What stands there and what was expected, in one line.
    pub text: String,
    /// More to know, a line each.
    pub notes: Vec<String>,
    /// Other places in the record, from and to in bytes of the record, and what stands there.
    pub related: Vec<(u32, u32, String)>,
}

impl From<String> for Message {
    fn from(text: String) -> Message {
        Message { text, ..Message::default() }
    }
}

impl From<&str> for Message {
    fn from(text: &str) -> Message {
        text.to_owned().into()
    }
}

impl Message {
    /// With another line to know.
    pub fn note(mut self, note: impl Into<String>) -> Message {
        self.notes.push(note.into());
        self
    }

    /// With another place.
    pub fn related(mut self, at: u32, end: u32, message: impl Into<String>) -> Message {
        self.related.push((at, end, message.into()));
        self
    }
}

/// The record that a finding is about.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    /// The record.
    pub record: &'a Record<'a>,
    /// What there is to know of its faults of play.
    pub fouls: &'a [Foul],
}

/// The longest piece of text that a message quotes, in characters.
const QUOTED: usize = 40;

impl<'a> Context<'a> {
    /// Bytes of the record.
    pub fn bytes(&self, at: u32, end: u32) -> &'a [u8] {
        &self.record.text[at as usize..(end as usize).min(self.record.text.len())]
    }

    /// A piece of the record as messages show it: `` `E7xE13` ``, clipped.
    pub fn quote(&self, at: u32, end: u32) -> String {
        quote(self.bytes(at, end))
    }

    /// What a fault spans, as messages show it.
    pub fn quote_fault(&self, fault: &Fault) -> String {
        self.quote(fault.at, fault.end())
    }

    /// The item that a fault is at.
    pub fn item(&self, fault: &Fault) -> Option<&'a Item> {
        self.record.items.get(fault.item as usize)
    }

    /// The word that a fault is in: the item's text.
    pub fn word(&self, fault: &Fault) -> String {
        self.item(fault).map_or_else(|| self.quote_fault(fault), |item| quote(item.text(self.record.text)))
    }

    /// The ply at an item as a message names it: `4. EG5-F8`, `4. …, EG23-F20`; without its number where it has none
    /// of its own.
    pub fn ply_name(&self, index: usize) -> String {
        let items = self.record.items;
        let item = items[index];
        let text = lossy(item.text(self.record.text));
        let is_black = item.spelt.has(Spelt::BLACK);
        let mut at = index;
        while at > 0 {
            at -= 1;
            let other = items[at];
            match other.kind {
                ItemKind::Close => at = other.value as usize,
                ItemKind::Open => break,
                ItemKind::Ply if !is_black || other.spelt.has(Spelt::BLACK) => break,
                ItemKind::Number => {
                    let dot = if other.spelt.has(Spelt::UNKNOWN) { '?' } else { '.' };
                    let before = if is_black { " …," } else { "" };
                    return format!("{}{dot}{before} {text}", other.value);
                }
                _ => {}
            }
        }
        text
    }

    /// Since which ply, among those that lead to the one at `index`, `hex` is as that one finds it.
    pub fn last_at(&self, index: usize, hex: Hex) -> Since {
        self.last_within(STEPS, index, hex)
    }

    /// The same, looked for among so many items only.
    pub fn last_within(&self, items: usize, index: usize, hex: Hex) -> Since {
        let mut plies = Back { left: items, ..self.plies_before(index) };
        // What a capture in passing took is what the ply before it had moved.
        let mut passing = None;
        for ply in plies.by_ref() {
            let Some((side, shape)) = shape(self.record.items[ply]) else { break };
            let to = if let Shape::Step { to, .. } = shape { Some(to) } else { None };
            if let Some(capture) = passing.take()
                && to == Some(hex)
            {
                return Since::Ply(capture);
            }
            if touches(shape, side, hex) {
                return Since::Ply(ply);
            }
            let passes = matches!(shape, Shape::Step { capture: Capture::Passing | Capture::LongPassing, .. });
            passing = passes.then_some(ply);
        }
        if plies.at > 0 {
            return Since::Unknown;
        }
        match (passing, self.record.setup.position.map(|position| position.special)) {
            (Some(capture), Some(Special::Double(at) | Special::Triple(at) | Special::Scornful(at, _)))
                if at == hex =>
            {
                Since::Ply(capture)
            }
            _ => Since::Start,
        }
    }

    /// The first ply, among those that lead to the one at `index`, that moved something from or onto `hex`; nothing where
    /// none is found.
    pub fn first_at(&self, index: usize, hex: Hex) -> Option<usize> {
        let items = self.record.items;
        let touching = |ply: &usize| shape(items[*ply]).is_some_and(|(side, shape)| touches(shape, side, hex));
        self.plies_before(index).filter(touching).last()
    }

    /// Since when a hex is as it is, behind what is said of it.
    pub fn since_words(&self, since: Since) -> String {
        match since {
            Since::Ply(ply) => format!(" since {}", self.ply_name(ply)),
            Since::Start if self.record.setup.has_pdtl => " in the PDTL".to_owned(),
            Since::Start => " from the start".to_owned(),
            Since::Unknown => String::new(),
        }
    }

    /// A message with the place of another ply, if there is one.
    pub fn with_ply(&self, message: Message, ply: Option<usize>) -> Message {
        let Some(ply) = ply else { return message };
        let item = self.record.items[ply];
        message.related(item.at, item.end() as u32, self.ply_name(ply))
    }

    /// The ply just before the one at `index` in its line: its item.
    pub fn previous(&self, index: usize) -> Option<usize> {
        self.plies_before(index).next()
    }

    fn plies_before(&self, index: usize) -> Back<'a> {
        Back { items: self.record.items, at: index, left: STEPS, skip: Skip::Nothing, ellipsis: false, black: false }
    }
}

/// Since when a hex is as a ply finds it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Since {
    /// Since the position that the record starts with.
    Start,
    /// Since this ply: its item.
    Ply(usize),
    /// Longer than is looked for.
    Unknown,
}

impl Since {
    /// The ply, if it is known.
    pub const fn ply(self) -> Option<usize> {
        match self {
            Since::Ply(ply) => Some(ply),
            Since::Start | Since::Unknown => None,
        }
    }
}

/// How many items are looked at for one message. No game has as many in a line; a text made to keep us busy may.
pub const STEPS: usize = 4096;

/// The same where what is looked for stands near, or need not be told.
pub const NEAR: usize = 256;

/// The plies that lead to one, backwards: past closed variations, and out of an open one to where it starts (§8.2).
struct Back<'a> {
    items: &'a [Item],
    at: usize,
    left: usize,
    skip: Skip,
    /// `…` stands in the pair that is being walked through.
    ellipsis: bool,
    /// It stood in the pair behind that one, the first of its line so far.
    black: bool,
}

/// What is left out, on the way out of a variation, of the pair that it replaces.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Skip {
    Nothing,
    /// Down to White's ply.
    Pair,
    /// Black's ply.
    Black,
}

impl Iterator for Back<'_> {
    type Item = usize;

    fn next(&mut self) -> Option<usize> {
        while self.at > 0 && self.left > 0 {
            self.at -= 1;
            self.left -= 1;
            let item = self.items[self.at];
            let is_black = item.spelt.has(Spelt::BLACK);
            match (item.kind, self.skip) {
                (ItemKind::Close, _) => self.at = item.value as usize,
                (ItemKind::Open, _) => {
                    self.skip = if self.black { Skip::Black } else { Skip::Pair };
                    (self.black, self.ellipsis) = (false, false);
                }
                (ItemKind::Number, _) => {
                    self.black = std::mem::take(&mut self.ellipsis);
                    self.skip = Skip::Nothing;
                }
                (ItemKind::Ellipsis, _) => self.ellipsis = true,
                (ItemKind::Ply, Skip::Nothing) => return Some(self.at),
                (ItemKind::Ply, skip) if is_black == (skip == Skip::Black) => self.skip = Skip::Nothing,
                _ => {}
            }
        }
        None
    }
}

/// What an item's ply does, and whose it is; nothing for a word that could not be read.
pub fn shape(item: Item) -> Option<(Side, Shape)> {
    let side = item.spelt.side();
    let ply = Ply::from_bits(item.value).filter(|_| item.kind == ItemKind::Ply && !item.spelt.has(Spelt::UNREAD))?;
    Some((side, ply.shape()))
}

/// A side's pieces in messages.
pub const fn colour(side: Side) -> &'static str {
    match side {
        Side::White => "white",
        Side::Black => "black",
    }
}

/// What is on a hex, as `side` sees it: `White's own pawn`, `a black rook`.
pub fn holder(there: Option<Piece>, side: Side) -> String {
    match there {
        None => "nothing".to_owned(),
        Some(piece) if piece.side() == side => format!("{side}'s own {}", piece.kind().name()),
        Some(piece) => format!("a {} {}", colour(piece.side()), piece.kind().name()),
    }
}

/// Whether a ply moves something onto or from a hex; what it captures in passing apart.
fn touches(shape: Shape, side: Side, hex: Hex) -> bool {
    match shape {
        Shape::Step { from, to, .. } => [from, to].contains(&hex),
        Shape::Promote { at, .. } => at == hex,
        Shape::Castle(castling) => {
            let rooks = [
                (castling.king_rook_to(side), Castling::king_rook_home(side)),
                (castling.queen_rook_to(side), Castling::queen_rook_home(side)),
            ];
            [castling.king_to(side), Castling::king_home(side)].contains(&hex)
                || rooks.iter().any(|(to, home)| to.is_some_and(|to| to == hex || *home == hex))
        }
    }
}

/// Text as it is, but for bytes that are not UTF-8: `\xE0`. Printers escape what must not reach a terminal.
pub fn lossy(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        out.push_str(chunk.valid());
        // Writing to a string can't fail.
        chunk.invalid().iter().for_each(|byte| write!(out, "\\x{byte:02X}").unwrap_or_default());
    }
    out
}

/// A piece of text as messages show it.
pub fn quote(bytes: &[u8]) -> String {
    format!("`{}`", clipped(bytes))
}

/// The start of a text, with `…` for what is left out.
pub fn clipped(bytes: &[u8]) -> String {
    // Only so much is decoded as can be shown.
    let text = lossy(&bytes[..bytes.len().min(4 * QUOTED + 4)]);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::syntax::{Begins, Reader};

    const TAGS: &str = "[Variant \"C'escacs\"]\n";

    /// What stands before the ply `word`, the last one that is written so, and since which ply each hex is as it is.
    fn before(moves: &str, word: &str, hexes: &[&str]) -> String {
        let text = format!("{TAGS}{moves}");
        let mut reader = Reader::default();
        let record = &reader.read(text.as_bytes(), Begins::File);
        let context = Context { record, fouls: &[] };
        let is_it = |item: &Item| item.kind == ItemKind::Ply && item.text(record.text) == word.as_bytes();
        let index = record.items.iter().rposition(is_it).unwrap();
        let since = hexes.iter().map(|name| {
            let hex = Hex::all().find(|hex| hex.to_string() == *name).unwrap();
            match context.last_at(index, hex) {
                Since::Ply(ply) => context.ply_name(ply),
                Since::Start => "start".to_owned(),
                Since::Unknown => "unknown".to_owned(),
            }
        });
        let previous = context.previous(index).map_or("nothing".to_owned(), |ply| context.ply_name(ply));
        [previous].into_iter().chain(since).collect::<Vec<_>>().join("; ")
    }

    #[test]
    fn a_line_is_walked_past_its_variations() {
        let moves =
            "1. E7-E13, E21-E15\n(1. F8-F12, F20-F16\n2. E7-E11)\n(1. …, F20-F16)\n2. F8-F12, F20-F16\n3. EE5-E7";
        assert_eq!(before(moves, "E7-E13", &["E7"]), "nothing; start");
        assert_eq!(
            before(moves, "EE5-E7", &["E7", "E13", "F20", "E21", "G7"]),
            "2. …, F20-F16; 1. E7-E13; 1. E7-E13; 2. …, F20-F16; 1. …, E21-E15; start"
        );
    }

    #[test]
    fn a_variation_starts_before_the_pair_it_replaces_or_before_black() {
        let moves = "1. E7-E13, E21-E15\n2. F8-F12, F20-F16\n(2. G7-G9, G21-G19\n(2. …, D22-D20\n\
            (2. …, H22-H20\n3. KG1-I5)\n3. JF6-C15)\n3. EG5-G7)\n(2. …, EG23-F20)\n($[2] 2. D6-D8)\n3. C5-C7";
        let hexes = ["G7", "F8", "F20", "G21", "D22", "H22"];
        assert_eq!(
            before(moves, "EG5-G7", &hexes),
            "2. …, G21-G19; 2. G7-G9; start; start; 2. …, G21-G19; start; start"
        );
        assert_eq!(
            before(moves, "JF6-C15", &hexes),
            "2. …, D22-D20; 2. G7-G9; start; start; start; 2. …, D22-D20; start"
        );
        assert_eq!(
            before(moves, "KG1-I5", &hexes),
            "2. …, H22-H20; 2. G7-G9; start; start; start; start; 2. …, H22-H20"
        );
        assert_eq!(before(moves, "EG23-F20", &hexes), "2. F8-F12; start; 2. F8-F12; start; start; start; start");
        assert_eq!(before(moves, "D6-D8", &hexes), "1. …, E21-E15; start; start; start; start; start; start");
    }

    #[test]
    fn captures_in_passing_empty_the_hex_of_the_ply_before() {
        let moves = "1. E7-E13, E21-E15\n2. F8-F12, F20-F16\n3. E13×F16, E15×F12\n4. EG5-F8, EG23-F20\n\
            5. G7-G13, F12@@G9\n6. G3-H4";
        assert_eq!(
            before(moves, "G3-H4", &["G13", "G11", "G9", "G7", "F12", "F16"]),
            "5. …, F12@@G9; 5. …, F12@@G9; start; 5. …, F12@@G9; 5. G7-G13; 5. …, F12@@G9; 3. E13×F16"
        );
        // A scornful pawn is taken where it stands: what is behind it stays as it was.
        let moves = "1. E7-E13, E21-E15\n2. E13-D14, E15@D14\n3. A5-A7";
        assert_eq!(
            before(moves, "A5-A7", &["D14", "D16", "D12", "E13"]),
            "2. …, E15@D14; 2. …, E15@D14; start; start; 2. E13-D14"
        );
        let moves = "[PDTL \"/27:1k/25:R3/13:4P3/12:3p3/1:1K/ b -- G13@9-11 0 1\"]\n1. …, F12@@G9\n2. KG1-G3";
        assert_eq!(before(moves, "KG1-G3", &["G13", "G11"]), "1. …, F12@@G9; 1. …, F12@@G9; start");
    }

    #[test]
    fn castling_and_promotion_in_place_change_hexes() {
        let moves = "1. KRR-HIH, KRD-DE\n2. A23=D, A5-A7";
        assert_eq!(
            before(moves, "A5-A7", &["G1", "H6", "I3", "I7", "C3", "H8", "C25", "E27", "D26", "I25", "A23"]),
            "2. A23=D; 1. KRR-HIH; 1. KRR-HIH; 1. KRR-HIH; 1. KRR-HIH; 1. KRR-HIH; 1. KRR-HIH; 1. …, KRD-DE; \
             1. …, KRD-DE; 1. …, KRD-DE; start; 2. A23=D"
        );
    }

    #[test]
    fn a_ply_without_its_number_has_no_other() {
        let moves = "1? E7-E13, E21-E15\nF8-F12, F20-F16\n(C5-C7, C23-C21)\n3. G7-G9";
        assert_eq!(before(moves, "E21-E15", &[]), "1? E7-E13");
        assert_eq!(before(moves, "F8-F12", &[]), "1? …, E21-E15");
        assert_eq!(before(moves, "F20-F16", &[]), "F8-F12");
        assert_eq!(before(moves, "C23-C21", &["F8", "E21"]), "C5-C7; start; 1? …, E21-E15");
        assert_eq!(before(moves, "G7-G9", &["E21"]), "F20-F16; 1? …, E21-E15");
    }

    #[test]
    fn a_search_ends() {
        let moves = format!("1. E7-E13, E21-E15\n{}2. F8-F12", "(1. F8-F12)\n".repeat(5000));
        assert_eq!(before(&moves, "F8-F12", &["E13"]), "nothing; unknown");
        assert_eq!(before("1. E7-E13, E21-E15\n2. F8-F12", "F8-F12", &["E13"]), "1. …, E21-E15; 1. E7-E13");
    }
}
