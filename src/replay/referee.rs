//! Judges the plies of a record by the rules of play while it is replayed (§12): whether each is legal, has the right
//! sign, and comes before the end; and what the last position says of the result. Nothing else does.
//!
//! Behind a ply that is not legal the line goes on. What follows from it is not told again: a check that stands since then
//! need not be answered, and neither that ply's sign nor what it ends is judged.

use std::collections::HashSet;

use super::{At, Lines, Player, Replayed};
use crate::game::{
    Check, Checks, Ending, Hex, History, Illegal, Incoherence, Line, Part, Ply, Position, Seen, Side, Status,
};
use crate::notation::{GameResult, PdtlFault, check_of, part_of, pdtl};
use crate::syntax::fault::{EndFault, Fault, FaultKind, PlayFault};
use crate::syntax::{Item, ItemKind, Record, TagName};

/// What there is to know of a fault of play: its fault's `seen` is the number of it.
#[derive(Clone, Copy, Debug)]
pub struct Foul {
    /// The position before the ply; for the result, the last one; for a PDTL, its own.
    pub position: Position,
    /// What is wrong.
    pub why: Why,
    /// All plies of the line before are legal, so that the position is what the players saw.
    pub is_first: bool,
}

/// What is wrong.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Why {
    /// The ply is not legal.
    Illegal(Illegal),
    /// The sign, or the result, is not that of how the player on turn stands behind the last ply.
    Stands(Status),
    /// The game was over; behind the ply of an item, or in the PDTL.
    Over(Ending, Option<usize>),
    /// Neither side can mate; since the ply of an item, or in the PDTL.
    Material(Option<usize>),
    /// The side not on turn is in check.
    Start(Checks),
}

/// A set of faults of play.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct PlayFaults(u64);

impl PlayFaults {
    /// Whether one is in it.
    #[inline]
    pub const fn has(self, fault: PlayFault) -> bool {
        self.0 >> fault as u8 & 1 != 0
    }

    /// Whether none is.
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }
}

impl FromIterator<PlayFault> for PlayFaults {
    fn from_iter<I: IntoIterator<Item = PlayFault>>(faults: I) -> PlayFaults {
        PlayFaults(faults.into_iter().fold(0, |set, fault| set | 1 << fault as u8))
    }
}

/// Judges records one after another with the same memory.
pub struct Referee {
    lines: Lines<Judged>,
    book: Book,
}

impl Referee {
    /// One who tells these faults and no others.
    pub fn new(wanted: PlayFaults) -> Referee {
        let mut history = History::default();
        let initial = Line::new(Position::INITIAL, &mut history);
        let book = Book {
            wanted,
            any_sign: !wanted.has(PlayFault::CheckImprecise),
            history,
            initial,
            has_pdtl: false,
            rights_known: true,
            faults: Vec::new(),
            fouls: Vec::new(),
            mates: HashSet::new(),
        };
        Referee { lines: Lines::default(), book }
    }

    /// Replays a record as [`Replayer::replay_and`](super::Replayer::replay_and) does, and adds what the rules of play do not
    /// allow to its faults.
    pub fn judge(&mut self, record: &mut Record<'_>, tell: impl FnMut(usize, &Position)) -> Replayed {
        let Referee { lines, book } = self;
        book.open(record);
        let followed = lines.follow(book, record, tell);
        if let Some(last) = followed.last.filter(|_| followed.is_whole) {
            book.result(record, &last);
        }
        book.place(record);
        Replayed { last: followed.last.map(|line| *line.line.position()), plies: followed.plies }
    }

    /// What there is to know of the last record's faults of play.
    pub fn fouls(&self) -> &[Foul] {
        &self.book.fouls
    }
}

/// Up to two pieces that check a king.
type Checkers = [Option<Hex>; 2];

/// A line, and what has been told of it.
#[derive(Clone, Copy)]
struct Judged {
    line: Line,
    /// The last ply and where it stands, if there is one.
    last: Option<(Ply, At)>,
    /// Whether the last ply mates or stalemates has not been asked: a legal ply behind it says no.
    is_open: bool,
    /// Anything of what follows is not as it is in nearly every line.
    is_special: bool,
    /// No ply was illegal.
    is_clean: bool,
    /// By side, what checks its king since something was told.
    told: [Checkers; 2],
    /// By side, that it does not promote a pawn that must has been told.
    passed_over: [bool; 2],
    /// What has just ended the game.
    ended: Option<Ending>,
    /// That a draw was played on has been told.
    is_drawn: bool,
    /// That plies follow mate or stalemate has been told: nothing behind it is judged.
    is_closed: bool,
    material: Material,
}

