//! Queue disciplines.
//!
//! Each discipline has its own file, a variant of [`QueuePlan`] with its parameters, and an arm of
//! `discipline`. A discipline that acts only on arrivals is an
//! `EnqueuePolicy` of a drop-tail queue.

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
mod waits;

use crate::delays::DelaySummary;
use airhop_base::{DropCause, Packet, Span, Time};
use airhop_engine::{Arena, Id, RandomStream};
use airhop_radio::layer::StationIndex;
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
pub(crate) use tx_queue::{OfferOutcome, TxQueue};
pub(crate) use waits::SojournTimes;

/// Queue discipline.
pub(crate) trait QueueDisc: Debug + Send {
    /// Offers a packet to the discipline. The packet may be marked, and is then queued or added to `dropped`.
    /// The discipline may also drop packets that were already queued.
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    );
    /// Handles a packet that passes without queueing. The queue is empty, and the link has been free since
    /// `idle_since`. The discipline may mark the packet, or drop it and return the cause.
    fn pass_unqueued(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        let _ = (now, idle_since, packet, arena);
        None
    }
    /// Removes and returns the next packet. The discipline may mark the packet. Packets that are dropped
    /// first are added to `dropped`.
    fn pop(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<QueueEntry>;
    /// Removes and returns the first packet for which `matches` returns true, at any position in the queue.
    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry>;
    /// Passes the queued packets to `matches`, those of each flow in order, until `matches` returns true.
    /// Returns true if a packet matched.
    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool;
    /// Returns the number of queued packets.
    fn len(&self) -> usize;
    /// Returns the queue capacity in packets.
    fn capacity(&self) -> usize;
    /// Returns the marker; `None` if the discipline marks no packets.
    fn marker(&self) -> Option<&Marker> {
        None
    }
}

/// Packet in a queue.
#[derive(Debug)]
pub(crate) struct QueueEntry {
    pub id: Id<Packet>,
    /// Next station of the packet in a cell. Unused before a wired link, which leads to a single node.
    pub next_station: StationIndex,
    /// Time at which the packet was offered to the queue.
    pub offered_at: Time,
}

/// State of a queue, as results report it.
#[derive(Debug)]
pub(crate) struct QueueState<'a> {
    /// Distribution of sojourn times; `None` if no packet has left the queue.
    pub sojourn: Option<DelaySummary>,
    /// Marker; `None` if the queue marks no packets.
    pub marker: Option<&'a Marker>,
}

/// Packets that a queue drops, in order, each with its cause. The caller reuses one buffer to avoid an
/// allocation per packet.
pub(crate) type DroppedPackets = Vec<(QueueEntry, DropCause)>;

/// Queue discipline with its parameters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum QueuePlan {
    /// FIFO queue that drops arriving packets while `packets` packets are queued. The packet in service does
    /// not count.
    DropTail {
        /// Queue capacity in packets.
        packets: usize,
    },
    /// Random early detection (Floyd and Jacobson 1993).
    Red(RedPlan),
    /// Congestion warning: marks every ECN-capable packet while the average queue is at or above a threshold
    /// (Xu, Tian and Ansari 2004).
    CongestionWarning {
        /// Queue capacity in packets.
        packets: usize,
        /// Threshold of the average queue in packets.
        threshold: f64,
        /// Weight of one arrival in the average, (0, 1].
        weight: f64,
    },
    /// Drop-tail queue with biased drops: if the queue is full, an arriving packet marked "in" replaces a
    /// packet marked "out" (Biaz and Vaidya 2005).
    Biased {
        /// Queue capacity in packets.
        packets: usize,
    },
    /// CoDel: controlled delay (RFC 8289).
    Codel(CodelPlan),
    /// FQ-CoDel: one queue per flow, each with CoDel (RFC 8290).
    FqCodel(FqCodelPlan),
    /// PIE: proportional-integral control of the delay (RFC 8033).
    Pie(PiePlan),
    /// One queue per flow, served by deficit round robin (Shreedhar and Varghese 1995).
    Fq {
        /// Total capacity of all queues in packets.
        packets: usize,
        /// Quantum: bytes that a flow may send per turn.
        quantum: u32,
    },
}

impl QueuePlan {
    /// Weight of one arrival in the average of [`QueuePlan::congestion_warning`]. The value is Airhop's
    /// choice; the paper states none.
    pub const WARNING_WEIGHT: f64 = 0.2;

    /// Returns a congestion warning with a threshold at a quarter of the capacity, such as 5 of 20 packets.
    /// The threshold is Airhop's choice.
    pub fn congestion_warning(packets: usize) -> Self {
        Self::warning_at_a_quarter(packets, Self::WARNING_WEIGHT)
    }

    /// Returns DCTCP's marking (RFC 8257 §3.1): a step threshold on the instantaneous queue, at a quarter of
    /// the capacity. A capacity of one bandwidth-delay product is large enough: a threshold of a seventh of
    /// this product keeps the link busy (Alizadeh et al. 2010 §3.4).
    pub fn step_marking(packets: usize) -> Self {
        Self::warning_at_a_quarter(packets, 1.0)
    }

    fn warning_at_a_quarter(packets: usize, weight: f64) -> Self {
        QueuePlan::CongestionWarning { packets, threshold: (packets / 4).max(1) as f64, weight }
    }
}

/// Builds the queue of a plan. `time_for(bytes)`: serialisation time on the link behind the queue; `stream`:
/// random stream of this link.
pub(crate) fn build_tx_queue(
    plan: &QueuePlan,
    time_for: impl Fn(u32) -> Span,
    stream: RandomStream,
) -> TxQueue {
    TxQueue::new(build_discipline(plan, time_for, stream))
}

fn build_discipline(
    plan: &QueuePlan,
    time_for: impl Fn(u32) -> Span,
    stream: RandomStream,
) -> Box<dyn QueueDisc> {
    match *plan {
        QueuePlan::DropTail { packets } => Box::new(DropTail::new(packets)),
        QueuePlan::Red(plan) => Box::new(PolicedFifo::new(
            Red::new(plan, time_for(plan.mean_packet_bytes), stream),
            plan.capacity_packets,
        )),
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

/// Returns the index of a packet's queue among `queues` queues. Flows share a queue only if there are more
/// flows than queues. Packets without a flow use the first queue.
fn bucket(packet: &Packet, queues: u16) -> u16 {
    packet.flow.0.wrapping_add(1) % queues
}
