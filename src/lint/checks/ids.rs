//! Messages about identifiers (§4).

use crate::lint::context::{Context, Message};
use crate::notation::IdFault;
use crate::syntax::Fault;

/// What there is to say of such a fault.
pub fn message(kind: IdFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
