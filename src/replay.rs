//! Walks a record's plies in order and applies them as the minimal reader does (§11), in the main line and in every
//! variation, each from the position it starts at (§8.2).

use crate::game::{Ending, Incoherence, Ply, Position, Seen, Side};
use crate::notation::{PdtlFault, part_of};
use crate::syntax::fault::{Fault, FaultKind, StartFault};
use crate::syntax::{Item, ItemKind, Record, Spelt, main_line};

pub mod referee;

pub use referee::Referee;

/// What replay left.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Replayed {
    /// The position after the last coherent ply of the main line; nothing where the position is unknown.
    pub last: Option<Position>,
    /// Plies of the main line and of variations, replayed or not.
    pub plies: u64,
}

/// Who plays the plies of a record's lines: the minimal reader, who knows positions only, or a judge who knows more.
pub trait Player {
    /// A line at one of its positions; a variation starts from a copy.
    type Line: Copy;

    /// A line that begins with a position.
    fn begin(&mut self, start: Position) -> Self::Line;

    /// Plays the ply of an item, in a variation or not.
    ///
    /// # Errors
    /// What does not fit; the line is then as it was.
    fn play(&mut self, line: &mut Self::Line, ply: Ply, at: At) -> Result<(), (Incoherence, Seen)>;

    /// A line that has not stopped comes to its end.
    fn end(&mut self, line: &mut Self::Line);

    /// Where a line is.
    fn position(line: &Self::Line) -> &Position;
}

/// Where a ply stands in its record.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct At {
    /// Its item.
    pub index: u32,
    /// It lies in a variation.
    pub aside: bool,
}

/// The minimal reader (§11).
struct Minimal;

impl Player for Minimal {
    type Line = Position;

