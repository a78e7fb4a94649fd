//! What ctl-lint takes.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

use clap::builder::{ArgPredicate, OsStringValueParser, PossibleValue, TypedValueParser};
use clap::{Parser, ValueEnum, ValueHint};
use serde::Deserialize;

use super::generate::{Documented, Section, after_help};
use super::run::path_of;
use super::{RunArgs, usage};
use crate::lint::select::Words;
use crate::lint::{Applicability, Catalogue, Severity};
use crate::report::board::Signs;
use crate::report::{Concise, Full, Github, Gitlab, Json, Jsonl, Junit, Report, Sarif};

/// How findings are written.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Format {
    /// With the lines they lie in
    Full,
    /// One line each
    Concise,
    /// An array
    Json,
    /// One object a line
    Jsonl,
    /// SARIF 2.1.0, for code scanning
    Sarif,
    /// Annotations, from the log of a GitHub job
    Github,
    /// A code quality report for GitLab
    Gitlab,
    /// `JUnit`'s XML: a failed test for each finding
    Junit,
}

impl Format {
    /// The report that writes so.
    pub fn report(self, catalogue: &Catalogue, color: bool, max_per_rule: u64) -> Box<dyn Report + '_> {
        match self {
            Format::Full => Box::new(Full::new(catalogue, color, max_per_rule)),
            Format::Concise => Box::new(Concise::new(catalogue, color)),
            Format::Json => Box::new(Json::new(catalogue)),
            Format::Jsonl => Box::new(Jsonl::new(catalogue)),
            Format::Sarif => Box::new(Sarif::new(catalogue)),
            Format::Github => Box::new(Github::new(catalogue)),
            Format::Gitlab => Box::new(Gitlab::new(catalogue)),
            Format::Junit => Box::new(Junit::new(catalogue)),
        }
    }

    /// Whether it is JSON of our own, which has an object for statistics.
    pub const fn is_json(self) -> bool {
        matches!(self, Format::Json | Format::Jsonl)
    }

    /// Whether it is someone else's, which knows findings only.
    pub const fn is_foreign(self) -> bool {
        matches!(self, Format::Sarif | Format::Github | Format::Gitlab | Format::Junit)
    }
}

/// A report that goes to a file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ReportTo {
    /// How it is written.
    pub format: Format,
    /// Where.
    pub file: PathBuf,
}

/// Reads `FORMAT=FILE`.
#[expect(clippy::needless_pass_by_value, reason = "clap hands it over so")]
fn report_to(word: OsString) -> Result<ReportTo, String> {
    let bytes = word.as_encoded_bytes();
    let at = bytes.iter().position(|&byte| byte == b'=').ok_or("FORMAT=FILE was expected")?;
    let format = Format::from_str(&String::from_utf8_lossy(&bytes[..at]), false).map_err(|_| {
        let known: Vec<_> = Format::value_variants().iter().filter_map(Format::to_possible_value).collect();
        format!("the formats are {}", known.iter().map(PossibleValue::get_name).collect::<Vec<_>>().join(", "))
    })?;
    let file = path_of(&bytes[at + 1..]).map_err(|error| error.to_string())?;
    if file.as_os_str().is_empty() || file == Path::new("-") {
        return Err("a file was expected behind the `=`: what goes to the screen is for --format".to_owned());
    }
    Ok(ReportTo { format, file })
}

/// From which severity on findings give exit status 1.
#[derive(Clone, Copy, PartialEq, Eq, Debug, ValueEnum, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailOn {
    /// Any finding
    Style,
    /// Warnings and errors
    Warning,
    /// Errors
    Error,
    /// No finding
    Never,
}

impl FailOn {
    /// Whether a finding of this severity counts.
    pub fn reached(self, severity: Severity) -> bool {
        match self {
            FailOn::Style => true,
            FailOn::Warning => severity >= Severity::Warning,
            FailOn::Error => severity >= Severity::Error,
            FailOn::Never => false,
        }
    }
}