/// Whether a side can still mate (R5.3).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Material {
    Enough,
    /// Not since the last ply.
    Gone,
    /// Not for longer.
    Told,
}

impl Judged {
    fn new(line: Line) -> Judged {
        let (is_sound, gone) = (line.is_sound(), line.cannot_mate());
        let mut judged = Judged {
            line,
            last: None,
            is_open: is_sound,
            is_special: false,
            is_clean: true,
            told: [Checkers::default(); 2],
            passed_over: [false; 2],
            ended: None,
            // That a PDTL has such a clock is a fault of its own (§10.5).
            is_drawn: line.position().clock >= Ending::CLOCK,
            is_closed: false,
            material: if gone { Material::Gone } else { Material::Enough },
        };
        if !is_sound {
            judged.tell_checks();
        }
        judged.mark();
        judged
    }

    /// Sees whether anything is special.
    fn mark(&mut self) {
        self.is_special = self.told != [Checkers::default(); 2]
            || self.passed_over != [false; 2]
            || self.ended.is_some()
            || self.is_closed
            || self.material == Material::Gone;
    }

    fn checkers(&self, side: Side) -> Checkers {
        let checks = self.line.position().checks(side);
        std::array::from_fn(|index| checks.by().get(index).copied())
    }

    /// The checks on the board have been told.
    fn tell_checks(&mut self) {
        self.told = [Side::White, Side::Black].map(|side| self.checkers(side));
    }

    /// Checks that are no more are told anew when they come back.
    fn forget_checks(&mut self) {
        if self.told == [Checkers::default(); 2] {
            return;
        }
        for side in [Side::White, Side::Black] {
            let now = self.checkers(side);
            self.told[side as usize].iter_mut().for_each(|by| *by = by.filter(|hex| now.contains(&Some(*hex))));
        }
    }

    /// Whether the last ply has the sign of the check that it gives, if it does not mate; `+` will do if any does.
    #[inline]
    fn has_sign(&self, ply: Ply, any_sign: bool) -> bool {
        let kind = self.line.checks().kind();
        ply.has_check(kind) || any_sign && kind != Check::None && ply.has_check(Check::Plain)
    }

    /// Whether the ply that was just played, a legal one, needs no second look: it has its sign and ends nothing, if a legal
    /// one follows.
    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn is_plain(&self, ply: Ply, history: &History, any_sign: bool) -> bool {
        self.has_sign(ply, any_sign)
            && self.line.draw(history).is_none()
            && !(ply.captures() && self.line.cannot_mate())
    }
}

/// What is found in a record.
struct Book {
    wanted: PlayFaults,
    /// `+` will do for any check.
    any_sign: bool,
    /// Of all lines of the record.
    history: History,
    /// The line that begins with the initial position.
    initial: Line,
    /// The record begins with another position.
    has_pdtl: bool,
    /// What the PDTL says of rights fits its position (§10.7): else none is known to be lost.
    rights_known: bool,
    faults: Vec<Fault>,
    fouls: Vec<Foul>,
    /// Items of plies of which it has been told that they mate.
    mates: HashSet<u32>,
}

impl Player for Book {
    type Line = Judged;

    fn begin(&mut self, start: Position) -> Judged {
        Judged::new(if self.has_pdtl { Line::new(start, &mut self.history) } else { self.initial })
    }

    #[inline(always)]
    #[expect(clippy::inline_always, reason = "once a ply of an archive")]
    fn play(&mut self, line: &mut Judged, ply: Ply, at: At) -> Result<(), (Incoherence, Seen)> {
        let was_sound = line.line.is_sound();
        let judged = line.line.play(ply, &mut self.history);
        if judged.is_ok() && was_sound && !line.is_special && line.is_plain(ply, &self.history, self.any_sign) {
            line.last = Some((ply, at));
            line.is_open = true;
            return Ok(());
        }
        self.look(line, ply, at, was_sound, judged)
    }

    fn end(&mut self, line: &mut Judged) {
        if line.is_open {
            self.close(line, None);
        }
    }

