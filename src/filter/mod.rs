//! Records in another form (§13). What cannot be read with certainty is never written (§13.3).

mod data;
mod form;
mod gather;
mod join;
mod merge;
mod run;
mod tags;
mod take;
mod write;

pub use data::{Data, Notation};
pub use form::{CheckSigns, Comments, Form, Keep, Layout, Part, PieceLetters, Separators, refusal};
pub use gather::Gather;
pub use run::{Told, Wanted, run};
pub use take::Take;
pub use write::write;
