//! A baseline: findings that are known of an archive and not shown, counted by rule and record.
//!
//! What counts for a record is its Id, or else its plies, so that neither lines nor files that move make known findings
//! new ones. As long as a record has no more findings of a rule than are known of it none of them is shown; else all are.

use std::collections::BTreeMap;
use std::fmt;
use std::io::{self, Write};
use std::marker::PhantomData;
use std::num::NonZeroU64;
use std::path::Path;

use serde::de::{Deserializer, Error, MapAccess, Visitor};
use serde::{Deserialize, Serialize};

use super::catalogue::Catalogue;
use super::finding::{Finding, RuleId};
use super::judge::Linter;

/// By rule and record.
type Counts = BTreeMap<RuleId, BTreeMap<String, u64>>;

/// What is known, and what of it a run has found.
#[derive(Clone, Default, Debug)]
pub struct Baseline {
    known: Counts,
    /// Of what is known, what no record had yet.
    left: Counts,
    found: Counts,
    /// All that is found is known.
    begins: bool,
    /// It is applied.
    on: bool,
    hidden: u64,
}

/// The file, as it is read.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[expect(dead_code, reason = "reading it is all there is to it")]
    version: Version,
    findings: Unique<Code, Unique<String, NonZeroU64>>,
}

/// The file, as it is written.
#[derive(Serialize)]
struct Written<'a> {
    version: u64,
    findings: BTreeMap<&'a str, &'a BTreeMap<String, u64>>,
}

const VERSION: u64 = 1;

impl Baseline {
    /// One that knows all that is found: a new one.
    pub fn begin() -> Baseline {
        Baseline { begins: true, on: true, ..Baseline::default() }
    }

    /// Reads what [`Baseline::write`] wrote; an error has row and column.
    pub fn parse(text: &[u8]) -> serde_json::Result<Baseline> {
        let file: File = serde_json::from_slice(text)?;
        let counts = |counts: Unique<String, NonZeroU64>| counts.0.into_iter().map(|(key, n)| (key, n.get())).collect();
        let known: Counts = file.findings.0.into_iter().map(|(Code(rule), of)| (rule, counts(of))).collect();
        Ok(Baseline { left: known.clone(), known, on: true, ..Baseline::default() })
    }

    /// Drops the findings that are known, of one or more whole records of a file.
    pub fn hide(&mut self, file: Option<&Path>, findings: &mut Vec<Finding>) {
        if !self.on || findings.is_empty() {
            return;
        }
        let mut counts: BTreeMap<(u64, RuleId), (u64, bool)> = BTreeMap::new();
        for finding in &*findings {
            counts.entry((finding.record, finding.rule)).or_default().0 += 1;
        }
        for finding in &*findings {
            if let Some((count, known)) =
                counts.get_mut(&(finding.record, finding.rule)).filter(|(count, _)| *count > 0)
            {
                let count = std::mem::take(count);
                *known = key(file, finding).is_some_and(|key| self.knows(finding.rule, key, count));
            }
        }
        let before = findings.len();
        findings.retain(|finding| !counts.get(&(finding.record, finding.rule)).is_some_and(|(_, known)| *known));
        self.hidden += (before - findings.len()) as u64;
    }

    fn knows(&mut self, rule: RuleId, key: String, count: u64) -> bool {
        let left = self.left.get_mut(&rule).and_then(|left| left.get_mut(&key));
        *self.found.entry(rule).or_default().entry(key).or_default() += count;
        match left {
            _ if self.begins => true,
            Some(left) if count <= *left => {
                *left -= count;
                true
            }
            _ => false,
        }
    }

    /// How many findings were not shown.
    pub fn hidden(&self) -> u64 {
        self.hidden
    }

