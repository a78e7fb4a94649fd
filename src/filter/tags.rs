//! The tags of a record in another form.

use std::borrow::Cow;

use super::form::{Comments, Form, Layout, Separators};
use super::take::Changes;
use crate::notation::{
    Id, Letters, RecordKind, ResultFault, Unique, id, pdtl, read_date, read_result, with_plain_hyphens,
};
use crate::syntax::{Item, ItemKind, Record, Tag, TagName, TagNames};

/// What becomes of a tag.
#[derive(PartialEq, Eq, Debug)]
enum Fate {
    Stays,
    Goes,
    /// This value takes the place of its own.
    Value(Vec<u8>),
    /// This takes its place.
    Tag(&'static [u8]),
}

/// The order of tags in canonical form (§13.6).
const ORDER: [TagName; TagName::ALL.len()] = {
    use TagName::{
        Annotator, AnnotatorId, Black, BlackAlias, BlackNa, BlackType, Date, Event, EventDate, Example, Id, Lang,
        MatchDate, Mode, Model, Pdtl, Redefine, Result, Revisited, Round, Site, Termination, TimeControl, Title,
        Unknown, Variant, White, WhiteAlias, WhiteNa, WhiteType,
    };
    [
        Variant,
        Event,
        Site,
        Date,
        Round,
        White,
        WhiteAlias,
        Black,
        BlackAlias,
        Result,
        Id,
        EventDate,
        MatchDate,
        Termination,
        Mode,
        WhiteType,
        BlackType,
        TimeControl,
        WhiteNa,
        BlackNa,
        Annotator,
        AnnotatorId,
        Lang,
        Title,
        Revisited,
        Model,
        Example,
        Unknown,
        Redefine,
        Pdtl,
    ]
};
/// Those that come first in an Id record (§3.6).
const ID_FIRST: [TagName; 5] = [TagName::Variant, TagName::Id, TagName::Date, TagName::Result, TagName::Annotator];

/// The tags that a form makes of a record's.
pub(super) struct Tags<'a> {
    record: &'a Record<'a>,
    form: &'a Form,
    changes: &'a Changes,
    /// The letters to write, if they are others.
    other: Option<&'a Letters>,
    /// No tag of any name is another one in this form.
    all_stay: bool,
    /// Which tags there are, unless all stay.
    names: TagNames,
    /// Which kind of record they make it, unless all stay.
    kind: RecordKind,
    /// A `Lang` tag and the language of an Id would say nothing (§9.10).
    without_language: bool,
    /// `AnnotatorId` has to be there (§3.35).
    is_class_a: bool,
}

