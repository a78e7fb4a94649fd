//! What comments are about, and what they refer to (§9.4–9.10). Told as faults, like what reading and replay find; the
//! filter has no use for them.

use std::collections::HashMap;

use memchr::memchr;

use super::board::castled;
use super::context::NEAR;
use crate::game::{Hex, Piece, Ply, Position, Shape, Side};
use crate::notation::IdPart;
use crate::notation::reference::{Found, Reference, references};
use crate::syntax::fault::{CommentFault, EndFault, TagFault};
use crate::syntax::{Fault, FaultKind, Head, Item, ItemKind, Record, Spelt, TagName, is_suppression};

/// What a ply put on which hexes: a castling moves three pieces.
type Put = [Option<(Hex, Piece)>; 3];

/// What plies put on hexes, by their items in the order of the text.
#[derive(Default)]
pub struct History(Vec<(usize, Put)>);

impl History {
    /// One to be filled by replay, for a record with comments that may ask for it.
    pub fn wanted(record: &Record<'_>) -> Option<History> {
        let asks = |item: &Item| item.kind == ItemKind::Comment && memchr(b'~', item.text(record.text)).is_some();
        (!record.tidy && record.items.iter().any(asks)).then(History::default)
    }

    /// Notes the ply of an item, which was replayed, and the position behind it.
    pub fn add(&mut self, index: usize, ply: Item, after: &Position) {
        let on = |hex| Some((hex, after.on(hex)?));
        let put = match Ply::from_item(ply.value).shape() {
            Shape::Step { to: hex, .. } | Shape::Promote { at: hex, .. } => [on(hex), None, None],
            Shape::Castle(castling) => castled(castling, ply.spelt.side()).map(|hex| on(hex?)),
        };
        self.0.push((index, put));
    }
}

/// Adds to a record's faults what its comments do against the format; `history` as replay has filled it.
pub fn judge(record: &mut Record<'_>, history: Option<History>, start: Option<Position>) {
    let is_remark = |item: &&Item| item.kind == ItemKind::Comment && !is_suppression(item.text(record.text));
    let first = if record.tidy { None } else { record.items.iter().find(is_remark) };
    let mut faults = Vec::new();
    if first.is_none() {
        faults.extend(needless_language(record));
    } else {
        let mut walk = Walk::new(record, history.unwrap_or_default(), start, &mut faults);
        walk.items();
        walk.references();
    }
    record.faults.extend(faults);
}

/// A language that nothing is written in (§9.10).
fn needless_language(record: &Record<'_>) -> Option<Fault> {
    let (at, len) = match (record.tag(TagName::Lang), record.id.and_then(|id| id.language)) {
        (Some(tag), _) => (tag.name_at, tag.name_len),
        (None, Some(_)) => {
            let tag = record.tag(TagName::Id)?;
            let place = IdPart::Language.find(tag.value(record.text))?;
            (tag.value_at + place.start as u32, place.len() as u32)
        }
        (None, None) => return None,
    };
    let kind = TagFault::NeedlessLanguage.into();
    record.tag(TagName::Title).is_none().then_some(Fault { kind, aside: true, at, len, item: Fault::NO_ITEM, seen: 0 })
}

/// The main line, the first one, or a variation.
struct Line {
    /// The line it branches from: its place among the lines.
    outer: Option<usize>,
    /// Its first number and its greatest.
    numbers: Option<(u32, u32)>,
    /// The pair, counted, at which replay stopped in it.
    stopped: Option<u32>,
}

/// A piece came to a hex of a line's board, in a pair: one number, so that they are quickly sorted by all that, the pair last.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Arrival(u128);

impl Arrival {
    fn new(line: usize, hex: Hex, piece: Piece, pair: u32) -> Arrival {
        let piece = (piece.kind() as u8) << 1 | piece.side() as u8;
        Arrival((line as u128) << 64 | u128::from(hex.index() as u8) << 40 | u128::from(piece) << 32 | u128::from(pair))
    }
}

/// A line being walked through.
struct Level {
    line: usize,
    /// The last pair, counted as in the main line.
    pair: u32,
    /// Its number.
    number: u32,
    /// Pairs begun in this line.
    begun: bool,
    /// Whether the pair has White's and Black's ply.
    plies: [bool; 2],
    /// The pair's comments so far, by what they are on (White's ply, Black's, the pair): by people, by programs.
    seen: [[Option<usize>; 3]; 2],
}

impl Level {
    fn new(line: usize, pair: u32, number: u32) -> Level {
        Level { line, pair, number, begun: false, plies: [false; 2], seen: [[None; 3]; 2] }
    }
}

/// Where a comment stands.
struct Remark {
    item: usize,
    line: usize,
    pair: u32,
    number: u32,
    /// Behind the end of the game.
    is_last: bool,
}

