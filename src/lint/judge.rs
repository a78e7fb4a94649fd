//! Judges records: the faults of reading and replay by their pages, and what the pages ask of tags.

use std::any::Any;
use std::collections::HashMap;
use std::panic::{AssertUnwindSafe, catch_unwind};

use super::archive::{Across, Gathered, Gatherer};
use super::board::{Board, boards};
use super::catalogue::{Catalogue, Check};
use super::checks::{self, values};
use super::context::{Context, Message, clipped, lossy};
use super::finding::{Finding, Fix, Place, Related, RuleId, Severity};
use super::fix;
use super::paths::Paths;
use super::remarks::{self, History};
use super::seen::Seen;
use super::select::Selection;
use super::suppress::{SuppressionFault, Suppressions};
use crate::driver::Worker;
use crate::game::Position;
use crate::replay::referee::PlayFaults;
use crate::replay::{Referee, Replayed, Replayer};
use crate::source::{Chunk, FileId, Rows};
use crate::syntax::fault::{CommentFault, FileFault};
use crate::syntax::{
    Begins, Behind, Fault, FaultKind, Faults, ItemKind, Reader, Record, Tag, TagName, TagNames, judge_end,
};

/// The rules of a run, as tables: what is off is absent.
pub struct Linter {
    catalogue: &'static Catalogue,
    by_fault: HashMap<FaultKind, RuleId>,
    /// They look at nothing but the names of tags, and in which order they stand.
    by_names: Vec<(RuleId, &'static Check)>,
    /// With the tags that a record needs for the check to speak.
    by_record: Vec<(RuleId, &'static Check, Option<TagNames>)>,
    /// By the number of the tag whose value they look at.
    by_tag: [Vec<(RuleId, &'static Check)>; TagName::ALL.len()],
    by_suppression: HashMap<SuppressionFault, RuleId>,
    selection: Selection,
    /// By the number of the file, rules that are not used for it.
    ignored: Vec<Vec<RuleId>>,
    /// Findings at plies have the position before.
    boards: bool,
    across: HashMap<Across, RuleId>,
    /// The faults of play that rules claim which are on.
    play: PlayFaults,
}

impl Linter {
    /// The rules that `selection` turns on.
    pub fn new(catalogue: &'static Catalogue, selection: &Selection) -> Linter {
        let kinds: HashMap<&str, FaultKind> = FaultKind::all().map(|kind| (kind.name(), kind)).collect();
        let mut by_fault = HashMap::new();
        let (mut by_names, mut by_record) = (Vec::new(), Vec::new());
        let mut by_tag = [const { Vec::new() }; TagName::ALL.len()];
        let mut by_suppression = HashMap::new();
        let mut across = HashMap::new();
        for (id, rule) in catalogue.rules().filter(|(id, _)| selection.has(*id)) {
            match &rule.check {
                Check::Fault { of } => {
                    by_fault.extend(of.iter().filter_map(|name| Some((*kinds.get(name.as_str())?, id))));
                }
                Check::Suppression { of } => {
                    by_suppression.insert(*of, id);
                }
                Check::Archive { finds } => {
                    across.insert(*finds, id);
                }
                check if check.looks_at(TagName::Unknown).is_some() => {
                    let tags = TagName::ALL.iter().filter(|tag| check.looks_at(**tag) == Some(true));
                    tags.for_each(|tag| by_tag[*tag as usize].push((id, check)));
                }
                check if check.is_of_names() => by_names.push((id, check)),
                check => by_record.push((id, check, check.asks_for().map(TagNames::from_iter))),
            }
        }
        let of_play = |kind: &FaultKind| if let FaultKind::Play(fault) = kind { Some(*fault) } else { None };
        Linter {
            catalogue,
            play: by_fault.keys().filter_map(of_play).collect(),
            by_fault,
            by_names,
            by_record,
            by_tag,
            across,
            by_suppression,
            selection: selection.clone(),
            ignored: Vec::new(),
            boards: false,
        }
    }

    /// The same, but for rules that are not used for single files: lists by the number of the file.
    pub fn ignoring(self, ignored: Vec<Vec<RuleId>>) -> Linter {
        Linter { ignored, ..self }
    }

    /// The same, but findings at plies have the position before.
    pub fn with_boards(self) -> Linter {
        Linter { boards: true, ..self }
    }

    /// Whether the rule is not used for a file.
    pub fn ignores(&self, file: FileId, rule: RuleId) -> bool {
        self.ignored.get(file.0 as usize).is_some_and(|rules| rules.contains(&rule))
    }

    /// Whether the rule is on.
    pub fn has(&self, rule: RuleId) -> bool {
        self.selection.has(rule)
    }

    /// How bad the rule's findings are in this run.
    pub fn severity(&self, rule: RuleId) -> Severity {
        self.selection.severity(rule)
    }

    /// The rule about such a fault of a suppression, if it is on.
    pub(super) fn suppression(&self, fault: SuppressionFault) -> Option<RuleId> {
        self.by_suppression.get(&fault).copied()
    }

    /// The rule about the whole archive that finds this, if it is on.
    pub(super) fn across(&self, finds: Across) -> Option<RuleId> {
        self.across.get(&finds).copied()
    }

    /// Gathers what the rules about the whole archive ask for; nothing if all are off.
    fn gatherer<'c>(&self, chunk: &'c Chunk) -> Option<Gatherer<'c>> {
        let firsts = self.across(Across::Contained).is_some();
        (!self.across.is_empty()).then(|| Gatherer::new(chunk, firsts))
    }

    /// The rules.
    pub fn catalogue(&self) -> &'static Catalogue {
        self.catalogue
    }

    /// Judges the rules of play; nobody if all are off.
    fn referee(&self) -> Option<Referee> {
        (!self.play.is_empty()).then(|| Referee::new(self.play))
    }

    /// The rule that claims this fault, if it is on.
    pub(super) fn finding(&self, fault: FileFault) -> Option<RuleId> {
        self.by_fault.get(&FaultKind::File(fault)).copied()
    }

    /// A finding about a file as a whole, or about what of it could not be read; nothing when its rule is off.
    pub fn file_finding(&self, fault: FileFault, at: Place, text: String) -> Option<Finding> {
        let rule = self.finding(fault)?;
        Some(Finding {
            rule,
            severity: self.severity(rule),
            at,
            end: at,
            message: text,
            notes: Vec::new(),
            related: Vec::new(),
            record: 0,
            id: None,
            ply: None,
            board: None,
            record_key: 0,
            fingerprint: hash(&[self.catalogue[rule].code.as_bytes(), fault.name().as_bytes()]),
            fix: None,
        })
    }
}

/// What a worker found in a chunk. Offsets, rows and record numbers count from the chunk's start.
#[derive(Default)]
pub struct Judged {
    /// By place, then by code.
    pub findings: Vec<Finding>,
    /// Plies of main lines and variations.
    pub plies: u64,
    /// A record made us fail.
    pub internal: bool,
    /// The first line end of each kind: LF, CRLF, a lone CR (§1.4).
    pub line_ends: [Option<Place>; 3],
    /// For the rules about the whole archive.
    pub gathered: Gathered,
    /// Suppressions of these rules, each as the finding that it is unused.
    pub waiting: Vec<Finding>,
}

/// Judges chunk after chunk with the same memory.
pub struct Judge<'l> {
    linter: &'l Linter,
    reader: Reader,
    replayer: Replayer,
    /// Replays in its place where rules of play are on.
    referee: Option<Referee>,
    seen: Seen,
    /// What stands behind the record at hand.
    pub(super) behind: Behind,
}

