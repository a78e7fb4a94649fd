//! Each page of `rules/` is its rule's test.

#![allow(clippy::unwrap_used, reason = "clippy.toml allows it in tests, but helpers of a test program count as none")]

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::ops::ControlFlow;
use std::path::{Path, PathBuf};

use ctl::driver::Options;
use ctl::lint::catalogue::{Block, Check, Example, Expected, Fix, PAGES, Sample};
use ctl::lint::select::Words;
use ctl::lint::suppress::{self, Wanted};
use ctl::lint::{Applicability, Catalogue, Linter, Rule, RuleId, Selection, Severity, Told, mend};
use ctl::source::{FileId, Input};
use ctl::syntax::FaultKind;

mod bytes;
mod clauses;

use bytes::bytes;

fn rules() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("rules")
}

/// All findings of a text, as `expect` blocks write them.
fn findings(linter: &Linter, text: &[u8]) -> Vec<String> {
    findings_of_each(linter, &[text.to_vec()]).concat()
}

/// All findings of each of these files, judged one behind another.
fn findings_of_each(linter: &Linter, texts: &[Vec<u8>]) -> Vec<Vec<String>> {
    let folder = tempfile::tempdir().unwrap();
    let write = |(number, text): (usize, &Vec<u8>)| {
        let file = folder.path().join(format!("{number}.ctl-pgn"));
        std::fs::write(&file, text).unwrap();
        Input::File(file)
    };
    let inputs: Vec<Input> = texts.iter().enumerate().map(write).collect();
    let mut found = vec![Vec::new(); texts.len()];
    ctl::lint::run(&inputs, &Options::default(), linter, |told| {
        if let Told::Finding(FileId(file), finding, _) = told {
            let code = &linter.catalogue()[finding.rule].code;
            found[file as usize].push(format!("{}:{} {code} {}", finding.at.row, finding.at.column, finding.message));
        }
        ControlFlow::Continue(())
    });
    found
}

/// The text as fixes of these rules up to `most` mend it, and how many these are.
fn mended(linter: &Linter, text: &[u8], most: Applicability) -> (Vec<u8>, u64) {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("example.ctl-pgn");
    std::fs::write(&file, text).unwrap();
    let (mut out, mut count) = (Vec::new(), 0);
    mend::run(&Input::File(file), FileId(0), &Options::default(), linter, most, |told| {
        if let mend::Told::Chunk(chunk, edits, fixes) = told {
            out.extend(mend::edited(chunk.text(), &edits));
            count += fixes;
        }
        ControlFlow::Continue(())
    });
    (out, count)
}

/// What is wrong with what a rule's page says of its fix.
fn run_fixes(linter: &Linter, id: RuleId, rule: &Rule) -> Vec<String> {
    let catalogue = linter.catalogue();
    let page = catalogue.page(id).unwrap_or_else(|error| panic!("{error}"));
    let words = Words { select: Some(vec![rule.name.clone()]), ..Words::default() };
    let only = Selection::new(catalogue, &[words]).unwrap();
    let alone = Linter::new(catalogue, &only);
    let (mut wrong, mut kinds, mut shown) = (Vec::new(), BTreeSet::new(), false);
    for (number, example) in (1..).zip(&page.examples) {
        let bad = bytes(example.bad.text, &example.bad.words);
        let safe = mended(&alone, &bad, Applicability::Safe).1 > 0;
        let (text, count) = mended(&alone, &bad, Applicability::Unsafe);
        kinds.extend(safe.then_some(Fix::Safe.name()));
        kinds.extend((count > 0 && !safe).then_some(Fix::Unsafe.name()));
        let Some(fixed) = &example.fixed else { continue };
        shown = true;
        let fixed = bytes(fixed.text, &fixed.words);
        let readable = String::from_utf8_lossy;
        if text != fixed {
            wrong.push(format!("{}, bad {number} is mended to\n{}", rule.name, readable(&text)));
        }
        let again = mended(&alone, &text, Applicability::Unsafe).0;
        if again != text {
            wrong.push(format!("{}, bad {number} is mended again to\n{}", rule.name, readable(&again)));
        }
        let left = findings(&alone, &text);
        if !left.is_empty() {
            wrong.push(format!("{}, bad {number} is mended and still has {left:#?}", rule.name));
        }
    }
    let found = ["safe", "unsafe"].into_iter().find(|kind| kinds.contains(kind)).unwrap_or("none");
    if found != rule.fix.name() && !has_no_examples(&rule.check) {
        wrong.push(format!("{}: its fix is {found}, the page says {}", rule.name, rule.fix.name()));
    }
    if shown != (rule.fix != Fix::None) && !has_no_examples(&rule.check) {
        wrong.push(format!("{}: exactly pages with a fix have a fixed example", rule.name));
    }
    wrong
}

