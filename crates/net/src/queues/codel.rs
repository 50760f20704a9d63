use super::fifo::{Fifo, FifoEntry};
use super::{DroppedPackets, Marker, QueueDisc, QueueEntry};
use airhop_base::{DropCause, Packet, Span, Time};
use airhop_engine::{Arena, Id};

/// Parameters of CoDel (RFC 8289).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CodelPlan {
    /// Capacity in packets.
    pub capacity_packets: usize,
    /// Acceptable standing queueing delay.
    pub target_delay: Span,
    /// Time for which the sojourn time must exceed `target_delay` before the first drop or mark. Approximately the
    /// longest RTT.
    pub interval: Span,
    /// True if ECN-capable packets are marked instead of dropped.
    pub ecn: bool,
}

/// CoDel, controlled delay (RFC 8289). Drops begin at the head once all sojourn times have exceeded `target_delay`
/// for an `interval`. The drop rate increases until a sojourn time is below `target_delay`. A packet that arrives
/// at a full queue is dropped.
#[derive(Debug)]
pub struct Codel {
    fifo: Fifo,
    law: CodelState,
    /// Length of the longest packet so far, bytes, in place of the MTU (RFC 8289 §4.1).
    mtu: u32,
    capacity: usize,
    marker: Marker,
}

impl CodelPlan {
    /// Constants of RFC 8289 §4.2 and §4.3, with the capacity of Linux 6.
    pub const RFC8289: CodelPlan = CodelPlan {
        capacity_packets: 1000,
        target_delay: Span::from_millis(5),
        interval: Span::from_millis(100),
        ecn: false,
    };
}

impl Codel {
    /// Creates an empty queue.
    pub fn new(plan: CodelPlan) -> Self {
        Codel {
            fifo: Fifo::default(),
            law: CodelState::new(plan),
            mtu: 0,
            capacity: plan.capacity_packets,
            marker: Marker::default(),
        }
    }
}

impl QueueDisc for Codel {
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) {
        if self.fifo.len() >= self.capacity {
            return dropped.push((packet, DropCause::Queue));
        }
        self.mtu = self.mtu.max(arena.get(&packet.id).bytes);
        self.fifo.push(now, packet, arena);
    }

    fn pass_unqueued(
        &mut self,
        _: Time,
        _: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        self.mtu = self.mtu.max(arena.get(packet).bytes);
        self.law.reset();
        None
    }

    fn pop(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<QueueEntry> {
        let next = self.law.pop(now, &mut self.fifo, i64::from(self.mtu), arena, dropped, &mut self.marker);
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
        self.capacity
    }

    fn marker(&self) -> Option<&Marker> {
        self.law.plan.ecn.then_some(&self.marker)
    }
}

/// State of CoDel for one queue, and its control law (RFC 8289 §5).
#[derive(Debug)]
pub struct CodelState {
    plan: CodelPlan,
    /// Time when drops begin if the sojourn time stays above the target; `None` while the sojourn time is
    /// below the target.
    above_from: Option<Time>,
    dropping: bool,
    /// Time of the next drop while `dropping`. Otherwise approximately the time of the last drop.
    drop_next: Time,
    /// Number of drops since the state `dropping` began, plus a start value that depends on the previous
    /// dropping period.
    count: u32,
    /// Start value of `count` in the last dropping period.
    count_before: u32,
}

/// Packet removed from the head. The boolean is true if the sojourn time has exceeded the target for an
/// interval.
type Head = (Option<FifoEntry>, bool);

impl CodelState {
    /// Creates the law for an empty queue.
    pub fn new(plan: CodelPlan) -> Self {
        let (drop_next, count, count_before) = (Time::ZERO, 0, 0);
        CodelState { plan, above_from: None, dropping: false, drop_next, count, count_before }
    }

    /// Resets the state. Called when the queue is empty or a packet passes without queueing.
    pub fn reset(&mut self) {
        self.above_from = None;
        self.dropping = false;
    }

