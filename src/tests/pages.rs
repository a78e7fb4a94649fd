//! Each page of `rules/` is its rule's test.

use std::collections::{BTreeMap, BTreeSet};
use std::ops::ControlFlow;
use std::path::Path;

use ctl::driver::Options;
use ctl::lint::catalogue::{Check, PAGES};
use ctl::lint::{Catalogue, Linter, Selection, Told};
use ctl::source::Input;
use ctl::syntax::FaultKind;

/// All findings of a text, as `expect` blocks write them.
fn findings(linter: &Linter, text: &[u8]) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("example.ctl-pgn");
    std::fs::write(&file, text).unwrap();
    let mut found = Vec::new();
    ctl::lint::run(&[Input::File(file)], &Options::default(), linter, |told| {
        if let Told::Finding(_, finding, _) = told {
            let code = &linter.catalogue()[finding.rule].code;
            found.push(format!("{}:{} {code} {}", finding.at.row, finding.at.column, finding.message));
        }
        ControlFlow::Continue(())
    });
    found
}

/// A page's example as bytes: `crlf` writes its line ends so, `escaped` reads `\xE0`, `\r`, `\0`, `\t`, `\u{A0}` in it, and
/// `cut` leaves out its last line end.
fn bytes(text: &str, words: &[&str]) -> Vec<u8> {
    let mut text = text.as_bytes().to_vec();
    if words.contains(&"cut") {
        text.pop();
    }
    if words.contains(&"crlf") {
        text = text.iter().flat_map(|&byte| if byte == b'\n' { vec![b'\r', b'\n'] } else { vec![byte] }).collect();
    }
    if words.contains(&"escaped") { unescape(&text) } else { text }
}

fn unescape(text: &[u8]) -> Vec<u8> {
    let mut out = Vec::new();
    let mut rest = text;
    while let Some((&byte, behind)) = rest.split_first() {
        let hex = |digits: &[u8]| u32::from_str_radix(std::str::from_utf8(digits).unwrap(), 16).unwrap();
        rest = match behind {
            _ if byte != b'\\' => {
                out.push(byte);
                behind
            }
            [b'x', a, b, behind @ ..] => {
                out.push(hex(&[*a, *b]) as u8);
                behind
            }
            [b'u', b'{', behind @ ..] => {
                let end = behind.iter().position(|byte| *byte == b'}').unwrap();
                let sign = char::from_u32(hex(&behind[..end])).unwrap();
                out.extend(sign.to_string().bytes());
                &behind[end + 1..]
            }
            [sign, behind @ ..] => {
                out.push(match sign {
                    b'r' => b'\r',
                    b'n' => b'\n',
                    b't' => b'\t',
                    b'0' => 0,
                    other => panic!("no escape: \\{}", char::from(*other)),
                });
                behind
            }
            [] => panic!("a backslash at the end"),
        };
    }
    out
}

#[test]
fn every_page_is_listed() {
    let listed: BTreeSet<String> = PAGES.iter().map(|(name, _)| (*name).to_owned()).collect();
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("rules");
    let there: BTreeSet<String> = std::fs::read_dir(folder)
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
const WITHOUT_EXAMPLES: [(&str, &str); 4] = [
    ("unreadable", "the text of an example can be read"),
    ("changed", "the file must get shorter while it is read"),
    ("record-too-long", "the example would have 64 MiB"),
    ("internal", "no text is known that makes the program fail"),
];

/// Whether all faults of a rule are such.
fn has_no_examples(check: &Check) -> bool {
    let shown = |fault: &String| WITHOUT_EXAMPLES.iter().all(|(without, _)| without != fault);
    matches!(check, Check::Fault { of } if !of.iter().any(shown))
}

/// `PAGE=name` runs one page, `PAGE=T` a family.
fn wanted(name: &str, code: &str) -> bool {
    std::env::var("PAGE").map_or(true, |page| page == name || code.starts_with(&page))
}

#[test]
fn every_example_gives_what_its_page_says() {
    let catalogue = Catalogue::load();
    let linter = Linter::new(catalogue, &Selection::everything(catalogue));
    let mut wrong = Vec::new();
    for (id, rule) in catalogue.rules().filter(|(_, rule)| wanted(&rule.name, &rule.code)) {
        let page = catalogue.page(id).unwrap_or_else(|error| panic!("{error}"));
        for (number, example) in (1..).zip(&page.examples) {
            let found = findings(&linter, &bytes(example.bad.text, &example.bad.words));
            let expected: Vec<String> = example
                .expect
                .iter()
                .map(|line| format!("{}:{} {} {}", line.row, line.column, line.code, line.message))
                .collect();
            if found != expected {
                wrong.push(format!("{}, bad {number}\n  expected {expected:#?}\n  found {found:#?}", rule.name));
            }
            if !example.expect.iter().any(|line| line.code == rule.code) {
                wrong.push(format!("{}, bad {number}: none of its findings is the rule's own", rule.name));
            }
        }
        for (number, good) in (1..).zip(&page.good) {
            let found = findings(&linter, &bytes(good.text, &good.words));
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
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
