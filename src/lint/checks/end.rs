//! Messages about the end of a record (§6.11, §7.7).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::EndFault;

/// What there is to say of such a fault.
pub fn message(kind: EndFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
