use super::drop_tail::DropTail;
use super::enqueue_policy::EnqueuePolicy;
use super::{DroppedPackets, Marker, QueueDisc};
use airhop_base::{DropCause, Packet, Span, Time};
use airhop_engine::{Arena, Id, RandomStream};

/// Parameters of random early detection.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RedPlan {
    /// Queue capacity in packets.
    pub capacity_packets: usize,
    /// Minimum threshold of the average queue in packets. At or above this average, packets are dropped or
    /// marked with some probability.
    pub min_threshold: f64,
    /// Maximum threshold of the average queue in packets, greater than `min`. The probability reaches `max_p`
    /// at this average.
    pub max_threshold: f64,
    /// Probability of a drop or mark at an average just below `max`.
    pub max_p: f64,
    /// Weight of one arrival in the average, (0, 1].
    pub weight: f64,
    /// True if the probability grows from `max_p` at `max` to 1 at twice `max`. False if the probability is 1
    /// from `max` on.
    pub gentle: bool,
    /// True if ECN-capable packets are marked instead of dropped (RFC 3168).
    pub ecn: bool,
    /// Typical packet length in bytes. While the link is idle, the average decays as if packets of this
    /// length arrived back to back.
    pub mean_packet_bytes: u32,
}

/// Random early detection (Floyd and Jacobson 1993).
///
/// The average queue determines the probability that an arriving packet is dropped or marked. The probability
/// is 0 below `min` and grows to `max_p` between `min` and `max`. From `max` on the probability is 1. With
/// `gentle` the probability instead grows from `max_p` at `max` to 1 at twice `max` (Floyd 2000). An
/// ECN-capable packet is marked instead of dropped while the probability is below 1 (RFC 3168 §5). At a
/// probability of 1 the packet is dropped, to control senders that ignore marks (RFC 3168 §7).
#[derive(Debug)]
pub struct Red {
    plan: RedPlan,
    /// Serialisation time of a packet of the typical length.
    packet_time: Span,
    average: f64,
    /// Number of packets since the last drop or mark.
    count: u32,
    stream: RandomStream,
    marker: Marker,
}

/// Decision on an arriving packet.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Decision {
    Nothing,
    Early,
    Forced,
}

impl Red {
    /// Creates the policy of a queue. `packet_time`: serialisation time of a packet of the typical length.
    pub fn new(plan: RedPlan, packet_time: Span, stream: RandomStream) -> Self {
        Red { plan, packet_time, average: 0.0, count: 0, stream, marker: Marker::default() }
    }

    /// Handles an arriving packet. Returns the cause if the packet is dropped. If `None`, the packet is
    /// queued and may have been marked.
    fn drop_or_mark(&mut self, packet: &Id<Packet>, arena: &mut Arena<Packet>) -> Option<DropCause> {
        match self.decide() {
            Decision::Nothing => None,
            Decision::Early if self.plan.ecn && self.marker.mark(arena.get_mut(packet)) => None,
            Decision::Early | Decision::Forced => Some(DropCause::Aqm),
        }
    }

    fn decide(&mut self) -> Decision {
        let count = std::mem::take(&mut self.count);
        let Some(p) = self.probability() else { return Decision::Nothing };
        if p >= 1.0 {
            return Decision::Forced;
        }
        // Floyd and Jacobson 1993 §7, method 2: p_a = p_b / (1 - count p_b). The distance between two drops
        // or marks is then uniform in {1, …, 1/p_b}, not geometric.
        let rest = 1.0 - f64::from(count) * p;
        if self.stream.uniform() * rest < p {
            return Decision::Early;
        }
        self.count = count + 1;
        Decision::Nothing
    }

    /// Returns p_b, the probability at the present average; `None` if the average is below `min`.
    fn probability(&self) -> Option<f64> {
        let RedPlan { min_threshold: min, max_threshold: max, max_p, gentle, .. } = self.plan;
        if self.average < min {
            None
        } else if self.average < max {
            Some(max_p * (self.average - min) / (max - min))
        } else if gentle && self.average < 2.0 * max {
            Some(max_p + (1.0 - max_p) * (self.average - max) / max)
        } else {
            Some(1.0)
        }
    }
}

impl EnqueuePolicy for Red {
    fn on_arrival(
        &mut self,
        queue: &mut DropTail,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
        _: &mut DroppedPackets,
    ) -> Option<DropCause> {
        self.average += self.plan.weight * (queue.len() as f64 - self.average);
        self.drop_or_mark(packet, arena)
    }

    /// Decays the average over the idle time (Floyd and Jacobson 1993 §4), as if packets of typical length
    /// had arrived at the empty queue.
    fn on_unqueued(
        &mut self,
        now: Time,
        idle_since: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        let missed = (now - idle_since).secs_f64() / self.packet_time.secs_f64();
        self.average *= libm::pow(1.0 - self.plan.weight, missed);
        self.drop_or_mark(packet, arena)
    }

    fn marker(&self) -> Option<&Marker> {
        self.plan.ecn.then_some(&self.marker)
    }
}

#[cfg(test)]
mod tests {
    use super::super::enqueue_policy::PolicedFifo;
    use super::super::testing::{Bench, Offered};
    use super::*;
    use airhop_base::Ecn;
    use airhop_engine::RandomStreams;