impl<'a> Tags<'a> {
    pub(super) fn new(
        record: &'a Record<'a>,
        form: &'a Form,
        changes: &'a Changes,
        other: Option<&'a Letters>,
    ) -> Tags<'a> {
        let keep = form.keep;
        let without_language = form.retag
            && !(keep.comments == Comments::All && keep.variations && keep.optional_tags)
            && !(keep.optional_tags && record.tag(TagName::Title).is_some())
            && !has_comments(record, form);
        let is_class_a =
            !keep.optional_tags && id_of(record).is_some_and(|id| matches!(id.unique, Unique::Annotator(..)));
        let as_written = form.separators != Separators::Ascii && form.layout != Layout::Canonical;
        let all_stay =
            keep.optional_tags && keep.addresses && !form.retag && other.is_none() && as_written && changes.are_none();
        // A record may have a great many tags: it is not gone over for each of them.
        let (names, kind) =
            if all_stay { (TagNames::default(), RecordKind::Game) } else { (record.tag_names(), record.kind()) };
        Tags { record, form, changes, other, all_stay, names, kind, without_language, is_class_a }
    }

    /// Whether all of them stay as they are, letters apart.
    pub(super) fn stand(&self) -> bool {
        self.record.tags.iter().all(|tag| self.fate(tag) == Fate::Stays)
    }

    /// Writes them, one a line; those that stand so already are copied as one slice.
    pub(super) fn write(&self, out: &mut Vec<u8>) {
        if self.is_canonical() {
            return self.write_canonical(out);
        }
        let text = self.record.text;
        let mut redefine = self.missing_redefine();
        let mut copied = 0..0;
        for tag in self.record.tags {
            let (at, value, end) = (tag.at as usize, tag.value_at as usize, tag.end as usize);
            let fate = self.fate(tag);
            let is_behind = tag.name == TagName::Pdtl && redefine.is_some();
            if fate == Fate::Stays && !is_behind && at == copied.end + 1 && text[copied.end] == b'\n' {
                copied.end = end;
                continue;
            }
            copy_lines(&text[copied], out);
            copied = at..at;
            if is_behind {
                redefine.take().into_iter().for_each(|line| copy_lines(&line, out));
            }
            match fate {
                Fate::Stays => copied = at..end,
                Fate::Goes => {}
                Fate::Tag(other) => copy_lines(other, out),
                Fate::Value(other) => {
                    out.extend_from_slice(&text[at..value]);
                    out.extend_from_slice(&other);
                    copy_lines(&text[value + tag.value_len as usize..end], out);
                }
            }
        }
        copy_lines(&text[copied], out);
        redefine.into_iter().chain(self.missing_position()).for_each(|line| copy_lines(&line, out));
    }

    /// Writes them in their order, each with its name, one blank, and its value (§13.6).
    fn write_canonical(&self, out: &mut Vec<u8>) {
        let text = self.record.text;
        let mut tags: Vec<&Tag> = self.record.tags.iter().collect();
        tags.sort_by_key(|tag| self.rank(tag.name));
        let mut redefine = self.missing_redefine();
        for tag in tags {
            if tag.name == TagName::Pdtl {
                redefine.take().into_iter().for_each(|line| copy_lines(&line, out));
            }
            let value = match self.fate(tag) {
                Fate::Goes => continue,
                Fate::Tag(other) => {
                    copy_lines(other, out);
                    continue;
                }
                Fate::Value(other) => Cow::Owned(other),
                Fate::Stays => Cow::Borrowed(tag.value(text)),
            };
            let name = if tag.name == TagName::Unknown { tag.name_text(text) } else { tag.name.name().as_bytes() };
            copy_lines(&[b"[", name, b" \"", &value, b"\"]"].concat(), out);
        }
        redefine.into_iter().chain(self.missing_position()).for_each(|line| copy_lines(&line, out));
    }

    /// The place of a tag among the others: that of a name for the address that stands in for it (§3.10).
    fn rank(&self, name: TagName) -> usize {
        let name = match name {
            TagName::WhiteNa if !self.names.has(TagName::White) => TagName::White,
            TagName::BlackNa if !self.names.has(TagName::Black) => TagName::Black,
            name => name,
        };
        let place = |order: &[TagName]| order.iter().position(|other| *other == name);
        let first = if self.kind == RecordKind::Id { place(&ID_FIRST) } else { None };
        first.unwrap_or_else(|| ID_FIRST.len() + place(&ORDER).unwrap_or(ORDER.len()))
    }

    /// The `Redefine` tag that other letters need, if no tag is there to tell them.
    fn missing_redefine(&self) -> Option<Vec<u8>> {
        let value = self.other?.redefine().filter(|_| self.record.tag(TagName::Redefine).is_none())?;
        Some(format!("[Redefine \"{value}\"]").into_bytes())
    }

    #[inline]
    fn fate(&self, tag: &Tag) -> Fate {
        if self.all_stay { Fate::Stays } else { self.fate_in_form(tag) }
    }

    fn fate_in_form(&self, tag: &Tag) -> Fate {
        let fate = self.kept(tag);
        let value = match &fate {
            Fate::Value(value) => value,
            Fate::Stays => tag.value(self.record.text),
            Fate::Goes | Fate::Tag(_) => return fate,
        };
        match spelt(tag.name, value, self.form) {
            Cow::Borrowed(_) => fate,
            Cow::Owned(value) => Fate::Value(value),
        }
    }

    fn kept(&self, tag: &Tag) -> Fate {
        match tag.name {
            TagName::Redefine => self.redefine(),
            TagName::Pdtl => self.position(tag),
            TagName::WhiteNa => self.address(tag, TagName::White, b"[White \"?\"]"),
            TagName::BlackNa => self.address(tag, TagName::Black, b"[Black \"?\"]"),
            TagName::Id if self.form.retag || self.changes.id.is_some() => self.identifier(tag),
            TagName::Result if self.changes.result.is_some() => self.result(),
            TagName::Termination if self.changes.result.is_some() => Fate::Goes,
            TagName::Lang if self.without_language => Fate::Goes,
            _ if !self.form.keep.optional_tags && self.is_optional(tag) => Fate::Goes,
            _ => Fate::Stays,
        }
    }

    fn is_canonical(&self) -> bool {
        self.form.layout == Layout::Canonical
    }

    fn redefine(&self) -> Fate {
        let own = self.record.setup.letters.as_ref().filter(|_| self.is_canonical());
        match self.other.or(own).map(Letters::redefine) {
            None => Fate::Stays,
            Some(None) => Fate::Goes,
            Some(Some(value)) => Fate::Value(value.into_bytes()),
        }
    }

    fn result(&self) -> Fate {
        match self.changes.result.filter(|_| self.kind == RecordKind::Game) {
            Some(result) => Fate::Value(result.text().as_bytes().to_vec()),
            None => Fate::Goes,
        }
    }

    /// The `PDTL` tag of where a part begins, if no tag is there to tell it.
    fn missing_position(&self) -> Option<Vec<u8>> {
        let value = self.start().filter(|_| self.record.tag(TagName::Pdtl).is_none())?;
        Some([b"[PDTL \"", &value[..], b"\"]"].concat())
    }

    /// Where a part begins, if that is not where its record does.
    fn start(&self) -> Option<Vec<u8>> {
        let own = self.record.setup.letters.as_ref().unwrap_or(&Letters::STANDARD);
        let mut value = Vec::new();
        pdtl::write(self.changes.start.as_ref()?, self.other.unwrap_or(own), &mut value);
        Some(value)
    }

    fn position(&self, tag: &Tag) -> Fate {
        if let Some(value) = self.start() {
            return Fate::Value(value);
        }
        let (Some(own), value) = (&self.record.setup.letters, tag.value(self.record.text)) else { return Fate::Stays };
        let mut written = Vec::with_capacity(value.len());
        match self.other {
            _ if self.is_canonical() => pdtl::rewrite(value, own, self.other.unwrap_or(own), &mut written),
            Some(letters) => pdtl::reletter(value, own, letters, &mut written),
            None => return Fate::Stays,
        }
        Fate::Value(written)
    }

    /// **Decision**: an address that holds a player's place (§3.10) leaves an unknown name there, as an alias alone is no
    /// place in a record without an Id, and nothing at all would make an Id record of one with it (§3.7).
    fn address(&self, tag: &Tag, player: TagName, unknown: &'static [u8]) -> Fate {
        let keep = self.form.keep;
        let holds_place = !self.names.has(player);
        if keep.addresses && (keep.optional_tags || holds_place) {
            Fate::Stays
        } else if holds_place && self.is_first(tag) {
            Fate::Tag(unknown)
        } else {
            Fate::Goes
        }
    }

    fn is_first(&self, tag: &Tag) -> bool {
        self.record.tag(tag.name).is_some_and(|first| first.at == tag.at)
    }

    /// Whether neither §3.5 nor §3.6 names the tag, nor the moves, the Id, or a class A identifier (§3.35) need it.
    fn is_optional(&self, tag: &Tag) -> bool {
        use TagName::{
            Annotator, AnnotatorId, Black, BlackAlias, Date, Event, Id, Pdtl, Redefine, Result, Round, Site, Variant,
            White, WhiteAlias,
        };
        let game = self.kind == RecordKind::Game;
        match tag.name {
            Variant | Date | Result | Id | Redefine | Pdtl => false,
            Event | Site | Round | White | WhiteAlias | Black | BlackAlias => !game,
            Annotator => game || !self.is_first(tag),
            AnnotatorId => !self.is_class_a,
            _ => true,
        }
    }

    /// The Id without the suffixes that are no longer true (§4.5); one that can't be read stays.
    fn identifier(&self, tag: &Tag) -> Fate {
        let own = tag.value(self.record.text);
        let value = self.changes.id.as_ref().filter(|_| self.is_first(tag)).map_or(own, |id| id.as_bytes());
        let id = id::parse(value, self.kind, &mut |_| {});
        let Some((id, value)) = id.zip(std::str::from_utf8(value).ok()) else { return Fate::Stays };
        let variations = self.form.retag && !self.form.keep.variations;
        let other = without_suffixes(value, &id, variations, self.without_language);
        if other.as_bytes() == own { Fate::Stays } else { Fate::Value(other.into_owned().into_bytes()) }
    }
}

