//! Fragments of a game as one (§13.9).

use super::gather::{Piece, Unfit, Whole, edges, ends_as_a_part, follows, is_ended, same_tags};
use super::take::{Changes, Taken, mated, relink};
use crate::game::{Faced, Position, Special};
use crate::notation::{Fragment, Id, RecordKind, Stretch, id};
use crate::syntax::{Head, Item, ItemKind, TagName, main_line, result_item};

/// What a part says otherwise than the record it was taken from.
const OF_A_PART: [TagName; 4] = [TagName::Id, TagName::Result, TagName::Termination, TagName::Pdtl];

/// The record of which these are parts, each behind the other.
///
/// **Decision**: each begins where the one before it ends: the number and the position of its `PDTL` tag. The tags are those of the
/// last one, which alone may have a result.
///
/// # Errors
/// What does not fit.
pub(super) fn join(text: &[u8], mut pieces: Vec<Piece>) -> Result<Whole, Unfit> {
    for (record, pair) in (1..).zip(pieces.windows(2)) {
        fits(text, record, &pair[0], &pair[1])?;
    }
    let id = named(text, &pieces)?;
    let mut tags = Vec::new();
    let mut joined = Joined::default();
    if let [first, .., last] = &pieces[..] {
        let position = first.tag(TagName::Pdtl);
        tags.extend(last.tags.iter().filter(|tag| tag.name != TagName::Pdtl).chain(position));
    }
    let last = pieces.len().saturating_sub(1);
    for (record, piece) in pieces.iter_mut().enumerate() {
        if record < last {
            end_no_more(&mut piece.items);
        }
        joined.append(text, &piece.items);
    }
    let mut items = joined.items;
    relink(&mut items);
    Ok(Whole { tags, taken: Taken { items, changes: Changes { id, ..Changes::default() } } })
}

/// Whether a part can go on with the next one, which is the `record`-th.
fn fits(text: &[u8], record: usize, piece: &Piece, next: &Piece) -> Result<(), Unfit> {
    same_tags(text, (record, next), ("the record before it", piece), &OF_A_PART)?;
    if is_ended(&piece.items) || mated(&piece.items).is_some() {
        let why = "the game ends here, and the next record goes on".to_owned();
        return Err(piece.unfit(record - 1, result_item(&piece.items).map(|item| item.at), why));
    }
    ends_as_a_part(text, record - 1, piece)?;
    let number = next.items.iter().find(|item| item.kind == ItemKind::Number).map(|item| item.at);
    let (one, other) = (edges(&piece.items), edges(&next.items));
    if !one.zip(other).is_some_and(|((_, last), (first, _))| follows(last, first)) {
        let why = "the moves don't go on where those of the record before it end, as the Ids say".to_owned();
        return Err(next.unfit(record, number, why));
    }
    if piece.end.map(as_told) != next.start.map(as_told) {
        let tag = next.tag(TagName::Pdtl).map(|tag| tag.value_at);
        let why = "it does not begin with the position at which the record before it ends".to_owned();
        return Err(next.unfit(record, tag.or(number), why));
    }
    Ok(())
}

/// A position as a PDTL tells it: of two pawns that a scornful one may have faced, not which (§10.4).
fn as_told(mut position: Position) -> Position {
    if let Special::Scornful(_, faced) = &mut position.special {
        *faced = Faced::Any;
    }
    position
}

/// The Id of the whole: the fragment that the parts make, and `V` if one of them has it (§4.5, §4.7).
fn named(text: &[u8], pieces: &[Piece]) -> Result<Option<String>, Unfit> {
    let read = |piece: &Piece| -> Option<(u32, &str, Id<'_>)> {
        let tag = piece.tag(TagName::Id)?;
        let value = &text[tag.value_at as usize..(tag.value_at + tag.value_len) as usize];
        Some((tag.value_at, std::str::from_utf8(value).ok()?, id::parse(value, piece.kind, &mut |_| {})?))
    };
    let ids: Vec<_> = pieces.iter().filter_map(read).collect();
    let Some((_, first_value, first)) = ids.first() else { return Ok(None) };
    let (mut value, mut whole) = (*first_value, *first);
    for (record, (at, own, id)) in ids.iter().enumerate() {
        if id.has_variations && whole.has_variations && id.version != whole.version {
            let why = "another version than that of the record before it".to_owned();
            return Err(pieces[record].unfit(record, Some(*at), why));
        }
        if id.has_variations && !whole.has_variations {
            (value, whole) = (own, *id);
        }
    }
    let (Some(piece), Some((_, _, last))) = (pieces.last(), ids.last()) else { return Ok(None) };
    if piece.kind == RecordKind::Id {
        return Ok(Some(value.to_owned()));
    }
    let fragment = first.fragment.zip(last.fragment).and_then(|(first, last)| of_both(first, last, piece));
    Ok(Some(whole.with_fragment(value, fragment.as_ref())))
}

