//! Positions before plies, to be drawn under findings.

use crate::game::{Castling, Hex, Incoherence, Ply, Position, Seen, Shape, Side};
use crate::replay::{At, Lines, Player};
use crate::syntax::{Faults, Record, Spelt};

/// A position before a ply, and the hexes of that ply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Board {
    /// Where the line was.
    pub position: Position,
    /// From where to where the ply goes; of a castling, where its pieces come to stand.
    pub hexes: Vec<Hex>,
}

/// Finds the positions before plies; in ascending order of their items.
struct Finder<'a> {
    wanted: &'a [u32],
    found: Vec<(u32, Position)>,
}

impl Player for Finder<'_> {
    type Line = Position;

    fn begin(&mut self, start: Position) -> Position {
        start
    }

    fn play(&mut self, line: &mut Position, ply: Ply, at: At) -> Result<(), (Incoherence, Seen)> {
        let index = at.index;
        if self.wanted.binary_search(&index).is_ok() {
            self.found.push((index, *line));
        }
        line.apply(ply)
    }

    fn end(&mut self, _: &mut Position) {}

    fn position(line: &Position) -> &Position {
        line
    }
}

/// The boards before the plies of these items, which are in ascending order; none for a ply that the replay does not reach.
pub(super) fn boards(record: &Record<'_>, wanted: &[u32]) -> Vec<(u32, Board)> {
    let Record { text, tags, items, setup, id, tidy, ordinary_pgn, .. } = *record;
    let mut again = Record { text, tags, items, faults: &mut Faults::default(), setup, id, tidy, ordinary_pgn };
    let mut finder = Finder { wanted, found: Vec::new() };
    Lines::default().follow(&mut finder, &mut again, |_, _| {});
    let board = |(index, position): (u32, Position)| {
        let item = items[index as usize];
        let side = if item.spelt.has(Spelt::BLACK) { Side::Black } else { Side::White };
        let hexes = Ply::from_bits(item.value).map_or_else(Vec::new, |ply| hexes(ply, side));
        (index, Board { position, hexes })
    };
    finder.found.into_iter().map(board).collect()
}

fn hexes(ply: Ply, side: Side) -> Vec<Hex> {
    match ply.shape() {
        Shape::Step { from, to, .. } => vec![from, to],
        Shape::Promote { at, .. } => vec![at],
        Shape::Castle(castling) => castled(castling, side).into_iter().flatten().collect(),
    }
}

/// Where the pieces of a castling come to stand.
pub(super) fn castled(castling: Castling, side: Side) -> [Option<Hex>; 3] {
    [Some(castling.king_to(side)), castling.king_rook_to(side), castling.queen_rook_to(side)]
}
