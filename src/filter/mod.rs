//! Records in another form (§13). What cannot be read with certainty is never written (§13.3).

mod data;
mod form;
mod run;
mod tags;
mod take;
mod write;

pub use data::{Data, Notation};
pub use form::{CheckSigns, Comments, Form, Keep, Layout, Part, PieceLetters, Separators, refusal};
pub use run::{Told, Wanted, run};
pub use take::Take;
pub use write::write;
