//! Messages about comments (§9).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::CommentFault;

/// What there is to say of such a fault.
pub fn message(kind: CommentFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
