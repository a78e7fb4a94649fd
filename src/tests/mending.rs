//! Mending keeps what a record replays to, adds no error, and ends after one run.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate.rs"]
mod generate;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use ctl::driver::{self, Event, Options, Worker};
use ctl::game::{Capture, Check, Ply, Position, Shape};
use ctl::lint::catalogue::Fix;
use ctl::lint::select::Words;
use ctl::lint::{Applicability, Catalogue, Linter, Selection, Severity, Told, judge, mend};
use ctl::replay::Replayer;
use ctl::source::{Chunk, FileId, Input};
use ctl::syntax::{FaultKind, ItemKind, Reader, Spelt};
use generate::Plan;

/// What a record replays to: the last position of its main line, the plies that could be read, in variations too,
/// check signs apart, and how many did not fit.
struct Replayed {
    last: Option<Position>,
    plies: Vec<u32>,
    incoherent: usize,
}

struct Replaying(Reader, Replayer);

impl Worker for Replaying {
    type Out = Vec<Replayed>;

    fn judge(&mut self, chunk: &Chunk) -> Vec<Replayed> {
        let replay = |(text, &start)| {
            let mut record = self.0.read(text, judge::begins(chunk, start));
            let last = self.1.replay(&mut record).last;
            let plies = record.items.iter().filter(|item| item.kind == ItemKind::Ply && !item.spelt.has(Spelt::UNREAD));
            let bits = plies.filter_map(|item| Some(written_alike(Ply::from_bits(item.value)?)));
            let plies = bits.collect();
            let incoherent =
                record.faults.iter().filter(|fault| matches!(fault.kind, FaultKind::Incoherence(_))).count();
            Replayed { last, plies, incoherent }
        };
        chunk.records().zip(chunk.cuts()).map(replay).collect()
    }
}

/// A ply by all but its signs: of check, and of a capture, `@` or not.
fn written_alike(ply: Ply) -> u32 {
    let mut shape = ply.shape();
    if let Shape::Step { capture, .. } = &mut shape
        && capture.is_in_passing()
    {
        *capture = Capture::Taken;
    }
    Ply::new(shape, Check::None).to_bits()
}

fn replayed(input: &[Input]) -> Vec<Replayed> {
    let mut all = Vec::new();
    driver::run(
        input,
        &Options::default(),
        || Replaying(Reader::default(), Replayer::default()),
        |event| {
            if let Event::Chunk { out, .. } = event {
                all.extend(out);
            }
            ControlFlow::Continue(())
        },
    );
    all
}

/// How often each rule of errors speaks.
fn errors(linter: &Linter, input: &[Input]) -> BTreeMap<String, usize> {
    let mut errors = BTreeMap::new();
    ctl::lint::run(input, &Options::default(), linter, |told| {
        if let Told::Finding(_, finding, _) = told
            && finding.severity == Severity::Error
        {
            *errors.entry(linter.catalogue()[finding.rule].name.clone()).or_default() += 1;
        }
        ControlFlow::Continue(())
    });
    errors
}

fn mended(linter: &Linter, input: &[Input], most: Applicability) -> Vec<u8> {
    mended_by(&Options::default(), linter, input, most)
}

fn mended_by(options: &Options, linter: &Linter, input: &[Input], most: Applicability) -> Vec<u8> {
    let mut out = Vec::new();
    mend::run(&input[0], FileId(0), options, linter, most, |told| {
        if let mend::Told::Chunk(chunk, edits, _) = told {
            out.extend(mend::edited(chunk.text(), &edits));
        }
        ControlFlow::Continue(())
    });
    out
}

/// Sees that mending a text is as it should be, and gives what is wrong.
fn check(linter: &Linter, name: &str, text: &[u8], most: Applicability) -> Option<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        [Input::File(path)]
    };
    let before = file("before", text);
    let new = mended(linter, &before, most);
    let after = file("after", &new);
    let shown =
        || format!("{name}, {most:?}:\n{}\n->\n{}", String::from_utf8_lossy(text), String::from_utf8_lossy(&new));
    let chunks = Options { threads: 3, chunk: 300, ..Options::default() };
    if mended_by(&chunks, linter, &before, most) != new {
        return Some(format!("in chunks and threads it differs: {}", shown()));
    }
    if mended(linter, &after, most) != new {
        return Some(format!("mended again: {}", shown()));
    }
    let (old, now) = (errors(linter, &before), errors(linter, &after));
    if now.values().sum::<usize>() > old.values().sum() {
        return Some(format!("errors {old:?}, then {now:?}: {}", shown()));
    }
    let (old, now) = (replayed(&before), replayed(&after));
    let keeps = |(old, now): (&Replayed, &Replayed)| {
        let mut left = now.plies.clone();
        left.sort_unstable();
        let kept = old.plies.iter().all(|ply| left.binary_search(ply).is_ok());
        kept && (old.last.is_none() || old.last == now.last)
            && now.incoherent <= old.incoherent.max(usize::from(old.last.is_none()))
    };
    (old.len() != now.len() || !old.iter().zip(&now).all(keeps)).then(|| format!("replays otherwise: {}", shown()))
}

fn check_all(texts: impl Iterator<Item = (String, Vec<u8>)>, ignored: &[&str]) {
    let catalogue = Catalogue::load();
    let ignore = ignored.iter().map(|word| (*word).to_owned()).collect();
    let words = Words { select: Some(vec!["all".to_owned()]), ignore, ..Words::default() };
    let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).unwrap());
    let kinds = [Applicability::Safe, Applicability::Unsafe];
    let wrong: Vec<String> =
        texts.flat_map(|(name, text)| kinds.map(|most| check(&linter, &name, &text, most))).flatten().collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn examples_of_pages_replay_as_before() {
    let catalogue = Catalogue::load();
    check_all(
        catalogue.rules().flat_map(|(id, rule)| {
            let page = catalogue.page(id).unwrap();
            let plain = |words: &[&str]| words.is_empty();
            let bad = page.examples.into_iter().filter(|example| plain(&example.bad.words));
            bad.map(|example| (rule.name.clone(), example.bad.text.as_bytes().to_vec())).collect::<Vec<_>>()
        }),
        &[],
    );
    assert!(catalogue.rules().any(|(_, rule)| rule.fix == Fix::Unsafe));
}

#[test]
fn samples_replay_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    check_all(
        ["sample.ctl-pgn", "sample-faults.ctl-pgn"]
            .into_iter()
            .map(|name| (name.to_owned(), std::fs::read(folder.join(name)).unwrap())),
        &[],
    );
}

/// What the generator plays is coherent and no more: plies that mending makes readable are against the rules of play.
#[test]
fn generated_archives_replay_as_before() {
    check_all(
        (0..40).map(|seed| {
            let mut text = Vec::new();
            generate::write(Plan { seed, records: 10, faults: 100, ..Plan::rich() }, &mut text).unwrap();
            (format!("seed {seed}"), text)
        }),
        &["play"],
    );
}
