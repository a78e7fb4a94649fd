//! Messages about the `PDTL` tag (§10).

use std::ops::Range;

use crate::game::{Castling, Hex, Kind, Piece, Position, Promotion, Side, Special};
use crate::lint::context::{Context, Message, colour, lossy, quote};
use crate::notation::pdtl::{Sign, fields, is_behind_pawns, passed_lines, placed, read_special, signs};
use crate::notation::{Letters, PdtlFault, figurine_of, lookalike, spell};
use crate::syntax::{Fault, TagName};

/// The field with the turn.
pub const TURN: usize = 1;
/// The field with the halfmove clock.
pub const CLOCK: usize = 4;
/// The field with the number of the pair.
pub const NUMBER: usize = 5;

const SIX: &str = "pieces, turn, castling, special pawn capture, halfmove clock, number of the pair";

/// A field of the PDTL, from and to in bytes of the record.
pub fn field(number: usize, context: &Context<'_>) -> Option<(u32, u32)> {
    let tag = context.record.tag(TagName::Pdtl)?;
    let field = fields(tag.value(context.record.text)).get(number)?.clone();
    Some((tag.value_at + field.start as u32, tag.value_at + field.end as u32))
}

/// What there is to say of such a fault.
pub fn message(kind: PdtlFault, fault: &Fault, context: &Context<'_>) -> Message {
    let Some(tag) = context.record.tag(TagName::Pdtl) else { return context.quote_fault(fault).into() };
    let at = fault.at.saturating_sub(tag.value_at) as usize;
    let value = tag.value(context.record.text);
    let place = at.min(value.len())..(at + fault.len as usize).min(value.len());
    let letters = context.record.setup.letters.unwrap_or(Letters::STANDARD);
    let pdtl = Pdtl { value, place, letters };
    let message = Message::from(pdtl.text(kind));
    match pdtl.line_before().filter(|_| kind == PdtlFault::LineTwice) {
        Some(line) => {
            let (start, end) = (tag.value_at + line.start as u32, tag.value_at + line.end as u32);
            message.related(start, end, context.quote(start, end))
        }
        None => message,
    }
}

/// A value with the place of a fault in it.
struct Pdtl<'a> {
    value: &'a [u8],
    place: Range<usize>,
    letters: Letters,
}

