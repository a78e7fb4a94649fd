//! A position drawn as a hexagon, White below (§2.1).

use std::io;

use codespan_reporting::term::termcolor::{Color, ColorSpec, WriteColor};

use crate::game::{COLUMNS, Hex, Piece, Position, Side};
use crate::notation::{Letters, figurine_of};

/// How pieces are drawn.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Signs {
    /// Letters, White's large and Black's small, as in a PDTL (§10.1).
    Letters,
    /// Figurines (§2.6).
    Figurines,
}

impl Signs {
    fn of(self, piece: Piece) -> String {
        match self {
            Signs::Figurines => figurine_of(piece).to_owned(),
            Signs::Letters => {
                let letter = char::from(Letters::STANDARD.letter(piece.kind()));
                if piece.side() == Side::Black { letter.to_ascii_lowercase() } else { letter }.to_string()
            }
        }
    }
}

/// Draws a position, with some hexes in brackets.
///
/// # Errors
/// Those of `out`.
pub fn draw(out: &mut dyn WriteColor, signs: Signs, position: &Position, marked: &[Hex]) -> io::Result<()> {
    for line in (0..=28).rev() {
        write!(out, " {line:>2}")?;
        // Blanks wait for the next hex, so that none end the line.
        let mut blanks = 1;
        for column in 0..COLUMNS.len() as u8 {
            let Some(hex) = Hex::at(column, line) else {
                blanks += 3;
                continue;
            };
            let is_marked = marked.contains(&hex);
            let [before, behind] = if is_marked { ["[", "]"] } else { [" ", ""] };
            write!(out, "{:blanks$}", "")?;
            mark(out, is_marked, before)?;
            piece(out, signs, position.on(hex))?;
            mark(out, is_marked, behind)?;
            blanks = usize::from(!is_marked);
        }
        writeln!(out)?;
    }
    write!(out, "   ")?;
    COLUMNS.iter().try_for_each(|column| write!(out, "  {}", char::from(*column)))?;
    writeln!(out)
}

fn mark(out: &mut dyn WriteColor, is_marked: bool, sign: &str) -> io::Result<()> {
    painted(out, is_marked.then_some(Color::Red), sign)
}

fn piece(out: &mut dyn WriteColor, signs: Signs, piece: Option<Piece>) -> io::Result<()> {
    let Some(piece) = piece else { return write!(out, "·") };
    let color = if piece.side() == Side::White { Color::Yellow } else { Color::Cyan };
    painted(out, Some(color), &signs.of(piece))
}

fn painted(out: &mut dyn WriteColor, color: Option<Color>, text: &str) -> io::Result<()> {
    let Some(color) = color else { return out.write_all(text.as_bytes()) };
    out.set_color(ColorSpec::new().set_fg(Some(color)).set_bold(true))?;
    out.write_all(text.as_bytes())?;
    out.reset()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn drawn(signs: Signs, color: bool, marked: &[Hex]) -> String {
        let mut out = Vec::new();
        draw(&mut *super::super::coloured(&mut out, color), signs, &Position::INITIAL, marked).unwrap();
        String::from_utf8(out).unwrap()
    }

    fn hexes(names: &[&str]) -> Vec<Hex> {
        names.iter().map(|name| Hex::all().find(|hex| hex.to_string() == *name).unwrap()).collect()
    }

    #[test]
    fn lines_go_down_and_columns_from_p_to_z() {
        let text = drawn(Signs::Letters, false, &[]);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 30);
        assert_eq!(lines[0], " 28                       v");
        assert_eq!(lines[1], " 27                    d     k");
        assert_eq!(lines[15], " 13  ·     ·     ·     ·     ·     ·     ·     ·");
        assert_eq!(lines[24], "  4           P     E     J     E     P");
        assert_eq!(lines[25], "  3              R     N     N     R");
        assert_eq!(lines[29], "     P  T  A  B  C  D  E  F  G  H  I  K  L  X  Z");
    }

    #[test]
    fn hexes_of_a_ply_are_in_brackets() {
        let text = drawn(Signs::Letters, false, &hexes(&["P13", "E7", "Z13", "G7"]));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[15], " 13 [·]    ·     ·     ·     ·     ·     ·    [·]");
        assert_eq!(lines[21], "  7  ·     ·     ·    [P]   [P]    ·     ·     ·");
    }

    #[test]
    fn figurines_and_colours() {
        let text = drawn(Signs::Figurines, true, &hexes(&["G1"]));
        let (below, above) = ("\u{1b}[0m\u{1b}[1m\u{1b}[33m♔\u{1b}[0m", "\u{1b}[0m\u{1b}[1m\u{1b}[36m♚\u{1b}[0m\n");
        assert!(text.contains(above), "{text:?}");
        assert!(text.contains(&format!("\u{1b}[0m\u{1b}[1m\u{1b}[31m[\u{1b}[0m{below}")), "{text:?}");
    }
}
