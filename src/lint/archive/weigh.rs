//! Records are weighed against one another: those of one main line, those of one Id, and references.

use std::collections::{HashMap, HashSet};

use super::digest::Digest;
use super::{Across, Archive, Seen};
use crate::notation::RecordKind;

/// That something is found about a record. In the order in which it is told.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Verdict {
    /// The record.
    pub record: usize,
    /// The place in its chunk.
    pub at: u32,
    /// What is found.
    pub finds: Across,
    /// The record that it is found by.
    pub other: Option<usize>,
    /// The reference that it is about.
    pub reference: Option<usize>,
    /// The moves of one of the two are not known.
    pub unsure: bool,
}

/// All that can be told without reading anything again.
pub fn all(archive: &Archive) -> Vec<Verdict> {
    let mut scale = Scale { archive, verdicts: Vec::new() };
    archive.groups(
        |seen| Some(seen.key.line.known()?.last_byte()),
        |seen| Some(seen.key.line),
        |run| scale.one_line(run),
    );
    archive.groups(|seen| seen.id?.base?.bytes().last(), |seen| seen.id?.base_digest(), |run| scale.one_base(run));
    scale.references();
    scale.verdicts
}

impl Archive {
    /// Calls `each` with the records, in their order, that have a digest in common. Those with a digest have a byte too, and
    /// the same digest only with the same byte.
    fn groups(
        &self,
        byte: impl Fn(Seen<'_>) -> Option<u8>,
        digest: impl Fn(Seen<'_>) -> Option<Digest>,
        mut each: impl FnMut(&[(Digest, usize)]),
    ) {
        // A share of the records at a time, lest a table of all be needed for a while.
        const SHARES: u8 = 8;
        let mut found = Vec::new();
        for share in 0..SHARES {
            found.clear();
            found.extend(self.records().filter_map(|(number, seen)| {
                byte(seen).filter(|byte| byte % SHARES == share)?;
                Some((digest(seen)?, number))
            }));
            found.sort_unstable();
            found.chunk_by(|(a, _), (b, _)| a == b).filter(|run| run.len() > 1).for_each(&mut each);
        }
    }
}

/// The first record of each kind.
#[derive(Clone, Copy, Default)]
struct Firsts {
    id: Option<usize>,
    game: Option<usize>,
}

impl Firsts {
    fn add(&mut self, kind: RecordKind, number: usize) {
        match kind {
            RecordKind::Id => self.id = self.id.or(Some(number)),
            RecordKind::Game => self.game = self.game.or(Some(number)),
        }
    }

    fn of(self, kind: RecordKind) -> Option<usize> {
        match kind {
            RecordKind::Id => self.id,
            RecordKind::Game => self.game,
        }
    }

    /// The first one that a record of this kind may not share its Id with: games share theirs (§4.9).
    fn against(self, kind: RecordKind) -> Option<usize> {
        match kind {
            RecordKind::Id => self.id.into_iter().chain(self.game).min(),
            RecordKind::Game => self.id,
        }
    }
}

/// Games of one main line, by what tells games apart.
#[derive(Default)]
struct Games {
    /// The first one, whatever its Id.
    any: HashMap<[u32; 2], usize>,
    /// The first one of each Id, and without one.
    by_id: HashMap<([u32; 2], Option<Digest>), usize>,
}

impl Games {
    /// Adds a game; gives the first of which it is a repetition. Without an Id it may be the one with any.
    fn add(&mut self, number: usize, seen: &Seen<'_>) -> Option<usize> {
        let (game, id) = (seen.key.game, seen.full());
        let first = match id {
            None => self.any.get(&game).copied(),
            Some(_) => [id, None].iter().filter_map(|id| self.by_id.get(&(game, *id)).copied()).min(),
        };
        self.any.entry(game).or_insert(number);
        self.by_id.entry((game, id)).or_insert(number);
        first
    }
}

struct Scale<'a> {
    archive: &'a Archive,
    verdicts: Vec<Verdict>,
}

impl Scale<'_> {
    fn say(&mut self, finds: Across, record: usize, other: usize) {
        let at = self.archive.keys[record].at;
        self.verdicts.push(Verdict { record, at, finds, other: Some(other), reference: None, unsure: false });
    }

