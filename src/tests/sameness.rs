//! Whatever has two ways gives the same bytes, and what the filter writes keeps what it promises (§13.2, §13.3), on an
//! archive of the generator and on the data of the tests.

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate.rs"]
mod generate;

use std::collections::BTreeSet;
use std::fs;
use std::io::{Read, Write};
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ctl::driver::Options;
use ctl::filter::{
    self, CheckSigns, Comments, Data, Form, Gather, Layout, Notation, Part, PieceLetters, Separators, Take, Wanted,
};
use ctl::game::{Check, Ply};
use ctl::lint::{self, Baseline, Catalogue, Linter, Selection, Severity, suppress};
use ctl::notation::{Fragment, Letters, pdtl};
use ctl::replay::Replayer;
use ctl::source::{Input, Splitter};
use ctl::syntax::{Begins, Fault, FaultKind, ItemKind, Reader};
use generate::random::Random;
use generate::{Archive, Plan};
use proptest::prelude::*;

fn plan(faults: u32) -> Plan {
    Plan { seed: 20_261_130, records: 400, ..Plan::rich() }.with_faults(faults)
}

fn archive(faults: u32) -> Vec<u8> {
    let mut text = Vec::new();
    generate::write(plan(faults), &mut text).expect("a vector takes all");
    text
}

/// The faulty archive, more than once if need be: long enough to be mapped.
fn long_archive() -> Vec<u8> {
    let text = archive(10);
    text.repeat(1 + (1 << 20) / text.len())
}

/// Lines and fragments of an archive, some of which don't fit the others, and some of which can't be read.
fn parts() -> Vec<u8> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("whole.ctl-pgn");
    let mut whole = Vec::new();
    generate::write(Plan { records: 100, ids: 90, ..plan(0) }, &mut whole).expect("a vector takes all");
    fs::write(&file, whole).expect("written");
    let fragment = |name| Take::Fragment(Fragment::parse(name).expect("pairs in their order"));
    let takes = [Take::EveryLine, fragment("O2w"), fragment("C2b-4"), fragment("E5")];
    let texts =
        takes.map(|take| filtered(&file, &linter(), &Options::default(), &Wanted::Parts(take, Form::CANONICAL)).text);
    let mut records: Vec<_> = texts.iter().map(|text| String::from_utf8_lossy(text)).collect::<Vec<_>>();
    let lines = records.remove(0).into_owned();
    // The fragments of a game one behind the other.
    let id = |record: &str| record.split("[Id \"").nth(1).and_then(|id| id.split(['-', '"']).nth(1).map(str::to_owned));
    let cut = |text: &str| text.split_inclusive("\n\n").map(str::to_owned).collect::<Vec<_>>();
    let mut fragments: Vec<_> = records.iter().flat_map(|text| cut(text)).collect();
    fragments.sort_by_key(|record| id(record));
    let all = cut(&lines).into_iter().chain(fragments).enumerate().map(|(index, record)| match index {
        _ if index % 17 == 3 => record.replacen("[Annotator", "[Mode \"OTB\"]\n[Annotator", 1),
        _ if index % 19 == 5 => record.replacen(". ", ". X ", 1),
        _ => record,
    });
    all.map(|record| record.trim_end().to_owned() + "\n\n").collect::<String>().into_bytes()
}

/// The archives among the data of the tests.
fn data() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("testdata");
    let files =
        |folder: &Path| fs::read_dir(folder).expect("a folder").map(|file| file.expect("readable").path()).collect();
    let mut all: Vec<PathBuf> = files(&folder);
    all.extend::<Vec<PathBuf>>(files(&folder.join("examples")));
    all.retain(|path| path.extension().is_some_and(|extension| extension == "ctl-pgn"));
    assert!(all.len() >= 13);
    all
}

fn gzip(text: &[u8]) -> Vec<u8> {
    let mut packed = Vec::new();
    flate2::read::GzEncoder::new(text, flate2::Compression::fast())
        .read_to_end(&mut packed)
        .expect("a vector takes all");
    packed
}

fn zstd(text: &[u8]) -> Vec<u8> {
    zstd::encode_all(text, 1).expect("a vector takes all")
}

/// The text in gzip and in zstd, in one part and in many parts, which end anywhere in a record; some are empty, or hold no
/// text.
fn packed(text: &[u8]) -> [(&'static str, Vec<u8>); 4] {
    let part = text.len() / 50 + 1;
    let many = |pack: fn(&[u8]) -> Vec<u8>, between: &[u8]| {
        let parts = text.chunks(part).map(|part| [&pack(part)[..], between].concat());
        parts.chain([pack(b"")]).collect::<Vec<_>>().concat()
    };
    [
        ("gz", gzip(text)),
        ("members.gz", many(gzip, &gzip(b""))),
        ("zst", zstd(text)),
        ("frames.zst", many(zstd, b"\x53\x2A\x4D\x18\x02\0\0\0no")),
    ]
}

const LINT: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-lint"), &["--format", "json"]);
const FILTER: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--minimal"]);
const CANONICAL: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--canonical", "--letters", "fan", "--ascii"]);

/// Exit status, standard output, standard error.
fn program((program, arguments): (&str, &[&str]), more: &[&str], stdin: &[u8]) -> (Option<i32>, String, String) {
    let mut child = Command::new(program)
        .args(arguments)
        .args(more)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("it is built");
    let mut pipe = child.stdin.take().expect("it is piped");
    let output = std::thread::scope(|scope| {
        scope.spawn(move || {
            // Who reads a file closes it unread.
            let _ = pipe.write_all(stdin);
        });
        child.wait_with_output().expect("it ends")
    });
    let text = |bytes| String::from_utf8(bytes).expect("programs write UTF-8");
    (output.status.code(), text(output.stdout), text(output.stderr))
}

const JSON_LINES: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "jsonl", "--pdtl"]);
const JSON: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "json"]);
const ROWS: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "csv"]);
const POSITIONS: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "pdtl-per-ply"]);
const MERGE: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--merge-variations"]);
const JOIN: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--join", "--canonical"]);
const FROM_JSON: (&str, &[&str]) = (env!("CARGO_BIN_EXE_ctl-filter"), &["--from", "jsonl"]);