    const PLAN: RedPlan = RedPlan {
        capacity_packets: 50,
        min_threshold: 5.0,
        max_threshold: 15.0,
        max_p: 0.1,
        weight: 0.002,
        gentle: true,
        ecn: true,
        mean_packet_bytes: 500,
    };

    fn red(plan: RedPlan) -> Red {
        Red::new(plan, Span::from_millis(1), RandomStreams::new(1, 0).stream("red"))
    }

    /// Returns a policy with the given average queue, which does not change.
    fn at(average: f64, plan: RedPlan) -> Red {
        let mut red = red(RedPlan { weight: 0.0, ..plan });
        red.average = average;
        red
    }

    fn bench(red: Red) -> Bench<PolicedFifo<Red>> {
        let packets = red.plan.capacity_packets;
        Bench::new(PolicedFifo::new(red, packets))
    }

    fn ect(packet: &mut Packet) {
        packet.ecn = Ecn::Ect0;
    }

    #[test]
    fn red_mark_probability_grows_with_the_average_queue() {
        let share = |average, gentle| at(average, RedPlan { gentle, ..PLAN }).probability();
        assert_eq!((share(4.99, true), share(5.0, true)), (None, Some(0.0)));
        assert!((share(10.0, true).expect("above min") - 0.05).abs() < 1e-12);
        assert_eq!((share(15.0, true), share(15.0, false)), (Some(0.1), Some(1.0)));
        assert!((share(22.5, true).expect("above min") - 0.55).abs() < 1e-12);
        assert_eq!((share(30.0, true), share(1e9, false)), (Some(1.0), Some(1.0)));
    }

    // Floyd and Jacobson 1993 §7, method 2: distances between marks are uniform in {1, …, 1/p_b}. At p_b =
    // 0.05 their mean is 10.5 packets, and none exceeds 20. Geometric distances would have a mean of 20.
    #[test]
    fn gaps_between_red_marks_are_uniform() {
        let mut red = at(10.0, PLAN);
        let mut gaps = [0_u32; 21];
        let mut gap = 0;
        for _ in 0..200_000 {
            gap += 1;
            if red.decide() == Decision::Early {
                gaps[gap] += 1;
                gap = 0;
            }
        }
        // 19 047 distances in 20 classes: chi-square test with 19 degrees of freedom, 99.99 % quantile 53.
        let all: f64 = gaps.iter().map(|&n| f64::from(n)).sum();
        let chi2: f64 = gaps[1..].iter().map(|&n| (f64::from(n) - all / 20.0).powi(2) / (all / 20.0)).sum();
        assert!(chi2 < 53.0, "{gaps:?}");
    }

    // The average q_avg is a low-pass filter of the queue with gain w (Floyd and Jacobson 1993 §4). An idle
    // time t multiplies it by (1 - w)^(t / s), where s is the serialisation time of a packet.
    #[test]
    fn the_red_average_follows_the_queue_and_decays_when_idle() {
        let mut bench = bench(red(RedPlan { min_threshold: 40.0, max_threshold: 45.0, ..PLAN }));
        (0..50).for_each(|_| assert_eq!(bench.offer(), Offered::Queued));
        let expected = (0..50).fold(0.0, |average, q| average + 0.002 * (f64::from(q) - average));
        assert!((bench.disc.policy.average - expected).abs() < 1e-12);
        assert_eq!(bench.offer(), Offered::Dropped(50, DropCause::Queue), "full");
        assert_eq!(bench.drain().len(), 50);
        let before = bench.disc.policy.average;
        bench.idle = Span::from_millis(250);
        assert_eq!(bench.pass_with(ect), Ecn::Ect0);
        assert!((bench.disc.policy.average - before * 0.998_f64.powi(250)).abs() < 1e-12);
    }

    // An ECN-capable packet is marked instead of dropped (RFC 3168 §5), but at a probability of 1 it is
    // dropped (§7).
    #[test]
    fn red_marks_an_ecn_packet_below_a_probability_of_one() {
        for (ecn, set, dropped, marked) in [
            (true, ect as fn(&mut Packet), false, true),
            (false, ect, true, false),
            (true, |_| {}, true, false),
        ] {
            let mut bench = bench(at(10.0, RedPlan { capacity_packets: 1000, ecn, ..PLAN }));
            let offers: Vec<_> = (0..1000).map(|_| bench.offer_with(set)).collect();
            let drops = offers.iter().filter(|o| matches!(o, Offered::Dropped(_, DropCause::Aqm))).count();
            let marks = bench.drain_packets().filter(|packet| packet.ecn == Ecn::Ce).count();
            // One packet in 10.5 is marked. The tolerance is five standard deviations of the count, for
            // uniform distances.
            let fits = |n: usize| n.abs_diff(95) < 27;
            assert!((fits(drops), fits(marks)) == (dropped, marked), "{drops} dropped, {marks} marked");
        }
        let mut bench = bench(at(30.0, PLAN));
        assert_eq!(bench.offer_with(ect), Offered::Dropped(0, DropCause::Aqm));
    }
}
