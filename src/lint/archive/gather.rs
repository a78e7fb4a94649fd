//! What a worker keeps of each record of a chunk.

use super::digest::{Digest, Line, Mixer};
use crate::lint::judge::shown_id;
use crate::notation::{Id, RecordKind};
use crate::replay::Replayed;
use crate::source::{Chunk, Rows};
use crate::syntax::{Record, Tag, TagName, reference};

/// What is kept of a record, 36 bytes. Places count from its chunk's start.
#[derive(Clone, Copy, Default, Debug)]
pub struct Key {
    /// Its main line.
    pub line: Digest,
    /// Round, date and players of a game.
    pub game: [u32; 2],
    /// Bytes before its Id's value, or before its first tag.
    pub at: u32,
    /// The row of that place, from 1.
    pub row: u32,
    /// The column of that place, from 1, above [`Key::GAME`] and [`Key::PART`].
    pub spot: u32,
    /// Where its Id stands in the texts, and one; 0 for none.
    pub id: u32,
}

impl Key {
    /// It is a game record (§3.7).
    const GAME: u32 = 1;
    /// Its Id says that it is a part of a game, or a variation of it (§4.5, §4.7).
    const PART: u32 = 2;

    /// Which of the two kinds of record it is.
    pub const fn kind(&self) -> RecordKind {
        if self.spot & Key::GAME == 0 { RecordKind::Id } else { RecordKind::Game }
    }

    /// Whether it is a fragment, or a variation written linearly.
    pub const fn is_part(&self) -> bool {
        self.spot & Key::PART != 0
    }

    /// The column of its place.
    pub const fn column(&self) -> u32 {
        self.spot >> 2
    }
}

/// A tag that leads to another record (§3.36). Places count from its chunk's start.
#[derive(Clone, Copy, Debug)]
pub struct Reference {
    /// The number of its record, from 0: of the chunk, then of the archive.
    pub record: usize,
    /// Bytes before the value.
    pub at: u32,
    /// The row of the value, from 1.
    pub row: u32,
    /// The column of the value, from 1, above the tag's place in [`Reference::TAGS`].
    pub spot: u32,
    /// Where the value stands in the texts, and one.
    pub id: u32,
}

impl Reference {
    /// The tags, with the kind of record they lead to (§3.29, §3.36).
    const TAGS: [(TagName, RecordKind); 3] =
        [(TagName::Model, RecordKind::Id), (TagName::Example, RecordKind::Game), (TagName::Revisited, RecordKind::Id)];

    /// The tag, and the kind of record that it leads to.
    pub const fn tag(&self) -> (TagName, RecordKind) {
        Self::TAGS[(self.spot & 3) as usize % 3]
    }

    /// The column of its place.
    pub const fn column(&self) -> u32 {
        self.spot >> 2
    }
}

/// Identifiers one behind another: the length of what all versions have in common, the length, the text.
#[derive(Default, Debug)]
pub struct Texts(Vec<u8>);

/// An identifier as it is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct IdText<'a> {
    /// All of it.
    pub text: &'a str,
    /// Publisher and what is unique of his; nothing of what is no identifier.
    pub base: Option<&'a str>,
}

impl IdText<'_> {
    /// What all versions have in common, as a number.
    pub fn base_digest(self) -> Option<Digest> {
        self.base.map(Digest::of_id)
    }
}

/// A longer identifier is not compared.
const LONGEST: usize = 255;

impl Texts {
    /// Their bytes.
    pub const fn len(&self) -> usize {
        self.0.len()
    }

    /// Adds one; gives what [`Texts::get`] takes.
    fn add(&mut self, text: &str, base: Option<&str>) -> u32 {
        let at = self.0.len() as u32 + 1;
        let base = base.and_then(|base| u8::try_from(base.len()).ok()).unwrap_or(0);
        self.0.push(base);
        self.0.extend((text.len() as u16).to_le_bytes());
        self.0.extend(text.as_bytes());
        at
    }

    /// Adds those of a chunk behind those of the others.
    pub fn append(&mut self, other: &Texts) {
        self.0.extend(&other.0);
    }

    /// The one at a place that [`Texts::add`] gave, in texts that were added behind so many bytes.
    pub fn get(&self, before: usize, id: u32) -> Option<IdText<'_>> {
        let at = before + (id as usize).checked_sub(1)?;
        let (&[base, low, high], rest) = self.0.get(at..)?.split_first_chunk()?;
        let text = rest.get(..usize::from(u16::from_le_bytes([low, high])))?;
        let text = std::str::from_utf8(text).ok()?;
        Some(IdText { text, base: text.get(..usize::from(base)).filter(|base| !base.is_empty()) })
    }
}

/// What is kept of a chunk.
#[derive(Default, Debug)]
pub struct Gathered {
    /// One for each record.
    pub keys: Vec<Key>,
    /// The first plies of each record, where they are asked for: 0 for a record that is not looked at.
    pub firsts: Vec<u32>,
    /// In the order of the records.
    pub references: Vec<Reference>,
    /// The identifiers.
    pub texts: Texts,
}

