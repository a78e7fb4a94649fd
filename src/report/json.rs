//! Findings as data: an array, or an object a line.

use std::borrow::Cow;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{Report, escape};
use crate::lint::{Catalogue, Excerpt, Finding, Severity};

/// A valid array whatever is found, a finding a line.
#[derive(Debug)]
pub struct Json<'c> {
    catalogue: &'c Catalogue,
    begun: bool,
}

impl<'c> Json<'c> {
    /// Names rules from the catalogue.
    pub const fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue, begun: false }
    }
}

impl Report for Json<'_> {
    fn start(&mut self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(b"[")
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
        write_finding(self.catalogue, out, file, finding)
    }

    fn finish(&mut self, out: &mut dyn Write, _: bool) -> io::Result<()> {
        out.write_all(if self.begun { b"\n]\n" } else { b"]\n" })
    }
}

/// An object a line.
#[derive(Debug)]
pub struct Jsonl<'c> {
    catalogue: &'c Catalogue,
}

impl<'c> Jsonl<'c> {
    /// Names rules from the catalogue.
    pub const fn new(catalogue: &'c Catalogue) -> Self {
        Self { catalogue }
    }
}

impl Report for Jsonl<'_> {
    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        _: Option<Excerpt<'_>>,
    ) -> io::Result<()> {
        write_finding(self.catalogue, out, file, finding)?;
        out.write_all(b"\n")
    }
}

/// The keys in the order that scripts may rely on.
#[derive(Serialize)]
struct Object<'a> {
    file: &'a str,
    code: &'a str,
    rule: &'a str,
    severity: Severity,
    clause: &'a str,
    message: &'a str,
    row: u64,
    column: u32,
    end_row: u64,
    end_column: u32,
    offset: u64,
    end_offset: u64,
    record: Option<u64>,
    id: Option<&'a str>,
    ply: Option<&'a str>,
    fingerprint: String,
    notes: &'a [String],
    related: Vec<RelatedObject<'a>>,
    /// Null until there are fixes.
    fix: (),
}

#[derive(Serialize)]
struct RelatedObject<'a> {
    file: Cow<'a, str>,
    row: u64,
    column: u32,
    offset: u64,
    record: Option<u64>,
    id: Option<&'a str>,
    message: &'a str,
}

/// Record 0 stands for none.
pub(super) const fn numbered(record: u64) -> Option<u64> {
    if record == 0 { None } else { Some(record) }
}

fn write_finding(catalogue: &Catalogue, out: &mut dyn Write, file: &Path, finding: &Finding) -> io::Result<()> {
    let file = &*escape::lossy(file);
    let rule = &catalogue[finding.rule];
    let related = finding.related.iter().map(|related| RelatedObject {
        file: related.name.as_deref().map_or(Cow::Borrowed(file), escape::lossy),
        row: related.at.row,
        column: related.at.column,
        offset: related.at.offset,
        record: numbered(related.record),
        id: related.id.as_deref(),
        message: &related.message,
    });
    let object = Object {
        file,
        code: &rule.code,
        rule: &rule.name,
        severity: finding.severity,
        clause: rule.clause(),
        message: &finding.message,
        row: finding.at.row,
        column: finding.at.column,
        end_row: finding.end.row,
        end_column: finding.end.column,
        offset: finding.at.offset,
        end_offset: finding.end.offset,
        record: numbered(finding.record),
        id: finding.id.as_deref(),
        ply: finding.ply.as_deref(),
        fingerprint: format!("{:016x}", finding.fingerprint),
        notes: &finding.notes,
        related: related.collect(),
        fix: (),
    };
    write_value(out, &object)
}

/// Writes any value so that nothing hidden is left in it.
pub(super) fn write_value(out: &mut dyn Write, value: &impl Serialize) -> io::Result<()> {
    value.serialize(&mut Serializer::with_formatter(out, Visible)).map_err(io::Error::from)
}

/// Hidden characters are escaped as JSON allows, so that data on a terminal does no harm and stays what it is.
struct Visible;

impl Formatter for Visible {
    fn write_string_fragment<W: ?Sized + Write>(&mut self, out: &mut W, fragment: &str) -> io::Result<()> {
        let mut rest = fragment;
        while let Some(at) = rest.find(escape::is_hidden) {
            let (plain, from) = rest.split_at(at);
            out.write_all(plain.as_bytes())?;
            let mut letters = from.chars();
            for unit in letters.next().into_iter().flat_map(|c| c.encode_utf16(&mut [0; 2]).to_vec()) {
                write!(out, "\\u{unit:04x}")?;
            }
            rest = letters.as_str();
        }
        out.write_all(rest.as_bytes())
    }
}

#[cfg(test)]
mod tests {
    use super::super::samples::{finding, related, written};
    use super::*;
    use crate::lint::Related;
    use crate::lint::catalogue::samples::catalogue;
    use crate::source::FileId;

    #[test]
    fn keys_and_their_order_are_a_promise() {
        let catalogue = catalogue();
        let mut finding = finding();
        finding.notes.push("a note".to_owned());
        finding.related.push(related(31, 2, 1, "here"));
        let elsewhere = related(7, 1, 8, "there");
        finding.related.push(Related { file: Some(FileId(1)), name: Some("b".into()), ..elsewhere });
        let line = written(&mut Jsonl::new(&catalogue), Path::new("a.ctl-pgn"), &[finding], None);
        assert_eq!(
            line,
            concat!(
                r#"{"file":"a.ctl-pgn","code":"M104","rule":"missing-comma","severity":"error","clause":"§7.1","#,
                r#""message":"a comma is missing","row":4,"column":4,"end_row":4,"end_column":9,"offset":97,"#,
                r#""end_offset":102,"record":2,"id":"Me-X01","ply":"12w","fingerprint":"00000000000000f1","#,
                r#""notes":["a note"],"related":[{"file":"a.ctl-pgn","row":2,"column":1,"offset":31,"record":2,"#,
                r#""id":null,"message":"here"},{"file":"b","row":1,"column":8,"offset":7,"record":2,"#,
                r#""id":null,"message":"there"}],"fix":null}"#,
                "\n"
            )
        );
    }

    #[test]
    fn the_array_is_valid_however_many_there_are() {
        let catalogue = catalogue();
        for count in 0..3 {
            let findings = vec![finding(); count];
            let text = written(&mut Json::new(&catalogue), Path::new("a"), &findings, None);
            let array: Vec<serde_json::Value> = serde_json::from_str(&text).unwrap();
            assert_eq!(array.len(), count);
            assert!(text.ends_with("]\n"));
        }
    }

    #[test]
    fn hidden_characters_are_escaped_and_come_back() {
        let catalogue = catalogue();
        let mut finding = finding();
        finding.message = "a\u{202E}b\u{E0041}c\x1Bd\"e\\\u{7F}".to_owned();
        finding.record = 0;
        let file = Path::new("b\u{2066}.ctl-pgn");
        let text = written(&mut Jsonl::new(&catalogue), file, std::slice::from_ref(&finding), None);
        assert!(!text.trim_end().contains(escape::is_hidden), "{text:?}");
        assert!(text.contains(r"a\u202eb\udb40\udc41c\u001bd"), "{text}");
        let object: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(object["message"], finding.message);
        assert_eq!(object["file"], "b\u{2066}.ctl-pgn");
        assert!(object["record"].is_null());
    }
}
