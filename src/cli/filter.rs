//! A run of `ctl-filter`: text to standard output or a file, reports to standard error.

use std::io::{self, IsTerminal, LineWriter, Write};
use std::ops::ControlFlow;

use super::ExitStatus;
use super::filter_args::{FilterArgs, OnError};
use super::progress::Progress;
use super::run::{complain, ended, inputs, problem_of, shown_name, total_bytes};
use crate::filter::{self, Told};
use crate::lint::run::problem_finding;
use crate::lint::{Catalogue, Linter, Selection};
use crate::report::{Concise, Report};
use crate::source::{Output, Walked};

/// Does what the arguments ask for.
pub fn run(args: &FilterArgs) -> ExitStatus {
    let walked = match inputs(&args.paths) {
        Ok(walked) => walked,
        Err(status) => return status,
    };
    ended(match &args.output {
        None => to_stdout(args, &walked),
        Some(path) => match Output::create(path) {
            Ok(output) => to_file(args, &walked, output),
            Err(error) => return complain(&format!("cannot write {}: {error}", path.display())),
        },
    })
}

fn to_stdout(args: &FilterArgs, walked: &Walked) -> io::Result<ExitStatus> {
    // Chunks come whole: a buffer would only copy them once more.
    let mut out = io::stdout().lock();
    let ended = filter(args, walked, &mut out)?;
    out.flush()?;
    Ok(ended.status)
}

fn to_file(args: &FilterArgs, walked: &Walked, mut output: Output) -> io::Result<ExitStatus> {
    if let Some(input) = output.input_among(&walked.inputs) {
        let name = shown_name(input, None);
        return Ok(complain(&format!("{} is to be read and written: name another file", name.display())));
    }
    let ended = filter(args, walked, &mut output)?;
    if ended.complete {
        output.commit()?;
    } else {
        complain(&"the output is not complete: the file is left as it was");
    }
    Ok(ended.status)
}

struct Ended {
    status: ExitStatus,
    /// Every input was read to its end.
    complete: bool,
}

fn filter(args: &FilterArgs, walked: &Walked, out: &mut dyn Write) -> io::Result<Ended> {
    let catalogue = Catalogue::load();
    let selection = Selection::usual(catalogue);
    let linter = Linter::new(catalogue, &selection);
    let color = args.run.color.decide(io::stderr().is_terminal(), |name| std::env::var_os(name));
    let mut report = Concise::new(catalogue, color);
    let mut progress = Progress::new(total_bytes(&walked.inputs), args.run.quiet);
    let mut ended = Ended { status: ExitStatus::Clean, complete: true };
    let mut result = Ok(());
    // Standard error itself passes on each piece of a line.
    let mut err = LineWriter::new(io::stderr());
    for unreached in &walked.problems {
        if let Some(finding) = problem_finding(&linter, &problem_of(unreached), 0, 0, 0) {
            result = report.finding(&mut err, &unreached.path, &finding, None);
        }
        ended = Ended { status: ExitStatus::Failure, complete: false };
    }
    let stop = args.on_error == OnError::Stop;
    filter::run(&walked.inputs, &args.run.options(), &linter, args.wanted(), stop, |told| {
        let written = match told {
            Told::Text(text) => progress.suspend(|| out.write_all(text)),
            Told::Finding(file, finding, excerpt) => {
                let name = shown_name(&walked.inputs[file.0 as usize], None);
                progress.suspend(|| report.finding(&mut err, &name, &finding, excerpt))
            }
            Told::Refused(_) => {
                ended.status = ended.status.merge(ExitStatus::Complaints);
                ended.complete &= !stop;
                Ok(())
            }
            Told::Done(bytes) => {
                progress.advance(bytes);
                Ok(())
            }
            Told::Failed => {
                ended = Ended { status: ExitStatus::Failure, complete: false };
                Ok(())
            }
        };
        match written {
            Ok(()) => ControlFlow::Continue(()),
            Err(error) => {
                result = Err(error);
                ControlFlow::Break(())
            }
        }
    });
    progress.finish();
    result.map(|()| ended)
}