    /// Removes the next packet (RFC 8289 §5.5). No packet is dropped if at most `reserve` bytes remain in the
    /// queue. If several queues share a link, the bytes in the other queues reduce `reserve`, possibly below
    /// zero (§4.4).
    ///
    /// Congestion is signalled by a drop, or by a mark if the packet is ECN-capable. A marked packet is sent,
    /// and ends the signalling at this departure.
    pub fn pop(
        &mut self,
        now: Time,
        fifo: &mut Fifo,
        reserve: i64,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
        marker: &mut Marker,
    ) -> Option<FifoEntry> {
        let (mut next, mut is_late) = self.pop_head(now, fifo, reserve);
        if self.dropping {
            // In a long queue several drops may be due at one departure.
            while is_late && now >= self.drop_next {
                self.count += 1;
                let waiting = self.drop_or_mark(next, arena, dropped, marker);
                if waiting.is_some() {
                    self.drop_next = self.next_drop_after(self.drop_next);
                    return waiting;
                }
                (next, is_late) = self.pop_head(now, fifo, reserve);
                if is_late {
                    self.drop_next = self.next_drop_after(self.drop_next);
                }
            }
            self.dropping = is_late;
        } else if is_late {
            self.enter_dropping(now);
            let waiting = self.drop_or_mark(next, arena, dropped, marker);
            return waiting.or_else(|| self.pop_head(now, fifo, reserve).0);
        }
        next
    }

    /// Enters the state `dropping`. If the previous dropping period was recent, drops begin almost at the
    /// rate at which that period ended.
    fn enter_dropping(&mut self, now: Time) {
        let dropped_then = self.count - self.count_before;
        let is_recent = now.since(self.drop_next) < self.plan.interval * 16;
        self.count = if is_recent { dropped_then.max(1) } else { 1 };
        self.count_before = self.count;
        self.drop_next = self.next_drop_after(now);
        self.dropping = true;
    }

    /// Returns the time of the next drop after `then` (RFC 8289 §5.6). The interval between drops is
    /// inversely proportional to the square root of the drop count. The throughput of a TCP flow then
    /// decreases linearly.
    fn next_drop_after(&self, then: Time) -> Time {
        then + Span::from_secs_f64(self.plan.interval.secs_f64() / f64::from(self.count).sqrt())
    }

    /// Removes the packet at the head, and compares its sojourn time with the target.
    fn pop_head(&mut self, now: Time, fifo: &mut Fifo, reserve: i64) -> Head {
        let Some(head) = fifo.pop() else {
            self.above_from = None;
            return (None, false);
        };
        if now - head.arrival_time < self.plan.target_delay || fifo.queued_bytes() as i64 <= reserve {
            self.above_from = None;
            return (Some(head), false);
        }
        let above_from = *self.above_from.get_or_insert(now + self.plan.interval);
        (Some(head), now >= above_from)
    }

    /// Drops the packet and returns `None`, or marks and returns the packet.
    fn drop_or_mark(
        &self,
        waiting: Option<FifoEntry>,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
        marker: &mut Marker,
    ) -> Option<FifoEntry> {
        let waiting = waiting?;
        if self.plan.ecn && marker.mark(arena.get_mut(&waiting.packet.id)) {
            return Some(waiting);
        }
        dropped.push((waiting.packet, DropCause::Aqm));
        None
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Offered, number};
    use super::*;
    use airhop_base::Ecn;

    const PLAN: CodelPlan = CodelPlan {
        capacity_packets: 1000,
        target_delay: Span::from_millis(5),
        interval: Span::from_millis(100),
        ecn: false,
    };

    /// Link that transmits a packet every millisecond.
    struct Link {
        bench: Bench<Codel>,
        ms: u64,
    }

    impl Link {
        fn new(plan: CodelPlan) -> Self {
            Link { bench: Bench::new(Codel::new(plan)), ms: 0 }
        }

        fn offer(&mut self, packets: usize) {
            self.bench.now = Time::ZERO + Span::from_millis(self.ms);
            (0..packets).for_each(|_| assert_eq!(self.bench.offer(), Offered::Queued));
        }

        /// Runs until `end` (in ms) with `packets` arrivals per millisecond. Returns the drop times in ms.
        fn run(&mut self, end: u64, packets: usize) -> Vec<u64> {
            let mut drops = Vec::new();
            while self.ms < end {
                self.offer(packets);
                self.bench.next();
                for (_, why) in self.bench.dropped() {
                    assert_eq!(why, DropCause::Aqm);
                    drops.push(self.ms);
                }
                self.ms += 1;
            }
            drops
        }
    }

