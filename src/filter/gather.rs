//! Records that are parts of one, each behind the other: gathered as they come, and written as one (§13.8, §13.9).

use std::any::Any;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::form::{Form, refusal};
use super::take::{Taken, identifier, mated};
use super::write::write_part;
use super::{join, merge};
use crate::game::Position;
use crate::lint::context::clipped;
use crate::lint::{Finding, Linter, Place, Severity};
use crate::notation::{GameResult, RecordKind, Stretch, read_result, with_plain_hyphens};
use crate::replay::Replayer;
use crate::source::{Chunk, Rows};
use crate::syntax::fault::FileFault;
use crate::syntax::{Begins, Faults, Item, ItemKind, Reader, Record, Spelt, Tag, TagName, main_line, result_item};

/// Which records are written as one.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Gather {
    /// A main line and the lines that follow it, as variations (§13.8).
    Lines,
    /// A fragment and those that continue it (§13.9).
    Fragments,
}

/// A number of a pair, and whether White's half (where something ends) or Black's (where it begins) is meant, and not the pair.
type Edge = (u32, bool);

/// What a record is of the one it belongs to.
#[derive(PartialEq, Eq, Debug)]
enum Role {
    /// A line by its alternatives, without trailing zeros; none: the main line.
    Line(Vec<u32>),
    /// Some pairs: the first and the last one; nothing where none can precede, or follow.
    Fragment(Option<Edge>, Option<Edge>),
}

/// A record that may belong together with others.
#[derive(PartialEq, Eq, Debug)]
pub(super) struct Member {
    /// What the Ids of all have in common, with the kind of record.
    key: (RecordKind, String),
    role: Role,
}

impl Member {
    /// What a record is among others, if it may be one of them. **Decision**: only its Id tells (§4.5, §4.7), in an Id record,
    /// of which fragments keep the Id, the moves; a record that has variations is no line.
    pub(super) fn of(record: &Record<'_>, how: Gather) -> Option<Member> {
        let (value, id) = identifier(record)?;
        let kind = record.kind();
        let (key, role) = match how {
            Gather::Lines if record.items.iter().any(|item| item.kind == ItemKind::Open) => return None,
            Gather::Lines if id.has_variations && id.sequence.is_none() => return None,
            Gather::Lines => {
                let numbers = id.sequence.into_iter().flat_map(|sequence| sequence.split(':'));
                let sequence: Vec<u32> = numbers.map(str::parse).collect::<Result<_, _>>().ok()?;
                (id.of_main_line(value), Role::Line(without_zeros(&sequence).to_vec()))
            }
            Gather::Fragments => {
                let base = &value[..id.base_len(value)];
                let key = [base, id.sequence.unwrap_or_default(), id.language.unwrap_or_default()].join("-");
                let role = match (kind, id.fragment) {
                    (RecordKind::Id, _) => by_moves(record),
                    (RecordKind::Game, Some(fragment)) => {
                        let first = fragment.first.map(|first| (first, fragment.is_black_first));
                        let ends = fragment.stretch == Stretch::Ending;
                        let last = fragment.last.filter(|_| !ends).map(|last| (last, fragment.is_white_last));
                        Role::Fragment(first, last)
                    }
                    (RecordKind::Game, None) => return None,
                };
                (key, role)
            }
        };
        let key = String::from_utf8_lossy(&with_plain_hyphens(key.as_bytes())).into_owned();
        Some(Member { key: (kind, key), role })
    }

    /// Whether a record that stands behind this one belongs to it.
    fn is_continued_by(&self, next: &Member) -> bool {
        self.key == next.key
            && match (&self.role, &next.role) {
                (Role::Line(_), Role::Line(alternatives)) => !alternatives.is_empty(),
                (Role::Fragment(_, Some(last)), Role::Fragment(Some(first), _)) => follows(*last, *first),
                _ => false,
            }
    }
}

/// Alternatives without the zeros behind the last one, which say nothing.
pub(super) fn without_zeros(sequence: &[u32]) -> &[u32] {
    &sequence[..sequence.iter().rposition(|number| *number > 0).map_or(0, |last| last + 1)]
}

/// Whether pairs that begin with `first` follow those that end with `last`.
pub(super) fn follows(last: Edge, first: Edge) -> bool {
    last.1 == first.1 && Some(first.0) == last.0.checked_add(u32::from(!last.1))
}