/// A value as a form spells it: in canonical form (§13.6), or with `-` for hyphens only.
fn spelt<'a>(name: TagName, value: &'a [u8], form: &Form) -> Cow<'a, [u8]> {
    use TagName::{Date, EventDate, Example, Id, MatchDate, Model, Pdtl, Result, Revisited, Round};
    let canonical = form.layout == Layout::Canonical;
    if !canonical && form.separators != Separators::Ascii {
        return Cow::Borrowed(value);
    }
    match name {
        Date | EventDate | MatchDate if canonical => match read_date(value) {
            Some(read) => Cow::Owned(read.date.to_string().into_bytes()),
            None => with_plain_hyphens(value),
        },
        Result if canonical => match (ResultFault::of(value), read_result(value.trim_ascii())) {
            (Some(ResultFault::Spelling | ResultFault::Hyphen), Some(read)) => {
                Cow::Owned(read.result.text().as_bytes().to_vec())
            }
            _ => Cow::Borrowed(value),
        },
        Date | EventDate | MatchDate | Round | Id | Model | Example | Revisited | Pdtl => with_plain_hyphens(value),
        _ => Cow::Borrowed(value),
    }
}

/// Copies lines that lack their last line end, unless there are none.
fn copy_lines(lines: &[u8], out: &mut Vec<u8>) {
    if !lines.is_empty() {
        out.extend_from_slice(lines);
        out.push(b'\n');
    }
}

