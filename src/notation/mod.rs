//! One word of text and one value: parse and print side by side, each the other's inverse.
//!
//! A reader here knows nothing of files: it gives offsets within its word.

mod letters;

pub use letters::{Letters, RedefineFault, Slip, alternative, figurine, figurine_of, standard};
