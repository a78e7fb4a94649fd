//! Hard inputs: whatever stands in a file, both programs end, soon and without a failure of their own (§1.9).

#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate/random.rs"]
#[allow(dead_code, reason = "the generator uses all of it")]
mod random;

use std::fmt::Write as _;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use random::Random;

const HEAD: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01-V\"]\n[Annotator \"Me\"]\n1. E7-E13, E21-E15\n";
const TAIL: &str = "2. F8-F12, F20-F16 :\n*\n";

const PROGRAMS: [(&str, &[&str]); 8] = [
    (env!("CARGO_BIN_EXE_ctl-lint"), &["--format", "full"]),
    (env!("CARGO_BIN_EXE_ctl-lint"), &["--format", "json"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--minimal"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--strip", "redefine,auto-comments,valuations"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--canonical", "--letters", "fan"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "jsonl", "--pdtl"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--to", "csv"]),
    (env!("CARGO_BIN_EXE_ctl-filter"), &["--from", "jsonl"]),
];

fn check_all<B: AsRef<[u8]>>(inputs: impl IntoIterator<Item = (&'static str, B)>) {
    let folder = tempfile::tempdir().expect("a folder");
    for (name, text) in inputs {
        let file = folder.path().join(format!("{name}.ctl-pgn"));
        fs::write(&file, text).expect("written");
        check(name, &file);
    }
}

fn check(name: &str, file: &Path) {
    for (program, arguments) in PROGRAMS {
        let output =
            Command::new(program).args(arguments).arg(file).stdin(Stdio::null()).output().expect("it is built");
        let told = String::from_utf8([output.stdout, output.stderr].concat()).expect("programs write UTF-8");
        assert!(matches!(output.status.code(), Some(0 | 1)), "{name} {arguments:?}: {}", output.status);
        assert!(!told.contains("internal-error") && !told.contains("panicked"), "{name} {arguments:?}");
    }
}

/// A record with this behind its first pair.
fn inside(text: &str) -> String {
    format!("{HEAD}{text}\n{TAIL}")
}

/// A record with these tags behind its initial one.
fn tags(tags: &str) -> String {
    format!("[Variant \"C'escacs\"]\n{tags}1. E7-E13 :\n*\n")
}

#[test]
fn nesting_costs_neither_stack_nor_time() {
    let (many, most) = (20_000, 100_000);
    let labelled = (1..=many).fold(String::new(), |mut text, label| {
        writeln!(text, "($[{label}] 1. E7-E9, E21-E19)").expect("a string takes all");
        text
    });
    check_all([
        ("nested", inside(&("(1. E7-E9, E21-E19\n".repeat(many) + &")".repeat(many)))),
        ("nested-behind-commas", inside(&("(1. E7-E9,\n".repeat(many) + &")".repeat(many)))),
        ("nested-incoherent", inside(&("(1. E7-E9, EE21-E19\n".repeat(many) + &")".repeat(many)))),
        ("siblings", inside(&"(1. E7-E9, E21-E19)\n".repeat(many))),
        ("labelled", inside(&labelled)),
        ("incoherent", inside(&"(1. EE7-E9, E21-E19)\n".repeat(50_000))),
        ("incoherent-black", inside(&"(1. …, EE21-E19)\n".repeat(50_000))),
        ("opened", inside(&"(".repeat(most))),
        ("opened-on-lines", inside(&"(\n".repeat(most))),
        ("closed", inside(&")".repeat(most))),
        ("empty", inside(&"()".repeat(most))),
    ]);
}

#[test]
fn records_that_are_all_alike_are_weighed_in_one_go() {
    let record = |id: &str, tags: &str| {
        format!("[Variant \"C'escacs\"]\n[Id \"Me-X{id}\"]\n[Annotator \"Me\"]\n{tags}1. E7-E13, E21-E15 :\n*\n\n")
    };
    let many = |count: usize, each: &dyn Fn(usize) -> String| (0..count).map(each).collect::<String>();
    check_all([
        ("one-id", many(20_000, &|_| record("01", ""))),
        ("many-ids", many(20_000, &|number| record(&number.to_string(), ""))),
        ("one-base", many(3_999, &|number| record(&format!("01-V-S:{number}"), ""))),
        (
            "named-by-one",
            record("00", &many(20_000, &|number| format!("[Example \"You-X{number}\"]\n")))
                + &many(20_000, &|number| record(&number.to_string(), "")),
        ),
        ("named-by-all", many(20_000, &|number| record(&number.to_string(), "[Revisited \"Me-X0\"]\n"))),
    ]);
}

#[test]
fn long_lines_are_read() {
    let kings = (1..11_000).fold(String::new(), |mut text, pair| {
        let (from, to) = if pair % 2 == 1 { (1, 3) } else { (3, 1) };
        write!(text, " {}. KG{from}-G{to}, KG{}-G{}", pair + 1, 28 - from, 28 - to).expect("a string takes all");
        text
    });
    let tag = |value: &str| format!("[Variant \"C'escacs\"]\n[Event \"{value}\"]\n1. E7-E13 :\n*\n");
    check_all([
        ("comment", inside(&format!("{{ @W: {}}}", "abc ".repeat(75_000)))),
        ("comments", inside(&"{}".repeat(150_000))),
        ("braces", inside(&"}".repeat(300_000))),
        ("moves", format!("{}{kings} :\n*\n", HEAD.trim_end())),
        ("wrong-moves", inside(&"E7xE9 ".repeat(50_000))),
        ("word", inside(&"x".repeat(300_000))),
        ("plies-in-a-word", inside(&"E7-E9".repeat(60_000))),
        ("digits", inside(&"1 ".repeat(150_000))),
        ("results", inside(&"3-0 ".repeat(75_000))),
        ("dots", inside(&". ".repeat(150_000))),
        ("marks", inside(&format!("2. F8-F12{}", "?!".repeat(150_000)))),
        ("blanks", inside(&"\u{A0}".repeat(150_000))),
        ("marks-of-order", inside(&"\u{FEFF}".repeat(100_000))),
        ("value", tag(&"y".repeat(300_000))),
        ("quotes", tag(&"\"] ".repeat(100_000))),
        ("backslashes", tag(&"\\".repeat(300_000))),
        ("name", format!("[Variant \"C'escacs\"]\n[{} \"x\"]\n*\n", "N".repeat(300_000))),
        ("tags", format!("[Variant \"C'escacs\"] {}\n*\n", "[Event \"x\"] ".repeat(27_000))),
    ]);
}

#[test]
fn long_comments_and_runs_are_read() {
    let lines = "abc def\n".repeat(1_250_000);
    check_all([
        ("closed", inside(&format!("{{ {lines}}}"))),
        ("unclosed", format!("{HEAD}{{ {lines}")),
        ("unclosed-then-a-record", format!("{HEAD}{{ {lines}{HEAD}{TAIL}")),
        ("braces", inside(&format!("{{{}}}", "{".repeat(10_000_000)))),
        ("zeros", "\0".repeat(1_000_000)),
        ("zeros-inside", inside(&"\0".repeat(1_000_000))),
    ]);
}

#[test]
fn chance_is_read() {
    let mut random = Random::of(20_261_130, 1);
    let bytes: Vec<u8> = (0..1_000_000).map(|_| random.below(256) as u8).collect();
    let printable: String = (0..1_000_000).map(|_| char::from(b' ' + random.below(95) as u8)).collect();
    let words: String = (0..300_000).map(|_| WORDS[random.below(WORDS.len() as u32) as usize]).collect();
    check_all([
        ("bytes", bytes.clone()),
        ("bytes-inside", [HEAD.as_bytes(), &bytes, TAIL.as_bytes()].concat()),
        ("printable", printable.clone().into_bytes()),
        ("printable-inside", inside(&printable).into_bytes()),
        ("words", inside(&words).into_bytes()),
    ]);
}

const WORDS: [&str; 46] = [
    "1.", "2.", "3.", " ", " ", " ", " ", "\n", "\n", "E7-E13", "E21-E15", "F8×F16", "NG3-I7", "KRK-HIO", "A23=D",
    "@@G9", "(", ")", "($[1]", "{", "}", ":", "#", "(=)", "*", "3-0", ",", ", ", "…", "...", ".", "?", "!?", "$3",
    "=D", "1?", "[Variant", "\"", "]", ";", "%", "♘", "‐", "x", "\u{A0}", "\u{200B}",
];

#[test]
fn many_of_everything_in_one_record() {
    let count = 200_000;
    let numbered = (0..count).fold(String::new(), |mut text, number| {
        writeln!(text, "[Tag{number} \"x\"]").expect("a string takes all");
        text
    });
    let wrong = (1..50_000).fold(String::new(), |mut text, number| {
        writeln!(text, "{number}.E7xE9,E21xE19").expect("a string takes all");
        text
    });
    check_all([
        ("one-tag", tags(&"[Event \"x\"]\n".repeat(count))),
        ("unknown-tags", tags(&numbered)),
        ("addresses", tags(&"[WhiteNA \"x\"]\n".repeat(count))),
        ("positions", tags(&"[PDTL \"/27:1k/1:1K/ w -- - 0 1\"]\n".repeat(count))),
        ("remarks", inside(&"{ @B ~J }\n{: @W ~KRK-HIO }\n".repeat(count / 2))),
        ("apart", tags(&"[Annotator \"a\"]\n[Event \"x\"]\n".repeat(count / 2))),
        ("stray-lines", format!("[Variant \"C'escacs\"]\n{}[Id \"Me-X01\"]\n*\n", "zz\n".repeat(count))),
        ("findings", format!("[Variant \"C'escacs\"]\n{wrong}*\n")),
        ("behind-the-end", inside(&format!(":\n{}", "1. E7-E13, E21-E15\n".repeat(100_000)))),
        ("records", "[Variant \"C'escacs\"]\n".repeat(count)),
    ]);
}

#[test]
fn next_to_nothing_is_read() {
    check_all([
        ("empty", String::new()),
        ("mark-of-order", "\u{FEFF}".to_owned()),
        ("blanks", " \n\t\n  \r\n".repeat(1000)),
        ("comment", "{ a }\n".to_owned()),
        ("unclosed-comment", "{ a\n".to_owned()),
        ("lone-returns", format!("{HEAD}{TAIL}").replace('\n', "\r").repeat(3000)),
    ]);
}

#[test]
fn a_flood_of_faults_is_told_to_a_bound_and_refuses_its_record() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, rejects) = (folder.path().join("a.ctl-pgn"), folder.path().join("rejects"));
    let sound = format!("{HEAD}{TAIL}").replace("X01-V", "X02");
    let run = |program: &str, arguments: &[&str]| {
        let output = Command::new(program).args(arguments).arg(&file).output().expect("it is built");
        (output.status.code(), String::from_utf8([output.stdout, output.stderr].concat()).expect("UTF-8"))
    };
    for flood in [
        inside(&") ".repeat(150_000)),
        inside(&"{ @B ~J }\n".repeat(150_000)),
        tags(&"[Event \"x\"]\n".repeat(150_000)),
    ] {
        fs::write(&file, format!("{flood}\n{sound}")).expect("written");
        let (status, told) = run(env!("CARGO_BIN_EXE_ctl-lint"), &["--format", "concise", "-q", "--select", "all"]);
        let lines: Vec<&str> = told.lines().collect();
        let said = lines
            .iter()
            .filter(|line| line.contains(" error F118 too-many-faults over 100000 things are wrong"))
            .count();
        assert_eq!((status, said), (Some(1), 1), "{:?}", lines.last());
        assert!((100_001..=100_002).contains(&lines.len()), "{}", lines.len());
    }
    let flood = inside(&") ".repeat(150_000));
    fs::write(&file, format!("{flood}\n{sound}")).expect("written");
    let rejected = rejects.to_str().expect("UTF-8");
    let (status, told) = run(env!("CARGO_BIN_EXE_ctl-filter"), &["--minimal", "-q", "--rejects", rejected]);
    assert_eq!(status, Some(1));
    assert!(told.starts_with(&sound), "{}", &told[..200]);
    assert!(fs::read_to_string(&rejects).expect("written") == format!("{flood}\n"));
}
