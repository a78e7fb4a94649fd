//! Findings as text and as data: one file per format behind one small trait.

pub mod board;
mod concise;
mod diff;
pub mod escape;
mod full;
mod github;
mod gitlab;
mod json;
mod junit;
pub mod page;
mod sarif;

use std::io::{self, Write};
use std::path::Path;

use codespan_reporting::term::termcolor::{Ansi, NoColor, WriteColor};

use crate::lint::{Excerpt, Finding};

pub use concise::Concise;
pub use diff::Diff;
pub use full::Full;
pub use github::Github;
pub use gitlab::Gitlab;
pub use json::{Json, Jsonl};
pub use junit::Junit;
pub use sarif::Sarif;

/// Writes the findings of a run in the order they come.
pub trait Report {
    /// What stands before the first finding: nothing, unless the format has it otherwise.
    fn start(&mut self, _: &mut dyn Write) -> io::Result<()> {
        Ok(())
    }

    /// One finding in the file so named; without an excerpt it concerns the file as a whole.
    fn finding(
        &mut self,
        out: &mut dyn Write,
        file: &Path,
        finding: &Finding,
        excerpt: Option<Excerpt<'_>>,
    ) -> io::Result<()>;

    /// A file was read to its end, and all there is to say of it has been said: nothing, unless the format has it
    /// otherwise.
    fn file(&mut self, _: &mut dyn Write, _: &Path) -> io::Result<()> {
        Ok(())
    }

    /// What stands behind the last finding: nothing, unless the format has it otherwise. `whole`: the run did all it
    /// should, so that it could read all and didn't fail at a record.
    fn finish(&mut self, _: &mut dyn Write, _whole: bool) -> io::Result<()> {
        Ok(())
    }
}

/// The writer, with colours if they are wanted.
fn coloured<'w>(out: &'w mut dyn Write, color: bool) -> Box<dyn WriteColor + 'w> {
    if color { Box::new(Ansi::new(out)) } else { Box::new(NoColor::new(out)) }
}

#[cfg(test)]
mod samples {
    use super::Report;
    use crate::lint::{Excerpt, Finding, Place, Related, RuleId, Severity};
    use std::path::Path;

    pub(super) fn place(offset: u64, row: u64, column: u32) -> Place {
        Place { offset, row, column }
    }

    /// Another place, in record 2 of the same file.
    pub(super) fn related(offset: u64, row: u64, column: u32, message: &str) -> Related {
        Related {
            file: None,
            name: None,
            at: place(offset, row, column),
            record: 2,
            id: None,
            message: message.to_owned(),
        }
    }

    /// A finding of M104 at row 4, offset 97 to 102, in record 2.
    pub(super) fn finding() -> Finding {
        Finding {
            rule: RuleId(2),
            severity: Severity::Error,
            at: place(97, 4, 4),
            end: place(102, 4, 9),
            message: "a comma is missing".to_owned(),
            notes: Vec::new(),
            related: Vec::new(),
            record: 2,
            id: Some("Me-X01".to_owned()),
            ply: Some("12w".to_owned()),
            board: None,
            record_key: 0xF2,
            fingerprint: 0xF1,
            fix: None,
        }
    }

    /// What a report writes of some findings in one excerpt.
    pub(super) fn written(
        report: &mut dyn Report,
        file: &Path,
        findings: &[Finding],
        excerpt: Option<Excerpt<'_>>,
    ) -> String {
        let mut out = Vec::new();
        report.start(&mut out).unwrap();
        for finding in findings {
            report.finding(&mut out, file, finding, excerpt).unwrap();
        }
        report.finish(&mut out, true).unwrap();
        String::from_utf8(out).unwrap()
    }
}