/// Finds what is wrong in archives of C'escacs games in CTL-PGN
///
/// Every ply is replayed, in the main line and in every variation, and every finding has its exact place. Findings go to
/// standard output; progress, summary and errors to standard error.
#[derive(Parser, Clone, PartialEq, Eq, Debug)]
#[command(name = "ctl-lint", version, max_term_width = 100, after_long_help = after_help(LintArgs::SECTIONS))]
pub struct LintArgs {
    /// Files and folders; `-` is standard input
    ///
    /// Files are read whatever they are called; folders are walked for `*.ctl-pgn`, `*.ctl-pgn.gz` and `*.ctl-pgn.zst`, without
    /// hidden entries. What is compressed is known by its first bytes.
    #[arg(
        value_name = "PATH",
        value_hint = ValueHint::AnyPath,
        default_value = ".",
        default_value_if("files_from", ArgPredicate::IsPresent, None),
    )]
    pub paths: Vec<PathBuf>,

    /// Read this configuration instead of the nearest `ctl-lint.toml`
    ///
    /// By default one is looked for in the current folder, then in each folder above it. What is said at the command line wins
    /// over it: --select replaces its `select`, lists are added to its lists, and of words for rules that are as specific those of the
    /// command line win. `--generate schema` prints what it may hold.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with = "isolated")]
    pub config: Option<PathBuf>,

    /// How findings are written [default: full]
    #[arg(long, value_enum)]
    pub format: Option<Format>,

    /// Write findings to a file, too; repeatable
    ///
    /// FORMAT is any of --format. The file is replaced only when the report is complete; it has all findings, also where
    /// --statistics or --max-per-rule keep them from the screen.
    #[arg(long, value_name = "FORMAT=FILE", value_parser = OsStringValueParser::new().try_map(report_to))]
    #[arg(value_hint = ValueHint::Other)]
    #[arg(conflicts_with_all = ["diff", "rules", "explain", "show_files"])]
    pub report: Vec<ReportTo>,

    /// Rules to use instead of the default ones
    ///
    /// Codes, names, letters of families, `all`, or the groups `spec` (errors
    /// and warnings of clauses 1–11), `play` (clause 12) and `style` (style findings). Separated by commas, repeatable.
    /// The more specific word wins (rule, family, group, `all`); of equals --ignore wins.
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = usage::word, value_hint = ValueHint::Other)]
    pub select: Vec<String>,

    /// Rules not to use
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = usage::word, value_hint = ValueHint::Other)]
    pub ignore: Vec<String>,

    /// Rules to use besides
    #[arg(long, value_name = "RULES", value_delimiter = ',', value_parser = usage::word, value_hint = ValueHint::Other)]
    pub extend_select: Vec<String>,

    /// How bad findings of a rule are: style, warning or error; repeatable
    ///
    /// RULE is a code, a name, the letter of a family or a group. The more specific word wins, then the last. Exit status,
    /// summary and reports go by it; the groups go by the severities that the rules' pages give.
    #[arg(long, value_name = "RULE=LEVEL", value_parser = usage::severity, value_hint = ValueHint::Other)]
    pub severity: Vec<(String, Severity)>,

    /// From which severity on findings give exit status 1 [default: error]
    #[arg(long, value_name = "SEVERITY", value_enum)]
    pub fail_on: Option<FailOn>,

    /// Don't show the findings that a file holds
    ///
    /// It counts them by rule and record, a record by its Id or else by its plies. As long as a record has no more findings of a
    /// rule than that, none of them is shown, else all are; exit status, summary and reports go by what is shown.
    /// That a file could not be read is always shown.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath, conflicts_with_all = ["rules", "explain"])]
    pub baseline: Option<PathBuf>,

    /// Write the findings to a file for --baseline, and don't show them
    ///
    /// A file that is there is taken for --baseline and only ever shrinks: what is found no more is dropped, nothing is
    /// added. What rules hold that are off in this run stays. Name all paths of the archive; to begin anew remove the file.
    #[arg(long, value_name = "FILE", value_hint = ValueHint::FilePath)]
    #[arg(conflicts_with_all = ["baseline", "rules", "explain", "show_files"])]
    pub write_baseline: Option<PathBuf>,

    /// Write suppressions of all findings into the files, then show what remains
    ///
    /// For each record, and each pair that stands at its line's end, a comment of its own with the --reason. Tags and moves stay as
    /// they are. Standard input and compressed files can't be written; what is found in a file as a whole can't be suppressed.
    #[arg(long, requires = "reason", conflicts_with_all = ["write_baseline", "rules", "explain", "show_files"])]
    pub add_suppressions: bool,

    /// The reason that --add-suppressions gives
    #[arg(long, value_name = "TEXT", value_parser = usage::reason, requires = "add_suppressions", value_hint = ValueHint::Other)]
    pub reason: Option<String>,

    /// Draw the position under each finding at a ply [default: letters]
    ///
    /// As it was before the ply, White below, the ply's hexes in brackets; White's letters are large, Black's small. With
    /// --format full.
    #[arg(long, value_name = "SIGNS", value_enum, num_args = 0..=1, default_missing_value = "letters", require_equals = true)]
    pub board: Option<Signs>,

    /// Count findings by rule instead of showing them
    ///
    /// With --format full or concise a line each, with json or jsonl as an object. The other formats know none.
    #[arg(long)]
    pub statistics: bool,

    /// Mend what can be mended without a change of meaning, and show what remains
    ///
    /// A file is replaced only if its text changes, and only when its new text is complete and on disk; it keeps
    /// its mode. With `-` the text goes to standard output and findings to standard error. A file that changed since
    /// it was read, that could not be read whole, or that is compressed stays as it is (exit status 2).
    #[arg(long, conflicts_with_all = ["diff", "rules", "explain", "show_files"])]
    pub fix: bool,

    /// With --fix or --diff: mend also what may change the meaning
    ///
    /// Missing tags with unknown values, misspelt names of tags, results of PGN; where results disagree with mate the
    /// board wins.
    #[arg(long)]
    pub unsafe_fixes: bool,

    /// Show what --fix would change as a unified diff, and write nothing
    ///
    /// No findings are shown. The exit status is 1 if there is a difference.
    #[arg(long)]
    #[arg(conflicts_with_all = ["rules", "explain", "statistics", "add_suppressions", "baseline", "write_baseline", "show_files"])]
    pub diff: bool,

    /// List the rules
    #[arg(long, conflicts_with_all = ["explain", "statistics", "paths"])]
    pub rules: bool,

    /// Explain a rule, or list those that cite a clause
    ///
    /// A rule by its code or name (`T103`, `tag-order`), a clause of the format (`§6.4`, or just
    /// `6.4`) or of the rules of play (`R2.3`).
    #[arg(long, value_name = "RULE|CLAUSE", value_parser = usage::word, value_hint = ValueHint::Other)]
    #[arg(conflicts_with_all = ["statistics", "paths"])]
    pub explain: Option<String>,

    /// What standard input is called in reports
    #[arg(long, value_name = "NAME", value_hint = ValueHint::FilePath)]
    pub stdin_filename: Option<PathBuf>,

    /// Findings of a rule that `full` shows, 0 for all [default: 20]
    ///
    /// The rest is counted at the end. Summary and exit status don't depend on it.
    #[arg(long, value_name = "N", value_parser = usage::count, value_hint = ValueHint::Other)]
    #[arg(allow_negative_numbers = true)]
    pub max_per_rule: Option<u64>,

    /// What both programs take.
    #[command(flatten)]
    pub run: RunArgs,
}

