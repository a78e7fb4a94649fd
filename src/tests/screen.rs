//! Whatever stands in files, in their names and on the command line: nothing that steers a terminal, turns the direction
//! of writing or is no text is ever printed by either program.

#![cfg(unix)]
#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use ctl::report::escape::is_hidden;

const LINT: &str = env!("CARGO_BIN_EXE_ctl-lint");
const FILTER: &str = env!("CARGO_BIN_EXE_ctl-filter");

/// A title and a clear screen for a terminal, C1, a direction, signs of no width, a tag, and what is no UTF-8.
const HOSTILE: &[u8] =
    b"a\x1B]0;x\x07\x1B[2J\xC2\x9B2J\xE2\x80\xAE\xE2\x81\xA6\xE2\x80\x8B\xF3\xA0\x81\x81\x7F\x08\x80\xFF";

/// A folder with a file that has it in its name and wherever text stands; and the file.
fn laid() -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().expect("a folder");
    let text = "[Variant \"C'escacs\"]\n[Id \"X-~01\"]\n[Annotator \"~\"]\n[~ \"b\"]\n[Lang \"~\"]\n[Redefine \"~@J\"]\n\
        [PDTL \"~\"]\n[Aaa\"~\"]\n1. E7-E13, E21-E15 { ~ }\n{ @~: see ~~I19 }\n2.~ F8-~F12~, ~F20-F16 ($[~] 2. ~)\n~\n\
        3-0~\n\n[Variant \"~\"]\n*\n\n[Variant \"C'escacs\"]\n[Event \"~\"]\n[Id \"~\"]\n1. E7-E13, E21-E15 :\n*\n";
    let text: Vec<&[u8]> = text.split('~').map(str::as_bytes).collect();
    let file = folder.path().join(OsStr::from_bytes(&[HOSTILE, b".ctl-pgn"].concat()));
    fs::write(&file, text.join(HOSTILE)).expect("written");
    (folder, file)
}

/// What a program prints, without the colours of its own.
fn printed(program: &str, arguments: &[&OsStr], folder: &Path) -> String {
    let output =
        Command::new(program).args(arguments).current_dir(folder).stdin(Stdio::null()).output().expect("it is built");
    let printed = String::from_utf8([output.stdout, output.stderr].concat()).expect("programs write UTF-8");
    let mut parts = printed.split("\x1B[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |text, part| match part.split_once('m') {
        Some((colour, rest)) if colour.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b';')) => text + rest,
        _ => text + "\x1B[" + part,
    })
}

fn check(program: &str, arguments: &[&OsStr], folder: &Path) -> String {
    let printed = printed(program, arguments, folder);
    let hidden = printed.chars().find(|&c| c != '\n' && is_hidden(c));
    assert!(hidden.is_none(), "{hidden:?} from {program} {arguments:?}:\n{printed:?}");
    printed
}

/// The words of a line, with the hostile one for `~`.
fn words(line: &str) -> Vec<OsString> {
    let word = |word: &str| {
        let parts: Vec<&[u8]> = word.split('~').map(str::as_bytes).collect();
        OsStr::from_bytes(&parts.join(HOSTILE)).to_owned()
    };
    line.split(' ').map(word).collect()
}

#[test]
fn nothing_of_a_file_steers_a_terminal() {
    let (folder, _) = laid();
    for format in ["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"] {
        for more in ["--color never", "--color always", "--select all", "--max-per-rule 0 --no-mmap"] {
            let line = format!("--format {format} {more} .");
            let arguments = words(&line);
            let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
            let printed = check(LINT, &arguments, folder.path());
            assert!(printed.len() > 100, "{line}: {printed}");
        }
    }
    for format in ["full", "json"] {
        check(LINT, &["--statistics", "--format", format, "."].map(OsStr::new), folder.path());
    }
    for line in [
        "--minimal ~.ctl-pgn -o out",
        "--minimal ~.ctl-pgn -o out --color always",
        "--minimal ~.ctl-pgn -o out --on-error stop",
        "--minimal ~.ctl-pgn -o out --rejects ~",
        "--minimal ~.ctl-pgn -o ~.ctl-pgn",
        "--minimal ~.ctl-pgn -o out --rejects ~.ctl-pgn",
        "--minimal --in-place ~.ctl-pgn",
        "--to pdtl ~.ctl-pgn",
    ] {
        let arguments = words(line);
        let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
        let printed = check(FILTER, &arguments, folder.path());
        assert!(printed.contains("\\u{1b}"), "{line}: {printed}");
    }
}

#[test]
fn nothing_of_the_command_line_steers_a_terminal() {
    let (folder, _) = laid();
    for (program, line) in [
        (LINT, "~"),
        (LINT, "--format json ~"),
        (LINT, "--format ~"),
        (LINT, "--~"),
        (LINT, "--select ~"),
        (LINT, "--explain ~"),
        (LINT, "--report ~"),
        (LINT, "--report json=~/~"),
        (LINT, "--report json=~ --report full=./~"),
        (LINT, "--stdin-filename ~ --format concise -"),
        (LINT, "-j ~"),
        (LINT, "--max-per-rule=~"),
        (FILTER, "--minimal ~"),
        (FILTER, "--minimal ~/~"),
        (FILTER, "--minimal --in-place ~ ."),
        (FILTER, "--minimal -o ~/~ ~.ctl-pgn"),
        (FILTER, "--minimal --rejects ~/~ ~.ctl-pgn"),
        (FILTER, "--minimal -o ~ --rejects ./~ ~.ctl-pgn"),
        (FILTER, "--to ~"),
        (FILTER, "--minimal --on-error ~"),
        (FILTER, "--minimal --~ a"),
    ] {
        let arguments = words(line);
        let arguments: Vec<&OsStr> = arguments.iter().map(OsString::as_os_str).collect();
        let printed = check(program, &arguments, folder.path());
        assert!(!printed.is_empty(), "{program} {line}");
    }
}
