//! How fast archives are worked through: `make bench`. One thread; bytes and plies a second. Each stage includes those
//! before it; linting and filtering read a file.
#![allow(clippy::expect_used, reason = "a bench without its archive is no bench")]

#[path = "generate.rs"]
mod generate;

use std::fmt;
use std::io::Write;
use std::ops::ControlFlow;
use std::sync::LazyLock;

use ctl::driver::Options;
use ctl::filter::{self, Form, Wanted};
use ctl::lint::select::Words;
use ctl::lint::{self, Catalogue, Linter, Selection};
use ctl::replay::Replayer;
use ctl::source::{Input, Splitter};
use ctl::syntax::{Begins, Reader};
use divan::counter::{BytesCount, ItemsCount};
use divan::{Bencher, black_box};
use generate::Plan;
use generate::record::Written;

const RECORDS: u64 = 1000;

/// An archive in memory.
struct Archive {
    text: Vec<u8>,
    /// Where each record begins.
    cuts: Vec<usize>,
    plies: u64,
    file: tempfile::NamedTempFile,
}

static PLAIN: LazyLock<Archive> = LazyLock::new(|| build(Plan::plain()));
static COMMENTED: LazyLock<Archive> = LazyLock::new(|| build(Plan::commented()));
static RICH: LazyLock<Archive> = LazyLock::new(|| build(Plan::rich()));

#[derive(Clone, Copy)]
enum Which {
    /// No comments.
    Plain,
    /// A comment every second pair.
    Commented,
    /// Everything that the format has.
    Rich,
}

impl fmt::Display for Which {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Which::Plain => "plain",
            Which::Commented => "commented",
            Which::Rich => "rich",
        })
    }
}

impl Which {
    fn archive(self) -> &'static Archive {
        match self {
            Which::Plain => &PLAIN,
            Which::Commented => &COMMENTED,
            Which::Rich => &RICH,
        }
    }
}

impl Archive {
    fn records(&self) -> impl Iterator<Item = &[u8]> {
        let ends = self.cuts.iter().copied().skip(1).chain([self.text.len()]);
        self.cuts.iter().zip(ends).map(|(from, to)| &self.text[*from..to])
    }
}

fn build(plan: Plan) -> Archive {
    let file = tempfile::NamedTempFile::new().expect("a temporary file");
    let mut archive = Archive { text: Vec::new(), cuts: Vec::new(), plies: 0, file };
    for record in generate::Archive::new(Plan { records: RECORDS, ..plan }) {
        let Written { text, plies, .. } = record.written;
        archive.cuts.push(archive.text.len());
        archive.text.extend_from_slice(&text);
        archive.text.push(b'\n');
        archive.plies += plies;
    }
    archive.file.write_all(&archive.text).expect("a written archive");
    archive
}

/// Runs `work` over an archive, with its bytes and plies as counters.
fn run(bencher: Bencher<'_, '_>, which: Which, mut work: impl FnMut(&'static Archive)) {
    let archive = which.archive();
    bencher
        .counter(BytesCount::new(archive.text.len()))
        .counter(ItemsCount::new(archive.plies))
        .bench_local(|| work(black_box(archive)));
}

const ARCHIVES: [Which; 3] = [Which::Plain, Which::Commented, Which::Rich];

/// Where records begin.
#[divan::bench(args = ARCHIVES)]
fn cut(bencher: Bencher<'_, '_>, which: Which) {
    let mut starts = Vec::new();
    run(bencher, which, |archive| {
        starts.clear();
        Splitter::default().scan(&archive.text, true, &mut starts);
        black_box(starts.len());
    });
}

/// Lexing and the tree.
#[divan::bench(args = ARCHIVES)]
fn read(bencher: Bencher<'_, '_>, which: Which) {
    let mut reader = Reader::default();
    run(bencher, which, |archive| {
        for text in archive.records() {
            black_box(reader.read(text, Begins::Line).items.len());
        }
    });
}

/// Lexing, the tree, and every ply on the board.
#[divan::bench(args = ARCHIVES)]
fn replay(bencher: Bencher<'_, '_>, which: Which) {
    let (mut reader, mut replayer) = (Reader::default(), Replayer::default());
    run(bencher, which, |archive| {
        for text in archive.records() {
            black_box(replayer.replay(&mut reader.read(text, Begins::Line)));
        }
    });
}

fn inputs(archive: &Archive) -> [Input; 1] {
    [Input::File(archive.file.path().to_owned())]
}

fn lint_without(bencher: Bencher<'_, '_>, which: Which, ignored: &[&str]) {
    let catalogue = Catalogue::load();
    let words = Words { ignore: ignored.iter().map(|&word| word.to_owned()).collect(), ..Words::default() };
    let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).expect("rules by their names"));
    run(bencher, which, |archive| {
        lint::run(&inputs(archive), &Options::default(), &linter, |told| {
            black_box(told);
            ControlFlow::Continue(())
        });
    });
}

/// Linting by the format alone: no rules of play, and none that look at records together.
#[divan::bench(args = ARCHIVES)]
fn lint_format(bencher: Bencher<'_, '_>, which: Which) {
    lint_without(bencher, which, &["play", "X"]);
}

/// Linting as it is when nothing else is asked for.
#[divan::bench(args = ARCHIVES)]
fn lint(bencher: Bencher<'_, '_>, which: Which) {
    lint_without(bencher, which, &[]);
}

fn filter_to(bencher: Bencher<'_, '_>, which: Which, form: Form) {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::usual(catalogue));
    let wanted = Wanted::Records(form);
    run(bencher, which, |archive| {
        filter::run(&inputs(archive), &Options::default(), &linter, &wanted, false, |told| {
            black_box(told);
            ControlFlow::Continue(())
        });
    });
}

/// The minimal form.
#[divan::bench(args = ARCHIVES)]
fn minimal(bencher: Bencher<'_, '_>, which: Which) {
    filter_to(bencher, which, Form::MINIMAL);
}

/// The canonical form.
#[divan::bench(args = ARCHIVES)]
fn canonical(bencher: Bencher<'_, '_>, which: Which) {
    filter_to(bencher, which, Form::CANONICAL);
}

fn main() {
    divan::main();
}
