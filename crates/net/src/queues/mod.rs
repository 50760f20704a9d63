//! Queue disciplines.
//!
//! A discipline is one file beside this one, a variant of [`QueuePlan`] with its parameters, and an arm of [`build`].

mod biased;
mod congestion_warning;
mod drop_tail;
mod red;
#[cfg(test)]
mod testing;

use crate::plan::QueuePlan;
use airhop_base::{Drop, Ecn, Packet, Span, Time};
use airhop_engine::{Arena, Id, Stream};
use biased::Biased;
use congestion_warning::CongestionWarning;
use drop_tail::DropTail;
use red::Red;
use std::collections::vec_deque::Iter;
use std::fmt::Debug;

/// A queue discipline.
pub trait QueueDisc: Debug + Send {
    /// Offers a packet, which the discipline may mark.
    fn push(&mut self, now: Time, packet: Id<Packet>, arena: &mut Arena<Packet>) -> Admit;
    /// A packet finds the queue empty and the link free since `idle_since`, and goes straight through; it may be marked, or
    /// refused.
    fn pass(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<Drop> {
        let _ = (now, idle_since, packet, arena);
        None
    }
    /// Takes out the packet that goes next.
    fn pop(&mut self) -> Option<Id<Packet>>;
    /// Takes out the first packet that is so, if there is one, wherever it waits.
    fn take_out(&mut self, is_so: &dyn Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>>;
    /// The packets that wait, in the order of their places.
    fn waiting(&self) -> Iter<'_, Id<Packet>>;
    /// How many wait.
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

/// Builds the queue of a plan before a link that takes `time_for(bytes)` for a packet, with the randomness of that link.
pub fn build(plan: &QueuePlan, time_for: impl Fn(u32) -> Span, stream: Stream) -> Box<dyn QueueDisc> {
    match *plan {
        QueuePlan::DropTail { packets } => Box::new(DropTail::new(packets)),
        QueuePlan::Red(plan) => Box::new(Red::new(plan, time_for(plan.mean_packet), stream)),
        QueuePlan::CongestionWarning { packets, threshold, weight } => {
            Box::new(CongestionWarning::new(packets, threshold, weight))
        }
        QueuePlan::Biased { packets } => Box::new(Biased::new(packets)),
    }
}

/// Says "congestion experienced" on a packet, if its transport understands it (RFC 3168 §5).
fn mark(packet: &mut Packet) -> bool {
    let capable = packet.ecn != Ecn::NotEct;
    if capable {
        packet.ecn = Ecn::Ce;
    }
    capable
}
