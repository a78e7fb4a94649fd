//! A line judged ply by ply: what is known of a position is carried on to the next one.

use super::attacks::{ELEPHANT, Relation, WAYS};
use super::ply::Simple;
use super::status::{Rest, man, turn};
use super::{Castling, Checks, Ending, Hex, Illegal, Kind, Piece, Ply, Position, Promotion, Shape, Side, Status};

/// The positions of a record's lines by their keys, for repetition (R5.2). Every position knows the one before it, so that
/// lines that part share what they have in common.
#[derive(Default)]
pub struct History {
    links: Vec<Link>,
}

#[derive(Clone, Copy)]
struct Link {
    key: u64,
    /// The number of the position before.
    before: Option<u32>,
}

impl History {
    /// Forgets everything but its memory; lines that were begun are void.
    pub fn clear(&mut self) {
        self.links.clear();
    }

    fn push(&mut self, key: u64, before: Option<u32>) -> u32 {
        let number = self.links.len() as u32;
        self.links.push(Link { key, before });
        number
    }

    /// The position before this one.
    fn before(&self, number: u32) -> Option<u32> {
        self.links.get(number as usize)?.before
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
    /// How the player on turn stands.
    status: Status,
    /// Whether the player not on turn is not in check, as is so after every legal ply.
    is_sound: bool,
    /// Whether pawns that await promotion have been seen, of White and of Black: only then are they looked for.
    waiting: [bool; 2],
    /// White's and Black's step that was last seen to be free: most often it still is.
    free: [Option<FreeStep>; 2],
    key: u64,
    /// What else is in the key.
    rest: Rest,
    /// Its number in the history.
    link: u32,
}

impl Line {
    /// A line that begins with a position.
    pub fn new(position: Position, history: &mut History) -> Line {
        let key = position.key();
        let turn = position.turn;
        let pawns =
            |side| position.pieces().any(|(hex, piece)| piece == Piece::new(side, Kind::Pawn) && hex.is_last_for(side));
        Line {
            position,
            status: position.status(),
            is_sound: !position.checks(turn.other()).any(),
            waiting: [pawns(Side::White), pawns(Side::Black)],
            free: [None; 2],
            key,
            rest: position.rest(),
            link: history.push(key, None),
        }
    }

    /// Whether a ply is legal, and if not, why: as [`Position::legality`], and quicker.
    #[inline]
    pub fn legality(&self, ply: Ply) -> Result<(), Illegal> {
        self.plain_step(ply).map_or_else(|| self.position.legality(ply), |_| Ok(()))
    }

    /// The step that a ply is, if it is plainly legal: most are.
    #[inline]
    fn plain_step(&self, ply: Ply) -> Option<Simple> {
        let may_be_due = self.waiting[self.position.turn as usize];
        if self.status == Status::Quiet && !may_be_due { self.position.plain_step(ply) } else { None }
    }

    /// Plays a ply.
    ///
    /// # Errors
    /// Why it is not legal. It is played all the same, but for [`Illegal::Incoherent`]: then the line is where it was.
    pub fn play(&mut self, ply: Ply, history: &mut History) -> Result<(), Illegal> {
        let judged = match self.plain_step(ply) {
            Some(step) => self.play_step(ply, &step),
            None => self.play_any(ply),
        };
        if !matches!(judged, Err(Illegal::Incoherent(..))) {
            self.link = history.push(self.key, Some(self.link));
        }
        judged
    }

    /// Plays a step that is plainly legal.
    #[inline]
    fn play_step(&mut self, ply: Ply, step: &Simple) -> Result<(), Illegal> {
        let (from, to) = (step.from, step.to);
        let mover = self.position.on(from);
        self.key ^= man(from, mover) ^ man(to, mover) ^ man(to, self.position.on(to));
        self.position.apply(ply).map_err(|(why, seen)| Illegal::Incoherent(why, seen))?;
        let checks = match (self.position.king(self.position.turn), mover) {
            (Some(king), Some(mover)) if self.is_sound => self.position.checks_by_step(king, mover, from, to),
            _ => self.position.checks(self.position.turn),
        };
        self.is_sound = true;
        self.conclude(checks);
        Ok(())
    }

    #[inline(never)]
    fn play_any(&mut self, ply: Ply) -> Result<(), Illegal> {
        let judged = self.position.legality(ply);
        let touched = self.position.touched(ply);
        let before = touched.men(&self.position);
        let side = self.position.turn;
        self.position.apply(ply).map_err(|(why, seen)| Illegal::Incoherent(why, seen))?;
        self.key ^= before ^ touched.men(&self.position);
        self.is_sound = judged.is_ok() || !self.position.checks(side).any();
        self.waiting[side as usize] |= ply.promotion() == Promotion::Awaiting;
        self.conclude(self.position.checks(side.other()));
        judged
    }

    /// Finds how the player on turn stands: mate and stalemate are looked for only where they can be. Brings the rest of
    /// the key up to date.
    #[inline]
    fn conclude(&mut self, checks: Checks) {
        self.status = match checks.any() {
            true if self.position.has_legal() => Status::Check(checks),
            true => Status::Mate(checks),
            false if self.has_free_step() || self.position.has_legal() => Status::Quiet,
            false => Status::Stalemate,
        };
        self.key ^= turn(Side::White) ^ turn(Side::Black);
        let rest = self.position.rest();
        if rest != self.rest {
            self.key ^= self.rest.key() ^ rest.key();
            self.rest = rest;
        }
    }

