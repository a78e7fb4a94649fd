//! Messages about comments (§9).

use crate::lint::context::{Context, Message, NEAR, quote};
use crate::syntax::Fault;
use crate::syntax::fault::CommentFault;

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
