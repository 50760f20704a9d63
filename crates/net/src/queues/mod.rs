//! Queue disciplines.
//!
//! A discipline is one file beside this one, a variant of [`QueuePlan`] with its parameters, and an arm of [`build`]. One that only
//! looks at what arrives is an [`EnqueuePolicy`](enqueue_policy::EnqueuePolicy) before a drop-tail queue.

mod biased;
mod codel;
mod congestion_warning;
mod drop_tail;
mod enqueue_policy;
mod fifo;
mod fq;
mod fq_codel;
#[cfg(test)]
mod laws;
mod pie;
mod red;
#[cfg(test)]
mod testing;

use crate::plan::QueuePlan;
use airhop_base::{Drop, Ecn, Packet, Span, Time};
use airhop_engine::{Arena, Id, Stream};
use biased::Biased;
use codel::Codel;
use congestion_warning::CongestionWarning;
use drop_tail::DropTail;
use enqueue_policy::PolicedFifo;
use fq::Fq;
use fq_codel::FqCodel;
use pie::Pie;
use red::Red;
use std::fmt::Debug;

/// A queue discipline.
pub trait QueueDisc: Debug + Send {
    /// Offers a packet, which the discipline may mark. It waits, unless it is found in `dropped`; so may be others that waited.
    fn push(&mut self, now: Time, packet: Id<Packet>, arena: &mut Arena<Packet>, dropped: &mut Dropped);
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
    /// Takes out the packet that goes next, which the discipline may mark. Those that it will not send are found in `dropped`.
    fn pop(&mut self, now: Time, arena: &mut Arena<Packet>, dropped: &mut Dropped) -> Option<Id<Packet>>;
    /// Takes out the first packet that is so, if there is one, wherever it waits.
    fn remove_first(&mut self, matches: &dyn Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>>;
    /// Shows the packets that wait, those of a flow in the order of their places, until one is so. Returns whether one was.
    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool;
    /// How many wait.
    fn len(&self) -> usize;
    /// Packets that may wait.
    fn capacity(&self) -> usize;
}

/// Packets that a queue dropped, the first of them first. Whoever works with queues keeps one such buffer and empties it, so that
/// nothing is allocated for a packet.
pub type Dropped = Vec<(Id<Packet>, Drop)>;

/// Builds the queue of a plan before a link that takes `time_for(bytes)` for a packet, with the randomness of that link.
pub fn build(plan: &QueuePlan, time_for: impl Fn(u32) -> Span, stream: Stream) -> Box<dyn QueueDisc> {
    match *plan {
        QueuePlan::DropTail { packets } => Box::new(DropTail::new(packets)),
        QueuePlan::Red(plan) => {
            Box::new(PolicedFifo::new(Red::new(plan, time_for(plan.mean_packet), stream), plan.packets))
        }
        QueuePlan::CongestionWarning { packets, threshold, weight } => {
            Box::new(PolicedFifo::new(CongestionWarning::new(threshold, weight), packets))
        }
        QueuePlan::Biased { packets } => Box::new(PolicedFifo::new(Biased, packets)),
        QueuePlan::Codel(plan) => Box::new(Codel::new(plan)),
        QueuePlan::FqCodel(plan) => Box::new(FqCodel::new(plan)),
        QueuePlan::Pie(plan) => Box::new(Pie::new(plan, stream)),
        QueuePlan::Fq { packets, quantum } => Box::new(Fq::new(packets, quantum)),
    }
}

/// The queue of a packet among `queues`, if each flow is to have its own: they are shared only where there are too few. The first
/// is that of packets of no flow.
fn bucket(packet: &Packet, queues: u16) -> u16 {
    packet.flow.0.wrapping_add(1) % queues
}

/// Says "congestion experienced" on a packet, if its transport understands it (RFC 3168 §5).
fn mark(packet: &mut Packet) -> bool {
    let capable = packet.ecn != Ecn::NotEct;
    if capable {
        packet.ecn = Ecn::Ce;
    }
    capable
}
