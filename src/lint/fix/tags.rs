//! Edits of tags (§3).

use super::super::catalogue::Check;
use super::super::checks::record::{gaps, mate, nearest, placed};
use super::super::context::Context;
use super::super::finding::{Applicability, Edit, Fix};
use super::{Around, edit, fix, is_line_end, is_record, line_end, on_own_line, one, own_line, safe};
use crate::notation::{GameResult, RecordKind, ResultFault, Unique, read_date, read_result};
use crate::syntax::fault::{Fault, FaultKind, StartFault, TagFault};
use crate::syntax::{ItemKind, Record, Tag, TagName};

/// How a fault of a tag is mended.
pub fn of_fault(kind: TagFault, fault: &Fault, context: &Context<'_>) -> Option<Fix> {
    let (record, at, end) = (context.record, fault.at as usize, fault.end() as usize);
    match kind {
        TagFault::VariantApostrophe => safe(one(at, end, "'")),
        TagFault::NameCase | TagFault::VariantCase => {
            let tag = record.tags.iter().find(|tag| tag.name_at == fault.at)?;
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
    let mark = "\u{FEFF}".as_bytes();
    let mark = if record.text.starts_with(mark) { mark.len() } else { 0 };
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
            let read = read_date(value).filter(|read| {
                use crate::notation::DateFault::Separator;
                of.contains(&Separator) && read.odd_separator().is_some()
            })?;
            safe(one(at, end, read.date.to_string()))
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
    let of_kind = |game, id| if record.kind() == RecordKind::Game { game } else { id };
    if record.tags.len() > MOST_TAGS {
        return None;
    }
    let named = || record.tags.binary_search_by_key(&at, |tag| tag.name_at).ok();
    match check {
        Check::TagOrder { game, id, last, replaced } => {
            let replaced = if record.kind() == RecordKind::Id { replaced.as_slice() } else { &[] };
            let tag = &record.tags[named()?];
            if replaced.contains(&tag.name) {
                let line = own_line(record.text, tag.at as usize, tag.end as usize)?;
                return fix(Applicability::Unsafe, one(line.start, line.end, ""));
            }
            safe(in_order(&placed(of_kind(game, id), last, replaced, record.tags), record))
        }
        Check::TagsApart { .. } => safe(together(named()?, record)),
        Check::MissingTag { game, id, game_optional, id_optional } => {
            let optional = if record.kind() == RecordKind::Game { game_optional } else { id_optional };
            let (before, names) = gaps(of_kind(game, id), optional, record)
                .into_iter()
                .find(|(before, _)| before.is_some_and(|tag| tag.end == at))?;
            // One that is there under another name is renamed.
            let written = record.tags.iter().filter(|tag| tag.name == TagName::Unknown);
            let meant: Vec<TagName> = written.filter_map(|tag| near(tag, record)).collect();
            let lines = names.iter().filter(|name| !meant.contains(name));
            let lines = lines
                .map(|name| unknown_tag(*name, context))
                .collect::<Option<String>>()
                .filter(|lines| !lines.is_empty());
            let end = before?.end as usize;
            fix(Applicability::Unsafe, one(end, end, lines?))
        }
        Check::ClassATag { tag, .. } => {
            let end = at as usize;
            fix(Applicability::Unsafe, one(end, end, unknown_tag(*tag, context)?))
        }
        Check::UnknownTag { .. } => fix(Applicability::Unsafe, renamed(named()?, record)),
        Check::ResultAgreement => fix(Applicability::Unsafe, agreed(record)),
        _ => None,
    }
}

/// A line end and a missing tag with an unknown value, as the format writes it (§3.20–3.25).
fn unknown_tag(name: TagName, context: &Context<'_>) -> Option<String> {
    let record = context.record;
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
    let line = record.items.iter().find(|item| item.kind == ItemKind::Result);
    let line = line.and_then(|line| GameResult::ALL.get(line.value as usize).copied());
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
    // A record without its initial tag begins with the tag that is its first (§1.7).
    let begins = record.tags.first().is_some_and(|first| first.name == TagName::Variant);
    if !begins || is_text_among(record) {
        return None;
    }
    let line = |index: usize| {
        let tag: &Tag = &record.tags[index];
        own_line(record.text, tag.at as usize, tag.end as usize)
    };
    let mut edits = Vec::new();
    let mut sorted: Vec<(usize, usize, bool)> =
        ranked.iter().zip(kept).map(|(&(index, rank), kept)| (rank, index, *kept)).collect();
    sorted.sort_by_key(|(rank, index, _)| (*rank, *index));
    let mut moved = String::new();
    let mut behind = None;
    for (_, index, kept) in sorted {
        let place = line(index)?;
        if kept {
            if !moved.is_empty() {
                edits.push(edit(place.start, place.start, std::mem::take(&mut moved)));
            }
            behind = Some(place.end);
        } else {
            moved.push_str(std::str::from_utf8(&record.text[place.clone()]).ok()?);
            edits.push(edit(place.start, place.end, ""));
        }
    }
    if !moved.is_empty() {
        edits.push(edit(behind?, behind?, moved));
    }
    edits.sort_by_key(|edit| (edit.at, edit.end));
    // What is moved to the place of what is moved away is one edit.
    edits.dedup_by(|next, before| {
        let touches = next.at <= before.end;
        if touches {
            before.end = before.end.max(next.end);
            before.text.push_str(&next.text);
        }
        touches
    });
    Some(edits)
}

/// A tag's line behind that of the tag of its name before it.
fn together(index: usize, record: &Record<'_>) -> Option<Vec<Edit>> {
    let line = |tag: &Tag| own_line(record.text, tag.at as usize, tag.end as usize);
    if is_text_among(record) {
        return None;
    }
    let tag = &record.tags[index];
    let before = record.tags[..index].iter().rfind(|before| before.name == tag.name)?;
    let (to, from) = (line(before)?.end, line(tag)?);
    let moved = std::str::from_utf8(&record.text[from.clone()]).ok()?;
    Some(vec![edit(to, to, moved), edit(from.start, from.end, "")])
}

/// A tag under the known name that its own looks like, where that adds one that was missing and no ply changes.
fn renamed(index: usize, record: &Record<'_>) -> Option<Vec<Edit>> {
    let tag = &record.tags[index];
    let known = near(tag, record)?;
    let unread = |kind: FaultKind| record.faults.iter().any(|fault| fault.kind == kind);
    let fits = match known {
        // Of another game no ply would be replayed.
        TagName::Variant => leads(tag, record) && tag.value(record.text) == b"C'escacs",
        TagName::Annotator | TagName::Example => true,
        // Without `Lang` before it there would be another error (§3.9).
        TagName::Title => {
            record.tag(known).is_none() && record.tags[..index].iter().any(|tag| tag.name == TagName::Lang)
        }
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
    let line = record.items.iter().find(|item| item.kind == ItemKind::Result)?;
    one(line.at as usize, line.end(), due)
}
