//! Parts of a record as records of their own: a line of its tree (§13.8), a fragment of its main line (§13.9).

use std::ops::Range;

use super::form::Form;
use super::tags::close_of;
use crate::game::{Ply, Position, Side};
use crate::notation::{Fragment, GameResult, Id, RecordKind, Stretch};
use crate::syntax::fault::{Fault, FileFault};
use crate::syntax::{Head, Item, ItemKind, Record, Spelt, TagName, last_ply, main_line, outside_variations};

/// What is taken of a record.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Take {
    /// The line with these alternatives: one number for each of its pairs that has alternatives, 0 to stay (§13.8).
    Line(Vec<u32>),
    /// Every line as a record of its own.
    EveryLine,
    /// Some pairs of the main line (§13.9).
    Fragment(Fragment),
}

/// What a record of its own says otherwise than the one it was taken from.
#[derive(Default)]
pub(super) struct Changes {
    /// Its Id.
    pub id: Option<String>,
    /// Where it begins.
    pub start: Option<Position>,
    /// Its result, where that is not the game's.
    pub result: Option<GameResult>,
}

impl Changes {
    /// Whether nothing changes.
    pub(super) fn are_none(&self) -> bool {
        self.id.is_none() && self.start.is_none() && self.result.is_none()
    }
}

/// A part of a record.
pub(super) struct Taken {
    pub items: Vec<Item>,
    pub changes: Changes,
}

/// What a record does not have, and the item at which it is missed.
#[derive(Clone, Copy)]
pub(super) enum Missing {
    /// This alternative to a pair.
    Alternative(usize, u32),
    /// A pair; the last one is there.
    Pair(usize),
    /// All is there, but too much.
    Bound(usize),
}

/// **Decision**: a record whose lines have more items and choices together is refused: variations in variations, and their Ids, may
/// take the square of its length.
const MOST_ITEMS: usize = 1 << 24;

impl Missing {
    pub(super) fn fault(self, items: &[Item]) -> Fault {
        let (kind, item, seen) = match self {
            Missing::Alternative(item, alternative) => (FileFault::NoSuchPart, item, alternative),
            Missing::Pair(item) => (FileFault::NoSuchPart, item, 0),
            Missing::Bound(item) => (FileFault::TooManyLines, item, 0),
        };
        let (at, len) = items.get(item).map_or((0, 0), |item| (item.at, item.len));
        Fault { kind: kind.into(), aside: false, at, len, item: item as u32, seen }
    }
}

/// A pair with what stands behind it.
struct Pair {
    /// The item of its number.
    number: usize,
    /// The item behind it.
    end: usize,
    /// Its alternatives.
    opens: Vec<usize>,
}

impl Pair {
    /// The one whose number stands at `index`, in a line that ends before `end`.
    fn at(items: &[Item], index: usize, end: usize) -> Pair {
        let mut pair = Pair { number: index, end, opens: Vec::new() };
        let mut next = index + 1;
        while next < end {
            match items[next].kind {
                ItemKind::Number | ItemKind::Result => {
                    pair.end = next;
                    break;
                }
                ItemKind::Open => {
                    pair.opens.push(next);
                    next = close_of(items[next], next);
                }
                _ => {}
            }
            next += 1;
        }
        pair
    }

    /// Those of the main line and of all variations, in the order of the text, each with its items outside variations: many lines
    /// have the same ones, and a pair may have very many alternatives.
    fn all(items: &[Item]) -> Vec<(Pair, Vec<Item>)> {
        let (mut pairs, mut ends) = (Vec::new(), Vec::new());
        for (index, item) in items.iter().enumerate() {
            while ends.pop_if(|end| *end <= index).is_some() {}
            match item.kind {
                ItemKind::Open => ends.push(close_of(*item, index).min(items.len())),
                ItemKind::Number => {
                    let pair = Pair::at(items, index, ends.last().copied().unwrap_or(items.len()));
                    let own = outside_variations(items, index..pair.end).map(|(_, item)| *item).collect();
                    pairs.push((pair, own));
                }
                _ => {}
            }
        }
        pairs
    }
}

/// White's half of a pair, for alternatives that begin with `…` in its place (§8.2).
#[derive(Clone, Default)]
struct Half {
    /// Number, ply and marks.
    ply: Vec<Item>,
    comments: Vec<Item>,
}

