//! The lines of a record back together as its variations (§13.8).

use std::collections::HashMap;
use std::ops::Range;

use super::form::Form;
use super::gather::{Piece, Unfit, Whole, ends_as_a_part, same_tags, without_zeros};
use super::take::{Changes, Taken, relink};
use crate::game::{Check, Ply, Side};
use crate::notation::id;
use crate::syntax::{Head, Item, ItemKind, Spelt, TagName, said_in};

/// What a part says otherwise than the record it was taken from.
const OF_A_PART: [TagName; 3] = [TagName::Id, TagName::Result, TagName::Termination];

/// A line, and those that branch off from it.
struct Line<'a> {
    /// Which record.
    record: usize,
    piece: &'a Piece,
    sequence: &'a [u32],
    pairs: Vec<Range<usize>>,
    /// The line that it branches off from, the main line from itself.
    parent: usize,
    /// The lines that are alternatives to the same pair, in the order of the pairs, each in the order of its alternatives.
    alternatives: Vec<Vec<usize>>,
    /// To which pairs: places in `pairs`.
    branches: Vec<usize>,
    /// Its first pair as a variation, if that begins with `…`.
    black: Option<Vec<Item>>,
}

impl<'a> Line<'a> {
    fn new(record: usize, piece: &'a Piece, sequence: &'a [u32], parent: usize) -> Line<'a> {
        let ends = |(_, item): &(usize, &Item)| matches!(item.kind, ItemKind::Number | ItemKind::Result);
        let marks: Vec<usize> = piece.items.iter().enumerate().filter(ends).map(|(index, _)| index).collect();
        let last = marks.last().is_some_and(|last| piece.items[*last].kind == ItemKind::Number);
        let marks: Vec<usize> = marks.into_iter().chain(last.then_some(piece.items.len())).collect();
        let pairs = marks.windows(2).filter(|pair| piece.items[pair[0]].kind == ItemKind::Number);
        let pairs = pairs.map(|pair| pair[0]..pair[1]).collect();
        Line { record, piece, sequence, pairs, parent, alternatives: Vec::new(), branches: Vec::new(), black: None }
    }

    fn pair(&self, pair: usize) -> &'a [Item] {
        &self.piece.items[self.pairs[pair].clone()]
    }

    /// What precedes the first pair.
    fn head(&self) -> &'a [Item] {
        &self.piece.items[..self.pairs.first().map_or(0, |pair| pair.start)]
    }

    /// What follows the last pair.
    fn tail(&self) -> &'a [Item] {
        &self.piece.items[self.pairs.last().map_or(0, |pair| pair.end)..]
    }

    fn unfit(&self, at: Option<u32>, why: String) -> Unfit {
        self.piece.unfit(self.record, at, why)
    }
}

/// As an Id has it.
fn named_line(sequence: &[u32]) -> String {
    if sequence.is_empty() {
        return "the main line".to_owned();
    }
    format!("line S:{}", sequence.iter().map(u32::to_string).collect::<Vec<_>>().join(":"))
}

/// The record whose lines these are.
///
/// **Decision**: all lines must be there, as the Ids number them, and say the same of what they share; a line branches off as late
/// as its moves and the numbers allow.
///
/// # Errors
/// What does not fit.
pub(super) fn merge(text: &[u8], pieces: &[Piece], sequences: &[Vec<u32>], form: &Form) -> Result<Whole, Unfit> {
    let mut lines = tree(pieces, sequences)?;
    branch(&mut lines)?;
    for line in &lines[1..] {
        fits(line, &lines, text, form)?;
    }
    let id = named(&lines, text)?;
    for place in (1..lines.len()).rev() {
        lines[place].black = begin_with_black(&lines, place, text, form);
    }
    let mut items = written(&lines);
    relink(&mut items);
    let changes = Changes { id, ..Changes::default() };
    Ok(Whole { tags: lines[0].piece.tags.clone(), taken: Taken { items, changes } })
}

