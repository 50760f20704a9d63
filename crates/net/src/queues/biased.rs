use super::drop_tail::DropTail;
use super::{Dropped, QueueDisc};
use airhop_base::{Drop, Packet, Profile, Time};
use airhop_engine::{Arena, Id};

/// Biased queue management (Biaz and Vaidya 2005): first in, first out, but when the queue is full a packet marked "in" takes the
/// place of the newest one that is marked "out".
///
/// A full queue so loses "out" packets more often than a wireless link does, which strikes both alike: from which of its packets
/// were lost a sender tells the cause.
#[derive(Debug)]
pub struct Biased(DropTail);

impl Biased {
    /// A queue for `capacity` waiting packets.
    pub fn new(capacity: usize) -> Self {
        Biased(DropTail::new(capacity))
    }
}

impl QueueDisc for Biased {
    fn push(&mut self, now: Time, packet: Id<Packet>, arena: &mut Arena<Packet>, dropped: &mut Dropped) {
        if self.0.len() >= self.0.capacity()
            && arena.get(&packet).profile == Profile::In
            && let Some(out) = self.0.take_newest(|waiting| arena.get(waiting).profile == Profile::Out)
        {
            dropped.push((out, Drop::Queue));
        }
        self.0.push(now, packet, arena, dropped);
    }

    fn pop(&mut self, now: Time, arena: &mut Arena<Packet>, dropped: &mut Dropped) -> Option<Id<Packet>> {
        self.0.pop(now, arena, dropped)
    }

    fn take_out(&mut self, is_so: &dyn Fn(&Id<Packet>) -> bool) -> Option<Id<Packet>> {
        self.0.take_out(is_so)
    }

    fn any(&self, is_so: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.0.any(is_so)
    }

    fn len(&self) -> usize {
        self.0.len()
    }

    fn capacity(&self) -> usize {
        self.0.capacity()
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Offered};
    use super::*;

    // Biaz and Vaidya 2005: an "in" packet that finds the queue full takes the place of an "out" packet, the newest first
    // (schemes.md 2.13); an "out" packet never does.
    #[test]
    fn the_newest_out_packet_makes_room() {
        let mut bench = Bench::new(Biased::new(3));
        let out = |packet: &mut Packet| packet.profile = Profile::Out;
        for set in [out as fn(&mut Packet), |_| {}, out] {
            assert_eq!(bench.offer_with(set), Offered::Queued);
        }
        assert_eq!(bench.offer_with(out), Offered::Dropped(3, Drop::Queue), "an out packet makes nobody go");
        assert_eq!(bench.offer(), Offered::Dropped(2, Drop::Queue), "the newer of two");
        assert_eq!(bench.offer(), Offered::Dropped(0, Drop::Queue), "then the other");
        assert_eq!(bench.offer(), Offered::Dropped(6, Drop::Queue), "only in packets are left");
        assert_eq!(bench.drain(), [1, 4, 5], "first in, first out");
    }
}