    // RFC 8289 §5.5 and §5.6: 20 packets are queued, and arrivals equal departures. From 5 ms on, each packet
    // has a sojourn time of at least 5 ms. The first packet is dropped 100 ms later. Further drops follow at
    // intervals of 100 ms / √n: 205, 275.7, 333.4, 383.4, 428.2.
    #[test]
    fn codel_drops_after_an_interval_at_inverse_root_gaps() {
        let mut link = Link::new(PLAN);
        link.offer(20);
        assert_eq!(link.run(430, 1), [105, 205, 276, 334, 384, 429]);
    }

    // RFC 8289 §5.5: a packet with a sojourn time below the target ends the state `dropping`. The state
    // starts again after an interval above the target.
    #[test]
    fn a_sojourn_time_below_target_ends_dropping() {
        let mut link = Link::new(PLAN);
        link.offer(20);
        assert_eq!(link.run(290, 1), [105, 205, 276]);
        assert_eq!(link.run(310, 0), [], "the queue runs empty");
        link.offer(20);
        assert_eq!(link.run(310 + 105, 1), []);
    }

    // RFC 8289 §5.5: the last state `dropping` had three drops, two of them after its first drop. If the next
    // state starts within 16 intervals, it starts with a count of two, so its second drop follows the first
    // after 100 ms / √2. Otherwise the count starts at one.
    #[test]
    fn codel_resumes_dropping_soon_after_at_a_count_of_two() {
        for (pause, second) in [(1_000, 71), (1_500, 71), (1_700, 100), (60_000, 100)] {
            let mut link = Link::new(PLAN);
            link.offer(20);
            assert_eq!(link.run(290, 1), [105, 205, 276]);
            link.run(290 + pause, 0);
            link.offer(20);
            let begin = link.ms;
            let drops = link.run(begin + 210, 1);
            assert_eq!(drops[..2], [begin + 105, begin + 105 + second], "{pause} ms later");
        }
    }

    // RFC 8289 §4.1: whatever the sojourn time, no packet is dropped if not more than one longest packet
    // would remain in the queue.
    #[test]
    fn codel_does_not_drop_the_last_packet_of_the_queue() {
        for (waiting, dropped) in [(1, 0), (2, 1)] {
            let mut bench = Bench::new(Codel::new(PLAN));
            (0..waiting).for_each(|_| assert_eq!(bench.offer(), Offered::Queued));
            let mut drops = 0;
            for round in 1..=11 {
                assert_eq!(bench.offer(), Offered::Queued);
                bench.now = Time::ZERO + Span::from_millis(10 * round);
                bench.next();
                drops += bench.dropped().len();
            }
            assert_eq!(drops, dropped, "{waiting} packets remain");
        }
    }

    // RFC 8290 §5.2.6: with ECN a mark takes the place of a drop, at the same time.
    #[test]
    fn codel_marks_ecn_capable_packets_instead_of_dropping() {
        let mut bench = Bench::new(Codel::new(CodelPlan { ecn: true, ..PLAN }));
        let ect = |packet: &mut Packet| packet.ecn = Ecn::Ect0;
        (0..20).for_each(|_| assert_eq!(bench.offer_with(ect), Offered::Queued));
        let mut marked = Vec::new();
        for ms in 0..430 {
            bench.now = Time::ZERO + Span::from_millis(ms);
            bench.offer_with(ect);
            let packet = bench.next_packet().expect("one packet is queued");
            assert_eq!(number(&packet), ms, "no packet is missing");
            if packet.ecn == Ecn::Ce {
                marked.push(ms);
            }
        }
        assert_eq!(marked, [105, 205, 276, 334, 384, 429]);
        assert_eq!(bench.dropped(), []);
    }

    // RFC 8289 §5.4: a packet that arrives at a full queue is dropped, whatever the sojourn times.
    #[test]
    fn a_full_codel_queue_drops_arrivals() {
        let mut bench = Bench::new(Codel::new(CodelPlan { capacity_packets: 3, ..PLAN }));
        let offers: Vec<_> = (0..4).map(|_| bench.offer()).collect();
        assert_eq!(offers[2..], [Offered::Queued, Offered::Dropped(3, DropCause::Queue)]);
        assert_eq!(bench.drain(), [0, 1, 2]);
    }
}
