//! `LinkSite`: interface to a link of any type during the run.

use crate::link::Link;
use crate::queues::{Dropped, QueueState, TxQueue};
use crate::routing::Hop;
use airhop_base::{AccessCategory, NodeId, Time};

/// Link of any type, with its queues, during the run.
pub(crate) trait LinkSite {
    /// Returns the number of packets in the link and its queues.
    fn holds(&self) -> usize;
    /// Returns the nodes at the start and the end of a hop.
    fn ends(&self, hop: Hop) -> [NodeId; 2];
    /// Returns the recorder index of a hop.
    fn place(&self, hop: Hop) -> u32;
    /// Returns the length and capacity (in packets) of the queue before a hop. In a cell with EDCA, the queue
    /// is that of the access category.
    fn waiting(&self, hop: Hop, category: AccessCategory, now: Time) -> (usize, usize);
    /// Returns the queue before a hop; `None` if agents may not read the queue. In a cell with EDCA, returns
    /// the queue of the access category.
    fn queue(&self, hop: Hop, category: AccessCategory) -> Option<&TxQueue>;
    /// Calls `show` for each queue, with the queue's name and state.
    fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState));
    /// Ends the warm-up. Only packets that leave a queue later count in the sojourn times.
    fn begin_anew(&mut self);
    /// Drops all packets in the queues before a hop.
    fn clear_queue(&mut self, hop: Hop, dropped: &mut Dropped);
    /// Returns the indices of the agents subscribed to the fades of a hop.
    fn listeners(&self, hop: Hop) -> &[u16];
    /// Subscribes an agent to the fades of a hop. Has no effect if the link layer does not detect fades.
    fn listen(&mut self, hop: Hop, agent: u16);
}

impl LinkSite for Link {
    fn holds(&self) -> usize {
        Link::holds(self)
    }

    fn ends(&self, _: Hop) -> [NodeId; 2] {
        [self.from, self.to]
    }

    fn place(&self, _: Hop) -> u32 {
        self.trace.place
    }

    fn waiting(&self, _: Hop, _: AccessCategory, now: Time) -> (usize, usize) {
        (Link::waiting(self, now), self.capacity())
    }

    fn queue(&self, _: Hop, _: AccessCategory) -> Option<&TxQueue> {
        None // packets for an idle serialiser are not queued
    }

    fn for_each_queue(&self, show: &mut dyn FnMut(&str, QueueState)) {
        show(&self.name, self.state());
    }

    fn begin_anew(&mut self) {
        Link::begin_anew(self);
    }

    fn clear_queue(&mut self, _: Hop, dropped: &mut Dropped) {
        Link::clear_queue(self, dropped);
    }

    fn listeners(&self, _: Hop) -> &[u16] {
        &[]
    }

    fn listen(&mut self, _: Hop, _: u16) {}
}
