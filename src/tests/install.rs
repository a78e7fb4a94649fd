//! What `--generate` prints is understood by those it is for, and `make install` puts it where they look.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]
#![allow(clippy::print_stderr, reason = "a test that is skipped says so")]

use std::path::Path;
use std::process::{Command, Stdio};

use clap::CommandFactory;
use ctl::cli::filter_args::FilterArgs;
use ctl::cli::lint_args::LintArgs;

const PROGRAMS: [(&str, &str); 2] =
    [("ctl-lint", env!("CARGO_BIN_EXE_ctl-lint")), ("ctl-filter", env!("CARGO_BIN_EXE_ctl-filter"))];

/// Standard output of a command that must go well without a word of complaint.
fn output(command: &mut Command) -> String {
    let output = command.output().unwrap();
    let complaint = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success() && complaint.is_empty(), "{command:?}: {}: {complaint}", output.status);
    String::from_utf8(output.stdout).unwrap()
}

fn generated(program: &str, kind: &str) -> String {
    output(Command::new(program).args(["--generate", kind]))
}

/// Whether a program is there to test with.
fn there(program: &str) -> bool {
    let there = Command::new(program).arg("--version").stdout(Stdio::null()).stderr(Stdio::null()).status().is_ok();
    if !there {
        eprintln!("skipped: {program} is not installed");
    }
    there
}

/// What a shell offers for the beginning of a line, with the completions loaded.
fn offered(shell: &[&str], script: &str, program: &str, kind: &str, word: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("completions");
    std::fs::write(&file, generated(program, kind)).unwrap();
    let said = output(Command::new(shell[0]).args(&shell[1..]).arg(script).arg("shell").arg(&file).arg(word));
    said.lines().map(|line| line.split_whitespace().next().unwrap_or_default().to_owned()).collect()
}

/// Every option, and the values of one.
fn check_offers(offers: impl Fn(&str, &str, &str) -> Vec<String>) {
    let [(lint, lint_path), (filter, filter_path)] = PROGRAMS;
    for (name, path, command) in [(lint, lint_path, LintArgs::command()), (filter, filter_path, FilterArgs::command())]
    {
        let offered = offers(name, path, "--");
        for long in command.get_arguments().filter_map(clap::Arg::get_long) {
            assert!(offered.contains(&format!("--{long}")), "{name} --{long}: {offered:?}");
        }
    }
    assert_eq!(offers(lint, lint_path, "--format j"), ["json", "jsonl", "junit"]);
    assert_eq!(offers(filter, filter_path, "--on-error s"), ["skip", "stop"]);
}

#[test]
fn bash_completes() {
    const SCRIPT: &str = r#"
        source "$1"; read -ra words <<< "$2"
        called=$(complete -p PROGRAM); called=${called#*-F }
        COMP_WORDS=(PROGRAM "${words[@]}"); COMP_CWORD=${#words[@]}
        "${called%% *}" PROGRAM "${words[-1]}" "${COMP_WORDS[COMP_CWORD - 1]}"
        printf '%s\n' "${COMPREPLY[@]}""#;
    if there("bash") {
        check_offers(|name, path, line| {
            offered(&["bash", "--norc", "-c"], &SCRIPT.replace("PROGRAM", name), path, "bash", line)
        });
    }
}

#[test]
fn fish_completes() {
    const SCRIPT: &str = r#"source $argv[2]; complete -C "PROGRAM $argv[3]""#;
    if there("fish") {
        check_offers(|name, path, line| {
            offered(&["fish", "--no-config", "-c"], &SCRIPT.replace("PROGRAM", name), path, "fish", line)
        });
    }
}

#[test]
fn zsh_completes() {
    // Outside its line editor zsh calls no completions, but those that stand in for its own show what they are told.
    const SCRIPT: &str = r#"
        compdef() { : }
        _arguments() { print -rl -- "$@" }
        source "$1"; _PROGRAM"#;
    for (name, path) in PROGRAMS {
        let script = generated(path, "zsh");
        assert!(script.starts_with(&format!("#compdef {name}\n")), "{script}");
    }
    if there("zsh") {
        let [(name, path), _] = PROGRAMS;
        let told = offered(&["zsh", "-fc"], &SCRIPT.replace("PROGRAM", name), path, "zsh", "");
        assert!(told.iter().any(|line| line.starts_with("--format=[How")), "{told:?}");
    }
}

#[test]
fn every_kind_names_every_option() {
    for ((_, path), command) in PROGRAMS.into_iter().zip([LintArgs::command(), FilterArgs::command()]) {
        for kind in ["bash", "zsh", "fish", "powershell", "man"] {
            let text = generated(path, kind);
            for long in command.get_arguments().filter_map(clap::Arg::get_long) {
                let option = match kind {
                    "fish" => format!(" -l {long} "),
                    "man" => format!("\\-\\-{}", long.replace('-', "\\-")),
                    _ => format!("--{long}"),
                };
                assert!(text.contains(&option), "{path} {kind} {option}");
            }
        }
    }
}

#[test]
fn man_pages_are_set_without_a_warning() {
    for (name, path) in PROGRAMS {
        let page = generated(path, "man");
        let sections: Vec<_> = page.lines().filter_map(|line| line.strip_prefix(".SH ")).collect();
        let own: &[&str] = if name == "ctl-lint" { &["\"THE WHOLE ARCHIVE\""] } else { &[] };
        let wanted = [&["NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS"], own, &["\"EXIT STATUS\"", "EXAMPLES"]].concat();
        assert_eq!(sections, wanted, "{name}");
        assert!(page.contains("folders are walked for \\fB*.ctl\\-pgn\\fR"), "{page}");
        assert!(!page.contains('`'), "{page}");
        if there("groff") {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(&file, &page).unwrap();
            let set =
                output(Command::new("groff").args(["-man", "-Kutf8", "-Tutf8", "-P-cbou", "-ww"]).arg(file.path()));
            let words = set.split_whitespace().collect::<Vec<_>>().join(" ");
            assert!(words.contains(&format!("SYNOPSIS {name} [OPTIONS]")), "{set}");
            assert!(words.contains("EXIT STATUS 0 "), "{set}");
        }
    }
}

/// The recipe with programs that are built already; `make` itself would build those of a release.
#[test]
fn make_installs_where_shells_and_man_look() {
    let folder = tempfile::tempdir().unwrap();
    let to = folder.path().join("a package");
    let built = Path::new(PROGRAMS[0].1).parent().unwrap();
    let variable = |name: &str, value: &Path| format!("{name}={}", value.display());
    let mut make = Command::new("make");
    make.current_dir(env!("CARGO_MANIFEST_DIR")).args(["--silent", "install", "CARGO=true", "prefix=/usr"]);
    make.args([variable("BUILT", built), variable("DESTDIR", &to)]);
    output(&mut make);
    for (name, path) in PROGRAMS {
        let share = to.join("usr/share");
        for (kind, place) in [
            ("bash", format!("bash-completion/completions/{name}")),
            ("zsh", format!("zsh/site-functions/_{name}")),
            ("fish", format!("fish/vendor_completions.d/{name}.fish")),
            ("man", format!("man/man1/{name}.1")),
        ] {
            assert_eq!(std::fs::read_to_string(share.join(&place)).unwrap(), generated(path, kind), "{place}");
        }
        let version = output(Command::new(to.join("usr/bin").join(name)).arg("--version"));
        assert_eq!(version, format!("{name} {}\n", env!("CARGO_PKG_VERSION")));
    }
}
