use super::drop_tail::DropTail;
use super::enqueue_policy::EnqueuePolicy;
use super::{DroppedPackets, QueueDisc};
use airhop_base::{DropCause, Packet, Profile};
use airhop_engine::{Arena, Id};

/// Biased queue management (Biaz and Vaidya 2005): a FIFO queue. If the queue is full, an arriving packet
/// marked "in" replaces the newest packet marked "out".
///
/// A full queue therefore drops mostly "out" packets, whereas a wireless link loses both kinds with equal
/// probability. The sender infers the cause of its losses from the marks of the lost packets.
#[derive(Debug)]
pub struct Biased;

impl EnqueuePolicy for Biased {
    fn on_arrival(
        &mut self,
        queue: &mut DropTail,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<DropCause> {
        if queue.len() >= queue.capacity()
            && arena.get(packet).profile == Profile::In
            && let Some(out) = queue.take_newest(|waiting| arena.get(waiting).profile == Profile::Out)
        {
            dropped.push((out, DropCause::Queue));
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::enqueue_policy::PolicedFifo;
    use super::super::testing::{Bench, Offered};
    use super::*;

    // Biaz and Vaidya 2005: at a full queue an arriving "in" packet replaces the newest "out" packet, and an
    // arriving "out" packet is dropped.
    #[test]
    fn an_in_packet_replaces_the_newest_out_packet() {
        let mut bench = Bench::new(PolicedFifo::new(Biased, 3));
        let out = |packet: &mut Packet| packet.profile = Profile::Out;
        for set in [out as fn(&mut Packet), |_| {}, out] {
            assert_eq!(bench.offer_with(set), Offered::Queued);
        }
        assert_eq!(
            bench.offer_with(out),
            Offered::Dropped(3, DropCause::Queue),
            "an \"out\" packet does not replace a packet"
        );
        assert_eq!(bench.offer(), Offered::Dropped(2, DropCause::Queue), "the newer of two packets");
        assert_eq!(bench.offer(), Offered::Dropped(0, DropCause::Queue), "then the older packet");
        assert_eq!(bench.offer(), Offered::Dropped(6, DropCause::Queue), "only \"in\" packets remain");
        assert_eq!(bench.drain(), [1, 4, 5], "first in, first out");
    }
}
