//! What the world asks of a link at work, whatever its type.

use crate::link::Link;
use crate::queues::{Dropped, Marker, QueueDisc};
use crate::routing::Hop;
use airhop_base::{NodeId, Time};

/// A link at work.
pub(crate) trait LinkSite {
    /// Packets inside.
    fn holds(&self) -> usize;
    /// The nodes where a hop begins and ends.
    fn ends(&self, hop: Hop) -> [NodeId; 2];
    /// The place in the recorder of a hop.
    fn place(&self, hop: Hop) -> u32;
    /// Packets that wait before a hop, and how many may.
    fn waiting(&self, hop: Hop, now: Time) -> (usize, usize);
    /// The queue before a hop, if agents may look into it.
    fn queue(&self, hop: Hop) -> Option<&dyn QueueDisc>;
    /// Shows each of its queues that marks, by its name.
    fn for_each_marker(&self, show: &mut dyn FnMut(&str, &Marker));
    /// Drops all that waits before a hop.
    fn clear_queue(&mut self, hop: Hop, dropped: &mut Dropped);
    /// The agents that are to hear of the fades of a hop.
    fn listeners(&self, hop: Hop) -> &[u16];
    /// Has an agent hear of them, if its link layer knows of any.
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

    fn waiting(&self, _: Hop, now: Time) -> (usize, usize) {
        (Link::waiting(self, now), self.capacity())
    }

    fn queue(&self, _: Hop) -> Option<&dyn QueueDisc> {
        None // what is given to the serialiser at once stands in no queue
    }

    fn for_each_marker(&self, show: &mut dyn FnMut(&str, &Marker)) {
        self.marker().into_iter().for_each(|marker| show(&self.name, marker));
    }

    fn clear_queue(&mut self, _: Hop, dropped: &mut Dropped) {
        Link::clear_queue(self, dropped);
    }

    fn listeners(&self, _: Hop) -> &[u16] {
        &[]
    }

    fn listen(&mut self, _: Hop, _: u16) {}
}
