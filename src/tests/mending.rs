//! Mending keeps what a record replays to, adds no error, and ends after one run; safe fixes keep its canonical form.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

mod bytes;
#[path = "../../benches/generate.rs"]
mod generate;

use std::collections::BTreeMap;
use std::ops::ControlFlow;
use std::path::Path;

use bytes::bytes;
use ctl::driver::{self, Event, Options, Worker};
use ctl::filter::{Form, write};
use ctl::game::{Capture, Check, Ply, Position, Shape};
use ctl::lint::catalogue::Fix;
use ctl::lint::select::Words;
use ctl::lint::{Applicability, Catalogue, Linter, Rule, RuleId, Selection, Severity, Told, judge, mend};
use ctl::replay::Replayer;
use ctl::source::{Chunk, FileId, Input};
use ctl::syntax::{FaultKind, ItemKind, Reader, Spelt};
use generate::Plan;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::{RngAlgorithm, TestError, TestRng, TestRunner};

/// What a record replays to: the last position of its main line, and all that plies lead to; the plies that could be
/// read, in variations too, check signs apart, sorted; the numbers of pairs; how many plies did not fit.
struct Replayed {
    last: Option<Position>,
    reached: Vec<Position>,
    plies: Vec<u32>,
    numbers: Vec<u32>,
    incoherent: usize,
    has_pdtl: bool,
    /// Its canonical form, unless that is refused.
    canonical: Option<String>,
}

impl Replayed {
    /// Whether all of it is there when the record is mended.
    fn kept_by(&self, mended: &Replayed) -> bool {
        let mut left = mended.plies.iter();
        let kept = self.plies.iter().all(|ply| left.any(|other| other == ply));
        // Where more plies can be read, the line may go on behind them; where more numbers can, it may be unknown.
        let more = mended.plies != self.plies || mended.numbers.len() > self.numbers.len();
        let reaches = |last| {
            if more { mended.last.is_none() || mended.reached.contains(&last) } else { mended.last == Some(last) }
        };
        let most_incoherent = self.incoherent.max(usize::from(self.last.is_none()));
        kept && self.last.is_none_or(reaches) && (more || mended.incoherent <= most_incoherent)
    }
}

struct Replaying(Reader, Replayer);

impl Worker for Replaying {
    type Out = Vec<Replayed>;

