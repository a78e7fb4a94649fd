//! Messages about pairs, numbers and valuations (§6.9, §7).

use crate::lint::context::{Context, Message, NEAR};
use crate::notation::valuation;
use crate::syntax::fault::MoveFault;
use crate::syntax::{Fault, Item, ItemKind, Spelt, TagName};

/// What there is to say of such a fault.
pub fn message(kind: MoveFault, fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.quote_fault(fault);
    let number = context.item(fault).map_or(0, |item| item.value);
    let due = fault.seen;
    match kind {
        MoveFault::StrayText => stray_text(fault, context, &text),
        MoveFault::NoNumber => format!("a number and its dot are missing before {}", context.word(fault)).into(),
        MoveFault::NumberZero => "a pair has the number 0: the first one is 1".into(),
        MoveFault::NumberTooLarge => format!("number {text} is too large: 4294967295 is the last one").into(),
        MoveFault::LeadingZeros => format!("{text} has leading zeros: write {number}").into(),
        MoveFault::NumberOrder => number_order(fault, context),
        MoveFault::NumberUnknown => {
            format!("{text}: only a record's first number can be unknown, and is then written `1?`").into()
        }
        MoveFault::NoDot => format!("a dot is missing behind the number {number}").into(),
        MoveFault::BlankBeforeDot => format!("the number {number} and its dot stand apart").into(),
        MoveFault::GluedNumber => glued_number(fault, context),
        MoveFault::NoComma => no_comma(fault, context),
        MoveFault::GluedComma => format!("no blank behind the comma of {}", before(fault, context)).into(),
        MoveFault::ExtraComma => extra_comma(fault, context).into(),
        MoveFault::HalfPair => half_pair(fault, context).into(),
        MoveFault::PairOverLines => format!("{text} begins a line: a pair stands on one line").into(),
        MoveFault::InsidePair if context.bytes(fault.at, fault.end()) == b"(" => {
            "a variation between the plies of a pair: it belongs behind the pair".into()
        }
        MoveFault::InsidePair => "a comment between the plies of a pair: it belongs behind the pair".into(),
        MoveFault::TwoPairsOnLine => {
            format!("pair {number} is not the first on its line: each pair has its own").into()
        }
        MoveFault::Ellipsis => ellipsis(fault, context).into(),
        MoveFault::EllipsisPlace => {
            format!("{text} for White's ply: only the first pair of a record or of a variation can begin with Black")
                .into()
        }
        MoveFault::BlackFirst => black_first(fault, context),
        MoveFault::GluedValuation | MoveFault::GluedOffer => {
            format!("no blank between {} and {text}", before(fault, context)).into()
        }
        MoveFault::BlanksBeforeValuation => {
            let valuation = context.word(fault);
            format!("{} blanks before valuation {valuation}: one parts it from its ply", fault.len + 1).into()
        }
        MoveFault::TwoValuations => format!("{text} is a second valuation of {}", before(fault, context)).into(),
        MoveFault::ValuationAfterMate => format!("valuation {text} behind mate: mate needs none").into(),
        MoveFault::Nag => {
            let sign = valuation(due).unwrap_or_default();
            format!("{text} is a number for comments: behind a ply write `{sign}`").into()
        }
        MoveFault::ApartCheck => format!("a blank before {text}: a check sign is glued to its ply").into(),
        MoveFault::Valuation => format!("{text} is no valuation: those are ? ?? ?! ! !! !? and ◇").into(),
        MoveFault::IndicatorOrder => indicator_order(fault, context, &text).into(),
    }
}

/// The items of one line before the one at `index`, backwards: closed variations left out, up to the `(` of its own.
fn line_before(items: &[Item], index: usize) -> impl Iterator<Item = usize> {
    let mut at = index.min(items.len());
    let mut left = NEAR;
    std::iter::from_fn(move || {
        while at > 0 && left > 0 {
            at -= 1;
            left -= 1;
            match items[at].kind {
                ItemKind::Close => at = items[at].value as usize,
                ItemKind::Open => at = 0,
                ItemKind::Comment => {}
                _ => return Some(at),
            }
        }
        None
    })
}

/// The last item of a line before the one at `index`, comments apart.
fn last_before(items: &[Item], index: usize) -> Option<usize> {
    line_before(items, index).next()
}

/// The last ply, ellipsis or number of a line before the item at `index`.
fn ply_before(items: &[Item], index: usize) -> Option<usize> {
    line_before(items, index)
        .find(|&at| matches!(items[at].kind, ItemKind::Ply | ItemKind::Ellipsis | ItemKind::Number))
}

/// The last number of a line before the item at `index`.
pub(super) fn number_before(items: &[Item], index: usize) -> Option<Item> {
    line_before(items, index).map(|at| items[at]).find(|item| item.kind == ItemKind::Number)
}

/// What to add where text looks like UTF-8 that was taken for Latin-1 and written as UTF-8 once more.
pub(super) fn mojibake(text: &[u8]) -> Option<&'static str> {
    ["Ã", "â€", "Â", "ðŸ"]
        .iter()
        .any(|sign| text.starts_with(sign.as_bytes()))
        .then_some("this looks like UTF-8 that was decoded twice: `Ã—` was `×`, `â€¦` was `…`")
}

