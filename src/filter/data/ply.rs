//! The parts of a ply, as objects and rows name them, there and back.

use super::tokens::{Slip, Tokens};
use crate::game::{Capture, Castling, Check, Hex, Kind, Ply, Promotion, Shape, Side};
use crate::notation::{Letters, check_sign, quick_hex, standard};

/// A ply's parts.
pub(super) struct Parts {
    pub piece: Kind,
    pub from: Hex,
    pub to: Hex,
    /// The sign of a capture, and what is captured.
    pub captures: Option<(&'static str, Kind)>,
    pub promotion: Promotion,
    pub castling: Option<Castling>,
}

/// Captures and their signs, by their numbers.
const CAPTURES: [(Capture, &str); 4] =
    [(Capture::None, ""), (Capture::Taken, "×"), (Capture::Passing, "@"), (Capture::LongPassing, "@@")];

impl Parts {
    pub fn of(ply: Ply, side: Side) -> Parts {
        let none = Promotion::None;
        match ply.shape() {
            Shape::Step { piece, from, to, capture, captured, promotion } => {
                let captures = ply.captures().then_some((CAPTURES[capture as usize].1, captured));
                Parts { piece, from, to, captures, promotion, castling: None }
            }
            Shape::Promote { at, promotion } => {
                Parts { piece: Kind::Pawn, from: at, to: at, captures: None, promotion, castling: None }
            }
            Shape::Castle(castling) => {
                let (from, to) = (Castling::king_home(side), castling.king_to(side));
                Parts { piece: Kind::King, from, to, captures: None, promotion: none, castling: Some(castling) }
            }
        }
    }
}

/// The standard letter of a piece.
pub(super) fn letter(kind: Kind) -> char {
    char::from(Letters::STANDARD.letter(kind))
}

/// What stands behind `=`.
pub(super) fn promoted(promotion: Promotion) -> Option<char> {
    match promotion {
        Promotion::None => None,
        Promotion::Awaiting => Some('&'),
        _ => promotion.kind().map(letter),
    }
}

/// What an object says of a ply.
pub(super) struct Said {
    piece: Option<Kind>,
    from: Option<Hex>,
    to: Option<Hex>,
    capture: Capture,
    captured: Option<Kind>,
    promotion: Promotion,
    castling: Option<Castling>,
    check: Check,
}

impl Said {
    pub const NOTHING: Said = Said {
        piece: None,
        from: None,
        to: None,
        capture: Capture::None,
        captured: None,
        promotion: Promotion::None,
        castling: None,
        check: Check::None,
    };

    /// Reads the value of a key, if it is one of a ply itself.
    pub fn read(&mut self, key: &str, tokens: &mut Tokens<'_>) -> Result<bool, Slip> {
        match key {
            "piece" => self.piece = Some(piece(tokens)?),
            "from" => self.from = Some(place(tokens)?),
            "to" => self.to = Some(place(tokens)?),
            "capture" => self.capture = one_of(tokens, &CAPTURES[1..], |(_, sign)| sign)?.0,
            "captured" => self.captured = Some(piece(tokens)?),
            "promotion" => self.promotion = promotion(tokens)?,
            "castling" => self.castling = Some(castling(tokens)?),
            "sign" => self.check = one_of(tokens, &Check::ALL_SIGNS[1..], |check| check_sign(*check))?,
            _ => return Ok(false),
        }
        Ok(true)
    }

    /// The ply that it is as one of this side's.
    pub fn ply(&self, side: Side) -> Result<Ply, &'static str> {
        let Said { capture, promotion, check, .. } = *self;
        let captures = capture != Capture::None;
        if captures != self.captured.is_some() {
            return Err("`capture` and `captured` stand together, or not at all");
        }
        if let Some(castling) = self.castling {
            let is = |said: Option<Hex>, hex| said.is_none_or(|said| said == hex);
            let is_kings = self.piece.is_none_or(|piece| piece == Kind::King)
                && is(self.from, Castling::king_home(side))
                && is(self.to, castling.king_to(side));
            if !is_kings || captures || promotion != Promotion::None {
                return Err("`castling` with other values than those of its king");
            }
            return Ok(Ply::new(Shape::Castle(castling), check));
        }
        let (Some(piece), Some(from), Some(to)) = (self.piece, self.from, self.to) else {
            return Err("`piece`, `from` and `to` are needed without `castling`");
        };
        if piece == Kind::Pawn && from == to && !captures && promotion != Promotion::None {
            return Ok(Ply::new(Shape::Promote { at: from, promotion }, check));
        }
        let captured = self.captured.unwrap_or(Kind::Pawn);
        Ok(Ply::new(Shape::Step { piece, from, to, capture, captured, promotion }, check))
    }
}

fn quoted<T>(names: &[T], name: impl Fn(&T) -> &str) -> String {
    names.iter().map(|value| format!("`{}`", name(value))).collect::<Vec<_>>().join(", ")
}

/// The value with the name that a string is.
pub(super) fn one_of<T: Copy>(tokens: &mut Tokens<'_>, values: &[T], name: impl Fn(&T) -> &str) -> Result<T, Slip> {
    let at = tokens.place();
    let read = tokens.string("a string")?;
    let found = values.iter().find(|value| name(value) == read).copied();
    found.ok_or_else(|| {
        let what = format!("`{read}` stands where one of {} was expected", quoted(values, name));
        Slip { at, what }
    })
}

fn castling(tokens: &mut Tokens<'_>) -> Result<Castling, Slip> {
    let all: Vec<Castling> = Castling::all().collect();
    one_of(tokens, &all, |castling| castling.code())
}

/// A letter of §2.4.
fn piece(tokens: &mut Tokens<'_>) -> Result<Kind, Slip> {
    const WHAT: &str = "the letter of a piece, one of P, E, J, N, G, R, V, D, K,";
    let at = tokens.place();
    let letter = tokens.string(WHAT)?;
    let kind = if let [letter] = letter.as_bytes() { standard(*letter) } else { None };
    kind.ok_or_else(|| Slip { at, what: format!("`{letter}` stands where {WHAT} was expected") })
}

fn promotion(tokens: &mut Tokens<'_>) -> Result<Promotion, Slip> {
    const WHAT: &str = "`&`, or the letter of what a pawn becomes,";
    let at = tokens.place();
    let letter = tokens.string(WHAT)?;
    let found = match letter.as_bytes() {
        b"&" => Some(Promotion::Awaiting),
        [letter] => standard(*letter).and_then(Promotion::to),
        _ => None,
    };
    found.ok_or_else(|| Slip { at, what: format!("`{letter}` stands where {WHAT} was expected") })
}

fn place(tokens: &mut Tokens<'_>) -> Result<Hex, Slip> {
    let at = tokens.place();
    let name = tokens.string("a hex")?;
    // What follows a hex would be no part of it.
    let found = quick_hex(name.as_bytes()).filter(|(_, len)| *len == name.len());
    found.map(|(hex, _)| hex).ok_or_else(|| Slip { at, what: format!("`{name}` is no hex") })
}
