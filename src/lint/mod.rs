//! What there is to say of an archive: the rules, which of them are on, and what they found.

pub mod catalogue;
pub mod finding;
pub mod select;

pub use catalogue::{Catalogue, Rule};
pub use finding::{Finding, Place, Related, RuleId, Severity};
pub use select::Selection;
