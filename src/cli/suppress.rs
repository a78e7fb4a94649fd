//! `--add-suppressions`: writes suppressions of what is found into the files.

use std::collections::BTreeMap;
use std::io::{self, Write};
use std::ops::ControlFlow;
use std::path::Path;

use super::ExitStatus;
use super::lint_args::LintArgs;
use super::run::{complain, counted, note_that, shown_name};
use crate::driver::Options;
use crate::lint::suppress::{self, Wanted};
use crate::lint::{self, Baseline, Linter, Told};
use crate::report::escape;
use crate::source::{FileId, Input, Output, Walked};

/// Writes suppressions of all that would be shown.
pub fn add(args: &LintArgs, walked: &Walked, linter: &Linter, baseline: &mut Baseline, reason: &str) -> ExitStatus {
    let options = args.run.options();
    let mut wanted: BTreeMap<FileId, Wanted> = BTreeMap::new();
    lint::run_beyond(baseline, &walked.inputs, &options, linter, |told| {
        if let Told::Finding(file, finding, _) = told
            && finding.record > 0
        {
            wanted.entry(file).or_default().entry(finding.record).or_default().insert(finding.rule);
        }
        ControlFlow::Continue(())
    });
    let (mut status, mut comments, mut files) = (ExitStatus::Clean, 0, 0_u64);
    for (file, wanted) in &wanted {
        let input = &walked.inputs[file.0 as usize];
        match add_to(input, &options, linter, wanted, reason) {
            Ok(count) => {
                comments += count;
                files += u64::from(count > 0);
            }
            Err(error) => {
                let name = escape::name(&shown_name(input, None));
                status = complain(&format!("no suppression is written to {name}: {error}"));
            }
        }
    }
    if !args.run.quiet {
        let (comments, files) = (counted(comments, "suppression", "suppressions"), counted(files, "file", "files"));
        note_that(&format!("{comments} written to {files}"));
    }
    status
}

fn add_to(input: &Input, options: &Options, linter: &Linter, wanted: &Wanted, reason: &str) -> io::Result<u64> {
    let mut output = Output::in_place(input.path().unwrap_or(Path::new("-")))?;
    let added = suppress::add(input, options, linter, wanted, reason, &mut output)?;
    let count = added.ok_or_else(|| io::Error::other("not all of it could be read"))?;
    if count > 0 {
        output.flush()?;
        output.commit()?;
    }
    Ok(count)
}
