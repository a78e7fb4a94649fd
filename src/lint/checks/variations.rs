//! Messages about variations (§8).

use super::moves::number_before;
use crate::lint::context::{Context, Message, NEAR, STEPS};
use crate::syntax::fault::VariationFault;
use crate::syntax::{Fault, Item, ItemKind};

/// What there is to say of such a fault.
pub fn message(kind: VariationFault, fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.quote_fault(fault);
    let pair = |replaced: Option<Item>| {
        replaced.map_or_else(|| "the pair before it".to_owned(), |number| format!("pair {}", number.value))
    };
    match kind {
        VariationFault::LoneClose => "`)` closes nothing: no `(` is open".into(),
        VariationFault::Unclosed => "`(` is never closed: no `)` belongs to it".into(),
        VariationFault::Empty => "a variation without pairs".into(),
        VariationFault::BeforePair => "a variation before the first pair: there is none that it could replace".into(),
        VariationFault::FirstNumber => {
            let first = context.item(fault).map_or(0, |item| item.value);
            let replaced = replaced(fault, context);
            let message = format!("the variation begins with number {first}, but replaces {}", pair(replaced));
            with_pair(message.into(), replaced)
        }
        VariationFault::NoBlackPly => {
            let replaced = replaced(fault, context);
            let message = format!("{text} leaves Black's ply of {} to be replaced, but there is none", pair(replaced));
            with_pair(message.into(), replaced)
        }
        VariationFault::Label if is_label(context.bytes(fault.at, fault.end())) => {
            format!("the label {text} stands elsewhere than right behind `(`").into()
        }
        VariationFault::Label => format!("{text} is no label: those are `$[1]`, `$[2]` and so on").into(),
        VariationFault::LabelTwice => label_twice(fault, context, &pair(replaced(fault, context))),
        VariationFault::Repeats => {
            let replaced = replaced(fault, context);
            with_pair(format!("the variation repeats {}, which it replaces", pair(replaced)).into(), replaced)
        }
        VariationFault::Result => format!("the result {text} in a variation: only the main line has one").into(),
    }
}

fn is_label(text: &[u8]) -> bool {
    let digits = text.strip_prefix(b"$[").and_then(|rest| rest.strip_suffix(b"]"));
    digits.is_some_and(|digits| (1..=9).contains(&digits.len()) && digits.iter().all(u8::is_ascii_digit))
}

/// The `(` of the variation that a fault is in.
fn open(fault: &Fault, context: &Context<'_>) -> Option<usize> {
    let items = context.record.items;
    let mut at = (fault.item as usize).min(items.len());
    let mut left = NEAR;
    while at > 0 && left > 0 {
        at -= 1;
        left -= 1;
        match items[at].kind {
            ItemKind::Close => at = items[at].value as usize,
            ItemKind::Open => return Some(at),
            _ => {}
        }
    }
    None
}

/// The number of the pair that the variation replaces.
fn replaced(fault: &Fault, context: &Context<'_>) -> Option<Item> {
    number_before(context.record.items, open(fault, context)?)
}

fn with_pair(message: Message, pair: Option<Item>) -> Message {
    match pair {
        Some(number) => message.related(number.at, number.end() as u32, format!("pair {}", number.value)),
        None => message,
    }
}

fn label_twice(fault: &Fault, context: &Context<'_>, pair: &str) -> Message {
    let items = context.record.items;
    let message = Message::from(format!("the label {} for the second time at {pair}", context.quote_fault(fault)));
    let mut before = items.iter().take(fault.item as usize).rev().take(STEPS);
    match before.find(|item| item.kind == ItemKind::Label && item.value == fault.seen) {
        Some(label) => message.related(label.at, label.end() as u32, "the first time"),
        None => message,
    }
}