    #[inline]
    fn position(line: &Judged) -> &Position {
        line.line.position()
    }
}

/// What was before a ply.
struct Before {
    position: Position,
    was_sound: bool,
}

impl Book {
    /// Begins a record.
    fn open(&mut self, record: &Record<'_>) {
        self.history.forget_behind(&self.initial);
        self.fouls.clear();
        self.mates.clear();
        self.has_pdtl = record.setup.has_pdtl;
        self.rights_known = record.faults.iter().all(|fault| fault.kind != PdtlFault::CastlingFit.into());
        let position = record.setup.position.filter(|_| record.setup.has_pdtl && record.setup.replayed);
        if let Some(position) = position.filter(|_| !record.ordinary_pgn) {
            self.start(record, position);
        }
    }

    /// The side not on turn is not in check (§10.7).
    fn start(&mut self, record: &Record<'_>, position: Position) {
        let checks = position.checks(position.turn.other());
        let Some(tag) = record.tag(TagName::Pdtl).filter(|_| checks.any()) else { return };
        let fields = pdtl::fields(tag.value(record.text));
        let Some(turn) = fields.get(1) else { return };
        let fault = Fault {
            kind: PlayFault::StartInCheck.into(),
            aside: false,
            at: tag.value_at + turn.start as u32,
            len: turn.len() as u32,
            item: Fault::NO_ITEM,
            seen: 0,
        };
        self.add(PlayFault::StartInCheck, fault, Foul { position, why: Why::Start(checks), is_first: true });
    }

    fn add(&mut self, kind: PlayFault, fault: Fault, foul: Foul) {
        if self.wanted.has(kind) {
            self.faults.push(Fault { kind: kind.into(), seen: self.fouls.len() as u32, ..fault });
            self.fouls.push(foul);
        }
    }

    /// Writes down what a ply does; where in its word is found later.
    fn tell(&mut self, kind: PlayFault, at: At, position: &Position, why: Why, is_first: bool) {
        let fault = Fault { kind: kind.into(), aside: at.aside, at: 0, len: 0, item: at.index, seen: 0 };
        self.add(kind, fault, Foul { position: *position, why, is_first });
    }

    /// Looks at a ply that was played and is not as most are.
    #[inline(never)]
    fn look(
        &mut self,
        line: &mut Judged,
        ply: Ply,
        at: At,
        was_sound: bool,
        judged: Result<(), Illegal>,
    ) -> Result<(), (Incoherence, Seen)> {
        let illegal = match judged {
            Ok(()) => None,
            Err(Illegal::Incoherent(why, seen)) => return Err((why, seen)),
            Err(why) => Some(why),
        };
        if illegal.is_some() && line.is_open {
            self.close(line, Some(ply));
        }
        let before = Before { position: line.line.back([ply], &self.history), was_sound };
        let since = line.last.replace((ply, at)).map(|(_, at)| at.index as usize);
        line.is_open = false;
        if !line.is_closed {
            self.ended(line, at, &before, since);
        }
        if !line.is_closed {
            self.weigh(line, ply, at, &before, illegal);
        }
        line.mark();
        Ok(())
    }

    /// Sees whether mate or stalemate ended the game behind the last ply, or behind the one before a ply that was played
    /// since.
    fn close(&mut self, line: &mut Judged, since: Option<Ply>) {
        line.is_open = false;
        let status = match since {
            None => line.line.status(),
            Some(_) => line.line.back(since, &self.history).status(),
        };
        line.ended = ending(status).or(line.ended);
        if let (Some((ply, at)), Status::Mate(_)) = (line.last, status)
            && self.mates.insert(at.index)
        {
            let before = line.line.back(since.into_iter().chain([ply]), &self.history);
            self.tell(PlayFault::MateMissing, at, &before, Why::Stands(status), line.is_clean);
        }
    }

    /// Whether the game was over before a ply.
    fn ended(&mut self, line: &mut Judged, at: At, before: &Before, since: Option<usize>) {
        if let Some(ending) = line.ended.take() {
            line.is_closed = matches!(ending, Ending::Mate | Ending::Stalemate);
            line.is_drawn = !line.is_closed;
            let kind = if line.is_closed { PlayFault::AfterEnd } else { PlayFault::AfterDraw };
            self.tell(kind, at, &before.position, Why::Over(ending, since), line.is_clean);
        }
        if line.material == Material::Gone {
            line.material = Material::Told;
            self.tell(PlayFault::AfterMaterial, at, &before.position, Why::Material(since), line.is_clean);
        }
    }

