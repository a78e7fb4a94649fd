//! What a message may look at: the record around a fault.

use crate::game::{Capture, Castling, Hex, Ply, Shape, Side};
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

    /// The ply at an item as a message names it: `4. EG5-F8`, `4. …, EG23-F20`.
    pub fn ply_name(&self, index: usize) -> String {
        let item = self.record.items[index];
        let text = lossy(item.text(self.record.text));
        let before = self.record.items[..index].iter().rev();
        let mut depth = 0_usize;
        for other in before {
            match other.kind {
                ItemKind::Close => depth += 1,
                ItemKind::Open => depth = depth.saturating_sub(1),
                ItemKind::Number if depth == 0 => {
                    let number = other.value;
                    return if item.spelt.has(Spelt::BLACK) {
                        format!("{number}. …, {text}")
                    } else {
                        format!("{number}. {text}")
                    };
                }
                _ => {}
            }
        }
        text
    }

    /// The last ply before the one at `index`, in its line, that touched `hex`: its item.
    pub fn last_at(&self, index: usize, hex: Hex) -> Option<usize> {
        self.plies_before(index).find(|&ply| touches(self.record.items[ply], hex))
    }

    /// The ply just before the one at `index` in its line: its item.
    pub fn previous(&self, index: usize) -> Option<usize> {
        self.plies_before(index).next()
    }

    /// The plies that lead to the one at `index`, backwards: out of closed variations, and out of an open one to the
    /// pair before the one that it replaces (§8.2).
    fn plies_before(&self, index: usize) -> impl Iterator<Item = usize> {
        let items = self.record.items;
        let mut at = index;
        // Inside a variation, the pair it replaces is left out: down to its number, or Black's ply only.
        let mut with_black = false;
        let mut skip = Skip::Nothing;
        std::iter::from_fn(move || {
            while at > 0 {
                at -= 1;
                let item = items[at];
                match (item.kind, skip) {
                    (ItemKind::Close, _) => at = item.value as usize,
                    (ItemKind::Open, _) => {
                        skip = if with_black { Skip::Black } else { Skip::Pair };
                        with_black = false;
                    }
                    (ItemKind::Number, Skip::Pair) => skip = Skip::Nothing,
                    (ItemKind::Number, Skip::Nothing) => {
                        with_black = items.get(at + 1).is_some_and(|next| next.kind == ItemKind::Ellipsis);
                    }
                    (ItemKind::Ply, Skip::Black) if item.spelt.has(Spelt::BLACK) => skip = Skip::Nothing,
                    (ItemKind::Ply, Skip::Nothing) => return Some(at),
                    _ => {}
                }
            }
            None
        })
    }
}

#[derive(Clone, Copy)]
enum Skip {
    Nothing,
    Pair,
    Black,
}

/// Whether a ply moves something onto or from a hex, or captures there.
fn touches(item: Item, hex: Hex) -> bool {
    if item.spelt.has(Spelt::UNREAD) {
        return false;
    }
    let side = if item.spelt.has(Spelt::BLACK) { Side::Black } else { Side::White };
    match Ply::from_bits(item.value).map(Ply::shape) {
        None => false,
        Some(Shape::Step { from, to, capture, .. }) => {
            let passing = matches!(capture, Capture::Passing | Capture::LongPassing);
            let behind = |lines| to.ahead(side, lines) == Some(hex);
            from == hex || to == hex || passing && (behind(-2) || behind(-4))
        }
        Some(Shape::Promote { at, .. }) => at == hex,
        Some(Shape::Castle(castling)) => {
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
        chunk.invalid().iter().for_each(|byte| out.push_str(&format!("\\x{byte:02X}")));
    }
    out
}

/// A piece of text as messages show it.
pub fn quote(bytes: &[u8]) -> String {
    // Only so much is decoded as can be shown.
    let text = lossy(&bytes[..bytes.len().min(4 * QUOTED + 4)]);
    match text.char_indices().nth(QUOTED) {
        Some((end, _)) => format!("`{}…`", &text[..end]),
        None => format!("`{text}`"),
    }
}