/// The Id of the record, which all lines but the main line have with their numbers (§4.5).
fn named(lines: &[Line<'_>], text: &[u8]) -> Result<Option<String>, Unfit> {
    let mut named = None;
    for line in &lines[1..] {
        let tag = line.piece.tag(TagName::Id);
        let value = tag.and_then(|tag| std::str::from_utf8(tag.value(text)).ok());
        let id = value.and_then(|value| id::parse(value.as_bytes(), line.piece.kind, &mut |_| {}));
        let own = value.zip(id).map(|(value, id)| id.of_all_lines(value));
        if *named.get_or_insert(own.clone()) != own {
            let why = "another version than that of the line before it".to_owned();
            return Err(line.unfit(tag.map(|tag| tag.value_at), why));
        }
    }
    Ok(named.flatten())
}

/// Whether a line has the tags of the main line, ends as a part does, and says of the pairs that it shares with the line that it
/// branches off from what that says.
fn fits(line: &Line<'_>, lines: &[Line<'_>], text: &[u8], form: &Form) -> Result<(), Unfit> {
    let parent = &lines[line.parent];
    let of = named_line(parent.sequence);
    same_tags(text, (line.record, line.piece), ("the main line", lines[0].piece), &OF_A_PART)?;
    ends_as_a_part(text, line.record, line.piece)?;
    let differ = |own: &[Item], other: &[Item]| said(own, text, form).ne(said(other, text, form));
    if differ(line.head(), parent.head()) {
        let why = format!("comments on the game that are not those of {of}");
        return Err(line.unfit(line.head().first().map(|item| item.at), why));
    }
    let begin = line.begin(lines);
    for pair in 0..=begin {
        let (own, other) = (line.pair(pair), parent.pair(pair));
        let number = own[0];
        let why = if pair < begin && differ(own, other) {
            format!("pair {} is not as in {of}, which it shares it with", number.value)
        } else if differ(&own[..1], &other[..1]) {
            format!("pair {} where {of} has pair {}", number.value, other[0].value)
        } else {
            continue;
        };
        return Err(line.unfit(Some(number.at), why));
    }
    Ok(())
}

/// The lines in the order of their sequences, each behind the one that it branches off from.
fn tree<'a>(pieces: &'a [Piece], sequences: &'a [Vec<u32>]) -> Result<Vec<Line<'a>>, Unfit> {
    let mut order: Vec<usize> = (0..pieces.len()).collect();
    order.sort_by_key(|record| &sequences[*record]);
    let mut lines: Vec<Line<'_>> = Vec::with_capacity(order.len());
    let mut places: HashMap<&[u32], usize> = HashMap::new();
    for (place, record) in order.into_iter().enumerate() {
        let sequence = &sequences[record][..];
        let mut line = Line::new(record, &pieces[record], sequence, 0);
        if places.insert(sequence, place).is_some() {
            return Err(line.unfit(None, format!("{} once more", named_line(sequence))));
        }
        if let Some((alternative, before)) = sequence.split_last() {
            let of = without_zeros(before);
            let missing = |other: &[u32]| {
                line.unfit(None, format!("{}, and {} is not there", named_line(sequence), named_line(other)))
            };
            let parent = *places.get(of).ok_or_else(|| missing(of))?;
            let level = before.len() - of.len();
            let (pairs, alternatives) = (lines[parent].pairs.len(), &mut lines[parent].alternatives);
            if line.pairs.is_empty() || level >= pairs {
                return Err(
                    line.unfit(None, format!("{}, but there are no pairs to branch off at", named_line(sequence)))
                );
            }
            if level >= alternatives.len() {
                // Those between come later.
                alternatives.resize(level + 1, Vec::new());
            }
            alternatives[level].push(place);
            let count = alternatives[level].len() as u32;
            if count != *alternative {
                return Err(missing(&[before, &[count]].concat()));
            }
            line.parent = parent;
        }
        lines.push(line);
    }
    for line in &lines {
        if let Some(level) = line.alternatives.iter().position(Vec::is_empty) {
            let missing = [line.sequence, &vec![0; level], &[1]].concat();
            let why = format!("lines branch off from it at later pairs, and {} is not there", named_line(&missing));
            return Err(line.unfit(None, why));
        }
    }
    Ok(lines)
}

