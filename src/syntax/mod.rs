//! A record's text to tags and items, each with its span, and faults. Reading never fails.

mod comment;
pub mod fault;
mod layout;
mod lexer;
mod movetext;
mod record;
mod tags;

pub use comment::{Head, LINTER, is_suppression, said_in};
pub use fault::{Fault, FaultKind, Faults};
pub use layout::{Behind, judge_end};
pub use lexer::{BOM, Lexer, Token, TokenKind, is_tag_line, line_end_len, unicode_blank};
pub(crate) use record::reference;
pub use record::{
    Begins, Item, ItemKind, Reader, Record, Setup, Spelt, last_ply, main_line, outside_variations, result_item,
    whole_pair,
};
pub use tags::{Tag, TagName, TagNames};
