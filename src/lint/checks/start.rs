//! Messages about the start of the replay (§7.3, §10).

use super::pdtl::{CLOCK, NUMBER, TURN, field};
use crate::lint::context::{Context, Message};
use crate::syntax::fault::StartFault;
use crate::syntax::{Fault, Spelt};

/// What there is to say of such a fault.
pub fn message(kind: StartFault, fault: &Fault, context: &Context<'_>) -> Message {
    let number = context.item(fault).map_or(0, |item| item.value);
    let is_unknown = context.item(fault).is_some_and(|item| item.spelt.has(Spelt::UNKNOWN));
    let (text, field) = match kind {
        StartFault::PositionUnknown => {
            let first = if is_unknown { "unknown".to_owned() } else { number.to_string() };
            return format!("the first number is {first}, and no PDTL gives the position: the plies are not replayed")
                .into();
        }
        StartFault::NumberAgainstPdtl => {
            (format!("the first number is {number}, but {} by the PDTL", fault.seen), NUMBER)
        }
        StartFault::UnknownAgainstPdtl if is_unknown => {
            (format!("the first number is unknown, but {} by the PDTL", fault.seen), NUMBER)
        }
        StartFault::UnknownAgainstPdtl => {
            (format!("the first number is {number}, but unknown by the PDTL: `1?` goes with `?`"), NUMBER)
        }
        StartFault::TurnAgainstPdtl => {
            let word = context.quote_fault(fault);
            (format!("{word} stands in White's place, but by the PDTL Black is on turn: `…,` goes before it"), TURN)
        }
        StartFault::PlyAfterClock => {
            let word = context.quote_fault(fault);
            (format!("{word} follows a halfmove clock of {}: the game is over at 150", fault.seen), CLOCK)
        }
    };
    beside(text.into(), field, context)
}

/// With the PDTL's field that says otherwise.
fn beside(message: Message, number: usize, context: &Context<'_>) -> Message {
    match field(number, context) {
        Some((at, end)) => message.related(at, end, context.quote(at, end)),
        None => message,
    }
}