struct Walk<'a, 'f> {
    record: &'f Record<'a>,
    faults: &'f mut Vec<Fault>,
    history: History,
    /// The position before the first ply, if it is known.
    start: Option<Position>,
    lines: Vec<Line>,
    /// The greatest number of all lines.
    last_number: u32,
    levels: Vec<Level>,
    remarks: Vec<Remark>,
    /// Pieces that came to hexes.
    arrivals: Vec<Arrival>,
    /// Labelled variations: the line and the pair's number that they belong to, and their label.
    labelled: HashMap<(usize, u32, u32), usize>,
}

impl<'a, 'f> Walk<'a, 'f> {
    fn new(record: &'f Record<'a>, history: History, start: Option<Position>, faults: &'f mut Vec<Fault>) -> Self {
        Walk {
            record,
            faults,
            history,
            start,
            lines: vec![Line { outer: None, numbers: None, stopped: None }],
            last_number: 0,
            levels: vec![Level::new(0, 0, 0)],
            remarks: Vec::new(),
            arrivals: Vec::new(),
            labelled: HashMap::new(),
        }
    }

    fn fault(&mut self, kind: impl Into<FaultKind>, item: usize, at: u32, len: u32, seen: u32) {
        self.faults.push(Fault { kind: kind.into(), aside: true, at, len, item: item as u32, seen });
    }

    /// Reports a comment, at its brace.
    fn comment_fault(&mut self, kind: CommentFault, item: usize, seen: u32) {
        self.fault(kind, item, self.record.items[item].at, 1, seen);
    }

    fn level(&mut self) -> &mut Level {
        let last = self.levels.len() - 1;
        &mut self.levels[last]
    }

    fn items(&mut self) {
        let items = self.record.items;
        let end =
            self.record.faults.iter().filter(|fault| fault.kind == EndFault::AfterEnd.into()).map(|fault| fault.at);
        let end = end.min().unwrap_or(u32::MAX);
        let mut is_last = false;
        let mut told = std::mem::take(&mut self.history.0).into_iter().peekable();
        for (index, item) in items.iter().enumerate() {
            if item.kind == ItemKind::Result || item.at >= end {
                is_last = true;
                self.levels.truncate(1);
            }
            match item.kind {
                ItemKind::Comment => self.comment(index, is_last),
                _ if is_last => {}
                ItemKind::Number => self.pair(item.value),
                ItemKind::Ply => {
                    self.ply(*item);
                    self.moved(told.next_if(|(of, _)| *of == index).map(|(_, put)| put));
                }
                ItemKind::Open => self.open(),
                ItemKind::Close if self.levels.len() > 1 => {
                    self.levels.pop();
                }
                ItemKind::Label => self.label(item.value),
                _ => {}
            }
        }
        self.languages();
    }

    fn pair(&mut self, number: u32) {
        let level = self.level();
        *level = Level { begun: true, ..Level::new(level.line, level.pair.saturating_add(1), number) };
        let line = level.line;
        self.last_number = self.last_number.max(number);
        let numbers = &mut self.lines[line].numbers;
        *numbers = Some(numbers.map_or((number, number), |(first, last)| (first, last.max(number))));
    }

    fn ply(&mut self, item: Item) {
        let side = usize::from(item.spelt.has(Spelt::BLACK));
        let level = self.level();
        // A pair whose number is missing.
        if !level.begun || level.plies[side] {
            let number = level.number.saturating_add(1);
            self.pair(number);
        }
        self.level().plies[side] = true;
    }

    /// What a ply put where; nothing where replay does not get to it.
    fn moved(&mut self, put: Option<Put>) {
        let Level { line, pair, .. } = *self.level();
        let Some(put) = put else {
            self.lines[line].stopped.get_or_insert(pair);
            return;
        };
        for (hex, piece) in put.into_iter().flatten() {
            self.arrivals.push(Arrival::new(line, hex, piece, pair));
        }
    }

    fn open(&mut self) {
        let Level { line: outer, pair, number, .. } = *self.level();
        self.lines.push(Line { outer: Some(outer), numbers: None, stopped: None });
        self.levels.push(Level::new(self.lines.len() - 1, pair.saturating_sub(1), number.saturating_sub(1)));
    }

    fn label(&mut self, label: u32) {
        if let [.., outer, level] = self.levels.as_slice() {
            self.labelled.entry((outer.line, outer.number, label)).or_insert(level.line);
        }
    }

