//! A run of `ctl-filter`.

use super::ExitStatus;
use super::filter_args::FilterArgs;

/// Does what the arguments ask for.
pub fn run(_args: &FilterArgs) -> ExitStatus {
    ExitStatus::Failure
}