impl<'l> Judge<'l> {
    /// A judge by these rules.
    pub fn new(linter: &'l Linter) -> Judge<'l> {
        let (reader, replayer, behind) = (Reader::default(), Replayer::default(), Behind::default());
        Judge { linter, reader, replayer, referee: linter.referee(), seen: Seen::default(), behind }
    }

    /// What is found in a record, how many plies it has, and its Id if anything is found.
    pub(super) fn record(
        &mut self,
        text: &[u8],
        begins: Begins,
        gatherer: Option<&mut Gatherer<'_>>,
    ) -> (Vec<Draft>, u64, Option<String>) {
        let mut record = self.reader.read(text, begins);
        let mut history = History::wanted(&record);
        let items = record.items;
        let (replayer, referee) = (&mut self.replayer, &mut self.referee);
        let replayed = match &mut history {
            None => replay(replayer, referee, &mut record, |_, _| {}),
            Some(history) => replay(replayer, referee, &mut record, |at, after| history.add(at, items[at], after)),
        };
        if !record.ordinary_pgn {
            judge_end(text, self.behind, record.faults);
            let start = record.setup.position.filter(|_| replayed.last.is_some());
            remarks::judge(&mut record, history, start);
        }
        if let Some(gatherer) = gatherer {
            gatherer.add(&record, &replayed);
        }
        let mut drafts = Vec::new();
        let fouls = self.referee.as_ref().map_or(&[][..], Referee::fouls);
        self.linter.drafts(&Context { record: &record, fouls }, &mut self.seen, &mut drafts);
        let id = if drafts.is_empty() { None } else { shown_id(&record) };
        (drafts, replayed.plies, id)
    }
}

/// Replays a record, by the rules of play where there is a referee.
#[inline]
fn replay(
    replayer: &mut Replayer,
    referee: &mut Option<Referee>,
    record: &mut Record<'_>,
    tell: impl FnMut(usize, &Position),
) -> Replayed {
    match referee {
        None => replayer.replay_and(record, tell),
        Some(referee) => referee.judge(record, tell),
    }
}

impl Linter {
    /// What is wrong with the bytes and the comments of a file that has no record (§1.1); of tags and moves it can have
    /// no faults.
    pub fn without_record(&self, reader: &mut Reader, chunk: &Chunk) -> Vec<Finding> {
        let record = reader.read(chunk.text(), Begins::File);
        let of_text = |kind| match kind {
            FaultKind::File(_) => !kind.is_loose(),
            kind => kind == CommentFault::Unclosed.into(),
        };
        let severity = |fault: &Fault, severity| of_text(fault.kind).then_some(severity);
        self.findings_of(&record, severity, 0, 0, &mut chunk.rows())
    }