fn stray_text(fault: &Fault, context: &Context<'_>, text: &str) -> Message {
    let behind = match ply_before(context.record.items, fault.item as usize) {
        Some(index) => format!(" behind {}", name(context, index)),
        None => String::new(),
    };
    let message = Message::from(format!("{text} means nothing{behind}: neither number, ply, valuation nor result"));
    mojibake(context.bytes(fault.at, fault.end())).into_iter().fold(message, Message::note)
}

fn number_order(fault: &Fault, context: &Context<'_>) -> Message {
    let message = Message::from(format!("number {} stands where {} is due", number_of(fault, context), fault.seen));
    match number_before(context.record.items, fault.item as usize) {
        Some(number) => message.related(number.at, number.end() as u32, "the number before it"),
        None => message,
    }
}

fn number_of(fault: &Fault, context: &Context<'_>) -> u32 {
    context.item(fault).map_or(0, |item| item.value)
}

fn glued_number(fault: &Fault, context: &Context<'_>) -> Message {
    let word = context.word(fault);
    match context.item(fault) {
        Some(item) if item.at == fault.at => format!("no blank before {word}").into(),
        _ => format!("no blank behind {word}").into(),
    }
}

/// What the pair holds before a fault, as `1. E7-E13`, `1. …`, `1.`
fn before(fault: &Fault, context: &Context<'_>) -> String {
    match ply_before(context.record.items, fault.item as usize) {
        Some(index) => name(context, index),
        None => "nothing".to_owned(),
    }
}

/// A ply, an ellipsis or a number as a message names it.
fn name(context: &Context<'_>, index: usize) -> String {
    match context.record.items[index].kind {
        ItemKind::Number => format!("{}.", context.record.items[index].value),
        ItemKind::Ellipsis => {
            let number = number_before(context.record.items, index);
            number.map_or_else(|| "…".to_owned(), |number| format!("{}. …", number.value))
        }
        _ => context.ply_name(index),
    }
}

fn no_comma(fault: &Fault, context: &Context<'_>) -> Message {
    let items = context.record.items;
    let index = fault.item as usize;
    let white = before(fault, context);
    let black = items[index..].iter().find(|item| item.kind == ItemKind::Ply);
    let black = black.map_or_else(String::new, |ply| context.quote(ply.at, ply.end() as u32));
    let black = black.trim_matches('`');
    match items[index].kind {
        ItemKind::Comma => {
            let sign = context.quote_fault(fault);
            format!("{sign} stands where the comma belongs, between {white} and {black}").into()
        }
        _ => format!("a comma is missing between {white} and {black}").into(),
    }
}

/// The reader finds a comma too many at once, or, with no Black ply behind it, when the line ends.
fn extra_comma(fault: &Fault, context: &Context<'_>) -> String {
    let white = before(fault, context);
    match context.item(fault) {
        Some(item) if item.at == fault.at => format!("a comma too many behind {white}"),
        _ => format!("a comma, but no Black ply, behind {white}"),
    }
}

fn half_pair(fault: &Fault, context: &Context<'_>) -> String {
    let items = context.record.items;
    let index = fault.item as usize;
    let missing = match last_before(items, index).map(|last| items[last].kind) {
        Some(ItemKind::Number) => "White's ply",
        _ => "Black's ply",
    };
    let next = match items.get(index) {
        Some(Item { kind: ItemKind::Number, value, .. }) => format!(": pair {value} follows"),
        _ => String::new(),
    };
    format!("{missing} is missing behind {}{next}", before(fault, context))
}

fn ellipsis(fault: &Fault, context: &Context<'_>) -> String {
    let number = number_before(context.record.items, fault.item as usize);
    match number {
        Some(number) if number.end() as u32 == fault.at => {
            let pgn = context.quote(number.at, fault.end());
            format!("{pgn} is the spelling of PGN: write `{}. …,` before Black's ply", number.value)
        }
        _ => format!("{} for White's ply: write `…` or `...`", context.quote_fault(fault)),
    }
}

fn black_first(fault: &Fault, context: &Context<'_>) -> Message {
    match context.record.tag(TagName::Pdtl).filter(|_| fault.seen == 1) {
        None => "Black begins, but no PDTL tag says that it is Black's turn".into(),
        Some(tag) => Message::from("Black begins, but the PDTL says that it is White's turn").related(
            tag.name_at,
            tag.name_at + tag.name_len,
            "the PDTL",
        ),
    }
}

fn indicator_order(fault: &Fault, context: &Context<'_>, text: &str) -> String {
    const ORDER: &str = "the order is valuation, `(=)`, `:`, nothing between them";
    let rank = |kind: ItemKind| match kind {
        ItemKind::Valuation => 1,
        ItemKind::Offer => 2,
        _ => 3,
    };
    let items = context.record.items;
    let index = fault.item as usize;
    let Some((this, last)) = items.get(index).zip(index.checked_sub(1).map(|last| items[last])) else {
        return ORDER.to_owned();
    };
    let there = context.quote(last.at, last.end() as u32);
    match rank(this.kind).cmp(&rank(last.kind)) {
        std::cmp::Ordering::Equal => format!("a second {text}"),
        std::cmp::Ordering::Less => format!("{text} stands behind {there}: {ORDER}"),
        std::cmp::Ordering::Greater if this.spelt.has(Spelt::GLUED) => format!("{text} is out of order: {ORDER}"),
        std::cmp::Ordering::Greater => format!("a blank between {there} and {text}: {ORDER}"),
    }
}