/// What reads CTL-PGN.
const COMMANDS: [(&str, &[&str]); 9] = [LINT, FILTER, CANONICAL, MERGE, JOIN, JSON_LINES, JSON, ROWS, POSITIONS];

#[test]
fn threads_maps_and_pipes_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let lay = |name: &str, text: &[u8]| {
        let file = folder.path().join(name);
        fs::write(&file, text).expect("written");
        file
    };
    let long = long_archive();
    let json = json_lines(&long);
    for file in data().into_iter().chain([lay("long.ctl-pgn", &long), lay("parts.ctl-pgn", &parts())]) {
        COMMANDS.iter().for_each(|command| same_in_all_ways(*command, &file));
    }
    same_in_all_ways(FROM_JSON, &lay("long.jsonl", &json));
}

/// An archive in JSON, with lines among it that are no records.
fn json_lines(text: &[u8]) -> Vec<u8> {
    let (_, json, _) = program(JSON_LINES, &[], text);
    let mut lines: Vec<&str> = json.lines().collect();
    assert!(lines.len() > 100);
    (0..lines.len()).step_by(37).for_each(|at| lines[at] = ["", "{\"tags\":\u{D7}}", "[]"][at % 3]);
    (0..lines.len()).step_by(41).for_each(|at| lines[at] = &lines[at][..lines[at].len() / 2]);
    lines.join("\n").into_bytes()
}

fn same_in_all_ways(command: (&str, &[&str]), file: &Path) {
    let text = fs::read(file).expect("it is there");
    let name = file.to_str().expect("UTF-8");
    let want = program(command, &["-j", "1", name], b"");
    for ways in [&["-j", "2"][..], &["-j", "8"], &["-j", "1", "--no-mmap"], &["-j", "8", "--no-mmap"]] {
        assert!(program(command, &[ways, &[name]].concat(), b"") == want, "{command:?} {name} {ways:?}");
    }
    for threads in ["1", "8"] {
        let (status, out, err) = program(command, &["-j", threads, "-"], &text);
        let (out, err) = (out.replace("<stdin>", name), err.replace("<stdin>", name));
        assert!((status, out, err) == want, "{command:?} {name} through a pipe");
    }
}

#[test]
fn compressed_files_say_what_plain_ones_do() {
    let folder = tempfile::tempdir().expect("a folder");
    let [long, lines] = ["long.ctl-pgn", "long.jsonl"].map(|name| folder.path().join(name));
    fs::write(&long, archive(5).repeat(2)).expect("written");
    let parts = folder.path().join("parts.ctl-pgn");
    fs::write(&parts, self::parts()).expect("written");
    fs::write(&lines, json_lines(&archive(5))).expect("written");
    for file in data().into_iter().chain([long, parts, lines.clone()]) {
        let text = fs::read(&file).expect("it is there");
        let name = file.to_str().expect("UTF-8");
        let ways = packed(&text).map(|(way, bytes)| {
            let path = folder.path().join(format!("packed.{way}"));
            fs::write(&path, &bytes).expect("written");
            (path.to_str().expect("UTF-8").to_owned(), bytes)
        });
        for command in if file == lines { &[FROM_JSON][..] } else { &COMMANDS } {
            let want = program(*command, &["-j", "1", name], b"");
            for (path, bytes) in &ways {
                for (threads, path, stdin) in [("1", &path[..], &b""[..]), ("8", path, b""), ("8", "-", bytes)] {
                    let (status, out, err) = program(*command, &["-j", threads, path], stdin);
                    let shown = if path == "-" { "<stdin>" } else { path };
                    assert!((status, out.replace(shown, name), err.replace(shown, name)) == want, "{name} {path}");
                }
            }
        }
    }
}

