//! Reports for other programs: what is found in text of any kind can be read back from each of them.

#![cfg(unix)]
#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::collections::HashSet;
use std::ffi::OsStr;
use std::fs::{self, File};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

const LINT: &str = env!("CARGO_BIN_EXE_ctl-lint");
const FORMATS: [&str; 8] = ["full", "concise", "json", "jsonl", "sarif", "github", "gitlab", "junit"];

/// What no format takes as it is: control characters, a direction, percent, colon, comma, what XML is made of and what it
/// can't hold, no UTF-8.
const HOSTILE: &[u8] = b"a\x1B[2J\x01\r\xE2\x80\xAE%41:,<&>\"']]>\xEF\xBF\xBE\xFF b";

/// A clean file, one with faults and one whose name and text are hostile.
fn lay(folder: &Path) {
    let clean = include_bytes!("../../testdata/sample.ctl-pgn");
    let faults = include_bytes!("../../testdata/sample-faults.ctl-pgn");
    let text =
        "[Variant \"C'escacs\"]\n[Id \"~\"]\n[~ \"b\"]\n[Redefine \"~\"]\n1. E7~, E21-E15 { ~ }\n2. ~ F8-F12\n~\n";
    let parts: Vec<&[u8]> = text.split('~').map(str::as_bytes).collect();
    let hostile = OsStr::from_bytes(&[HOSTILE, b".ctl-pgn"].concat()).to_owned();
    for (name, text) in [
        (OsStr::new("clean.ctl-pgn"), &clean[..]),
        (OsStr::new("faults.ctl-pgn"), faults),
        (&hostile, &parts.join(HOSTILE)),
        (OsStr::new("cut.ctl-pgn.gz"), b"\x1F\x8B\x08\0\0"),
    ] {
        fs::write(folder.join(name), text).expect("written");
    }
}

/// A run with faults on standard input.
fn lint(folder: &Path, arguments: &[&str]) -> Output {
    let stdin = File::open(folder.join("faults.ctl-pgn")).expect("it is there");
    let mut command = Command::new(LINT);
    command.current_dir(folder).args(["--isolated", "-q"]).args(arguments).stdin(stdin).output().expect("it is built")
}

/// A run with a report of each format, `r.json` and so on.
fn run(folder: &Path, arguments: &[&str]) -> Output {
    let reports = FORMATS.map(|format| format!("--report={format}=r.{format}"));
    lint(folder, &[arguments, &reports.each_ref().map(String::as_str)].concat())
}

fn read(folder: &Path, format: &str) -> String {
    fs::read_to_string(folder.join(format!("r.{format}"))).expect("a report of UTF-8")
}

fn json(folder: &Path, format: &str) -> Value {
    serde_json::from_str(&read(folder, format)).expect("a report of JSON")
}

fn array(value: &Value) -> &[Value] {
    value.as_array().expect("an array")
}