    /// Writes what is still found of what was known, never more; what of it rules find that were off stays.
    pub fn write(&self, linter: &Linter, out: &mut dyn Write) -> io::Result<()> {
        let still = |rule: &RuleId, key: &str, known: u64| {
            let found = self.found.get(rule).and_then(|found| found.get(key)).copied().unwrap_or(0);
            if linter.has(*rule) { known.min(found) } else { known }
        };
        let kept: Counts = self
            .known
            .iter()
            .map(|(rule, known)| {
                let kept = known.iter().map(|(key, known)| (key.clone(), still(rule, key, *known)));
                (*rule, kept.filter(|(_, count)| *count > 0).collect())
            })
            .collect();
        let kept = if self.begins { &self.found } else { &kept };
        let findings = kept.iter().filter(|(_, of)| !of.is_empty());
        let findings = findings.map(|(rule, of)| (linter.catalogue()[*rule].code.as_str(), of)).collect();
        serde_json::to_writer_pretty(&mut *out, &Written { version: VERSION, findings })?;
        writeln!(out)
    }
}

/// What counts for a record: its Id, or else the hash of its plies; for what lies in none, the file's name. A record that
/// made us fail has nothing: that is always told.
fn key(file: Option<&Path>, finding: &Finding) -> Option<String> {
    Some(match &finding.id {
        _ if finding.record == 0 => {
            let name = file.and_then(Path::file_name).map_or("-".into(), |name| name.to_string_lossy());
            format!("file {name}")
        }
        _ if finding.record_key == 0 => return None,
        // One so long that it is cut off doesn't tell records apart.
        Some(id) if !id.ends_with('…') => id.clone(),
        _ => format!("#{:016x}", finding.record_key),
    })
}

struct Version;

impl<'de> Deserialize<'de> for Version {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        match u64::deserialize(deserializer)? {
            VERSION => Ok(Version),
            other => Err(D::Error::custom(format!("version {VERSION} was expected, not {other}"))),
        }
    }
}

/// A rule by its code.
#[derive(PartialEq, Eq, PartialOrd, Ord)]
struct Code(RuleId);

impl<'de> Deserialize<'de> for Code {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let code = String::deserialize(deserializer)?;
        let rule = Catalogue::load().by_code(&code);
        rule.map(Code).ok_or_else(|| D::Error::custom(format!("no rule has the code `{code}`")))
    }
}

/// A table in which no key stands twice, as it does where two versions of a file were merged by hand.
struct Unique<K, V>(BTreeMap<K, V>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Deserialize<'de> for Unique<K, V> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(UniqueVisitor(PhantomData))
    }
}

struct UniqueVisitor<K, V>(PhantomData<(K, V)>);

impl<'de, K: Deserialize<'de> + Ord, V: Deserialize<'de>> Visitor<'de> for UniqueVisitor<K, V> {
    type Value = Unique<K, V>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a table")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut all = BTreeMap::new();
        while let Some((key, value)) = map.next_entry()? {
            if all.insert(key, value).is_some() {
                return Err(A::Error::custom("the same key a second time"));
            }
        }
        Ok(Unique(all))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::lint::select::Words;
    use crate::lint::{Place, Selection, Severity};

    /// A finding of the rule with this code.
    fn finding(code: &str, record: u64, id: Option<&str>, record_key: u64) -> Finding {
        let rule = Catalogue::load().by_code(code).unwrap();
        let (at, id) = (Place::START, id.map(str::to_owned));
        let (message, notes, related) = (String::new(), Vec::new(), Vec::new());
        let severity = Severity::Error;
        Finding {
            rule,
            severity,
            at,
            end: at,
            message,
            notes,
            related,
            record,
            id,
            ply: None,
            board: None,
            record_key,
            fingerprint: 0,
            fix: None,
        }
    }

    fn linter(ignore: &str) -> Linter {
        let words = Words { ignore: vec![ignore.to_owned()], ..Words::default() };
        Linter::new(Catalogue::load(), &Selection::new(Catalogue::load(), &[words]).unwrap())
    }

    fn written(baseline: &Baseline, ignore: &str) -> String {
        let mut out = Vec::new();
        baseline.write(&linter(ignore), &mut out).unwrap();
        String::from_utf8(out).unwrap().split_whitespace().collect()
    }

