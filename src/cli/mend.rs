//! `--fix` and `--diff`.

use std::fs::File;
use std::io::{self, Read, Seek, Write};
use std::ops::ControlFlow;
use std::path::Path;

use tempfile::NamedTempFile;

use super::ExitStatus;
use super::lint_args::LintArgs;
use super::run::{complain, counted, shown_name};
use crate::lint::mend::{self, Told, edited};
use crate::lint::{Applicability, Linter};
use crate::report::{Diff, escape};
use crate::source::{Before, Chunk, FileId, Input, Output, Walked};

/// How files are mended.
#[derive(Clone, Copy)]
pub struct Mending<'a> {
    pub args: &'a LintArgs,
    pub linter: &'a Linter,
    /// With fixes up to this.
    pub most: Applicability,
}

/// What was mended.
pub struct Mended {
    /// Worse than clean where a file stays as it was though it should not.
    pub status: ExitStatus,
    fixes: u64,
    files: u64,
    /// The input that was standard input, and the file with its mended text that took its place.
    spooled: Option<(usize, NamedTempFile)>,
}

impl Mended {
    /// The input whose text is now that of standard input, mended; it is read from a file.
    pub fn spooled(&self) -> Option<usize> {
        self.spooled.as_ref().map(|(number, _)| *number)
    }

    /// Writes how much it is.
    pub fn write(&self, out: &mut dyn Write) -> io::Result<()> {
        writeln!(out, "{} mended in {}", self.fixes, counted(self.files, "file", "files"))
    }
}

impl Mending<'_> {
    /// Shows what would be mended; nothing is written.
    pub fn diff(self, walked: &Walked, out: &mut dyn Write) -> io::Result<ExitStatus> {
        let mut status = ExitStatus::Clean;
        for unreached in &walked.problems {
            status = complain(&format!("{}: {}", escape::name(&unreached.path), unreached.error));
        }
        for (number, input) in walked.inputs.iter().enumerate() {
            let name = shown_name(input, self.args.stdin_filename.as_deref());
            // Behind `a/` and `b/` a path goes on as from the root.
            let mut diff = Diff::new(out, escape::name(&name).trim_start_matches('/').to_owned());
            let mut failed = false;
            let passed = self.pass(FileId(number as u32), input, |told| match told {
                Told::Chunk(chunk, edits, _) => diff.part(chunk.text(), &edits),
                Told::Failed | Told::PassedOver => {
                    failed = true;
                    Ok(())
                }
            });
            passed?;
            if diff.finish()? {
                status = status.merge(ExitStatus::Complaints);
            }
            if failed {
                status = complain(&format!("{} could not be read whole", escape::name(&name)));
            }
        }
        out.flush()?;
        Ok(status)
    }

    /// Mends all inputs. The text of standard input goes to standard output, and to a file that takes its place.
    pub fn fix(self, walked: &mut Walked, out: &mut dyn Write) -> io::Result<Mended> {
        let mut mended = Mended { status: ExitStatus::Clean, fixes: 0, files: 0, spooled: None };
        for (number, input) in walked.inputs.iter_mut().enumerate() {
            let file = FileId(number as u32);
            let fixes = if let Some(path) = input.path().map(Path::to_owned) {
                self.in_place(&path, file, input).unwrap_or_else(|why| {
                    let name = shown_name(input, None);
                    mended.status = complain(&format!("{} stays as it was: {why}", escape::name(&name)));
                    0
                })
            } else {
                let (spool, fixes, whole) = self.to_stdout(file, input, out)?;
                if !whole {
                    mended.status = complain(&"standard input could not be read whole: what was not is not written");
                }
                *input = Input::File(spool.path().to_owned());
                mended.spooled = Some((number, spool));
                fixes
            };
            mended.fixes += fixes;
            mended.files += u64::from(fixes > 0);
        }
        Ok(mended)
    }

    /// Reads one input and tells how it is mended, until there is an error.
    fn pass(self, file: FileId, input: &Input, mut tell: impl FnMut(Told<'_>) -> io::Result<()>) -> io::Result<()> {
        let mut result = Ok(());
        mend::run(input, file, &self.args.run.options(), self.linter, self.most, |told| {
            result = tell(told);
            if result.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        });
        result
    }

    fn to_stdout(self, file: FileId, input: &Input, out: &mut dyn Write) -> io::Result<(NamedTempFile, u64, bool)> {
        let mut spool = NamedTempFile::new()?;
        let (mut fixes, mut whole) = (0, true);
        self.pass(file, input, |told| {
            let Told::Chunk(chunk, edits, count) = told else {
                whole = false;
                return Ok(());
            };
            fixes += count;
            let text = edited(chunk.text(), &edits);
            out.write_all(&text)?;
            spool.write_all(&text)
        })?;
        out.flush()?;
        spool.flush()?;
        Ok((spool, fixes, whole))
    }

    /// Mends a file, and tells how many fixes that took. What is not mended is copied from it.
    fn in_place(self, path: &Path, file: FileId, input: &Input) -> io::Result<u64> {
        // What can't be reached is a finding of the pass that follows.
        let Ok(before) = Before::of(path) else { return Ok(0) };
        let mut new = NewText { path, before: Some(before), begun: None };
        let (mut fixes, mut failed) = (0, false);
        self.pass(file, input, |told| match told {
            Told::Chunk(chunk, edits, count) => {
                fixes += count;
                if edits.is_empty() { Ok(()) } else { new.chunk(chunk, &edited(chunk.text(), &edits)) }
            }
            Told::Failed => {
                failed = true;
                Ok(())
            }
            // It is copied.
            Told::PassedOver => Ok(()),
        })?;
        if failed && new.begun.is_some() {
            return Err(io::Error::other("it could not be read whole"));
        }
        new.finish()?;
        Ok(fixes)
    }
}

/// The new text of a file, begun with the first difference.
struct NewText<'a> {
    path: &'a Path,
    before: Option<Before>,
    /// It, the file's old text, and how far that has been used.
    begun: Option<(Output, File, u64)>,
}

impl NewText<'_> {
    /// Copies what precedes a chunk, and writes what stands for it.
    fn chunk(&mut self, chunk: &Chunk, text: &[u8]) -> io::Result<()> {
        if let Some(before) = self.before.take() {
            self.begun = Some((Output::instead(self.path, before)?, File::open(self.path)?, 0));
        }
        let Some((output, old, used)) = &mut self.begun else { return Ok(()) };
        old.seek(io::SeekFrom::Start(*used))?;
        io::copy(&mut old.take(chunk.base - *used), output)?;
        *used = chunk.base + chunk.text().len() as u64;
        output.write_all(text)
    }

    fn finish(self) -> io::Result<()> {
        let Some((mut output, mut old, used)) = self.begun else { return Ok(()) };
        old.seek(io::SeekFrom::Start(used))?;
        io::copy(&mut old, &mut output)?;
        output.commit()
    }
}
