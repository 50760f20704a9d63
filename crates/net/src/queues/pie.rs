use super::fifo::Fifo;
use super::{DroppedPackets, Marker, QueueDisc, QueueEntry};
use airhop_base::{DropCause, Packet, Span, Time};
use airhop_engine::{Arena, Id, RandomStream};

/// Parameters of PIE (RFC 8033).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PiePlan {
    /// Queue capacity in packets.
    pub capacity_packets: usize,
    /// Target queueing delay: QDELAY_REF.
    pub target_delay: Span,
    /// Burst allowance, MAX_BURST: time without drops after an uncongested period.
    pub burst_allowance: Span,
    /// True if ECN-capable packets are marked instead of dropped while the drop probability is at most 0.1.
    pub ecn: bool,
}

/// PIE (RFC 8033): arriving packets are dropped with a probability that a proportional-integral controller
/// updates every 15 ms. The controller's inputs are the deviation of the queueing delay from the target, and
/// the change of the delay. Arrivals at a full queue are dropped.
///
/// The basic scheme (§4), marks (§5.1), derandomisation (§5.4) and the limit on the probability's growth
/// (§5.5) are implemented. The delay is the sojourn time of the last departed packet, from the packet's time
/// stamp (§4.3). This delay is exact even at a varying rate, as before a MAC. The alternative is an estimate
/// from the departure rate (§5.2). The estimate needs 16 kB in the queue, more than a slow link queues at the
/// target. PIE is always active: the deactivation for short queues (§5.3) is not implemented.
#[derive(Debug)]
pub struct Pie {
    fifo: Fifo,
    control: Controller,
    /// Length of the longest packet so far, bytes, in place of the typical length.
    packet: u32,
    plan: PiePlan,
    stream: RandomStream,
    marker: Marker,
}

impl PiePlan {
    /// Constants of RFC 8033 §4.2 and §4.4, with the capacity of Linux 6.
    pub const RFC8033: PiePlan = PiePlan {
        capacity_packets: 1000,
        target_delay: Span::from_millis(15),
        burst_allowance: Span::from_millis(150),
        ecn: false,
    };
}

impl Pie {
    /// Probability above which ECN-capable packets are dropped instead of marked (RFC 8033 §5.1).
    const MAX_MARK_PROBABILITY: f64 = 0.1;

    /// Creates an empty queue.
    pub fn new(plan: PiePlan, stream: RandomStream) -> Self {
        Pie {
            fifo: Fifo::default(),
            control: Controller::new(plan),
            packet: 0,
            plan,
            stream,
            marker: Marker::default(),
        }
    }

    /// Handles an arriving packet. Returns the cause if the packet is dropped. If `None`, the packet is
    /// queued and may have been marked.
    fn drop_or_mark(&mut self, packet: &Id<Packet>, arena: &mut Arena<Packet>) -> Option<DropCause> {
        self.control.restore_burst_allowance();
        self.packet = self.packet.max(arena.get(packet).bytes);
        // A queue with the bytes of at most two packets drops nothing, because the link would become idle.
        let is_short = self.fifo.queued_bytes() <= 2 * u64::from(self.packet);
        if is_short || !self.control.drops_or_marks(&mut self.stream) {
            return None;
        }
        let marks = self.plan.ecn && self.control.probability < Self::MAX_MARK_PROBABILITY;
        (!marks || !self.marker.mark(arena.get_mut(packet))).then_some(DropCause::Aqm)
    }
}

impl QueueDisc for Pie {
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) {
        self.control.catch_up(now);
        if self.fifo.len() >= self.plan.capacity_packets {
            self.control.accumulated = 0.0;
            return dropped.push((packet, DropCause::Queue));
        }
        match self.drop_or_mark(&packet.id, arena) {
            Some(why) => dropped.push((packet, why)),
            None => self.fifo.push(now, packet, arena),
        }
    }

    fn pass_unqueued(
        &mut self,
        now: Time,
        _: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        self.control.catch_up(now);
        self.control.delay = 0.0;
        self.drop_or_mark(packet, arena)
    }

    fn pop(&mut self, now: Time, _: &mut Arena<Packet>, _: &mut DroppedPackets) -> Option<QueueEntry> {
        self.control.catch_up(now);
        let next = self.fifo.pop();
        let delay = next.as_ref().map_or(Span::ZERO, |waiting| now - waiting.arrival_time);
        // If the queue is empty, the delay counts as zero.
        self.control.delay = if self.fifo.len() > 0 { delay.secs_f64() } else { 0.0 };
        next.map(|waiting| waiting.packet)
    }

    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        self.fifo.remove_first(matches).map(|waiting| waiting.packet)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.fifo.any_waiting(matches)
    }

    fn len(&self) -> usize {
        self.fifo.len()
    }

    fn capacity(&self) -> usize {
        self.plan.capacity_packets
    }

    fn marker(&self) -> Option<&Marker> {
        self.plan.ecn.then_some(&self.marker)
    }
}

