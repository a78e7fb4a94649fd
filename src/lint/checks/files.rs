//! Messages about files and bytes (§1).

use crate::lint::context::{Context, Message};
use crate::syntax::Fault;
use crate::syntax::fault::FileFault;

/// What there is to say of such a fault.
pub fn message(kind: FileFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
