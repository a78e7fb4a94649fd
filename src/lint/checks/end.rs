//! Messages about the end of a record (§6.11, §7.7).

use crate::game::Side;
use crate::lint::context::{Context, Message, NEAR, clipped, lossy};
use crate::notation::GameResult;
use crate::syntax::fault::EndFault;
use crate::syntax::{Fault, Item, ItemKind, Spelt, TagName};

const RESULTS: &str = "3-0, 2-1, 1-1, 1-2, 0-3 or *";

/// What there is to say of such a fault.
pub fn message(kind: EndFault, fault: &Fault, context: &Context<'_>) -> Message {
    let text = context.quote_fault(fault);
    let result = GameResult::ALL.get(fault.seen as usize).map_or("", |result| result.text());
    match kind {
        EndFault::NoEndMark => {
            format!("no `:` or `#` behind the last ply, {}", context.ply_name(fault.item as usize)).into()
        }
        EndFault::MateAndMark => "`:` behind `#`: mate needs no other end mark".into(),
        EndFault::MarkInVariation => "`:` in a variation: it marks the last ply of the main line".into(),
        EndFault::MarkWithoutPly => "`:` behind no ply: a bare position has no end mark".into(),
        EndFault::AfterEnd => after_end(fault, context, &text),
        EndFault::NoResult => no_result(context, "the record has no result"),
        EndFault::NoResultButMate => no_result_but_mate(context),
        EndFault::TwoResults => {
            let message = Message::from(format!("a second result, {text}"));
            match result_before(fault, context) {
                Some(first) => message.related(first.at, first.end() as u32, "the first result"),
                None => message,
            }
        }
        EndFault::ResultDash | EndFault::ResultHyphen => {
            format!("{} is not the hyphen of a result: write {result}", code_point(fault, context)).into()
        }
        EndFault::ResultBlanks => format!("blanks around the hyphen of a result: write {result}").into(),
        EndFault::ResultPgn => Message::from(format!("{text} is a result of PGN: {RESULTS} was expected"))
            .note(format!("{result} would be the same, but a win by stalemate is 2-1 or 1-2")),
        EndFault::ResultOnPairLine => format!("the result {text} stands on the line of a pair: it has its own").into(),
        EndFault::NoMoves => "no moves, and no PDTL tag that gives a position".into(),
        EndFault::ResultAgainstMate => against_mate(fault, context, result),
    }
}

/// A sign by code point, and as it looks.
fn code_point(fault: &Fault, context: &Context<'_>) -> String {
    let sign = lossy(context.bytes(fault.at, fault.end())).chars().next().unwrap_or_default();
    format!("U+{:04X} `{sign}`", u32::from(sign))
}

fn result_before(fault: &Fault, context: &Context<'_>) -> Option<Item> {
    let before = context.record.items.iter().take(fault.item as usize);
    before.rev().take(NEAR).find(|item| item.kind == ItemKind::Result).copied()
}

fn after_end(fault: &Fault, context: &Context<'_>, text: &str) -> Message {
    if let Some(result) = result_before(fault, context) {
        return Message::from(format!("{text} stands behind the result: only comments may follow it")).related(
            result.at,
            result.end() as u32,
            "the result",
        );
    }
    let message = Message::from(format!("{text} stands behind the end: only a result and comments may follow it"));
    match context.previous(fault.item as usize) {
        Some(last) => {
            let ply = context.record.items[last];
            let why = format!("{} is marked as the last ply", context.ply_name(last));
            message.related(ply.at, ply.end() as u32, why)
        }
        None => message,
    }
}

fn no_result(context: &Context<'_>, what: &str) -> Message {
    let message = Message::from(format!("{what}: {RESULTS} was expected, on a line of its own"));
    match context.record.tag(TagName::Result) {
        Some(tag) => message.related(
            tag.value_at,
            tag.value_at + tag.value_len,
            format!("the Result tag says {}", clipped(tag.value(context.record.text))),
        ),
        None => message,
    }
}

/// The last ply of the main line: its item, and whose it is.
fn last_ply(context: &Context<'_>) -> Option<(usize, Side)> {
    let index = context.previous(context.record.items.len())?;
    let black = context.record.items[index].spelt.has(Spelt::BLACK);
    Some((index, if black { Side::Black } else { Side::White }))
}

fn no_result_but_mate(context: &Context<'_>) -> Message {
    let Some((index, side)) = last_ply(context) else { return no_result(context, "the record has no result") };
    let due = GameResult::of_mate(side).text();
    let ply = context.record.items[index];
    Message::from(format!("the record has no result: {due} was expected, since {side} mates")).related(
        ply.at,
        ply.end() as u32,
        format!("{} mates", context.ply_name(index)),
    )
}

fn against_mate(fault: &Fault, context: &Context<'_>, due: &str) -> Message {
    let text = context.quote_fault(fault);
    let Some((index, side)) = last_ply(context) else {
        return format!("result {text} after mate: {due} is due").into();
    };
    let ply = context.record.items[index];
    Message::from(format!("result {text}, but {side} mates: {due} was expected")).related(
        ply.at,
        ply.end() as u32,
        format!("{} mates", context.ply_name(index)),
    )
}