#[test]
fn damaged_files_are_read_as_far_as_they_go() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("damaged");
    let name = file.to_str().expect("UTF-8");
    let text = archive(5);
    for (way, mut bytes) in packed(&text) {
        bytes.truncate(bytes.len() * 2 / 3);
        fs::write(&file, &bytes).expect("written");
        for command in [LINT, FILTER] {
            let program = |args: &[&str], input: &[u8]| program(command, args, input);
            let want = program(&["-j", "1", name], b"");
            assert_eq!(want.0, Some(2), "{way}");
            let said = format!("{}{}", want.1, want.2);
            assert_eq!(said.matches("F116").count(), if command == LINT { 2 } else { 1 }, "{way}: {said}");
            assert_eq!(program(&["-j", "8", "--no-mmap", name], b""), want, "{way}");
            let (status, out, err) = program(&["-j", "8", "-"], &bytes);
            assert_eq!((status, out.replace("<stdin>", name), err.replace("<stdin>", name)), want, "{way}");
        }
        // All whole records are written or refused, and what is written of them is what is written of the whole file.
        let linter = linter();
        let options = Options::default();
        let (_, records, _) = lint_told(&file, &linter, &options);
        assert!(records > 100, "{way}: {records}");
        let some = filtered(&file, &linter, &options, &MINIMAL);
        let whole = folder.path().join("whole");
        fs::write(&whole, &text).expect("written");
        assert!(filtered(&whole, &linter, &options, &MINIMAL).text.starts_with(&some.text), "{way}");
        fs::write(&whole, &some.text).expect("written");
        assert_eq!(lint_told(&whole, &linter, &options).1 + some.refused, records, "{way}");
        let pdtl = filtered(&file, &linter, &options, &Wanted::Pdtl).text;
        assert_eq!(memchr::memchr_iter(b'\n', &pdtl).count() as u64, records, "{way}");
        assert!(pdtl.ends_with(b"\n?\n"), "{way}");
    }
}

/// All that a run tells, but for the progress and where chunks end.
fn lint_told(file: &Path, linter: &Linter, options: &Options) -> (Vec<String>, u64, u64) {
    let (mut all, mut records, mut plies) = (Vec::new(), 0, 0);
    lint::run(&[Input::File(file.to_owned())], options, linter, |told| {
        match told {
            lint::Told::Finding(file, finding, _) => all.push(format!("{file:?} {finding:?}")),
            lint::Told::Done { plies: more, .. } => plies += more,
            lint::Told::File { records: more, .. } => records += more,
            lint::Told::Failed(file, why) => all.push(format!("{file:?} {why:?}")),
        }
        ControlFlow::Continue(())
    });
    (all, records, plies)
}

#[derive(PartialEq, Eq, Default)]
struct Filtered {
    text: Vec<u8>,
    findings: Vec<String>,
    refused: u64,
}

fn filtered(file: &Path, linter: &Linter, options: &Options, wanted: &Wanted) -> Filtered {
    let mut all = Filtered::default();
    filter::run(&[Input::File(file.to_owned())], options, linter, wanted, false, |told| {
        match told {
            filter::Told::Text(text) => all.text.extend_from_slice(text),
            filter::Told::Finding(file, finding, _) => all.findings.push(format!("{file:?} {finding:?}")),
            filter::Told::Refused(_) => all.refused += 1,
            filter::Told::Done(_) => {}
            filter::Told::Failed => all.findings.push("failed".to_owned()),
        }
        ControlFlow::Continue(())
    });
    all
}

fn linter() -> Linter {
    let catalogue = Catalogue::load();
    Linter::new(catalogue, &Selection::everything(catalogue))
}

#[test]
fn chunks_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let generated = folder.path().join("generated.ctl-pgn");
    fs::write(&generated, archive(10)).expect("written");
    let parts = folder.path().join("parts.ctl-pgn");
    fs::write(&parts, self::parts()).expect("written");
    let gathered = [Gather::Lines, Gather::Fragments].map(|how| Wanted::Gathered(how, Form::WHOLE));
    let linter = linter();
    for file in data().into_iter().chain([generated, parts.clone()]) {
        let of = |file: &Path, threads, chunk| {
            let options = Options { threads, chunk, ..Options::default() };
            let forms = [&MINIMAL, &Wanted::Pdtl, &gathered[0], &gathered[1], &ROWS_WITH_POSITIONS, &LINES];
            (lint_told(file, &linter, &options), forms.map(|wanted| filtered(file, &linter, &options, wanted)))
        };
        let all = |threads, chunk| of(&file, threads, chunk);
        let want = all(1, 256 << 10);
        if file == parts {
            // Some are put together, and some don't fit.
            for (how, wanted) in gathered.iter().zip(&want.1[2..4]) {
                let unfit = wanted.findings.iter().filter(|told| told.contains("not put together")).count();
                let records = memchr::memmem::find_iter(&wanted.text, b"[Variant").count();
                let all = want.0.1 as usize;
                assert!(
                    unfit > 10 && records + wanted.refused as usize + 10 < all,
                    "{unfit} {records} {} {all} {how:?}",
                    wanted.refused
                );
            }
        }
        for (way, bytes) in packed(&fs::read(&file).expect("it is there")) {
            let packed = folder.path().join("packed");
            fs::write(&packed, bytes).expect("written");
            for (threads, chunk) in [(1, 1), (2, 1 << 20)] {
                assert!(of(&packed, threads, chunk) == want, "{} {way} {threads} {chunk}", file.display());
            }
        }
        for (threads, chunk) in [(1, 1), (2, 1), (1, 64 << 10), (2, 64 << 10), (1, 1 << 20), (2, 1 << 20)] {
            assert!(all(threads, chunk) == want, "{} {threads} {chunk}", file.display());
        }
    }
}

