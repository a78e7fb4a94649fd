//! All legal plies of a position (R1–R4), and what decides whether one is.

use std::ops::ControlFlow;

use super::attacks::{DIAGONAL, DIRECTIONS, ELEPHANT, LEAPS, NEXT, Relation, WAYS, Ways, attacks, opposite};
use super::coherence::triple_from;
use super::{
    Capture, Castling, Check, Checks, Faced, Hex, HexSet, Kind, Piece, Ply, Position, Promotion, Promotions, Shape,
    Side, Special,
};

/// The hexes of each colour.
static OF_COLOUR: [HexSet; 3] = {
    let mut sets = [HexSet::EMPTY; 3];
    let mut number = 0;
    while number < Hex::COUNT {
        let hex = Hex::packed(number as u8);
        sets[hex.colour() as usize].insert(hex);
        number += 1;
    }
    sets
};

/// The last hexes of the columns (R2.5), by [`Side`].
const LAST: [[Hex; 15]; 2] = {
    let mut last = [[Hex::packed(0); 15]; 2];
    let mut column: u8 = 0;
    while column < 15 {
        let edge = column.abs_diff(7);
        if let (Some(white), Some(black)) = (Hex::at(column, 28 - edge), Hex::at(column, edge)) {
            last[Side::White as usize][column as usize] = white;
            last[Side::Black as usize][column as usize] = black;
        }
        column += 1;
    }
    last
};

impl Position {
    /// What a pawn of `side` can become on its last hex `at` (R2.5): pieces of which fewer stand on the board than at the
    /// start; the bishop of that hex's colour.
    pub fn regainable(&self, side: Side, at: Hex) -> Promotions {
        let mut promotions = Promotions::NONE;
        for kind in [Kind::Queen, Kind::Wyvern, Kind::Rook, Kind::Pegasus, Kind::Knight, Kind::Bishop] {
            if let Some(promotion) = Promotion::to(kind).filter(|_| self.is_regainable(side, at, kind)) {
                promotions.insert(promotion);
            }
        }
        promotions
    }

    /// Whether it can become this.
    pub(super) fn is_regainable(&self, side: Side, at: Hex, kind: Kind) -> bool {
        let piece = Piece::code(side, kind as u8);
        // No board has more than a byte counts.
        let count = || self.board.iter().fold(0_u8, |count, there| count + u8::from(Piece::code_of(*there) == piece));
        let hexes = || HexSet::of(&self.board.map(|there| u8::from(Piece::code_of(there) == piece)));
        match kind {
            Kind::Pawn | Kind::Elephant | Kind::King => false,
            Kind::Bishop => hexes().and(&OF_COLOUR[at.colour() as usize]).is_empty(),
            _ => count() < kind.initial_count(),
        }
    }

    /// Pawns of the player on turn that await promotion and can become something (R2.7): unless he is in check, one of
    /// them must promote. Those for which there is nothing are left out.
    #[inline]
    pub fn due(&self) -> impl Iterator<Item = (Hex, Promotions)> {
        self.due_of(self.turn)
    }

    /// The same of either side.
    #[inline]
    pub(super) fn due_of(&self, side: Side) -> impl Iterator<Item = (Hex, Promotions)> {
        let waiting = self.waiting(side);
        waiting.map(move |hex| (hex, self.regainable(side, hex))).filter(|(_, promotions)| !promotions.is_empty())
    }

    /// A side's pawns that await promotion (R2.6).
    #[inline]
    pub(super) fn waiting(&self, side: Side) -> impl Iterator<Item = Hex> {
        let pawn = Some(Piece::new(side, Kind::Pawn));
        LAST[side as usize].into_iter().filter(move |hex| self.on(*hex) == pawn)
    }

    /// Whether a side's king has never moved (R3.1, R3.5).
    #[inline]
    pub(super) fn may_leap(&self, side: Side) -> bool {
        self.rights[side as usize].king && self.king(side) == Some(Castling::king_home(side))
    }