/// Controller (RFC 8033 §4.2, §4.4, §5.4, §5.5). Delays are in seconds.
#[derive(Debug)]
struct Controller {
    target: f64,
    burst: Span,
    /// Probability with which an arriving packet is dropped or marked.
    probability: f64,
    /// Sum of the probabilities of all packets that arrived since the last drop or mark.
    accumulated: f64,
    /// Sojourn time of the last departed packet in seconds.
    delay: f64,
    /// Sojourn time at the last update in seconds.
    delay_before: f64,
    /// Remaining burst allowance. Packets are neither dropped nor marked until it is used up.
    burst_left: Span,
    next_update: Time,
}

impl Controller {
    /// Interval between two updates, T_UPDATE.
    const UPDATE_INTERVAL: Span = Span::from_millis(15);
    /// Increase of the probability per update, for each second of delay above the target.
    const ALPHA: f64 = 0.125;
    /// Increase of the probability per update, for each second by which the delay has grown since the last
    /// update.
    const BETA: f64 = 1.25;
    /// Scale factors of the increase (RFC 8033 §4.2), each for probabilities below a bound.
    const SCALES: [(f64, f64); 6] = [
        (0.000_001, 1.0 / 2048.0),
        (0.000_01, 1.0 / 512.0),
        (0.000_1, 1.0 / 128.0),
        (0.001, 1.0 / 32.0),
        (0.01, 1.0 / 8.0),
        (0.1, 1.0 / 2.0),
    ];

    fn new(plan: PiePlan) -> Self {
        Controller {
            target: plan.target_delay.secs_f64(),
            burst: plan.burst_allowance,
            probability: 0.0,
            accumulated: 0.0,
            delay: 0.0,
            delay_before: 0.0,
            burst_left: plan.burst_allowance,
            next_update: Time::ZERO + Self::UPDATE_INTERVAL,
        }
    }

    /// Computes all updates due by `now`. The inputs have not changed since the last packet.
    fn catch_up(&mut self, now: Time) {
        while self.next_update <= now {
            if self.has_settled() {
                let missed = (now - self.next_update).whole_multiples(Self::UPDATE_INTERVAL);
                self.next_update += Self::UPDATE_INTERVAL * missed;
            } else {
                self.update();
            }
            self.next_update += Self::UPDATE_INTERVAL;
        }
    }

    /// True if further updates would change nothing.
    fn has_settled(&self) -> bool {
        let is_bounded = match self.delay < self.target {
            true => self.probability == 0.0,
            false => self.probability == 1.0,
        };
        is_bounded && self.delay == self.delay_before && self.burst_left == Span::ZERO
    }

    fn update(&mut self) {
        let step = Self::ALPHA * (self.delay - self.target) + Self::BETA * (self.delay - self.delay_before);
        let scale = Self::SCALES.iter().find(|(below, _)| self.probability < *below);
        self.probability += match scale {
            Some((_, scale)) => step * scale,
            // RFC 8033 §5.5: a single flow in slow start must not raise the probability by a large step.
            None => step.min(0.02),
        };
        if self.delay == 0.0 && self.delay_before == 0.0 {
            self.probability *= 0.98;
        }
        self.probability = self.probability.clamp(0.0, 1.0);
        self.delay_before = self.delay;
        self.burst_left = self.burst_left.saturating_sub(Self::UPDATE_INTERVAL);
    }

    /// Restores the burst allowance if congestion has ended (§4.4).
    fn restore_burst_allowance(&mut self) {
        if self.probability == 0.0 && self.delay.max(self.delay_before) < self.target / 2.0 {
            self.burst_left = self.burst;
        }
    }

    /// Returns true if the arriving packet is to be dropped or marked. Always false during a burst allowance,
    /// or if the delay is below half the target and the probability below 0.2 (§4.1). Otherwise the choice is
    /// random, with a minimum and a maximum distance between drops (§5.4).
    fn drops_or_marks(&mut self, stream: &mut RandomStream) -> bool {
        let is_harmless = self.delay_before < self.target / 2.0 && self.probability < 0.2;
        if self.burst_left > Span::ZERO || is_harmless {
            return false;
        }
        if self.probability == 0.0 {
            self.accumulated = 0.0;
        }
        self.accumulated += self.probability;
        let is_chosen =
            self.accumulated >= 0.85 && (self.accumulated >= 8.5 || stream.uniform() < self.probability);
        if is_chosen {
            self.accumulated = 0.0;
        }
        is_chosen
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Offered};
    use super::*;
    use airhop_base::Ecn;
    use airhop_engine::RandomStreams;

