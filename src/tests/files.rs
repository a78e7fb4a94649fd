//! Files are safe with the filter: whatever happens, each is the old one or the new one, whole.

#![cfg(unix)]
#![allow(clippy::expect_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

#[path = "../../benches/generate.rs"]
mod generate;

use std::fs::{self, File, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{MetadataExt, PermissionsExt, chown, symlink};
use std::os::unix::process::{CommandExt, ExitStatusExt};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::thread::sleep;
use std::time::{Duration, Instant, SystemTime};

use ctl::source::{Input, Wanted, walk};
use generate::random::Random;
use generate::{Archive, Plan};

const FILTER: &str = env!("CARGO_BIN_EXE_ctl-filter");
const LINT: &str = env!("CARGO_BIN_EXE_ctl-lint");

const CLEAN: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01\"]\n[Annotator \"Me\"]\n{ hello }\n1. E7-E13, E21-E15 :\n*\n";
const MINIMAL: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X01\"]\n[Annotator \"Me\"]\n1. E7-E13, E21-E15 :\n*\n";
const REFUSED: &str = "[Variant \"C'escacs\"]\n[Id \"Me-X02\"]\n[Annotator \"Me\"]\n1. E8-E13, E21-E15 :\n*\n";

fn plan(records: u64, faults: u32) -> Plan {
    Plan { seed: 20_261_201, records, ..Plan::rich() }.with_faults(faults)
}

fn archive(plan: Plan) -> Vec<u8> {
    let mut text = Vec::new();
    generate::write(plan, &mut text).expect("a vector takes all");
    text
}

/// Clean records, of a few MB or less; and the same in minimal form.
fn old_and_new(records: u64, folder: &Path) -> (Vec<u8>, Vec<u8>) {
    let old = archive(plan(records, 0));
    let file = folder.join("whole");
    fs::write(&file, &old).expect("written");
    let output = filter(&["--minimal", name(&file)]);
    assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    assert!(output.stdout.len() > old.len() / 4 && output.stdout != old);
    fs::remove_file(&file).expect("removed");
    (old, output.stdout)
}

fn name(path: &Path) -> &str {
    path.to_str().expect("UTF-8")
}

fn filter(arguments: &[&str]) -> Output {
    Command::new(FILTER).args(arguments).stdin(Stdio::null()).output().expect("it is built")
}

fn said(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("programs write UTF-8")
}

/// Says why a part of a test does not run here.
fn skip(why: &str) {
    let _ = writeln!(io::stderr(), "skipped: {why}");
}

fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let name = |entry: io::Result<fs::DirEntry>| entry.expect("readable").file_name().into_string().expect("UTF-8");
    let mut names: Vec<String> = entries.map(name).collect();
    names.sort();
    names
}

/// The file holds one of the two texts, and a walk finds nothing else in its folder.
fn is_whole(file: &Path, old: &[u8], new: &[u8]) -> bool {
    let text = fs::read(file).expect("it is there");
    assert!(text == old || text == new, "{} bytes, neither the old nor the new text", text.len());
    let folder = file.parent().expect("it lies in a folder");
    assert_eq!(walk([folder], Wanted::default()).inputs, [Input::File(file.to_owned())]);
    for other in names(folder).iter().filter(|other| *other != name(Path::new(file.file_name().expect("a name")))) {
        assert!(other.starts_with(".ctl-") && Path::new(other).extension().is_some_and(|end| end == "tmp"), "{other}");
    }
    text == new
}

