use super::drop_tail::DropTail;
use super::{DroppedPackets, Marker, QueueDisc, QueueEntry};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};
use std::fmt::Debug;

/// Policy for arrivals at a drop-tail queue. The policy may mark or drop an arriving packet, or drop a queued
/// packet to make room for it.
pub trait EnqueuePolicy: Debug + Send {
    /// Handles an arriving packet. Returns the cause if the policy drops the packet. If `None`, the packet is
    /// offered to the queue, and may be dropped there. Queued packets that the policy drops are added to
    /// `dropped`.
    fn on_arrival(
        &mut self,
        queue: &mut DropTail,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<DropCause>;

    /// Handles a packet that passes without queueing; see [`QueueDisc::pass_unqueued`].
    fn on_unqueued(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        let _ = (now, idle_since, packet, arena);
        None
    }

    /// Returns the marker; see [`QueueDisc::marker`].
    fn marker(&self) -> Option<&Marker> {
        None
    }
}

/// Drop-tail queue with an [`EnqueuePolicy`] for its arrivals.
#[derive(Debug)]
pub struct PolicedFifo<D> {
    pub policy: D,
    queue: DropTail,
}

impl<D: EnqueuePolicy> PolicedFifo<D> {
    /// Creates a queue of `capacity` packets with the policy `policy` for arrivals.
    pub fn new(policy: D, capacity: usize) -> Self {
        PolicedFifo { policy, queue: DropTail::new(capacity) }
    }
}

impl<D: EnqueuePolicy> QueueDisc for PolicedFifo<D> {
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) {
        match self.policy.on_arrival(&mut self.queue, &packet.id, arena, dropped) {
            Some(why) => dropped.push((packet, why)),
            None => self.queue.push(now, packet, arena, dropped),
        }
    }

    fn pass_unqueued(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        self.policy.on_unqueued(now, idle_since, packet, arena)
    }

    fn pop(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<QueueEntry> {
        self.queue.pop(now, arena, dropped)
    }

    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        self.queue.remove_first(matches)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.queue.any_waiting(matches)
    }

    fn len(&self) -> usize {
        self.queue.len()
    }

    fn capacity(&self) -> usize {
        self.queue.capacity()
    }

    fn marker(&self) -> Option<&Marker> {
        self.policy.marker()
    }
}
