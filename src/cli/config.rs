//! The configuration, `ctl-lint.toml`, and its schema.

use std::collections::BTreeMap;
use std::fmt::Display;
use std::io::{self, ErrorKind, Write};
use std::num::NonZeroUsize;
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::{env, fs};

use clap::ValueEnum;
use serde::Deserialize;
use serde_json::{Value, json};
use toml::Spanned;
use toml::de::DeTable;

use super::lint_args::{FailOn, Format, LintArgs};
use super::run::read_bounded;
use crate::lint::catalogue::Catalogue;
use crate::lint::select::{Selection, Words, nearest};
use crate::lint::{RuleId, Severity};
use crate::report::escape;
use crate::source::{PathGlob, Rows};

const NAME: &str = "ctl-lint.toml";

/// The most bytes that are read of one.
const LONGEST: u64 = 1 << 20;

/// A file's keys.
#[derive(Deserialize, Default)]
#[serde(default, deny_unknown_fields, rename_all = "kebab-case")]
struct Keys {
    select: Option<Vec<Spanned<String>>>,
    ignore: Vec<Spanned<String>>,
    extend_select: Vec<Spanned<String>>,
    severity: BTreeMap<Spanned<String>, Severity>,
    per_file_ignores: BTreeMap<Spanned<String>, Vec<Spanned<String>>>,
    include: Option<Vec<Spanned<String>>>,
    exclude: Vec<Spanned<String>>,
    baseline: Option<PathBuf>,
    threads: Option<NonZeroUsize>,
    fail_on: Option<FailOn>,
    format: Option<Format>,
    max_per_rule: Option<u64>,
}

/// A key, what it is for, and what it may hold.
type Key = (&'static str, &'static str, fn() -> Value);

const KEYS: [Key; 12] = [
    ("select", "Rules to use instead of the default ones.", rules),
    ("ignore", "Rules not to use.", rules),
    ("extend-select", "Rules to use besides.", rules),
    ("severity", "How bad findings of rules are.", || table_by(&rule(), &names(Severity::ALL.map(Severity::name)))),
    ("per-file-ignores", "Rules not to use for files that a glob matches, or for what lies in such folders.", || {
        table_by(&json!({}), &rules())
    }),
    (
        "include",
        "What to read in folders that are walked, instead of *.ctl-pgn, *.ctl-pgn.gz and *.ctl-pgn.zst.",
        globs,
    ),
    ("exclude", "What to leave out of folders that are walked.", globs),
    (
        "baseline",
        "The file that holds known findings, which are not shown.",
        || json!({ "type": "string", "minLength": 1 }),
    ),
    ("threads", "Number of threads; by default one a core.", || json!({ "type": "integer", "minimum": 1 })),
    ("fail-on", "From which severity on findings give exit status 1.", values::<FailOn>),
    ("format", "How findings are written.", values::<Format>),
    (
        "max-per-rule",
        "Findings of a rule that the format full shows, 0 for all.",
        || json!({ "type": "integer", "minimum": 0 }),
    ),
];

fn rule() -> Value {
    json!({ "$ref": "#/$defs/rule" })
}

fn rules() -> Value {
    json!({ "type": "array", "items": rule() })
}

fn globs() -> Value {
    json!({ "type": "array", "items": { "type": "string", "minLength": 1 } })
}

fn names<'n>(names: impl IntoIterator<Item = &'n str>) -> Value {
    json!({ "enum": names.into_iter().collect::<Vec<_>>() })
}

fn values<V: ValueEnum>() -> Value {
    let values: Vec<_> = V::value_variants().iter().filter_map(V::to_possible_value).collect();
    names(values.iter().map(clap::builder::PossibleValue::get_name))
}

fn table_by(name: &Value, value: &Value) -> Value {
    json!({ "type": "object", "propertyNames": name, "additionalProperties": value })
}

/// The schema of a configuration: JSON Schema, draft 2020-12.
fn schema() -> Value {
    let properties = KEYS.iter().map(|(key, says, holds)| {
        let mut value = holds();
        value["description"] = json!(says);
        ((*key).to_owned(), value)
    });
    let words = Selection::words(Catalogue::load());
    json!({
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": NAME,
        "description": "The configuration of ctl-lint.",
        "type": "object",
        "additionalProperties": false,
        "properties": properties.collect::<serde_json::Map<_, _>>(),
        "$defs": { "rule": {
            "description": "A rule by its code or name, the letter of a family, or a group.",
            "enum": words.collect::<Vec<_>>(),
        } },
    })
}

/// Writes the schema.
pub fn write_schema(out: &mut dyn Write) -> io::Result<()> {
    serde_json::to_writer_pretty(&mut *out, &schema())?;
    writeln!(out)
}

