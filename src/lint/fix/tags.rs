//! Edits of tags (§3).

use std::ops::Range;

use super::{Around, edit, fix, is_line_end, is_record, line_end, on_own_line, one, own_line, safe};
use crate::lint::catalogue::Check;
use crate::lint::checks::record::{gaps, mate, nearest, placed};
use crate::lint::context::Context;
use crate::lint::finding::{Applicability, Edit, Fix};
use crate::notation::{DateFault, GameResult, RecordKind, ResultFault, Unique, read_date, read_result};
use crate::syntax::fault::{Fault, FaultKind, StartFault, TagFault};
use crate::syntax::{BOM, Item, ItemKind, Record, Tag, TagName, result_item};

/// How a fault of a tag is mended.
pub fn of_fault(kind: TagFault, fault: &Fault, context: &Context<'_>) -> Option<Fix> {
    let (record, at, end) = (context.record, fault.at as usize, fault.end() as usize);
    match kind {
        TagFault::VariantApostrophe => safe(one(at, end, "'")),
        TagFault::NameCase | TagFault::VariantCase => {
            let tag = named(fault.at, record)?;
            let fits = tag.name != TagName::Variant || leads(tag, record);
            safe(one(at, end, tag.name.name()).filter(|_| fits))
        }
        TagFault::NoBlank => safe(one(at, at, " ")),
        TagFault::TwoOnLine => safe(on_own_line(record.text, at)),
        TagFault::EmptyLine => safe(Around { context, fault }.empty_lines()),
        TagFault::NoVariant => fix(Applicability::Unsafe, initial_tag(record)),
        _ => None,
    }
}

/// Whether a tag is the first thing of its record; an initial tag elsewhere would begin another one (§1.7).
fn leads(tag: &Tag, record: &Record<'_>) -> bool {
    let mut before = record.items.iter().take_while(|item| item.at < tag.at);
    record.tags.first().is_some_and(|first| first.at == tag.at) && before.all(|item| item.kind == ItemKind::Comment)
}

/// The known name that a tag's own looks like.
fn near(tag: &Tag, record: &Record<'_>) -> Option<TagName> {
    nearest(std::str::from_utf8(tag.name_text(record.text)).ok()?).map(|(_, known)| known)
}

/// The initial tag before all else of the record (§1.6).
fn initial_tag(record: &Record<'_>) -> Option<Vec<Edit>> {
    let is_near = |tag: &Tag| tag.name == TagName::Variant || near(tag, record) == Some(TagName::Variant);
    if !is_record(record) || record.tags.iter().any(is_near) {
        return None;
    }
    let mark = if record.text.starts_with(BOM) { BOM.len() } else { 0 };
    let word = record.text[mark..].iter().position(|byte| !byte.is_ascii_whitespace())?;
    let start = record.text[mark..mark + word].iter().rposition(|byte| is_line_end(*byte)).map_or(0, |last| last + 1);
    one(mark + start, mark + start, format!("[Variant \"C'escacs\"]{}", line_end(record.text)))
}

/// How what a page asks of the value of a tag is mended.
pub fn of_value(check: &Check, tag: &Tag, context: &Context<'_>) -> Option<Fix> {
    let value = tag.value(context.record.text);
    let (at, end) = (tag.value_at as usize, (tag.value_at + tag.value_len) as usize);
    match check {
        Check::Date { of, .. } => {
            let read = read_date(value)?;
            let is_odd = of.contains(&DateFault::Separator) && read.odd_separator().is_some()
                || of.contains(&DateFault::Hyphens) && read.mixes_hyphens();
            safe(one(at, end, read.date.to_string()).filter(|_| is_odd))
        }
        Check::ResultTag { .. } => {
            let read = read_result(value.trim_ascii())?;
            match ResultFault::of(value)? {
                ResultFault::Unreadable => None,
                ResultFault::Pgn => fix(Applicability::Unsafe, one(at, end, read.result.text())),
                ResultFault::Spelling | ResultFault::Hyphen => safe(one(at, end, read.result.text())),
            }
        }
        _ => None,
    }
}