    /// The finding that a file has no record.
    pub fn no_record(&self) -> Option<Finding> {
        let text = "this file holds no record: one starts with [Variant \"C'escacs\"]".to_owned();
        self.file_finding(FileFault::NoRecord, Place::START, text)
    }
}

/// A finding before its places are rows and columns: bytes of its record.
pub(super) struct Draft {
    pub(super) rule: RuleId,
    severity: Severity,
    pub(super) at: u32,
    end: u32,
    message: Message,
    /// The ply's item, and its name.
    at_ply: Option<u32>,
    ply: Option<String>,
    board: Option<Box<Board>>,
    record_key: u64,
    fingerprint: u64,
    pub(super) fix: Option<Fix>,
    /// A comment in the record suppresses it.
    pub(super) hidden: bool,
    /// It is no finding, but a suppression that only the whole archive can show to be used.
    pub(super) waits: bool,
}

impl Draft {
    pub(super) fn new(rule: RuleId, severity: Severity, at: u32, end: u32, message: Message) -> Draft {
        Draft {
            rule,
            severity,
            at,
            end,
            message,
            at_ply: None,
            ply: None,
            board: None,
            record_key: 0,
            fingerprint: 0,
            fix: None,
            hidden: false,
            waits: false,
        }
    }
}

/// Whether nothing was found since there were so many; of a record with too many nobody knows.
fn is_unchanged(drafts: &[Draft], before: usize) -> bool {
    drafts.len() == before && before <= Faults::MOST
}

/// Gives findings at plies the position before.
fn draw(record: &Record<'_>, drafts: &mut [Draft]) {
    let mut wanted: Vec<u32> = drafts.iter().filter_map(|draft| draft.at_ply).collect();
    wanted.sort_unstable();
    wanted.dedup();
    if wanted.is_empty() {
        return;
    }
    let boards = boards(record, &wanted);
    for draft in drafts {
        let found = draft.at_ply.and_then(|item| boards.binary_search_by_key(&item, |(at, _)| *at).ok());
        draft.board = found.map(|found| Box::new(boards[found].1.clone()));
    }
}

/// Where checks put what they find.
pub struct Sink<'a> {
    rule: RuleId,
    severity: Severity,
    drafts: &'a mut Vec<Draft>,
}

impl Sink<'_> {
    /// Reports from byte `at` of the record to byte `end`.
    pub fn report(&mut self, at: u32, end: u32, message: impl Into<Message>) {
        if self.drafts.len() > Faults::MOST {
            return;
        }
        self.drafts.push(Draft::new(self.rule, self.severity, at, end, message.into()));
    }
}