impl Half {
    /// That of a pair without alternatives; the one it inherits where it begins with `…`.
    fn of(record: &Record<'_>, pair: &[Item], inherited: Half) -> Half {
        if pair.iter().any(|item| item.kind == ItemKind::Ellipsis) {
            return inherited;
        }
        let is_black = |item: &Item| item.kind == ItemKind::Ply && item.spelt.has(Spelt::BLACK);
        let end =
            pair.iter().position(|item| matches!(item.kind, ItemKind::Comma | ItemKind::Comment) || is_black(item));
        let ply = pair[..end.unwrap_or(pair.len())].iter().filter(|item| item.kind != ItemKind::End);
        let is_remark = |item: &&Item| {
            item.kind == ItemKind::Comment && Head::read(item.text(record.text)).player == Some(Side::White)
        };
        Half { ply: ply.copied().collect(), comments: pair.iter().filter(is_remark).copied().collect() }
    }
}

/// A line of the tree.
struct Line {
    items: Vec<Item>,
    /// How many alternatives there are to each pair that has some.
    widths: Vec<u32>,
    /// It is the main line.
    is_main: bool,
}

impl Line {
    /// Of all pairs of the record those that are chosen.
    fn of(record: &Record<'_>, pairs: &[(Pair, Vec<Item>)], choices: &[u32]) -> Result<Line, Missing> {
        let items = record.items;
        let mut line = Line { items: Vec::new(), widths: Vec::new(), is_main: true };
        let (mut index, mut end) = (0, items.len());
        // White's ply of the pair replaced, and comments before the first pair of the variation.
        let (mut inherited, mut lead) = (Half::default(), Vec::new());
        while index < end {
            let Ok(place) = pairs.binary_search_by_key(&index, |(pair, _)| pair.number) else {
                line.items.push(items[index]);
                index += 1;
                continue;
            };
            let (pair, own) = &pairs[place];
            let choice = line.choose(pair, choices);
            let Some(before) = (choice as usize).checked_sub(1) else {
                line.push(own, std::mem::take(&mut inherited), std::mem::take(&mut lead));
                index = pair.end;
                continue;
            };
            let open = *pair.opens.get(before).ok_or(Missing::Alternative(index, choice))?;
            inherited = Half::of(record, own, inherited);
            end = close_of(items[open], open);
            index = (open + 1..end).find(|&inner| items[inner].kind == ItemKind::Number).unwrap_or(end);
            lead = items[open + 1..index].iter().filter(|item| item.kind == ItemKind::Comment).copied().collect();
            line.is_main = false;
        }
        if choices.iter().skip(line.widths.len()).any(|choice| *choice > 0) {
            return Err(Missing::Pair(last_pair(items)));
        }
        Ok(line)
    }

    /// Which alternative to a pair is chosen, 0 for none.
    fn choose(&mut self, pair: &Pair, choices: &[u32]) -> u32 {
        if pair.opens.is_empty() {
            return 0;
        }
        self.widths.push(pair.opens.len() as u32);
        choices.get(self.widths.len() - 1).copied().unwrap_or(0)
    }

    /// Adds a pair; `lead` are comments that go before its own.
    fn push(&mut self, own: &[Item], inherited: Half, lead: Vec<Item>) {
        let position = |kind| own.iter().position(|item| item.kind == kind);
        let remarks = position(ItemKind::Comment).unwrap_or(own.len());
        let begin = match position(ItemKind::Ellipsis) {
            Some(ellipsis) if !inherited.ply.is_empty() => ellipsis + 1,
            _ => 0,
        };
        let remarks = remarks.max(begin);
        if begin > 0 {
            self.items.extend(inherited.ply);
        }
        self.items.extend(&own[begin..remarks]);
        if begin > 0 {
            self.items.extend(inherited.comments);
        }
        self.items.extend(lead);
        self.items.extend(&own[remarks..]);
    }

    /// The choices that follow in the order of the text; nothing behind the last line.
    fn next(&self, choices: &[u32]) -> Option<Vec<u32>> {
        let chosen = |index: usize| choices.get(index).copied().unwrap_or(0);
        let last = (0..self.widths.len()).rev().find(|&index| chosen(index) < self.widths[index])?;
        Some((0..=last).map(|index| chosen(index) + u32::from(index == last)).collect())
    }

    /// As a record of its own.
    fn part(self, record: &Record<'_>, choices: &[u32]) -> Taken {
        let id = identifier(record).filter(|_| !self.widths.is_empty()).map(|(value, id)| {
            if self.is_main { id.without_variations(value).into_owned() } else { of_line(value, &id, choices) }
        });
        let result = (!self.is_main).then(|| mated(&self.items).unwrap_or(GameResult::Unfinished));
        Taken { items: self.items, changes: Changes { id, start: None, result } }
    }
}