/// The first and the last pair of a main line.
pub(super) fn edges(items: &[Item]) -> Option<(Edge, Edge)> {
    let mut edges: Option<(Edge, Edge)> = None;
    for (_, item) in main_line(items) {
        match (item.kind, &mut edges) {
            (ItemKind::Number, None) if item.spelt.has(Spelt::UNKNOWN) => return None,
            (ItemKind::Number, None) => edges = Some(((item.value, false), (item.value, false))),
            (ItemKind::Number, Some((_, last))) => *last = (item.value, false),
            (ItemKind::Ellipsis, Some((first, last))) => (first.1, last.1) = (first.1 || first.0 == last.0, false),
            (ItemKind::Ply, Some((_, last))) => last.1 = !item.spelt.has(Spelt::BLACK),
            _ => {}
        }
    }
    edges
}

fn by_moves(record: &Record<'_>) -> Role {
    let goes_on = !is_ended(record.items) && mated(record.items).is_none();
    let edges = edges(record.items);
    let first = edges.map(|edges| edges.0).filter(|_| record.setup.has_pdtl);
    Role::Fragment(first, edges.map(|edges| edges.1).filter(|_| goes_on))
}

/// Whether a game has a result.
pub(super) fn is_ended(items: &[Item]) -> bool {
    result_item(items).is_some_and(|item| item.result() != Some(GameResult::Unfinished))
}

/// What a worker made of a record.
pub(super) struct Entry {
    /// Where it lies in its chunk.
    pub source: Range<usize>,
    /// Row and column of its first byte in its chunk.
    pub place: (u32, u32),
    pub begins: Begins,
    pub member: Option<Member>,
    /// Its Id as findings have it.
    pub id: Option<String>,
    pub fate: Fate,
}

/// What became of a record by itself.
pub(super) enum Fate {
    /// It was written there, in the text of its chunk.
    Written(Range<usize>),
    Refused,
    /// It may not be whole: that is said, and counted, behind it.
    Cut,
}

/// What there is to tell.
#[derive(Default)]
pub(super) struct Made {
    /// Records, with an empty line between them.
    pub text: Vec<u8>,
    /// Placed in their file.
    pub findings: Vec<Finding>,
    pub refused: Vec<Vec<u8>>,
    /// A record made us fail.
    pub failed: bool,
}

impl Made {
    fn write(&mut self, record: &[u8]) {
        if !self.text.is_empty() {
            self.text.push(b'\n');
        }
        self.text.extend_from_slice(record);
    }
}

/// A record that waits for those that belong to it.
struct Held {
    /// Where it lies in the text of all.
    source: Range<usize>,
    begins: Begins,
    at: Place,
    number: u64,
    id: Option<String>,
    member: Member,
}

/// Records that belong together, so far.
#[derive(Default)]
struct Group {
    /// Their texts.
    text: Vec<u8>,
    records: Vec<Held>,
    /// What is written of the first one, if no other one comes.
    alone: Vec<u8>,
    /// Why what belongs to them is refused too.
    lost: Option<&'static str>,
}

/// What keeps records from being one.
#[derive(Debug)]
pub(super) struct Unfit {
    /// Which of them.
    pub record: usize,
    /// Where: bytes of the text of all.
    pub at: u32,
    pub why: String,
}

/// A record of several, its places counted in the text of all.
pub(super) struct Piece {
    pub tags: Vec<Tag>,
    pub items: Vec<Item>,
    pub kind: RecordKind,
    /// Before its first ply, and behind its last one, where they are known.
    pub start: Option<Position>,
    pub end: Option<Position>,
}

impl Piece {
    pub(super) fn tag(&self, name: TagName) -> Option<&Tag> {
        self.tags.iter().find(|tag| tag.name == name)
    }

    /// Where it says so.
    pub(super) fn unfit(&self, record: usize, at: Option<u32>, why: String) -> Unfit {
        let begin = self.tags.first().map_or(0, |tag| tag.at);
        Unfit { record, at: at.unwrap_or(begin), why }
    }
}

/// Several records as one.
pub(super) struct Whole {
    pub tags: Vec<Tag>,
    pub taken: Taken,
}