impl Linter {
    /// Findings about those faults of a record that `severity` wants reported, with the severity it gives, placed in
    /// its chunk: the record starts at byte `start` and is the `number`-th from 1.
    pub fn findings_of(
        &self,
        record: &Record<'_>,
        severity: impl Fn(&Fault, Severity) -> Option<Severity>,
        start: u32,
        number: u64,
        rows: &mut Rows<'_>,
    ) -> Vec<Finding> {
        let mut drafts = Vec::new();
        let context = Context { record, fouls: &[] };
        self.faults(&context, &severity, &mut drafts);
        self.finish(&context, &mut drafts);
        let id = shown_id(record);
        let mut findings = Vec::new();
        place_all(drafts, start, number, id.as_deref(), rows, &mut findings);
        findings
    }

    /// A finding about a record that made us fail.
    pub fn internal_finding(
        &self,
        panic: &(dyn Any + Send),
        start: u32,
        number: u64,
        rows: &mut Rows<'_>,
    ) -> Vec<Finding> {
        let mut findings = Vec::new();
        place_all(self.internal(panic), start, number, None, rows, &mut findings);
        findings
    }

    fn drafts(&self, context: &Context<'_>, seen: &mut Seen, drafts: &mut Vec<Draft>) {
        let record = context.record;
        if !record.faults.is_empty() {
            self.faults(context, &|_, severity| Some(severity), drafts);
        }
        if !record.ordinary_pgn {
            self.tags(context, seen, drafts);
        }
        if drafts.len() > Faults::MOST && !record.faults.is_full() {
            self.too_many(context, drafts);
        }
        if let Some(mut suppressions) = Suppressions::of(record, self) {
            suppressions.apply(self, drafts);
        }
        self.finish(context, drafts);
        drafts.retain(|draft| !draft.hidden);
        if self.boards {
            draw(record, drafts);
        }
    }

    /// What checks find in tags, and in tags and moves together.
    fn tags(&self, context: &Context<'_>, seen: &mut Seen, drafts: &mut Vec<Draft>) {
        let record = context.record;
        let of_record = |rule: RuleId, check: &Check, drafts: &mut Vec<Draft>| {
            let known = drafts.len();
            checks::record(check, context, &mut Sink { rule, severity: self.severity(rule), drafts });
            drafts[known..].iter_mut().for_each(|draft| draft.fix = fix::of_check(check, draft.at, context));
        };
        if !seen.has_names(record) {
            let known = drafts.len();
            self.by_names.iter().for_each(|(rule, check)| of_record(*rule, check, drafts));
            if is_unchanged(drafts, known) {
                seen.add_names(record);
            }
        }
        let tags = record.tag_names();
        let concerned = self.by_record.iter().filter(|(.., asked)| asked.is_none_or(|asked| asked.meets(tags)));
        concerned.for_each(|(rule, check, _)| of_record(*rule, check, drafts));
        for tag in record.tags {
            let written = tag.value(record.text);
            if !seen.has_value(tag, written) {
                self.value(tag, written, context, seen, drafts);
            }
        }
    }

    /// What checks find in the value of a tag.
    fn value(&self, tag: &Tag, written: &[u8], context: &Context<'_>, seen: &mut Seen, drafts: &mut Vec<Draft>) {
        let (value, before) = (values::sound(written), drafts.len());
        for &(rule, check) in &self.by_tag[tag.name as usize] {
            let known = drafts.len();
            values::judge(check, tag, value, context, &mut Sink { rule, severity: self.severity(rule), drafts });
            drafts[known..].iter_mut().for_each(|draft| draft.fix = fix::of_value(check, tag, context));
        }
        // What is said of another value depends on what stands around it.
        if value.is_some() && is_unchanged(drafts, before) {
            seen.add_value(tag, written);
        }
    }

    /// Says that checks find more than is told.
    fn too_many(&self, context: &Context<'_>, drafts: &mut Vec<Draft>) {
        let at = drafts.last().map_or(0, |draft| draft.at);
        let kind = FileFault::TooMany.into();
        let fault = Fault { kind, aside: false, at, len: 0, item: Fault::NO_ITEM, seen: 0 };
        if let Some(&rule) = self.by_fault.get(&kind) {
            let message = checks::message(&fault, context);
            drafts.push(Draft::new(rule, self.severity(rule), at, at, message));
        }
    }

