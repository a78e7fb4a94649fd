//! Messages about tags (§3).

use super::files::sign;
use crate::lint::context::{Context, Message, clipped, lossy};
use crate::syntax::fault::TagFault;
use crate::syntax::{Fault, Tag, TagName};

/// What there is to say of such a fault.
pub fn message(kind: TagFault, fault: &Fault, context: &Context<'_>) -> Message {
    let quoted = context.quote_fault(fault);
    let name = || clipped(tag_of(fault, context).map_or(&[][..], |tag| tag.name_text(context.record.text)));
    match kind {
        TagFault::NoVariant => no_variant(&quoted, context),
        TagFault::OtherVariant => format!("{quoted} is not `C'escacs`; the moves are not replayed").into(),
        TagFault::GrandVariant => "`Grand C'escacs` is experimental; the moves are not replayed".into(),
        TagFault::VariantApostrophe => {
            format!("{} for the apostrophe of C'escacs (U+0027)", sign(first(fault, context))).into()
        }
        TagFault::NameCase | TagFault::VariantCase => {
            let right = tag_of(fault, context).map_or("", |tag| tag.name.name());
            format!("{quoted} is written `{right}`").into()
        }
        TagFault::Name => format!("{quoted} in a tag's name, which has letters and digits only").into(),
        TagFault::NoBlank => format!("a blank is missing between `{}` and its value", name()).into(),
        TagFault::NoQuotes => no_quotes(&quoted, &name(), fault, context),
        TagFault::NoClosingQuote => format!("the closing quote of `{}` is missing", name()).into(),
        TagFault::NoBracket if fault.len > 0 => {
            format!("{quoted} where the closing bracket of `{}` was expected", name()).into()
        }
        TagFault::NoBracket => format!("the closing bracket of `{}` is missing", name()).into(),
        TagFault::BareQuote => format!("a quote inside the value of `{}`: read up to the last `\"]`", name()).into(),
        TagFault::Escape => {
            let sign = lossy(&context.bytes(fault.at, fault.end())[1..]);
            format!("{quoted} is read as `{sign}`, as in PGN, but CTL-PGN names no escapes").into()
        }
        TagFault::FalseEscape => {
            format!("a backslash inside the value of `{}`: none but `\\\"` and `\\\\` are read", name()).into()
        }
        TagFault::Control => {
            let found = sign(first(fault, context));
            format!("a control character, {found}, inside the value of `{}`", name()).into()
        }
        TagFault::VariantBehindTag => {
            "the initial tag behind another tag on its line: does a record begin here, or is it a second one?".into()
        }
        TagFault::TwoOnLine => format!("a second tag on the line: `{}` starts its own", name()).into(),
        TagFault::Behind => format!("{quoted} stands behind a tag on its line").into(),
        TagFault::CommentAmongTags => "a comment before a tag: it stands behind the last one".into(),
        TagFault::TextAmongTags => text_among_tags(&quoted, fault, context),
        TagFault::EmptyLine => "an empty line between tags".into(),
        TagFault::NeedlessLanguage => format!("{quoted} says nothing: the record has no comments and no title").into(),
        TagFault::TwoRedefines => second("Redefine", TagName::Redefine, context),
        TagFault::TwoPdtls => second("PDTL", TagName::Pdtl, context),
    }
}

/// The tag that a fault is in, or right behind.
pub(super) fn tag_of<'a>(fault: &Fault, context: &Context<'a>) -> Option<&'a Tag> {
    let tags = context.record.tags;
    tags[..tags.partition_point(|tag| tag.at <= fault.at)].last()
}

/// The first character of a fault.
fn first(fault: &Fault, context: &Context<'_>) -> char {
    lossy(context.bytes(fault.at, fault.end())).chars().next().unwrap_or(char::REPLACEMENT_CHARACTER)
}

fn no_variant(quoted: &str, context: &Context<'_>) -> Message {
    let message = Message::from(format!("the record starts with {quoted}, not with [Variant \"C'escacs\"]"));
    match context.record.tag(TagName::Variant) {
        Some(tag) => message.related(tag.at, tag.end, "`Variant` stands here"),
        None => message,
    }
}

fn no_quotes(quoted: &str, name: &str, fault: &Fault, context: &Context<'_>) -> Message {
    if fault.len == 0 {
        return format!("`{name}` has no value: one between quotes was expected").into();
    }
    match first(fault, context) {
        found if found.is_ascii() => format!("the value {quoted} stands without quotes").into(),
        found => format!("the value {quoted} begins with {} where a quote (U+0022) was expected", sign(found)).into(),
    }
}

fn text_among_tags(quoted: &str, fault: &Fault, context: &Context<'_>) -> Message {
    let message = Message::from(format!("{quoted} stands among the tags, but is neither tag nor comment"));
    match context.bytes(fault.at, fault.end()) {
        [b'[', ..] => message.note("a tag's name stands right behind the bracket, and begins with a letter"),
        _ => message,
    }
}

fn second(written: &str, name: TagName, context: &Context<'_>) -> Message {
    let message = Message::from(format!("a second `{written}` with another value: which one holds?"));
    match context.record.tag(name) {
        Some(tag) => message.related(tag.at, tag.end, "the first one"),
        None => message,
    }
}