/// A record with more tags is mended by hand: the tags are gone over for each finding.
const MOST_TAGS: usize = 256;

/// How what a page asks of a record is mended, where it was found at byte `at`.
pub fn of_check(check: &Check, at: u32, context: &Context<'_>) -> Option<Fix> {
    let record = context.record;
    if record.tags.len() > MOST_TAGS {
        return None;
    }
    let is_game = record.kind() == RecordKind::Game;
    match check {
        Check::TagOrder { game, id, last, replaced } => {
            let replaced = if is_game { &[] } else { replaced.as_slice() };
            let tag = named(at, record)?;
            if replaced.contains(&tag.name) {
                let line = line_of(tag, record)?;
                return fix(Applicability::Unsafe, one(line.start, line.end, ""));
            }
            let places = if is_game { game } else { id };
            safe(in_order(&placed(places, last, replaced, record.tags), record))
        }
        Check::TagsApart { .. } => safe(together(named(at, record)?, record)),
        Check::MissingTag { game, id, game_optional, id_optional } => {
            let (places, optional) = if is_game { (game, game_optional) } else { (id, id_optional) };
            let mut gaps = gaps(places, optional, record).into_iter();
            let (_, names) = gaps.find(|(before, _)| before.is_some_and(|tag| tag.end == at))?;
            fix(Applicability::Unsafe, missing(&names, at as usize, record))
        }
        Check::ClassATag { tag, .. } => fix(Applicability::Unsafe, missing(&[*tag], at as usize, record)),
        Check::UnknownTag { .. } => fix(Applicability::Unsafe, renamed(named(at, record)?, record)),
        Check::ResultAgreement => fix(Applicability::Unsafe, agreed(record)),
        _ => None,
    }
}

/// The tag whose name begins at a byte.
fn named<'a>(at: u32, record: &Record<'a>) -> Option<&'a Tag> {
    let index = record.tags.binary_search_by_key(&at, |tag| tag.name_at).ok()?;
    record.tags.get(index)
}

/// The line of a tag that has it for itself.
fn line_of(tag: &Tag, record: &Record<'_>) -> Option<Range<usize>> {
    own_line(record.text, tag.at as usize, tag.end as usize)
}

/// Tags with unknown values behind byte `at`, but for those that are there under another name, and will be renamed.
fn missing(names: &[TagName], at: usize, record: &Record<'_>) -> Option<Vec<Edit>> {
    let written = record.tags.iter().filter(|tag| tag.name == TagName::Unknown);
    let meant: Vec<TagName> = written.filter_map(|tag| near(tag, record)).collect();
    let names = names.iter().filter(|name| !meant.contains(name));
    let lines = names.map(|name| unknown_tag(*name, record)).collect::<Option<String>>()?;
    one(at, at, lines.as_str()).filter(|_| !lines.is_empty())
}

/// A line end and a missing tag with an unknown value, as the format writes it (§3.20–3.25).
fn unknown_tag(name: TagName, record: &Record<'_>) -> Option<String> {
    let value = match name {
        TagName::Date => "????-??-??",
        TagName::Round => "-",
        TagName::Event | TagName::Site | TagName::White | TagName::Black => "?",
        TagName::Result => told(record).text(),
        TagName::Annotator => record.id?.publisher,
        TagName::AnnotatorId => match record.id?.unique {
            Unique::Annotator(annotator, _) => annotator,
            _ => return None,
        },
        _ => return None,
    };
    Some(format!("{}[{} \"{value}\"]", line_end(record.text), name.name()))
}

/// What mate, or else the result line, says.
fn told(record: &Record<'_>) -> GameResult {
    let line = result_item(record.items).and_then(Item::result);
    let mate = mate(record).map(|(_, side)| GameResult::of_mate(side));
    mate.or(line).unwrap_or(GameResult::Unfinished)
}

/// Whether text stands among the tags. With no tag behind it, it would be read as movetext.
fn is_text_among(record: &Record<'_>) -> bool {
    let last = record.tags.last().map_or(0, |tag| tag.at);
    record.items.iter().take_while(|item| item.at < last).any(|item| item.kind == ItemKind::Stray)
}