/// A record's Id, if it can be read, with its text.
pub(super) fn identifier<'a>(record: &Record<'a>) -> Option<(&'a str, Id<'a>)> {
    let value = std::str::from_utf8(record.value(TagName::Id)?).ok()?;
    Some((value, record.id?))
}

/// The result that the last ply of the main line has, if it mates.
pub(super) fn mated(items: &[Item]) -> Option<GameResult> {
    let last = last_ply(items)?;
    let side = last.spelt.side();
    Ply::from_bits(last.value).filter(|ply| ply.mates()).map(|_| GameResult::of_mate(side))
}

/// The Id of a line (§4.5).
fn of_line(value: &str, id: &Id<'_>, choices: &[u32]) -> String {
    let numbers: Vec<String> = choices.iter().map(u32::to_string).collect();
    let last = choices.iter().rposition(|choice| *choice > 0).map_or(0, |last| last + 1);
    let (rest, language) = id.without_language(value);
    let variations = if id.has_variations { "" } else { "-V" };
    format!("{rest}{variations}-S:{}{language}", numbers[..last].join(":"))
}

impl Take {
    /// The form by which it is decided whether a record can be read: what lines are made of must be.
    pub(super) fn reading(&self, form: &Form) -> Form {
        let mut form = form.clone();
        form.keep.variations |= !matches!(self, Take::Fragment(_));
        form
    }

    /// The ply behind which a fragment begins, if it begins behind one.
    pub(super) fn begins_behind(&self, record: &Record<'_>) -> Option<usize> {
        let Take::Fragment(wanted) = self else { return None };
        let start = Cut::of(record, *wanted).ok()?.start?;
        outside_variations(record.items, 0..start)
            .filter(|(_, item)| item.kind == ItemKind::Ply)
            .last()
            .map(|(ply, _)| ply)
    }

    /// Gives the parts of a record, one after the other; `each` writes one. A fragment begins with `start`.
    ///
    /// # Errors
    /// What is wanted and not there; what has been given is void.
    pub(super) fn each(
        &self,
        record: &Record<'_>,
        start: Option<Position>,
        mut each: impl FnMut(Taken),
    ) -> Result<(), Missing> {
        match self {
            Take::Line(choices) => each(Line::of(record, &Pair::all(record.items), choices)?.part(record, choices)),
            Take::EveryLine => {
                let pairs = Pair::all(record.items);
                let (mut choices, mut left) = (Some(Vec::new()), MOST_ITEMS);
                while let Some(chosen) = choices {
                    let line = Line::of(record, &pairs, &chosen)?;
                    let size = line.items.len() + chosen.len();
                    left = left.checked_sub(size).ok_or_else(|| Missing::Bound(last_pair(record.items)))?;
                    choices = line.next(&chosen);
                    each(line.part(record, &chosen));
                }
            }
            Take::Fragment(fragment) => each(self::fragment(record, *fragment, start)?),
        }
        Ok(())
    }
}

/// Where a fragment is cut from the main line.
struct Cut {
    /// The items of the numbers of its first and its last pair.
    from: usize,
    to: usize,
    first: Halves,
    last: Halves,
    /// White's half of the first pair is cut off, Black's of the last.
    halves: [bool; 2],
    /// The item that it begins with, unless it begins with the record.
    start: Option<usize>,
    /// It ends as the record does.
    ends: bool,
}

impl Cut {
    fn of(record: &Record<'_>, wanted: Fragment) -> Result<Cut, Missing> {
        let items = record.items;
        let numbers: Vec<_> = main_line(items).filter(|(_, item)| item.kind == ItemKind::Number).collect();
        let last_pair = last_pair(items);
        let missing = Missing::Pair(last_pair);
        let find = |number: Option<u32>| {
            let is_it = |item: &Item| Some(item.value) == number && !item.spelt.has(Spelt::UNKNOWN);
            numbers.iter().find(|(_, item)| is_it(item)).map(|(index, _)| *index).ok_or(missing)
        };
        let from = find(wanted.first)?;
        let to = if wanted.last.is_some() { find(wanted.last)? } else { last_pair };
        let is_first = numbers.first().is_some_and(|(index, _)| *index == from);
        if to < from || wanted.stretch == Stretch::Opening && (!is_first || record.setup.has_pdtl) {
            return Err(missing);
        }
        let (first, last) = (Halves::of(items, from), Halves::of(items, to));
        let halves = [wanted.is_black_first && first.white, wanted.is_white_last && last.black.is_some()];
        if halves[0] && first.black.is_none() || halves[1] && !last.white || halves == [true; 2] && from == to {
            return Err(missing);
        }
        let start = if halves[0] { first.black } else { Some(from).filter(|_| !is_first) };
        Ok(Cut { from, to, first, last, halves, start, ends: to == last_pair && !halves[1] })
    }
}