#[test]
fn killed_at_any_moment_a_file_is_the_old_or_the_new_one() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = old_and_new(1500, folder.path());
    let file = folder.path().join("a.ctl-pgn");
    let start = || {
        fs::write(&file, &old).expect("written");
        Command::new(FILTER).args(["--minimal", "--in-place", name(&file)]).spawn().expect("it is built")
    };
    let begun = Instant::now();
    assert!(start().wait().expect("it ends").success());
    assert!(is_whole(&file, &old, &new));
    let usual = begun.elapsed().as_micros() as u32;
    let mut random = Random::of(20_261_201, 1);
    let (mut replaced, mut left) = (0, 0);
    for _ in 0..50 {
        let mut child = start();
        sleep(Duration::from_micros(u64::from(random.below(usual))));
        child.kill().expect("it is ours");
        child.wait().expect("it ends");
        replaced += u32::from(is_whole(&file, &old, &new));
        for other in names(folder.path()).iter().filter(|name| name.starts_with('.')) {
            left += 1;
            fs::remove_file(folder.path().join(other)).expect("removed");
        }
    }
    let _ = writeln!(io::stderr(), "of 50 files of {} bytes {replaced} were replaced, {left} left another", old.len());
}

#[test]
fn two_programs_at_once_leave_a_whole_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = old_and_new(100, folder.path());
    let file = folder.path().join("a.ctl-pgn");
    for _ in 0..10 {
        fs::write(&file, &old).expect("written");
        let start = || {
            let mut command = Command::new(FILTER);
            command.args(["--minimal", "--in-place", name(&file)]).stderr(Stdio::piped());
            command.spawn().expect("it is built")
        };
        for child in [start(), start()] {
            let output = child.wait_with_output().expect("it ends");
            let want = match output.status.code() {
                Some(0) => String::new(),
                _ => format!("error: cannot write {}: it changed since it was read\n", name(&file)),
            };
            assert_eq!(said(&output), want);
        }
        assert!(is_whole(&file, &old, &new));
        assert_eq!(names(folder.path()), ["a.ctl-pgn"]);
    }
}

/// A file system of its own, until it is dropped.
struct Small(PathBuf);

impl Small {
    fn mount(at: &Path, size: &str) -> Option<Small> {
        let output = Command::new("mount").args(["-t", "tmpfs", "-o", size, "tmpfs", name(at)]).output();
        match output {
            Ok(output) if output.status.success() => return Some(Small(at.to_owned())),
            Ok(output) => skip(&format!("no small file system: {}", said(&output).trim())),
            Err(error) => skip(&format!("no small file system: {error}")),
        }
        None
    }
}

impl Drop for Small {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

#[test]
fn a_full_disk_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = old_and_new(600, folder.path());
    let size = format!("size={}", old.len() + new.len() / 2);
    let Some(small) = Small::mount(folder.path(), &size) else { return };
    let (file, short) = (small.0.join("a.ctl-pgn"), small.0.join("b.ctl-pgn"));
    fs::write(&file, &old).expect("there is room for it");
    fs::write(&short, CLEAN).expect("there is room for it");
    let no_room = |file: &Path| format!("error: cannot write {}: No space left on device (os error 28)\n", name(file));
    let output = filter(&["--minimal", "--in-place", name(&file), name(&short)]);
    assert_eq!((output.status.code(), said(&output)), (Some(2), no_room(&file)));
    assert!(fs::read(&file).expect("it is there") == old);
    assert_eq!(fs::read_to_string(&short).expect("it is there"), MINIMAL);
    let output = filter(&["--minimal", name(&file), "-o", name(&short)]);
    assert_eq!((output.status.code(), said(&output)), (Some(2), no_room(&short)));
    assert_eq!(fs::read_to_string(&short).expect("it is there"), MINIMAL);
    assert_eq!(names(&small.0), ["a.ctl-pgn", "b.ctl-pgn"]);
}