/// The configuration of a run; an empty one where it has none.
#[derive(Default)]
pub struct Config {
    keys: Keys,
    /// The folder that it lies in, as it is to be shown.
    shown_folder: PathBuf,
    include: Option<Vec<PathGlob>>,
    exclude: Vec<PathGlob>,
    per_file: Vec<(PathGlob, Vec<RuleId>)>,
}

impl Config {
    /// The one that is named, or the nearest at or above the current folder. What is wrong with it is said with its place.
    pub fn of(args: &LintArgs) -> Result<Config, String> {
        if args.run.isolated {
            return Ok(Config::default());
        }
        let path = match &args.config {
            Some(path) => Some(path.clone()),
            None => nearest_file().map_err(|error| format!("cannot look for {NAME}: {error}"))?,
        };
        path.map_or_else(|| Ok(Config::default()), |path| Config::read(&path))
    }

    fn read(path: &Path) -> Result<Config, String> {
        let name = escape::name(path);
        let cannot = |error| format!("cannot read the configuration {name}: {error}");
        let bytes = read_bounded(path, LONGEST).map_err(cannot)?;
        let folder = fs::canonicalize(path).map_err(cannot)?;
        let folder = folder.parent().unwrap_or(&folder);
        let shown_folder = path.parent().map(Path::to_owned).unwrap_or_default();
        let config = Config::parse(&bytes, folder);
        config.map(|config| Config { shown_folder, ..config }).map_err(|Wrong { at, what }| {
            let (row, column) = Rows::new(&bytes, true, 0).place(at);
            format!("{name}:{row}:{column}: {what}")
        })
    }

    /// Reads the text of a file in `folder`, a real path.
    fn parse(bytes: &[u8], folder: &Path) -> Result<Config, Wrong> {
        let text = str::from_utf8(bytes)
            .map_err(|error| Wrong { at: error.valid_up_to(), what: "bytes that are not UTF-8".to_owned() })?;
        // The parser takes no byte order mark.
        let mark = if text.starts_with('\u{FEFF}') { '\u{FEFF}'.len_utf8() } else { 0 };
        let shifted = |wrong: Wrong| Wrong { at: wrong.at + mark, ..wrong };
        Config::parse_marked(&text[mark..], folder).map_err(shifted)
    }

    fn parse_marked(text: &str, folder: &Path) -> Result<Config, Wrong> {
        for key in DeTable::parse(text)?.get_ref().keys() {
            check_key(key.get_ref()).map_err(wrong_at(key.span()))?;
        }
        let keys: Keys = toml::from_str(text)?;
        let of_severity = keys.severity.keys();
        let of_lists = keys.select.iter().flatten().chain(&keys.ignore).chain(&keys.extend_select);
        for word in of_lists.chain(of_severity).chain(keys.per_file_ignores.values().flatten()) {
            Selection::check_word(Catalogue::load(), word.get_ref()).map_err(wrong_at(word.span()))?;
        }
        let glob = |text: &Spanned<String>| {
            let glob: PathGlob = text.get_ref().parse().map_err(wrong_at::<String>(text.span()))?;
            Ok(glob.within(folder))
        };
        let globs = |list: &[Spanned<String>]| list.iter().map(glob).collect::<Result<Vec<_>, Wrong>>();
        let per_file = keys.per_file_ignores.iter().map(|(text, words)| {
            let words = strings(words);
            let rules = Selection::named(Catalogue::load(), &words).map_err(wrong_at(text.span()))?;
            Ok((glob(text)?, rules))
        });
        let per_file = per_file.collect::<Result<Vec<_>, Wrong>>()?;
        let (include, exclude) = (keys.include.as_deref().map(globs).transpose()?, globs(&keys.exclude)?);
        Ok(Config { keys, include, exclude, per_file, shown_folder: PathBuf::new() })
    }

    /// What it says about rules.
    pub fn words(&self) -> Words {
        let Keys { select, ignore, extend_select, severity, .. } = &self.keys;
        Words {
            select: select.as_deref().map(strings),
            ignore: strings(ignore),
            extend_select: strings(extend_select),
            severity: severity.iter().map(|(word, severity)| (word.get_ref().clone(), *severity)).collect(),
        }
    }