fn id_of<'a>(record: &Record<'a>) -> Option<Id<'a>> {
    id::parse(record.value(TagName::Id)?, record.kind(), &mut |_| {})
}

/// Whether a comment is written.
fn has_comments(record: &Record<'_>, form: &Form) -> bool {
    let mut index = 0;
    while let Some(item) = record.items.get(index) {
        match item.kind {
            ItemKind::Open if !form.keep.variations => index = close_of(*item, index),
            ItemKind::Comment if form.keeps(item, record.text) => return true,
            _ => {}
        }
        index += 1;
    }
    false
}

/// The item that closes the variation opened at `index`; the last one there can be where none does.
pub(super) fn close_of(open: Item, index: usize) -> usize {
    (open.value as usize).max(index)
}

/// An Id without `V` and its version, if `variations` are left out, and without language.
fn without_suffixes<'a>(value: &'a str, id: &Id<'_>, variations: bool, language: bool) -> Cow<'a, str> {
    let rest = if variations { id.without_variations(value) } else { Cow::Borrowed(value) };
    match rest {
        rest if !language => rest,
        Cow::Borrowed(rest) => Cow::Borrowed(id.without_language(rest).0),
        Cow::Owned(rest) => Cow::Owned(id.without_language(&rest).0.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::filter::{Part, write};
    use crate::replay::Replayer;
    use crate::syntax::{Begins, Reader};

    /// The tags, separated by blanks, that a form leaves of those given, each without brackets.
    fn tags(tags: &str, movetext: &str, form: &Form) -> String {
        let tags = tags.replace("; ", "]\n[");
        let text = format!("[Variant \"C'escacs\"]\n[{tags}]\n{movetext}");
        let mut reader = Reader::default();
        let mut record = reader.read(text.as_bytes(), Begins::File);
        Replayer::default().replay(&mut record);
        let mut out = Vec::new();
        write(&record, form, &mut out).expect(&text);
        let out = String::from_utf8(out).expect("UTF-8");
        let kept = out.lines().skip(1).filter_map(|line| line.strip_prefix('[')?.strip_suffix(']'));
        kept.collect::<Vec<_>>().join("; ")
    }

    const MOVES: &str = "1. E7-E13, E21-E15 :\n*\n";
    const COMMENTED: &str = "1. E7-E13, E21-E15 :\n{: @W: 0.1 }\n(1. F8-F12\n.{ @W: a }\n)\n*\n";

    fn strip(parts: &[Part]) -> Form {
        parts.iter().fold(Form::WHOLE, |form, part| form.without(*part))
    }

    #[test]
    fn optional_tags_are_those_that_no_kind_of_record_asks_for() {
        let form = strip(&[Part::OptionalTags]);
        let game = "Event \"CG\"; Site \"?\"; Date \"2021-06-04\"; Round \"-\"; White \"A, B\"; WhiteAlias \"ab\"; Black \"?\"; \
            Result \"*\"; Id \"Me-12-V-ca\"";
        let more = "EventDate \"2021-06-04\"; Mode \"OTB\"; WhiteType \"human\"; TimeControl \"?\"; WhiteNA \"x\"; Annotator \"Me\"; \
            Lang \"ca\"; Title \"T\"; Model \"Me-1\"; Opus \"4\"";
        let last = "Redefine \"A@J\"; PDTL \"/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0 1\"";
        assert_eq!(tags(&format!("{game}; {more}; {last}"), "*\n", &form), format!("{game}; {last}"));
        let record = "Id \"Me-X01-V\"; Date \"2021-06-04\"; Result \"*\"; Annotator \"Me\"";
        let more = "Annotator \"You\"; AnnotatorId \"17\"; Lang \"ca\"; Example \"Me-X02\"";
        assert_eq!(tags(&format!("{record}; {more}"), MOVES, &form), record);
    }

    #[test]
    fn class_a_keeps_its_annotator() {
        let form = strip(&[Part::OptionalTags]);
        let all = "Id \"Me-A0001-24\"; Annotator \"Me\"; AnnotatorId \"0001\"; Lang \"ca\"";
        assert_eq!(tags(all, MOVES, &form), "Id \"Me-A0001-24\"; Annotator \"Me\"; AnnotatorId \"0001\"");
    }

    #[test]
    fn an_address_in_a_players_place_leaves_it_unknown() {
        let both = strip(&[Part::Addresses, Part::OptionalTags]);
        let form = strip(&[Part::Addresses]);
        let with = |white: &str, black: &str, more: &str| {
            format!("Event \"CG\"; Site \"?\"; Date \"2021-06-04\"; Round \"-\"; {white}; {black}; Result \"*\"{more}")
        };
        for (white, black, more, left) in [
            (
                "White \"A\"",
                "Black \"B\"",
                "; WhiteNA \"a@x\"; BlackNA \"b@x\"",
                with("White \"A\"", "Black \"B\"", ""),
            ),
            (
                "WhiteNA \"a@x\"; WhiteAlias \"a\"",
                "Black \"B\"",
                "",
                with("White \"?\"; WhiteAlias \"a\"", "Black \"B\"", ""),
            ),
            (
                "WhiteNA \"a@x\"",
                "BlackNA \"b@x\"",
                "; Id \"Me-1\"",
                with("White \"?\"", "Black \"?\"", "; Id \"Me-1\""),
            ),
            (
                "WhiteAlias \"a\"",
                "BlackAlias \"b\"",
                "; Id \"Me-1\"",
                with("WhiteAlias \"a\"", "BlackAlias \"b\"", "; Id \"Me-1\""),
            ),
        ] {
            let all = with(white, black, more);
            assert_eq!(tags(&all, MOVES, &form), left);
            assert_eq!(tags(&all, MOVES, &both), left);
            assert_eq!(tags(&all, MOVES, &Form::MINIMAL), all);
        }
        let all = with("WhiteNA \"a@x\"; WhiteAlias \"a\"", "Black \"B\"", "; BlackNA \"b@x\"");
        let left = with("WhiteNA \"a@x\"; WhiteAlias \"a\"", "Black \"B\"", "");
        assert_eq!(tags(&all, MOVES, &strip(&[Part::OptionalTags])), left, "beside a name it is optional");
    }

    #[test]
    fn the_language_goes_with_the_last_comment_and_the_title() {
        let retagged = |form: &Form| Form { retag: true, ..form.clone() };
        let (all, title) = ("Id \"Me-X01-V-ca\"; Annotator \"Me\"; Lang \"ca\"", "; Title \"T\"");
        let titled = format!("{all}{title}");
        let comments = strip(&[Part::Comments]);
        for (source, form, left) in [
            (all, comments.clone(), "Id \"Me-X01-V\"; Annotator \"Me\""),
            (&titled, comments, &titled),
            (&titled, strip(&[Part::Comments, Part::OptionalTags]), "Id \"Me-X01-V\"; Annotator \"Me\""),
            (all, strip(&[Part::AutoComments]), all),
            (all, strip(&[Part::Variations]), "Id \"Me-X01-ca\"; Annotator \"Me\"; Lang \"ca\""),
            (all, strip(&[Part::Variations, Part::AutoComments]), "Id \"Me-X01\"; Annotator \"Me\""),
            (all, strip(&[Part::OptionalTags]), "Id \"Me-X01-V-ca\"; Annotator \"Me\""),
            (all, strip(&[Part::Valuations]), all),
            (all, Form::MINIMAL, "Id \"Me-X01\"; Annotator \"Me\""),
            (&titled, Form::MINIMAL, "Id \"Me-X01-ca\"; Annotator \"Me\"; Lang \"ca\"; Title \"T\""),
        ] {
            assert_eq!(tags(source, COMMENTED, &retagged(&form)), left, "{form:?}");
            assert_eq!(tags(left, COMMENTED, &retagged(&form)), left, "{form:?}");
        }
        assert_eq!(tags(all, COMMENTED, &Form::MINIMAL), all, "only where it is asked for");
    }

    #[test]
    fn an_id_loses_the_suffixes_that_are_not_true_any_more() {
        let form = Form { retag: true, ..strip(&[Part::Comments, Part::Variations]) };
        for (id, left) in [
            ("Me-X01-V", "Me-X01"),
            ("Me-X01-V-II", "Me-X01"),
            ("Me-X01-V-II-ca", "Me-X01"),
            ("Me-X01-ca", "Me-X01"),
            ("Me‐X01‐V‐ca", "Me‐X01"),
            ("Me-X01-V-S:0:1", "Me-X01-V-S:0:1"),
            ("Me-X01-V-II-S:1-ca", "Me-X01-V-II-S:1"),
            ("Me-odd-shape-V", "Me-odd-shape"),
            ("Me-X01-V-V", "Me-X01"),
            ("Me-X01-ca-V", "Me-X01-ca-V"),
            ("Me", "Me"),
        ] {
            let all = format!("Id \"{id}\"; Annotator \"Me\"; AnnotatorId \"me\"");
            assert_eq!(tags(&all, MOVES, &form), format!("Id \"{left}\"; Annotator \"Me\"; AnnotatorId \"me\""));
        }
        let game = "Event \"CG\"; White \"?\"; Id \"Me-12-C5b-12w-V-ca\"";
        assert_eq!(tags(game, MOVES, &form), "Event \"CG\"; White \"?\"; Id \"Me-12-C5b-12w\"");
    }

    #[test]
    fn canonical_tags_have_their_order_and_one_spelling() {
        let all = "Example \"Me-2\"; Lang \"ca\"; PDTL \"/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr ‐ 0 -\"; Opus \"4\"; AnnotatorId \"0001\"; \
            Annotator \"Me\"; EventDate \"2021.06.04\"; Id \"Me‐A0001‐24\"; Example \"Me‐1\"; Title \"a ‐ b\"; annotator \"You\"; \
            Date \"2021-06‐04\"; Result \"0 - 3\"; Redefine \"Q@D, A@J\"; event \"CG\"; Nulla \"‐\"";
        let sorted = "Id \"Me-A0001-24\"; Date \"2021-06-04\"; Result \"0-3\"; Annotator \"Me\"; Annotator \"You\"; Event \"CG\"; \
            EventDate \"2021-06-04\"; AnnotatorId \"0001\"; Lang \"ca\"; Title \"a ‐ b\"; Example \"Me-2\"; Example \"Me-1\"; \
            Opus \"4\"; Nulla \"‐\"; Redefine \"A@J, Q@D\"; PDTL \"/27:1k/25:r2r/3:R2R/1:1K/ w RKRrkr - 0 ?\"";
        assert_eq!(tags(all, "*\n", &Form::CANONICAL), sorted);
        assert_eq!(tags(sorted, "*\n", &Form::CANONICAL), sorted);
        let all = "BlackNA \"b\"; TimeControl \"?\"; WhiteNA \"w\"; BlackType \"human\"; WhiteType \"human\"; Mode \"EM\"; \
            Termination \"death\"; MatchDate \"2021-06-05\"; Id \"Me-1\"; Result \"1-0\"; Black \"B\"; WhiteAlias \"a\"; Round \"1‐2\"; \
            Date \"2021 06 04\"; Site \"?\"; Event \"CG\"; Model \"Me-O1\"; Annotator \"A\"";
        let sorted = "Event \"CG\"; Site \"?\"; Date \"2021 06 04\"; Round \"1-2\"; WhiteNA \"w\"; WhiteAlias \"a\"; Black \"B\"; \
            Result \"1-0\"; Id \"Me-1\"; MatchDate \"2021-06-05\"; Termination \"death\"; Mode \"EM\"; WhiteType \"human\"; \
            BlackType \"human\"; TimeControl \"?\"; BlackNA \"b\"; Annotator \"A\"; Model \"Me-O1\"";
        assert_eq!(tags(all, MOVES, &Form::CANONICAL), sorted);
        let bare = Form { retag: true, ..Form::CANONICAL.without(Part::Addresses).without(Part::OptionalTags) };
        let left = "Event \"CG\"; Site \"?\"; Date \"2021 06 04\"; Round \"1-2\"; White \"?\"; WhiteAlias \"a\"; Black \"B\"; \
            Result \"1-0\"; Id \"Me-1\"";
        assert_eq!(tags(all, MOVES, &bare), left);
    }
}