#[test]
fn chunks_of_lines_do_not_matter() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("lines.jsonl");
    let mut lines = Vec::new();
    generate::write(Plan { records: 120, ..plan(10) }, &mut lines).expect("a vector takes all");
    let lines = json_lines(&lines);
    let linter = linter();
    // Behind the last line end nothing stands, or an empty line, or a record.
    for text in [[&lines[..], b"\n"].concat(), [&lines[..], b"\r\n\r\n"].concat(), lines] {
        fs::write(&file, &text).expect("written");
        let of = |threads, chunk| {
            let options = Options { threads, chunk, lines: true, ..Options::default() };
            [CANONICAL_FORM, ROWS_WITH_POSITIONS].map(|wanted| filtered(&file, &linter, &options, &wanted))
        };
        let want = of(1, 256 << 10);
        assert!(want[0].refused > 3 && want[0].text.len() > 100_000);
        for (threads, chunk) in [(1, 10), (2, 1000), (1, 64 << 10), (2, 1 << 20)] {
            assert!(of(threads, chunk) == want, "{threads} {chunk}");
        }
    }
}

const MINIMAL: Wanted = Wanted::Records(Form::MINIMAL);
const CANONICAL_FORM: Wanted = Wanted::Records(Form::CANONICAL);
const LINES: Wanted = Wanted::Data(Data { notation: Notation::Jsonl, positions: false });
const ROWS_WITH_POSITIONS: Wanted = Wanted::Data(Data { notation: Notation::Csv, positions: true });

/// Findings of several files, in the order in which they are told.
fn told_of(files: &[PathBuf], linter: &Linter, options: &Options) -> Vec<String> {
    let inputs: Vec<Input> = files.iter().map(|file| Input::File(file.clone())).collect();
    let mut all = Vec::new();
    lint::run(&inputs, options, linter, |told| {
        if let lint::Told::Finding(file, finding, _) = told {
            all.push(format!("{file:?} {finding:?}"));
        }
        ControlFlow::Continue(())
    });
    all
}

#[test]
fn the_whole_archive_is_weighed_the_same_in_any_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let game = |round: u32, id: &str, moves: &str| {
        let tags = format!("[Event \"CG\"]\n[Site \"?\"]\n[Date \"2031-05-17\"]\n[Round \"{round}\"]\n");
        format!("[Variant \"C'escacs\"]\n{tags}[White \"A\"]\n[Black \"B\"]\n[Result \"*\"]\n{id}{moves} :\n*\n\n")
    };
    let five = "1. E7-E13, E21-E15\n2. F8-F12, F20-F16\n3. E13×F16, E15×F12\n4. EG5-F8, EG23-F20\n5. G7-G13, F12@@G9";
    let six = format!("{five}\n6. JF6×G9, EF20×F16");
    let mut filling = Vec::new();
    generate::write(Plan { records: 60, ..plan(0) }, &mut filling).expect("a vector takes all");
    let filling = String::from_utf8(filling).expect("UTF-8");
    let texts = [
        [filling.as_str(), "\n", &game(1, "", &six)].concat(),
        [&game(1, "[Id \"Me-7\"]\n[Model \"Me-O01\"]\n", &six), &game(2, "", five), filling.as_str()].concat(),
        [&game(1, "", &six), "[Variant \"C'escacs\"]\n[Id \"Me-7\"]\n[Annotator \"Me\"]\n1. E7-E13 :\n*\n"].concat(),
    ];
    let lay = |pack: fn(&[u8]) -> Vec<u8>| -> Vec<PathBuf> {
        let lay = |(number, text): (usize, &String)| {
            let file = folder.path().join(number.to_string());
            fs::write(&file, pack(text.as_bytes())).expect("written");
            file
        };
        texts.iter().enumerate().map(lay).collect()
    };
    let linter = linter();
    let plain = lay(<[u8]>::to_vec);
    let want = told_of(&plain, &linter, &Options::default());
    let rules = |name: &str| {
        let rule = linter.catalogue().find(name).expect("there is such a rule");
        want.iter().filter(|told| told.contains(&format!(" rule: {rule:?},"))).count()
    };
    assert_eq!([rules("contained"), rules("lost-reference"), rules("repeated-id")], [1, 1, 1]);
    assert!(rules("repeated-game") > 20 && rules("repeated-record") > 5);
    for pack in [|text: &[u8]| text.to_vec(), gzip, zstd] {
        let files = lay(pack);
        for (threads, chunk) in [(1, 1), (3, 1 << 10), (2, 64 << 10), (2, 1 << 20)] {
            let options = Options { threads, chunk, ..Options::default() };
            assert!(told_of(&files, &linter, &options) == want, "{threads} {chunk}");
        }
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_pipe_among_files_is_weighed_as_a_file_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file.ctl-pgn");
    let text = archive(5);
    fs::write(&file, &text).expect("written");
    let name = file.to_str().expect("UTF-8");
    let other = folder.path().join("other.ctl-pgn");
    fs::write(&other, &text).expect("written");
    let shown = other.to_str().expect("UTF-8");
    for order in [[shown, name], [name, shown]] {
        let want = program(LINT, &["-j", "2", order[0], order[1]], b"");
        assert!(want.1.contains("X102"));
        let piped = order.map(|path| if path == shown { "-" } else { path });
        let more = [&["-j", "2", "--stdin-filename", shown][..], &piped].concat();
        assert!(program(LINT, &more, &text) == want);
    }
}