/// Gathers the records of a file one behind the other. **Decision**: those of other files don't belong to them.
pub(super) struct Gatherer<'a> {
    linter: &'a Linter,
    how: Gather,
    form: &'a Form,
    /// How long their texts may be together.
    most: usize,
    /// The first record that is refused ends the run.
    stop: bool,
    group: Option<Group>,
    reader: Reader,
    replayer: Replayer,
}

impl<'a> Gatherer<'a> {
    pub(super) fn new(linter: &'a Linter, how: Gather, form: &'a Form, most: usize, stop: bool) -> Gatherer<'a> {
        Gatherer {
            linter,
            how,
            form,
            most,
            stop,
            group: None,
            reader: Reader::default(),
            replayer: Replayer::default(),
        }
    }

    /// Takes the records of a chunk, behind so many lines and records of their file.
    pub(super) fn chunk(
        &mut self,
        chunk: &Chunk,
        (row, record): (u64, u64),
        entries: Vec<Entry>,
        text: &[u8],
        findings: Vec<Finding>,
    ) -> Made {
        let mut made = Made::default();
        let mut findings = findings.into_iter().peekable();
        for (number, entry) in (1..).zip(entries) {
            let member = entry.member.as_ref();
            let open = self.group.as_ref().and_then(|group| group.records.last());
            if !open.zip(member).is_some_and(|(last, member)| last.member.is_continued_by(member)) {
                made = self.close(made);
                if self.stop && !made.refused.is_empty() {
                    break;
                }
            }
            while let Some(mut finding) = findings.next_if(|finding| finding.record <= number) {
                finding.shift(chunk.base, row, record);
                made.findings.push(finding);
            }
            let offset = chunk.base + entry.source.start as u64;
            let at = Place { offset, row: row + u64::from(entry.place.0), column: entry.place.1 };
            self.entry(entry, at, record + number, (chunk.text(), text), &mut made);
            if self.stop && !made.refused.is_empty() {
                break;
            }
        }
        // Of a file without records.
        made.findings.extend(findings.filter(|finding| finding.record == 0));
        made
    }

    /// Takes a record that belongs to the open group, or begins one, or neither.
    fn entry(&mut self, entry: Entry, at: Place, number: u64, (chunk, text): (&[u8], &[u8]), made: &mut Made) {
        let source = &chunk[entry.source];
        let Some(member) = entry.member else {
            match entry.fate {
                Fate::Written(range) => made.write(&text[range]),
                Fate::Refused => made.refused.push(source.to_vec()),
                Fate::Cut => {}
            }
            return;
        };
        let group = self.group.get_or_insert_default();
        let begin = group.text.len();
        let held = Held { source: begin..begin + source.len(), begins: entry.begins, at, number, id: entry.id, member };
        match entry.fate {
            Fate::Written(range) if group.lost.is_none() => {
                if group.records.is_empty() {
                    group.alone.extend_from_slice(&text[range]);
                }
                group.text.extend_from_slice(source);
                group.records.push(held);
                if group.text.len() > self.most {
                    self.lose(
                        "the records that belong together are over 64 MiB, the most that a record may have",
                        made,
                    );
                }
                return;
            }
            Fate::Written(_) => {
                let why = group.lost.unwrap_or_default();
                made.findings.extend(unfit(self.linter, &held, None, why.to_owned()));
                made.refused.push(source.to_vec());
            }
            Fate::Refused | Fate::Cut => {
                self.lose("not put together with the others: one that belongs to them can't be read", made);
                if matches!(entry.fate, Fate::Refused) {
                    made.refused.push(source.to_vec());
                }
            }
        }
        // It stands for those before it: what follows may belong to it.
        let group = self.group.get_or_insert_default();
        group.records = vec![Held { source: 0..0, ..held }];
    }

    /// Refuses the records of the open group, and those that will come.
    fn lose(&mut self, why: &'static str, made: &mut Made) {
        let Some(group) = &mut self.group else { return };
        if group.lost.replace(why).is_some() {
            return;
        }
        for held in &group.records {
            made.findings.extend(unfit(self.linter, held, None, why.to_owned()));
            made.refused.push(group.text[held.source.clone()].to_vec());
        }
        group.records.drain(..group.records.len().saturating_sub(1));
        group.records.iter_mut().for_each(|held| held.source = 0..0);
        group.text = Vec::new();
    }

    /// Writes the records of the open group, as one if they are several.
    pub(super) fn close(&mut self, mut made: Made) -> Made {
        let Some(group) = self.group.take().filter(|group| group.lost.is_none()) else { return made };
        if group.records.len() < 2 {
            made.write(&group.alone);
            return made;
        }
        let mut text = Vec::with_capacity(group.text.len());
        let whole = catch_unwind(AssertUnwindSafe(|| self.put_together(&group, &mut text)));
        match whole {
            Ok(Ok(())) => made.write(&text),
            Ok(Err(unfit)) => self.refuse(&group, &unfit, &mut made),
            Err(panic) => self.fail(&group, &*panic, &mut made),
        }
        made
    }

    fn put_together(&mut self, group: &Group, out: &mut Vec<u8>) -> Result<(), Unfit> {
        let text = &group.text;
        let mut setup = None;
        let mut pieces = Vec::with_capacity(group.records.len());
        for held in &group.records {
            let mut record = self.reader.read(&text[held.source.clone()], held.begins);
            let replayed = self.replayer.replay(&mut record);
            pieces.push(piece(&record, replayed.last, held.source.start as u32));
            setup.get_or_insert(record.setup);
        }
        let whole = match self.how {
            Gather::Lines => {
                let sequence =
                    |held: &Held| if let Role::Line(line) = &held.member.role { line.clone() } else { Vec::new() };
                let sequences: Vec<_> = group.records.iter().map(sequence).collect();
                merge::merge(text, &pieces, &sequences, self.form)?
            }
            Gather::Fragments => join::join(text, pieces)?,
        };
        let Some(setup) = setup else { return Ok(()) };
        let (tags, items, faults) = (&whole.tags[..], &whole.taken.items[..], &mut Faults::default());
        let mut record = Record { text, tags, items, faults, setup, id: None, tidy: false, ordinary_pgn: false };
        // What a PDTL does not tell, the plies before it may.
        self.replayer.replay(&mut record);
        if let Some(fault) = refusal(&record, self.form) {
            let is_at = |held: &Held| held.source.contains(&(fault.at as usize));
            let culprit = group.records.iter().position(is_at).unwrap_or_default();
            let why = "this ply does not fit behind those of the records before it".to_owned();
            return Err(Unfit { record: culprit, at: fault.at, why });
        }
        write_part(&record, &whole.taken, self.form, out);
        Ok(())
    }

    /// Refuses all records of a group for what one of them says.
    fn refuse(&self, group: &Group, unfit: &Unfit, made: &mut Made) {
        let culprit = &group.records[unfit.record];
        for (index, held) in group.records.iter().enumerate() {
            let source = &group.text[held.source.clone()];
            if index == unfit.record {
                let at = place(held, source, (unfit.at as usize).saturating_sub(held.source.start));
                made.findings.extend(self::unfit(self.linter, held, Some(at), unfit.why.clone()));
            } else {
                let why = format!("not put together with record {}, which does not fit", culprit.number);
                made.findings.extend(self::unfit(self.linter, held, None, why));
            }
            made.refused.push(source.to_vec());
        }
    }

    /// Refuses all records of a group, as they made us fail.
    fn fail(&mut self, group: &Group, panic: &(dyn Any + Send), made: &mut Made) {
        // What the panic left is not to be trusted.
        self.reader = Reader::default();
        self.replayer = Replayer::default();
        made.failed = true;
        for held in &group.records {
            let source = &group.text[held.source.clone()];
            let mut rows = Rows::new(source, held.begins == Begins::File, held.at.column - 1);
            for mut finding in self.linter.internal_finding(panic, 0, 1, &mut rows) {
                finding.shift(held.at.offset, held.at.row - 1, held.number - 1);
                made.findings.push(finding);
            }
            made.refused.push(source.to_vec());
        }
    }
}

