//! Queue disciplines.

mod drop_tail;

use crate::plan::QueuePlan;
use airhop_base::{Drop, Packet, Time};
use airhop_engine::{Arena, Id};
use drop_tail::DropTail;
use std::fmt::Debug;

/// A queue discipline.
pub trait QueueDisc: Debug + Send {
    /// Offers a packet, which the discipline may mark.
    fn push(&mut self, now: Time, packet: Id<Packet>, arena: &mut Arena<Packet>) -> Admit;
    /// A packet finds the queue empty and the link free, and goes straight through; it may be marked, or refused.
    fn pass(&mut self, now: Time, packet: &Id<Packet>, arena: &mut Arena<Packet>) -> Option<Drop> {
        let _ = (now, packet, arena);
        None
    }
    /// Takes out the packet that goes next.
    fn pop(&mut self) -> Option<Id<Packet>>;
    /// Packets waiting.
    fn len(&self) -> usize;
    /// Packets that may wait.
    fn capacity(&self) -> usize;
}

/// What a queue did with a packet.
#[derive(Debug)]
#[must_use]
pub enum Admit {
    /// It waits.
    Queued,
    /// This packet (not necessarily the one offered) was dropped.
    Dropped(Id<Packet>, Drop),
}

/// Builds the queue of a plan.
pub fn build(plan: &QueuePlan) -> Box<dyn QueueDisc> {
    match *plan {
        QueuePlan::DropTail { packets } => Box::new(DropTail::new(packets)),
    }
}
