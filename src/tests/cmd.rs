//! The programs as their users call them: `testdata/cmd`, and every command of the README.

use std::process::Command;

use clap::CommandFactory;
use ctl::cli::filter_args::FilterArgs;
use ctl::cli::lint_args::LintArgs;

const README: &str = include_str!("../../README.md");

#[test]
fn commands_say_what_is_written() {
    trycmd::TestCases::new().case("README.md").case("testdata/cmd/*.trycmd").case("testdata/cmd/*.toml");
}

/// The lines of the README's `sh` blocks.
fn shell_commands() -> impl Iterator<Item = &'static str> {
    README.split("```sh\n").skip(1).filter_map(|block| block.split("```").next()).flat_map(str::lines)
}

#[test]
fn every_other_command_of_the_readme_runs() {
    for line in shell_commands() {
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
fn every_option_is_in_the_readme() {
    for command in [LintArgs::command(), FilterArgs::command()] {
        for argument in command.get_arguments().filter(|argument| !argument.is_positional()) {
            let long = argument.get_long().map(|long| format!("--{long}"));
            let option = long.or(argument.get_short().map(|short| format!("-{short} "))).unwrap();
            assert!(README.contains(&option), "{} {option}", command.get_name());
        }
    }
}
