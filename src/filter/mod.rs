//! Records in another form (§13). What cannot be read with certainty is never written (§13.3).

mod run;
mod write;

pub use run::{Form, Told, run};
pub use write::{refusal, write_minimal};