fn check_sarif(log: &Value, findings: &[Value], whole: bool) {
    let run = &log["runs"][0];
    assert_eq!((&log["version"], array(&log["runs"]).len()), (&Value::from("2.1.0"), 1));
    assert_eq!(run["invocations"][0]["executionSuccessful"], whole);
    let results = array(&run["results"]);
    assert_eq!(results.len(), findings.len());
    for (result, finding) in results.iter().zip(findings) {
        let index = result["ruleIndex"].as_u64().expect("an index") as usize;
        let rule = &run["tool"]["driver"]["rules"][index];
        assert_eq!(
            (&result["ruleId"], &rule["id"], &rule["name"]),
            (&finding["code"], &finding["code"], &finding["rule"])
        );
        let place = &result["locations"][0]["physicalLocation"];
        let uri = place["artifactLocation"]["uri"].as_str().expect("a URI");
        assert!(uri.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~/%".contains(&byte)), "{uri}");
        for (here, there) in
            [("startLine", "row"), ("startColumn", "column"), ("endLine", "end_row"), ("endColumn", "end_column")]
        {
            assert_eq!(place["region"][here], finding[there], "{finding}");
        }
        let edits = finding["fix"].get("edits").map(array).unwrap_or_default();
        let replacements = &result["fixes"][0]["artifactChanges"][0]["replacements"];
        for (edit, replaced) in edits.iter().zip(replacements.as_array().into_iter().flatten()) {
            assert_eq!(replaced["deletedRegion"]["byteOffset"], edit["offset"]);
            assert_eq!(replaced["insertedContent"]["text"], edit["text"]);
        }
        assert_eq!(replacements.as_array().map_or(0, Vec::len), edits.len());
        let related = result.get("relatedLocations").map_or(0, |related| array(related).len());
        assert_eq!(related, array(&finding["related"]).len());
    }
}

fn check_gitlab(issues: &Value, findings: &[Value]) {
    let issues = array(issues);
    assert_eq!(issues.len(), findings.len());
    for (issue, finding) in issues.iter().zip(findings) {
        assert_eq!((&issue["description"], &issue["check_name"]), (&finding["message"], &finding["rule"]));
        let place = &issue["location"];
        assert_eq!((&place["path"], &place["lines"]["begin"]), (&finding["file"], &finding["row"]));
    }
    let unique: HashSet<_> = issues.iter().map(|issue| issue["fingerprint"].as_str()).collect();
    assert_eq!(unique.len(), issues.len());
}

/// Commands as runners read them: one a line, its properties decoded.
fn check_github(log: &str, findings: &[Value]) {
    assert_eq!(log.lines().count(), findings.len());
    for (line, finding) in log.lines().zip(findings) {
        let (command, message) = line.strip_prefix("::").and_then(|line| line.split_once("::")).expect("a command");
        let (name, properties) = command.split_once(' ').expect("properties");
        assert_eq!(
            name,
            if finding["severity"] == "style" { "notice" } else { finding["severity"].as_str().expect("") }
        );
        let properties: Vec<_> = properties.split(',').map(|one| one.split_once('=').expect("a value")).collect();
        assert_eq!((properties[0].0, properties[1]), ("file", ("line", &*finding["row"].to_string())));
        assert!(properties.iter().all(|(_, value)| !value.contains([':', '\r', '\u{1b}'])), "{line:?}");
        assert!(!message.contains(['\r', '\u{1b}', '\u{202e}']), "{line:?}");
    }
}

/// The elements of a document that is well formed, each with its attributes as they stand.
fn elements(xml: &str) -> Vec<&str> {
    let (mut open, mut all) = (Vec::new(), Vec::new());
    let body = xml.strip_prefix("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n").expect("a declaration");
    assert!(!body.contains(|c| matches!(c, '\0'..='\x08' | '\x0B'..='\x1F' | '\u{FFFE}' | '\u{FFFF}')), "{body:?}");
    for part in body.trim_end().split('<').skip(1) {
        let (tag, text) = part.split_once('>').expect("a tag ends");
        assert!(!text.contains('>') && tag.matches('"').count() % 2 == 0, "{part:?}");
        let ends = |rest: &str| ["amp;", "lt;", "gt;", "quot;"].iter().any(|entity| rest.starts_with(entity));
        assert!(part.split('&').skip(1).all(ends), "{part:?}");
        if let Some(name) = tag.strip_prefix('/') {
            assert_eq!(open.pop(), Some(name));
            continue;
        }
        assert!(all.is_empty() || !open.is_empty(), "one root: {tag:?}");
        all.push(tag.trim_end_matches('/'));
        if !tag.ends_with('/') {
            open.push(tag.split(' ').next().unwrap_or_default());
        }
    }
    assert!(open.is_empty(), "{open:?}");
    all
}

fn check_junit(xml: &str, findings: &[Value]) {
    let elements = elements(xml);
    assert_eq!(elements[0], "testsuites name=\"ctl-lint\"");
    let of = |start: &str| elements.iter().filter(|element| element.starts_with(start)).count();
    assert_eq!(of("failure "), findings.len());
    let sum = |attribute: &str| {
        let numbers = xml.split(attribute).skip(1).map(|rest| rest.split('"').next().and_then(|n| n.parse().ok()));
        numbers.map(|number: Option<usize>| number.expect("a number")).sum::<usize>()
    };
    assert_eq!((sum("\" tests=\""), sum("\" failures=\"")), (of("testcase "), findings.len()));
}

#[test]
fn every_report_says_what_is_found() {
    let folder = tempfile::tempdir().expect("a folder");
    let folder = folder.path();
    lay(folder);
    for (arguments, status, failed) in [
        (&["clean.ctl-pgn"][..], 0, false),
        (&["clean.ctl-pgn", "faults.ctl-pgn"], 1, false),
        (&["faults.ctl-pgn", "--fail-on", "never"], 0, false),
        (&["--select", "all", ".", "nowhere.ctl-pgn"], 2, true),
        (&["--ignore", "F", ".", "nowhere.ctl-pgn"], 2, true),
        (&["-"], 1, false),
        (&["-", "--stdin-filename", "my, draft"], 1, false),
    ] {
        let output = run(folder, arguments);
        assert_eq!(output.status.code(), Some(status), "{arguments:?}");
        let findings = json(folder, "json");
        let findings = array(&findings);
        assert_eq!(findings.is_empty(), arguments[0] == "clean.ctl-pgn" && status == 0, "{arguments:?}");
        let lines: Vec<Value> =
            read(folder, "jsonl").lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
        assert_eq!(lines, findings);
        check_sarif(&json(folder, "sarif"), findings, !failed);
        check_gitlab(&json(folder, "gitlab"), findings);
        check_github(&read(folder, "github"), findings);
        check_junit(&read(folder, "junit"), findings);
        assert_eq!(read(folder, "concise").lines().count(), findings.len());
        assert_eq!(read(folder, "full").matches("\n   = ").count().min(1), findings.len().min(1));
        for format in FORMATS {
            let arguments = [arguments, &["--format", format, "--max-per-rule", "0"]].concat();
            let shown = String::from_utf8(lint(folder, &arguments).stdout).expect("UTF-8");
            assert!(shown == read(folder, format), "{arguments:?}: on the screen stands something else");
        }
    }
}

#[test]
fn junit_tells_of_files_that_pass() {
    let folder = tempfile::tempdir().expect("a folder");
    lay(folder.path());
    let passed = |arguments: &[&str]| {
        run(folder.path(), arguments);
        let xml = read(folder.path(), "junit");
        let passed = elements(&xml)
            .into_iter()
            .filter_map(|element| element.strip_prefix("testcase name=\"no finding of its own\" "));
        passed.map(str::to_owned).collect::<Vec<_>>()
    };
    let clean = ["classname=\"clean.ctl-pgn\" file=\"clean.ctl-pgn\""];
    assert_eq!(passed(&["clean.ctl-pgn", "faults.ctl-pgn"]), clean);
    // What could not be read has not passed, whatever rules are on.
    assert_eq!(passed(&["--ignore", "F,T,R,M,A,C,I", "clean.ctl-pgn", "cut.ctl-pgn.gz", "nowhere"]), clean);
}

#[test]
fn statistics_and_limits_keep_nothing_from_reports() {
    let folder = tempfile::tempdir().expect("a folder");
    lay(folder.path());
    run(folder.path(), &["faults.ctl-pgn"]);
    let want = FORMATS.map(|format| read(folder.path(), format));
    for more in [&["--statistics"][..], &["--max-per-rule", "1"], &["-j", "1"], &["-j", "3", "--color", "always"]] {
        run(folder.path(), &[&["faults.ctl-pgn"], more].concat());
        assert!(FORMATS.map(|format| read(folder.path(), format)) == want, "{more:?}");
    }
}

#[test]
fn a_report_that_cannot_be_written_is_named_and_the_others_are_whole() {
    let folder = tempfile::tempdir().expect("a folder");
    lay(folder.path());
    if !Path::new("/dev/full").exists() {
        return;
    }
    let output = run(folder.path(), &["clean.ctl-pgn", "--report", "json=/dev/full"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: cannot write /dev/full: No space left"), "{said}");
    assert_eq!(read(folder.path(), "json"), "[]\n");

    let output = run(folder.path(), &["clean.ctl-pgn", "--report", "json=none/a"]);
    assert_eq!(output.status.code(), Some(2));
    let said = String::from_utf8_lossy(&output.stderr);
    assert!(said.starts_with("error: cannot write none/a: No such file"), "{said}");
}

#[test]
fn reports_are_whole_though_nobody_reads_the_screen() {
    let folder = tempfile::tempdir().expect("a folder");
    lay(folder.path());
    let record = include_str!("../../testdata/sample-faults.ctl-pgn");
    fs::write(folder.path().join("many.ctl-pgn"), record.repeat(500)).expect("written");
    let mut command = Command::new(LINT);
    command.current_dir(folder.path()).args(["--format", "json", "--report", "jsonl=r.jsonl", "many.ctl-pgn"]);
    let mut run = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("it is built");
    drop(run.stdout.take());
    let output = run.wait_with_output().expect("it ends");
    assert_eq!((output.status.code(), String::from_utf8_lossy(&output.stderr).as_ref()), (Some(0), ""));
    assert!(read(folder.path(), "jsonl").lines().count() > 5000);
}

/// 24 MB of data are a fraction of what all these findings take: nobody keeps them.
#[test]
fn a_fault_in_a_hundred_thousand_records_is_told_in_little_memory() {
    const RECORDS: usize = 100_000;
    let folder = tempfile::tempdir().expect("a folder");
    let record = |k| {
        format!(
            "[Variant \"C'escacs\"]\n[Id \"Me-X{k:06}\"]\n[Annotator \"Me\"]\n1. E7-E13 E21-E15\n2. F8-F12, F20-F16 :\n*\n\n"
        )
    };
    fs::write(folder.path().join("a.ctl-pgn"), (0..RECORDS).map(record).collect::<String>()).expect("written");
    let mut limited = Command::new("sh");
    limited.current_dir(folder.path()).args([
        "-c",
        "ulimit -d 24000; exec \"$@\"",
        "sh",
        LINT,
        "--isolated",
        "-j",
        "1",
    ]);
    for format in ["jsonl", "sarif", "github", "gitlab", "junit"] {
        limited.arg(format!("--report={format}=r.{format}"));
    }
    let output = limited.args(["--select", "M", "a.ctl-pgn"]).output().expect("it is built");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    let counts = "1 file, 100000 records, 400000 plies: 100000 errors, 0 warnings, 0 style findings\n";
    assert!(said.starts_with(counts) && said.contains("\n100000  M109 missing-comma: "), "{said}");
    let screen = String::from_utf8(output.stdout).expect("UTF-8");
    assert_eq!(screen.matches("error[M109]").count(), 20);
    assert!(screen.ends_with("\n… 99980 more of M109 missing-comma: see --max-per-rule\n"), "{screen}");
    assert_eq!(array(&json(folder.path(), "sarif")["runs"][0]["results"]).len(), RECORDS);
    let prints: HashSet<_> =
        array(&json(folder.path(), "gitlab")).iter().map(|issue| issue["fingerprint"].to_string()).collect();
    assert_eq!(prints.len(), RECORDS);
    assert_eq!(read(folder.path(), "junit").matches("<failure ").count(), RECORDS);
    for format in ["jsonl", "github"] {
        assert_eq!(read(folder.path(), format).lines().count(), RECORDS);
    }
}
