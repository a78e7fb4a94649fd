//! Messages about the `Redefine` tag (§5).

use crate::game::Kind;
use crate::lint::context::{Context, Message, lossy};
use crate::notation::{Letters, RedefineFault, alternative, standard};
use crate::syntax::{Fault, Tag};

/// What there is to say of such a fault.
pub fn message(kind: RedefineFault, fault: &Fault, context: &Context<'_>) -> Message {
    let found = context.bytes(fault.at, fault.end());
    let tag = context.record.tags.iter().find(|tag| tag.value_at <= fault.at && fault.end() <= tag.end);
    match (kind, found) {
        (RedefineFault::Syntax, _) => syntax(fault, context, tag),
        (RedefineFault::Letter, &[new, _, old]) => letter(new, old).into(),
        (RedefineFault::Twice, &[new, _, old]) => twice(new, old, fault, context, tag),
        _ => context.quote_fault(fault).into(),
    }
}

fn syntax(fault: &Fault, context: &Context<'_>, tag: Option<&Tag>) -> Message {
    let before = tag.map_or(&[][..], |tag| context.bytes(tag.value_at, fault.at));
    let due = match before {
        b"FAN" => return "`FAN` stands alone: nothing was expected behind it".into(),
        [] => "`FAN`, or a letter as in `A@J`",
        [.., b',', b' '] => "a letter as in `A@J`",
        [.., b','] => "a blank",
        [.., b'@'] => "the letter that is replaced",
        [.., b'@', _] => "`, `",
        _ => "`@`",
    };
    if fault.len == 0 {
        format!("the value breaks off: {due} was expected").into()
    } else {
        format!("{} where {due} was expected", context.quote_fault(fault)).into()
    }
}

/// Why `new` can't be the letter for `old`.
fn letter(new: u8, old: u8) -> String {
    let (found, new_letter, old_letter) = (lossy(&[new, b'@', old]), char::from(new), lossy(&[old]));
    match standard(old) {
        _ if new == old => format!("`{found}` redefines a letter to itself"),
        None if standard(new).is_some() && standard(new) == alternative(old) => {
            format!("`{found}`: the new letter stands first, `{old_letter}@{new_letter}` was expected")
        }
        None => {
            let letters: Vec<String> =
                Kind::ALL.iter().map(|&kind| char::from(Letters::STANDARD.letter(kind)).to_string()).collect();
            format!("`{found}`: {old_letter} is no letter of a piece, which are {}", letters.join(" "))
        }
        Some(kind) => {
            let others: Vec<String> = (b'A'..=b'Z')
                .filter(|&other| alternative(other) == Some(kind))
                .map(|other| char::from(other).to_string())
                .collect();
            let new = lossy(&[new]);
            match others.as_slice() {
                [] => format!("`{found}`: {old_letter} has no other letter"),
                [other] => format!("`{found}`: {old_letter} can become {other}, not {new}"),
                [others @ .., last] => {
                    format!("`{found}`: {old_letter} can become {} or {last}, not {new}", others.join(", "))
                }
            }
        }
    }
}

/// With the pair that has one of the two letters already.
fn twice(new: u8, old: u8, fault: &Fault, context: &Context<'_>, tag: Option<&Tag>) -> Message {
    let from = tag.map_or(fault.at, |tag| tag.value_at);
    // Pairs are three bytes, comma and blank two.
    let pairs = (from..fault.at).step_by(5).map(|at| (at, context.bytes(at, at + 3)));
    let first = pairs.into_iter().find(|(_, pair)| pair[0] == new || pair[2] == old);
    let Some((at, pair)) = first else { return context.quote_fault(fault).into() };
    let (letter, before) = (if pair[2] == old { old } else { new }, lossy(pair));
    let text = format!("`{}`: `{before}` has taken {} before", lossy(&[new, b'@', old]), char::from(letter));
    Message::from(text).related(at, at + 3, "here")
}
