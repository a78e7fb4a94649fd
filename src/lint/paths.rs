//! Names plies by their path: `12w`, or `4:1/4w` in the first variation at pair 4.

use std::fmt::Write;

use crate::syntax::{Item, ItemKind, Spelt};

/// The most levels that a path shows; the outer ones are left out.
const LEVELS: usize = 8;

/// Walks a record's items once, for plies asked in the order of the text.
pub struct Paths<'a> {
    items: &'a [Item],
    next: usize,
    /// For each open line: its last number, and its alternatives so far.
    lines: Vec<(u32, u32)>,
}

impl<'a> Paths<'a> {
    /// Starts before the first item.
    pub fn new(items: &'a [Item]) -> Paths<'a> {
        Paths { items, next: 0, lines: vec![(0, 0)] }
    }

    /// The path of the ply at `index`, which is not before one that was asked for.
    pub fn ply(&mut self, index: usize) -> Option<String> {
        while self.next <= index {
            let item = self.items.get(self.next)?;
            self.next += 1;
            match item.kind {
                ItemKind::Number => *self.lines.last_mut()? = (item.value, 0),
                ItemKind::Open => {
                    self.lines.last_mut()?.1 += 1;
                    self.lines.push((0, 0));
                }
                ItemKind::Close if self.lines.len() > 1 => {
                    self.lines.pop();
                }
                _ => {}
            }
        }
        let (&(number, _), outer) = self.lines.split_last()?;
        // Writing to a string does not fail.
        let mut path = String::new();
        for (number, alternative) in &outer[outer.len().saturating_sub(LEVELS)..] {
            let _ = write!(path, "{number}:{alternative}/");
        }
        let side = if self.items[index].spelt.has(Spelt::BLACK) { 'b' } else { 'w' };
        let _ = write!(path, "{number}{side}");
        Some(path)
    }
}