    fn finish(&self, context: &Context<'_>, drafts: &mut [Draft]) {
        drafts.sort_by_key(|draft| (draft.at, draft.rule));
        if !drafts.is_empty() {
            self.fingerprint(context, drafts);
        }
    }

    fn faults(
        &self,
        context: &Context<'_>,
        severity: &impl Fn(&Fault, Severity) -> Option<Severity>,
        drafts: &mut Vec<Draft>,
    ) {
        let mut paths = Paths::new(context.record.items);
        let mut faults: Vec<&Fault> = context.record.faults.iter().collect();
        faults.sort_by_key(|fault| fault.item);
        for fault in faults {
            let Some(&rule) = self.by_fault.get(&fault.kind) else { continue };
            let Some(severity) = severity(fault, self.severity(rule)) else { continue };
            let message = checks::message(fault, context);
            let at_ply = context.item(fault).is_some_and(|item| item.kind == ItemKind::Ply);
            let fix = fix::of_fault(fault, context);
            let ply = if at_ply { paths.ply(fault.item as usize) } else { None };
            let at_ply = at_ply.then_some(fault.item);
            drafts.push(Draft { at_ply, ply, fix, ..Draft::new(rule, severity, fault.at, fault.end(), message) });
        }
    }

    /// Rule, record key, faulty text, ordinal: what stays when lines move.
    fn fingerprint(&self, context: &Context<'_>, drafts: &mut [Draft]) {
        let record = context.record;
        let key = record.value(TagName::Id).map_or_else(
            || {
                let plies = record.items.iter().filter(|item| item.kind == ItemKind::Ply);
                hash(&[&plies.flat_map(|item| item.value.to_le_bytes()).collect::<Vec<_>>()])
            },
            |id| hash(&[id]),
        );
        let mut seen: HashMap<u64, u32> = HashMap::new();
        for draft in drafts {
            draft.record_key = key;
            let code = self.catalogue[draft.rule].code.as_bytes();
            // Of a long text the start is enough, and places that lie within one another are not gone over again.
            let end = draft.end.min(draft.at + HASHED);
            let content = hash(&[code, &key.to_le_bytes(), context.bytes(draft.at, end)]);
            let ordinal = seen.entry(content).or_default();
            draft.fingerprint = hash(&[&content.to_le_bytes(), &ordinal.to_le_bytes()]);
            *ordinal += 1;
        }
    }
}

/// The record's Id for its findings, or the start of what is no Id by its length: each finding has it.
pub fn shown_id(record: &Record<'_>) -> Option<String> {
    const LONGEST: usize = 256;
    let id = record.value(TagName::Id)?;
    Some(if id.len() > LONGEST { clipped(id) } else { lossy(id) })
}

/// How many bytes of a faulty text tell it from others.
const HASHED: u32 = 256;

/// FNV-1a, a separator behind each part: the same on every machine and in every version.
pub fn hash(parts: &[&[u8]]) -> u64 {
    let bytes = parts.iter().flat_map(|part| part.iter().chain(&[0xFF]));
    bytes.fold(0xCBF2_9CE4_8422_2325, |hash, &byte| (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01B3))
}

impl Worker for Judge<'_> {
    type Out = Judged;

    fn judge(&mut self, chunk: &Chunk) -> Judged {
        let mut judged = Judged { line_ends: line_ends(chunk), ..Judged::default() };
        let mut rows = chunk.rows();
        let mut gatherer = self.linter.gatherer(chunk);
        for (index, (text, &start)) in chunk.records().zip(chunk.cuts()).enumerate() {
            let begins = begins(chunk, start);
            let number = index as u64 + 1;
            if let Some(gatherer) = &mut gatherer {
                gatherer.begin(start, !chunk.cut || number < chunk.cuts().len() as u64);
            }
            self.behind = behind(chunk, index);
            let outcome = catch_unwind(AssertUnwindSafe(|| self.record(text, begins, gatherer.as_mut())));
            let (drafts, plies, id) = outcome.unwrap_or_else(|panic| {
                // What the panic left in it is not to be trusted.
                self.reader = Reader::default();
                self.replayer = Replayer::default();
                self.referee = self.linter.referee();
                self.seen = Seen::default();
                judged.internal = true;
                (self.linter.internal(&*panic), 0, None)
            });
            judged.plies += plies;
            let (waiting, drafts): (Vec<_>, Vec<_>) = drafts.into_iter().partition(|draft| draft.waits);
            place_all(drafts, start, number, id.as_deref(), &mut rows, &mut judged.findings);
            place_all(waiting, start, number, id.as_deref(), &mut rows, &mut judged.waiting);
        }
        if chunk.cuts().is_empty() {
            let outcome = catch_unwind(AssertUnwindSafe(|| self.linter.without_record(&mut self.reader, chunk)));
            judged.findings = outcome.unwrap_or_else(|panic| {
                judged.internal = true;
                self.linter.internal_finding(&*panic, 0, 0, &mut chunk.rows())
            });
        }
        judged.gathered = gatherer.map_or_else(Gathered::default, |gatherer| gatherer.out);
        judged
    }
}

