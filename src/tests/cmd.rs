//! The programs as their users call them: `testdata/cmd`, and every command of the README.

use std::path::Path;
use std::process::Command;

use clap::{CommandFactory, Parser};
use ctl::cli::filter_args::FilterArgs;
use ctl::cli::lint_args::LintArgs;

const README: &str = include_str!("../../README.md");
const HOOKS: &str = include_str!("../../.pre-commit-hooks.yaml");
const ACTION: &str = include_str!("../../action.yml");

#[test]
fn commands_say_what_is_written() {
    trycmd::TestCases::new()
        .case("README.md")
        .case("docs/*.md")
        .case("testdata/cmd/*.trycmd")
        .case("testdata/cmd/*.toml");
}

/// The lines of the README's `sh` blocks, or of others.
fn lines(kind: &'static str) -> impl Iterator<Item = &'static str> {
    let (fence, end) = (format!("```{kind}\n"), "```");
    let blocks: Vec<_> = README.split(&fence).skip(1).filter_map(|block| block.split(end).next()).collect();
    blocks.into_iter().flat_map(str::lines)
}

#[test]
fn every_other_command_of_the_readme_runs() {
    for line in lines("sh") {
        let words: Vec<&str> = line.split_whitespace().collect();
        let (program, arguments) = match words.as_slice() {
            // The commands of these run here, or are this very test; what they are is asked of make.
            ["make", target] => ("make", vec!["--dry-run", target]),
            ["ctl-lint", rest @ ..] => (env!("CARGO_BIN_EXE_ctl-lint"), rest.to_vec()),
            ["ctl-filter", rest @ ..] => (env!("CARGO_BIN_EXE_ctl-filter"), rest.to_vec()),
            // The tests are built already; a release build would take them minutes.
            ["cargo", "run", "--release", rest @ ..] => ("cargo", [&["run", "--quiet"], rest].concat()),
            _ => panic!("no test runs {line:?}"),
        };
        let output = Command::new(program).args(&arguments).output().unwrap();
        // `ctl-lint testdata` meets the samples with faults.
        let expected = i32::from(line == "ctl-lint testdata");
        assert_eq!(output.status.code(), Some(expected), "{line}: {}", String::from_utf8_lossy(&output.stderr));
    }
}

#[test]
fn what_the_readme_has_ci_run_is_understood() {
    let in_yaml = lines("yaml").filter_map(|line| line.trim().strip_prefix("- ctl-lint "));
    let in_text = README.split("`ctl-lint ").skip(1).filter_map(|text| text.split(['`', '|']).next());
    let commands: Vec<_> = in_yaml.chain(in_text).collect();
    assert!(commands.len() > 2, "{commands:?}");
    for command in commands {
        let words = ["ctl-lint"].into_iter().chain(command.split_whitespace());
        LintArgs::try_parse_from(words).unwrap_or_else(|error| panic!("{command}: {error}"));
    }
    for id in lines("yaml").filter_map(|line| line.trim().strip_prefix("- id: ")) {
        assert!(HOOKS.contains(&format!("- id: {id}\n")), "{id}");
    }
}

/// The action's own script, as GitHub's runners run it.
#[test]
fn the_action_lints() {
    let (_, script) = ACTION.rsplit_once("run: |\n").unwrap();
    let bin = Path::new(env!("CARGO_BIN_EXE_ctl-lint")).parent().unwrap();
    let path = std::env::join_paths(
        [bin.to_owned()].into_iter().chain(std::env::split_paths(&std::env::var_os("PATH").unwrap_or_default())),
    );
    let folder = tempfile::tempdir().unwrap();
    let sarif = folder.path().join("a file.sarif");
    let run = |args: &str, sarif: &Path| {
        let mut bash = Command::new("bash");
        bash.args(["--noprofile", "--norc", "-eo", "pipefail", "-c", script]).env("PATH", path.as_ref().unwrap());
        bash.env("PATHS", "testdata/sample.ctl-pgn\ntestdata/sample-faults.ctl-pgn")
            .env("ARGS", args)
            .env("SARIF", sarif);
        let output = bash.output().unwrap();
        (output.status.code(), String::from_utf8(output.stdout).unwrap(), String::from_utf8(output.stderr).unwrap())
    };
    let (status, log, said) = run("--isolated --select M109,A102 -q", &sarif);
    assert_eq!((status, said.as_str()), (Some(1), ""));
    assert!(log.starts_with("::error file=testdata/sample-faults.ctl-pgn,line=16,col=10,"), "{log}");
    let report: serde_json::Value = serde_json::from_slice(&std::fs::read(&sarif).unwrap()).unwrap();
    assert_eq!(report["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    assert_eq!(run("--isolated --select G -q --exclude *", Path::new("")), (Some(0), String::new(), String::new()));
}

#[test]
fn every_option_is_in_the_readme() {
    for command in [LintArgs::command(), FilterArgs::command()] {
        for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let option = long.or(argument.get_short().map(|short| format!("-{short} "))).unwrap();
            assert!(README.contains(&option), "{} {option}", command.get_name());
        }
    }
}
