//! A record's text to tags and items, each with its span, and faults. Reading never fails.

mod comment;
pub mod fault;
mod lexer;
mod movetext;
mod record;
mod tags;

pub use fault::{Fault, FaultKind};
pub use lexer::{Lexer, Token, TokenKind, line_end_len, unicode_blank};
pub use record::{Begins, Item, ItemKind, Reader, Record, Spelt};
pub use tags::{Tag, TagName};