#[test]
fn every_fix_does_what_its_page_says() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let rules = catalogue.rules().filter(|(_, rule)| wanted(&rule.name, &rule.code));
    let wrong: Vec<String> = rules.flat_map(|(id, rule)| run_fixes(&linter, id, rule)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Style rules that give advice: what to do about it only the author knows.
const ADVICE: [&str; 6] =
    ["comment-language", "contained", "needless-language", "round-without-date", "same-line", "unknown-tag"];

/// A matter of layout always has a fix, and so has each finding of it.
#[test]
fn layout_is_mended() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let is_layout = |rule: &Rule| rule.severity == Severity::Style && !ADVICE.contains(&rule.name.as_str());
    for (id, rule) in catalogue.rules().filter(|(_, rule)| is_layout(rule)) {
        for example in catalogue.page(id).unwrap().examples {
            let file = tempfile::NamedTempFile::new().unwrap();
            std::fs::write(&file, bytes(example.bad.text, &example.bad.words)).unwrap();
            let inputs = [Input::File(file.path().to_owned())];
            ctl::lint::run(&inputs, &Options::default(), &linter, |told| {
                if let Told::Finding(_, finding, _) = told
                    && finding.rule == id
                {
                    assert!(finding.fix.is_some(), "{}: {}", rule.name, finding.message);
                }
                ControlFlow::Continue(())
            });
        }
    }
    for name in ADVICE {
        assert!(catalogue.rules().any(|(_, rule)| rule.name == name && rule.severity == Severity::Style), "{name}");
    }
}

#[test]
fn every_page_is_listed() {
    let listed: BTreeSet<String> = PAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let there: BTreeSet<String> = std::fs::read_dir(rules())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .filter_map(|name| name.strip_suffix(".md").filter(|name| *name != "README").map(str::to_owned))
        .collect();
    assert_eq!(listed, there);
}

