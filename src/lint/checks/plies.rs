//! Messages about the words of plies (§6).

use super::moves::mojibake;
use crate::game::{COLUMNS, Castling, Kind, Piece, Ply, Shape, Side};
use crate::lint::context::{Context, Message, lossy};
use crate::notation::{Letters, PlyFault, Signs, alternative, figurine, figurine_of, lookalike, standard, write_ply};
use crate::syntax::{Fault, Spelt, TagName};

/// What there is to say of such a fault.
pub fn message(kind: PlyFault, fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.quote_fault(fault);
    let meant = meant(fault, context);
    match kind {
        PlyFault::LowerCase => format!("{text} in lower case{meant}").into(),
        PlyFault::WrittenPawn => format!("{text} for a pawn, which has no letter{meant}").into(),
        PlyFault::Dash => format!("{} for the hyphen{meant}", code_point(fault, context)).into(),
        PlyFault::CaptureX if text == "`x`" || text == "`X`" => {
            format!("the letter {text} for `×` or `*`{meant}").into()
        }
        PlyFault::CaptureX => format!("{} for `×` or `*`{meant}", code_point(fault, context)).into(),
        PlyFault::PieceLetter => piece_letter(fault, context, &text),
        PlyFault::FigurineColour => figurine_colour(fault, context, &text).into(),
        PlyFault::VariationSelector => {
            format!("the variation selector {} behind a figurine says nothing", code_point(fault, context)).into()
        }
        PlyFault::OldCheck => format!("{text} is the older spelling of a check: write `+^`").into(),
        PlyFault::CastlingFigurines => format!("castling with figurines, {text}{meant}").into(),
        PlyFault::CastlingPrefix => {
            with_redefine(format!("{text} is replaced by Redefine, in castlings too{meant}").into(), context)
        }
        PlyFault::Lookalike => lookalike_letter(fault, context).into(),
        PlyFault::UnknownPiece => unknown_piece(context, &text),
        PlyFault::NoHex => no_hex(fault, context, &text).into(),
        PlyFault::CastlingCode => castling_code(fault, context),
        PlyFault::BlankInside => format!("a blank inside a ply{meant}").into(),
        PlyFault::NullMove => "`--` is no ply: a player can't pass".into(),
        PlyFault::NoPly => no_ply(fault, context),
    }
}

/// How the ply is to be written, where its word has one meaning.
fn meant(fault: &Fault, context: &Context<'_>) -> String {
    let item = context.item(fault).filter(|item| !item.spelt.has(Spelt::UNREAD));
    let Some(ply) = item.and_then(|item| Ply::from_bits(item.value)) else { return String::new() };
    let mut out = Vec::new();
    write_ply(ply, &letters(context), Signs::CANONICAL, &mut out);
    format!(": write `{}`", lossy(&out))
}

fn letters(context: &Context<'_>) -> Letters {
    context.record.setup.letters.unwrap_or(Letters::STANDARD)
}

/// A sign by code point, and as it looks where it can be seen.
fn code_point(fault: &Fault, context: &Context<'_>) -> String {
    let sign = lossy(context.bytes(fault.at, fault.end())).chars().next().unwrap_or_default();
    let code = format!("U+{:04X}", u32::from(sign));
    if matches!(sign, '\u{FE00}'..='\u{FE0F}') { code } else { format!("{code} `{sign}`") }
}

/// The piece as this record shows it: its letter, or its figurine.
fn sign(kind: Kind, context: &Context<'_>) -> String {
    let letters = letters(context);
    match kind {
        _ if letters.are_figurines() => figurine_of(Piece::new(Side::White, kind)).to_owned(),
        Kind::Pawn => String::new(),
        _ => char::from(letters.letter(kind)).to_string(),
    }
}

fn piece_letter(fault: &Fault, context: &Context<'_>, text: &str) -> Message {
    let seen = context.bytes(fault.at, fault.end());
    let letter = seen.first().map_or(0, u8::to_ascii_uppercase);
    if let Some((piece, _)) = figurine(seen) {
        let kind = piece.kind();
        let write =
            if kind == Kind::Pawn { "leave it out".to_owned() } else { format!("write `{}`", sign(kind, context)) };
        let message = Message::from(format!("the figurine {text}, but this record shows pieces by letters: {write}"));
        return message.note("figurines are declared by [Redefine \"FAN\"]");
    }
    let Some(kind) = alternative(letter).or(standard(letter)) else {
        return format!("{text} stands for no piece").into();
    };
    if kind == Kind::Queen && is_castling(fault, context) {
        return format!(
            "{text} in a castling: `D` names the queen's flank, whatever her letter{}",
            meant(fault, context)
        )
        .into();
    }
    let write = format!("the {} is `{}` here", kind.name(), sign(kind, context));
    if letters(context).are_figurines() {
        return with_redefine(format!("the letter {text} in a record of figurines: {write}").into(), context);
    }
    if alternative(letter).is_none() {
        return with_redefine(format!("{text} is replaced by Redefine: {write}").into(), context);
    }
    let declared = format!("{text} is declared by no Redefine tag: {write}");
    Message::from(declared).note(format!(
        "the tag would be [Redefine \"{}@{}\"]",
        char::from(letter),
        char::from(Letters::STANDARD.letter(kind))
    ))
}

fn is_castling(fault: &Fault, context: &Context<'_>) -> bool {
    let ply = context.item(fault).and_then(|item| Ply::from_bits(item.value));
    ply.is_some_and(|ply| matches!(ply.shape(), Shape::Castle(_)))
}

fn with_redefine(message: Message, context: &Context<'_>) -> Message {
    match context.record.tag(TagName::Redefine) {
        Some(tag) => message.related(tag.value_at, tag.value_at + tag.value_len, "the letters of this record"),
        None => message,
    }
}