impl Line<'_> {
    /// The pair at which it begins as a variation.
    fn begin(&self, lines: &[Line<'_>]) -> usize {
        let Some((_, before)) = self.sequence.split_last() else { return 0 };
        lines[self.parent].branches[before.len() - without_zeros(before).len()]
    }
}

/// Finds to which pairs lines are alternatives.
fn branch(lines: &mut [Line<'_>]) -> Result<(), Unfit> {
    for place in (0..lines.len()).rev() {
        let line = &lines[place];
        let mut branches = vec![0; line.alternatives.len()];
        let mut behind = usize::MAX;
        for (level, alternatives) in line.alternatives.iter().enumerate().rev() {
            for other in alternatives.iter().map(|other| &lines[*other]) {
                // Its own alternatives are to its own pairs.
                let own = other.branches.first().copied().unwrap_or(usize::MAX);
                let Some(before) = behind.checked_sub(1) else {
                    let why = format!(
                        "{} branches off no earlier than what its Id calls a later line",
                        named_line(other.sequence)
                    );
                    return Err(other.unfit(None, why));
                };
                behind = before.min(shared(line, other)).min(own) + 1;
            }
            behind -= 1;
            branches[level] = behind;
        }
        lines[place].branches = branches;
    }
    Ok(())
}

/// How many pairs two lines share, at most all but the last one of either.
fn shared(line: &Line<'_>, other: &Line<'_>) -> usize {
    let most = line.pairs.len().min(other.pairs.len()).saturating_sub(1);
    let plays = |item: &Item| match item.kind {
        // Of another sign is spoken where the pair is.
        ItemKind::Ply => Ply::from_bits(item.value).map(|ply| (true, ply.with_check(Check::None).to_bits())),
        ItemKind::Ellipsis => Some((false, 0)),
        _ => None,
    };
    let same = |pair: &usize| line.pair(*pair).iter().filter_map(plays).eq(other.pair(*pair).iter().filter_map(plays));
    (0..most).take_while(same).count()
}

/// What an item says, however it is spelt; marks of the end and of the result say nothing of a pair.
#[derive(PartialEq, Eq)]
struct Said<'t> {
    kind: ItemKind,
    value: u32,
    /// Whose ply, or an unknown number; a comment of a program.
    spelt: u16,
    text: &'t [u8],
}

impl<'t> Said<'t> {
    fn of(item: &Item, text: &'t [u8], form: &Form) -> Option<Said<'t>> {
        let own = item.text(text);
        let (value, spelt, text) = match item.kind {
            ItemKind::Number | ItemKind::Ply => {
                (item.value, item.spelt.0 & (Spelt::UNKNOWN.0 | Spelt::BLACK.0), &[][..])
            }
            ItemKind::Ellipsis => (0, 0, &[][..]),
            ItemKind::Valuation if form.keep.valuations => (item.value, 0, if item.value == 0 { own } else { &[] }),
            ItemKind::Offer if form.keep.offers => (0, 0, &[][..]),
            ItemKind::Comment if form.keeps_comment(own) => {
                let (inside, automatic) = said_in(own);
                (0, u16::from(automatic), inside)
            }
            _ => return None,
        };
        Some(Said { kind: item.kind, value, spelt, text })
    }
}

fn said<'t>(items: &[Item], text: &'t [u8], form: &Form) -> impl Iterator<Item = Said<'t>> {
    items.iter().filter_map(move |item| Said::of(item, text, form))
}

/// White's half of a pair and Black's, each with its marks, and what follows.
struct Halves<'a> {
    white: &'a [Item],
    black: &'a [Item],
    comments: &'a [Item],
}