/// The lines of the tags that are out of order, where they belong; the same for each of them.
fn in_order((ranked, kept): &(Vec<(usize, usize)>, Vec<bool>), record: &Record<'_>) -> Option<Vec<Edit>> {
    // Moved to the front, the tag of another game would keep the plies from being replayed.
    let leads = record.tags.first().is_some_and(|first| first.name == TagName::Variant);
    let fits = leads || record.value(TagName::Variant).is_none_or(|value| value == b"C'escacs");
    if !fits || is_text_among(record) {
        return None;
    }
    let mut sorted: Vec<(usize, usize, bool)> =
        ranked.iter().zip(kept).map(|(&(index, rank), kept)| (rank, index, *kept)).collect();
    sorted.sort_by_key(|(rank, index, _)| (*rank, *index));
    let (mut edits, mut moved, mut behind) = (Vec::new(), String::new(), None);
    for (_, index, kept) in sorted {
        let line = line_of(&record.tags[index], record)?;
        if kept {
            edits.push(edit(line.start, line.start, std::mem::take(&mut moved)));
            behind = Some(line.end);
        } else {
            moved.push_str(std::str::from_utf8(&record.text[line.clone()]).ok()?);
            edits.push(edit(line.start, line.end, ""));
        }
    }
    edits.push(edit(behind?, behind?, moved));
    Some(joined(edits))
}

/// The edits in the order of the text, without those that do nothing. What is moved to the place of what is moved away is one.
fn joined(mut edits: Vec<Edit>) -> Vec<Edit> {
    edits.retain(|edit| edit.at < edit.end || !edit.text.is_empty());
    edits.sort_by_key(|edit| (edit.at, edit.end));
    edits.dedup_by(|next, before| {
        let touches = next.at <= before.end;
        if touches {
            before.end = before.end.max(next.end);
            before.text.push_str(&next.text);
        }
        touches
    });
    edits
}

/// A tag's line behind that of the tag of its name before it.
fn together(tag: &Tag, record: &Record<'_>) -> Option<Vec<Edit>> {
    if is_text_among(record) {
        return None;
    }
    let before = record.tags.iter().take_while(|before| before.at < tag.at).filter(|before| before.name == tag.name);
    let (to, from) = (line_of(before.last()?, record)?.end, line_of(tag, record)?);
    let moved = std::str::from_utf8(&record.text[from.clone()]).ok()?;
    Some(vec![edit(to, to, moved), edit(from.start, from.end, "")])
}

/// A tag under the known name that its own looks like, where that adds one that was missing and no ply changes.
fn renamed(tag: &Tag, record: &Record<'_>) -> Option<Vec<Edit>> {
    let known = near(tag, record)?;
    let unread = |kind: FaultKind| record.faults.iter().any(|fault| fault.kind == kind);
    let fits = match known {
        // Of another game no ply would be replayed.
        TagName::Variant => leads(tag, record) && tag.value(record.text) == b"C'escacs",
        TagName::Annotator | TagName::Example => true,
        // Without `Lang` before it there would be another error (§3.9).
        TagName::Title => record.tag(known).is_none() && record.tag(TagName::Lang).is_some_and(|lang| lang.at < tag.at),
        // A position that is known stays.
        TagName::Pdtl => record.tag(known).is_none() && unread(StartFault::PositionUnknown.into()),
        TagName::Redefine => false,
        _ => record.tag(known).is_none(),
    };
    let (at, end) = (tag.name_at as usize, (tag.name_at + tag.name_len) as usize);
    one(at, end, known.name()).filter(|_| fits)
}

/// The Result tag as the board has it, or the result line where the tag has it so already (§7.8).
fn agreed(record: &Record<'_>) -> Option<Vec<Edit>> {
    let (_, side) = mate(record)?;
    let due = GameResult::of_mate(side).text();
    let tag = record.tag(TagName::Result)?;
    if tag.value(record.text) != due.as_bytes() {
        return one(tag.value_at as usize, (tag.value_at + tag.value_len) as usize, due);
    }
    let line = result_item(record.items)?;
    one(line.at as usize, line.end(), due)
}