    fn comment(&mut self, index: usize, is_last: bool) {
        let item = self.record.items[index];
        let text = item.text(self.record.text);
        // What is not written as a comment, or never closed, has that fault.
        if is_suppression(text) || item.spelt.has(Spelt::OTHER) || !text.ends_with(b"}") {
            return;
        }
        let Level { line, pair, number, begun, .. } = *self.level();
        self.remarks.push(Remark { item: index, line, pair, number, is_last });
        if begun && !is_last {
            self.player(index, Head::read(text));
        }
    }

    /// Whether a comment says whose ply it is on, and is the only one on it (§9.5–9.7).
    fn player(&mut self, index: usize, head: Head) {
        let Level { number, plies, seen, .. } = *self.level();
        let Head { automatic, player, colon_at, colon } = head;
        let Some(side) = player else {
            if automatic {
                self.second(index, true, 2);
            } else {
                self.comment_fault(CommentFault::NoPlayer, index, number);
            }
            return;
        };
        if !colon {
            let at = self.record.items[index].at + colon_at as u32;
            self.fault(CommentFault::NoColon, index, at, 0, 0);
        }
        let slot = side as usize;
        if !plies[slot] && !follows(self.record.items, index, side) {
            return self.comment_fault(CommentFault::NoSuchPly, index, number);
        }
        let on_black = seen.iter().filter_map(|comments| comments[1]).min();
        if !self.second(index, automatic, slot)
            && side == Side::White
            && let Some(before) = on_black
        {
            self.comment_fault(CommentFault::Order, index, before as u32);
        }
    }

    /// Tells whether the place has such a comment already.
    fn second(&mut self, index: usize, automatic: bool, slot: usize) -> bool {
        let place = &mut self.level().seen[usize::from(automatic)][slot];
        let Some(first) = *place else {
            *place = Some(index);
            return false;
        };
        let kind = if automatic { CommentFault::SecondAutomatic } else { CommentFault::Second };
        self.comment_fault(kind, index, first as u32);
        true
    }

    /// What is said once of all comments: that programs have an annotator (§9.6), and words a language (§9.10).
    fn languages(&mut self) {
        let record = self.record;
        let remark = |wanted: bool| {
            record.items.iter().position(|item| {
                let text = item.text(record.text);
                let is_comment =
                    item.kind == ItemKind::Comment && !item.spelt.has(Spelt::OTHER) && text.ends_with(b"}");
                is_comment && Head::read(text).automatic == wanted && !is_suppression(text)
            })
        };
        if record.tag(TagName::Annotator).is_none()
            && let Some(first) = remark(true)
        {
            self.comment_fault(CommentFault::NoAnnotator, first, 0);
        }
        if record.tag(TagName::Lang).is_none()
            && let Some(first) = remark(false)
        {
            self.comment_fault(CommentFault::NoLanguage, first, 0);
        }
    }

    /// What comments refer to (§9.8, §9.9).
    fn references(&mut self) {
        let record = self.record;
        self.arrivals.sort_unstable();
        for remark in std::mem::take(&mut self.remarks) {
            let item = record.items[remark.item];
            for Found { at, len, reference } in references(item.text(record.text), record.setup.letters.as_ref()) {
                let (kind, seen) = match reference {
                    Reference::Other => continue,
                    Reference::Malformed => (CommentFault::Reference, 0),
                    Reference::OldLetter => (CommentFault::OldLetter, 0),
                    Reference::Pair(number) => match self.pair_fault(number, &remark) {
                        Some(kind) => (kind, remark.number),
                        None => continue,
                    },
                    Reference::Labelled(pair, path) if self.is_there(pair, &path, remark.line) => continue,
                    Reference::Labelled(..) => (CommentFault::OtherLine, 0),
                    Reference::PieceOn(piece, hex) if self.stood(piece, hex, &remark) => continue,
                    Reference::PieceOn(..) => (CommentFault::NeverThere, remark.number),
                };
                self.fault(kind, remark.item, item.at + at as u32, len as u32, seen);
            }
        }
    }

    /// What is wrong with a reference to a pair of the comment's own line.
    fn pair_fault(&self, number: u32, remark: &Remark) -> Option<CommentFault> {
        if number <= remark.number || remark.pair == 0 && self.lines[0].numbers.is_none_or(|(first, _)| number < first)
        {
            return None;
        }
        // Behind the game's end there is nothing to point forward to but variations that are longer.
        let is_elsewhere = remark.is_last && self.last_number >= number;
        Some(if is_elsewhere { CommentFault::OtherLine } else { CommentFault::Forward })
    }