impl<'a> Halves<'a> {
    /// `items` without the number; nothing if something else stands between the plies, or one is not there.
    fn of(items: &'a [Item]) -> Option<Halves<'a>> {
        let is_black =
            |item: &Item| item.kind == ItemKind::Comma || item.kind == ItemKind::Ply && item.spelt.has(Spelt::BLACK);
        let comments = items.iter().position(|item| item.kind == ItemKind::Comment).unwrap_or(items.len());
        let (plies, comments) = items.split_at(comments);
        let black = plies.iter().position(is_black)?;
        let (white, black) = plies.split_at(black);
        let has = |half: &[Item]| half.iter().any(|item| item.kind == ItemKind::Ply);
        (has(white) && has(black)).then_some(Halves { white, black, comments })
    }
}

/// Whether a comment is on White's ply.
fn is_on_white(item: &Item, text: &[u8]) -> bool {
    item.kind == ItemKind::Comment && Head::read(item.text(text)).player == Some(Side::White)
}

/// The first pair of a variation with `…` for White's ply, if that is the one of the pair replaced, with all that is said of it
/// (§8.2), and if all alternatives to that pair begin with `…` too: to others White's ply must be there.
fn begin_with_black(lines: &[Line<'_>], place: usize, text: &[u8], form: &Form) -> Option<Vec<Item>> {
    let line = &lines[place];
    let begin = line.begin(lines);
    let alternatives = line.branches.first().filter(|branch| **branch == begin).map(|_| &line.alternatives[0]);
    if alternatives.is_some_and(|alternatives| alternatives.iter().any(|other| lines[*other].black.is_none())) {
        return None;
    }
    let (own, replaced) = (line.pair(begin), lines[line.parent].pair(begin));
    let of_white = |halves: &Halves<'_>| {
        let comments = halves.comments.iter().filter(|item| is_on_white(item, text));
        halves.white.iter().chain(comments).copied().collect::<Vec<_>>()
    };
    let (halves, others) = (Halves::of(&own[1..])?, Halves::of(&replaced[1..])?);
    if said(&of_white(&halves), text, form).ne(said(&of_white(&others), text, form)) {
        return None;
    }
    // No text of its own stands for it.
    let ellipsis = Item { len: 0, kind: ItemKind::Ellipsis, value: 0, ..own[0] };
    let comments = halves.comments.iter().filter(|item| !is_on_white(item, text));
    Some([own[0], ellipsis].iter().chain(halves.black).chain(comments).copied().collect())
}

/// Where the writing of a line is.
struct Writing {
    line: usize,
    /// The pair to be written next.
    pair: usize,
    /// To which of its pairs with alternatives the next alternatives are, and how many of them are written.
    level: usize,
    count: usize,
}

/// The items of the record: each pair with its alternatives behind it.
fn written(lines: &[Line<'_>]) -> Vec<Item> {
    let mut items = lines[0].head().to_vec();
    let mark = |kind| Item { at: 0, len: 0, value: 0, kind, spelt: Spelt::default() };
    let mut stack = vec![Writing { line: 0, pair: 0, level: 0, count: 0 }];
    while let Some(writing) = stack.last_mut() {
        let line = &lines[writing.line];
        if line.branches.get(writing.level).is_some_and(|branch| branch + 1 == writing.pair) {
            let alternative = line.alternatives[writing.level].get(writing.count).copied();
            writing.count += 1;
            if let Some(line) = alternative {
                items.push(mark(ItemKind::Open));
                let pair = writing.pair - 1;
                stack.push(Writing { line, pair, level: 0, count: 0 });
            } else {
                (writing.level, writing.count) = (writing.level + 1, 0);
            }
            continue;
        }
        let aside = writing.line > 0;
        // A variation needs no mark of its end, and has no result (§6.11).
        let stays = |item: &&Item| !aside || !matches!(item.kind, ItemKind::End | ItemKind::Result);
        let pair = writing.pair;
        writing.pair += 1;
        if pair == line.pairs.len() {
            items.extend(line.tail().iter().filter(stays));
            items.extend(aside.then(|| mark(ItemKind::Close)));
            stack.pop();
            continue;
        }
        let black = line.black.as_deref().filter(|_| pair == line.begin(lines));
        items.extend(black.unwrap_or(line.pair(pair)).iter().filter(stays));
    }
    items
}