    /// Which findings are shown, by their places in the list.
    fn shown(baseline: &mut Baseline, findings: &[Finding]) -> Vec<u64> {
        let mut left: Vec<_> = findings.to_vec();
        (0..).zip(&mut left).for_each(|(number, finding)| finding.at.offset = number);
        baseline.hide(Some(Path::new("games/a.ctl-pgn")), &mut left);
        left.iter().map(|finding| finding.at.offset).collect()
    }

    fn some() -> Vec<Finding> {
        let long = format!("{}…", "x".repeat(40));
        vec![
            finding("F111", 0, None, 0),
            finding("M109", 1, Some("Me-X01"), 7),
            finding("M109", 1, Some("Me-X01"), 7),
            finding("T131", 1, Some("Me-X01"), 7),
            finding("M109", 2, None, 0xAB),
            finding("M109", 3, Some(&long), 0xCD),
            finding("F106", 4, None, 0),
        ]
    }

    const ALL: &str = r##"{"version":1,"findings":{"F111":{"filea.ctl-pgn":1},"M109":{"#00000000000000ab":1,"#00000000000000cd":1,"Me-X01":2},"T131":{"Me-X01":1}}}"##;

    #[test]
    fn a_new_one_knows_all_but_failures() {
        let mut baseline = Baseline::begin();
        assert_eq!(shown(&mut baseline, &some()), [6]);
        assert_eq!(baseline.hidden(), 6);
        assert_eq!(written(&baseline, "D"), ALL);
        assert_eq!(written(&Baseline::begin(), "D"), r#"{"version":1,"findings":{}}"#);
    }

    #[test]
    fn what_goes_beyond_is_shown_with_all_of_its_kind() {
        let baseline = || Baseline::parse(&ALL.replace("filea", "file a").into_bytes()).unwrap();
        assert_eq!(shown(&mut baseline(), &some()), [6]);
        let mut more = some();
        more.push(more[1].clone());
        more.push(finding("T131", 2, None, 0xAB));
        assert_eq!(shown(&mut baseline(), &more), [1, 2, 6, 7, 8]);
        // Of two records with one Id each has what is left.
        let mut twice = baseline();
        assert_eq!(shown(&mut twice, &some()[1..2]), Vec::<u64>::new());
        assert_eq!(shown(&mut twice, &some()[1..2]), Vec::<u64>::new());
        assert_eq!(shown(&mut twice, &some()[1..2]), [0]);
        assert_eq!(shown(&mut Baseline::default(), &some()).len(), 7);
    }

    #[test]
    fn it_only_shrinks() {
        let mut baseline = Baseline::parse(&ALL.replace("filea", "file a").into_bytes()).unwrap();
        let mut findings = some();
        findings.drain(4..6);
        findings.push(findings[3].clone());
        findings.push(finding("R101", 1, Some("Me-X01"), 7));
        findings.remove(1);
        shown(&mut baseline, &findings);
        assert_eq!(
            written(&baseline, "D"),
            r#"{"version":1,"findings":{"F111":{"filea.ctl-pgn":1},"M109":{"Me-X01":1},"T131":{"Me-X01":1}}}"#
        );
        assert!(written(&baseline, "M").contains(r##""M109":{"#00000000000000ab":1,"##), "rules that are off");
    }

    #[test]
    fn what_is_wrong_has_its_place() {
        let error = |text: &str| Baseline::parse(text.as_bytes()).unwrap_err().to_string();
        assert_eq!(error("{\"version\": 2}"), "version 1 was expected, not 2 at line 1 column 14");
        assert_eq!(
            error("{\"version\": 1,\n\"findings\": {\"X999\": {}}}"),
            "no rule has the code `X999` at line 2 column 19"
        );
        assert_eq!(
            error("{\"version\": 1, \"findings\": {\"M109\": {\"a\": 1, \"a\": 2}}}"),
            "the same key a second time at line 1 column 52"
        );
        assert!(error("{\"version\": 1, \"findings\": {\"M109\": {\"a\": 0}}}").contains("nonzero"));
        assert!(error("{\"version\": 1, \"findings\": []}").contains("expected a table"));
        assert!(error("{\"version\": 1, \"found\": {}}").contains("unknown field `found`"));
    }
}
