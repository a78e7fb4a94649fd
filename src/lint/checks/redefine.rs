//! Messages about the `Redefine` tag (§5).

use crate::lint::context::{Context, Message};
use crate::notation::RedefineFault;
use crate::syntax::Fault;

/// What there is to say of such a fault.
pub fn message(kind: RedefineFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
