//! A line judged ply by ply: what is known of a position is carried on to the next one. Whether there is a legal ply it is
//! not asked: that a legal one follows says so.

use super::attacks::{Relation, WAYS};
use super::coherence::Left;
use super::legality::Known;
use super::ply::Simple;
use super::status::man;
use super::{
    Castling, Check, Checks, Ending, Hex, HexSet, Illegal, Kind, Piece, Ply, Position, Promotion, Shape, Side, Special,
    Status,
};

/// The positions of a record's lines, for repetition (R5.2). Every position knows the one before it, so that lines that part
/// share what they have in common.
#[derive(Default)]
pub struct History {
    links: Vec<Link>,
}

/// What tells a position from others since the last capture or pawn ply.
#[derive(Clone, Copy)]
struct Link {
    /// As [`Line::moved`].
    moved: u64,
    /// The ply that led here.
    ply: Ply,
    /// The number of the position before; its own where there is none.
    before: u32,
    left: Left,
}

impl History {
    /// Forgets everything but its memory; lines that were begun are void.
    pub fn clear(&mut self) {
        self.links.clear();
    }

    /// Forgets all positions that came behind this one; lines that are at one of them are void.
    pub fn forget_behind(&mut self, line: &Line) {
        self.links.truncate(line.link as usize + 1);
    }

    #[inline]
    fn push(&mut self, link: Link) -> u32 {
        let number = self.links.len() as u32;
        self.links.push(link);
        number
    }

    /// The positions from one on backwards.
    fn back(&self, from: u32) -> impl Iterator<Item = &Link> {
        let mut next = Some(from);
        std::iter::from_fn(move || {
            let number = next?;
            let link = self.links.get(number as usize)?;
            next = Some(link.before).filter(|before| *before != number);
            Some(link)
        })
    }
}

/// A line at one of its positions: a snapshot of it is where a variation begins.
///
/// ```
/// use ctl::game::{Ending, History, Illegal, Line, Position, Status};
/// use ctl::notation::{Letters, read_ply};
///
/// let mut history = History::default();
/// let mut line = Line::new(Position::INITIAL, &mut history);
/// let mut play = |line: &mut Line, word: &str| {
///     let turn = line.position().turn;
///     let read = read_ply(word.as_bytes(), &Letters::STANDARD, turn, &mut |slip| panic!("{slip:?}"));
///     line.play(read.ply.unwrap(), &mut history)
/// };
/// for word in ["H6-H12", "I23-I19", "JF6-C15", "GH26-Z11", "L5-L7", "NG25-L17", "EH4-H8", "GZ11-L5", "I5-I9"] {
///     assert_eq!(play(&mut line, word), Ok(()));
/// }
/// let snapshot = line;
/// assert_eq!(play(&mut line, "NL17-G9"), Ok(()));
/// // A ply that is not legal is played all the same, if it is coherent.
/// assert_eq!(play(&mut line, "K4-K12"), Err(Illegal::NoReach));
/// assert_eq!(snapshot.position().number, 5);
/// assert_eq!(snapshot.status(), Status::Quiet);
/// assert_eq!(snapshot.ending(&history), None);
/// ```
#[derive(Clone, Copy, Debug)]
pub struct Line {
    position: Position,
    /// Where something stands.
    occupied: HexSet,
    /// Who gives check to the player on turn.
    checks: Checks,
    /// Whether the player not on turn is not in check, as is so after every legal ply.
    is_sound: bool,
    /// Whether pawns that await promotion have been seen, of White and of Black: only then are they looked for.
    waiting: [bool; 2],
    /// Whether one of White's or Black's must promote (R2.7), unless he is in check.
    due: [bool; 2],
    /// A number for what has moved since the last capture or pawn ply, the same where the same has: rarely for other moves.
    moved: u64,
    /// Its number in the history.
    link: u32,
}

impl Line {
    /// A line that begins with a position.
    pub fn new(position: Position, history: &mut History) -> Line {
        let turn = position.turn;
        let mut line = Line {
            position,
            occupied: position.occupied(),
            checks: position.checks(turn),
            is_sound: !position.checks(turn.other()).any(),
            waiting: [Side::White, Side::Black].map(|side| position.waiting(side).next().is_some()),
            due: [false; 2],
            moved: 0,
            link: history.links.len() as u32,
        };
        // No ply led here, and none is asked for.
        let ply = Ply::new(Shape::Castle(Castling::packed(0)), Check::None);
        history.push(Link { moved: 0, ply, before: line.link, left: position.left() });
        [Side::White, Side::Black].into_iter().for_each(|side| line.look_for_due(side));
        line
    }