    fn judge(&mut self, chunk: &Chunk) -> Vec<Replayed> {
        let replay = |(text, &start)| {
            let mut record = self.0.read(text, judge::begins(chunk, start));
            let mut reached = Vec::from_iter(record.setup.position);
            let last = self.1.replay_and(&mut record, |_, after| reached.push(*after)).last;
            let numbers =
                record.items.iter().filter(|item| item.kind == ItemKind::Number).map(|item| item.value).collect();
            let plies = record.items.iter().filter(|item| item.kind == ItemKind::Ply && !item.spelt.has(Spelt::UNREAD));
            let bits = plies.filter_map(|item| Some(written_alike(Ply::from_bits(item.value)?)));
            let mut plies: Vec<u32> = bits.collect();
            plies.sort_unstable();
            let incoherent =
                record.faults.iter().filter(|fault| matches!(fault.kind, FaultKind::Incoherence(_))).count();
            let has_pdtl = record.setup.has_pdtl;
            let mut out = Vec::new();
            let written = write(&record, &Form::CANONICAL, &mut out).is_ok();
            let canonical = written.then(|| String::from_utf8_lossy(&out).into_owned());
            Replayed { last, reached, plies, numbers, incoherent, has_pdtl, canonical }
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
            // Words one after another are one of these, so that there may be more of them behind a word that is mended.
            && linter.catalogue()[finding.rule].name != "stray-text"
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

/// All rules but those of play.
fn of_format() -> Linter {
    let words = Words { select: Some(vec!["all".to_owned()]), ignore: vec!["play".to_owned()], ..Words::default() };
    Linter::new(Catalogue::load(), &Selection::new(Catalogue::load(), &[words]).unwrap())
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
    // The value of a tag that was misspelt may be wrong too.
    let (old, now) = (errors(linter, &before), errors(linter, &after));
    if most == Applicability::Safe && now.values().sum::<usize>() > old.values().sum() {
        return Some(format!("errors {old:?}, then {now:?}: {}", shown()));
    }
    let (mut old, mut now) = (replayed(&before), replayed(&after));
    if old.len() != now.len() {
        // Text without plies may go.
        let is_kept = |record: &Replayed| !record.plies.is_empty() || record.has_pdtl;
        old.retain(is_kept);
        now.retain(is_kept);
    }
    if old.len() != now.len() {
        return Some(format!("other records: {}", shown()));
    }
    if most == Applicability::Safe {
        // What the rules of play say of signs is more than what the canonical form goes by.
        let spelt = replayed(&file("spelt", &mended(&of_format(), &before, most)));
        // A byte order mark goes from comments too (§1.3), whose text canonical form leaves alone.
        let form = |record: &Replayed| record.canonical.as_ref().map(|form| form.replace('\u{FEFF}', ""));
        let mut forms = old.iter().map(form).zip(spelt.iter().map(form));
        if let Some((old, now)) = forms.find(|(old, now)| old.is_some() && old != now) {
            return Some(format!("canonical form {old:?}, then {now:?}: {}", shown()));
        }
    }
    let kept = old.iter().zip(&now).map(|(old, now)| old.kept_by(now)).position(|kept| !kept);
    kept.map(|record| format!("record {} replays otherwise: {}", record + 1, shown()))
}

fn check_all(texts: impl Iterator<Item = (String, Vec<u8>)>) {
    let linter = Linter::new(Catalogue::load(), &Selection::everything(Catalogue::load()));
    let kinds = [Applicability::Safe, Applicability::Unsafe];
    let wrong: Vec<String> =
        texts.flat_map(|(name, text)| kinds.map(|most| check(&linter, &name, &text, most))).flatten().collect();
    assert!(wrong.is_empty(), "{}\n{}", wrong.len(), wrong.join("\n"));
}

/// All examples of pages, with the names of their rules.
fn examples() -> Vec<(String, Vec<u8>)> {
    let catalogue = Catalogue::load();
    let of_page = |(id, rule): (RuleId, &Rule)| {
        let page = catalogue.page(id).unwrap();
        let bad = page.examples.into_iter().map(|example| example.bad);
        let samples = bad.chain(page.good);
        samples.map(|sample| (rule.name.clone(), bytes(sample.text, &sample.words))).collect::<Vec<_>>()
    };
    // Compressed files, and what is no text, are not mended.
    let is_text = |(_, rule): &(RuleId, &Rule)| !["damaged-archive", "not-text"].contains(&rule.name.as_str());
    catalogue.rules().filter(is_text).flat_map(of_page).collect()
}

#[test]
fn examples_of_pages_replay_as_before() {
    check_all(examples().into_iter());
    assert!(Catalogue::load().rules().any(|(_, rule)| rule.fix == Fix::Unsafe));
}

#[test]
fn samples_replay_as_before() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    check_all(
        ["sample.ctl-pgn", "sample-faults.ctl-pgn"]
            .into_iter()
            .map(|name| (name.to_owned(), std::fs::read(folder.join(name)).unwrap())),
    );
}

#[test]
fn generated_archives_replay_as_before() {
    check_all((0..40).map(|seed| {
        let mut text = Vec::new();
        generate::write(Plan { seed, records: 10, faults: 100, ..Plan::rich() }, &mut text).unwrap();
        (format!("seed {seed}"), text)
    }));
}

/// Line ends, a byte order mark, and what can't be read in one record leave the others to be mended.
#[test]
fn all_that_can_be_mended_around_what_cannot_is() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let record = |id: u8, movetext: &str| {
        format!("[Variant \"C'escacs\"]\n[Id \"Me-X{id:02}\"]\n[Annotator \"Me\"]\n{movetext}\n")
    };
    let bad = [
        record(1, "1. E7-E13 E21-E15 :\n*\n"),
        record(2, "1. E7-~E13 E21-E15 :\n*"),
        record(3, "1. E7-E13 E21-E15 :\n*\n{ never closed\n"),
        record(4, "1. E7-E13 E21-E15 \n{ @B b }{ @W w }\n2.F8-F12 F20-F16:\n* "),
    ];
    let good = [
        record(1, "1. E7-E13, E21-E15 :\n*\n"),
        record(2, "1. E7-~E13, E21-E15 :\n*\n"),
        record(3, "1. E7-E13, E21-E15 :\n*\n{ never closed\n"),
        record(4, "1. E7-E13, E21-E15\n{ @W: w }\n{ @B: b }\n2. F8-F12, F20-F16:\n*"),
    ];
    let file = |mark: &str, records: [String; 4], line_end: &str| {
        let text = records.concat().replace('\n', line_end);
        [mark, &text].concat().bytes().map(|byte| if byte == b'~' { 0xE0 } else { byte }).collect::<Vec<_>>()
    };
    for (line_end, mended_end) in [("\n", "\n"), ("\r\n", "\r\n"), ("\r", "\n")] {
        let mut text = file("\u{FEFF}", bad.clone(), line_end);
        text.truncate(text.len() - line_end.len());
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a");
        std::fs::write(&path, &text).unwrap();
        let new = mended(&linter, &[Input::File(path)], Applicability::Unsafe);
        let expected = file("", good.clone(), mended_end);
        assert!(new == expected, "{}\n->\n{}", text.escape_ascii(), new.escape_ascii());
        assert_eq!(check(&linter, "files", &text, Applicability::Safe), None);
    }
}

/// Signs and words that change a text when they are put into it.
const WORDS: &str = " |  |\t|\n|\n\n|\r\n|\r|.|..|,|, |;| ; |%|{|}|{ @W: a }|{ @B b }|{: @W: 0.1 }|(|)|)\n(|:|#|!|?| ?!|$1|(=)|*|3-0|\n*\n|\
    0|1.|2. |E7-E13|…|...|+|—|x|\"|\u{A0}|\u{200B}|\u{FEFF}|[Variant \"C'escacs\"]|[Id \"Me-X01\"]\n|[Round \"?\"]||||";

/// A text with changes: where each begins, how many bytes go, and the word that comes.
fn changed(text: &[u8], changes: &[(u32, usize, &str)]) -> Vec<u8> {
    let mut text = text.to_vec();
    for (at, len, word) in changes {
        let at = *at as usize % (text.len() + 1);
        let end = text.len().min(at + len);
        text.splice(at..end, word.bytes());
    }
    text
}

/// The same texts each time; `PROPTEST_CASES` may ask for more of them.
#[test]
fn changed_examples_replay_as_before() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let change = (any::<u32>(), 0..3_usize, select(WORDS.split('|').collect::<Vec<_>>()));
    let texts =
        (select(examples()), vec(change, 1..5)).prop_map(|((name, text), changes)| (name, changed(&text, &changes)));
    let config = ProptestConfig { failure_persistence: None, ..ProptestConfig::default() };
    let random = TestRng::deterministic_rng(RngAlgorithm::ChaCha);
    let tested = TestRunner::new_with_rng(config, random).run(&texts, |(name, text)| {
        let kinds = [Applicability::Safe, Applicability::Unsafe];
        let wrong = kinds.into_iter().find_map(|most| check(&linter, &name, &text, most));
        wrong.map_or(Ok(()), |wrong| Err(TestCaseError::fail(wrong)))
    });
    if let Err(TestError::Fail(why, _)) = tested {
        panic!("{why}");
    }
}