    const MS: f64 = 0.001;
    const PLAN: PiePlan = PiePlan { ecn: true, ..PiePlan::RFC8033 };

    fn stream() -> RandomStream {
        RandomStreams::new(1, 0).stream("pie")
    }

    /// Returns a controller without burst allowance. Delays are in seconds.
    fn at(probability: f64, delay_before: f64, delay: f64) -> Controller {
        let calm = Controller::new(PiePlan { burst_allowance: Span::ZERO, ..PLAN });
        Controller { probability, delay_before, delay, ..calm }
    }

    fn updated(mut controller: Controller) -> f64 {
        controller.update();
        controller.probability
    }

    // RFC 8033 §4.2: a delay of 80 ms above the target adds 0.125 × 0.08 = 0.01, and an increase of the delay
    // by 4 ms adds 1.25 × 0.004 = 0.005. At a probability below 0.1 only a fraction of this sum is added, by
    // a table.
    #[test]
    fn pie_scales_its_step_to_the_drop_probability() {
        let steps = [
            (0.0, 2048.0),
            (2e-6, 512.0),
            (2e-5, 128.0),
            (2e-4, 32.0),
            (2e-3, 8.0),
            (2e-2, 2.0),
            (0.1, 1.0),
            (0.2, 1.0),
        ];
        for (probability, part) in steps {
            let steady = updated(at(probability, 95.0 * MS, 95.0 * MS));
            assert!((steady - probability - 0.01 / part).abs() < 1e-12, "{probability}: {steady}");
            let rising = updated(at(probability, 11.0 * MS, 15.0 * MS));
            assert!((rising - probability - 0.005 / part).abs() < 1e-12, "{probability}: {rising}");
        }
    }

    // RFC 8033 §5.5: at a probability of 0.1 and above, an update adds at most 0.02. §4.2: without delay the
    // probability falls by 2 % per update. The probability is never below 0 or above 1.
    #[test]
    fn pie_drop_probability_is_capped_and_decays() {
        let second = |probability| updated(at(probability, 0.015, 1.015)) - probability;
        assert!((second(0.1) - 0.02).abs() < 1e-12 && (second(0.09) - 1.375 / 2.0).abs() < 1e-12);
        assert!((updated(at(0.5, 0.0, 0.0)) - (0.5 - 0.125 * 0.015) * 0.98).abs() < 1e-12);
        assert_eq!(updated(at(0.001, 0.015, 0.0)), 0.0);
        assert_eq!(updated(at(0.999, 0.5, 0.5)), 1.0);
    }

    // The inputs do not change between packets, so the next arrival can compute all updates that are due.
    #[test]
    fn pie_computes_the_updates_due_since_the_last_packet() {
        for delay in [0.0, 15.0 * MS, 20.0 * MS, 90.0 * MS] {
            for ms in [14, 15, 100, 7_000] {
                let [mut late, mut punctual] = [0; 2].map(|_| at(0.05, 0.01, delay));
                let end = Time::ZERO + Span::from_millis(ms);
                late.catch_up(end);
                while punctual.next_update <= end {
                    punctual.update();
                    punctual.next_update += Controller::UPDATE_INTERVAL;
                }
                assert_eq!(format!("{late:?}"), format!("{punctual:?}"));
            }
        }
    }

    // RFC 8033 §4.4: in the first 150 ms after an uncongested period no packet is dropped, whatever the queue
    // length. The allowance is restored only when congestion has ended: the probability is zero, and the
    // delay is below half of the target.
    #[test]
    fn pie_drops_no_packet_in_the_first_150_ms_of_a_burst() {
        let mut pie =
            Controller { burst_left: PLAN.burst_allowance, burst: PLAN.burst_allowance, ..at(1.0, 1.0, 1.0) };
        let told_at = |pie: &mut Controller, ms| {
            pie.catch_up(Time::ZERO + Span::from_millis(ms));
            pie.restore_burst_allowance();
            pie.drops_or_marks(&mut stream())
        };
        assert!((0..150).all(|ms| !told_at(&mut pie, ms)));
        assert!(told_at(&mut pie, 150));
        (pie.probability, pie.delay_before, pie.delay) = (0.3, 7.0 * MS, 7.0 * MS);
        told_at(&mut pie, 165);
        assert_eq!(pie.burst_left, Span::ZERO, "the interval has not ended");
        pie.probability = 0.0;
        told_at(&mut pie, 166);
        assert_eq!(pie.burst_left, PLAN.burst_allowance);
    }

