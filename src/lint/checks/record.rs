//! What pages ask of a record's tags, and of its tags and moves together.

use std::collections::HashMap;

use super::identity;
use super::values::beside;
use crate::game::{Ply, Side};
use crate::lint::catalogue::Check;
use crate::lint::context::{Context, Message, clipped};
use crate::lint::judge::Sink;
use crate::notation::{GameResult, RecordKind, ResultSpelling, read_result};
use crate::syntax::{Record, Spelt, Tag, TagName, last_ply, result_item};

/// Does what a page asks.
pub fn judge(check: &Check, context: &Context<'_>, sink: &mut Sink<'_>) {
    let of_kind = |game, id| if context.record.kind() == RecordKind::Game { game } else { id };
    match check {
        Check::TagOrder { game, id, last, replaced } => {
            let replaced = if context.record.kind() == RecordKind::Id { replaced.as_slice() } else { &[] };
            order(of_kind(game, id), last, replaced, context, sink);
        }
        Check::MissingTag { game, id, game_optional, id_optional } => {
            let optional = if context.record.kind() == RecordKind::Game { game_optional } else { id_optional };
            missing(of_kind(game, id), optional, context, sink);
        }
        Check::RepeatedTag { except } => repeated(except, context, sink),
        Check::TagsApart { tags } => apart(tags, context, sink),
        Check::UnknownTag { like, unlike } => unknown(like.as_deref(), unlike, context, sink),
        Check::ResultAgreement => agreement(context, sink),
        Check::TagsOnlyIn { record, tags, value } => {
            identity::only_in(*record, tags, value.as_deref(), context, sink);
        }
        Check::TagBehind { tag, needs } => identity::behind(*tag, *needs, context, sink),
        Check::MissingAlias { players } => identity::alias(players, context, sink),
        Check::IdAgreement { part, tag, record } => identity::agreement(*part, *tag, *record, context, sink),
        Check::ClassATag { tag, behind, record } => identity::class_a_tag(*tag, behind, *record, context, sink),
        Check::ClassAOnly { tag, modes } => identity::class_a_only(*tag, modes, context, sink),
        Check::IdVariations => identity::variations(context, sink),
        Check::FragmentAgreement => identity::fragment(context, sink),
        Check::TagBeside(asked) => beside(asked, context, sink),
        // Faults, and the values of single tags, are judged where they stand.
        _ => {}
    }
}

pub(super) fn at_name(sink: &mut Sink<'_>, tag: &Tag, message: impl Into<Message>) {
    sink.report(tag.name_at, tag.name_at + tag.name_len, message);
}

pub(super) fn name(context: &Context<'_>, tag: &Tag) -> String {
    clipped(tag.name_text(context.record.text))
}

/// Where the first tag of each known name stands.
struct Firsts([usize; TagName::ALL.len()]);

impl Firsts {
    fn of(tags: &[Tag]) -> Firsts {
        let mut firsts = [usize::MAX; TagName::ALL.len()];
        for (index, tag) in tags.iter().enumerate().rev() {
            firsts[tag.name as usize] = index;
        }
        Firsts(firsts)
    }

    fn get(&self, name: TagName) -> Option<usize> {
        Some(self.0[name as usize]).filter(|index| *index != usize::MAX)
    }
}

/// The places of tags in their record: by the list, then the optional tags in any order, then what ends a record.
struct Ranks {
    by_name: [usize; TagName::ALL.len()],
    firsts: Firsts,
}

impl Ranks {
    fn new(places: &[Vec<TagName>], last: &[TagName], firsts: Firsts) -> Ranks {
        let mut by_name = [places.len(); TagName::ALL.len()];
        for (place, tags) in places.iter().enumerate() {
            tags.iter().for_each(|tag| by_name[*tag as usize] = place);
        }
        for (place, tag) in last.iter().enumerate() {
            by_name[*tag as usize] = places.len() + 1 + place;
        }
        // An address beside a name stands among the optional tags (§3.5).
        for (address, name) in [(TagName::WhiteNa, TagName::White), (TagName::BlackNa, TagName::Black)] {
            if firsts.get(name).is_some() {
                by_name[address as usize] = places.len();
            }
        }
        Ranks { by_name, firsts }
    }

