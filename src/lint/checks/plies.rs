//! Messages about the words of plies (§6).

use crate::lint::context::{Context, Message};
use crate::notation::PlyFault;
use crate::syntax::Fault;

/// What there is to say of such a fault.
pub fn message(kind: PlyFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