/// What the filter makes of one record: nothing when it refuses it.
#[test]
fn what_is_found_is_suppressed_and_known_the_same_in_any_way() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("faulty.ctl-pgn");
    fs::write(&file, archive(60)).expect("written");
    let (inputs, linter) = ([Input::File(file.clone())], linter());
    let ways =
        [(1, 256 << 10), (3, 1), (2, 1000)].map(|(threads, chunk)| Options { threads, chunk, ..Options::default() });
    let texts = ways.each_ref().map(|options| {
        let mut wanted = suppress::Wanted::new();
        let mut baseline = Baseline::begin();
        lint::run(&inputs, options, &linter, |told| {
            if let lint::Told::Finding(_, finding, _) = told {
                wanted.entry(finding.record).or_default().insert(finding.rule);
            }
            ControlFlow::Continue(())
        });
        assert!(wanted.len() > 100);
        lint::run_beyond(&mut baseline, &inputs, options, &linter, |told| {
            assert!(!matches!(told, lint::Told::Finding(..)), "{told:?}");
            ControlFlow::Continue(())
        });
        let (mut known, mut with) = (Vec::new(), Vec::new());
        baseline.write(&linter, &mut known).expect("a vector takes all");
        suppress::add(&inputs[0], options, &linter, &wanted, "a test", &mut with).expect("a vector takes all");
        (known, with)
    });
    assert!(texts[0] == texts[1] && texts[0] == texts[2]);
    fs::write(&file, &texts[0].1).expect("written");
    for options in &ways {
        // What is said of the file as a whole can't be suppressed in it.
        let left: Vec<_> = lint_told(&file, &linter, options).0;
        assert!(left.iter().all(|told| told.contains("record: 0,")), "{left:?}");
    }
}

fn written(text: &[u8], form: &Form) -> Option<Vec<u8>> {
    let mut reader = Reader::default();
    let mut record = reader.read(text, Begins::File);
    Replayer::default().replay(&mut record);
    let mut out = Vec::new();
    filter::write(&record, form, &mut out).is_ok().then_some(out)
}

/// The position after a record's last coherent ply.
fn last(text: &[u8]) -> Option<String> {
    let mut reader = Reader::default();
    let mut record = reader.read(text, Begins::File);
    let position = Replayer::default().replay(&mut record).last?;
    let mut out = Vec::new();
    pdtl::write(&position, &Letters::STANDARD, &mut out);
    Some(String::from_utf8(out).expect("letters and digits"))
}

/// The rules that find errors in a text.
fn errors(text: &[u8], linter: &Linter) -> BTreeSet<String> {
    findings(text, linter, Severity::Error)
}

/// The rules that find something in a text that is at least as bad.
fn findings(text: &[u8], linter: &Linter, least: Severity) -> BTreeSet<String> {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("record.ctl-pgn");
    fs::write(&file, text).expect("written");
    let mut found = BTreeSet::new();
    lint::run(&[Input::File(file)], &Options::default(), linter, |told| {
        if let lint::Told::Finding(_, finding, _) = told
            && finding.severity >= least
        {
            found.insert(linter.catalogue()[finding.rule].name.clone());
        }
        ControlFlow::Continue(())
    });
    found
}

#[test]
fn minimal_form_stays_and_leads_where_the_source_does() {
    let linter = linter();
    for faults in [0, 100] {
        let mut refused = 0;
        for record in Archive::new(plan(faults)) {
            let text = String::from_utf8_lossy(&record.text);
            let Some(once) = written(&record.text, &Form::MINIMAL) else {
                refused += 1;
                assert!(record.fault.is_some(), "{text}");
                continue;
            };
            assert_eq!(written(&once, &Form::MINIMAL).as_ref(), Some(&once), "{text}");
            assert_eq!(last(&once), last(&record.text), "{text}");
            let own = errors(&once, &linter);
            assert!(own.is_subset(&errors(&record.text, &linter)), "{own:?}\n{text}");
            assert!(record.fault.is_some() || own.is_empty(), "{own:?}\n{text}");
        }
        assert_eq!(refused == 0, faults == 0, "{refused}");
    }
}

#[test]
fn no_record_is_lost() {
    let linter = linter();
    let folder = tempfile::tempdir().expect("a folder");
    let faulty = folder.path().join("faulty.ctl-pgn");
    fs::write(&faulty, archive(50)).expect("written");
    let clean = folder.path().join("clean.ctl-pgn");
    fs::write(&clean, archive(0)).expect("written");
    let options = Options::default();
    for file in data().into_iter().chain([faulty, clean]) {
        let (_, records, _) = lint_told(&file, &linter, &options);
        let minimal = filtered(&file, &linter, &options, &MINIMAL);
        let written = folder.path().join("written.ctl-pgn");
        fs::write(&written, &minimal.text).expect("written");
        let (_, written_records, _) = lint_told(&written, &linter, &options);
        assert_eq!(written_records + minimal.refused, records, "{}", file.display());
        let pdtl = filtered(&file, &linter, &options, &Wanted::Pdtl);
        assert_eq!(memchr::memchr_iter(b'\n', &pdtl.text).count() as u64, records, "{}", file.display());
        let again = filtered(&written, &linter, &options, &MINIMAL);
        assert!(again.text == minimal.text && again.refused == 0, "{}", file.display());
    }
}

fn lettered(name: &str, form: &Form) -> Form {
    Form { letters: PieceLetters::These(Letters::tradition(name).expect(name)), ..form.clone() }
}