    /// From where a pawn of the player on turn would capture on `to` in passing (R2.3, R2.4).
    #[inline]
    pub(super) fn passers(&self, to: Hex, capture: Capture) -> impl Iterator<Item = Hex> {
        let ways = &WAYS[self.turn as usize];
        let scornful = match (self.special, capture) {
            (Special::Scornful(_, faced), Capture::Passing) => Some(faced),
            _ => None,
        };
        let back = if scornful.is_some() { ways.oblique } else { ways.captures };
        let pawn = Some(Piece::new(self.turn, Kind::Pawn));
        back.into_iter().filter_map(move |way| to.step(opposite(way))).filter(move |from| {
            let origin = || from.step(ways.ahead).is_some_and(|origin| self.on(origin).is_none());
            self.on(*from) == pawn
                && match scornful {
                    None => self.on(to).is_none(),
                    Some(Faced::Any) => origin(),
                    Some(Faced::Left) => from.column() < to.column(),
                    Some(Faced::Right) => from.column() > to.column(),
                }
        })
    }

    /// Whether king and rooks have never moved; else the first hex of one that has (R3.3, R3.5).
    #[inline]
    pub(super) fn has_right(&self, castling: Castling) -> Result<(), Hex> {
        let side = self.turn;
        let rights = self.rights[side as usize];
        let rook = Some(Piece::new(side, Kind::Rook));
        if !self.may_leap(side) {
            return Err(Castling::king_home(side));
        }
        for (home, to, right) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side), rights.king_rook),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side), rights.queen_rook),
        ] {
            if to.is_some() && !(right && self.on(home) == rook) {
                return Err(home);
            }
        }
        Ok(())
    }

    /// Whether the rooks' ways and all last hexes are free; else a hex that is not (R3.3).
    #[inline]
    pub(super) fn is_open(&self, castling: Castling, occupied: &HexSet) -> Result<(), Hex> {
        let side = self.turn;
        let king = castling.king_to(side);
        if self.on(king).is_some() {
            return Err(king);
        }
        for (home, to) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side)),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side)),
        ] {
            let Some(to) = to else { continue };
            let first = self.first(occupied, home, Relation::of(home, to).way());
            if let Some(hex) = first.hex().filter(|_| first.steps <= Relation::of(home, to).steps()) {
                return Err(hex);
            }
        }
        Ok(())
    }

    /// Whether a capture in passing is legal (R2.3, R2.4).
    #[inline]
    pub(super) fn passes(&self) -> bool {
        Generator::new(self, |_| ControlFlow::Break(())).passing().is_break()
            && (self.due().next().is_none() || self.checks(self.turn).any())
    }

    /// All legal plies, into a buffer that is emptied first; in no particular order, without check signs.
    ///
    /// ```
    /// use ctl::game::Position;
    ///
    /// let mut plies = Vec::new();
    /// Position::INITIAL.legal_plies(&mut plies);
    /// assert_eq!(plies.len(), 68);
    /// ```
    pub fn legal_plies(&self, plies: &mut Vec<Ply>) {
        plies.clear();
        let _ = self.each_legal(|ply| {
            plies.push(ply);
            ControlFlow::Continue(())
        });
    }

    /// How many legal plies there are.
    pub fn count_legal(&self) -> usize {
        let mut count = 0;
        let _ = self.each_legal(|_| {
            count += 1;
            ControlFlow::Continue(())
        });
        count
    }

    /// Whether there is a legal ply.
    pub fn has_legal(&self) -> bool {
        self.each_legal(|_| ControlFlow::Break(())).is_break()
    }

    /// Hands out every legal ply until it is told to stop.
    #[inline]
    fn each_legal(&self, each: impl FnMut(Ply) -> ControlFlow<()>) -> ControlFlow<()> {
        Generator::new(self, each).run()
    }
}

/// Makes the legal plies of a position. Lines through the king are looked at once, for all plies.
struct Generator<'a, F> {
    position: &'a Position,
    side: Side,
    ways: &'a Ways,
    /// Where something stands.
    occupied: HexSet,
    /// Who checks the king.
    checks: Checks,
    /// Where a piece that is no king may go: anywhere, or where it answers the check.
    targets: HexSet,
    /// Own pieces that alone stand between the king and an attacker.
    pinned: HexSet,
    each: F,
}

impl<'a, F: FnMut(Ply) -> ControlFlow<()>> Generator<'a, F> {
    /// Before it has looked at anything.
    #[inline]
    fn new(position: &'a Position, each: F) -> Self {
        let side = position.turn;
        let ways = &WAYS[side as usize];
        let (checks, targets, pinned) = (Checks::NONE, HexSet::ALL, HexSet::EMPTY);
        Generator { position, side, ways, occupied: position.occupied(), checks, targets, pinned, each }
    }