    #[inline]
    fn begin(&mut self, start: Position) -> Position {
        start
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
    fn play(&mut self, line: &mut Position, ply: Ply, _: At) -> Result<(), (Incoherence, Seen)> {
        line.apply(ply)
    }

    #[inline]
    fn end(&mut self, _: &mut Position) {}

    #[inline]
    fn position(line: &Position) -> &Position {
        line
    }
}

/// What is left of a record's main line.
#[derive(Clone, Copy)]
pub struct Followed<L> {
    /// Behind its last coherent ply; nothing where the position is unknown.
    pub last: Option<L>,
    /// It was followed to its end.
    pub is_whole: bool,
    /// Plies of the main line and of variations, replayed or not.
    pub plies: u64,
}

/// A line being followed.
#[derive(Clone, Copy)]
struct Line<L> {
    /// Nothing where the position is unknown.
    now: Option<L>,
    /// `now` is where the line is; else it is where it stopped (§11.9).
    goes_on: bool,
    /// Before White's ply of the last pair, and before Black's; nothing where the line had stopped, and where no variation asks
    /// for it.
    before: [Option<L>; 2],
    /// The pair may have variations.
    is_varied: bool,
    /// Its numbers so far.
    pairs: u32,
}

/// The lines around the one that is followed: memory that is reused from record to record.
pub struct Lines<L> {
    outer: Vec<Line<L>>,
}

impl<L> Default for Lines<L> {
    fn default() -> Self {
        Lines { outer: Vec::new() }
    }
}

impl<L: Copy> Lines<L> {
    /// Has a record played, line by line, and tells, for the item of each ply that fits, the position behind it. What does
    /// not fit is added to the record's faults.
    #[inline]
    pub fn follow<P: Player<Line = L>>(
        &mut self,
        player: &mut P,
        record: &mut Record<'_>,
        mut tell: impl FnMut(usize, &Position),
    ) -> Followed<L> {
        let start = start(record).map(|position| player.begin(position));
        // Snapshots serve variations only: a record without them needs none, and one in minimal form has none.
        if record.tidy || !record.items.iter().any(|item| item.kind == ItemKind::Open) {
            return straight(player, start, record, tell);
        }
        self.outer.clear();
        let mut line = Line::from(start);
        let mut plies = 0;
        let items = record.items;
        let mut next = 0;
        while let Some(&item) = items.get(next) {
            let index = next;
            next += 1;
            match item.kind {
                ItemKind::Ply => {
                    plies += 1;
                    if line.is_varied {
                        line.snapshot(item);
                    }
                    line.play(player, item, At { index: index as u32, aside: !self.outer.is_empty() }, record);
                    if let Some(now) = line.now.as_ref().filter(|_| line.goes_on) {
                        tell(index, P::position(now));
                    }
                }
                ItemKind::Number => {
                    line.pairs += 1;
                    // Nothing is known to have stood before a ply that is not there.
                    line.before = [None; 2];
                    line.is_varied = is_varied(&items[next..]);
                }
                ItemKind::Ellipsis => line.begin_with_black(self.outer.last()),
                // Where it ends is anyone's guess, and nothing from here on is replayed (§8.4); or where it starts is.
                ItemKind::Open if item.value == Fault::NO_ITEM || line.before.iter().all(Option::is_none) => {
                    next = items.len().min((item.value as usize).saturating_add(1));
                    let passed = items[index..next].iter().filter(|item| item.kind == ItemKind::Ply).count() as u64;
                    plies += passed;
                    line.goes_on &= item.value != Fault::NO_ITEM;
                }
                ItemKind::Open => {
                    let inner = Line::from(line.before[0]);
                    self.outer.push(std::mem::replace(&mut line, inner));
                }
                ItemKind::Close => {
                    if let Some(outer) = self.outer.pop() {
                        line.end(player);
                        line = outer;
                    }
                }
                _ => {}
            }
        }
        if let Some(main) = self.outer.first() {
            // A variation that is never closed leaves the main line at the bottom.
            return Followed { last: main.now, is_whole: false, plies };
        }
        line.end(player);
        Followed { last: line.now, is_whole: line.goes_on, plies }
    }
}

/// Whether a variation begins before the next pair of a line, whose items from behind a number on these are.
fn is_varied(items: &[Item]) -> bool {
    // A `)` that closes nothing ends no pair.
    let ends = |item: &&Item| matches!(item.kind, ItemKind::Number | ItemKind::Open);
    items.iter().find(ends).is_some_and(|item| item.kind == ItemKind::Open)
}

/// Has a record without variations played.
#[inline(never)]
fn straight<P: Player>(
    player: &mut P,
    start: Option<P::Line>,
    record: &mut Record<'_>,
    mut tell: impl FnMut(usize, &Position),
) -> Followed<P::Line> {
    let mut left = record.items.iter().enumerate().filter(|(_, item)| item.kind == ItemKind::Ply);
    let Some(mut now) = start else { return Followed { last: None, is_whole: false, plies: left.count() as u64 } };
    let (mut plies, mut goes_on) = (0, true);
    for (index, &item) in left.by_ref() {
        plies += 1;
        goes_on = play(player, &mut now, item, At { index: index as u32, aside: false }, record);
        if !goes_on {
            break;
        }
        tell(index, P::position(&now));
    }
    if goes_on {
        player.end(&mut now);
    }
    Followed { last: Some(now), is_whole: goes_on, plies: plies + left.count() as u64 }
}

/// Plays a ply and tells whether the line goes on behind it; what does not fit is added to the record's faults, once (§11.9).
#[inline(always)]
#[expect(clippy::inline_always, reason = "once a ply of an archive: a call costs a tenth of it")]
fn play<P: Player>(player: &mut P, now: &mut P::Line, item: Item, at: At, record: &mut Record<'_>) -> bool {
    // Half a pair has been reported, and so has a word that could not be read.
    if item.spelt.has(Spelt::UNREAD) || P::position(now).turn != item.spelt.side() {
        return false;
    }
    let Err((why, seen)) = player.play(now, Ply::from_item(item.value), at) else { return true };
    record.faults.push(incoherent(record.text, item, at, why, seen));
    false
}

/// Replays records as the minimal reader does, with the same memory.
#[derive(Default)]
pub struct Replayer {
    lines: Lines<Position>,
}

impl Replayer {
    /// Replays a record; what does not fit is added to its faults.
    pub fn replay(&mut self, record: &mut Record<'_>) -> Replayed {
        self.replay_and(record, |_, _| {})
    }

    /// Replays a record and tells, for the item of each ply that fits, the position behind it.
    #[inline]
    pub fn replay_and(&mut self, record: &mut Record<'_>, tell: impl FnMut(usize, &Position)) -> Replayed {
        let followed = self.lines.follow(&mut Minimal, record, tell);
        Replayed { last: followed.last, plies: followed.plies }
    }
}

impl<L> From<Option<L>> for Line<L> {
    fn from(start: Option<L>) -> Line<L> {
        let goes_on = start.is_some();
        Line { now: start, goes_on, before: [None, None], is_varied: true, pairs: 0 }
    }
}

impl<L: Copy> Line<L> {
    /// Plays a ply, if the line has not stopped.
    fn play<P: Player<Line = L>>(&mut self, player: &mut P, item: Item, at: At, record: &mut Record<'_>) {
        if let Some(now) = self.now.as_mut().filter(|_| self.goes_on) {
            self.goes_on = play(player, now, item, at, record);
        }
    }

