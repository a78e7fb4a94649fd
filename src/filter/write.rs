//! **The** writer: tags and items to text.

use crate::game::{Ply, Side};
use crate::notation::{GameResult, Letters, Signs, pdtl, write_ply};
use crate::syntax::{Fault, Item, ItemKind, Record, Spelt, TagName};

/// The first fault that keeps a record from being written (§13.3).
pub fn refusal<'a>(record: &'a Record<'_>) -> Option<&'a Fault> {
    record.faults.iter().filter(|fault| fault.refuses()).min_by_key(|fault| fault.at)
}

/// Writes a record that has no [`refusal`] in minimal form (§13.1): all tags but `Redefine`, the main line a pair a line
/// in standard letters, its end mark and result.
pub fn write_minimal(record: &Record<'_>, out: &mut Vec<u8>) {
    write_tags(record, out);
    if record.tidy
        && let (Some(first), Some(last)) = (record.items.first(), record.items.last())
    {
        out.extend_from_slice(&record.text[first.at as usize..last.end()]);
        out.push(b'\n');
        return;
    }
    Movetext { text: record.text, out, tail: Tail::default(), open: false, moves: false }.write(record.items);
}

fn write_tags(record: &Record<'_>, out: &mut Vec<u8>) {
    for tag in record.tags.iter().filter(|tag| tag.name != TagName::Redefine) {
        let (at, end) = (tag.at as usize, tag.end as usize);
        match record.setup.letters {
            Some(letters) if tag.name == TagName::Pdtl && !letters.are_standard() => {
                let value = tag.value_at as usize;
                out.extend_from_slice(&record.text[at..value]);
                pdtl::reletter(tag.value(record.text), &letters, &Letters::STANDARD, out);
                out.extend_from_slice(&record.text[value + tag.value_len as usize..end]);
            }
            _ => out.extend_from_slice(&record.text[at..end]),
        }
        out.push(b'\n');
    }
}

/// What stands behind the ply that was written last.
#[derive(Clone, Copy, Default)]
struct Tail {
    /// The ply's sign for mate, and whose it is.
    mate: Option<Side>,
    offer: bool,
    /// The end mark, and whether it is glued to the ply.
    end: Option<bool>,
}

struct Movetext<'a, 'b> {
    text: &'a [u8],
    out: &'b mut Vec<u8>,
    tail: Tail,
    /// A line is begun.
    open: bool,
    /// A ply is written.
    moves: bool,
}

impl Movetext<'_, '_> {
    fn write(mut self, items: &[Item]) {
        let mut index = 0;
        let mut result = None;
        while let Some(&item) = items.get(index) {
            match item.kind {
                ItemKind::Open => index = item.value as usize,
                ItemKind::Number => self.number(item),
                ItemKind::Ellipsis => self.out.extend_from_slice(item.text(self.text)),
                ItemKind::Ply => self.ply(item),
                ItemKind::Offer => self.tail.offer = true,
                ItemKind::End => {
                    let glued = item.spelt.has(Spelt::GLUED) && items[index - 1].kind == ItemKind::Ply;
                    self.tail.end = Some(glued);
                }
                ItemKind::Result if result.is_none() => result = Some(item),
                _ => {}
            }
            index += 1;
        }
        let mate = self.tail.mate;
        if self.moves && mate.is_none() && self.tail.end.is_none() {
            // The end mark is missing: it has one place (§6.11).
            self.tail.end = Some(true);
        }
        self.end_line();
        match result {
            Some(item) if item.spelt.has(Spelt::PLAIN) => self.out.extend_from_slice(item.text(self.text)),
            Some(item) => self.out.extend_from_slice(GameResult::ALL[item.value as usize % 6].text().as_bytes()),
            None => {
                let told = mate.map_or("", |side| GameResult::of_mate(side).text());
                self.out.extend_from_slice(told.as_bytes());
            }
        }
        self.out.push(b'\n');
    }

    /// What stands behind a ply, in its order (§6.10).
    fn end_ply(&mut self) {
        let tail = std::mem::take(&mut self.tail);
        if tail.offer {
            self.out.extend_from_slice(b" (=)");
        }
        match tail.end {
            // `#` ends the game itself (§6.11).
            _ if tail.mate.is_some() => {}
            Some(glued) => self.out.extend_from_slice(if glued || tail.offer { b":" } else { b" :" }),
            None => {}
        }
    }

    fn end_line(&mut self) {
        self.end_ply();
        if std::mem::replace(&mut self.open, false) {
            self.out.push(b'\n');
        }
    }

    fn number(&mut self, item: Item) {
        self.end_line();
        self.open = true;
        if item.spelt.has(Spelt::PLAIN) {
            self.out.extend_from_slice(item.text(self.text));
        } else {
            self.out.extend_from_slice(item.value.to_string().as_bytes());
            self.out.push(if item.spelt.has(Spelt::UNKNOWN) { b'?' } else { b'.' });
        }
        self.out.push(b' ');
    }

    fn ply(&mut self, item: Item) {
        let side = if item.spelt.has(Spelt::BLACK) { Side::Black } else { Side::White };
        if side == Side::Black {
            self.end_ply();
            self.out.extend_from_slice(b", ");
        }
        let ply = Ply::from_bits(item.value);
        match ply {
            Some(ply) if !item.spelt.has(Spelt::PLAIN) => {
                let signs = if item.spelt.has(Spelt::OTHER) { Signs::OTHER } else { Signs::CANONICAL };
                write_ply(ply, &Letters::STANDARD, signs, self.out);
            }
            _ => self.out.extend_from_slice(item.text(self.text)),
        }
        self.tail.mate = ply.filter(|ply| ply.mates()).map(|_| side);
        self.moves = true;
    }
}