fn piece(record: &Record<'_>, end: Option<Position>, begin: u32) -> Piece {
    let moved = |tag: &Tag| Tag {
        at: tag.at + begin,
        end: tag.end + begin,
        name_at: tag.name_at + begin,
        value_at: tag.value_at + begin,
        ..*tag
    };
    let first = edges(record.items).map(|(first, _)| first.0);
    let is_known = record.setup.has_pdtl || first.is_none_or(|first| first == 1);
    Piece {
        tags: record.tags.iter().map(moved).collect(),
        items: record.items.iter().map(|item| Item { at: item.at + begin, ..*item }).collect(),
        kind: record.kind(),
        start: record.setup.position.filter(|_| is_known),
        end,
    }
}

/// The place of a byte of a held record.
fn place(held: &Held, source: &[u8], offset: usize) -> Place {
    let mut rows = Rows::new(source, held.begins == Begins::File, held.at.column - 1);
    let (row, column) = rows.place(offset);
    Place { offset: held.at.offset + offset as u64, row: held.at.row + u64::from(row) - 1, column }
}

/// A finding that a record is not put together with others.
fn unfit(linter: &Linter, held: &Held, at: Option<Place>, why: String) -> Option<Finding> {
    let finding = linter.file_finding(FileFault::UnfitPart, at.unwrap_or(held.at), why)?;
    Some(Finding { severity: Severity::Error, record: held.number, id: held.id.clone(), ..finding })
}

