//! Findings as SARIF 2.1.0, the format that code scanning takes.

use std::fmt::Write as _;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::json;

use super::json::{numbered, write_value};
use super::{Report, page};
use crate::lint::{Applicability, Catalogue, Edit, Excerpt, Finding, Fix, Place, Related, RuleId, Severity};

/// One run, a result a line. The tool with its rules stands behind the results: only rules that spoke are described.
#[derive(Debug)]
pub struct Sarif<'c> {
    catalogue: &'c Catalogue,
    /// The rules that spoke; a rule's index is its place.
    rules: Vec<RuleId>,
    begun: bool,
}

/// What stands before the results. Line ends and columns are counted as we do it.
const HEAD: &str = r#"{"$schema":"https://json.schemastore.org/sarif-2.1.0.json","version":"2.1.0","runs":[{"columnKind":"unicodeCodePoints","newlineSequences":["\r\n","\n","\r"],"results":["#;

impl<'c> Sarif<'c> {
    /// Describes rules from the catalogue.
    pub const fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, rules: Vec::new(), begun: false }
    }

    fn index(&mut self, rule: RuleId) -> usize {
        self.rules.iter().position(|known| *known == rule).unwrap_or_else(|| {
            self.rules.push(rule);
            self.rules.len() - 1
        })
    }

    /// A rule as its page has it.
    fn descriptor(&self, id: RuleId) -> io::Result<serde_json::Value> {
        let rule = &self.catalogue[id];
        let mut text = Vec::new();
        page::write(self.catalogue, id, &mut text)?;
        let text = String::from_utf8_lossy(&text);
        let text = text.trim();
        let first = text.split("\n\n").next().unwrap_or_default();
        Ok(json!({
            "id": rule.code,
            "name": rule.name,
            "shortDescription": {"text": rule.summary},
            "fullDescription": {"text": first},
            "help": {"text": text, "markdown": text},
            "defaultConfiguration": {"enabled": rule.default, "level": level(rule.severity)},
            "properties": {"tags": rule.clauses},
        }))
    }
}

const fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Style => "note",
    }
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Hit<'a> {
    rule_id: &'a str,
    rule_index: usize,
    level: &'static str,
    message: Text,
    locations: [Location; 1],
    #[serde(skip_serializing_if = "Vec::is_empty")]
    related_locations: Vec<Location>,
    #[serde(skip_serializing_if = "Option::is_none")]
    fixes: Option<[Mending<'a>; 1]>,
    partial_fingerprints: Fingerprints,
    properties: Whose<'a>,
}

