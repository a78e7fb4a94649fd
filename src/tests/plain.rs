//! The rules of play once more, slow and plain, from the text of R1–R4. It shares nothing with the library but what a
//! hex, a piece, a position and a ply are.

use ctl::game::{Capture, Castling, Check, Faced, Hex, Kind, Piece, Ply, Position, Promotion, Shape, Side, Special};

type Step = (i8, i8);
const ORTHOGONAL: [Step; 6] = [(0, 2), (0, -2), (1, 1), (1, -1), (-1, 1), (-1, -1)];
const DIAGONAL: [Step; 6] = [(2, 0), (-2, 0), (1, 3), (1, -3), (-1, 3), (-1, -3)];

/// What a ply does to the board.
struct Move {
    ply: Ply,
    changes: Vec<(Hex, Option<Piece>)>,
}

/// A knight's twelve jumps, as R1 lists them from F14.
fn jumps() -> Vec<Step> {
    let names = "C13 C15 D10 D18 E9 E19 G9 G19 H10 H18 I13 I15";
    let from = |hex: Hex| (hex.column().cast_signed() - 7, hex.line().cast_signed() - 14);
    Hex::all().filter(|hex| names.split(' ').any(|name| name == hex.to_string())).map(from).collect()
}

fn forward(side: Side) -> i8 {
    if side == Side::White { 1 } else { -1 }
}

/// A position, and the jumps.
pub struct Plain<'a> {
    pub position: &'a Position,
    jumps: Vec<Step>,
}