fn figurine_colour(fault: &Fault, context: &Context<'_>, text: &str) -> String {
    let kind = figurine(context.bytes(fault.at, fault.end())).map_or(Kind::Pawn, |(piece, _)| piece.kind());
    let white = figurine_of(Piece::new(Side::White, kind));
    format!("the black figurine {text}, but the {} is White's: write `{white}`", kind.name())
}

/// Greek and Cyrillic letters are called so.
fn lookalike_letter(fault: &Fault, context: &Context<'_>) -> String {
    let seen = context.bytes(fault.at, fault.end());
    let script = match lossy(seen).chars().next() {
        Some('\u{370}'..='\u{3FF}') => "Greek",
        Some('\u{400}'..='\u{52F}') => "Cyrillic",
        _ => "foreign",
    };
    let latin = lookalike(seen).map_or('?', |(latin, _)| char::from(latin));
    format!("{} is a {script} letter that looks like the Latin `{latin}`", code_point(fault, context))
}

fn unknown_piece(context: &Context<'_>, text: &str) -> Message {
    let letters = letters(context);
    let known: Vec<String> =
        Kind::ALL.into_iter().filter(|kind| *kind != Kind::Pawn).map(|kind| sign(kind, context)).collect();
    let message = Message::from(format!("{text} stands for no piece: those are {}", known.join(" ")));
    if letters.are_standard() || letters.are_figurines() { message } else { with_redefine(message, context) }
}

fn no_hex(fault: &Fault, context: &Context<'_>, text: &str) -> String {
    let seen = context.bytes(fault.at, fault.end());
    let first = lookalike(seen).unwrap_or((seen.first().map_or(0, u8::to_ascii_uppercase), 1));
    let (letter, digits) = (first.0, seen.get(first.1..).unwrap_or_default());
    let name = char::from(letter);
    let Some(column) = COLUMNS.iter().position(|column| *column == letter) else {
        return format!("{text} is no hex: no column {name}");
    };
    let edge = column.abs_diff(7);
    let (first, last) = (edge, 28 - edge);
    // Characters that nobody sees may stand among them (§1.5).
    let digits = digits.iter().filter(|digit| digit.is_ascii_digit());
    let line = digits.fold(0_usize, |line, digit| line.saturating_mul(10).saturating_add((digit - b'0').into()));
    if !(first..=last).contains(&line) {
        return format!("{text} is no hex: column {name} has lines {first} to {last}");
    }
    if line % 2 != first % 2 {
        let parity = if first % 2 == 0 { "even" } else { "odd" };
        return format!("{text} is no hex: column {name} has {parity} lines");
    }
    format!("{text} is no hex: a line has no leading zeros, write `{name}{line}`")
}

fn castling_code(fault: &Fault, context: &Context<'_>) -> Message {
    let word = context.item(fault).map_or(&b""[..], |item| item.text(context.record.text));
    let whole = context.word(fault);
    let at = context.item(fault).map_or(0, |item| fault.at - item.at) as usize;
    if at == 0 {
        return Message::from(format!(
            "{whole} is castling in other games: `KRK-`, `KRD-` or `KRR-` and a code was expected"
        ))
        .note("a code names the columns of king and rooks behind castling: `KRK-HG`, `KRD-ED`, `KRR-EEF`");
    }
    // The flank is the prefix's third letter, whatever the rook's letter is.
    let prefix = match word.get(2).map(u8::to_ascii_uppercase) {
        Some(b'K') => "KRK-",
        Some(b'D') => "KRD-",
        _ => "KRR-",
    };
    let codes: Vec<&str> = Castling::all().filter_map(|castling| castling.code().strip_prefix(prefix)).collect();
    let message = Message::from(format!("{whole} is no castling: behind `{prefix}` stand {}", codes.join(" ")));
    if context.bytes(fault.at, fault.end()) == b"0" { message.note("a zero is no letter O") } else { message }
}

fn no_ply(fault: &Fault, context: &Context<'_>) -> Message {
    let whole = context.word(fault);
    let before = context.item(fault).map_or(&b""[..], |item| context.bytes(item.at, fault.at));
    let due = match (before, context.bytes(fault.at, fault.end())) {
        ([.., b'='], b"&") => "D V R G N J",
        _ => expected(before),
    };
    if fault.len == 0 {
        return format!("{whole} breaks off: {due} was expected").into();
    }
    let end = context.item(fault).map_or(fault.end(), |item| item.end() as u32);
    let message = Message::from(format!("{whole} is no ply: {due} was expected, not {}", context.quote_fault(fault)));
    mojibake(context.bytes(fault.at, end)).into_iter().fold(message, Message::note)
}

/// What can continue the beginning of a ply.
fn expected(before: &[u8]) -> &'static str {
    let signs = ["-", "‐", "×", "*", "@", "x", "X"];
    let has_sign = signs.iter().any(|sign| before.windows(sign.len()).skip(1).any(|part| part == sign.as_bytes()));
    match before {
        [] => "a piece or a hex",
        [.., b'='] => "D V R G N J or &",
        [.., b'+' | b'#' | b'^'] => "the ply's end",
        _ if before.ends_with("∞".as_bytes()) => "the ply's end",
        _ if before.contains(&b'=') => "a check sign or the ply's end",
        [.., last] if last.is_ascii_digit() => {
            if has_sign {
                "a check sign or the ply's end"
            } else {
                "`-`, `×` or `@`"
            }
        }
        [.., last] if last.is_ascii_alphabetic() && !matches!(last, b'x' | b'X') => "a line's number",
        _ => "a hex",
    }
}