/// The fragment that begins as one and ends as another, of which the moves are at hand; nothing if it is the whole game.
fn of_both(first: Fragment, last: Fragment, piece: &Piece) -> Option<Fragment> {
    let ends = last.stretch == Stretch::Ending;
    let stretch = match (first.stretch, ends) {
        (Stretch::Opening, true) => return None,
        (_, true) => Stretch::Ending,
        (stretch, false) => stretch,
    };
    let number = match last.last {
        // An ending whose first number is known says no last one (§4.7).
        _ if ends && first.first.is_some() => None,
        None => edges(&piece.items).map(|(_, last)| last.0),
        number => number,
    };
    Some(Fragment { stretch, last: number, is_white_last: number.is_some() && last.is_white_last, ..first })
}

/// Takes the result and the mark of the end from a part that others follow.
fn end_no_more(items: &mut Vec<Item>) {
    let ends: Vec<usize> = main_line(items)
        .filter(|(_, item)| matches!(item.kind, ItemKind::End | ItemKind::Result))
        .map(|(index, _)| index)
        .collect();
    for index in ends.into_iter().rev() {
        items.remove(index);
    }
    relink(items);
}

/// The items of the parts one behind the other.
#[derive(Default)]
struct Joined {
    items: Vec<Item>,
    /// The number of the last pair.
    pair: usize,
}

impl Joined {
    /// Adds the items of the next part. A pair that it begins with Black's ply goes on with that.
    fn append(&mut self, text: &[u8], next: &[Item]) {
        let number = next.iter().position(|item| item.kind == ItemKind::Number).unwrap_or(next.len());
        let last = main_line(next).filter(|(_, item)| item.kind == ItemKind::Number).last();
        let last = last.map_or(next.len(), |(index, _)| index);
        match next.get(number + 1) {
            Some(item) if item.kind == ItemKind::Ellipsis && !self.items.is_empty() => {
                self.go_on(text, next, number);
                if last > number {
                    self.pair = self.items.len() - (next.len() - last);
                }
            }
            _ => {
                self.pair = self.items.len() + last;
                self.items.extend(next);
            }
        }
    }

    /// Adds Black's half of the last pair, the number of which stands at `number` once more, and what follows.
    fn go_on(&mut self, text: &[u8], next: &[Item], number: usize) {
        let is_remark = |item: &Item| matches!(item.kind, ItemKind::Comment | ItemKind::Open);
        let ends_pair = |item: &Item| matches!(item.kind, ItemKind::Number | ItemKind::Result);
        let (head, next) = (&next[..number], &next[number + 2..]);
        let remarks = next.iter().position(|item| is_remark(item) || ends_pair(item)).unwrap_or(next.len());
        let marks = self.items[self.pair..].iter().position(is_remark);
        let others = self.items.split_off(marks.map_or(self.items.len(), |index| self.pair + index));
        let (black, next) = next.split_at(remarks);
        self.items.extend([black, &others, head].concat());
        // What is said of the pair and of neither ply both halves say: once is enough.
        let is_of_pair = |item: &Item| item.kind == ItemKind::Comment && Head::read(item.text(text)).player.is_none();
        let said: Vec<&[u8]> = others.iter().filter(|item| is_of_pair(item)).map(|item| item.text(text)).collect();
        let (mut depth, mut in_pair) = (0_usize, true);
        for item in next {
            depth += usize::from(item.kind == ItemKind::Open);
            depth = depth.saturating_sub(usize::from(item.kind == ItemKind::Close));
            in_pair &= depth > 0 || !ends_pair(item);
            if !(in_pair && depth == 0 && is_of_pair(item) && said.contains(&item.text(text))) {
                self.items.push(*item);
            }
        }
    }
}
