//! A record that can be read, pair by pair, as its canonical form has them (§13.6).

use crate::filter::tags::close_of;
use crate::game::{Ply, Side};
use crate::notation::{GameResult, valuation};
use crate::syntax::{Item, ItemKind, Record, Spelt};

/// A ply with what stands behind it.
pub(super) struct Half {
    /// Its item.
    pub item: usize,
    pub ply: Ply,
    pub side: Side,
    pub valuations: Vec<Item>,
    pub offer: bool,
}

impl Half {
    /// Its valuations as they are written, separated by a blank; bytes that could be something else were refused.
    pub fn valuation(&self, record: &Record<'_>) -> String {
        let sign = |item: &Item| match valuation(item.value) {
            Some(sign) => sign.to_owned(),
            None => String::from_utf8_lossy(item.text(record.text)).into_owned(),
        };
        self.valuations.iter().map(sign).collect::<Vec<_>>().join(" ")
    }
}

/// A pair, without its variations.
pub(super) struct Pair {
    /// Nothing where it is unknown (§7.5).
    pub number: Option<u32>,
    /// White's ply, then Black's.
    pub halves: [Option<Half>; 2],
    /// On its plies and on itself, in the order of the text.
    pub comments: Vec<Item>,
}

/// What comes next.
pub(super) enum Step<'w> {
    /// A comment before the first pair of its line, or behind the result.
    Comment(Item),
    Pair(&'w Pair),
    /// A variation of the last pair, with its label.
    Open(Option<u32>),
    /// The end of the variation.
    Close,
    /// The end of the main line.
    Result(GameResult),
}

/// Goes through a record that is written in a form with variations, without recursion. Comments stand at their pair before its
/// variations; what the canonical form drops or adds by itself (commas, end marks) is not told.
pub(super) fn walk(record: &Record<'_>, mut each: impl FnMut(Step<'_>)) {
    let items = record.items;
    let (mut index, mut depth) = (0, 0_usize);
    // Comments of the line at hand were told with their pair.
    let mut remarked = false;
    let (mut result, mut mate) = (None, None);
    while let Some(&item) = items.get(index) {
        match item.kind {
            ItemKind::Number => {
                let (pair, next) = Pair::read(items, index);
                each(Step::Pair(&pair));
                remarked = true;
                index = next;
                if depth == 0 {
                    let mates = |half: &&Half| half.ply.mates();
                    mate = pair.halves.iter().flatten().last().filter(mates).map(|half| half.side);
                }
                continue;
            }
            ItemKind::Comment if !remarked => each(Step::Comment(item)),
            ItemKind::Open => {
                let label = items.get(index + 1).filter(|next| next.kind == ItemKind::Label);
                each(Step::Open(label.map(|label| label.value)));
                depth += 1;
                remarked = false;
            }
            ItemKind::Close => {
                each(Step::Close);
                depth = depth.saturating_sub(1);
                remarked = true;
            }
            ItemKind::Result if result.is_none() => {
                result = item.result();
                result.into_iter().for_each(|result| each(Step::Result(result)));
                remarked = false;
            }
            _ => {}
        }
        index += 1;
    }
    if result.is_none() {
        each(Step::Result(mate.map_or(GameResult::Unfinished, GameResult::of_mate)));
    }
}

impl Pair {
    /// The one whose number stands at `index`, and the item to go on with: the first one behind its plies.
    fn read(items: &[Item], index: usize) -> (Pair, usize) {
        let number = &items[index];
        let number = Some(number.value).filter(|_| !number.spelt.has(Spelt::UNKNOWN));
        let mut pair = Pair { number, halves: [None, None], comments: Vec::new() };
        let (mut index, mut first) = (index + 1, None);
        let mut last = None;
        while let Some(&item) = items.get(index) {
            match item.kind {
                ItemKind::Number | ItemKind::Result | ItemKind::Close => break,
                ItemKind::Open => {
                    first = first.or(Some(index));
                    index = close_of(item, index);
                }
                ItemKind::Comment => {
                    first = first.or(Some(index));
                    pair.comments.push(item);
                }
                ItemKind::Ply => {
                    let side = item.spelt.side();
                    last = Some(side as usize);
                    pair.halves[side as usize] = Ply::from_bits(item.value).map(|ply| Half {
                        item: index,
                        ply,
                        side,
                        valuations: Vec::new(),
                        offer: false,
                    });
                }
                ItemKind::Valuation | ItemKind::Offer => {
                    if let Some(half) = last.and_then(|last: usize| pair.halves[last].as_mut()) {
                        match item.kind {
                            ItemKind::Valuation => half.valuations.push(item),
                            _ => half.offer = true,
                        }
                    }
                }
                _ => {}
            }
            index = index.saturating_add(1);
        }
        (pair, first.unwrap_or(index))
    }
}