impl<'a> Plain<'a> {
    pub fn new(position: &'a Position) -> Plain<'a> {
        Plain { position, jumps: jumps() }
    }

    fn is_free(position: &Position, hex: Hex) -> bool {
        position.on(hex).is_none()
    }

    /// The hexes that a piece attacks, whatever stands on them.
    fn attacks(&self, position: &Position, from: Hex, piece: Piece) -> Vec<Hex> {
        let mut found = Vec::new();
        let orthogonal = matches!(piece.kind(), Kind::Rook | Kind::Wyvern | Kind::Queen);
        let diagonal = matches!(piece.kind(), Kind::Bishop | Kind::Pegasus | Kind::Queen);
        let lines = [(orthogonal, ORTHOGONAL), (diagonal, DIAGONAL)];
        for step in lines.into_iter().filter(|(slides, _)| *slides).flat_map(|(_, steps)| steps) {
            let mut at = from;
            while let Some(next) = at.offset(step.0, step.1) {
                found.push(next);
                if position.on(next).is_some() {
                    break;
                }
                at = next;
            }
        }
        if matches!(piece.kind(), Kind::Knight | Kind::Pegasus | Kind::Wyvern) {
            found.extend(self.jumps.iter().filter_map(|step| from.offset(step.0, step.1)));
        }
        let ahead = forward(piece.side());
        match piece.kind() {
            Kind::King => {
                found.extend(ORTHOGONAL.iter().chain(&DIAGONAL).filter_map(|step| from.offset(step.0, step.1)));
            }
            Kind::Pawn => found.extend([-1, 1].iter().filter_map(|columns| from.offset(*columns, 3 * ahead))),
            Kind::Elephant => {
                found
                    .extend([(1, 3), (1, -3), (-1, 3), (-1, -3)].iter().filter_map(|step| from.offset(step.0, step.1)));
                let next = from.offset(0, 2 * ahead);
                found.extend(next);
                if next.is_some_and(|next| position.on(next).is_none()) {
                    found.extend(from.offset(0, 4 * ahead));
                }
            }
            _ => {}
        }
        found
    }

    fn pieces(position: &Position, side: Side) -> Vec<(Hex, Piece)> {
        let on = |hex: Hex| Some((hex, position.on(hex)?));
        Hex::all().filter_map(on).filter(|(_, piece)| piece.side() == side).collect()
    }

    fn attackers(&self, position: &Position, hex: Hex, by: Side) -> Vec<Hex> {
        let attacks = |(from, piece): &(Hex, Piece)| self.attacks(position, *from, *piece).contains(&hex);
        Plain::pieces(position, by).into_iter().filter(attacks).map(|(from, _)| from).collect()
    }

    fn king(position: &Position, side: Side) -> Hex {
        let king = |(_, piece): &(Hex, Piece)| piece.kind() == Kind::King;
        Plain::pieces(position, side).into_iter().find(king).expect("a king a side").0
    }

    /// Who checks a side's king.
    pub fn checkers(&self, side: Side) -> Vec<Hex> {
        self.attackers(self.position, Plain::king(self.position, side), side.other())
    }

    /// The sign of the check to the player on turn (R4.2).
    pub fn check(&self) -> Check {
        let king = Plain::king(self.position, self.position.turn);
        match self.checkers(self.position.turn)[..] {
            [] => Check::None,
            [by] => {
                let steps = ORTHOGONAL.iter().chain(&DIAGONAL).chain(&self.jumps);
                let near = steps.map(|step| by.offset(step.0, step.1)).any(|hex| hex == Some(king));
                if near { Check::Adjoining } else { Check::Far }
            }
            _ => Check::Double,
        }
    }

    fn after(&self, changes: &[(Hex, Option<Piece>)]) -> Position {
        let mut after = *self.position;
        changes.iter().for_each(|(hex, piece)| after.put(*hex, *piece));
        after
    }

    /// All legal plies, and the boards after them.
    pub fn legal(&self) -> Vec<(Ply, Position)> {
        let side = self.position.turn;
        let in_check = !self.checkers(side).is_empty();
        let due = self.due();
        let moves = if !in_check && !due.is_empty() { due } else { self.moves(in_check) };
        let safe = |after: &Position| self.attackers(after, Plain::king(after, side), side.other()).is_empty();
        moves.into_iter().map(|m| (m.ply, self.after(&m.changes))).filter(|(_, after)| safe(after)).collect()
    }

    /// Promotions of pawns that await it and can become something (R2.7).
    fn due(&self) -> Vec<Move> {
        let side = self.position.turn;
        let mut due = Vec::new();
        for (at, piece) in Plain::pieces(self.position, side) {
            if piece.kind() == Kind::Pawn && at.offset(0, 2 * forward(side)).is_none() {
                for kind in self.regainable(at) {
                    let shape = Shape::Promote { at, promotion: Promotion::to(kind).expect("it can become one") };
                    let changes = vec![(at, Some(Piece::new(side, kind)))];
                    due.push(Move { ply: Ply::new(shape, Check::None), changes });
                }
            }
        }
        due
    }

    /// R2.5: fewer on the board than the initial array has; a bishop counts only on its own colour.
    fn regainable(&self, at: Hex) -> Vec<Kind> {
        let own = Plain::pieces(self.position, self.position.turn);
        let of = |kind: Kind| own.iter().filter(move |(_, piece)| piece.kind() == kind);
        let mut kinds = Vec::new();
        for (kind, count) in
            [(Kind::Queen, 1), (Kind::Wyvern, 1), (Kind::Rook, 2), (Kind::Pegasus, 2), (Kind::Knight, 2)]
        {
            if of(kind).count() < count {
                kinds.push(kind);
            }
        }
        if of(Kind::Bishop).all(|(hex, _)| hex.colour() != at.colour()) {
            kinds.push(Kind::Bishop);
        }
        kinds
    }

    fn moves(&self, in_check: bool) -> Vec<Move> {
        let mut moves = Vec::new();
        for (from, piece) in Plain::pieces(self.position, self.position.turn) {
            match piece.kind() {
                Kind::Pawn => self.pawn(from, &mut moves),
                kind => {
                    for to in self.attacks(self.position, from, piece) {
                        self.go(kind, from, to, &mut moves);
                    }
                }
            }
            if piece.kind() == Kind::Knight {
                self.rides(from, &mut moves);
            }
        }
        if !in_check {
            self.leaps(&mut moves);
            Castling::all().for_each(|castling| self.castle(castling, &mut moves));
        }
        moves
    }

    /// A step to a hex that no own piece holds, with a capture where an enemy does.
    fn go(&self, piece: Kind, from: Hex, to: Hex, moves: &mut Vec<Move>) {
        let there = self.position.on(to);
        if there.is_some_and(|there| there.side() == self.position.turn || there.kind() == Kind::King) {
            return;
        }
        let capture = if there.is_some() { Capture::Taken } else { Capture::None };
        let captured = there.map_or(Kind::Pawn, Piece::kind);
        let shape = Shape::Step { piece, from, to, capture, captured, promotion: Promotion::None };
        let changes = vec![(from, None), (to, self.position.on(from))];
        moves.push(Move { ply: Ply::new(shape, Check::None), changes });
    }

    /// R1: the same jump twice, without capture, both hexes empty.
    fn rides(&self, from: Hex, moves: &mut Vec<Move>) {
        for step in &self.jumps {
            let via = from.offset(step.0, step.1);
            let to = via.and_then(|via| via.offset(step.0, step.1));
            if let (Some(via), Some(to)) = (via, to)
                && Plain::is_free(self.position, via)
                && Plain::is_free(self.position, to)
            {
                self.go(Kind::Knight, from, to, moves);
            }
        }
    }

    /// R3.1.
    fn leaps(&self, moves: &mut Vec<Move>) {
        let side = self.position.turn;
        let (home, hexes) = match side {
            Side::White => ("G1", ["I5", "H6", "F6", "E5", "D2"]),
            Side::Black => ("G27", ["I23", "H22", "F22", "E23", "D26"]),
        };
        let king = Plain::king(self.position, side);
        if self.position.rights[side as usize].king && king.to_string() == home {
            for to in Hex::all().filter(|hex| hexes.contains(&hex.to_string().as_str())) {
                self.go(Kind::King, king, to, moves);
            }
        }
    }

    /// A pawn to a hex, with all that it can become there (R2.5, R2.6).
    fn pawn_to(&self, from: Hex, to: Hex, victim: Option<Hex>, capture: Capture, moves: &mut Vec<Move>) {
        let side = self.position.turn;
        let captured = victim.and_then(|hex| self.position.on(hex)).map_or(Kind::Pawn, Piece::kind);
        let kinds = if to.offset(0, 2 * forward(side)).is_some() {
            vec![(Promotion::None, Kind::Pawn)]
        } else {
            let kinds = self.regainable(to);
            let promotions = kinds.iter().map(|kind| (Promotion::to(*kind).expect("it can become one"), *kind));
            if kinds.is_empty() { vec![(Promotion::Awaiting, Kind::Pawn)] } else { promotions.collect() }
        };
        for (promotion, kind) in kinds {
            let shape = Shape::Step { piece: Kind::Pawn, from, to, capture, captured, promotion };
            let mut changes: Vec<_> = victim.map(|hex| (hex, None)).into_iter().collect();
            changes.extend([(from, None), (to, Some(Piece::new(side, kind)))]);
            moves.push(Move { ply: Ply::new(shape, Check::None), changes });
        }
    }

    /// R2.1 and R2.2.
    fn pawn(&self, from: Hex, moves: &mut Vec<Move>) {
        let side = self.position.turn;
        let ahead = forward(side);
        let triple = match side {
            Side::White => ["E7", "D6", "C5", "B4", "G7", "H6", "I5", "K4"],
            Side::Black => ["E21", "D22", "C23", "B24", "G21", "H22", "I23", "K24"],
        };
        let most = if triple.contains(&from.to_string().as_str()) { 3 } else { 2 };
        for steps in 1..=most {
            match from.offset(0, 2 * steps * ahead).filter(|hex| Plain::is_free(self.position, *hex)) {
                Some(to) => self.pawn_to(from, to, None, Capture::None, moves),
                None => break,
            }
        }
        for columns in [-1, 1] {
            if let Some(to) = from.offset(columns, ahead).filter(|hex| Plain::is_free(self.position, *hex)) {
                self.pawn_to(from, to, None, Capture::None, moves);
            }
            if let Some(to) = from.offset(columns, 3 * ahead)
                && self.position.on(to).is_some_and(|piece| piece.side() != side && piece.kind() != Kind::King)
            {
                self.pawn_to(from, to, Some(to), Capture::Taken, moves);
            }
            self.in_passing(from, columns, moves);
        }
    }

    /// R2.3 and R2.4.
    fn in_passing(&self, from: Hex, columns: i8, moves: &mut Vec<Move>) {
        let ahead = forward(self.position.turn);
        let diagonal = from.offset(columns, 3 * ahead);
        let behind = |victim: Hex, hexes: i8| victim.offset(0, 2 * hexes * ahead);
        match self.position.special {
            Special::None => {}
            Special::Double(victim) | Special::Triple(victim) => {
                let long = matches!(self.position.special, Special::Triple(_));
                for (hexes, capture) in [(1, Capture::Passing), (2, Capture::LongPassing)] {
                    if let Some(to) = diagonal.filter(|to| Some(*to) == behind(victim, hexes) && (hexes == 1 || long)) {
                        self.pawn_to(from, to, Some(victim), capture, moves);
                    }
                }
            }
            Special::Scornful(victim, faced) => {
                let origin = from.offset(0, 2 * ahead).is_some_and(|hex| Plain::is_free(self.position, hex));
                let faced = match faced {
                    Faced::Any => true,
                    Faced::Left => columns == 1,
                    Faced::Right => columns == -1,
                };
                if from.offset(columns, ahead) == Some(victim) && origin && faced {
                    self.pawn_to(from, victim, Some(victim), Capture::Passing, moves);
                }
            }
        }
    }

    /// R3.2–R3.5, but for the king's safety after the ply.
    fn castle(&self, castling: Castling, moves: &mut Vec<Move>) {
        let side = self.position.turn;
        let rights = self.position.rights[side as usize];
        let rook = Piece::new(side, Kind::Rook);
        let (from, to) = (Castling::king_home(side), castling.king_to(side));
        let mut changes = vec![(from, None), (to, Some(Piece::new(side, Kind::King)))];
        if !rights.king || self.position.on(from) != Some(Piece::new(side, Kind::King)) {
            return;
        }
        for (home, end, right) in [
            (Castling::king_rook_home(side), castling.king_rook_to(side), rights.king_rook),
            (Castling::queen_rook_home(side), castling.queen_rook_to(side), rights.queen_rook),
        ] {
            let Some(end) = end else { continue };
            let moves_so = self.attacks(self.position, home, rook).contains(&end) && Plain::is_free(self.position, end);
            if !right || self.position.on(home) != Some(rook) || !moves_so {
                return;
            }
            changes.extend([(home, None), (end, Some(rook))]);
        }
        if Plain::is_free(self.position, to) && self.attackers(self.position, to, side.other()).is_empty() {
            moves.push(Move { ply: Ply::new(Shape::Castle(castling), Check::None), changes });
        }
    }
}