    #[inline]
    fn has_free_step(&mut self) -> bool {
        let free = &mut self.free[self.position.turn as usize];
        if !free.is_some_and(|step| self.position.has_free(step)) {
            *free = self.position.free_step();
        }
        free.is_some()
    }

    /// Where the line is.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// How the player on turn stands: as [`Position::status`].
    #[inline]
    pub fn status(&self) -> Status {
        self.status
    }

    /// As [`Position::key`].
    pub fn key(&self) -> u64 {
        self.key
    }

    /// How often the line has been at this position, this time included (R5.2).
    pub fn repetitions(&self, history: &History) -> u32 {
        let mut count = 1;
        let mut at = self.link;
        // What was before a capture or a pawn ply can't come back; every second time the other player is on turn.
        for _ in 0..self.position.clock / 2 {
            let Some(before) = history.before(at).and_then(|number| history.before(number)) else { break };
            count += u32::from(history.links[before as usize].key == self.key);
            at = before;
        }
        count
    }

    /// What ended the game here, if anything did. A mate or stalemate on the 150th ply stands (R5.1).
    pub fn ending(&self, history: &History) -> Option<Ending> {
        match self.status {
            Status::Mate(_) => Some(Ending::Mate),
            Status::Stalemate => Some(Ending::Stalemate),
            _ if self.position.clock >= Ending::CLOCK => Some(Ending::Clock),
            _ if self.repetitions(history) >= Ending::TIMES => Some(Ending::Repetition),
            _ => None,
        }
    }
}

/// A step to an empty hex beside the piece.
#[derive(Clone, Copy, Debug)]
struct FreeStep {
    piece: Piece,
    from: Hex,
    to: Hex,
}

impl Position {
    /// Whether a step can still be made by the player on turn, who is not in check: the piece shields no king, for it is on
    /// no line with its own.
    #[inline]
    fn has_free(&self, step: FreeStep) -> bool {
        let on_line = |king| Relation::of(king, step.from).direction().is_some();
        self.on(step.from) == Some(step.piece)
            && self.on(step.to).is_none()
            && !self.king(self.turn).is_some_and(on_line)
    }

    /// Such a step of the player on turn, if one is found.
    #[cold]
    fn free_step(&self) -> Option<FreeStep> {
        let own = self.pieces().filter(|(_, piece)| piece.side() == self.turn);
        own.flat_map(|(from, piece)| {
            plain_ways(piece).iter().filter_map(move |way| Some((piece, from, from.step(*way)?)))
        })
        .map(|(piece, from, to)| FreeStep { piece, from, to })
        .find(|step| self.has_free(*step))
    }
}

/// Directions in which a piece can step to an empty hex; enough to find one.
fn plain_ways(piece: Piece) -> &'static [usize] {
    match piece.kind() {
        Kind::Pawn => &WAYS[piece.side() as usize].quiet,
        Kind::Elephant => &ELEPHANT,
        Kind::Rook | Kind::Wyvern => &[0, 1, 2, 3, 4, 5],
        Kind::Bishop | Kind::Pegasus | Kind::Queen => &[6, 7, 8, 9, 10, 11],
        Kind::Knight | Kind::King => &[],
    }
}

/// The hexes whose pieces a ply changes.
struct Touched {
    hexes: [Hex; 6],
    count: usize,
}

impl Touched {
    /// The parts of the key for what stands on them.
    #[inline]
    fn men(&self, position: &Position) -> u64 {
        self.hexes[..self.count].iter().fold(0, |men, hex| men ^ man(*hex, position.on(*hex)))
    }

    fn add(&mut self, hex: Hex) {
        if let Some(place) = self.hexes.get_mut(self.count) {
            *place = hex;
            self.count += 1;
        }
    }
}

impl Position {
    /// The hexes whose pieces a coherent ply changes.
    #[inline]
    fn touched(&self, ply: Ply) -> Touched {
        match ply.shape() {
            Shape::Step { from, to, capture, .. } => {
                let mut touched = Touched { hexes: [from, to, to, to, to, to], count: 2 };
                if capture.is_in_passing() {
                    let victim = self.special.victim(capture, to, self.turn).filter(|hex| *hex != to);
                    victim.into_iter().for_each(|hex| touched.add(hex));
                }
                touched
            }
            Shape::Promote { at, .. } => Touched { hexes: [at; 6], count: 1 },
            Shape::Castle(castling) => self.touched_by(castling),
        }
    }

    fn touched_by(&self, castling: Castling) -> Touched {
        let side = self.turn;
        let (from, to) = (Castling::king_home(side), castling.king_to(side));
        let mut touched = Touched { hexes: [from, to, to, to, to, to], count: 2 };
        for (home, to) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side)),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side)),
        ] {
            if let Some(to) = to {
                touched.add(home);
                touched.add(to);
            }
        }
        touched
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