/// Every part, and some of them together.
fn forms() -> Vec<Form> {
    let without = |form: Form, parts: &[Part]| parts.iter().fold(form, |form, part| form.without(*part));
    let mut forms = vec![Form::WHOLE, Form { retag: true, ..Form::MINIMAL }, without(Form::MINIMAL, Part::ALL)];
    forms.extend([Form::CANONICAL, Form { retag: true, ..without(Form::CANONICAL, &[Part::AutoComments]) }]);
    forms.push(Form { separators: Separators::Ascii, ..Form::WHOLE });
    for (letters, separators) in
        [("en", Separators::AsWritten), ("fan", Separators::Typographic), ("ca", Separators::Ascii)]
    {
        forms.push(Form { separators, ..lettered(letters, &Form::WHOLE) });
        forms.push(lettered(letters, &Form::CANONICAL));
    }
    forms.extend(Part::ALL.iter().map(|part| Form::WHOLE.without(*part)));
    for parts in [
        &[Part::Redefine, Part::CheckPrecision, Part::DrawOffers][..],
        &[Part::Redefine, Part::Comments],
        &[Part::Redefine, Part::Variations],
        &[Part::AutoComments, Part::Valuations, Part::OptionalTags],
        &[Part::Comments, Part::Variations],
    ] {
        forms.extend([false, true].map(|retag| Form { retag, ..without(Form::WHOLE, parts) }));
    }
    forms
}

/// The plies of a record, of variations too if wanted, each with how deep it lies; none has a sign of check. As all of them
/// are coherent from where the record starts, they reach the same positions where they are the same.
fn plies(text: &[u8], variations: bool) -> Vec<(usize, u32)> {
    let mut reader = Reader::default();
    let mut record = reader.read(text, Begins::File);
    Replayer::default().replay(&mut record);
    let concerns = |fault: &Fault| matches!(fault.kind, FaultKind::Incoherence(_)) && (variations || !fault.aside);
    assert!(!record.faults.iter().any(concerns), "{}", String::from_utf8_lossy(text));
    let mut depth = 0;
    let mut plies = Vec::new();
    for item in record.items {
        match item.kind {
            ItemKind::Open => depth += 1,
            ItemKind::Close => depth -= 1,
            ItemKind::Ply if variations || depth == 0 => {
                let ply = Ply::from_bits(item.value).expect("none is unread");
                plies.push((depth, ply.with_check(Check::None).to_bits()));
            }
            _ => {}
        }
    }
    plies
}

#[test]
fn every_form_stays_and_leads_where_the_source_does() {
    let linter = linter();
    let forms = forms();
    for record in Archive::new(Plan { records: 80, ..plan(0) }) {
        let text = String::from_utf8_lossy(&record.text);
        let before = errors(&record.text, &linter);
        for form in &forms {
            let once = written(&record.text, form).expect("it has no fault");
            let shown = String::from_utf8_lossy(&once);
            assert_eq!(written(&once, form).as_ref(), Some(&once), "{form:?}\n{text}");
            assert_eq!(last(&once), last(&record.text), "{form:?}\n{text}");
            let variations = form.keep.variations;
            assert_eq!(plies(&once, variations), plies(&record.text, variations), "{form:?}\n{text}");
            let own = errors(&once, &linter);
            assert!(own.is_subset(&before), "{own:?} {form:?}\n{text}\n{shown}");
            let left = [
                (form.keep.comments == Comments::None, "{"),
                (form.keep.comments != Comments::All, "{:"),
                (!form.keep.offers, "(=)"),
                (!form.keep.valuations, "?!"),
                (form.letters == PieceLetters::STANDARD, "[Redefine"),
                (form.separators == Separators::Ascii, "×"),
                (form.separators == Separators::Canonical, ". ..., "),
                (form.signs == CheckSigns::Plain, "+^"),
                (form.signs == CheckSigns::Plain, "+∞"),
                (!form.keep.optional_tags, "[Mode"),
            ];
            for (gone, sign) in left {
                assert!(!gone || !shown.contains(sign), "{sign} {form:?}\n{text}");
            }
        }
        assert_eq!(written(&record.text, &Form::WHOLE).as_ref(), Some(&record.text), "nothing is left out of it");
    }
}

#[test]
fn what_is_spoilt_is_mended_or_refused_in_every_form() {
    let linter = linter();
    let forms = forms();
    let mut refused = 0;
    for record in Archive::new(Plan { records: 160, ..plan(100) }) {
        let text = String::from_utf8_lossy(&record.text);
        for form in &forms {
            let Some(once) = written(&record.text, form) else {
                refused += 1;
                continue;
            };
            assert_eq!(written(&once, form).as_ref(), Some(&once), "{form:?}\n{text}");
            assert_eq!(last(&once), last(&record.text), "{form:?}\n{text}");
            let own = errors(&once, &linter);
            assert!(own.is_subset(&errors(&record.text, &linter)), "{own:?} {form:?}\n{text}");
        }
    }
    assert!(refused > 0);
}

