//! Messages about pairs, numbers and valuations (§6.9, §7).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::MoveFault;

/// What there is to say of such a fault.
pub fn message(kind: MoveFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