#[test]
fn a_limit_of_size_leaves_the_old_file() {
    let folder = tempfile::tempdir().expect("a folder");
    let (old, new) = old_and_new(400, folder.path());
    assert!(new.len() > 100 << 10);
    let file = folder.path().join("a.ctl-pgn");
    fs::write(&file, &old).expect("written");
    let limited = |trap: &str| {
        let script = format!("{trap}ulimit -c 0; ulimit -f 100; exec \"$@\"");
        let words = ["-c", &script, "sh", FILTER, "--minimal", "--in-place", name(&file)];
        Command::new("sh").args(words).output().expect("there is a shell")
    };
    let output = limited("trap '' XFSZ; ");
    let want = format!("error: cannot write {}: File too large (os error 27)\n", name(&file));
    assert_eq!((output.status.code(), said(&output)), (Some(2), want));
    assert!(!is_whole(&file, &old, &new));
    assert_eq!(names(folder.path()), ["a.ctl-pgn"]);
    // Where the signal is not ignored, it ends the program as a kill does.
    let output = limited("");
    assert!(output.status.signal().is_some(), "{:?}", output.status);
    assert!(!is_whole(&file, &old, &new));
}

/// Runs as a user without rights, where the test has them all; none if that can't be done.
fn powerless(arguments: &[&str]) -> Option<Output> {
    let mut command = Command::new(FILTER);
    command.args(arguments);
    if is_root() {
        command.uid(NOBODY).gid(NOBODY);
    }
    command.output().map_err(|error| skip(&format!("no other user can run it: {error}"))).ok()
}

const NOBODY: u32 = 65534;

fn is_root() -> bool {
    let own = tempfile::tempfile().and_then(|file| file.metadata());
    own.expect("a file").uid() == 0
}

#[test]
fn what_may_not_be_written_stays_and_the_others_are_done() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["closed/a.ctl-pgn", "open/b.ctl-pgn", "open/c.ctl-pgn"].map(|path| folder.path().join(path));
    let folders = ["closed", "open"].map(|name| folder.path().join(name));
    folders.iter().for_each(|folder| fs::create_dir(folder).expect("made"));
    paths.iter().for_each(|path| fs::write(path, CLEAN).expect("written"));
    let mode = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).expect("ours");
    mode(&paths[1], 0o444);
    mode(&paths[2], 0o640);
    mode(&folders[0], 0o555);
    if is_root() {
        let all = paths.iter().chain(&folders).map(PathBuf::as_path).chain([folder.path()]);
        all.for_each(|path| chown(path, Some(NOBODY), Some(NOBODY)).expect("root may"));
    }
    let Some(output) =
        powerless(&[&["--minimal", "--in-place"][..], &paths.each_ref().map(|path| name(path))].concat())
    else {
        return;
    };
    let denied = |path: &Path| format!("error: cannot write {}: Permission denied (os error 13)\n", name(path));
    assert_eq!((output.status.code(), said(&output)), (Some(2), denied(&paths[0]) + &denied(&paths[1])));
    let texts = paths.each_ref().map(|path| fs::read_to_string(path).expect("it is there"));
    assert_eq!(texts, [CLEAN, CLEAN, MINIMAL]);
    assert_eq!(fs::metadata(&paths[2]).expect("it is there").mode() & 0o7777, 0o640);
    assert_eq!((names(&folders[0]).len(), names(&folders[1]).len()), (1, 2));
    mode(&folders[0], 0o755);
}