/// Some pairs of the main line, with their comments and variations.
fn fragment(record: &Record<'_>, wanted: Fragment, start: Option<Position>) -> Result<Taken, Missing> {
    let cut = Cut::of(record, wanted)?;
    let end = if cut.ends { record.items.len() } else { cut.last.end };
    let range = cut.start.map_or(0, |_| cut.from)..end;
    let [white, black] = cut.halves;
    let [white, black] = [white.then_some(cut.from..cut.first.end), black.then_some(cut.to..cut.last.end)];
    let kept = kept(record, range, white.as_ref(), black.as_ref());
    let fragment = Fragment {
        is_black_first: cut.halves[0] || !cut.first.white,
        is_white_last: !cut.ends && (cut.halves[1] || cut.last.black.is_none()),
        ..wanted
    };
    let has_variations = kept.iter().any(|item| item.kind == ItemKind::Open);
    let id = identifier(record).map(|(value, id)| {
        let is_game = record.kind() == RecordKind::Game;
        let named = if is_game { id.with_fragment(value, Some(&fragment)) } else { value.to_owned() };
        if has_variations { named } else { id.without_variations(&named).into_owned() }
    });
    let start = start.filter(|_| cut.start.is_some());
    let result = (!cut.ends).then_some(GameResult::Unfinished);
    Ok(Taken { items: kept, changes: Changes { id, start, result } })
}

/// The item of the last number of the main line.
fn last_pair(items: &[Item]) -> usize {
    main_line(items).filter(|(_, item)| item.kind == ItemKind::Number).last().map_or(0, |(index, _)| index)
}

/// What a pair has.
struct Halves {
    white: bool,
    /// The item of Black's ply.
    black: Option<usize>,
    /// The item behind the pair.
    end: usize,
}

impl Halves {
    /// Of the pair whose number stands at `index` in the main line.
    fn of(items: &[Item], index: usize) -> Halves {
        let end = Pair::at(items, index, items.len()).end;
        let mut halves = Halves { white: false, black: None, end };
        for (at, item) in outside_variations(items, index + 1..end).filter(|(_, item)| item.kind == ItemKind::Ply) {
            if item.spelt.has(Spelt::BLACK) {
                halves.black = Some(at);
            } else {
                halves.white = true;
            }
        }
        halves
    }
}

/// The items of a range, without White's half of one pair and Black's half of another: ply, marks, comments on it, and
/// alternatives to it.
fn kept(
    record: &Record<'_>,
    range: Range<usize>,
    without_white: Option<&Range<usize>>,
    without_black: Option<&Range<usize>>,
) -> Vec<Item> {
    let items = record.items;
    let lies_in = |index: usize, pair: Option<&Range<usize>>| pair.is_some_and(|pair| pair.contains(&index));
    let mut kept = Vec::with_capacity(range.len() + 1);
    let mut index = range.start;
    // Whose half of its pair an item is.
    let mut half = None;
    while index < range.end {
        let item = items[index];
        let end = if item.kind == ItemKind::Open { close_of(item, index) + 1 } else { index + 1 };
        half = match item.kind {
            ItemKind::Number | ItemKind::Result => None,
            ItemKind::Ply if !item.spelt.has(Spelt::BLACK) => Some(Side::White),
            ItemKind::Ply | ItemKind::Comma => Some(Side::Black),
            _ => half,
        };
        let of = match item.kind {
            ItemKind::Comment => Head::read(item.text(record.text)).player,
            ItemKind::Open => Some(alternative_to(&items[index..end])),
            _ => half,
        };
        let goes = lies_in(index, without_white) && of == Some(Side::White)
            || lies_in(index, without_black) && of == Some(Side::Black);
        if !goes {
            kept.extend(&items[index..end]);
        }
        if item.kind == ItemKind::Number && lies_in(index, without_white) {
            // No text of its own stands for it.
            kept.push(Item { len: 0, kind: ItemKind::Ellipsis, value: 0, ..item });
        }
        index = end;
    }
    relink(&mut kept);
    kept
}

