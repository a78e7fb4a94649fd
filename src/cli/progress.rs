//! How far a long run has come, for people who watch it.

use std::io::{IsTerminal, stderr, stdout};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Runs shorter than this show nothing.
const PATIENCE: Duration = Duration::from_secs(1);

const BAR: &str = "{bar:30} {bytes}/{total_bytes}, {bytes_per_sec}, {eta} left";
const SPINNER: &str = "{spinner} {bytes}, {bytes_per_sec}";

/// A bar, or a spinner where the total isn't known, on standard error.
#[derive(Debug)]
pub struct Progress {
    bar: ProgressBar,
    wanted: bool,
    shown: bool,
}

impl Progress {
    /// For so many bytes, if known; it shows only on a terminal, without `CI` in the environment, not when quiet, and not
    /// where standard output is a pipe: what stands at its end may write to the same terminal.
    pub fn new(total: impl FnOnce() -> Option<u64>, quiet: bool) -> Self {
        let wanted = !quiet && stderr().is_terminal() && std::env::var_os("CI").is_none() && !writes_to_pipe();
        Self::if_wanted(if wanted { total() } else { None }, wanted)
    }

    fn if_wanted(total: Option<u64>, wanted: bool) -> Self {
        let bar = ProgressBar::with_draw_target(total, ProgressDrawTarget::hidden());
        let template = if total.is_some() { BAR } else { SPINNER };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Self { bar, wanted, shown: false }
    }

    /// So many bytes more are done.
    pub fn advance(&mut self, bytes: u64) {
        if !self.wanted {
            return;
        }
        if !self.shown && self.bar.elapsed() > PATIENCE {
            self.bar.set_draw_target(ProgressDrawTarget::stderr());
            self.shown = true;
        }
        self.bar.inc(bytes);
    }

    /// Runs what writes to the terminal with the bar out of its way.
    pub fn suspend<R>(&self, write: impl FnOnce() -> R) -> R {
        if self.shown { self.bar.suspend(write) } else { write() }
    }

    /// Takes the bar away.
    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(unix)]
fn writes_to_pipe() -> bool {
    use std::fs::File;
    use std::os::{fd::AsFd, unix::fs::FileTypeExt};
    let metadata = stdout().as_fd().try_clone_to_owned().and_then(|copy| File::from(copy).metadata());
    metadata.is_ok_and(|metadata| metadata.file_type().is_fifo())
}

#[cfg(not(unix))]
fn writes_to_pipe() -> bool {
    !stdout().is_terminal()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_shows_after_a_second_if_at_all() {
        let mut progress = Progress::if_wanted(Some(100), true);
        progress.advance(10);
        assert!(!progress.shown);
        assert_eq!(progress.bar.position(), 10);
        progress.bar = progress.bar.with_elapsed(PATIENCE * 2);
        progress.advance(10);
        assert!(progress.shown);
        assert_eq!(progress.suspend(|| 7), 7);
        progress.finish();

        let mut unwanted = Progress::if_wanted(None, false);
        unwanted.bar = unwanted.bar.with_elapsed(PATIENCE * 2);
        unwanted.advance(10);
        assert!(!unwanted.shown);
    }

    #[test]
    fn the_templates_can_be_read() {
        for template in [BAR, SPINNER] {
            ProgressStyle::with_template(template).unwrap();
        }
    }
}
