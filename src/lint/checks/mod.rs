//! What the rules say: for each floor's faults their messages, and what pages ask of a record as a whole.

mod coherence;
mod comments;
mod end;
mod files;
mod identity;
mod ids;
mod moves;
mod pdtl;
mod play;
mod plies;
pub mod record;
mod redefine;
mod start;
mod tags;
pub mod values;
mod variations;

use super::catalogue::Check;
use super::context::{Context, Message};
use super::judge::Sink;
use crate::syntax::{Fault, FaultKind};

/// What there is to say of a fault: what stands there, and what was expected.
pub fn message(fault: &Fault, context: &Context<'_>) -> Message {
    match fault.kind {
        FaultKind::File(kind) => files::message(kind, fault, context),
        FaultKind::Tag(kind) => tags::message(kind, fault, context),
        FaultKind::Redefine(kind) => redefine::message(kind, fault, context),
        FaultKind::Id(kind) => ids::message(kind, fault, context),
        FaultKind::Pdtl(kind) => pdtl::message(kind, fault, context),
        FaultKind::Ply(kind) => plies::message(kind, fault, context),
        FaultKind::Move(kind) => moves::message(kind, fault, context),
        FaultKind::End(kind) => end::message(kind, fault, context),
        FaultKind::Variation(kind) => variations::message(kind, fault, context),
        FaultKind::Comment(kind) => comments::message(kind, fault, context),
        FaultKind::Start(kind) => start::message(kind, fault, context),
        FaultKind::Incoherence(kind) => coherence::message(kind, fault, context),
        FaultKind::Play(kind) => play::message(kind, fault, context),
    }
}

/// Does what a page asks of a record as a whole.
pub fn record(check: &Check, context: &Context<'_>, sink: &mut Sink<'_>) {
    record::judge(check, context, sink);
}