/// Whether two records have the same tags but for these, and where the second one differs.
pub(super) fn same_tags(
    text: &[u8],
    (record, other): (usize, &Piece),
    (whose, one): (&str, &Piece),
    but: &[TagName],
) -> Result<(), Unfit> {
    let named = |piece: &Piece| {
        let mut tags: Vec<Tag> = piece.tags.iter().filter(|tag| !but.contains(&tag.name)).copied().collect();
        tags.sort_by(|one, other| one.name_text(text).cmp(other.name_text(text)));
        tags
    };
    let (one, others) = (named(one), named(other));
    for index in 0..one.len().max(others.len()) {
        let (there, here) = (one.get(index), others.get(index));
        let said = |tag: Option<&Tag>| tag.map(|tag| (tag.name_text(text), tag.value(text)));
        if said(there) == said(here) {
            continue;
        }
        let name = |tag: Option<&Tag>| tag.map(|tag| tag.name_text(text));
        return Err(match (there, here) {
            (Some(there), Some(here)) if name(Some(there)) == name(Some(here)) => {
                let why = format!(
                    "another {} than {whose} has: `{}`",
                    clipped(here.name_text(text)),
                    clipped(there.value(text))
                );
                other.unfit(record, Some(here.value_at), why)
            }
            (Some(there), _) if here.is_none() || name(Some(there)) < name(here) => {
                let why = format!("no {}, which {whose} has", clipped(there.name_text(text)));
                other.unfit(record, None, why)
            }
            _ => {
                let at = here.map(|here| here.name_at);
                let named = here.map(|here| clipped(here.name_text(text))).unwrap_or_default();
                other.unfit(record, at, format!("a tag {named}, which {whose} does not have"))
            }
        });
    }
    Ok(())
}