    /// Whether a ply is legal, and if it is, what it does.
    fn weigh(&mut self, line: &mut Judged, ply: Ply, at: At, before: &Before, illegal: Option<Illegal>) {
        let side = before.position.turn;
        if let Some(why) = illegal.filter(|why| !self.is_known(line, side, *why)) {
            self.tell(kind_of(why), at, &before.position, Why::Illegal(why), line.is_clean);
            line.passed_over[side as usize] |= matches!(why, Illegal::PassedOver { .. });
            line.is_clean = false;
            line.tell_checks();
            return;
        }
        line.passed_over[side as usize] &= illegal.is_some();
        line.forget_checks();
        if !before.was_sound {
            // The king was in check already: what this ply adds to that follows from what was told.
            line.told[side.other() as usize] = line.checkers(side.other());
            return;
        }
        let draw = line.line.draw(&self.history).filter(|_| !line.is_drawn);
        if line.has_sign(ply, self.any_sign) {
            line.is_open = illegal.is_none();
            line.ended = draw;
        } else {
            let status = line.line.status();
            line.ended = ending(status).or(draw);
            if let Some(kind) = sign_fault(ply.check(), status) {
                self.tell(kind, at, &before.position, Why::Stands(status), line.is_clean);
            }
        }
        if line.material == Material::Enough && ply.captures() && line.line.cannot_mate() {
            line.material = Material::Gone;
        }
    }

    /// Whether it follows from what has been told, or from what nobody knows.
    fn is_known(&self, line: &Judged, side: Side, why: Illegal) -> bool {
        let told = |by: Hex| line.told[side as usize].contains(&Some(by));
        match why {
            Illegal::Unanswered { by, .. } | Illegal::LeapInCheck(by) | Illegal::CastlingInCheck(by) => told(by),
            Illegal::PassedOver { .. } => line.passed_over[side as usize],
            Illegal::LeapLost | Illegal::CastlingLost(_) => !self.rights_known,
            _ => false,
        }
    }

    /// Whether the result is that of the last position (§7.8, R4, R5); one that `#` tells, or that stands behind a misplaced
    /// end, has rules of its own.
    fn result(&mut self, record: &Record<'_>, line: &Judged) {
        let ended = [EndFault::AfterEnd, EndFault::TwoResults, EndFault::ResultPgn].map(FaultKind::End);
        if record.faults.iter().any(|fault| ended.contains(&fault.kind)) || line.is_closed {
            return;
        }
        let Some(item) = record.items.iter().rposition(|item| item.kind == ItemKind::Result) else { return };
        let written = record.items[item];
        let Some((kind, why)) = written.result().and_then(|said| result_fault(line, said)) else { return };
        let Item { at, len, .. } = written;
        let fault = Fault { kind: kind.into(), aside: false, at, len, item: item as u32, seen: 0 };
        self.add(kind, fault, Foul { position: *line.line.position(), why, is_first: line.is_clean });
    }

    /// Hands the faults over, each at its part of the ply's word.
    fn place(&mut self, record: &mut Record<'_>) {
        for fault in &mut self.faults {
            let Some(item) = record.items.get(fault.item as usize).filter(|item| item.kind == ItemKind::Ply) else {
                continue;
            };
            let FaultKind::Play(kind) = fault.kind else { continue };
            let (from, to) = place_of(kind, item.text(record.text));
            (fault.at, fault.len) = (item.at + from as u32, (to - from) as u32);
        }
        record.faults.extend(self.faults.drain(..));
    }
}

/// Where in a ply's word it shows.
fn place_of(kind: PlayFault, word: &[u8]) -> (usize, usize) {
    match kind {
        PlayFault::CheckMissing
        | PlayFault::CheckFalse
        | PlayFault::CheckKind
        | PlayFault::CheckImprecise
        | PlayFault::MateMissing
        | PlayFault::MateFalse => check_of(word),
        PlayFault::ScornfulSign => part_of(word, Part::Sign),
        PlayFault::NotRegainable | PlayFault::Regainable => part_of(word, Part::Promotion),
        _ => (0, word.len()),
    }
}