    // RFC 8033 §5.4: at p = 0.05 the distance between drops is at least 17 and at most 170 packets. From the
    // 17th packet on, each packet is dropped with probability 0.05, so the mean distance is 16 + 20.
    #[test]
    fn gaps_between_pie_drops_are_bounded() {
        let mut pie = at(0.05, 20.0 * MS, 20.0 * MS);
        let mut stream = stream();
        let mut gaps = Vec::new();
        let mut gap = 0_u32;
        while gaps.len() < 10_000 {
            gap += 1;
            if pie.drops_or_marks(&mut stream) {
                gaps.push(std::mem::take(&mut gap));
            }
        }
        let mean = gaps.iter().map(|&gap| f64::from(gap)).sum::<f64>() / 10_000.0;
        let [least, most] = [gaps.iter().min(), gaps.iter().max()].map(|gap| *gap.expect("gaps"));
        assert!((17..=18).contains(&least) && (140..=171).contains(&most), "{least} to {most}");
        // The standard deviation of the geometric distance is 19.5; the tolerance is five standard deviations
        // of the mean.
        assert!((mean - 36.0).abs() < 5.0 * 0.195, "{mean}");
    }

    // RFC 8033 §4.1: no packet is dropped while the delay is below half of the target and the probability
    // below 0.2.
    #[test]
    fn pie_drops_no_packet_below_half_of_the_target_delay() {
        let drops_or_marks = |probability, delay_ms: f64| {
            let mut pie = at(probability, delay_ms * MS, 20.0 * MS);
            (0..2000).any(|_| pie.drops_or_marks(&mut stream()))
        };
        assert_eq!(
            [drops_or_marks(0.19, 7.4), drops_or_marks(0.21, 7.4), drops_or_marks(0.19, 7.6)],
            [false, true, true]
        );
    }

    /// Returns a long queue with a drop probability of `probability` for the duration of a test.
    fn congested(probability: f64, plan: PiePlan) -> Bench<Pie> {
        let mut bench = Bench::new(Pie::new(plan, stream()));
        (0..3).for_each(|_| assert_eq!(bench.offer(), Offered::Queued));
        bench.disc.control = at(probability, 20.0 * MS, 20.0 * MS);
        bench
    }

    // RFC 8033 §5.1: below a probability of 0.1, packets are marked instead of dropped. §4.1: no packet is
    // marked while only two packets are queued.
    #[test]
    fn pie_marks_ecn_packets_below_a_probability_of_a_tenth() {
        let ect: fn(&mut Packet) = |packet| packet.ecn = Ecn::Ect0;
        let plain: fn(&mut Packet) = |_| {};
        for (probability, ecn, set, marks) in [
            (0.09, true, ect, true),
            (0.1, true, ect, false),
            (0.09, false, ect, false),
            (0.09, true, plain, false),
        ] {
            let mut bench = congested(probability, PiePlan { ecn, ..PLAN });
            let offers: Vec<_> = (0..900).map(|_| bench.offer_with(set)).collect();
            let drops =
                offers.iter().filter(|offer| matches!(offer, Offered::Dropped(_, DropCause::Aqm))).count();
            let marked = bench.drain_packets().filter(|packet| packet.ecn == Ecn::Ce).count();
            assert_eq!((drops == 0, marked > 0), (marks, marks), "{drops} dropped, {marked} marked");
        }
        let mut bench = congested(1.0, PLAN);
        bench.next();
        assert_eq!(bench.disc.len(), 2);
        bench.disc.control = at(1.0, 20.0 * MS, 20.0 * MS);
        assert_eq!(bench.offer(), Offered::Queued, "two packets are queued at its arrival");
        assert_eq!(
            bench.offer(),
            Offered::Dropped(4, DropCause::Aqm),
            "three packets are queued at its arrival"
        );
    }

    // RFC 8033 §4.3: the delay is the sojourn time of the last departed packet; it is zero if the queue is
    // empty.
    #[test]
    fn pie_reads_the_sojourn_time_of_the_last_packet() {
        let mut bench = Bench::new(Pie::new(PLAN, stream()));
        for ms in [0, 1, 2] {
            bench.now = Time::ZERO + Span::from_millis(ms);
            bench.offer();
        }
        let delays = [5, 9, 12].map(|ms| {
            bench.now = Time::ZERO + Span::from_millis(ms);
            bench.next();
            (bench.disc.control.delay / MS).round()
        });
        assert_eq!(delays, [5.0, 8.0, 0.0]);
    }
}