#[test]
fn every_fault_is_claimed_once() {
    let mut claims: BTreeMap<&str, Vec<&str>> = FaultKind::all().map(|kind| (kind.name(), Vec::new())).collect();
    assert_eq!(claims.len(), FaultKind::all().count(), "names are unique");
    for (_, rule) in Catalogue::load().rules() {
        if let Check::Fault { of } = &rule.check {
            for fault in of {
                let claim = claims.get_mut(fault.as_str()).unwrap_or_else(|| panic!("{}: no fault {fault}", rule.name));
                claim.push(&rule.name);
            }
        }
    }
    let wrong: Vec<_> = claims.iter().filter(|(_, claims)| claims.len() != 1).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Faults that no text shows, and why: their pages have no examples.
const WITHOUT_EXAMPLES: [(&str, &str); 9] = [
    ("unreadable", "the text of an example can be read"),
    ("changed", "the file must get shorter while it is read"),
    ("record-too-long", "the example would have 64 MiB"),
    ("too-many-faults", "the example would have over 100,000 faults"),
    ("too-many-lines", "only ctl-filter is asked for lines"),
    ("no-such-part", "only ctl-filter is asked for parts of records"),
    ("unfit-part", "only ctl-filter puts records together"),
    ("json", "only ctl-filter reads JSON"),
    ("internal", "no text is known that makes the program fail"),
];

/// What is found in a file, by records.
fn found_in_records(linter: &Linter, inputs: &[Input]) -> Wanted {
    let mut wanted = Wanted::new();
    ctl::lint::run(inputs, &Options::default(), linter, |told| {
        if let Told::Finding(_, finding, _) = told {
            wanted.entry(finding.record).or_default().insert(finding.rule);
        }
        ControlFlow::Continue(())
    });
    // What is said of a file as a whole can't be suppressed in it.
    wanted.remove(&0);
    wanted
}

#[test]
fn what_examples_show_can_be_suppressed() {
    let (catalogue, options) = (Catalogue::load(), Options::default());
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("example.ctl-pgn");
    let inputs = [Input::File(file.clone())];
    let examples = catalogue.rules().flat_map(|(id, _)| catalogue.page(id).unwrap().examples);
    for Example { bad, .. } in examples {
        std::fs::write(&file, bytes(bad.text, &bad.words)).unwrap();
        let mut text = Vec::new();
        let all = found_in_records(&linter, &inputs);
        if suppress::add(&inputs[0], &options, &linter, &all, "an example", &mut text).unwrap().is_none() {
            // What was not read whole is not written.
            continue;
        }
        std::fs::write(&file, text).unwrap();
        let left: Vec<_> =
            found_in_records(&linter, &inputs).into_values().flatten().map(|rule| &catalogue[rule]).collect();
        let about = |rule: &&Rule| matches!(rule.check, Check::Suppression { .. });
        assert!(left.iter().all(about), "{left:?}\n{}", String::from_utf8_lossy(&std::fs::read(&file).unwrap()));
    }
}

#[test]
fn what_stood_in_a_record_is_looked_for_in_the_next() {
    let catalogue = Catalogue::load();
    let is_of_records = |rule: &Rule| rule.family() != 'X';
    let select = catalogue.rules().filter(|(_, rule)| is_of_records(rule)).map(|(_, rule)| rule.name.clone()).collect();
    let words = Words { select: Some(select), ..Words::default() };
    let linter = Linter::new(catalogue, &Selection::new(catalogue, &[words]).unwrap());
    let mut texts = Vec::new();
    for (id, _) in catalogue.rules() {
        let page = catalogue.page(id).unwrap();
        let bad = page.examples.iter().map(|example| &example.bad);
        // Each behind what is right, behind what is wrong, and behind itself.
        let samples = page.good.iter().chain(bad.clone()).chain(bad.clone()).chain(&page.good).chain(bad);
        texts.extend(samples.flat_map(|sample| vec![bytes(sample.text, &sample.words); 2]));
    }
    let mut alone = BTreeMap::new();
    for (text, found) in texts.iter().zip(findings_of_each(&linter, &texts)) {
        let expected = alone.entry(text).or_insert_with(|| findings(&linter, text));
        assert_eq!(&found, expected, "{}", String::from_utf8_lossy(text));
    }
}

/// Whether all faults of a rule are such.
fn has_no_examples(check: &Check) -> bool {
    let shown = |fault: &String| WITHOUT_EXAMPLES.iter().all(|(without, _)| without != fault);
    matches!(check, Check::Fault { of } if !of.iter().any(shown))
}

/// `PAGE=name` runs one page, `PAGE=T` a family.
fn wanted(name: &str, code: &str) -> bool {
    std::env::var("PAGE").map_or(true, |page| page == name || code.starts_with(&page))
}

/// With `UPDATE=1` wording is rewritten where it has changed. Never in CI, which would then pass what nobody has read.
fn updating() -> bool {
    let update = std::env::var("UPDATE").is_ok_and(|update| update == "1");
    assert!(!update || std::env::var_os("CI").is_none(), "UPDATE=1 refuses to run with CI set");
    update
}

/// Where a finding is and which, without what it says.
fn place(finding: &str) -> Vec<&str> {
    finding.splitn(3, ' ').take(2).collect()
}

/// Whether both have the same findings in the same places, so that only words differ.
fn differ_in_wording(expected: &[String], found: &[String]) -> bool {
    expected != found
        && expected.iter().map(|line| place(line)).collect::<Vec<_>>()
            == found.iter().map(|line| place(line)).collect::<Vec<_>>()
}

/// A page with other lines in some of its `expect` blocks, by their number from 1.
fn reworded(catalogue: &Catalogue, id: RuleId, page: &str, news: &BTreeMap<usize, Vec<String>>) -> String {
    let expects = catalogue.blocks(id).filter_map(|block| match block {
        Block::Fence { info, text } if info.split_whitespace().next() == Some("expect") => Some(text),
        _ => None,
    });
    let (mut out, mut rest) = (String::with_capacity(page.len()), page);
    for (number, text) in (1..).zip(expects) {
        let fenced = format!("```expect\n{text}```");
        let (before, behind) = rest.split_once(&fenced).unwrap();
        let lines = news.get(&number).map(|lines| lines.join("\n") + "\n");
        out.extend([before, "```expect\n", lines.as_deref().unwrap_or(text), "```"]);
        rest = behind;
    }
    out + rest
}

/// All findings of an example of a rule's page. Its records are examples one by one: that they have Ids and moves in common
/// is for the rules about the whole archive alone.
fn shown(linter: &Linter, rule: &Rule, sample: &Sample) -> Vec<String> {
    let mut found = findings(linter, &bytes(sample.text, &sample.words));
    found.retain(|line| rule.family() == 'X' || !place(line)[1].starts_with('X'));
    found
}

/// What is wrong with a rule's page, and its `expect` blocks that differ in wording only, by their number.
fn run_page(linter: &Linter, id: RuleId, rule: &Rule) -> (Vec<String>, BTreeMap<usize, Vec<String>>) {
    let page = linter.catalogue().page(id).unwrap_or_else(|error| panic!("{error}"));
    let (mut wrong, mut news) = (Vec::new(), BTreeMap::new());
    for (number, example) in (1..).zip(&page.examples) {
        let found = shown(linter, rule, &example.bad);
        let line = |line: &Expected| format!("{}:{} {} {}", line.row, line.column, line.code, line.message);
        let expected: Vec<String> = example.expect.iter().map(line).collect();
        if !expected.iter().any(|line| place(line)[1] == rule.code) {
            wrong.push(format!("{}, bad {number}: none of its findings is the rule's own", rule.name));
        }
        if differ_in_wording(&expected, &found) && updating() {
            news.insert(number, found);
        } else if found != expected {
            wrong.push(format!("{}, bad {number}\n  expected {expected:#?}\n  found {found:#?}", rule.name));
        }
    }
    for (number, good) in (1..).zip(&page.good) {
        let found = shown(linter, rule, good);
        if !found.is_empty() {
            wrong.push(format!("{}, good {number}: found {found:#?}", rule.name));
        }
    }
    if has_no_examples(&rule.check) {
        if !page.examples.is_empty() {
            wrong.push(format!("{}: it has examples, so take it off the list", rule.name));
        }
    } else if page.examples.is_empty() || page.good.is_empty() {
        wrong.push(format!("{}: a page has bad and good examples", rule.name));
    }
    (wrong, news)
}

#[test]
fn every_example_gives_what_its_page_says() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let mut wrong = Vec::new();
    for (id, rule) in catalogue.rules().filter(|(_, rule)| wanted(&rule.name, &rule.code)) {
        let (faults, news) = run_page(&linter, id, rule);
        wrong.extend(faults);
        if !news.is_empty() {
            let (name, page) = PAGES.iter().find(|(name, _)| *name == rule.name).unwrap();
            std::fs::write(rules().join(format!("{name}.md")), reworded(catalogue, id, page, &news)).unwrap();
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn an_update_changes_words_and_nothing_else() {
    let lines = |lines: &[&str]| lines.iter().map(|line| (*line).to_owned()).collect::<Vec<_>>();
    let before = lines(&["1:2 T131 a tag", "3:4 M104 a comma"]);
    assert!(differ_in_wording(&before, &lines(&["1:2 T131 the tag", "3:4 M104 a comma"])));
    for after in [
        &["1:2 T131 a tag", "3:4 M104 a comma"][..],
        &["1:2 T131 the tag"],
        &["1:2 T131 a tag", "3:4 M104 a comma", "5:1 R101 no result"],
        &["1:3 T131 the tag", "3:4 M104 a comma"],
        &["1:2 T132 the tag", "3:4 M104 a comma"],
        &["3:4 M104 a comma", "1:2 T131 a tag"],
    ] {
        assert!(!differ_in_wording(&before, &lines(after)), "{after:?}");
    }
}

#[test]
fn an_expect_block_is_rewritten_where_it_stands() {
    const PAGE: &str = r#"# a
```toml
code = "T100"
severity = "error"
clauses = ["§3.5"]
summary = "a"
fix = "none"
since = "0.1.0"
check = { kind = "fault", of = [] }
```
````ctl-pgn bad
```expect
x
```
````
```expect
1:1 T100 a
```
```ctl-pgn bad
x
```
```expect
1:1 T100 a
```
"#;
    let catalogue = Catalogue::parse(&[("a", PAGE)]).unwrap();
    let news = BTreeMap::from([(2, vec!["1:1 T100 b".to_owned(), "1:2 T100 c".to_owned()])]);
    let kept = PAGE.strip_suffix("1:1 T100 a\n```\n").unwrap();
    assert_eq!(reworded(&catalogue, RuleId(0), PAGE, &news), format!("{kept}1:1 T100 b\n1:2 T100 c\n```\n"));
    assert_eq!(reworded(&catalogue, RuleId(0), PAGE, &BTreeMap::new()), PAGE);
}

/// Letter, title and what its rules look at.
const FAMILIES: [(char, &str, &str); 12] = [
    (
        'F',
        "files and encoding",
        "What keeps a file or a record from being read, and the bytes and line ends of the text.",
    ),
    ('T', "tags", "The tags of a record: how they are written, which are there, their order and their values."),
    ('I', "identifiers", "Identifiers, and what they say of annotator, language, variations and moves."),
    ('D', "Redefine", "The letters that a record gives to its pieces."),
    ('M', "movetext", "How pairs and plies are written."),
    ('V', "variations", "Where variations stand, how they are numbered and labelled, and what they repeat."),
    ('C', "comments", "Where comments stand, and what the automatic ones among them say."),
    ('P', "PDTL", "The position that a record starts from: how it is written, and whether there can be such a one."),
    (
        'A',
        "algebraic coherence",
        "Plies that do not fit the position they are played in. Every ply of every line is replayed.",
    ),
    ('G', "rules of play", "Plies, signs and ends that the rules of the game do not allow."),
    ('R', "result and ending", "What stands behind the last ply, and whether tag, moves and position agree about it."),
    ('X', "the whole archive", "What only all records together show."),
];

const TABLE_HEAD: &str = "\
# Rules

Each page is a rule's documentation, what `ctl-lint --explain` prints, and its test. Severity is that without any option; a
fix is safe if the meaning stays, unsafe if it may change. This table is rewritten by
`UPDATE=1 cargo test --test pages`. How to add a rule: [CONTRIBUTING](../CONTRIBUTING.md).

";

/// A heading's anchor, as Markdown is shown in most places.
fn anchor(letter: char, title: &str) -> String {
    format!("{}--{}", letter.to_ascii_lowercase(), title.to_lowercase().replace(' ', "-"))
}

/// The table of pages, by family and code; before it the families.
fn table(catalogue: &Catalogue) -> String {
    let of = |letter: char| catalogue.rules().map(|(_, rule)| rule).filter(move |rule| rule.family() == letter);
    let families = || FAMILIES.into_iter().filter(|(letter, ..)| of(*letter).next().is_some());
    let mut out = TABLE_HEAD.to_owned();
    for (letter, title, _) in families() {
        let (rules, anchor) = (of(letter).count(), anchor(letter, title));
        writeln!(out, "- [{letter} – {title}](#{anchor}): {rules} {}", if rules == 1 { "rule" } else { "rules" })
            .unwrap();
    }
    for (letter, title, about) in families() {
        write!(out, "\n## {letter} – {title}\n\n{about}\n\n").unwrap();
        out.push_str("| code | rule | severity | fix | finds | clause |\n|---|---|---|---|---|---|\n");
        for rule in of(letter) {
            let Rule { code, name, severity, fix, summary, default, .. } = rule;
            let off = if *default { "" } else { ", off by default" };
            let (severity, fix, summary) = (severity.name(), fix.name(), summary.replace('|', "\\|"));
            let clause = rule.clause();
            writeln!(out, "| {code} | [{name}]({name}.md) | {severity}{off} | {fix} | {summary} | {clause} |").unwrap();
        }
    }
    out
}

#[test]
fn the_table_of_pages_is_true() {
    let (path, table) = (rules().join("README.md"), table(Catalogue::load()));
    if updating() {
        std::fs::write(&path, &table).unwrap();
    }
    let written = std::fs::read_to_string(&path).unwrap();
    assert!(
        written == table,
        "rules/README.md is not what the pages say: UPDATE=1 cargo test --test pages rewrites it"
    );
    assert_eq!(table.matches(".md) | ").count(), PAGES.len(), "a page's family has a title");
}
