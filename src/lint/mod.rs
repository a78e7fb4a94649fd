//! What there is to say of an archive: the rules, which of them are on, and what they found.

pub mod archive;
pub mod baseline;
pub mod board;
pub mod catalogue;
mod checks;
pub mod context;
pub mod finding;
mod fix;
pub mod judge;
pub mod mend;
mod paths;
mod remarks;
pub mod run;
mod seen;
pub mod select;
pub mod suppress;

pub use baseline::Baseline;
pub use catalogue::{Catalogue, Rule};
pub use finding::{Applicability, Edit, Excerpt, Finding, Fix, Place, Related, RuleId, Severity};
pub use judge::{Judge, Judged, Linter, hash};
pub use run::{Told, run, run_beyond};
pub use select::Selection;
