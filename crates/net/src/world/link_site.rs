//! `RunningLink`: interface to a link of any type during the run.

use crate::link::Link;
use crate::queues::{DroppedPackets, QueueState, TxQueue};
use crate::routing::Hop;
use airhop_base::{AccessCategory, NodeId, Time};

/// Link of any type, with its queues, during the run.
pub(crate) trait RunningLink {
    /// Returns the number of packets in the link and its queues.
    fn packet_count(&self) -> usize;
    /// Returns the nodes at the start and the end of a hop.
    fn end_nodes(&self, hop: Hop) -> [NodeId; 2];
    /// Returns the recorder index of a hop.
    fn place_index(&self, hop: Hop) -> u32;
    /// Returns the length and capacity (in packets) of the queue before a hop. In a cell with EDCA, the queue
    /// is that of the access category.
    fn queue_length_and_capacity(&self, hop: Hop, category: AccessCategory, now: Time) -> (usize, usize);
    /// Returns the queue before a hop; `None` if agents may not read the queue. In a cell with EDCA, returns
    /// the queue of the access category.
    fn queue(&self, hop: Hop, category: AccessCategory) -> Option<&TxQueue>;
    /// Calls `show` for each queue, with the queue's name and state.
    fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState));
    /// Ends the warm-up. Only packets that leave a queue later count in the sojourn times.
    fn end_warm_up(&mut self);
    /// Drops all packets in the queues before a hop.
    fn clear_queue(&mut self, hop: Hop, dropped: &mut DroppedPackets);
    /// Returns the indices of the agents subscribed to the fades of a hop.
    fn fade_subscribers(&self, hop: Hop) -> &[u16];
    /// Subscribes an agent to the fades of a hop. Has no effect if the link layer does not detect fades.
    fn subscribe_to_fades(&mut self, hop: Hop, agent: u16);
}

impl RunningLink for Link {
    fn packet_count(&self) -> usize {
        Link::packet_count(self)
    }

    fn end_nodes(&self, _: Hop) -> [NodeId; 2] {
        [self.from, self.to]
    }

    fn place_index(&self, _: Hop) -> u32 {
        self.trace.place_index
    }

    fn queue_length_and_capacity(&self, _: Hop, _: AccessCategory, now: Time) -> (usize, usize) {
        (Link::queued_packets(self, now), self.capacity())
    }

    fn queue(&self, _: Hop, _: AccessCategory) -> Option<&TxQueue> {
        None // packets for an idle serialiser are not queued
    }

    fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState)) {
        show(&self.name, self.queue_state());
    }

    fn end_warm_up(&mut self) {
        Link::end_warm_up(self);
    }

    fn clear_queue(&mut self, _: Hop, dropped: &mut DroppedPackets) {
        Link::clear_queue(self, dropped);
    }

    fn fade_subscribers(&self, _: Hop) -> &[u16] {
        &[]
    }

    fn subscribe_to_fades(&mut self, _: Hop, _: u16) {}
}
