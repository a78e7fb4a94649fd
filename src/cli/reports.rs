//! The reports that go to files, besides what goes to the screen.

use std::io::{self, Write};
use std::path::Path;

use super::ExitStatus;
use super::lint_args::ReportTo;
use super::run::{complain, shown_name};
use crate::lint::Catalogue;
use crate::report::{Report, escape};
use crate::source::{Input, Output};

/// Reports on their way to files.
pub struct Reports<'a> {
    all: Vec<ToFile<'a>>,
}

struct ToFile<'a> {
    name: &'a Path,
    report: Box<dyn Report + 'a>,
    output: Output,
    error: Option<io::Error>,
}

impl<'a> Reports<'a> {
    /// Begins them all. A file that is read, or that two of them would write, is a matter of usage, and said.
    pub fn create(wanted: &'a [ReportTo], catalogue: &'a Catalogue, inputs: &[Input]) -> Result<Self, ExitStatus> {
        let mut all: Vec<ToFile<'_>> = Vec::with_capacity(wanted.len());
        for ReportTo { format, file: name } in wanted {
            let output = Output::create(name).map_err(|error| unwritten(name, &error))?;
            if let Some(input) = output.input_among(inputs) {
                let input = escape::name(&shown_name(input, None));
                return Err(complain(&format!("{input} is to be read and written: name another file")));
            }
            if all.iter().any(|other| other.output.leads_to(name)) {
                return Err(complain(&format!("{} is to take two reports: name two files", escape::name(name))));
            }
            // All that there is to say, and no colours.
            all.push(ToFile { name, report: format.report(catalogue, false, 0), output, error: None });
        }
        Ok(Self { all })
    }

    /// Tells something to each of them.
    pub fn tell(&mut self, say: &impl Fn(&mut dyn Report, &mut dyn Write) -> io::Result<()>) {
        for ToFile { report, output, error, .. } in self.all.iter_mut().filter(|file| file.error.is_none()) {
            *error = say(&mut **report, output).err();
        }
    }

    /// Whether there is one that can be written.
    pub fn are_written(&self) -> bool {
        self.all.iter().any(|file| file.error.is_none())
    }

    /// Puts them in their places, and says which could not be written.
    pub fn commit(self) -> ExitStatus {
        let commit = |ToFile { name, output, error, .. }| match error.map_or_else(|| output.commit(), Err) {
            Ok(()) => ExitStatus::Clean,
            Err(error) => unwritten(name, &error),
        };
        self.all.into_iter().map(commit).fold(ExitStatus::Clean, ExitStatus::merge)
    }
}

fn unwritten(name: &Path, error: &io::Error) -> ExitStatus {
    complain(&format!("cannot write {}: {error}", escape::name(name)))
}
