//! A line judged ply by ply: what is known of a position is carried on to the next one.

use super::status::man;
use super::{Checks, Ending, Illegal, Kind, Piece, Ply, Position, Promotion, Shape, Side, Status};

/// Plies without capture or pawn ply at which the game is over (R5.1).
const OVER: u32 = 150;
/// How often the same position ends it (R5.2).
const TOO_OFTEN: u32 = 5;

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
    /// Who checks the player on turn.
    checks: Checks,
    /// Whether the player not on turn is not in check, as is so after every legal ply.
    is_sound: bool,
    /// Whether pawns that await promotion have been seen, of White and of Black: only then are they looked for.
    waiting: [bool; 2],
    key: u64,
    /// The part of the key that is no piece.
    rest: u64,
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
            checks: position.checks(turn),
            is_sound: !position.checks(turn.other()).any(),
            waiting: [pawns(Side::White), pawns(Side::Black)],
            key,
            rest: position.key_of_rest(),
            link: history.push(key, None),
        }
    }

    /// Whether a ply is legal, and if not, why: as [`Position::legality`], and quicker.
    #[inline]
    pub fn legality(&self, ply: Ply) -> Result<(), Illegal> {
        let may_be_due = self.waiting[self.position.turn as usize];
        if !self.checks.any() && !may_be_due && self.position.is_plainly_legal(ply) {
            return Ok(());
        }
        self.position.legality(ply)
    }

    /// Plays a ply.
    ///
    /// # Errors
    /// Why it is not legal. It is played all the same, but for [`Illegal::Incoherent`]: then the line is where it was.
    pub fn play(&mut self, ply: Ply, history: &mut History) -> Result<(), Illegal> {
        let judged = self.legality(ply);
        let touched = self.position.touched(ply);
        let men = |position: &Position| touched.iter().flatten().fold(0, |men, hex| men ^ man(*hex, position.on(*hex)));
        let without = self.key ^ self.rest ^ men(&self.position);
        let side = self.position.turn;
        self.position.apply(ply).map_err(|(why, seen)| Illegal::Incoherent(why, seen))?;
        self.checks = self.checks_after(ply);
        self.is_sound = judged.is_ok() || !self.position.checks(side).any();
        self.waiting[side as usize] |= ply.promotion() == Promotion::Awaiting;
        self.rest = self.position.key_of_rest();
        self.key = without ^ men(&self.position) ^ self.rest;
        self.link = history.push(self.key, Some(self.link));
        judged
    }

    /// The checks that a ply has given. A plain step gives them from where it ends, and along the line that it has opened.
    #[inline]
    fn checks_after(&self, ply: Ply) -> Checks {
        let turn = self.position.turn;
        match (self.position.king(turn), ply.shape()) {
            (Some(king), Shape::Step { piece, from, to, promotion: Promotion::None, capture, .. })
                if self.is_sound && !capture.is_in_passing() =>
            {
                self.position.checks_by_step(king, Piece::new(turn.other(), piece), from, to)
            }
            _ => self.position.checks(turn),
        }
    }

    /// Where the line is.
    #[inline]
    pub fn position(&self) -> &Position {
        &self.position
    }

    /// Who checks the player on turn.
    #[inline]
    pub fn checks(&self) -> &Checks {
        &self.checks
    }

    /// As [`Position::status`].
    #[inline]
    pub fn status(&self) -> Status {
        self.position.status_by(self.checks)
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
        match self.status() {
            Status::Mate(_) => Some(Ending::Mate),
            Status::Stalemate => Some(Ending::Stalemate),
            _ if self.position.clock >= OVER => Some(Ending::Clock),
            _ if self.repetitions(history) >= TOO_OFTEN => Some(Ending::Repetition),
            _ => None,
        }
    }
}