    fn end<P: Player<Line = L>>(&mut self, player: &mut P) {
        if let Some(now) = self.now.as_mut().filter(|_| self.goes_on) {
            player.end(now);
        }
    }

    fn snapshot(&mut self, ply: Item) {
        let now = self.now.filter(|_| self.goes_on);
        if ply.spelt.has(Spelt::BLACK) {
            self.before[1] = now;
        } else {
            self.before = [now, None];
        }
    }

    /// `…`: White's ply is the one of the pair that the variation replaces (§8.2), or was made before the record
    /// begins (§7.4).
    fn begin_with_black(&mut self, outer: Option<&Line<L>>) {
        if let Some(outer) = outer.filter(|_| self.pairs == 1) {
            *self = Line { pairs: self.pairs, ..Line::from(outer.before[1]) };
        }
        self.before[0] = self.now.filter(|_| self.goes_on);
    }
}

#[cold]
fn incoherent(text: &[u8], item: Item, at: At, why: Incoherence, seen: Seen) -> Fault {
    let (from, to) = part_of(item.text(text), why.part());
    Fault {
        kind: why.into(),
        aside: at.aside,
        at: item.at + from as u32,
        len: (to - from) as u32,
        item: at.index,
        seen: seen.to_bits(),
    }
}

/// The first such item outside variations: one before the first pair says nothing of the start.
fn first_of_main_line(items: &[Item], wanted: impl Fn(ItemKind) -> bool) -> Option<usize> {
    main_line(items).find(|(_, item)| wanted(item.kind)).map(|(index, _)| index)
}

/// The position before the first ply, if it is known (§7.3, §10.2, §10.6).
fn start(record: &mut Record<'_>) -> Option<Position> {
    let setup = record.setup;
    let position = setup.position.filter(|_| setup.replayed && setup.letters.is_some() && !record.ordinary_pgn);
    let first = first_of_main_line(record.items, |kind| kind == ItemKind::Number);
    let Some(index) = first else { return position };
    let number = record.items[index];
    let unknown = number.spelt.has(Spelt::UNKNOWN);
    // That it is left out is said, once.
    let left_out = record.faults.iter().any(|fault| fault.kind == PdtlFault::NumberMissing.into());
    let mut fault = |kind: StartFault, item: Item, index: usize, seen| {
        let kind = FaultKind::Start(kind);
        record.faults.push(Fault { kind, aside: false, at: item.at, len: item.len, item: index as u32, seen });
    };
    if !setup.has_pdtl {
        if unknown || number.value > 1 {
            fault(StartFault::PositionUnknown, number, index, 0);
            return None;
        }
        return position;
    }
    let position = position?;
    if unknown != (position.number == 0) && (unknown || !left_out) {
        fault(StartFault::UnknownAgainstPdtl, number, index, position.number);
    } else if !unknown && position.number != 0 && number.value != position.number {
        fault(StartFault::NumberAgainstPdtl, number, index, position.number);
    }
    let next = first_of_main_line(record.items, |kind| matches!(kind, ItemKind::Ply | ItemKind::Ellipsis));
    if let Some(index) = next
        && record.items[index].kind == ItemKind::Ply
        && position.turn == Side::Black
    {
        fault(StartFault::TurnAgainstPdtl, record.items[index], index, 0);
    }
    if position.clock >= Ending::CLOCK
        && let Some(index) = first_of_main_line(record.items, |kind| kind == ItemKind::Ply)
    {
        fault(StartFault::PlyAfterClock, record.items[index], index, position.clock);
        // One finding for both: the clock alone is worth another.
        record.faults.retain(|fault| fault.kind != PdtlFault::ClockOver.into());
    }
    Some(position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::notation::{Letters, pdtl};
    use crate::syntax::{Begins, Reader};

    fn replay(text: &str) -> (String, Vec<String>) {
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        let replayed = Replayer::default().replay(&mut record);
        let mut out = Vec::new();
        if let Some(position) = replayed.last {
            pdtl::write(&position, &Letters::STANDARD, &mut out);
        }
        let faults = record.faults.iter().map(|fault| {
            let at = fault.at as usize;
            format!("{} {}", fault.kind.name(), &text[at..at + fault.len as usize])
        });
        (String::from_utf8(out).expect("ASCII"), faults.collect())
    }

    const TAGS: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n";

    #[test]
    fn variations_start_from_the_pair_they_replace() {
        let text = format!(
            "{TAGS}1. H6-H12, I23-I19\n2. JF6-C15, GH26-Z11\n3. L5-L7, NG25-L17\n4. EH4-H8, GZ11-L5\n(4. GD2-F6)\n\
             5. I5-I9, NL17-G9\n(5. GD2-F6)\n($[2] 5. K4-K10, GL5-H6+^\n.6. KG1-H4, GH6×RI3\n.(6. …, GH6-K12)\n.7. KH4×GI3)\n\
             6. K4-K10, GL5-H6#\n(6. RI3-I7)\n0-3\n"
        );
        assert_eq!(
            replay(&text),
            (
                concat!(
                    "/28:v/27:dk/26:gj1/25:rn1r/24:pejep/23:ppee1p/22:2pjp2/21:3pp3/20:3p3/19:5p2/15:2J5/12:4P2/10:5P1/9:4nP2/8:3PE2",
                    "/7:3PP1P1/6:2P1g2/5:PPEE2/4:PEJ2/3:RNNR/2:GJG/1:DK/0:V/ w RKRrkr - 1 7"
                )
                .to_owned(),
                vec![]
            )
        );
    }

    #[test]
    fn an_unclosed_variation_is_not_replayed() {
        let text = format!(
            "{TAGS}1. E7-E13, E21-E15\n(1. …, EE5-E9\n2. F8-F12, F20-F16\n(2. EE5-E11, EE5-E9)\n3. EE5-E11\n*\n"
        );
        assert_eq!(replay(&text).1, ["unclosed-variation ("]);
    }

    #[test]
    fn a_number_that_is_left_out_is_said_once() {
        for (number, pdtl, expected) in [
            ("1.", " -", &["pdtl-number-missing -"][..]),
            ("1?", " -", &["pdtl-number-missing -"]),
            ("7.", "", &["pdtl-number-missing "]),
            ("7.", " ?", &["unknown-against-pdtl 7."]),
            ("1?", " 7", &["unknown-against-pdtl 1?"]),
            ("1?", " ?", &[]),
            ("7.", " 7", &[]),
            ("8.", " 7", &["number-against-pdtl 8."]),
        ] {
            let board = "/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0";
            let text = format!("{TAGS}[PDTL \"{board}{pdtl}\"]\n{number} RC3-C9 :\n*\n");
            assert_eq!(replay(&text).1, expected, "{number} {pdtl}");
        }
    }

    #[test]
    fn an_incoherent_ply_stops_its_line_and_no_other() {
        let text = format!(
            "{TAGS}1. E7-E13, E21-E15\n2. F8-F12, EE21-E19\n(2. D6-D12, D22-D16\n.3. D12-D14)\n3. F12-F14, HJ1-J2\n(3. F12-F16) :\n*\n"
        );
        let (position, faults) = replay(&text);
        assert!(position.ends_with(" b RKRrkr F12@10 0 2"), "{position}");
        assert_eq!(faults, ["unknown-piece H", "no-hex J1", "no-hex J2", "empty-origin EE21"]);
    }

    #[test]
    fn a_variation_before_the_first_pair_says_nothing_of_the_start() {
        let (position, faults) = replay(&format!("{TAGS}(1. F8-F14)\n2. F8-F12, F20-F16 :\n*\n"));
        assert_eq!(
            (position.as_str(), faults),
            ("", vec!["before-pair (".to_owned(), "position-unknown 2.".to_owned()])
        );
    }

    #[test]
    fn a_variation_of_a_ply_that_was_not_reached_is_passed_over() {
        let text = format!(
            "{TAGS}1. E7-E13, EE19-E17\n2. F8-F12, F20-F16\n(2. EH10-H12\n.(2. EH10-H14))\n(2. …, EH10-H12)\n\
             3. F12-F14 :\n*\n"
        );
        let (position, faults) = replay(&text);
        assert!(position.ends_with(" b RKRrkr E13@9-11 0 1"), "{position}");
        assert_eq!(faults, ["empty-origin EE19"]);
    }
}