    /// Finds checks and pins.
    #[inline]
    fn look_around(&mut self, king: Hex) {
        let enemy = self.side.other();
        for way in 0..DIRECTIONS {
            let first = self.position.first(&self.occupied, king, way);
            if attacks(enemy, first.piece, way, first.steps) {
                self.checks.add(Hex::packed(first.at), king);
                self.targets = self.line(king, way);
            } else if first.piece.is_some_and(|piece| piece.side() == self.side) {
                let second = self.position.first(&self.occupied, Hex::packed(first.at), way);
                if attacks(enemy, second.piece, way, first.steps + second.steps) {
                    self.pinned.insert(Hex::packed(first.at));
                }
            }
        }
        let _ = self.position.each_jumper(king, enemy, |from| {
            self.checks.add(from, king);
            self.targets = HexSet::from_iter([from]);
            ControlFlow::Continue(())
        });
    }

    /// The hexes from a king on in a direction, up to the first enemy piece and with it.
    fn line(&self, king: Hex, way: usize) -> HexSet {
        let mut line = HexSet::EMPTY;
        let mut at = king;
        while let Some(next) = at.step(way) {
            line.insert(next);
            at = next;
            if self.position.on(next).is_some_and(|piece| piece.side() != self.side) {
                break;
            }
        }
        line
    }

    /// Where the piece on a hex may go, whatever it is.
    #[inline]
    fn targets_of(&self, from: Hex) -> HexSet {
        if !self.pinned.contains(from) {
            return self.targets;
        }
        let king = self.position.king(self.side);
        match king.and_then(|king| Some((king, Relation::of(king, from).direction()?))) {
            Some((king, way)) => self.line(king, way).and(&self.targets),
            None => self.targets,
        }
    }

    #[inline]
    fn run(mut self) -> ControlFlow<()> {
        if let Some(king) = self.position.king(self.side) {
            self.look_around(king);
        }
        if !self.checks.any() && self.position.due().next().is_some() {
            return self.due();
        }
        // In check the king most often has a way out, and in a double check he alone can have one.
        self.king()?;
        if self.checks.kind() == Check::Double {
            return ControlFlow::Continue(());
        }
        self.pieces()?;
        self.passing()
    }