    /// Whether a ply is legal, and if not, why: as [`Position::legality`], and quicker.
    #[inline]
    pub fn legality(&self, ply: Ply) -> Result<(), Illegal> {
        self.plain_step(ply).map_or_else(|| self.position.legality(ply), |_| Ok(()))
    }

    /// The step that a ply is, if it is plainly legal: most are.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn plain_step(&self, ply: Ply) -> Option<Simple> {
        // In check, no pawn is due.
        if !self.checks.any() && self.due[self.position.turn as usize] {
            return None;
        }
        let step = self.position.plain_step(ply, &self.occupied)?;
        match self.checks.by() {
            [] => Some(step),
            [by] => Some(step).filter(|step| self.position.answers(*by, *step)),
            _ => None,
        }
    }

    /// Plays a ply.
    ///
    /// # Errors
    /// Why it is not legal. It is played all the same, but for [`Illegal::Incoherent`]: then the line is where it was.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    pub fn play(&mut self, ply: Ply, history: &mut History) -> Result<(), Illegal> {
        if let Some(step) = self.plain_step(ply) {
            self.play_step(step, ply, history);
            return Ok(());
        }
        let judged = self.play_any(ply);
        if !matches!(judged, Err(Illegal::Incoherent(..))) {
            self.note(ply, history);
        }
        judged
    }

    /// Notes the ply that has just been applied.
    #[inline]
    fn note(&mut self, ply: Ply, history: &mut History) {
        // Asked of all, as it is not foreseen which are asked.
        self.moved = (self.moved ^ ply.trace()) & u64::from(self.position.clock == 0).wrapping_sub(1);
        let link = Link { moved: self.moved, ply, before: self.link, left: self.position.left() };
        self.link = history.push(link);
    }

    /// Plays a step that is plainly legal.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn play_step(&mut self, step: Simple, ply: Ply, history: &mut History) {
        let enemy = self.position.turn.other();
        let mover = self.position.make(step);
        // Noted at once, while what was changed is at hand.
        self.note(ply, history);
        self.position.pass_turn();
        self.stepped(mover, step.from(), step.to());
        self.is_sound = true;
        // Only a piece that can be regained makes a pawn due; and what was captured may be the one that was.
        let is_regainable = |kind| Promotion::to(kind).is_some();
        if step.captures()
            && (self.due[enemy as usize] || Kind::from_number(step.captured()).is_some_and(is_regainable))
        {
            self.look_for_due(enemy);
        }
    }

    /// Brings up to date what a step of this piece changes, and what does not stand in the position.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn stepped(&mut self, mover: Option<Piece>, from: Hex, to: Hex) {
        self.occupied.remove(from);
        self.occupied.insert(to);
        self.checks = self.checks_by(mover, from, to);
    }

    /// The checks to the player on turn behind a step of this piece.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn checks_by(&self, mover: Option<Piece>, from: Hex, to: Hex) -> Checks {
        match (self.position.king(self.position.turn), mover) {
            (Some(king), Some(mover)) if self.is_sound => {
                self.position.checks_by_step(&self.occupied, king, mover, from, to)
            }
            _ => self.position.checks(self.position.turn),
        }
    }

    #[inline(never)]
    fn play_any(&mut self, ply: Ply) -> Result<(), Illegal> {
        let mut after = self.position;
        after.apply(ply).map_err(|(why, seen)| Illegal::Incoherent(why, seen))?;
        let side = self.position.turn;
        let known = Known { checks: self.checks, occupied: self.occupied, may_be_due: self.due[side as usize] };
        let judged = self.position.legality_of(ply, &after, &known);
        self.position = after;
        match ply.shape() {
            Shape::Step { from, to, capture, .. } if !capture.is_in_passing() => self.stepped(after.on(to), from, to),
            _ => (self.occupied, self.checks) = (after.occupied(), after.checks(side.other())),
        }
        self.is_sound = judged.is_ok() || !after.checks(side).any();
        self.waiting[side as usize] |= ply.promotion() == Promotion::Awaiting;
        if ply.captures() {
            self.look_for_due(side.other());
        }
        if ply.promotion() != Promotion::None {
            self.look_for_due(side);
        }
        judged
    }

    /// Only what one side loses and what it promotes changes whether it must promote.
    #[inline]
    fn look_for_due(&mut self, side: Side) {
        if self.waiting[side as usize] {
            self.due[side as usize] = self.position.due_of(side).next().is_some();
        }
    }

    /// Where the line is.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// How the player on turn stands: as [`Position::status`].
    pub fn status(&self) -> Status {
        let has_legal = !self.checks.any() && self.position.has_pawn_step() || self.position.has_legal();
        Status::of(self.checks, has_legal)
    }

    /// As [`Position::cannot_mate`], and quicker.
    #[inline]
    pub fn cannot_mate(&self) -> bool {
        self.occupied.len() <= 3 && self.position.cannot_mate()
    }

    /// Who gives check to the player on turn.
    #[inline]
    pub fn checks(&self) -> Checks {
        self.checks
    }

    /// Whether the player not on turn is not in check, as is so after every legal ply.
    #[inline]
    pub fn is_sound(&self) -> bool {
        self.is_sound
    }

    /// The position before these plies, the last one first; they have led here.
    pub fn back(&self, plies: impl IntoIterator<Item = Ply>, history: &History) -> Position {
        let mut position = self.position;
        for (ply, before) in plies.into_iter().zip(history.back(self.link).skip(1)) {
            position.take_back(ply, before.left);
        }
        position
    }

    /// How often the line has been at this position, this time included (R5.2).
    pub fn repetitions(&self, history: &History) -> u32 {
        let links = history.links.as_slice();
        let (mut count, mut at) = (1, self.link as usize);
        // What was before a capture or a pawn ply can't come back; every second time the other player is on turn.
        for plies in (2..=self.position.clock as usize).step_by(2) {
            let Some(last) = links.get(at) else { break };
            let Some(first) = links.get(last.before as usize) else { break };
            // A line begins with what has nothing before it.
            if first.before == last.before || last.before as usize == at {
                break;
            }
            at = first.before as usize;
            let Some(link) = links.get(at) else { break };
            if link.moved == self.moved {
                count += u32::from(self.is_back(history, plies) && self.is_like(link));
            }
        }
        count
    }

    /// Whether so many plies have led back to where the pieces stood.
    fn is_back(&self, history: &History, plies: usize) -> bool {
        let sides = [self.position.turn.other(), self.position.turn].into_iter().cycle();
        let shifts = history.back(self.link).take(plies).zip(sides).map(|(link, side)| shifted(link.ply, side));
        shifts.fold(0, |all, one| all ^ one) == 0
    }

    /// Whether a position with the same pieces is the same in all else.
    fn is_like(&self, link: &Link) -> bool {
        // A capture in passing counts only if it is legal.
        let legal = |special| special != Special::None && Position { special, ..self.position }.passes();
        let (then, now) = (link.left.special, self.position.special);
        link.left.rights == self.position.rights && (then == now || !legal(then) && !legal(now))
    }

    /// What draws the game here, if anything does and it is not over otherwise (R5.1, R5.2).
    #[inline]
    pub fn draw(&self, history: &History) -> Option<Ending> {
        /// There and back takes four plies.
        const SOONEST: u32 = 4 * (Ending::TIMES - 1);
        if self.position.clock < SOONEST {
            None
        } else if self.position.clock >= Ending::CLOCK {
            Some(Ending::Clock)
        } else {
            (self.repetitions(history) >= Ending::TIMES).then_some(Ending::Repetition)
        }
    }

    /// What ended the game here, if anything did. A mate or stalemate on the 150th ply stands (R5.1).
    pub fn ending(&self, history: &History) -> Option<Ending> {
        match self.status() {
            Status::Mate(_) => Some(Ending::Mate),
            Status::Stalemate => Some(Ending::Stalemate),
            _ => self.draw(history),
        }
    }
}