/// Gathers what is kept of a chunk, record by record.
pub struct Gatherer<'c> {
    /// What has been gathered.
    pub out: Gathered,
    rows: Rows<'c>,
    /// Bytes before the record at hand.
    start: u32,
    /// The record at hand has been read to its end.
    whole: bool,
    /// First plies are asked for.
    firsts: bool,
}

impl<'c> Gatherer<'c> {
    /// Starts before a chunk's first record; `firsts`: the first plies are kept too.
    pub fn new(chunk: &'c Chunk, firsts: bool) -> Gatherer<'c> {
        Gatherer { out: Gathered::default(), rows: chunk.rows(), start: 0, whole: true, firsts }
    }

    /// A record begins at byte `start`; `whole`: nothing of it is missing. If nothing is added, nothing is known of it.
    pub fn begin(&mut self, start: u32, whole: bool) {
        (self.start, self.whole) = (start, whole);
        self.out.keys.push(Key::default());
        self.out.firsts.extend(self.firsts.then_some(0));
    }

    /// Keeps what is asked for of the record that has begun.
    pub fn add(&mut self, record: &Record<'_>, replayed: &Replayed) {
        if record.ordinary_pgn {
            return;
        }
        let id = self.id(record);
        let tag = record.tag(TagName::Id);
        let at = self.start + tag.map_or_else(|| record.tags.first().map_or(0, |tag| tag.at), |tag| tag.value_at);
        let (row, column) = self.rows.place(at as usize);
        let is_game = record.kind() == RecordKind::Game;
        let is_part = record.id.is_some_and(|id| id.fragment.is_some() || id.sequence.is_some());
        let mark = |is_so: bool, mark: u32| if is_so { mark } else { 0 };
        let spot = (column << 2) | mark(is_game, Key::GAME) | mark(is_part, Key::PART);
        let line = if self.whole { Line::of(record, replayed) } else { None };
        let game = if is_game { game(record) } else { [0; 2] };
        if let Some(key) = self.out.keys.last_mut() {
            *key = Key { line: line.map_or(Digest::NONE, |line| line.digest), game, at, row, spot, id };
        }
        if let Some(first) = self.out.firsts.last_mut()
            && is_game
            && !is_part
        {
            *first = line.and_then(|line| line.first).map_or(0, |first| first.short()[0].max(1));
        }
        self.references(record);
    }

    /// Keeps the record's Id, so that findings can show it; what is none, or too long to be one, is not compared.
    fn id(&mut self, record: &Record<'_>) -> u32 {
        if let Some(id) = record.id
            && let Some(text) = record.value(TagName::Id).and_then(|value| std::str::from_utf8(value).ok())
            && text.len() <= LONGEST
        {
            return self.out.texts.add(text, text.get(..id.base_len(text)));
        }
        shown_id(record).map_or(0, |text| self.out.texts.add(&text, None))
    }

    fn references(&mut self, record: &Record<'_>) {
        for tag in record.tags {
            let Some(index) = Reference::TAGS.iter().position(|(name, _)| *name == tag.name) else { continue };
            let Some(id) = self.referred(record, tag, Reference::TAGS[index].1) else { continue };
            let at = self.start + tag.value_at;
            let (row, column) = self.rows.place(at as usize);
            let (number, spot) = (self.out.keys.len() - 1, column << 2 | index as u32);
            self.out.references.push(Reference { record: number, at, row, spot, id });
        }
    }

    /// Keeps an identifier that a tag leads to; what is none has its finding, and leads nowhere anyway.
    fn referred(&mut self, record: &Record<'_>, tag: &Tag, kind: RecordKind) -> Option<u32> {
        let value = tag.value(record.text);
        let id: Id<'_> = reference(value, kind).0?;
        let text = std::str::from_utf8(value).ok().filter(|text| text.len() <= LONGEST)?;
        Some(self.out.texts.add(text, text.get(..id.base_len(text))))
    }
}

/// What tells games apart (§4.9): round, date, and who has which colour.
fn game(record: &Record<'_>) -> [u32; 2] {
    use TagName::{Black, BlackAlias, BlackNa, Date, Round, White, WhiteAlias, WhiteNa};
    let mut mixer = Mixer::default();
    for names in [&[Round][..], &[Date], &[White, WhiteAlias, WhiteNa], &[Black, BlackAlias, BlackNa]] {
        mixer.text(names.iter().find_map(|name| record.value(*name)).unwrap_or_default());
    }
    mixer.digest().short()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_costs_what_is_promised() {
        assert_eq!(size_of::<Key>(), 36);
    }

    #[test]
    fn texts_come_back() {
        let mut texts = Texts::default();
        let first = texts.add("Me-X01-V", Some("Me-X01"));
        let before = texts.len();
        let mut more = Texts::default();
        let second = more.add("no Id", None);
        let third = more.add(&"x".repeat(256), None);
        texts.append(&more);
        assert_eq!(texts.get(0, first), Some(IdText { text: "Me-X01-V", base: Some("Me-X01") }));
        assert_eq!(texts.get(before, second), Some(IdText { text: "no Id", base: None }));
        assert_eq!(texts.get(before, third).map(|id| id.text.len()), Some(256));
        assert_eq!(texts.get(before, 0), None);
    }
}