#[test]
fn in_place_keeps_what_a_file_is() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    fs::create_dir(at("deep")).expect("made");
    for name in ["deep/a", "b", "unchanged", "packed.gz"] {
        fs::write(at(name), CLEAN).expect("written");
    }
    fs::write(at("unchanged"), MINIMAL).expect("written");
    fs::write(at("packed.gz"), b"\x1F\x8B\x08").expect("written");
    fs::write(at("comments"), "{ only }\n").expect("written");
    symlink("deep/a", at("link")).expect("made");
    fs::hard_link(at("b"), at("other-b")).expect("made");
    fs::set_permissions(at("deep/a"), Permissions::from_mode(0o640)).expect("ours");
    if is_root() {
        chown(at("deep/a"), Some(1), Some(2)).expect("root may");
    }
    let before = fs::metadata(at("deep/a")).expect("it is there");
    let old = SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000);
    File::options().write(true).open(at("unchanged")).and_then(|file| file.set_modified(old)).expect("ours");

    let inputs = ["link", "unchanged", "packed.gz", "comments", "b"].map(at);
    let output = filter(&[&["--minimal", "--in-place", "-"][..], &inputs.each_ref().map(|path| name(path))].concat());
    let want = format!(
        "error: standard input cannot be filtered in place: name files\n\
         error: cannot write {}: it is compressed, and only read\n\
         {comments}:1:1: warning F104 no-record this file holds no record: one starts with [Variant \"C'escacs\"]\n\
         {comments} is left as it was: it holds no record\n",
        name(&inputs[2]),
        comments = name(&inputs[3])
    );
    assert_eq!((output.status.code(), said(&output), output.stdout), (Some(2), want, Vec::new()));
    let text = |name: &str| fs::read_to_string(at(name)).expect("it is there");
    assert_eq!(["link", "deep/a", "b", "unchanged"].map(text), [MINIMAL; 4]);
    assert_eq!(["other-b", "comments"].map(text), [CLEAN, "{ only }\n"]);
    assert!(fs::symlink_metadata(at("link")).expect("it is there").is_symlink());
    let after = fs::metadata(at("deep/a")).expect("it is there");
    assert_eq!((after.mode(), after.uid(), after.gid()), (before.mode(), before.uid(), before.gid()));
    assert_ne!(after.ino(), before.ino());
    assert_eq!(fs::metadata(at("unchanged")).expect("it is there").modified().expect("known"), old);
}

#[test]
fn in_place_leaves_a_file_with_a_refused_record_and_stops_if_told_to() {
    let folder = tempfile::tempdir().expect("a folder");
    let paths = ["a", "b", "c"].map(|name| folder.path().join(name));
    let faulty = format!("{CLEAN}\n{REFUSED}");
    for (how, last) in [("skip", MINIMAL), ("stop", CLEAN)] {
        for threads in ["1", "8"] {
            paths.iter().zip([CLEAN, &faulty, CLEAN]).for_each(|(path, text)| fs::write(path, text).expect("written"));
            let options = ["--minimal", "--in-place", "-j", threads, "--on-error", how];
            let output = filter(&[&options[..], &paths.each_ref().map(|path| name(path))].concat());
            assert_eq!(output.status.code(), Some(1));
            let b = name(&paths[1]);
            let told = said(&output);
            let lines: Vec<&str> = told.lines().collect();
            assert_eq!(lines.len(), 2, "{told}");
            assert!(lines[0].starts_with(&format!("{b}:11:4: error A101 ")), "{told}");
            assert_eq!(lines[1], format!("{b} is left as it was: 1 record could not be filtered"));
            let texts = paths.each_ref().map(|path| fs::read_to_string(path).expect("it is there"));
            assert_eq!(texts, [MINIMAL, &faulty, last]);
            assert_eq!(names(folder.path()), ["a", "b", "c"]);
        }
    }
}

/// What the filter refuses of an archive's records, one by one, as they stand in it.
fn refused(plan: Plan, folder: &Path) -> (Vec<u8>, u64) {
    let file = folder.join("record");
    let is_refused = |record: &[u8]| {
        fs::write(&file, record).expect("written");
        filter(&["--minimal", name(&file)]).status.code() == Some(1)
    };
    let last = plan.records - 1;
    let (mut text, mut count) = (Vec::new(), 0);
    for (record, k) in Archive::new(plan).zip(0..) {
        if record.fault.is_some() && is_refused(&record.text) {
            count += 1;
            text.extend_from_slice(&record.text);
            text.extend_from_slice(if k == last { b"" } else { b"\n" });
        }
    }
    (text, count)
}

fn records(file: &Path) -> u64 {
    let output = Command::new(LINT)
        .args(["--statistics", "--format", "json", "--fail-on", "never", name(file)])
        .output()
        .expect("it is built");
    let counts: serde_json::Value = serde_json::from_slice(&output.stdout).expect("an object");
    counts["records"].as_u64().expect("a number")
}