impl Position {
    /// Whether a pawn of the player on turn, who is not in check, can step ahead and shields no king, for it is on no line with
    /// its own: quickly found, where there are pawns.
    fn has_pawn_step(&self) -> bool {
        let pawn = Some(Piece::new(self.turn, Kind::Pawn));
        let ahead = WAYS[self.turn as usize].ahead;
        let is_shield = |hex| self.king(self.turn).is_some_and(|king| Relation::of(king, hex).direction().is_some());
        let mut pawns = Hex::all().filter(|hex| self.on(*hex) == pawn);
        pawns.any(|hex| hex.step(ahead).is_some_and(|next| self.on(next).is_none()) && !is_shield(hex))
    }
}

/// A number for the pieces that a ply moves from where to where: what moves them back has the same.
fn shifted(ply: Ply, side: Side) -> u64 {
    let shift = |kind, from, to| {
        let piece = Some(Piece::new(side, kind));
        man(from, piece) ^ man(to, piece)
    };
    match ply.shape() {
        Shape::Step { piece, from, to, .. } => shift(piece, from, to),
        Shape::Promote { .. } => 0,
        Shape::Castle(castling) => {
            let shifts = castling.moves(side).into_iter().filter_map(|(kind, from, to)| Some(shift(kind, from, to?)));
            shifts.fold(0, |all, one| all ^ one)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::Illegal;
    use crate::notation::{Letters, pdtl, read_ply};

    fn begin(value: &str, history: &mut History) -> Line {
        let position = pdtl::parse(value.as_bytes(), &Letters::STANDARD, &mut |slip| panic!("{slip:?}"));
        Line::new(position.expect(value), history)
    }

    fn play(line: &mut Line, word: &str, history: &mut History) -> Result<(), Illegal> {
        let turn = line.position().turn;
        let read = read_ply(word.as_bytes(), &Letters::STANDARD, turn, &mut |slip| panic!("{slip:?}"));
        line.play(read.ply.expect(word), history)
    }

    const THERE_AND_BACK: [&str; 4] = ["KG1-G3", "KG27-G25", "KG3-G1", "KG25-G27"];

    #[test]
    fn the_fifth_time_ends_the_game() {
        let mut history = History::default();
        let mut line = begin("/27:1k/14:3p3/12:3P3/1:1K/ w -- - 7 40", &mut history);
        for times in 2..=5 {
            assert_eq!(line.ending(&history), None);
            for word in THERE_AND_BACK {
                assert_eq!(play(&mut line, word, &mut history), Ok(()));
            }
            assert_eq!(line.repetitions(&history), times);
        }
        assert_eq!(line.ending(&history), Some(Ending::Repetition));
    }

    #[test]
    fn a_leap_that_is_lost_makes_another_position() {
        let mut history = History::default();
        let mut line = begin("/27:1k/1:1K/ w Kk - 0 1", &mut history);
        for word in THERE_AND_BACK.into_iter().chain(THERE_AND_BACK) {
            assert_eq!(play(&mut line, word, &mut history), Ok(()));
        }
        assert_eq!(line.repetitions(&history), 2);
    }

    /// R5.2: a capture in passing counts only if it is legal.
    #[test]
    fn a_capture_in_passing_makes_another_position_if_it_is_legal() {
        for (value, double, times) in [
            ("/27:1k/14:3p3/12:3P3/1:1K/ w -- - 0 40", "F12-E13", 1),
            ("/27:1k/12:3P3/1:1K/ w -- - 0 40", "F12-F16", 2),
        ] {
            let mut history = History::default();
            let mut line = begin(value, &mut history);
            for word in [double, "KG27-G25", "KG1-G3", "KG25-G27", "KG3-G1"] {
                assert_eq!(play(&mut line, word, &mut history), Ok(()));
            }
            assert_eq!(line.repetitions(&history), times, "{value}");
        }
    }

    #[test]
    fn variations_count_what_was_before_them() {
        let mut history = History::default();
        let mut line = begin("/27:1k/1:1K/ w -- - 0 1", &mut history);
        let mut before = line;
        for word in THERE_AND_BACK {
            before = line;
            assert_eq!(play(&mut line, word, &mut history), Ok(()));
        }
        for word in ["KG25-G23", "KG1-G3", "KG23-G25", "KG3-G1"] {
            assert_eq!(play(&mut before, word, &mut history), Ok(()));
        }
        assert_eq!((line.repetitions(&history), before.repetitions(&history)), (2, 2));
    }

    #[test]
    fn the_150th_ply_ends_the_game_unless_it_mates() {
        for (value, word, ending) in [
            ("/27:1k/12:2r4/1:1K/ b -- - 149 40", "RD12-D14", Ending::Clock),
            ("/21:1D6/18:2K4/12:2R4/9:k7/ w -- - 149 107", "DA21-A9", Ending::Mate),
        ] {
            let mut history = History::default();
            let mut line = begin(value, &mut history);
            assert_eq!(play(&mut line, word, &mut history), Ok(()));
            assert_eq!(line.ending(&history), Some(ending), "{value}");
        }
    }
}