/// Whose ply a variation begins with.
fn alternative_to(variation: &[Item]) -> Side {
    let first = variation.iter().find(|item| matches!(item.kind, ItemKind::Ellipsis | ItemKind::Ply));
    if first.is_some_and(|item| item.kind == ItemKind::Ellipsis) { Side::Black } else { Side::White }
}

/// Tells each `(` again where its `)` is.
pub(super) fn relink(items: &mut [Item]) {
    let mut open = Vec::new();
    for index in 0..items.len() {
        match items[index].kind {
            ItemKind::Open => open.push(index),
            ItemKind::Close => {
                if let Some(open) = open.pop() {
                    items[open].value = index as u32;
                }
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::refusal;
    use crate::filter::write::write_part;
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    const TAGS: &str = "[Variant \"C'escacs\"]\n";
    const MOVES: &str = "{ ours }\n\
        1. E7-E13, E21-E15\n{ @W: bold }\n{ @B: calm }\n\
        2. F8-F12 ?!, F20-F16\n\
        (2. D6-D12, D22-D16\n.(2. …, F20-F16\n..{ @B: deep }\n..3. G7-G13)\n.3. G7-G13)\n\
        ($[2] 2. …, D22-D16 !\n.{ @B: instead }\n)\n\
        3. E13×F16, E15×F12\n\
        (3. E13-F14)\n\
        4. EG5-F8, EG23-F20:\n*\n{ the end }\n";

    /// The parts of a record with these tags, each as its Id, its result tag, and the rest in a line; or the place of what is
    /// missing and the alternative.
    fn taken(tags: &str, moves: &str, take: &Take) -> Result<Vec<String>, (u32, u32)> {
        let text = format!("{TAGS}{tags}\n{moves}");
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        Replayer::default().replay(&mut record);
        assert_eq!(refusal(&record, &take.reading(&Form::CANONICAL)), None);
        let mut parts = Vec::new();
        let mut start = Position::INITIAL;
        start.turn = Side::Black;
        let told = take.each(&record, Some(start), |part| {
            let mut out = Vec::new();
            write_part(&record, &part, &Form::CANONICAL, &mut out);
            let text = String::from_utf8(out).unwrap();
            parts.push(text.strip_prefix(TAGS).unwrap().trim_end().replace('\n', " "));
        });
        told.map_err(|missing| missing.fault(record.items)).map_err(|fault| (fault.at, fault.seen))?;
        Ok(parts)
    }

    fn lines(take: &Take) -> Vec<String> {
        taken("[Id \"Me-X01-V-II-en\"]\n[Result \"1-1\"]\n[Termination \"death\"]", MOVES, take).unwrap()
    }

    const START: &str = "{ ours } 1. E7-E13, E21-E15 { @W: bold } { @B: calm } 2.";

    #[test]
    fn every_line_is_a_record_of_its_own() {
        let id = |suffix: &str| format!("[Id \"Me-X01{suffix}-en\"]");
        let all = [
            format!(
                "{} [Result \"1-1\"] [Termination \"death\"] {START} F8-F12 ?!, F20-F16 3. E13×F16, E15×F12 \
                 4. EG5-F8, EG23-F20: * {{ the end }}",
                id("")
            ),
            format!("{} {START} F8-F12 ?!, F20-F16 3. E13-F14: *", id("-V-II-S:0:1")),
            format!("{} {START} D6-D12, D22-D16 3. G7-G13: *", id("-V-II-S:1")),
            format!("{} {START} D6-D12, F20-F16 {{ @B: deep }} 3. G7-G13: *", id("-V-II-S:1:1")),
            format!("{} {START} F8-F12 ?!, D22-D16 !: {{ @B: instead }} *", id("-V-II-S:2")),
        ];
        assert_eq!(lines(&Take::EveryLine), all);
        for (choices, line) in [(&[0, 0, 0][..], 0), (&[0, 1], 1), (&[1], 2), (&[1, 1], 3), (&[2, 0], 4)] {
            assert_eq!(lines(&Take::Line(choices.to_vec())), all[line..=line]);
        }
    }

    /// How many lines a record with these variations to pair 1 has; or the place of what is missing.
    fn count(variations: &str) -> Result<usize, u32> {
        let text = format!("{TAGS}[Id \"Me-X01-V\"]\n1. E7-E13, E21-E15\n{variations}\n2. F8-F12:\n*\n");
        let mut reader = Reader::default();
        let record = reader.read(text.as_bytes(), Begins::File);
        let mut count = 0;
        let told = Take::EveryLine.each(&record, None, |_| count += 1);
        told.map(|()| count).map_err(|missing| missing.fault(record.items).at - text.find("2. F8").unwrap() as u32)
    }

    #[test]
    fn very_many_alternatives_and_very_deep_ones_come_to_an_end() {
        let (open, close) = ("(1. D6-D12, D22-D16\n", ")");
        assert_eq!(count(&[open, close].concat().repeat(50_000)), Ok(50_001));
        assert_eq!(count(&[open.repeat(500), close.repeat(500)].concat()), Ok(501));
        assert_eq!(count(&[open.repeat(20_000), close.repeat(20_000)].concat()), Err(0));
    }

    #[test]
    fn a_line_may_end_in_mate_and_a_game_says_so() {
        let fools = "1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11\n3. L5-L7, NG25-L17\n4. EH4-H8, GZ11-L5\n5. I5-I9, NL17-G9\n\
            6. K4-K8:\n(6. K4-K10, GL5-H6#)\n*\n";
        let tags = "[Event \"CG\"]\n[White \"?\"]\n[Black \"?\"]\n[Result \"*\"]";
        let told = taken(tags, fools, &Take::Line(vec![1])).unwrap();
        assert!(told[0].contains("[Result \"0-3\"] 1. H6-H12"), "{}", told[0]);
        assert!(told[0].ends_with("6. K4-K10, GL5-H6# 0-3"), "{}", told[0]);
    }

    #[test]
    fn what_is_not_there_is_named() {
        let missing = |choices: &[u32]| taken("[Id \"Me-X01-V\"]", MOVES, &Take::Line(choices.to_vec())).unwrap_err();
        assert_eq!(missing(&[3]).1, 3);
        assert_eq!(missing(&[0, 2]).1, 2);
        assert_eq!(missing(&[0, 0, 1]).1, 0);
        for pairs in ["O5", "C5-6", "E9", "C2-9", "O4w"] {
            let fragment = Take::Fragment(Fragment::parse(pairs).unwrap());
            let told = taken("[Id \"Me-X01-V\"]", MOVES, &fragment);
            assert_eq!(told.is_err(), pairs != "O4w", "{pairs}: {told:?}");
        }
    }

    #[test]
    fn a_fragment_keeps_what_belongs_to_its_pairs() {
        let game = "[White \"?\"]\n[Result \"1-1\"]\n[Id \"Me-7-V\"]";
        let told = |pairs: &str| {
            let take = Take::Fragment(Fragment::parse(pairs).unwrap());
            taken(game, MOVES, &take).unwrap().remove(0).replace("[White \"?\"] ", "")
        };
        assert_eq!(
            told("O1"),
            "[Result \"*\"] [Id \"Me-7-O1\"] { ours } 1. E7-E13, E21-E15: { @W: bold } { @B: calm } *"
        );
        assert_eq!(told("O1w"), "[Result \"*\"] [Id \"Me-7-O1w\"] { ours } 1. E7-E13: { @W: bold } *");
        let pdtl = |told: String| {
            let (head, rest) = told.split_once("[PDTL \"").unwrap();
            assert!(rest.contains(" b RKRrkr - 0 1\"] "), "{rest}");
            format!("{head}{}", rest.split_once("] ").unwrap().1)
        };
        assert_eq!(
            pdtl(told("M2b-2")),
            "[Result \"*\"] [Id \"Me-7-M2b-2-V\"] 2. …, F20-F16: ($[2] 2. …, D22-D16 ! .{ @B: instead } ) *"
        );
        assert_eq!(
            pdtl(told("E3")),
            "[Result \"1-1\"] [Id \"Me-7-E3-V\"] 3. E13×F16, E15×F12 (3. E13-F14) 4. EG5-F8, EG23-F20: * { the end }"
        );
        assert_eq!(pdtl(told("C3-3w")), "[Result \"*\"] [Id \"Me-7-C3-3w-V\"] 3. E13×F16: (3. E13-F14) *");
        let of_id_record =
            taken("[Id \"Me-X01-V\"]\n[Result \"1-1\"]", MOVES, &Take::Fragment(Fragment::parse("O1").unwrap()));
        assert!(of_id_record.unwrap()[0].starts_with("[Id \"Me-X01\"] { ours }"));
    }
}
