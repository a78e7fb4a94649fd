//! Messages about the `PDTL` tag (§10).

use crate::lint::context::{Context, Message};
use crate::notation::PdtlFault;
use crate::syntax::Fault;

/// What there is to say of such a fault.
pub fn message(kind: PdtlFault, fault: &Fault, context: &Context<'_>) -> Message {
    format!("{}: {}", kind.name(), context.quote_fault(fault)).into()
}