#[derive(Serialize)]
struct Text {
    text: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Location {
    physical_location: Physical,
    #[serde(skip_serializing_if = "Option::is_none")]
    message: Option<Text>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Physical {
    artifact_location: Artifact,
    region: Region,
}

#[derive(Serialize)]
struct Artifact {
    uri: String,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Region {
    start_line: u64,
    start_column: u32,
    end_line: u64,
    end_column: u32,
    byte_offset: u64,
    byte_length: u64,
}

#[derive(Serialize)]
struct Fingerprints {
    /// The name has a version: what goes into a fingerprint may change.
    #[serde(rename = "ctlLint/v1")]
    ours: String,
}

/// A fix; what it is called says whether the meaning stays.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Mending<'a> {
    description: Text,
    artifact_changes: [Change<'a>; 1],
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Change<'a> {
    artifact_location: Artifact,
    replacements: Vec<Replacement<'a>>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Replacement<'a> {
    deleted_region: Bytes,
    inserted_content: Inserted<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Bytes {
    byte_offset: u64,
    byte_length: u64,
}

#[derive(Serialize)]
struct Inserted<'a> {
    text: &'a str,
}

impl<'a> Mending<'a> {
    fn new(file: &Path, fix: &'a Fix) -> Self {
        let replace = |Edit { at, end, text }: &'a Edit| Replacement {
            deleted_region: Bytes { byte_offset: *at, byte_length: end.saturating_sub(*at) },
            inserted_content: Inserted { text },
        };
        let description = match fix.applicability {
            Applicability::Safe => "safe: the meaning stays",
            Applicability::Unsafe => "unsafe: the meaning may change",
        };
        let replacements = fix.edits.iter().map(replace).collect();
        let change = Change { artifact_location: Artifact { uri: uri(file) }, replacements };
        Self { description: text(description), artifact_changes: [change] }
    }
}

/// Where in the archive it is, for what knows about that.
#[derive(Serialize)]
struct Whose<'a> {
    record: Option<u64>,
    id: Option<&'a str>,
    ply: Option<&'a str>,
}

impl Region {
    const fn new(at: &Place, end: &Place) -> Self {
        Self {
            start_line: at.row,
            start_column: at.column,
            end_line: end.row,
            end_column: end.column,
            byte_offset: at.offset,
            byte_length: end.offset.saturating_sub(at.offset),
        }
    }
}

impl Location {
    fn new(file: &Path, at: &Place, end: &Place, message: Option<Text>) -> Self {
        let artifact_location = Artifact { uri: uri(file) };
        Self { physical_location: Physical { artifact_location, region: Region::new(at, end) }, message }
    }
}

impl Report for Sarif<'_> {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(HEAD.as_bytes())
    }

    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        out.write_all(if self.begun { b",\n" } else { b"\n" })?;
        self.begun = true;
        let lines: Vec<&str> = [&finding.message].into_iter().chain(&finding.notes).map(String::as_str).collect();
        let related = |related: &Related| {
            let file = related.name.as_deref().unwrap_or(file);
            Location::new(file, &related.at, &related.at, Some(text(&related.message)))
        };
        let hit = Hit {
            rule_index: self.index(finding.rule),
            rule_id: &self.catalogue[finding.rule].code,
            level: level(finding.severity),
            message: text(&lines.join("\n")),
            locations: [Location::new(file, &finding.at, &finding.end, None)],
            related_locations: finding.related.iter().map(related).collect(),
            fixes: finding.fix.as_ref().map(|fix| [Mending::new(file, fix)]),
            partial_fingerprints: Fingerprints { ours: format!("{:016x}", finding.fingerprint) },
            properties: Whose {
                record: numbered(finding.record),
                id: finding.id.as_deref(),
                ply: finding.ply.as_deref(),
            },
        };
        write_value(out, &hit)
    }

    fn finish(&mut self, out: &mut dyn Write, whole: bool) -> io::Result<()> {
        let rules = self.rules.iter().map(|id| self.descriptor(*id)).collect::<io::Result<Vec<_>>>()?;
        out.write_all(if self.begun { b"\n],\"invocations\":" } else { b"],\"invocations\":" })?;
        write_value(out, &json!([{"executionSuccessful": whole}]))?;
        out.write_all(b",\"tool\":")?;
        let driver = json!({
            "name": "ctl-lint",
            "semanticVersion": env!("CARGO_PKG_VERSION"),
            "informationUri": env!("CARGO_PKG_REPOSITORY"),
            "rules": rules,
        });
        write_value(out, &json!({"driver": driver}))?;
        out.write_all(b"}]}\n")
    }
}

/// A message. `[…](…)` would be a link, and whoever wrote the archive would choose where it leads.
fn text(message: &str) -> Text {
    Text { text: message.replace("](", "\\](") }
}