#[test]
fn letters_do_not_matter_when_they_are_stripped() {
    let standard = Plan { redefine: 0, figurines: 0, ..plan(0) };
    let archive = |plan: &Plan| Archive::new(Plan { records: 150, ..plan.clone() });
    for lettered in [Plan { redefine: 100, ..standard.clone() }, Plan { figurines: 100, ..standard.clone() }] {
        let mut other = 0;
        for (standard, lettered) in archive(&standard).zip(archive(&lettered)) {
            for form in [Form::WHOLE, Form::WHOLE.without(Part::Valuations), Form::MINIMAL] {
                let form = form.without(Part::Redefine);
                let [want, found] =
                    [&standard, &lettered].map(|record| written(&record.text, &form).expect("no fault"));
                let [want, found] = [want, found].map(|text| String::from_utf8(text).expect("UTF-8"));
                assert_eq!(found, want, "{}", String::from_utf8_lossy(&lettered.text));
            }
            other += u32::from(lettered.text != standard.text);
        }
        assert!(other > 100, "{other}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn letters_there_and_back_give_the_same_canonical_bytes(
        seed in any::<u64>(),
        journey in prop::collection::vec(
            prop::sample::select(vec!["standard", "ca", "es", "it", "en", "de", "fr", "fan"]),
            1..4,
        ),
        canonical in any::<bool>(),
    ) {
        let plan = Plan { seed, records: 1, redefine: 40, figurines: 30, ..plan(0) };
        let text = Archive::new(plan).next().expect("one record").text;
        let mut reader = Reader::default();
        let own = reader.read(&text, Begins::File).setup.letters.expect("it has no fault");
        let want = written(&text, &Form::CANONICAL).expect("it has no fault");
        let form = if canonical { Form::CANONICAL } else { Form::WHOLE };
        let there = journey.iter().fold(text.clone(), |text, letters| {
            written(&text, &lettered(letters, &form)).expect("it has no fault")
        });
        prop_assert_eq!(plies(&there, true), plies(&text, true));
        let back = Form { letters: PieceLetters::These(own), ..Form::CANONICAL };
        let back = written(&there, &back).expect("it has no fault");
        prop_assert_eq!(String::from_utf8_lossy(&back), String::from_utf8_lossy(&want));
    }
}

/// A text in JSON and back, in canonical form, with what was refused on either way.
fn there_and_back(text: &[u8], positions: bool, linter: &Linter) -> (Filtered, Filtered) {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("file");
    let wanted = Wanted::Data(Data { notation: Notation::Jsonl, positions });
    fs::write(&file, text).expect("written");
    let there = filtered(&file, linter, &Options::default(), &wanted);
    fs::write(&file, &there.text).expect("written");
    let back = filtered(&file, linter, &Options { lines: true, ..Options::default() }, &CANONICAL_FORM);
    (there, back)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(150))]

    #[test]
    fn json_there_and_back_gives_the_same_canonical_bytes_and_positions(
        seed in any::<u64>(),
        positions in any::<bool>(),
    ) {
        let plan = Plan { seed, records: 3, redefine: 40, figurines: 30, ..plan(0) };
        let records: Vec<Vec<u8>> = Archive::new(plan).map(|record| record.text).collect();
        let (there, back) = there_and_back(&records.join(&b"\n"[..]), positions, &linter());
        prop_assert_eq!((there.refused, back.refused), (0, 0));
        let want: Vec<Vec<u8>> = records.iter().map(|text| written(text, &Form::CANONICAL).expect("no fault")).collect();
        let text = want.join(&b"\n"[..]);
        prop_assert_eq!(String::from_utf8_lossy(&back.text), String::from_utf8_lossy(&text));
        for (want, source) in want.iter().zip(&records) {
            prop_assert_eq!(last(want), last(source));
            prop_assert_eq!(plies(want, true), plies(source, true));
        }
    }
}

#[test]
fn what_is_kept_in_json_of_a_text_spoilt_at_random_comes_back_whole() {
    let linter = linter();
    let records: Vec<_> = Archive::new(Plan { records: 60, plies: 1..=14, ..plan(0) }).collect();
    let mut random = Random::of(9, 4);
    let (mut kept, mut refused) = (0, 0);
    for round in 0..6_000 {
        let mut text = records[round % records.len()].text.clone();
        spoil(&mut text, &mut random);
        let (mut splitter, mut others) = (Splitter::default(), Vec::new());
        splitter.scan(&text, true, &mut others);
        let want = written(&text, &Form::CANONICAL).filter(|text| std::str::from_utf8(text).is_ok());
        if !others.is_empty() {
            continue;
        }
        let (there, back) = there_and_back(&text, round % 2 == 0, &linter);
        let shown = format!("{}\n{}", String::from_utf8_lossy(&text), String::from_utf8_lossy(&there.text));
        assert_eq!((there.refused, back.refused), (u64::from(want.is_none()), 0), "{shown} {:?}", back.findings);
        let want = want.unwrap_or_default();
        assert_eq!(String::from_utf8_lossy(&back.text), String::from_utf8_lossy(&want), "{shown}");
        *if there.refused == 0 { &mut kept } else { &mut refused } += 1;
    }
    assert!(kept > 1000 && refused > 1000, "{kept} {refused}");
}

#[test]
fn canonical_form_has_no_finding_that_its_source_has_not_and_none_of_layout() {
    const LAYOUT: [&str; 13] = [
        "byte-order-mark",
        "mixed-line-ends",
        "missing-final-newline",
        "trailing-blanks",
        "tab",
        "missing-empty-line",
        "extra-empty-lines",
        "empty-line-among-tags",
        "one-pair-a-line",
        "glued-valuation",
        "blanks-before-valuation",
        "missing-reference-colon",
        "result-line",
    ];
    let linter = linter();
    let mut random = Random::of(11, 5);
    for faults in [0, 100] {
        for record in Archive::new(Plan { records: 200, ..plan(faults) }) {
            let mut text = record.text;
            loosen(&mut text, &mut random);
            let Some(once) = written(&text, &Form::CANONICAL) else { continue };
            let (mut before, after) =
                (findings(&text, &linter, Severity::Style), findings(&once, &linter, Severity::Style));
            if before.contains("line-comment") {
                // In braces it says on whose ply it is, or does not.
                before.insert("missing-player-reference".to_owned());
            }
            let shown = format!("{}\n{}", String::from_utf8_lossy(&text), String::from_utf8_lossy(&once));
            assert!(after.is_subset(&before), "{after:?} {before:?}\n{shown}");
            assert!(LAYOUT.iter().all(|rule| !after.contains(*rule)), "{after:?}\n{shown}");
        }
    }
}

