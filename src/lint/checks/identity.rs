//! What pages ask of the two kinds of record (§3.9, §3.10, §3.29, §3.30), and of an identifier and what it says of its
//! record (§3.28, §3.35, §4).

use super::record::{at_name, mate, name};
use crate::lint::context::{Context, Message, quote};
use crate::lint::judge::Sink;
use crate::notation::{Fragment, GameResult, IdPart, RecordKind, Stretch, read_result};
use crate::syntax::fault::{CommentFault, EndFault, MoveFault, VariationFault};
use crate::syntax::{Fault, FaultKind, Item, ItemKind, Record, Spelt, TagName, main_line, result_item};

/// Whether a rule for this kind of record, or for both, is for this one.
fn is_of(kind: Option<RecordKind>, context: &Context<'_>) -> bool {
    kind.is_none_or(|kind| kind == context.record.kind())
}

/// Reports tags, or one value of them, that only the other kind of record has.
pub fn only_in(kind: RecordKind, tags: &[TagName], value: Option<&str>, context: &Context<'_>, sink: &mut Sink<'_>) {
    if is_of(Some(kind), context) {
        return;
    }
    let place = match kind {
        RecordKind::Game => "in an Id record: only a game with players has it",
        RecordKind::Id => "in a game record: only a record known by its Id alone has it",
    };
    for tag in context.record.tags.iter().filter(|tag| tags.contains(&tag.name)) {
        let (written, found) = (name(context, tag), tag.value(context.record.text));
        match value {
            None => at_name(sink, tag, format!("{written} {place}")),
            Some(value) if value.as_bytes() == found => {
                let message = format!("{written} {} {place}", quote(found));
                sink.report(tag.value_at, tag.value_at + tag.value_len, message);
            }
            Some(_) => {}
        }
    }
}

/// Reports a tag that lacks another one before it, at the later one if both are there.
pub fn behind(tag: TagName, needs: TagName, context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let Some(tag) = record.tag(tag) else { return };
    let written = name(context, tag);
    match record.tag(needs) {
        None => at_name(sink, tag, format!("{written} without {}, which was expected before it", needs.name())),
        Some(needed) if needed.at > tag.at => {
            let message = format!("{} stands behind {written}, which needs it before it", name(context, needed));
            at_name(sink, needed, Message::from(message).related(tag.at, tag.end, format!("{written} stands here")));
        }
        Some(_) => {}
    }
}

/// Reports an address that stands in a name's place without an alias.
pub fn alias(players: &[[TagName; 3]], context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    for &[address, player, alias] in players {
        if let Some(tag) = record.tag(address)
            && record.tag(player).is_none()
            && record.tag(alias).is_none()
        {
            let (address, alias, player) = (name(context, tag), alias.name(), player.name());
            let message = format!("{alias} is missing behind {address}, which stands in the place of {player}");
            sink.report(tag.end, tag.end, message);
        }
    }
}

/// Reports a tag that says another thing than the Id, at the later one of the two.
pub fn agreement(part: IdPart, tag: TagName, kind: Option<RecordKind>, context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let (Some(id), Some(tag)) = (record.tag(TagName::Id), record.tag(tag)) else { return };
    let Some(place) = part.find(id.value(record.text)).filter(|_| is_of(kind, context)) else { return };
    let in_id = &id.value(record.text)[place.clone()];
    let in_tag = tag.value(record.text);
    if in_id == in_tag || !is_text_and(in_id, |text| part.allows(text)) || !can_disagree(part, in_tag) {
        return;
    }
    let (name, part) = (name(context, tag), part.name());
    let id_at = id.value_at + place.start as u32;
    let id_end = id.value_at + place.end as u32;
    if tag.at > id.at {
        let message = format!("{name} is {}, but the {part} of the Id is {}", quote(in_tag), quote(in_id));
        let message = Message::from(message).related(id_at, id_end, "the Id's");
        sink.report(tag.value_at, tag.value_at + tag.value_len, message);
    } else {
        let message = format!("the {part} of the Id is {}, but {name} is {}", quote(in_id), quote(in_tag));
        sink.report(id_at, id_end, Message::from(message).related(tag.at, tag.end, format!("{name} stands here")));
    }
}

fn is_text_and(value: &[u8], is_so: impl Fn(&str) -> bool) -> bool {
    std::str::from_utf8(value).is_ok_and(is_so)
}