    /// Records with the same main line: games that stand there twice, and main lines under several Ids.
    fn one_line(&mut self, run: &[(Digest, usize)]) {
        let mut games = Games::default();
        let mut bases = HashSet::new();
        let mut first: Option<(usize, Digest, HashSet<Digest>)> = None;
        for &(_, number) in run {
            let seen = self.archive.seen(number);
            if seen.key.kind() == RecordKind::Game
                && let Some(other) = games.add(number, &seen)
            {
                self.say(Across::RepeatedGame, number, other);
            }
            // Of the records of one Id the first is enough.
            let Some(base) = seen.base().filter(|base| bases.insert(*base)) else { continue };
            match &first {
                None => first = Some((number, base, self.led_to(number).collect())),
                // Where one names the other, they know of each other.
                Some((other, its, named)) if !named.contains(&base) && !self.led_to(number).any(|to| to == *its) => {
                    self.say(Across::SameLine, number, *other);
                }
                Some(_) => {}
            }
        }
    }

    /// The Ids that a record's references lead to.
    fn led_to(&self, number: usize) -> impl Iterator<Item = Digest> {
        let references = self.archive.references_of(number).iter();
        references.filter_map(|reference| self.archive.referred(reference)?.base_digest())
    }

    /// Records of one Id, in all its versions.
    fn one_base(&mut self, run: &[(Digest, usize)]) {
        let kind = |number: usize| self.archive.keys[number].kind();
        if run.iter().all(|(_, number)| kind(*number) == RecordKind::Game) {
            return;
        }
        let mut by_id: HashMap<Digest, Firsts> = HashMap::new();
        let mut by_line: HashMap<(Digest, Digest), Firsts> = HashMap::new();
        let mut main: Option<usize> = None;
        for &(_, number) in run {
            let seen = self.archive.seen(number);
            let Some(id) = seen.full() else { continue };
            let (kind, line) = (seen.key.kind(), seen.key.line);
            let before = by_id.entry(id).or_default();
            let known = by_line.entry((id, line)).or_default();
            let (first, same) = (before.against(kind), known.against(kind).filter(|_| line.known().is_some()));
            before.add(kind, number);
            known.add(kind, number);
            let is_version = kind == RecordKind::Id && !seen.key.is_part() && line.known().is_some();
            if let Some(first) = first {
                self.repeated(number, first, same);
            } else if let Some(main) = main.filter(|_| is_version)
                && self.archive.keys[main].line != line
            {
                self.say(Across::VersionLine, number, main);
            }
            main = main.or_else(|| is_version.then_some(number));
        }
    }

    /// A record whose Id stands in the archive already, at first in `first`; with the same moves, in `same`.
    fn repeated(&mut self, number: usize, first: usize, same: Option<usize>) {
        let is_known = |number: usize| self.archive.keys[number].line.known().is_some();
        let unsure = same.is_none() && !(is_known(number) && is_known(first));
        let finds = if same.is_some() || unsure { Across::RepeatedRecord } else { Across::RepeatedId };
        self.say(finds, number, same.unwrap_or(first));
        if let Some(verdict) = self.verdicts.last_mut() {
            verdict.unsure = unsure;
        }
    }

    /// References that lead nowhere, or to the wrong kind of record. Any version of an Id is what its reference means.
    fn references(&mut self) {
        let base = |index: usize| self.archive.referred(&self.archive.references[index])?.base_digest();
        let mut targets: HashMap<Digest, Firsts> =
            (0..self.archive.references.len()).filter_map(|index| Some((base(index)?, Firsts::default()))).collect();
        if targets.is_empty() {
            return;
        }
        for (number, seen) in self.archive.records() {
            if let Some(target) = seen.base().and_then(|base| targets.get_mut(&base)) {
                target.add(seen.key.kind(), number);
            }
        }
        for (index, reference) in self.archive.references.iter().enumerate() {
            let Some(target) = base(index).and_then(|base| targets.get(&base)) else { continue };
            let (_, wanted) = reference.tag();
            if target.of(wanted).is_none() {
                let other = target.id.or(target.game);
                let finds = if other.is_some() { Across::ReferenceKind } else { Across::LostReference };
                let (record, at, reference) = (reference.record, reference.at, Some(index));
                self.verdicts.push(Verdict { record, at, finds, other, reference, unsure: false });
            }
        }
    }
}