    /// Promotions of pawns that must (R2.7).
    #[cold]
    fn due(&mut self) -> ControlFlow<()> {
        for (at, promotions) in self.position.due() {
            for promotion in promotions.iter() {
                (self.each)(Ply::new(Shape::Promote { at, promotion }, Check::None))?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pieces(&mut self) -> ControlFlow<()> {
        let (own, count) = self.own();
        for &hex in &own[..count] {
            let from = Hex::packed(hex);
            let Some(kind) = self.position.on(from).map(Piece::kind) else { continue };
            let targets = self.targets_of(from);
            match kind {
                Kind::Pawn => self.pawn(from, &targets)?,
                Kind::Elephant => self.elephant(from, &targets)?,
                Kind::King => {}
                Kind::Bishop => self.rays(kind, DIAGONAL, from, &targets)?,
                Kind::Rook => self.rays(kind, 0, from, &targets)?,
                Kind::Queen => {
                    self.rays(kind, 0, from, &targets)?;
                    self.rays(kind, DIAGONAL, from, &targets)?;
                }
                Kind::Knight => self.knight(from, &targets)?,
                Kind::Pegasus => {
                    self.rays(kind, DIAGONAL, from, &targets)?;
                    self.leaps(kind, from, &targets)?;
                }
                Kind::Wyvern => {
                    self.rays(kind, 0, from, &targets)?;
                    self.leaps(kind, from, &targets)?;
                }
            }
        }
        ControlFlow::Continue(())
    }

    /// The hexes of own pieces, by number, and how many there are.
    #[inline]
    fn own(&self) -> ([u8; Hex::COUNT], usize) {
        let mut own = [0; Hex::COUNT];
        let mut count = 0;
        let mine = Piece::code(self.side, 0);
        for (hex, piece) in self.position.board.iter().enumerate() {
            own[count] = hex as u8;
            count += usize::from(Piece::code_of(*piece) & 3 == mine);
        }
        (own, count)
    }

    #[inline]
    fn step(&mut self, piece: Kind, from: Hex, to: Hex, captured: Option<Kind>) -> ControlFlow<()> {
        let capture = if captured.is_some() { Capture::Taken } else { Capture::None };
        let captured = captured.unwrap_or(Kind::Pawn);
        let shape = Shape::Step { piece, from, to, capture, captured, promotion: Promotion::None };
        (self.each)(Ply::new(shape, Check::None))
    }

    /// A step to a hex, if it may go there and no own piece holds it. Kings are not captured.
    #[inline]
    fn try_step(&mut self, piece: Kind, from: Hex, to: Hex, targets: &HexSet) -> ControlFlow<()> {
        if !targets.contains(to) {
            return ControlFlow::Continue(());
        }
        match self.position.on(to) {
            None => self.step(piece, from, to, None),
            Some(there) if there.side() != self.side && there.kind() != Kind::King => {
                self.step(piece, from, to, Some(there.kind()))
            }
            Some(_) => ControlFlow::Continue(()),
        }
    }

    /// The six directions from `first` on.
    #[inline]
    fn rays(&mut self, piece: Kind, first: usize, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for next in &NEXT[first..first + 6] {
            let mut at = next[from.index()];
            while let Some(there) = self.position.board.get(usize::from(at)) {
                self.try_step(piece, from, Hex::packed(at), targets)?;
                if there.is_some() {
                    break;
                }
                at = next[usize::from(at)];
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn leaps(&mut self, piece: Kind, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for to in from.jumps() {
            self.try_step(piece, from, to, targets)?;
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn knight(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for (jump, &to) in LEAPS[from.index()].iter().enumerate() {
            let Some(via) = Hex::from_index(to) else { continue };
            self.try_step(Kind::Knight, from, via, targets)?;
            if self.position.on(via).is_none()
                && let Some(to) = Hex::from_index(LEAPS[via.index()][jump])
                && self.position.on(to).is_none()
            {
                self.try_step(Kind::Knight, from, to, targets)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn elephant(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        for way in ELEPHANT {
            if let Some(to) = from.step(way) {
                self.try_step(Kind::Elephant, from, to, targets)?;
            }
        }
        let Some(next) = from.step(self.ways.ahead) else { return ControlFlow::Continue(()) };
        self.try_step(Kind::Elephant, from, next, targets)?;
        match next.step(self.ways.ahead).filter(|_| self.position.on(next).is_none()) {
            Some(second) => self.try_step(Kind::Elephant, from, second, targets),
            None => ControlFlow::Continue(()),
        }
    }

    #[inline]
    fn pawn(&mut self, from: Hex, targets: &HexSet) -> ControlFlow<()> {
        let longest = if triple_from(self.side, from) { 3 } else { 2 };
        let mut at = from;
        for _ in 0..longest {
            let Some(to) = at.step(self.ways.ahead).filter(|to| self.position.on(*to).is_none()) else { break };
            self.pawn_step(from, to, None, targets)?;
            at = to;
        }
        for way in self.ways.oblique {
            if let Some(to) = from.step(way).filter(|to| self.position.on(*to).is_none()) {
                self.pawn_step(from, to, None, targets)?;
            }
        }
        for way in self.ways.captures {
            if let Some(to) = from.step(way)
                && let Some(there) = self.position.on(to)
                && there.side() != self.side
                && there.kind() != Kind::King
            {
                self.pawn_step(from, to, Some(there.kind()), targets)?;
            }
        }
        ControlFlow::Continue(())
    }

    #[inline]
    fn pawn_step(&mut self, from: Hex, to: Hex, captured: Option<Kind>, targets: &HexSet) -> ControlFlow<()> {
        if !targets.contains(to) {
            return ControlFlow::Continue(());
        }
        if to.step(self.ways.ahead).is_some() {
            return self.step(Kind::Pawn, from, to, captured);
        }
        let capture = if captured.is_some() { Capture::Taken } else { Capture::None };
        self.arrive(from, to, capture, captured.unwrap_or(Kind::Pawn))
    }

    /// A pawn's step to a last hex, with all that it can become there (R2.5, R2.6).
    #[cold]
    fn arrive(&mut self, from: Hex, to: Hex, capture: Capture, captured: Kind) -> ControlFlow<()> {
        let mut promotions = self.position.regainable(self.side, to);
        if promotions.is_empty() {
            promotions.insert(Promotion::Awaiting);
        }
        for promotion in promotions.iter() {
            let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion };
            (self.each)(Ply::new(shape, Check::None))?;
        }
        ControlFlow::Continue(())
    }

    /// Captures in passing. What they do to lines is too much for pins: each is tried (there are two at most).
    #[inline]
    fn passing(&mut self) -> ControlFlow<()> {
        match self.position.special {
            Special::None => ControlFlow::Continue(()),
            Special::Scornful(hex, _) => self.pass(hex, Some(hex), Capture::Passing),
            Special::Double(hex) => self.pass(hex, hex.step(self.ways.ahead), Capture::Passing),
            Special::Triple(hex) => {
                let first = hex.step(self.ways.ahead);
                self.pass(hex, first, Capture::Passing)?;
                self.pass(hex, first.and_then(|hex| hex.step(self.ways.ahead)), Capture::LongPassing)
            }
        }
    }

    #[inline]
    fn pass(&mut self, victim: Hex, to: Option<Hex>, capture: Capture) -> ControlFlow<()> {
        let position = self.position;
        let captured = position.on(victim).filter(|piece| piece.side() != self.side && piece.kind() != Kind::King);
        let (Some(to), Some(captured)) = (to, captured) else { return ControlFlow::Continue(()) };
        for from in position.passers(to, capture) {
            let mut after = *position;
            after.put(victim, None);
            after.put(to, position.on(from));
            after.put(from, None);
            if self.is_safe(&after) {
                self.pass_from(from, to, capture, captured.kind())?;
            }
        }
        ControlFlow::Continue(())
    }

    fn pass_from(&mut self, from: Hex, to: Hex, capture: Capture, captured: Kind) -> ControlFlow<()> {
        if to.step(self.ways.ahead).is_none() {
            return self.arrive(from, to, capture, captured);
        }
        let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion: Promotion::None };
        (self.each)(Ply::new(shape, Check::None))
    }

    fn is_safe(&self, after: &Position) -> bool {
        let enemy = self.side.other();
        after.king(self.side).is_none_or(|king| after.attacker(&after.occupied(), king, enemy).is_none())
    }

    /// The king's steps and leaps, and castlings.
    #[inline]
    fn king(&mut self) -> ControlFlow<()> {
        let Some(king) = self.position.king(self.side) else { return ControlFlow::Continue(()) };
        for way in 0..DIRECTIONS {
            if let Some(to) = king.step(way) {
                self.king_step(king, to)?;
            }
        }
        if self.checks.any() || !self.position.may_leap(self.side) {
            return ControlFlow::Continue(());
        }
        let mut free = HexSet::EMPTY;
        for to in king.jumps() {
            if self.king_step(king, to)? && self.position.on(to).is_none() {
                free.insert(to);
            }
        }
        if free.is_empty() { ControlFlow::Continue(()) } else { self.castlings(&free) }
    }

    /// Whether the king may go to a hex.
    #[inline]
    fn king_step(&mut self, king: Hex, to: Hex) -> ControlFlow<(), bool> {
        let there = self.position.on(to);
        // It hides nothing from what attacks it.
        let mut others = self.occupied;
        others.remove(king);
        if there.is_some_and(|piece| piece.side() == self.side || piece.kind() == Kind::King)
            || self.position.attacker(&others, to, self.side.other()).is_some()
        {
            return ControlFlow::Continue(false);
        }
        self.step(Kind::King, king, to, there.map(Piece::kind))?;
        ControlFlow::Continue(true)
    }

    /// Castlings; `free` are empty hexes in a king's leap that are not attacked.
    fn castlings(&mut self, free: &HexSet) -> ControlFlow<()> {
        for castling in Castling::all() {
            let king = castling.king_to(self.side);
            if !free.contains(king)
                || self.position.has_right(castling).is_err()
                || self.position.is_open(castling, &self.occupied).is_err()
            {
                continue;
            }
            let ply = Ply::new(Shape::Castle(castling), Check::None);
            let mut after = *self.position;
            if after.apply(ply).is_ok() && self.is_safe(&after) {
                (self.each)(ply)?;
            }
        }
        ControlFlow::Continue(())
    }
}
