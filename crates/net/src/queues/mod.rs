//! Queue disciplines.
//!
//! A discipline is one file beside this one, a variant of [`QueuePlan`] with its parameters, and an arm of [`discipline`]. A discipline that
//! acts on arrivals alone is an [`EnqueuePolicy`](enqueue_policy::EnqueuePolicy) before a drop-tail queue.

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
mod marker;
mod pie;
mod red;
#[cfg(test)]
mod testing;
mod tx_queue;

use airhop_base::{Drop, Packet, Span, Time};
use airhop_engine::{Arena, Id, Stream};
use airhop_radio::layer::Station;
use biased::Biased;
use codel::Codel;
pub use codel::CodelPlan;
use congestion_warning::CongestionWarning;
use drop_tail::DropTail;
use enqueue_policy::PolicedFifo;
use fq::Fq;
use fq_codel::FqCodel;
pub use fq_codel::FqCodelPlan;
pub(crate) use marker::Marker;
use pie::Pie;
pub use pie::PiePlan;
use red::Red;
pub use red::RedPlan;
use std::fmt::Debug;
pub(crate) use tx_queue::{Offered, TxQueue};

/// Queue discipline.
pub(crate) trait QueueDisc: Debug + Send {
    /// Offers a packet, which the discipline may mark. The packet waits, unless it is in `dropped`; packets that waited may be there, too.
    fn push(&mut self, now: Time, packet: Queued, arena: &mut Arena<Packet>, dropped: &mut Dropped);
    /// Lets a packet pass straight through that finds the queue empty and the link free since `idle_since`; the discipline may mark or
    /// refuse it.
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
    /// Removes the next packet, which the discipline may mark. Packets that it will not send are in `dropped`.
    fn pop(&mut self, now: Time, arena: &mut Arena<Packet>, dropped: &mut Dropped) -> Option<Queued>;
    /// Removes the first packet for which `matches` is true, if there is one, wherever it waits.
    fn remove_first(&mut self, matches: &dyn Fn(&Queued) -> bool) -> Option<Queued>;
    /// Shows the packets that wait, those of a flow in order, until `matches` is true. Returns whether it was.
    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool;
    /// Returns the number of packets that wait.
    fn len(&self) -> usize;
    /// Returns the queue capacity, packets.
    fn capacity(&self) -> usize;
    /// Returns its marks; `None` if it marks no packets.
    fn marker(&self) -> Option<&Marker> {
        None
    }
}

/// Packet in a queue.
#[derive(Debug)]
pub(crate) struct Queued {
    pub id: Id<Packet>,
    /// Station that it goes to next; before a wire, which leads to one node only, without meaning.
    pub to: Station,
}

/// Packets dropped by a queue, in order. A caller keeps one such buffer and empties it, so that nothing is allocated per packet.
pub(crate) type Dropped = Vec<(Queued, Drop)>;

/// Queue discipline with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueuePlan {
    /// First in, first out; a packet that finds `packets` waiting is dropped. The packet in service is not counted.
    DropTail {
        /// Capacity in packets.
        packets: usize,
    },
    /// Random early detection (Floyd and Jacobson 1993).
    Red(RedPlan),
    /// Marks every packet that can be marked while the averaged queue is at a threshold or above (Xu, Tian and Ansari 2004).
    CongestionWarning {
        /// Capacity in packets.
        packets: usize,
        /// Threshold of the average, packets.
        threshold: f64,
        /// Weight of one arrival in the average, (0, 1].
        weight: f64,
    },
    /// Drop-tail queue in which, when full, a packet marked "in" replaces one marked "out" (Biaz and Vaidya 2005).
    Biased {
        /// Capacity in packets.
        packets: usize,
    },
    /// Controlled delay (RFC 8289).
    Codel(CodelPlan),
    /// A queue for each flow, each with controlled delay (RFC 8290).
    FqCodel(FqCodelPlan),
    /// A proportional-integral controller of the delay (RFC 8033).
    Pie(PiePlan),
    /// A queue for each flow, served in turn by deficit round robin (Shreedhar and Varghese 1995).
    Fq {
        /// Capacity in packets, all queues together.
        packets: usize,
        /// Quantum: bytes that a flow may send per turn.
        quantum: u32,
    },
}

impl QueuePlan {
    /// Weight of one arrival in the average of [`QueuePlan::congestion_warning`]. Airhop's choice: the paper has no number.
    pub const WARNING_WEIGHT: f64 = 0.2;

    /// Returns a congestion warning at a quarter of the buffer: 5 of 20 packets, 12 of 50. Airhop's choice, too.
    pub fn congestion_warning(packets: usize) -> Self {
        Self::warning_at_a_quarter(packets, Self::WARNING_WEIGHT)
    }

    /// Returns a step in the queue itself, not in its average, at a quarter of the buffer: DCTCP's marking (RFC 8257 §3.1). With a buffer
    /// of the path's bandwidth-delay product, that is above the seventh that keeps the link busy (Alizadeh et al. 2010 §3.4).
    pub fn step_marking(packets: usize) -> Self {
        Self::warning_at_a_quarter(packets, 1.0)
    }

    fn warning_at_a_quarter(packets: usize, weight: f64) -> Self {
        QueuePlan::CongestionWarning { packets, threshold: (packets / 4).max(1) as f64, weight }
    }
}

/// Builds the queue of a plan before a link with a serialisation time of `time_for(bytes)`, with the randomness of that link.
pub(crate) fn build(plan: &QueuePlan, time_for: impl Fn(u32) -> Span, stream: Stream) -> TxQueue {
    TxQueue::new(discipline(plan, time_for, stream))
}

fn discipline(plan: &QueuePlan, time_for: impl Fn(u32) -> Span, stream: Stream) -> Box<dyn QueueDisc> {
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

/// Returns the queue of a packet among `queues`, for one queue per flow: flows share queues only if there are too few. The first queue is
/// for packets of no flow.
fn bucket(packet: &Packet, queues: u16) -> u16 {
    packet.flow.0.wrapping_add(1) % queues
}