    /// The arguments with what it says where they say nothing; lists of globs with its own before them.
    pub fn under(&self, args: &LintArgs) -> LintArgs {
        let mut args = args.clone();
        args.run.include.clone_from(&self.include);
        args.run.exclude.splice(0..0, self.exclude.iter().cloned());
        args.run.threads = args.run.threads.or(self.keys.threads);
        args.fail_on = args.fail_on.or(self.keys.fail_on);
        args.format = args.format.or(self.keys.format);
        if args.write_baseline.is_none() {
            args.baseline = args.baseline.or_else(|| Some(self.shown_folder.join(self.keys.baseline.as_ref()?)));
        }
        args.max_per_rule = args.max_per_rule.or(self.keys.max_per_rule);
        args
    }

    /// The rules that are not used for a file.
    pub fn ignored(&self, file: &Path) -> Vec<RuleId> {
        let covering = self.per_file.iter().filter(|(glob, _)| glob.covers(file));
        covering.flat_map(|(_, rules)| rules).copied().collect()
    }
}

/// The nearest file of that name, at or above the current folder.
fn nearest_file() -> io::Result<Option<PathBuf>> {
    let here = env::current_dir()?;
    for folder in here.ancestors() {
        let path = folder.join(NAME);
        match fs::symlink_metadata(&path) {
            Ok(_) if folder == here => return Ok(Some(NAME.into())),
            Ok(_) => return Ok(Some(path)),
            Err(error) if error.kind() == ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(None)
}

fn strings(words: &[Spanned<String>]) -> Vec<String> {
    words.iter().map(|word| word.get_ref().clone()).collect()
}

/// What is wrong, and from which byte on.
#[derive(Debug)]
struct Wrong {
    at: usize,
    what: String,
}

impl From<toml::de::Error> for Wrong {
    fn from(error: toml::de::Error) -> Wrong {
        Wrong { at: error.span().map_or(0, |span| span.start), what: error.message().to_owned() }
    }
}

fn wrong_at<E: Display>(span: Range<usize>) -> impl Fn(E) -> Wrong {
    move |what| Wrong { at: span.start, what: what.to_string() }
}

fn check_key(key: &str) -> Result<(), String> {
    let known = || KEYS.iter().map(|(key, ..)| *key);
    if known().any(|known| known == key) {
        return Ok(());
    }
    let meant = match nearest(&key.replace('_', "-"), known()).first() {
        Some(near) => format!("did you mean `{near}`?"),
        None => format!("known are {}", known().collect::<Vec<_>>().join(", ")),
    };
    Err(format!("no key is called `{key}`; {meant}"))
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use clap::Parser;

    use super::*;

    fn parse(text: &str) -> Result<Config, String> {
        Config::parse(text.as_bytes(), Path::new("/games")).map_err(|wrong| {
            let (row, column) = Rows::new(text.as_bytes(), true, 0).place(wrong.at);
            format!("{row}:{column}: {}", wrong.what)
        })
    }

    fn error(text: &str) -> String {
        parse(text).err().unwrap()
    }

    #[test]
    fn keys_and_schema_are_the_same() {
        let ours: BTreeSet<_> = KEYS.iter().map(|(key, ..)| (*key).to_owned()).collect();
        let unknown = toml::from_str::<Keys>("x = 1").err().unwrap().message().to_owned();
        let known = unknown.split_once("expected one of").unwrap().1;
        let known: BTreeSet<_> = known.split('`').skip(1).step_by(2).map(str::to_owned).collect();
        assert_eq!(known, ours);
        let schema = schema();
        let properties: BTreeSet<_> = schema["properties"].as_object().unwrap().keys().cloned().collect();
        assert_eq!(properties, ours);
        assert!(schema["properties"].as_object().unwrap().values().all(|value| value["description"].is_string()));
    }

    #[test]
    fn all_values_of_the_schema_are_read() {
        let schema = schema();
        for (key, values) in [("fail-on", "fail-on"), ("format", "format")] {
            for value in schema["properties"][values]["enum"].as_array().unwrap() {
                assert!(parse(&format!("{key} = {value}")).is_ok(), "{key} {value}");
            }
        }
        for value in schema["properties"]["severity"]["additionalProperties"]["enum"].as_array().unwrap() {
            assert!(parse(&format!("[severity]\nT = {value}")).is_ok(), "{value}");
        }
        let words: Vec<_> = schema["$defs"]["rule"]["enum"].as_array().unwrap().iter().map(Value::to_string).collect();
        assert!(words.iter().any(|word| word == "\"T131\"") && words.iter().any(|word| word == "\"style\""));
        assert!(words.iter().any(|word| word == "\"X\"") && words.iter().any(|word| word == "\"tag-order\""));
        assert!(parse(&format!("select = [{}]", words.join(","))).is_ok());
    }

    #[test]
    fn the_readme_shows_every_key() {
        let readme = include_str!("../../README.md");
        let example = readme.split("```toml\n").nth(1).unwrap().split("```").next().unwrap();
        assert!(parse(example).is_ok(), "{}", error(example));
        let keys: BTreeSet<_> =
            toml::from_str::<toml::Table>(example).unwrap().into_iter().map(|(key, _)| key).collect();
        assert_eq!(keys, KEYS.iter().map(|(key, ..)| (*key).to_owned()).collect());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_place() {
        assert_eq!(
            error("a = 1\n"),
            format!("1:1: no key is called `a`; known are {}", KEYS.map(|key| key.0).join(", "))
        );
        assert_eq!(error("\n  selct = []"), "2:3: no key is called `selct`; did you mean `select`?");
        assert_eq!(error("fail_on = 1"), "1:1: no key is called `fail_on`; did you mean `fail-on`?");
        assert_eq!(error("\u{FEFF}select = 1"), "1:10: invalid type: integer `1`, expected a sequence");
        assert_eq!(error("ignore = [\"T\", 1]"), "1:16: invalid type: integer `1`, expected a string");
        assert_eq!(
            error("ignore = [\n\"é\", \"T1\"]"),
            "2:1: no rule, family or group is called `é`; --rules lists what there is"
        );
        assert_eq!(
            error("[severity]\nT131 = \"style\"\ntag-odrer = \"style\""),
            "3:1: no rule, family or group is called `tag-odrer`; did you mean `tag-order`?"
        );
        assert_eq!(
            error("severity = { T = \"fatal\" }"),
            "1:18: unknown variant `fatal`, expected one of `style`, `warning`, `error`"
        );
        assert_eq!(error("exclude = [\"a\", \"b[\"]"), "1:17: unclosed character class; missing ']'");
        assert_eq!(error("[per-file-ignores]\n\"\" = []"), "2:1: a name or a path was expected");
        assert_eq!(
            error("[per-file-ignores]\na = [\"T\", \"Y\"]"),
            "2:11: no rule, family or group is called `Y`; --rules lists what there is"
        );
        assert!(error("threads = 0").starts_with("1:11: "), "{}", error("threads = 0"));
        assert!(error("select = [").starts_with("1:11: "), "{}", error("select = ["));
        let wrong = Config::parse(b"# \xFF", Path::new("/")).err().unwrap();
        assert_eq!((wrong.at, wrong.what.as_str()), (2, "bytes that are not UTF-8"));
    }

    #[test]
    fn the_command_line_wins() {
        let config = parse(
            "select = []\nthreads = 3\nfail-on = \"style\"\nformat = \"json\"\nmax-per-rule = 0\nexclude = [\"a\"]\n\
             include = [\"*.pgn\"]\n[severity]\nT = \"error\"",
        )
        .unwrap();
        let args = |line: &str| LintArgs::try_parse_from(line.split(' ')).unwrap();
        let under = config.under(&args("ctl-lint"));
        assert_eq!((under.fail_on(), under.format(), under.max_per_rule()), (FailOn::Style, Format::Json, 0));
        assert_eq!(under.run.threads.map(NonZeroUsize::get), Some(3));
        let line = "ctl-lint --fail-on never --format concise --max-per-rule 7 -j 2 --exclude b";
        let under = config.under(&args(line));
        assert_eq!((under.fail_on(), under.format(), under.max_per_rule()), (FailOn::Never, Format::Concise, 7));
        assert_eq!(under.run.threads.map(NonZeroUsize::get), Some(2));
        let glob = |text: &str| text.parse::<PathGlob>().unwrap();
        assert_eq!(under.run.exclude, [glob("a").within(Path::new("/games")), glob("b")]);
        assert_eq!(under.run.include.unwrap(), [glob("*.pgn").within(Path::new("/games"))]);
        let words = config.words();
        assert_eq!((words.select, words.severity), (Some(Vec::new()), vec![("T".to_owned(), Severity::Error)]));
    }

    #[test]
    fn rules_are_ignored_by_file() {
        let config = parse("[per-file-ignores]\n\"old/*\" = [\"T\"]\n\"x.*\" = [\"R101\"]").unwrap();
        let catalogue = Catalogue::load();
        let ignored = |file: &str| {
            let rules: BTreeSet<_> = config.ignored(Path::new(file)).into_iter().collect();
            rules
                .into_iter()
                .map(|rule| catalogue[rule].family())
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect::<String>()
        };
        assert_eq!(ignored("/games/old/y.ctl-pgn"), "T");
        assert_eq!(ignored("/games/old/x.ctl-pgn"), "RT");
        assert_eq!(ignored("/games/x.ctl-pgn"), "R");
        assert_eq!(ignored("/games/y.ctl-pgn"), "");
    }
}