/// Whether a tag's value says something about that part. What is wrong by itself has a finding, and needs no second one.
fn can_disagree(part: IdPart, value: &[u8]) -> bool {
    !value.trim_ascii().is_empty()
        && match part {
            IdPart::Publisher => true,
            IdPart::Annotator => is_text_and(value, |text| text.chars().all(char::is_alphanumeric)),
            IdPart::Variations | IdPart::Language => is_text_and(value, |text| part.allows(text)),
        }
}

/// Whether the record's Id is of class A, right or wrong.
fn is_class_a(record: &Record<'_>) -> bool {
    record.value(TagName::Id).and_then(|id| IdPart::Annotator.find(id)).is_some()
}

/// Reports that the tag that class A wants is not there.
pub fn class_a_tag(
    wanted: TagName,
    behind: &[TagName],
    kind: Option<RecordKind>,
    context: &Context<'_>,
    sink: &mut Sink<'_>,
) {
    let record = context.record;
    if record.tag(wanted).is_some() || !is_of(kind, context) || !is_class_a(record) {
        return;
    }
    let last = |name: &TagName| record.tags.iter().rfind(|tag| tag.name == *name);
    if let Some(before) = behind.iter().find_map(last) {
        let (wanted, before_name) = (wanted.name(), name(context, before));
        let message = format!("{wanted} is missing behind {before_name}: a record with an Id of class A has it");
        sink.report(before.end, before.end, message);
    }
}

/// Reports a tag that belongs to class A or to games of some modes, and stands elsewhere.
pub fn class_a_only(wanted: TagName, modes: &[String], context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let Some(tag) = record.tag(wanted) else { return };
    let mode = record.value(TagName::Mode).unwrap_or_default();
    if !is_class_a(record) && !modes.iter().any(|known| known.as_bytes().eq_ignore_ascii_case(mode)) {
        let (name, modes) = (name(context, tag), modes.join(" or "));
        at_name(sink, tag, format!("{name} without an Id of class A, and without Mode {modes}"));
    }
}

/// Reports `V` and `S` of an Id that do not fit the variations (§4.6), at the later of what disagrees.
pub fn variations(context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let (Some(tag), Some(id)) = (record.tag(TagName::Id), record.id) else { return };
    let first = record.items.iter().find(|item| item.kind == ItemKind::Open);
    let tell = |sink: &mut Sink<'_>, at: &Item, message: &str| {
        sink.report(at.at, at.at + at.len, Message::from(message).related(tag.at, tag.end, "the Id"));
    };
    match (first, id.has_variations, id.sequence) {
        (Some(open), false, _) => {
            tell(sink, open, "a variation, but the Id has no suffix `V`, which says that there are some");
        }
        (Some(open), true, Some(numbers)) => {
            let message = format!("a variation, but by the suffix `S:{numbers}` of the Id one is written linearly");
            tell(sink, open, &message);
        }
        (None, true, None) if !some_are_swallowed(record.faults) => {
            let place = IdPart::Variations.find(tag.value(record.text)).unwrap_or_default();
            let [at, end] = [place.start, place.end].map(|at| tag.value_at + at as u32);
            sink.report(at, end, "`V` says that there are variations, but the record has none");
        }
        _ => {}
    }
}

/// Where the main line begins and ends.
struct Ends<'a> {
    /// Its first number.
    first: &'a Item,
    /// Its first ply, or the `…` in place of one.
    begin: &'a Item,
    /// Its last number.
    last: &'a Item,
    /// Its last ply.
    end: &'a Item,
}

/// The ends of a main line that has pairs.
fn ends(items: &[Item]) -> Option<Ends<'_>> {
    let (mut first, mut begin, mut last, mut end) = (None, None, None, None);
    for (_, item) in main_line(items) {
        match item.kind {
            ItemKind::Number => {
                first = first.or(Some(item));
                last = Some(item);
            }
            ItemKind::Ellipsis => begin = begin.or(Some(item)),
            ItemKind::Ply => {
                begin = begin.or(Some(item));
                end = Some(item);
            }
            _ => {}
        }
    }
    Some(Ends { first: first?, begin: begin?, last: last?, end: end? })
}

/// Whether numbers are wrong by themselves, so that nothing can be held against them.
fn numbers_are_wrong(faults: &[Fault]) -> bool {
    use MoveFault::{NoNumber, NumberOrder, NumberTooLarge, NumberUnknown, NumberZero};
    let is_number = |kind| matches!(kind, NoNumber | NumberOrder | NumberTooLarge | NumberUnknown | NumberZero);
    faults.iter().any(|fault| matches!(fault.kind, FaultKind::Move(kind) if is_number(kind)))
}