    /// Nothing for repetitions, which have no place of their own.
    fn of(&self, index: usize, tag: TagName) -> Option<usize> {
        let repeats = tag != TagName::Unknown && self.firsts.get(tag) != Some(index);
        (!repeats).then(|| self.by_name[tag as usize])
    }
}

/// The tags that have a place, each its number and that of its place, and which of them can stay where they are; those
/// that an Id stands for have none.
pub fn placed(
    places: &[Vec<TagName>],
    last: &[TagName],
    replaced: &[TagName],
    tags: &[Tag],
) -> (Vec<(usize, usize)>, Vec<bool>) {
    let placed = (0..tags.len()).filter(|index| !replaced.contains(&tags[*index].name));
    let ranks = Ranks::new(places, last, Firsts::of(tags));
    let ranked = || placed.clone().filter_map(|index| Some((index, ranks.of(index, tags[index].name)?)));
    if ranked().is_sorted_by_key(|(_, rank)| rank) {
        return (Vec::new(), Vec::new());
    }
    let ranked: Vec<(usize, usize)> = ranked().collect();
    let kept = longest_run(&ranked);
    (ranked, kept)
}

/// Reports the tags that are not in the longest run of tags in order (§3.5, §3.6, §3.8).
fn order(places: &[Vec<TagName>], last: &[TagName], replaced: &[TagName], context: &Context<'_>, sink: &mut Sink<'_>) {
    let tags = context.record.tags;
    for tag in tags.iter().filter(|tag| replaced.contains(&tag.name)) {
        at_name(sink, tag, format!("{} has no place in an Id record: Id stands for it", name(context, tag)));
    }
    let (ranked, kept) = placed(places, last, replaced, tags);
    let run: Vec<(usize, usize)> = ranked.iter().zip(&kept).filter_map(|(tag, kept)| kept.then_some(*tag)).collect();
    for (&(index, rank), _) in ranked.iter().zip(&kept).filter(|(_, kept)| !**kept) {
        let tag = &tags[index];
        // It belongs behind the last kept tag of a lower place, and before the first of a higher one.
        let before = run[..run.partition_point(|(_, other)| *other < rank)].last();
        let behind = run.get(run.partition_point(|(_, other)| *other <= rank));
        let belongs = match (before, behind) {
            (_, Some((other, _))) if *other < index => format!("before {}", name(context, &tags[*other])),
            (Some((other, _)), _) => format!("behind {}", name(context, &tags[*other])),
            _ => continue,
        };
        at_name(sink, tag, format!("{} is out of order: it belongs {belongs}", name(context, tag)));
    }
}

/// Which entries form the longest run of ranks that do not fall; of equally long ones the one that starts earliest.
fn longest_run(ranked: &[(usize, usize)]) -> Vec<bool> {
    // A record has a few dozen tags; one with thousands is not worth a quadratic search.
    const MOST: usize = 256;
    let mut kept = vec![false; ranked.len()];
    let searched = ranked.len().min(MOST);
    let mut length = vec![1_usize; searched];
    for first in (0..searched).rev() {
        let rest = (first + 1..searched).filter(|&next| ranked[next].1 >= ranked[first].1);
        length[first] = 1 + rest.map(|next| length[next]).max().unwrap_or(0);
    }
    let mut wanted = length.iter().copied().max().unwrap_or(0);
    let mut floor = 0;
    for (position, &(_, rank)) in ranked.iter().enumerate() {
        let in_run = position < searched && length[position] == wanted && rank >= floor;
        if in_run || position >= searched && rank >= floor {
            kept[position] = true;
            floor = rank;
            wanted = wanted.saturating_sub(1);
        }
    }
    kept
}

