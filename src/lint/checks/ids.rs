//! Messages about identifiers (§4).

use super::files::sign;
use super::tags::tag_of;
use crate::lint::context::{Context, Message, lossy};
use crate::notation::{IdFault, LanguageCode};
use crate::syntax::{Fault, TagName};

/// What there is to say of such a fault.
pub fn message(kind: IdFault, fault: &Fault, context: &Context<'_>) -> Message {
    let found = context.quote_fault(fault);
    match kind {
        IdFault::Empty => "an empty identifier: `Publisher-X01` was expected".into(),
        IdFault::Rest => "nothing behind the publisher: a hyphen was expected, as in `Publisher-X01`".into(),
        IdFault::Part if fault.len > 0 => "nothing before this hyphen".into(),
        IdFault::Part => "nothing behind the last hyphen".into(),
        IdFault::Character => character(&found, fault, context),
        IdFault::Letter => {
            let letter = lossy(context.bytes(fault.at, fault.end())).chars().next().map(sign).unwrap_or_default();
            format!("{found} ({letter}) in an identifier: the letters A to Z, a to z go everywhere").into()
        }
        IdFault::Hyphens => match context.bytes(fault.at, fault.end()) {
            b"-" => "`-` (U+002D) behind `‐` (U+2010): one of them throughout was expected".into(),
            _ => "`‐` (U+2010) behind `-` (U+002D): one of them throughout was expected".into(),
        },
        IdFault::Shape => {
            format!("{found} behind the publisher: a class letter and digits are usual, as in `X01`").into()
        }
        IdFault::Number => number(&found, fault, context),
        IdFault::Annotator => {
            let text = "behind class A the annotator's number was expected, as in `A0001-24`";
            if fault.len == 0 { text.into() } else { format!("{found}: {text}").into() }
        }
        IdFault::Unique => "nothing tells the annotator's records apart: `-24` or the like was expected".into(),
        IdFault::FragmentKind
        | IdFault::FragmentNumber
        | IdFault::FragmentSyntax
        | IdFault::FragmentZero
        | IdFault::FragmentLast
        | IdFault::FragmentSurplus
        | IdFault::FragmentOrder => fragment(kind, &found),
        IdFault::Language => language(&found, fault, context),
        _ => suffix(kind, &found),
    }
}

fn number(found: &str, fault: &Fault, context: &Context<'_>) -> Message {
    match tag_of(fault, context).filter(|tag| tag.name != TagName::Id) {
        Some(tag) => {
            let tag = tag.name.name();
            format!("{found} where {tag} names a game by the publisher's number of it, as in `Publisher-12`").into()
        }
        None => format!("{found} in a game record, where the publisher's number of the game was expected").into(),
    }
}

fn language(found: &str, fault: &Fault, context: &Context<'_>) -> Message {
    match LanguageCode::of(&lossy(context.bytes(fault.at, fault.end()))) {
        LanguageCode::Long(short) => {
            format!("{found} is a language that has a code of two letters (ISO 639-1): `{short}` was expected").into()
        }
        _ => format!("{found} is no code of a language: two letters of ISO 639-1, or three of ISO 639-3").into(),
    }
}

fn character(found: &str, fault: &Fault, context: &Context<'_>) -> Message {
    let bytes = context.bytes(fault.at, fault.end());
    match lossy(bytes).chars().next() {
        Some(':') => "`:` stands only behind the suffix `S`, as in `V-S:0:1`".into(),
        Some('?') => "`?` stands only for the first number of a fragment, as in `C?-12`".into(),
        Some(odd) if !odd.is_ascii() || odd.is_ascii_control() => {
            format!("{} in an identifier: letters, digits and hyphens were expected", sign(odd)).into()
        }
        _ => format!("{found} in an identifier: letters, digits and hyphens were expected").into(),
    }
}

fn fragment(kind: IdFault, found: &str) -> Message {
    match kind {
        IdFault::FragmentKind => {
            format!("{found} is no fragment of a game: O, C, M or E and numbers of pairs, as in `O8`, `C9-14`, `E15`")
                .into()
        }
        IdFault::FragmentNumber => "the number of a pair was expected behind the fragment's letter".into(),
        IdFault::FragmentSyntax => {
            format!("{found} in a fragment: a number, `?` for the first one, `b` behind it, `w` behind the last").into()
        }
        IdFault::FragmentZero => {
            format!("{found} is no number of a pair: 1 to 4294967295, without leading zeros").into()
        }
        IdFault::FragmentLast => "the number of the last pair was expected, as in `C9-14`, `M9-14`, `E?-14`".into(),
        IdFault::FragmentSurplus => {
            format!("{found}: a fragment O has its last number only, E its first one, unless that is `?`").into()
        }
        _ => format!("{found}: the fragment ends before it begins").into(),
    }
}

fn suffix(kind: IdFault, found: &str) -> Message {
    match kind {
        IdFault::Suffix => {
            format!("{found} is no suffix: `V`, a version as `II`, `S:0:1`, or a language as `ca`").into()
        }
        IdFault::SuffixOrder => {
            format!("{found} stands too late: the order is `V`, version, `S:` with numbers, language").into()
        }
        IdFault::SuffixTwice => format!("{found}: a suffix of this kind stands there already").into(),
        IdFault::VersionAlone => {
            format!("version {found} without `V`: only records with variations have versions").into()
        }
        IdFault::VersionRoman => format!("{found} is no Roman numeral in its usual form").into(),
        IdFault::VersionFirst => "version `I` is not written: the second one is the first to have a number".into(),
        IdFault::SequenceAlone => format!("{found} without `V`: it says which variations are written linearly").into(),
        IdFault::SequenceSyntax => "`S:` and numbers between colons were expected, as in `S:0:1:1`".into(),
        _ => format!("{found} takes no alternative: one number above zero was expected").into(),
    }
}