impl LintArgs {
    /// Whether files are to be mended, or how is to be shown, and with which fixes.
    ///
    /// # Errors
    /// What is wrong with the usage.
    pub fn mending(&self) -> Result<Option<Applicability>, &'static str> {
        match (self.fix || self.diff, self.unsafe_fixes) {
            (true, true) => Ok(Some(Applicability::Unsafe)),
            (true, false) => Ok(Some(Applicability::Safe)),
            (false, true) => Err("--unsafe-fixes needs --fix or --diff"),
            (false, false) => Ok(None),
        }
    }

    /// The report that goes to standard output.
    pub fn report_on<'c>(&self, catalogue: &'c Catalogue, color: bool) -> Box<dyn Report + 'c> {
        match self.format() {
            Format::Full => Box::new(Full::new(catalogue, color, self.max_per_rule()).with_boards(self.board)),
            format => format.report(catalogue, color, self.max_per_rule()),
        }
    }

    /// How findings are written.
    pub fn format(&self) -> Format {
        self.format.unwrap_or(Format::Full)
    }

    /// From which severity on findings give exit status 1.
    pub fn fail_on(&self) -> FailOn {
        self.fail_on.unwrap_or(FailOn::Error)
    }

    /// How many findings of a rule `full` shows, 0 for all.
    pub fn max_per_rule(&self) -> u64 {
        self.max_per_rule.unwrap_or(20)
    }

    /// What is said about rules.
    pub fn words(&self) -> Words {
        let select = Some(self.select.clone()).filter(|words| !words.is_empty());
        let (ignore, extend_select) = (self.ignore.clone(), self.extend_select.clone());
        Words { select, ignore, extend_select, severity: self.severity.clone() }
    }
}

impl ValueEnum for Signs {
    fn value_variants<'a>() -> &'a [Signs] {
        &[Signs::Letters, Signs::Figurines]
    }