/// A file's name as a URI reference, its bytes percent-encoded whatever they are: relative as it is, or from the root.
fn uri(file: &Path) -> String {
    let mut out = if file.is_absolute() { "file://".to_owned() } else { String::new() };
    for &byte in file.as_os_str().as_encoded_bytes() {
        match byte {
            b'A'..=b'Z' | b'a'..=b'z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => out.push(char::from(byte)),
            // Writing to a string can't fail.
            _ => drop(write!(out, "%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::super::samples::{finding, related, written};

    use super::*;
    use crate::lint::catalogue::samples::catalogue;
    use crate::source::FileId;

    fn run(findings: &[Finding]) -> Value {
        let catalogue = catalogue();
        let text = written(&mut Sarif::new(&catalogue), Path::new("a b.ctl-pgn"), findings, None);
        let log: Value = serde_json::from_str(&text).unwrap();
        assert_eq!((&log["version"], log["runs"].as_array().unwrap().len()), (&json!("2.1.0"), 1));
        log["runs"][0].clone()
    }

    #[test]
    fn a_finding_is_a_result() {
        let mut finding = finding();
        finding.notes.push("a note".to_owned());
        finding.related.push(related(31, 2, 1, "here"));
        finding.related.push(Related { file: Some(FileId(1)), name: Some("b".into()), ..related(7, 1, 8, "there") });
        let region = |line: u8, column: u8, end: u8, offset: u8, length: u8| {
            json!({"startLine": line, "startColumn": column, "endLine": line, "endColumn": end,
                "byteOffset": offset, "byteLength": length})
        };
        let place = |uri: &str, region: Value| json!({"artifactLocation": {"uri": uri}, "region": region});
        let here = |region| place("a%20b.ctl-pgn", region);
        assert_eq!(
            run(&[finding])["results"],
            json!([{
                "ruleId": "M104",
                "ruleIndex": 0,
                "level": "error",
                "message": {"text": "a comma is missing\na note"},
                "locations": [{"physicalLocation": here(region(4, 4, 9, 97, 5))}],
                "relatedLocations": [
                    {"physicalLocation": here(region(2, 1, 1, 31, 0)), "message": {"text": "here"}},
                    {"physicalLocation": place("b", region(1, 8, 8, 7, 0)), "message": {"text": "there"}},
                ],
                "partialFingerprints": {"ctlLint/v1": "00000000000000f1"},
                "properties": {"record": 2, "id": "Me-X01", "ply": "12w"},
            }])
        );
    }

    #[test]
    fn rules_that_spoke_are_described() {
        let mut other = finding();
        (other.rule, other.severity) = (RuleId(3), Severity::Style);
        let run = run(&[other.clone(), finding(), other]);
        let indices: Vec<_> = run["results"].as_array().unwrap().iter().map(|result| &result["ruleIndex"]).collect();
        assert_eq!(indices, [0, 1, 0]);
        assert_eq!(run["results"][0]["level"], "note");
        let rules = run["tool"]["driver"]["rules"].as_array().unwrap();
        assert_eq!((&rules[0]["id"], &rules[0]["name"]), (&json!("T103"), &json!("tag-order")));
        assert_eq!(rules[0]["defaultConfiguration"], json!({"enabled": true, "level": "warning"}));
        assert_eq!(rules[1]["shortDescription"]["text"], "no comma between the plies of a pair");
        let sentence = "Without the comma a simple reader takes the pair for one word.";
        assert_eq!(rules[1]["fullDescription"]["text"], sentence);
        let help = rules[1]["help"]["markdown"].as_str().unwrap();
        assert!(
            help.starts_with(sentence) && help.ends_with("good:\n\n    1. E7-E13, E21-E15\n    ```\n    *"),
            "{help}"
        );
        assert_eq!(rules.len(), 2);
    }

    #[test]
    fn nothing_found_is_a_run_too() {
        let run = run(&[]);
        assert_eq!((&run["results"], &run["tool"]["driver"]["rules"]), (&json!([]), &json!([])));
        assert_eq!(run["invocations"], json!([{"executionSuccessful": true}]));
        let (catalogue, mut out) = (catalogue(), Vec::new());
        let mut report = Sarif::new(&catalogue);
        report.start(&mut out).unwrap();
        report.finish(&mut out, false).unwrap();
        let log: Value = serde_json::from_slice(&out).unwrap();
        assert_eq!(log["runs"][0]["invocations"], json!([{"executionSuccessful": false}]));
    }

    #[test]
    fn a_fix_is_what_is_deleted_and_inserted() {
        let mut finding = finding();
        let edits =
            vec![Edit { at: 97, end: 97, text: ",".to_owned() }, Edit { at: 99, end: 102, text: String::new() }];
        finding.fix = Some(Fix { applicability: Applicability::Safe, edits });
        let replaced = |offset: u8, length: u8, text: &str| json!({"deletedRegion": {"byteOffset": offset, "byteLength": length}, "insertedContent": {"text": text}});
        assert_eq!(
            run(&[finding])["results"][0]["fixes"],
            json!([{
                "description": {"text": "safe: the meaning stays"},
                "artifactChanges": [{
                    "artifactLocation": {"uri": "a%20b.ctl-pgn"},
                    "replacements": [replaced(97, 0, ","), replaced(99, 3, "")],
                }],
            }])
        );
    }

    #[test]
    fn messages_hold_no_links() {
        let mut finding = finding();
        finding.message = "`[a](http://b)` [c]".to_owned();
        assert_eq!(run(&[finding])["results"][0]["message"]["text"], "`[a\\](http://b)` [c]");
    }

    #[test]
    fn names_are_uris() {
        for (file, want) in [
            ("games/a.ctl-pgn", "games/a.ctl-pgn"),
            ("a:b ?#%é", "a%3Ab%20%3F%23%25%C3%A9"),
            ("/srv/a\n", "file:///srv/a%0A"),
            ("<stdin>", "%3Cstdin%3E"),
        ] {
            assert_eq!(uri(Path::new(file)), want);
        }
    }

    #[cfg(unix)]
    #[test]
    fn names_need_not_be_text() {
        use std::os::unix::ffi::OsStrExt;
        assert_eq!(uri(Path::new(std::ffi::OsStr::from_bytes(b"a\xFF\x1B"))), "a%FF%1B");
    }
}