/// Adds blanks, tabs and empty lines, drops colons and blanks.
fn loosen(text: &mut Vec<u8>, random: &mut Random) {
    const LOOSE: [(&str, &str); 8] = [
        (": ", " "),
        ("\n{", "\n\n {"),
        (", ", ",  "),
        ("\n", " \n"),
        ("{ @W: ", "{@W "),
        (" }", "}"),
        ("]\n[", "]\n\n["),
        ("\n0-3", " 0-3"),
    ];
    let mut loose = String::from_utf8_lossy(text).into_owned();
    for (tight, other) in LOOSE {
        if random.percent(30) {
            let mut parts = loose.split(tight);
            let first = parts.next().unwrap_or_default().to_owned();
            loose = parts.fold(first, |text, part| text + if random.percent(50) { other } else { tight } + part);
        }
    }
    *text = loose.into_bytes();
}

/// The comments of a record without braces and outer blanks, with LF for line ends.
fn comments(text: &[u8]) -> Vec<String> {
    let mut reader = Reader::default();
    let record = reader.read(text, Begins::File);
    let comments = record.items.iter().filter(|item| item.kind == ItemKind::Comment);
    let inside = |comment: &str| comment[1..].trim_end().strip_suffix('}').unwrap_or(&comment[1..]).trim().to_owned();
    comments
        .map(|item| String::from_utf8_lossy(item.text(text)).replace("\r\n", "\n").replace('\r', "\n"))
        .map(|comment| inside(&comment))
        .collect()
}

/// Cuts, doubles or puts in something, up to three times.
fn spoil(text: &mut Vec<u8>, random: &mut Random) {
    const BITS: [&[u8]; 36] = [
        b"(",
        b")",
        b"{",
        b"}",
        b",",
        b".",
        b" ",
        b"\n",
        b"\r\n",
        b"\r",
        b";",
        b"%",
        b":",
        b"(=)",
        b"!",
        b"$3",
        b"$[1]",
        b"1.",
        b"2. ",
        b"*",
        b"3-0",
        b"{ a }",
        b"{: x}",
        b"; c\n",
        b"...",
        b"\xFF",
        b"\0",
        b"\xC2\xA0",
        b"#",
        b"E7-E13",
        b"[",
        b"~A",
        b"++",
        b"()",
        b"\n%x}\n",
        b"\xC2\xB1",
    ];
    for _ in 0..random.between(1, 3) {
        let at = random.below(text.len() as u32) as usize;
        let part = at..text.len().min(at + random.below(12) as usize);
        match random.below(3) {
            0 => drop(text.drain(part)),
            1 => {
                let (part, to) = (text[part].to_vec(), random.below(text.len() as u32) as usize);
                text.splice(to..to, part);
            }
            _ => drop(text.splice(at..at, random.pick(&BITS).unwrap_or_default().iter().copied())),
        }
    }
}

#[test]
fn what_is_kept_of_a_text_spoilt_at_random_is_kept_whole() {
    let forms = forms();
    let records: Vec<_> = Archive::new(Plan { records: 60, plies: 1..=14, ..plan(0) }).collect();
    let mut random = Random::of(7, 3);
    let (mut kept, mut refused) = (0, 0);
    for round in 0..12_000 {
        let mut text = records[round % records.len()].text.clone();
        spoil(&mut text, &mut random);
        let form = &forms[round / records.len() % forms.len()];
        let Some(once) = written(&text, form) else {
            refused += 1;
            continue;
        };
        kept += 1;
        let shown = format!("{form:?}\n{}\n{}", String::from_utf8_lossy(&text), String::from_utf8_lossy(&once));
        assert!(written(&once, form).as_ref() == Some(&once), "{shown}");
        assert_eq!(last(&once), last(&text), "{shown}");
        let (mut splitter, mut others) = (Splitter::default(), Vec::new());
        splitter.scan(&once, true, &mut others);
        assert!(others.is_empty(), "one record: {shown}");
        let variations = form.keep.variations;
        assert_eq!(plies(&once, variations), plies(&text, variations), "{shown}");
        if form.keep.comments == Comments::All && variations && form.letters == PieceLetters::Own {
            let [mut once, mut text] = [&once, &text].map(|text| comments(text));
            if form.layout == Layout::Canonical {
                // They have another order, and a colon behind `@W` and `@B`.
                for comments in [&mut once, &mut text] {
                    comments.iter_mut().for_each(|comment| comment.retain(|sign| !matches!(sign, ':' | ' ' | '\n')));
                    comments.sort_unstable();
                }
            }
            assert_eq!(once, text, "{shown}");
        }
    }
    assert!(kept > 1000 && refused > 1000, "{kept} {refused}");
}