#[test]
fn what_is_refused_and_what_is_written_are_all_records() {
    let folder = tempfile::tempdir().expect("a folder");
    let [file, out, rejects] = ["a.ctl-pgn", "out", "rejects"].map(|name| folder.path().join(name));
    for faults in [0, 50, 100] {
        let plan = plan(100, faults);
        fs::write(&file, archive(plan.clone())).expect("written");
        fs::write(&rejects, "of an earlier run").expect("written");
        let (want, count) = refused(plan, folder.path());
        for threads in ["1", "8"] {
            let output =
                filter(&["--minimal", "-j", threads, "-o", name(&out), "--rejects", name(&rejects), name(&file)]);
            assert_eq!(output.status.code(), Some(i32::from(count > 0)));
            assert!(fs::read(&rejects).expect("it is there") == want, "{faults} {threads}");
            assert_eq!(records(&out) + count, 100);
        }
    }
    // Filtered again, they are refused again.
    let again = filter(&["--minimal", name(&rejects), "--rejects", name(&out)]);
    assert_eq!((again.status.code(), again.stdout.len()), (Some(1), 0));
    assert!(fs::read(&rejects).expect("it is there") == fs::read(&out).expect("it is there"));
}

/// All that a run leaves behind.
type Left = (Option<i32>, Vec<u8>, String, Option<String>, Option<String>);

#[test]
fn stopping_and_skipping_do_not_depend_on_threads() {
    let folder = tempfile::tempdir().expect("a folder");
    let at = |name: &str| folder.path().join(name);
    let [many, no_end, no_end_again, comments] = ["many", "no-end", "no-end-again", "comments"].map(at);
    let [empty, faulty, faulty_again, zip] = ["empty", "faulty", "faulty-again", "zip"].map(at);
    let [out, rejects] = ["out", "rejects"].map(at);
    let spoilt = format!("{CLEAN}\n{}", REFUSED.trim_end()).into_bytes();
    let laid = [
        (&many, archive(plan(300, 0))),
        (&no_end, CLEAN.trim_end().as_bytes().to_vec()),
        (&no_end_again, CLEAN.trim_end().as_bytes().to_vec()),
        (&comments, b"{ only }\n\n".to_vec()),
        (&empty, Vec::new()),
        (&faulty, spoilt.clone()),
        (&faulty_again, spoilt),
        (&zip, b"PK\x03\x04".to_vec()),
    ];
    laid.iter().for_each(|(path, text)| fs::write(path, text).expect("written"));
    let run = |options: &[&str], threads: &str| -> Left {
        for path in [&out, &rejects] {
            fs::write(path, "old").expect("written");
        }
        let inputs =
            [&comments, &no_end, &empty, &many, &faulty, &zip, &faulty_again, &no_end_again].map(|path| name(path));
        let output = filter(&[options, &["-j", threads], &inputs].concat());
        let text = |path: &Path| fs::read_to_string(path).expect("it is there");
        let written = |path: &Path| Some(text(path)).filter(|text| text != "old");
        (output.status.code(), output.stdout.clone(), said(&output), written(&out), written(&rejects))
    };
    let filtered = String::from_utf8(filter(&["--minimal", name(&many)]).stdout).expect("UTF-8");
    let to_stop = format!("{MINIMAL}\n{filtered}\n{MINIMAL}");
    let (record, to_end) = (REFUSED.trim_end(), format!("{to_stop}\n{MINIMAL}\n{MINIMAL}"));
    for (how, text, taken) in
        [("skip", &to_end, format!("{record}\n\n{record}")), ("stop", &to_stop, record.to_owned())]
    {
        for to in [&[][..], &["-o", name(&out)]] {
            for taking in [&[][..], &["--rejects", name(&rejects)]] {
                let same = |form: &[&str]| {
                    let options = [form, &["--on-error", how], to, taking].concat();
                    let left = run(&options, "1");
                    assert!(run(&options, "8") == left, "{options:?}");
                    left
                };
                same(&["--to", "pdtl"]);
                let (status, stdout, told, written, refused) = same(&["--minimal"]);
                let stopped = how == "stop" && !to.is_empty();
                let kept = if to.is_empty() { String::from_utf8(stdout).ok() } else { written };
                assert_eq!(status, Some(1), "{how} {to:?} {told}");
                assert!(kept == Some(text.clone()).filter(|_| !stopped), "{how} {to:?} {told}");
                assert_eq!(told.contains("out is left as it was: 1 record could not be filtered\n"), stopped, "{told}");
                assert_eq!(refused, Some(taken.clone()).filter(|_| !taking.is_empty()));
                let unread = told.contains("1 refusal is not in ");
                assert_eq!(unread, how == "skip" && !taking.is_empty(), "{told}");
            }
        }
    }
}