/// The fault that an illegal ply is.
fn kind_of(why: Illegal) -> PlayFault {
    match why {
        Illegal::KingCapture => PlayFault::KingCapture,
        // The minimal reader stops at one that is not coherent, and there is nothing to tell of it here.
        Illegal::NoReach | Illegal::Incoherent(..) => PlayFault::NoReach,
        Illegal::NoTriple => PlayFault::NoTriple,
        Illegal::NoCapture => PlayFault::NoCapture,
        Illegal::OnlyCapture => PlayFault::OnlyCapture,
        Illegal::ScornfulSign => PlayFault::ScornfulSign,
        Illegal::Blocked(_) => PlayFault::Blocked,
        Illegal::PassingPiece => PlayFault::PassingPiece,
        Illegal::PassingReach => PlayFault::PassingReach,
        Illegal::LeapLost => PlayFault::LeapLost,
        Illegal::LeapInCheck(_) => PlayFault::LeapInCheck,
        Illegal::CastlingLost(_) => PlayFault::CastlingLost,
        Illegal::CastlingInCheck(_) => PlayFault::CastlingInCheck,
        Illegal::CastlingBlocked(_) => PlayFault::CastlingPath,
        Illegal::CastlingAttacked { .. } => PlayFault::CastlingAttacked,
        Illegal::Unanswered { .. } => PlayFault::Unanswered,
        Illegal::Exposed { .. } => PlayFault::Exposed,
        Illegal::NotRegainable(_) => PlayFault::NotRegainable,
        Illegal::Regainable(_) => PlayFault::Regainable,
        Illegal::PassedOver { .. } => PlayFault::PassedOver,
    }
}

/// How the game ends where the player on turn stands so.
fn ending(status: Status) -> Option<Ending> {
    match status {
        Status::Mate(_) => Some(Ending::Mate),
        Status::Stalemate => Some(Ending::Stalemate),
        Status::Quiet | Status::Check(_) => None,
    }
}

/// What is wrong with the sign of a ply behind which the player on turn stands so (R4.2–R4.5).
fn sign_fault(written: Check, status: Status) -> Option<PlayFault> {
    match (status, written) {
        (Status::Mate(_), Check::Mate) | (Status::Quiet | Status::Stalemate, Check::None) => None,
        (Status::Mate(_), _) => Some(PlayFault::MateMissing),
        (_, Check::Mate) => Some(PlayFault::MateFalse),
        (Status::Quiet | Status::Stalemate, _) => Some(PlayFault::CheckFalse),
        (Status::Check(_), Check::None) => Some(PlayFault::CheckMissing),
        (Status::Check(_), Check::Plain) => Some(PlayFault::CheckImprecise),
        (Status::Check(checks), written) => (checks.kind() != written).then_some(PlayFault::CheckKind),
    }
}

/// What is wrong with a result, as the last position of the main line shows.
fn result_fault(line: &Judged, said: GameResult) -> Option<(PlayFault, Why)> {
    use GameResult::{BlackStalemates, Draw, Unfinished, WhiteStalemates};
    let loser = line.line.position().turn;
    let stands = || Why::Stands(line.line.status());
    let stalemate = GameResult::of_stalemate(loser.other());
    let mates = line.last.is_some_and(|(ply, _)| ply.check() == Check::Mate);
    let is_bare = line.last.is_none();
    let last = line.last.map(|(_, at)| at.index as usize);
    match line.ended {
        Some(Ending::Stalemate) if said == stalemate || is_bare && said == Unfinished => None,
        Some(Ending::Stalemate) => Some((PlayFault::ResultAgainstStalemate, stands())),
        // What the sign says of the result is another rule's.
        _ if mates => None,
        Some(Ending::Mate) if said == GameResult::of_mate(loser.other()) || is_bare && said == Unfinished => None,
        Some(Ending::Mate) => Some((PlayFault::ResultAgainstPosition, stands())),
        _ if matches!(said, WhiteStalemates | BlackStalemates) => {
            Some((PlayFault::NoStalemate, stands())).filter(|(_, stands)| *stands != Why::Stands(Status::Stalemate))
        }
        Some(ending) if said != Draw => Some((PlayFault::ResultAgainstDraw, Why::Over(ending, last))),
        _ if line.material != Material::Enough && !matches!(said, Draw | Unfinished) => {
            Some((PlayFault::ResultAgainstMaterial, Why::Material(last)))
        }
        _ => None,
    }
}