    /// A line and those that it branches from, as many as are worth looking at.
    fn chain(&self, line: usize) -> impl Iterator<Item = usize> + '_ {
        std::iter::successors(Some(line), |line| self.lines[*line].outer).take(NEAR)
    }

    /// Whether the labelled variation is there, and the pair in it. One of a pair that the record does not reach may be in
    /// another version of it.
    fn is_there(&self, pair: Option<u32>, path: &[(u32, u32)], line: usize) -> bool {
        let mut line = line;
        for &(number, label) in path.iter().rev() {
            if number > self.last_number {
                return true;
            }
            let found = self.chain(line).find_map(|outer| self.labelled.get(&(outer, number, label)));
            let Some(&inner) = found else { return false };
            line = inner;
        }
        let holds = |(first, last)| pair.is_none_or(|pair| (first..=last).contains(&pair));
        self.lines[line].numbers.is_none_or(holds)
    }

    /// Whether a piece came to a hex of a line up to a pair; the arrivals are sorted.
    fn came(&self, line: usize, hex: Hex, piece: Piece, last: u32) -> bool {
        let [first, last] = [0, last].map(|pair| Arrival::new(line, hex, piece, pair));
        let place = self.arrivals.partition_point(|arrival| *arrival < first);
        self.arrivals.get(place).is_some_and(|arrival| *arrival <= last)
    }

    /// Whether the piece stood on the hex up to the pair behind the one that the comment is on, or nobody knows.
    fn stood(&self, piece: Piece, hex: Hex, remark: &Remark) -> bool {
        let Some(start) = self.start else { return true };
        let last = if remark.is_last { u32::MAX } else { remark.pair.saturating_add(1) };
        let in_line = |line: usize| {
            self.lines[line].stopped.is_some_and(|pair| pair <= last) || self.came(line, hex, piece, last)
        };
        start.on(hex) == Some(piece) || self.chain(remark.line).any(in_line) || self.chain(remark.line).count() == NEAR
    }
}

/// Whether a side's ply is still to come in the pair that a comment stands in (§7.1).
fn follows(items: &[Item], comment: usize, side: Side) -> bool {
    let mut at = comment + 1;
    for _ in 0..NEAR {
        let Some(item) = items.get(at) else { return false };
        at = match item.kind {
            ItemKind::Number | ItemKind::Close | ItemKind::Result => return false,
            ItemKind::Ply if item.spelt.has(Spelt::BLACK) == (side == Side::Black) => return true,
            ItemKind::Open => item.value as usize,
            _ => at,
        };
        at = at.saturating_add(1);
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    /// The names of what is found, with the text it lies at.
    fn found(text: &str) -> Vec<String> {
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        let items = record.items;
        let mut history = History::wanted(&record).unwrap_or_default();
        let replayed = Replayer::default().replay_and(&mut record, |at, after| history.add(at, items[at], after));
        let start = record.setup.position.filter(|_| replayed.last.is_some());
        let before = record.faults.len();
        judge(&mut record, Some(history), start);
        let shown = |fault: &Fault| text[fault.at as usize..fault.end() as usize].to_owned();
        record.faults[before..].iter().map(|fault| format!("{} {}", fault.kind.name(), shown(fault))).collect()
    }

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n[Lang \"en\"]\n";

    #[test]
    fn pieces_are_looked_for_in_their_line_and_those_around_it() {
        let moves = "1. E7-E13, E21-E15\n(1. F8-F14, F20-F16\n{ @W: ~PE13 ~PF14 ~pE15 ~PF12 ~PC7 }\n\
            .(1. C5-C7\n{ @W: ~PF14 ~pF16 ~PC7 ~PE13 ~PC9 }\n)\n)\n2. F8-F12, F20-F16 :\n{ @B: ~PF14 }\n*\n";
        let expected = ["piece-never-there ~PC7", "piece-never-there ~PC9", "piece-never-there ~PF14"];
        assert_eq!(found(&format!("{TAGS}{moves}")), expected);
    }

    #[test]
    fn a_comment_behind_a_line_that_stopped_can_name_any_piece() {
        let moves =
            "1. E7-E13, E21-E15\n{ @W: ~PF16 }\n2. EE7-E9, F20-F16\n{ @W: ~PF16 }\n3. E13-E15 :\n*\n{ ~PF16 }\n";
        assert_eq!(found(&format!("{TAGS}{moves}")), [""; 0]);
    }

    #[test]
    fn many_lines_take_little_time() {
        let depth = 20_000;
        let open = "(1. E7-E13, E21-E15\n{ @W: ~PF16 #1.1 #7 }\n".repeat(depth);
        let text = format!("{TAGS}1. E7-E13, E21-E15\n{open}{}2. F8-F12, F20-F16 :\n*\n", ")\n".repeat(depth));
        assert!(found(&text).len() > depth);
        let comments = "{ @B: a }\n".repeat(depth);
        let text = format!("{TAGS}1. E7-E13\n{comments}, E21-E15 :\n*\n");
        assert_eq!(found(&text).len(), depth - 1);
    }
}