#[test]
fn a_closed_pipe_ends_quietly_and_a_full_device_does_not() {
    let folder = tempfile::tempdir().expect("a folder");
    let file = folder.path().join("a.ctl-pgn");
    fs::write(&file, archive(plan(1500, 0))).expect("written");
    for threads in ["1", "8"] {
        let mut child = Command::new(FILTER)
            .args(["--minimal", "-j", threads, name(&file)])
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .expect("it is built");
        let mut pipe = child.stdout.take().expect("it is piped");
        pipe.read_exact(&mut [0; 100]).expect("it is long");
        drop(pipe);
        let output = child.wait_with_output().expect("it ends");
        assert_eq!((output.status.code(), said(&output).as_str()), (Some(0), ""));
    }
    if !Path::new("/dev/full").exists() {
        return skip("there is no /dev/full");
    }
    for option in ["-o", "--rejects"] {
        fs::write(&file, format!("{CLEAN}\n{REFUSED}")).expect("written");
        let output = filter(&["--minimal", name(&file), option, "/dev/full"]);
        assert_eq!(output.status.code(), Some(2));
        let want = "error: cannot write /dev/full: No space left on device (os error 28)\n";
        assert!(said(&output).ends_with(want), "{}", said(&output));
    }
    let full = File::options().write(true).open("/dev/full").expect("it is there");
    let output = Command::new(FILTER).args(["--minimal", name(&file)]).stdout(full).output().expect("it is built");
    assert_eq!(output.status.code(), Some(2));
    assert!(said(&output).ends_with("error: cannot write: No space left on device (os error 28)\n"));
}

#[test]
fn what_is_read_is_not_written() {
    let folder = tempfile::tempdir().expect("a folder");
    let (file, other) = (folder.path().join("a"), folder.path().join("other"));
    fs::write(&file, CLEAN).expect("written");
    fs::hard_link(&file, &other).expect("made");
    let want = format!("error: {} is to be read and written: name another file\n", name(&file));
    for option in ["-o", "--rejects"] {
        for to in [&file, &other] {
            let output = filter(&["--minimal", name(&file), option, name(to)]);
            assert_eq!((output.status.code(), said(&output), output.stdout), (Some(2), want.clone(), Vec::new()));
        }
    }
    let (new, same) = (folder.path().join("new"), folder.path().join("./new"));
    let output = filter(&["--minimal", name(&file), "-o", name(&new), "--rejects", name(&same)]);
    let why = "is to take what is written and what is refused: name two files";
    assert_eq!((output.status.code(), said(&output)), (Some(2), format!("error: {} {why}\n", name(&same))));
    assert_eq!(names(folder.path()), ["a", "other"]);
    for from in [Some(&file), None] {
        let append = File::options().append(true).open(&file).expect("it is there");
        let mut command = Command::new(FILTER);
        command.arg("--minimal").args(from).stdin(File::open(&file).expect("it is there")).stdout(append);
        let output = command.output().expect("it is built");
        let named = from.map_or("<stdin>", |file| name(file));
        let want = format!("error: {named} is to be read and written: name another file\n");
        assert_eq!((output.status.code(), said(&output)), (Some(2), want));
    }
    assert_eq!(fs::read_to_string(&file).expect("it is there"), CLEAN);
}