/// Whether a part ends as §13.8 says: unfinished, or in mate, with that result and no other. What else it says would be lost.
pub(super) fn ends_as_a_part(text: &[u8], record: usize, piece: &Piece) -> Result<(), Unfit> {
    let due = mated(&piece.items).unwrap_or(GameResult::Unfinished);
    let result = result_item(&piece.items).and_then(|item| Some((item.at, item.result()?)));
    if let Some((at, result)) = result.filter(|(_, result)| *result != due) {
        let why = format!("the result {} of a part: {} was expected", result.text(), due.text());
        return Err(piece.unfit(record, Some(at), why));
    }
    let tag = piece.tag(TagName::Result);
    if let Some(tag) = tag.filter(|tag| read_result(tag.value(text)).is_none_or(|read| read.result != due)) {
        let why = format!("the result of a part: {} was expected", due.text());
        return Err(piece.unfit(record, Some(tag.value_at), why));
    }
    match piece.tag(TagName::Termination) {
        Some(tag) => Err(piece.unfit(
            record,
            Some(tag.name_at),
            "Termination of a part: only the whole record has it".to_owned(),
        )),
        None => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(id: &str, how: Gather, moves: &str) -> Option<Member> {
        let players = if id.starts_with("Me-1") { "[White \"A\"]\n" } else { "" };
        let text = format!("[Variant \"C'escacs\"]\n{players}[Id \"{id}\"]\n{moves}");
        Member::of(&Reader::default().read(text.as_bytes(), Begins::File), how)
    }

    const MOVES: &str = "1. E7-E13, E21-E15:\n*\n";

    #[test]
    fn ids_tell_which_lines_belong_together() {
        let line = |id: &str| member(id, Gather::Lines, MOVES);
        let continued = |one: &str, other: &str| line(one).expect(one).is_continued_by(&line(other).expect(other));
        for (one, other) in [
            ("Me-X01-ca", "Me-X01-V-S:0:1-ca"),
            ("Me-X01-ca", "Me-X01-V-II-S:1-ca"),
            ("Me-X01-V-S:2", "Me-X01-V-S:0:1"),
            ("Me-1", "Me-1-V-S:1"),
            ("Me-1-O8", "Me-1-O8-V-S:1"),
            ("Me‐X01", "Me-X01-V-S:1"),
        ] {
            assert!(continued(one, other), "{one} {other}");
        }
        for (one, other) in [
            ("Me-X01-ca", "Me-X01-V-S:1"),
            ("Me-X01", "Me-X01"),
            ("Me-X01-V-S:1", "Me-X01"),
            ("Me-X01", "Me-X02-V-S:1"),
            ("Me-1", "Me-1-O8-V-S:1"),
        ] {
            assert!(!continued(one, other), "{one} {other}");
        }
        assert_eq!(line("Me-X01-V"), None);
        assert_eq!(line("Me-X01-V-S:4294967296"), None);
        assert_eq!(line("nothing"), None);
        let with_variation = "1. E7-E13, E21-E15 :\n(1. F8-F12)\n*\n";
        assert_eq!(member("Me-X01", Gather::Lines, with_variation), None);
    }

    #[test]
    fn fragments_go_on_where_others_end() {
        let fragment = |id: &str| member(id, Gather::Fragments, MOVES);
        let continued =
            |one: &str, other: &str| fragment(one).expect(one).is_continued_by(&fragment(other).expect(other));
        for (one, other, goes_on) in [
            ("Me-1-O8", "Me-1-C9-12-V", true),
            ("Me-1-O8w-V-II-en", "Me-1-E8b-en", true),
            ("Me-1-C?-8", "Me-1-M9-12", true),
            ("Me-1-O8", "Me-1-C8b-12", false),
            ("Me-1-O8w", "Me-1-C9-12", false),
            ("Me-1-O8", "Me-1-C10-12", false),
            ("Me-1-O8", "Me-1-O9", false),
            ("Me-1-O8-en", "Me-1-E9", false),
            ("Me-1-O8", "Me-1-E9-V-S:1", false),
            ("Me-1-E?-8", "Me-1-E9", false),
            ("Me-1-O4294967295", "Me-1-E1", false),
        ] {
            assert_eq!(continued(one, other), goes_on, "{one} {other}");
        }
        assert_eq!(fragment("Me-1"), None);
    }

    #[test]
    fn an_id_records_fragments_are_told_by_their_moves() {
        let of = |tags: &str, moves: &str| {
            member(&format!("Me-X01\"]\n[Annotator \"Me\"]{tags}\n[Lang \"en"), Gather::Fragments, moves)
        };
        let pdtl = "\n[PDTL \"/27:k/2:1K/ w -- - 0 2\"]";
        let one = of("", "1. E7-E13, E21-E15:\n*\n").expect("it has an Id");
        let is_continued_by = |tags: &str, moves: &str| one.is_continued_by(&of(tags, moves).expect("it has an Id"));
        assert!(is_continued_by(pdtl, "2. F8-F12:\n*\n"));
        assert!(!is_continued_by("", "2. F8-F12:\n*\n"));
        assert!(!is_continued_by(pdtl, "3. F8-F12:\n*\n"));
        assert!(!is_continued_by(pdtl, "2? F8-F12:\n*\n"));
        let ended = of("", "1. E7-E13, E21-E15:\n3-0\n").expect("it has an Id");
        assert!(!ended.is_continued_by(&of(pdtl, "2. F8-F12:\n*\n").expect("it has an Id")));
        let half = of("", "1. E7-E13:\n*\n").expect("it has an Id");
        assert!(half.is_continued_by(&of(pdtl, "1. …, E21-E15:\n*\n").expect("it has an Id")));
    }
}