/// The required tags that are missing, each run of them with the tag that it belongs behind.
pub fn gaps<'a>(
    places: &[Vec<TagName>],
    optional: &[TagName],
    record: &Record<'a>,
) -> Vec<(Option<&'a Tag>, Vec<TagName>)> {
    let there = record.tag_names();
    if places.iter().all(|place| place.iter().any(|tag| there.has(*tag))) {
        return Vec::new();
    }
    // A record with an Id may name a player by the alias alone (§3.10).
    let alias = |place: &[TagName]| match place {
        [TagName::White, ..] => Some(TagName::WhiteAlias),
        [TagName::Black, ..] => Some(TagName::BlackAlias),
        _ => None,
    };
    let has_id = record.tag(TagName::Id).is_some();
    let holder = |place: &Vec<TagName>| {
        let alias = alias(place).filter(|_| has_id);
        record.tags.iter().find(|tag| place.contains(&tag.name) || alias == Some(tag.name))
    };
    let mut gaps = vec![(record.tag(TagName::Variant), Vec::new())];
    for place in places {
        if let Some(tag) = holder(place) {
            gaps.push((Some(tag), Vec::new()));
        } else {
            let missing = place.first().filter(|tag| !optional.contains(tag));
            gaps.last_mut().into_iter().for_each(|(_, names)| names.extend(missing));
        }
    }
    gaps.retain(|(_, names)| !names.is_empty());
    gaps
}

/// Reports required tags that are not there, once for each gap (§3.5, §3.6, §3.10).
fn missing(places: &[Vec<TagName>], optional: &[TagName], context: &Context<'_>, sink: &mut Sink<'_>) {
    for (before, names) in gaps(places, optional, context.record) {
        let names: Vec<&str> = names.iter().map(|tag| tag.name()).collect();
        let Some((last, others)) = names.split_last() else { continue };
        let at = before.map_or(0, |tag| tag.end);
        let list = if others.is_empty() { (*last).to_owned() } else { format!("{} and {last}", others.join(", ")) };
        let verb = if others.is_empty() { "is" } else { "are" };
        let place = before.map_or(String::new(), |tag| format!(" behind {}", name(context, tag)));
        sink.report(at, at, format!("{list} {verb} missing{place}"));
    }
}

fn repeated(except: &[TagName], context: &Context<'_>, sink: &mut Sink<'_>) {
    let (tags, text) = (context.record.tags, context.record.text);
    if tags.len() == context.record.tag_names().len() {
        return;
    }
    let firsts = Firsts::of(tags);
    let mut unknown: HashMap<&[u8], usize> = HashMap::new();
    for (index, tag) in tags.iter().enumerate().filter(|(_, tag)| !except.contains(&tag.name)) {
        let first = match tag.name {
            TagName::Unknown => *unknown.entry(tag.name_text(text)).or_insert(index),
            known => firsts.get(known).unwrap_or(index),
        };
        if first == index {
            continue;
        }
        let first = &tags[first];
        // Another value in one of these is a fault of reading (§13.3).
        let contradicts = matches!(tag.name, TagName::Redefine | TagName::Pdtl) && first.value(text) != tag.value(text);
        if !contradicts {
            let message = Message::from(format!("{} stands here a second time", name(context, tag)));
            at_name(sink, tag, message.related(first.at, first.end, "the first one"));
        }
    }
}

fn apart(names: &[TagName], context: &Context<'_>, sink: &mut Sink<'_>) {
    let tags = context.record.tags;
    for wanted in names {
        let mut same = tags.iter().enumerate().filter(|(_, tag)| tag.name == *wanted);
        let Some((mut last, _)) = same.next() else { continue };
        for (index, tag) in same {
            if last + 1 < index {
                let message = format!("{0} stands apart from the {0} before it", name(context, tag));
                at_name(sink, tag, Message::from(message).related(tags[last].at, tags[last].end, "the one before it"));
            }
            last = index;
        }
    }
}

