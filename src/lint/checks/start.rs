//! Messages about the start of the replay (§7.3, §10).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::StartFault;

/// What there is to say of such a fault.
pub fn message(kind: StartFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