    fn to_possible_value(&self) -> Option<PossibleValue> {
        Some(match self {
            Signs::Letters => PossibleValue::new("letters").help("Letters, as in a PDTL"),
            Signs::Figurines => PossibleValue::new("figurines").help("Figurines, if the terminal has them"),
        })
    }
}

impl Documented for LintArgs {
    const SECTIONS: &'static [Section] = &[
        Section {
            title: "The whole archive",
            lines: &[
                ("X", "looks at all files of a run together, and is told at its end, in the order of the records"),
                ("memory", "about 40 bytes a record, and its Id; --ignore X keeps nothing"),
                (
                    "contained",
                    "off by default; reads games again from their files: of a pipe only repetitions are found",
                ),
            ],
        },
        Section {
            title: "Exit status",
            lines: &[
                ("0", "no finding at or above --fail-on"),
                ("1", "findings at or above --fail-on"),
                ("2", "usage, configuration, reading, writing or an internal error; wins over 1"),
            ],
        },
        Section {
            title: "Examples",
            lines: &[
                ("ctl-lint", "all archives in the current folder and below"),
                ("ctl-lint --fail-on warning games", "warnings give exit status 1, too"),
                ("ctl-lint --ignore style,T103 my.ctl-pgn", "without style and without one rule"),
                ("ctl-lint --diff my.ctl-pgn", "what --fix would change"),
                ("ctl-lint --explain tag-order", "what a rule finds, and why"),
            ],
        },
    ];
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use clap::{CommandFactory, error::ErrorKind};

    use super::*;

    fn parse(line: &str) -> Result<LintArgs, clap::Error> {
        LintArgs::try_parse_from(line.split(' '))
    }

    #[test]
    fn the_definition_holds() {
        LintArgs::command().debug_assert();
        assert!(LintArgs::command().render_long_help().to_string().contains("wins over 1"));
    }

    #[test]
    fn nothing_said_means_this_folder_and_errors() {
        let args = parse("ctl-lint").unwrap();
        assert_eq!(args.paths, [Path::new(".")]);
        assert_eq!((args.format(), args.fail_on(), args.max_per_rule()), (Format::Full, FailOn::Error, 20));
        assert!(args.select.is_empty() && args.run.threads.is_none());
        assert!(parse("ctl-lint --files-from list").unwrap().paths.is_empty());
    }

    #[test]
    fn lists_are_separated_by_commas_and_repeated() {
        let args = parse("ctl-lint --select T,M104 --select play --ignore tag-order -j 2 a -").unwrap();
        assert_eq!(args.select, ["T", "M104", "play"]);
        assert_eq!(args.ignore, ["tag-order"]);
        assert_eq!(args.paths, [Path::new("a"), Path::new("-")]);
    }

    #[test]
    fn reports_are_formats_with_files() {
        let args = parse("ctl-lint --report sarif=a --report full=b=c").unwrap();
        let report = |format, file: &str| ReportTo { format, file: file.into() };
        assert_eq!(args.report, [report(Format::Sarif, "a"), report(Format::Full, "b=c")]);
        for word in ["sarif", "sarif=", "sarif=-", "=a", "xml=a", "SARIF=a"] {
            assert_eq!(parse(&format!("ctl-lint --report {word}")).unwrap_err().exit_code(), 2, "{word}");
        }
    }

    #[test]
    fn wrong_usage_is_status_2() {
        for line in [
            "ctl-lint --formt json",
            "ctl-lint -j 0",
            "ctl-lint --format xml",
            "ctl-lint --rules --explain T103",
            "ctl-lint --rules --report json=a",
            "ctl-lint --show-files --report json=a",
            "ctl-lint --diff --report json=a",
        ] {
            assert_eq!(parse(line).unwrap_err().exit_code(), 2, "{line}");
        }
        assert_eq!(parse("ctl-lint --version").unwrap_err().kind(), ErrorKind::DisplayVersion);
    }

    #[test]
    fn the_limit_counts_from_its_severity_on() {
        let reached = |limit: FailOn| [Severity::Style, Severity::Warning, Severity::Error].map(|s| limit.reached(s));
        assert_eq!(reached(FailOn::Style), [true, true, true]);
        assert_eq!(reached(FailOn::Warning), [false, true, true]);
        assert_eq!(reached(FailOn::Error), [false, false, true]);
        assert_eq!(reached(FailOn::Never), [false, false, false]);
    }
}
