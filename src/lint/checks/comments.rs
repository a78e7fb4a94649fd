//! Messages about comments (§9).

use crate::game::{COLUMNS, Side};
use crate::lint::context::{Context, Message, NEAR, colour, quote};
use crate::notation::reference::{Reference, references};
use crate::syntax::fault::CommentFault;
use crate::syntax::{Fault, Head};

/// What there is to say of such a fault.
pub fn message(kind: CommentFault, fault: &Fault, context: &Context<'_>) -> Message {
    let quoted = || context.quote_fault(fault);
    match kind {
        CommentFault::Unclosed => "this comment is never closed: `}` was expected before the record's end".into(),
        CommentFault::LoneBrace => "`}` closes nothing: no comment is open".into(),
        CommentFault::NotFirst => {
            format!("the comment does not start its line: {} stands before it", before(fault, context)).into()
        }
        CommentFault::TextBehind => format!("{} stands behind a comment, on its last line", quoted()).into(),
        CommentFault::BraceInside => {
            of_comment("`{` inside a comment: comments do not nest, the first `}` ends both".into(), fault, context)
        }
        CommentFault::RecordInside => {
            let text = format!("{} inside a comment: a record's beginning, read as a part of the comment", quoted());
            of_comment(text.into(), fault, context)
        }
        CommentFault::SwallowsPairs => swallows_pairs(fault, context),
        CommentFault::LineComment => {
            let sign = if context.bytes(fault.at, fault.end()).starts_with(b";") { ';' } else { '%' };
            format!("`{sign}` begins no comment: write it between `{{` and `}}`").into()
        }
        CommentFault::NoPlayer
        | CommentFault::NoColon
        | CommentFault::NoSuchPly
        | CommentFault::Second
        | CommentFault::SecondAutomatic
        | CommentFault::Order => about(kind, fault, context),
        CommentFault::NoAnnotator => "a program's comment, but no Annotator tag names the program".into(),
        CommentFault::NoLanguage => "a comment, but no Lang tag says in which language".into(),
        CommentFault::Reference
        | CommentFault::OldLetter
        | CommentFault::Forward
        | CommentFault::OtherLine
        | CommentFault::NeverThere => reference(kind, fault, context),
        CommentFault::FirstInVariation => "this comment stands behind no pair of its variation".into(),
    }
}

/// What stands before a fault on its line.
fn before(fault: &Fault, context: &Context<'_>) -> String {
    // A line of many comments is not gone over for each of them.
    let text = context.bytes(fault.at.saturating_sub(NEAR as u32), fault.at);
    let line = text.iter().rposition(|byte| matches!(byte, b'\n' | b'\r')).map_or(0, |end| end + 1);
    let blanks = text[line..].len() - text[line..].trim_ascii_start().len();
    quote(text[line + blanks..].trim_ascii_end())
}

/// With the place where the comment begins.
fn of_comment(message: Message, fault: &Fault, context: &Context<'_>) -> Message {
    match context.item(fault) {
        Some(item) => message.related(item.at, item.at + 1, "the comment begins here"),
        None => message,
    }
}

fn swallows_pairs(fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.record.text;
    let line = text[fault.seen as usize..].split(|byte| matches!(byte, b'\n' | b'\r')).next().unwrap_or_default();
    let end = fault.seen + line.trim_ascii_end().len() as u32;
    let pair = context.quote(fault.seen, end);
    let message = format!("a line of this comment ends in `)`, and {pair} follows inside it: is `}}` meant?");
    Message::from(message).related(fault.seen, end, "taken for text of the comment")
}

/// What is wrong with what a comment is about (§9.5–9.7).
fn about(kind: CommentFault, fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.item(fault).map_or(&[][..], |item| item.text(context.record.text));
    let player = Head::read(text).player;
    let sign = if player == Some(Side::Black) { "@B" } else { "@W" };
    let side = player.map_or_else(|| "the pair".to_owned(), |side| format!("{side}'s ply"));
    let with = |message: String, place: &str| match context.record.items.get(fault.seen as usize) {
        Some(other) => Message::from(message).related(other.at, other.at + 1, place),
        None => message.into(),
    };
    match kind {
        CommentFault::NoPlayer => {
            format!("the comment does not say on whose ply of pair {} it is: it begins with `@W:` or `@B:`", fault.seen)
                .into()
        }
        CommentFault::NoColon => format!("no colon behind `{sign}`, with which the comment begins").into(),
        CommentFault::NoSuchPly => format!("a comment on {side} of pair {}, which is not there", fault.seen).into(),
        CommentFault::Second => with(format!("a second comment on {side}: one is allowed"), "the first one"),
        CommentFault::SecondAutomatic => {
            with(format!("a program's second comment on {side}: one is allowed"), "the first one")
        }
        _ => with("the comment on White's ply stands behind one on Black's".to_owned(), "the one on Black's ply"),
    }
}

/// What is wrong with a reference (§9.8, §9.9).
fn reference(kind: CommentFault, fault: &Fault, context: &Context<'_>) -> Message {
    let (quoted, text) = (context.quote_fault(fault), context.bytes(fault.at, fault.end()));
    let behind = match fault.seen {
        0 => "before the first pair".to_owned(),
        pair => format!("behind pair {pair}"),
    };
    match kind {
        CommentFault::Forward => format!("{quoted} points forward: the comment stands {behind}").into(),
        CommentFault::OtherLine if text.contains(&b'.') => {
            format!("{quoted} leads nowhere: no variation is labelled so").into()
        }
        CommentFault::OtherLine => {
            let example = "a label, as in `#14[#12.2]`, would say which";
            format!("{quoted} lies in a variation: {example}").into()
        }
        CommentFault::OldLetter => format!("{quoted} has a letter that the Redefine tag has replaced").into(),
        CommentFault::NeverThere => {
            match references(text, context.record.setup.letters.as_ref()).next().map(|found| found.reference) {
                Some(Reference::PieceOn(piece, hex)) => {
                    let (colour, name) = (colour(piece.side()), piece.kind().name());
                    format!("{quoted}: no {colour} {name} has stood on {hex} in this line so far").into()
                }
                _ => format!("{quoted}: no such piece has stood there").into(),
            }
        }
        _ => malformed(&quoted, text),
    }
}

fn malformed(quoted: &str, text: &[u8]) -> Message {
    match text {
        [b'~', column, digits @ ..] if COLUMNS.contains(column) && is_number(digits) => {
            format!("{quoted} names no hex of the board").into()
        }
        [b'~', ..] => format!("{quoted} names neither a hex, `~F14`, nor a piece, `~J` or `~PE13`").into(),
        [b'@', ..] => format!("{quoted} names no player: those are `@W` and `@B`").into(),
        _ => format!("{quoted} is none of `#14`, `#14@B`, `#12.2` and `#14[#12.2]`").into(),
    }
}

fn is_number(text: &[u8]) -> bool {
    !text.is_empty() && text.iter().all(u8::is_ascii_digit)
}