/// How many edits away a name may be (§3.3); a swap counts one.
pub const EDITS: usize = 2;

/// Whether so few edits may lead from one name to the other: counting is quicker than looking for them.
pub fn may_be_near(one: &str, other: &str) -> bool {
    let signs = |name: &str| name.bytes().fold(0_u64, |signs, byte| signs | 1 << (byte & 63));
    let few = |signs: u64| signs.count_ones() as usize <= EDITS;
    one.len().abs_diff(other.len()) <= EDITS && few(signs(one) & !signs(other)) && few(signs(other) & !signs(one))
}

/// The known name that a written one looks like, with the edits between them.
pub fn nearest(written: &str) -> Option<(usize, TagName)> {
    TagName::ALL
        .iter()
        .filter(|known| **known != TagName::Unknown && may_be_near(written, known.name()))
        .map(|known| (strsim::osa_distance(written, known.name()), *known))
        .filter(|(edits, known)| *edits <= EDITS && *edits < known.name().len())
        .min()
}

fn unknown(like: Option<&[TagName]>, unlike: &[TagName], context: &Context<'_>, sink: &mut Sink<'_>) {
    // A name with a sign in it has that fault (§3.2).
    let is_whole = |tag: &&Tag| {
        let behind = context.record.text.get((tag.name_at + tag.name_len) as usize);
        tag.name_len > 0 && matches!(behind, None | Some(b' ' | b'\t' | b'"' | b']' | b'\n' | b'\r'))
    };
    for tag in context.record.tags.iter().filter(|tag| tag.name == TagName::Unknown).filter(is_whole) {
        let written = name(context, tag);
        let near = nearest(&written);
        match (near, like) {
            (None, None) => at_name(sink, tag, format!("{written} is no tag that the format knows")),
            (Some((_, known)), Some(like))
                if (like.is_empty() || like.contains(&known)) && !unlike.contains(&known) =>
            {
                at_name(sink, tag, format!("{written} is no tag that the format knows: {} is meant?", known.name()));
            }
            _ => {}
        }
    }
}

fn agreement(context: &Context<'_>, sink: &mut Sink<'_>) {
    let record = context.record;
    // What is no result of this game is another rule's.
    let result = |text: &[u8]| {
        let read = read_result(text)?;
        (read.len == text.len() && read.spelling != ResultSpelling::Pgn).then_some(read.result)
    };
    let Some(tag) = record.tag(TagName::Result) else { return };
    let Some(said) = result(tag.value(record.text)) else { return };
    let mut tell = |at: u32, end: u32, what: String| {
        let message = Message::from(format!("{what}, the Result tag {}", said.text()));
        sink.report(at, end, message.related(tag.at, tag.end, "the Result tag"));
    };
    let line = result_item(record.items);
    let read = line.and_then(|line| Some((line, result(line.text(record.text))?)));
    if let Some((line, read)) = read.filter(|(_, read)| *read != said) {
        tell(line.at, line.at + line.len, format!("the result line says {}", read.text()));
    }
    if let Some((sign, side)) = mate(record) {
        let due = GameResult::of_mate(side);
        // Where the result line is on one side of the quarrel, that is what is said of it.
        if due != said && read.is_none_or(|(_, read)| read != due && read != said) {
            tell(sign, sign + 1, format!("{side} mates, which is {}", due.text()));
        }
    }
}

/// Where the main line's last ply has its `#`, and whose it is.
pub fn mate(record: &Record<'_>) -> Option<(u32, Side)> {
    let last = last_ply(record.items)?;
    let mates = !last.spelt.has(Spelt::UNREAD) && Ply::from_bits(last.value)?.mates();
    let side = last.spelt.side();
    mates.then_some((last.end() as u32 - 1, side))
}