impl Linter {
    fn internal(&self, panic: &(dyn Any + Send)) -> Vec<Draft> {
        let Some(rule) = self.finding(FileFault::Internal) else { return Vec::new() };
        let why = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
        let message = format!("this record made the program fail: {}", why.unwrap_or("no reason was given"));
        vec![Draft::new(rule, self.severity(rule), 0, 0, message.into())]
    }
}

/// Turns bytes into rows and columns, in one sweep.
fn place_all(
    drafts: Vec<Draft>,
    start: u32,
    record: u64,
    id: Option<&str>,
    rows: &mut Rows<'_>,
    findings: &mut Vec<Finding>,
) {
    if drafts.is_empty() {
        return;
    }
    let mut offsets: Vec<u32> = drafts.iter().flat_map(|draft| [draft.at, draft.end]).collect();
    offsets.extend(drafts.iter().flat_map(|draft| &draft.message.related).flat_map(|related| [related.0, related.1]));
    offsets.sort_unstable();
    offsets.dedup();
    let places: Vec<Place> = offsets
        .iter()
        .map(|offset| {
            let offset = start + offset;
            let (row, column) = rows.place(offset as usize);
            Place { offset: u64::from(offset), row: u64::from(row), column }
        })
        .collect();
    let place = |offset: u32| places[offsets.binary_search(&offset).unwrap_or_default()];
    let id = id.map(str::to_owned);
    findings.extend(drafts.into_iter().map(|draft| {
        Finding {
            rule: draft.rule,
            severity: draft.severity,
            at: place(draft.at),
            end: place(draft.end),
            message: draft.message.text,
            notes: draft.message.notes,
            related: draft
                .message
                .related
                .into_iter()
                .map(|(at, _, message)| Related {
                    file: None,
                    name: None,
                    at: place(at),
                    record,
                    id: id.clone(),
                    message,
                })
                .collect(),
            record,
            id: id.clone(),
            ply: draft.ply,
            board: draft.board,
            record_key: draft.record_key,
            fingerprint: draft.fingerprint,
            fix: draft.fix.map(|mut fix| {
                fix.shift(u64::from(start));
                fix
            }),
        }
    }));
}

/// How the record at byte `start` of a chunk begins.
pub fn begins(chunk: &Chunk, start: u32) -> Begins {
    if chunk.first && start == 0 {
        return Begins::File;
    }
    let before = (start as usize).checked_sub(1).map(|at| chunk.text()[at]);
    match before {
        None if chunk.column > 0 => Begins::BehindResult,
        None | Some(b'\n' | b'\r') => Begins::Line,
        Some(_) => Begins::BehindResult,
    }
}

/// What stands behind a record, given by its place in a chunk.
pub(super) fn behind(chunk: &Chunk, index: usize) -> Behind {
    if index + 1 < chunk.cuts().len() || !chunk.last {
        Behind::Record
    } else if chunk.cut {
        Behind::Unknown
    } else {
        Behind::Nothing
    }
}

/// Where each kind of line end stands first in a chunk.
fn line_ends(chunk: &Chunk) -> [Option<Place>; 3] {
    let text = chunk.text();
    let feed = memchr::memchr_iter(b'\n', text).find(|&at| at == 0 || text[at - 1] != b'\r');
    let returns = || memchr::memchr_iter(b'\r', text);
    let both = returns().find(|&at| text.get(at + 1) == Some(&b'\n'));
    let alone = returns().find(|&at| text.get(at + 1) != Some(&b'\n'));
    [feed, both, alone].map(|at| {
        let at = at?;
        let (row, column) = chunk.rows().place(at);
        Some(Place { offset: at as u64, row: u64::from(row), column })
    })
}