/// Whether pairs and variations may lie in what is not read as such, so that nobody can say that they are not there.
fn some_are_swallowed(faults: &[Fault]) -> bool {
    faults.iter().any(|fault| {
        matches!(
            fault.kind,
            FaultKind::End(EndFault::AfterEnd)
                | FaultKind::Comment(CommentFault::Unclosed | CommentFault::SwallowsPairs)
                | FaultKind::Variation(VariationFault::Unclosed)
        )
    })
}

/// Reports where the fragment that the Id names is not what the moves are (§4.8), at the moves, which come later.
pub fn fragment(context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    let (Some(tag), Some(fragment)) = (record.tag(TagName::Id), record.id.and_then(|id| id.fragment)) else { return };
    if numbers_are_wrong(record.faults) || some_are_swallowed(record.faults) {
        return;
    }
    let Some(ends) = ends(record.items) else { return };
    // Counted from an unknown pair and from the game's first one, numbers say different things.
    let is_counted_so = ends.first.spelt.has(Spelt::UNKNOWN) == fragment.first.is_none();
    let faults = [
        (ends.first, first_number(&fragment, ends.first)),
        (ends.begin, who_begins(&fragment, ends.begin)),
        (ends.last, last_number(&fragment, ends.last).filter(|_| is_counted_so)),
        (ends.end, who_ends(&fragment, ends.end, record)),
    ];
    for (item, message) in faults {
        if let Some(message) = message {
            sink.report(item.at, item.at + item.len, Message::from(message).related(tag.at, tag.end, "the Id"));
        }
    }
}

fn first_number(fragment: &Fragment, first: &Item) -> Option<String> {
    let there = (!first.spelt.has(Spelt::UNKNOWN)).then_some(first.value);
    let shown = |number: Option<u32>| number.map_or("an unknown number".to_owned(), |number| format!("pair {number}"));
    (there != fragment.first).then(|| {
        let (there, said) = (shown(there), shown(fragment.first));
        format!("the moves begin with {there}, but the fragment that the Id names with {said}")
    })
}

fn who_begins(fragment: &Fragment, begin: &Item) -> Option<String> {
    let is_black = begin.kind == ItemKind::Ellipsis || begin.spelt.has(Spelt::BLACK);
    let message = match (is_black, fragment.is_black_first, fragment.stretch) {
        (true, false, Stretch::Opening) => "Black begins, but the Id names an opening, which White begins",
        (true, false, _) => "Black begins, but the fragment that the Id names has no `b` behind its first number",
        (false, true, _) => "White begins, but the fragment that the Id names has a `b` behind its first number",
        _ => return None,
    };
    Some(message.to_owned())
}

fn last_number(fragment: &Fragment, last: &Item) -> Option<String> {
    let said = fragment.last.filter(|said| *said != last.value)?;
    Some(format!("the moves end with pair {}, but the fragment that the Id names with pair {said}", last.value))
}

fn who_ends(fragment: &Fragment, end: &Item, record: &Record<'_>) -> Option<String> {
    let is_black = end.spelt.has(Spelt::BLACK);
    let over = is_over(record);
    // An ending goes on to where its game was left.
    let is_cut = over == Some(false) && fragment.stretch != Stretch::Ending;
    let message = match (is_black, fragment.is_white_last) {
        (true, true) => "Black's ply is the last, but the fragment that the Id names has a `w` behind its last number",
        (false, true) if over == Some(true) => {
            "the game ends here, but the fragment that the Id names has a `w` behind its last number"
        }
        (false, false) if is_cut && fragment.last.is_some() => {
            "White's ply is the last, but the fragment that the Id names has no `w` behind its last number"
        }
        _ => return None,
    };
    Some(message.to_owned())
}

/// Whether the game ends where the moves do: by mate, by the result line, or by the tag; nothing where none tells it.
fn is_over(record: &Record<'_>) -> Option<bool> {
    if mate(record).is_some() {
        return Some(true);
    }
    let line = result_item(record.items).map(|item| item.text(record.text));
    let read = read_result(line.or_else(|| record.value(TagName::Result))?)?;
    Some(read.result != GameResult::Unfinished)
}
