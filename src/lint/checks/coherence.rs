//! Messages about plies that do not fit the position (§11).

use crate::game::Incoherence;
use crate::lint::context::{Context, Message};
use crate::syntax::Fault;

/// What there is to say of such a fault.
pub fn message(kind: Incoherence, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
