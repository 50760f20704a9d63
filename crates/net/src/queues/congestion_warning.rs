use super::drop_tail::DropTail;
use super::enqueue_policy::EnqueuePolicy;
use super::{DroppedPackets, Marker, QueueDisc};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};

/// Congestion warning (Xu, Tian and Ansari 2004): every ECN-capable packet is marked while the average queue
/// is at or above a threshold. Marking is deterministic. A burst of marks therefore indicates congestion, and
/// a loss without marks was caused by the wireless link. A packet that arrives at a full queue is dropped.
#[derive(Debug)]
pub struct CongestionWarning {
    threshold: f64,
    weight: f64,
    average: f64,
    marker: Marker,
}

impl CongestionWarning {
    /// Creates a policy that marks packets while the average queue is at least `threshold` packets. `weight`:
    /// weight of one arrival in the average.
    pub fn new(threshold: f64, weight: f64) -> Self {
        CongestionWarning { threshold, weight, average: 0.0, marker: Marker::default() }
    }

    /// Updates the average by `q_avg = (1 - w) q_avg + w q` at every arrival. Unlike in RED, the average does
    /// not decay in idle time.
    fn update_average(&mut self, waiting: usize, packet: &Id<Packet>, arena: &mut Arena<Packet>) {
        self.average += self.weight * (waiting as f64 - self.average);
        if self.average >= self.threshold {
            self.marker.mark(arena.get_mut(packet));
        }
    }
}

impl EnqueuePolicy for CongestionWarning {
    fn on_arrival(
        &mut self,
        queue: &mut DropTail,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
        _: &mut DroppedPackets,
    ) -> Option<DropCause> {
        self.update_average(queue.len(), packet, arena);
        None
    }

    fn on_unqueued(
        &mut self,
        _: Time,
        _: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        self.update_average(0, packet, arena);
        None
    }

    fn marker(&self) -> Option<&Marker> {
        Some(&self.marker)
    }
}

#[cfg(test)]
mod tests {
    use super::super::enqueue_policy::PolicedFifo;
    use super::super::testing::{Bench, Offered};
    use super::*;
    use airhop_base::Ecn;

    fn ect(packet: &mut Packet) {
        packet.ecn = Ecn::Ect0;
    }

    // With w = 0.5 and T = 2: arrivals find 0, 1, 2, 3 and 4 packets in the queue, so the average is 0, 0.5,
    // 1.25, 2.125, 3.0625.
    #[test]
    fn ecn_packets_are_marked_while_the_average_exceeds_threshold() {
        let mut bench = Bench::new(PolicedFifo::new(CongestionWarning::new(2.0, 0.5), 5));
        for _ in 0..5 {
            assert_eq!(bench.offer_with(ect), Offered::Queued);
        }
        assert_eq!(
            bench.offer_with(ect),
            Offered::Dropped(5, DropCause::Queue),
            "a full queue nevertheless drops packets"
        );
        let marks = bench.drain_packets().map(|packet| packet.ecn == Ecn::Ce);
        assert_eq!(marks.collect::<Vec<_>>(), [false, false, false, true, true]);
        // The sixth arrival finds 5 packets, so the average is 4.03. Each arrival at an empty queue halves
        // the average: a packet is marked at 2.02 and not at 1.01.
        assert_eq!((bench.pass_with(ect), bench.pass_with(ect)), (Ecn::Ce, Ecn::Ect0));
    }

    #[test]
    fn packets_without_ecn_are_not_marked() {
        let mut bench = Bench::new(PolicedFifo::new(CongestionWarning::new(1.0, 1.0), 50));
        (0..10).for_each(|_| assert_eq!(bench.offer(), Offered::Queued));
        assert!(bench.drain_packets().all(|packet| packet.ecn == Ecn::NotEct));
    }
}