impl Pdtl<'_> {
    fn text(&self, kind: PdtlFault) -> String {
        let word = quote(self.here());
        match kind {
            PdtlFault::FieldMissing => {
                let found = fields(self.value).len();
                format!("{} {} where six were expected: {SIX}", count(found), plural(found, "field", "fields"))
            }
            PdtlFault::FieldExtra => format!("{word} is too much: six fields were expected, {SIX}"),
            PdtlFault::Blank => self.blank(),
            PdtlFault::PiecesBlank => "a blank among the pieces: the first field goes on to the last slash".to_owned(),
            PdtlFault::Slash if self.place.is_empty() => "no slash behind the last line of the pieces".to_owned(),
            PdtlFault::Slash => format!("no slash before the first line of the pieces: it begins with {word}"),
            PdtlFault::LineNumber => self.line_number(),
            PdtlFault::LineOrder => {
                format!("line {} stands behind a lower one: lines go down from 28 to 0", lossy(self.here()))
            }
            PdtlFault::LineTwice => format!("line {} for the second time", lossy(self.here())),
            PdtlFault::LineWidth => self.width(),
            PdtlFault::LineEmpty => format!("line {} has no piece: such lines are left out", self.line()),
            PdtlFault::Sign => self.sign(),
            PdtlFault::Digits => self.digits(),
            PdtlFault::LetterVoid
            | PdtlFault::LetterUndeclared
            | PdtlFault::LetterForFigurine
            | PdtlFault::FigurineUndeclared
            | PdtlFault::VariationSelector => self.spelling(kind),
            PdtlFault::PawnPlace => self.pawn_place(),
            PdtlFault::Kings => self.kings(),
            PdtlFault::TooMany => self.too_many(),
            PdtlFault::Turn => format!("{word} is no turn: `w` or `b` was expected"),
            PdtlFault::Castling => self.castling(),
            PdtlFault::CastlingOlder => self.castling_older(),
            PdtlFault::CastlingFit => self.castling_fit(),
            PdtlFault::Special => format!(
                "{word} is no special pawn capture: `-`, or such as `G15@13` (double step), `G13@9-11` (triple step) or \
                 `F14` (scornful pawn) was expected"
            ),
            PdtlFault::SpecialOrder => format!("{word}: the lines go in order of travel, {}", self.special_as_due()),
            PdtlFault::SpecialFit => self.special_fit(),
            PdtlFault::Clock => format!("{word} is no halfmove clock: a number was expected, `0` when it is unknown"),
            PdtlFault::ClockOver => {
                format!("halfmove clock {word}: the game ends at 150 plies without capture or pawn ply")
            }
            PdtlFault::LeadingZero => {
                let number = lossy(self.here());
                let digits = number.trim_start_matches('0');
                format!("{word} begins with zero: write `{}`", if digits.is_empty() { "0" } else { digits })
            }
            PdtlFault::Number => {
                format!("{word} is no number of a pair: one from 1 to 4294967295, or `?`, was expected")
            }
            PdtlFault::NumberMissing if self.place.is_empty() => {
                "the sixth field is missing: the number of the pair, or `?` for an unknown one".to_owned()
            }
            PdtlFault::NumberMissing => format!("{word} for the number of the pair: an unknown one is written `?`"),
        }
    }

    /// The text that is wrong.
    fn here(&self) -> &[u8] {
        &self.value[self.place.clone()]
    }

    /// The number of the line whose contents are wrong, as it is written.
    fn line(&self) -> String {
        let before = &self.value[..self.place.start.saturating_sub(1)];
        lossy(&before[before.iter().rposition(|&byte| byte == b'/').map_or(0, |slash| slash + 1)..])
    }

    /// Where the number that is there a second time stands first.
    fn line_before(&self) -> Option<Range<usize>> {
        let number = [b"/", self.here(), b":"].concat();
        let at = memchr::memmem::find(&self.value[..self.place.start], &number)?;
        Some(at + 1..at + number.len() - 1)
    }

    fn board(&self) -> Position {
        let mut position = Position::empty();
        placed(self.value, &self.letters).for_each(|(hex, piece)| position.put(hex, Some(piece)));
        position
    }

    fn spelt(&self, side: Side, kinds: &[Kind]) -> String {
        kinds.iter().map(|&kind| spell(Piece::new(side, kind), &self.letters)).collect()
    }

    fn blank(&self) -> String {
        let place = match (self.place.start, self.place.end) {
            (0, _) => "before the first field",
            (_, end) if end == self.value.len() => "behind the last field",
            _ => "between two fields, where one plain blank was expected",
        };
        let what = match self.here() {
            b"\t" => "a tab",
            [_] => "a blank too much",
            _ => "blanks too much",
        };
        format!("{what} {place}")
    }

    fn line_number(&self) -> String {
        match (self.here(), self.value.get(self.place.end)) {
            ([], Some(b':')) => "no number before `:`: each line has its number, 28 to 0".to_owned(),
            ([], _) => "nothing between two slashes: lines without pieces are left out".to_owned(),
            (text, Some(b':')) => format!("{} is no line of the board: they are numbered 28 to 0", quote(text)),
            (text, _) => format!("{} has no `:` behind its line's number", quote(text)),
        }
    }

    fn width(&self) -> String {
        let found: usize = signs(self.here(), &self.letters)
            .map(|(sign, _)| if let Sign::Empty(hexes) = sign { usize::from(hexes) } else { 1 })
            .sum();
        let line = self.line();
        let due = line.parse().map_or(0, |line| Hex::on_line(line).count());
        let hexes = plural(due, "hex", "hexes");
        if self.here().is_empty() {
            return format!("line {line} has {due} {hexes}, none is written");
        }
        format!("line {line} has {due} {hexes}, {} adds up to {found}", quote(self.here()))
    }

    fn sign(&self) -> String {
        let other = signs(self.here(), &self.letters).find(|(sign, _)| *sign == Sign::Other);
        let rest = &self.here()[other.map_or(0, |(_, place)| place.start)..];
        let first = lossy(&rest[..rest.len().min(4)]).chars().next().unwrap_or_default();
        let named = match lookalike(rest) {
            Some((latin, _)) => format!("U+{:04X}, which looks like `{}`,", u32::from(first), char::from(latin)),
            None if first.is_ascii_graphic() => format!("`{first}`"),
            None => format!("U+{:04X}", u32::from(first)),
        };
        let pieces = self.spelt(Side::White, &Kind::ALL);
        format!(
            "{named} is neither a piece nor a digit: pieces are {pieces} for White, {} for Black",
            self.spelt(Side::Black, &Kind::ALL)
        )
    }

    /// Two digits in a row, or a zero.
    fn digits(&self) -> String {
        let text = self.here();
        let runs = text.chunk_by(|a, b| a.is_ascii_digit() && b.is_ascii_digit());
        let bad = runs.filter(|run| run[0].is_ascii_digit()).find(|run| run.len() > 1 || **run == *b"0");
        let run = bad.unwrap_or_default();
        let sum: u32 = run.iter().map(|digit| u32::from(digit - b'0')).sum();
        match sum {
            0 => format!("{} counts no empty hex: leave it out", quote(run)),
            _ => format!("{} counts {sum} empty {}: write `{sum}`", quote(run), plural(sum as usize, "hex", "hexes")),
        }
    }

    /// The first piece that is spelt in this wrong way.
    fn spelling(&self, kind: PdtlFault) -> String {
        let misspelt = signs(self.here(), &self.letters).find_map(|(sign, place)| match sign {
            Sign::Piece(piece, Some(fault)) if fault == kind => Some((piece, place)),
            _ => None,
        });
        let Some((piece, place)) = misspelt else { return quote(self.here()) };
        let (word, name, due) = (quote(&self.here()[place]), piece.kind().name(), spell(piece, &self.letters));
        match kind {
            PdtlFault::LetterVoid => format!("{word} is void: Redefine makes the {name} `{due}`"),
            PdtlFault::LetterUndeclared => format!("{word} for the {name}, without Redefine: write `{due}`"),
            PdtlFault::LetterForFigurine => format!("{word} where Redefine declares figurines: write `{due}`"),
            PdtlFault::FigurineUndeclared => format!("{word} without Redefine \"FAN\": write `{due}`"),
            _ => format!("a variation selector (U+FE0E or U+FE0F) behind `{}`: leave it out", figurine_of(piece)),
        }
    }

    fn pawn_place(&self) -> String {
        let line = self.line();
        let is_wrong = |(hex, piece): &(Hex, Piece)| {
            hex.line().to_string() == line && piece.kind() == Kind::Pawn && is_behind_pawns(*hex, piece.side())
        };
        placed(self.value, &self.letters).find(is_wrong).map_or_else(String::new, |(hex, piece)| {
            format!("a {} pawn on {hex}, behind where {}'s pawns start", colour(piece.side()), piece.side())
        })
    }

    fn number_of(&self, side: Side, kind: Kind) -> usize {
        placed(self.value, &self.letters).filter(|(_, piece)| *piece == Piece::new(side, kind)).count()
    }

    fn kings(&self) -> String {
        let number = |side| count(self.number_of(side, Kind::King));
        format!("{} white and {} black kings: each side has one", number(Side::White), number(Side::Black))
    }

    fn too_many(&self) -> String {
        for side in [Side::White, Side::Black] {
            for kind in Kind::ALL {
                let (found, due) = (self.number_of(side, kind), usize::from(kind.initial_count()));
                if found > due {
                    return format!("{side} has {found} {}, and {due} at the start", several(kind));
                }
            }
        }
        let bishops: Vec<(Hex, Piece)> =
            placed(self.value, &self.letters).filter(|(_, piece)| piece.kind() == Kind::Bishop).collect();
        let pair = bishops.iter().enumerate().find_map(|(number, &(hex, piece))| {
            let is_second = |other: &&(Hex, Piece)| other.1 == piece && other.0.colour() == hex.colour();
            bishops[number + 1..].iter().find(is_second).map(|other| (piece.side(), hex, other.0))
        });
        pair.map_or_else(String::new, |(side, first, second)| {
            format!("{side}'s bishops on {first} and {second} stand on one colour: there is one for each")
        })
    }

    /// The four ways to write rights, as a list.
    fn rights(&self, side: Side) -> String {
        let all: [&[Kind]; 4] = [
            &[Kind::Rook, Kind::King, Kind::Rook],
            &[Kind::King, Kind::Rook],
            &[Kind::Rook, Kind::King],
            &[Kind::King],
        ];
        all.map(|kinds| self.spelt(side, kinds)).join(" ")
    }

    fn castling(&self) -> String {
        format!(
            "{} is no right to castle: one of {} -, and with no blank one of {} -, was expected",
            quote(self.here()),
            self.rights(Side::White),
            self.rights(Side::Black)
        )
    }

    fn castling_older(&self) -> String {
        let sides: Vec<Side> = signs(self.here(), &self.letters)
            .filter_map(|(sign, _)| if let Sign::Piece(piece, _) = sign { Some(piece.side()) } else { None })
            .collect();
        let here = lossy(self.here());
        match sides.first() {
            None => "one hyphen for both kings: write `--`".to_owned(),
            Some(Side::White) => format!("nothing for Black: when his king has moved, write `{here}-`"),
            Some(Side::Black) => format!("nothing for White: when his king has moved, write `-{here}`"),
        }
    }

    /// The first king or rook that is not where its right wants it.
    fn castling_fit(&self) -> String {
        let board = self.board();
        let mut king_seen = [false; 2];
        for (sign, _) in signs(self.here(), &self.letters) {
            let Sign::Piece(piece, _) = sign else { continue };
            let side = piece.side();
            let home = match piece.kind() {
                Kind::King => Castling::king_home(side),
                _ if king_seen[side as usize] => Castling::king_rook_home(side),
                _ => Castling::queen_rook_home(side),
            };
            king_seen[side as usize] |= piece.kind() == Kind::King;
            if board.on(home) != Some(piece) {
                let name = piece.kind().name();
                return format!("{}: no {} {name} on {home}", quote(self.here()), colour(side));
            }
        }
        quote(self.here())
    }

    fn turn(&self) -> Side {
        let turn = fields(self.value).get(TURN).map_or(&[][..], |field| &self.value[field.clone()]);
        if turn == b"b" { Side::Black } else { Side::White }
    }

    /// The special pawn capture with the lines that go with its hex.
    fn special_as_due(&self) -> String {
        let Some((special, _)) = read_special(self.here()) else { return String::new() };
        let (Special::Double(hex) | Special::Triple(hex) | Special::Scornful(hex, _)) = special else {
            return "`-`".to_owned();
        };
        let lines: Vec<String> = passed_lines(special, self.turn()).iter().map(u8::to_string).collect();
        if lines.is_empty() { format!("`{hex}`") } else { format!("`{hex}@{}`", lines.join("-")) }
    }

    /// Why the position does not bear out the special pawn capture (§10.4).
    fn special_fit(&self) -> String {
        let word = quote(self.here());
        let Some((special, lines)) = read_special(self.here()) else { return word };
        let (Special::Double(hex) | Special::Triple(hex) | Special::Scornful(hex, _)) = special else { return word };
        let turn = self.turn();
        let mut board = self.board();
        let promoted = |piece: Piece| Promotion::to(piece.kind()).is_some();
        match board.on(hex) {
            None => return format!("{word}: {hex} is empty"),
            Some(piece) if piece.side() == turn => {
                return format!("{word}: the {} on {hex} is {turn}'s, whose turn it is", piece.kind().name());
            }
            Some(piece) if piece.kind() != Kind::Pawn && !(hex.is_last_for(piece.side()) && promoted(piece)) => {
                return format!("{word}: the {} on {hex} is no pawn", piece.kind().name());
            }
            Some(_) => {}
        }
        (board.special, board.turn) = (special, turn);
        if board.special_fits() && lines != passed_lines(special, turn) {
            return format!("{word}: such a step to {hex} is written {}", self.special_as_due());
        }
        if matches!(special, Special::Scornful(..)) {
            return format!("{word}: no pawn that it could have scorned is there");
        }
        let farthest = if matches!(special, Special::Double(_)) { 4 } else { 6 };
        let mut behind = (2..=farthest).step_by(2).filter_map(|lines| hex.ahead(turn, lines));
        match behind.find_map(|hex| Some((hex, board.on(hex)?.kind().with_article()))) {
            Some((held, piece)) => format!("{word}: {piece} stands on {held}, where the pawn came from or passed"),
            None => format!("{word}: no pawn comes to {hex} in such a step"),
        }
    }
}

const fn plural(number: usize, one: &'static str, many: &'static str) -> &'static str {
    if number == 1 { one } else { many }
}

fn several(kind: Kind) -> String {
    if kind == Kind::Pegasus { "pegasus".to_owned() } else { format!("{}s", kind.name()) }
}

fn count(number: usize) -> String {
    if number == 0 { "no".to_owned() } else { number.to_string() }
}
