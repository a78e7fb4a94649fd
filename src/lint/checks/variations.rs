//! Messages about variations (§8).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::VariationFault;

/// What there is to say of such a fault.
pub fn message(kind: VariationFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
