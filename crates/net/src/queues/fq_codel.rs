use super::codel::CodelPlan;
use super::codel::CodelState;
use super::fifo::{Fifo, FifoEntry};
use super::{DroppedPackets, Marker, QueueDisc, QueueEntry, bucket};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// Parameters of FQ-CoDel (RFC 8290).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FqCodelPlan {
    /// CoDel parameters of each queue. The capacity applies to all queues together.
    pub codel: CodelPlan,
    /// Quantum in bytes: amount that a queue may send per turn.
    pub quantum_bytes: u32,
    /// Number of queues. Flows share a queue if their numbers are equal modulo the number of queues.
    pub queue_count: u16,
}

/// FQ-CoDel (RFC 8290): one CoDel queue per flow. Queues are served round-robin, with a quantum of bytes per
/// turn. Flows that build no queue (sparse flows) have priority.
///
/// The flow's number determines the queue, whereas the RFC hashes addresses and ports. With at least as many
/// queues as flows, no two flows share a queue.
#[derive(Debug)]
pub struct FqCodel {
    plan: FqCodelPlan,
    queues: Vec<Queue>,
    /// New queues, which were recently empty, in the order of service.
    new: VecDeque<u16>,
    /// Old queues, in the order of their turns.
    old: VecDeque<u16>,
    len: usize,
    bytes: u64,
    /// Length of the longest packet so far, bytes, in place of the MTU (RFC 8289 §4.1).
    mtu: u32,
    marker: Marker,
}

#[derive(Debug)]
struct Queue {
    fifo: Fifo,
    law: CodelState,
    /// Bytes that the queue may still send in its turn. Negative after a packet that exceeded the credits.
    credits: i64,
    /// True if the queue is in `new` or `old`.
    is_active: bool,
}

impl FqCodel {
    /// Maximum number of packets dropped together (RFC 8290 §4.1).
    const MAX_DROP_BATCH: usize = 64;

    /// Creates the queues, all empty.
    pub fn new(plan: FqCodelPlan) -> Self {
        let (new, old) = (VecDeque::new(), VecDeque::new());
        FqCodel { plan, queues: Vec::new(), new, old, len: 0, bytes: 0, mtu: 0, marker: Marker::default() }
    }

    /// Returns the queue index of an arriving packet. Memory is allocated only for queues in use.
    fn queue_of(&mut self, packet: &Packet) -> u16 {
        self.mtu = self.mtu.max(packet.bytes);
        let i = bucket(packet, self.plan.queue_count);
        if self.queues.len() <= i as usize {
            let law = || CodelState::new(self.plan.codel);
            let empty = || Queue { fifo: Fifo::default(), law: law(), credits: 0, is_active: false };
            self.queues.resize_with(i as usize + 1, empty);
        }
        i
    }

    /// Adds an inactive queue to the new queues, with a quantum of credits (RFC 8290 §4.1).
    fn activate(&mut self, i: u16) {
        let queue = &mut self.queues[i as usize];
        if !queue.is_active {
            queue.is_active = true;
            queue.credits = i64::from(self.plan.quantum_bytes);
            self.new.push_back(i);
        }
    }

    /// Moves a queue from the front of its list to the end of the old queues. `is_new`: true if the list is
    /// `new`.
    fn move_to_old_queues(&mut self, i: u16, is_new: bool) {
        if is_new { &mut self.new } else { &mut self.old }.pop_front();
        self.old.push_back(i);
    }

    /// Drops half of the packets of the queue with the most bytes, oldest first and at most [`Self::MAX_DROP_BATCH`]
    /// (RFC 8290 §4.1).
    fn drop_from_fattest(&mut self, dropped: &mut DroppedPackets) {
        let Some(fattest) = self.queues.iter_mut().rev().max_by_key(|queue| queue.fifo.queued_bytes()) else {
            return;
        };
        let before = fattest.fifo.queued_bytes();
        let count = (fattest.fifo.len() / 2).clamp(1, Self::MAX_DROP_BATCH);
        let oldest = std::iter::from_fn(|| fattest.fifo.pop()).take(count);
        dropped.extend(oldest.map(|waiting| (waiting.packet, DropCause::Queue)));
        self.len -= count;
        self.bytes -= before - fattest.fifo.queued_bytes();
    }

    /// Removes the next packet of queue `i`, after any drops by CoDel.
    fn take_from(
        &mut self,
        i: u16,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<FifoEntry> {
        let Queue { fifo, law, credits, .. } = &mut self.queues[i as usize];
        let (len, bytes) = (fifo.len(), fifo.queued_bytes());
        let elsewhere = self.bytes - bytes;
        let next =
            law.pop(now, fifo, i64::from(self.mtu) - elsewhere as i64, arena, dropped, &mut self.marker);
        self.len -= len - fifo.len();
        self.bytes -= bytes - fifo.queued_bytes();
        *credits -= next.as_ref().map_or(0, |waiting| i64::from(waiting.bytes));
        next
    }
}

impl QueueDisc for FqCodel {
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) {
        let i = self.queue_of(arena.get(&packet.id));
        self.len += 1;
        self.bytes += u64::from(arena.get(&packet.id).bytes);
        self.queues[i as usize].fifo.push(now, packet, arena);
        self.activate(i);
        if self.len > self.plan.codel.capacity_packets {
            self.drop_from_fattest(dropped);
        }
    }

    /// Handles a packet that passes without queueing. All queues are empty and become inactive, except the
    /// packet's own queue.
    fn pass_unqueued(
        &mut self,
        _: Time,
        _: Time,
        packet: &Id<Packet>,
        arena: &mut Arena<Packet>,
    ) -> Option<DropCause> {
        for i in self.new.drain(..).chain(self.old.drain(..)) {
            let queue = &mut self.queues[i as usize];
            queue.is_active = false;
            queue.law.reset();
        }
        let packet = arena.get(packet);
        let i = self.queue_of(packet);
        self.activate(i);
        self.queues[i as usize].credits -= i64::from(packet.bytes);
        None
    }

    /// Removes the next packet (RFC 8290 §4.2). A new queue that becomes empty moves to the old queues for
    /// one more round. Otherwise the queue could become new again and again, and starve the other queues.
    fn pop(
        &mut self,
        now: Time,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) -> Option<QueueEntry> {
        loop {
            let is_new = !self.new.is_empty();
            let i = *if is_new { &self.new } else { &self.old }.front()?;
            if self.queues[i as usize].credits <= 0 {
                self.queues[i as usize].credits += i64::from(self.plan.quantum_bytes);
                self.move_to_old_queues(i, is_new);
                continue;
            }
            if let Some(next) = self.take_from(i, now, arena, dropped) {
                return Some(next.packet);
            }
            if is_new {
                self.move_to_old_queues(i, is_new);
            } else {
                self.old.pop_front();
                self.queues[i as usize].is_active = false;
            }
        }
    }

    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        let found = self.queues.iter_mut().find_map(|queue| queue.fifo.remove_first(matches))?;
        self.len -= 1;
        self.bytes -= u64::from(found.bytes);
        Some(found.packet)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.queues.iter().any(|queue| queue.fifo.any_waiting(matches))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn capacity(&self) -> usize {
        self.plan.codel.capacity_packets
    }

    fn marker(&self) -> Option<&Marker> {
        self.plan.codel.ecn.then_some(&self.marker)
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Offered};
    use super::CodelPlan;
    use super::*;
    use airhop_base::{FlowId, Span};

    const CODEL: CodelPlan = CodelPlan {
        capacity_packets: 10_240,
        target_delay: Span::from_millis(5),
        interval: Span::from_millis(100),
        ecn: true,
    };
    const PLAN: FqCodelPlan = FqCodelPlan { codel: CODEL, quantum_bytes: 1514, queue_count: 1024 };

    fn of(flow: u16, bytes: u32) -> impl Fn(&mut Packet) {
        move |packet| (packet.flow, packet.bytes) = (FlowId(flow), bytes)
    }

    /// Fills the queues. `flows[i]`: number of packets of flow `i`, and their length in bytes.
    fn waiting(plan: FqCodelPlan, flows: &[(usize, u32)]) -> Bench<FqCodel> {
        let mut bench = Bench::new(FqCodel::new(plan));
        for (flow, &(packets, bytes)) in (0..).zip(flows) {
            (0..packets).for_each(|_| assert_eq!(bench.offer_with(of(flow, bytes)), Offered::Queued));
        }
        bench
    }

    fn next_flows(bench: &mut Bench<FqCodel>, packets: usize) -> Vec<u16> {
        bench.drain_packets().take(packets).map(|packet| packet.flow.0).collect()
    }

    // RFC 8290 §4.2, with packets of 1000 bytes and a quantum of 1514. In its first turn a flow sends while
    // the credits are 1514 and 514; they are then -486, and the next turn begins with 1028. The credits go on
    // with 28 and -972, then 542 and -458. A flow therefore sends two, two and one packets in its turns.
    #[test]
    fn an_fq_codel_turn_ends_when_the_credits_are_used_up() {
        let mut bench = waiting(PLAN, &[(9, 1000), (9, 1000)]);
        assert_eq!(next_flows(&mut bench, 10), [0, 0, 1, 1, 0, 0, 1, 1, 0, 1]);
        // RFC 8290 §3: the turn ends when the credits are "zero or less".
        let mut bench = waiting(PLAN, &[(9, 1514), (9, 1514)]);
        assert_eq!(next_flows(&mut bench, 4), [0, 1, 0, 1]);
    }

    // RFC 8290 §1.3: a flow that builds no queue has priority over flows that build a queue.
    #[test]
    fn fq_codel_serves_a_sparse_flow_first() {
        let mut bench = waiting(PLAN, &[(90, 1000), (90, 1000)]);
        assert_eq!(next_flows(&mut bench, 7).len(), 7);
        bench.offer_with(of(2, 200));
        assert_eq!(next_flows(&mut bench, 1), [2]);
        // The new flow has credits left. As long as its packets arrive while it is in the list of new flows,
        // it is served first.
        bench.offer_with(of(2, 200));
        assert_eq!(next_flows(&mut bench, 1), [2]);
    }

    // Two flows send one packet at a time, in turn: each sends when the other's queue has become empty. If an
    // empty queue left the list immediately, both would always be new queues, and a third flow would starve
    // (RFC 8290 §4.2).
    #[test]
    fn an_empty_fq_codel_queue_stays_listed_for_one_round() {
        let mut bench = waiting(PLAN, &[(900, 1000)]);
        assert_eq!(next_flows(&mut bench, 2), [0, 0], "no longer a new queue");
        let mut sent = [0; 3];
        for step in 0..300 {
            bench.offer_with(of(1 + step % 2, 1000));
            sent[next_flows(&mut bench, 1)[0] as usize] += 1;
        }
        assert!(sent[0] >= 80, "{sent:?}: its share is a third of the link");
    }

    // RFC 8290 §3: flows get equal shares of bytes, not equal shares of packets.
    #[test]
    fn fq_codel_shares_bytes_equally_for_any_packet_sizes() {
        let mut bench = waiting(PLAN, &[(900, 1500), (900, 300)]);
        let mut sent = [0_u32; 2];
        for packet in bench.drain_packets().take(600) {
            sent[packet.flow.0 as usize] += packet.bytes;
        }
        assert!(sent[0].abs_diff(sent[1]) <= 1514 + 1500, "{sent:?}");
    }

    // RFC 8290 §4.1: if the buffer is full, half of the packets of the queue with the most bytes are dropped,
    // the oldest first, and at most 64 packets.
    #[test]
    fn a_full_fq_codel_buffer_drops_from_the_longest_queue() {
        let limit = |packets| FqCodelPlan { codel: CodelPlan { capacity_packets: packets, ..CODEL }, ..PLAN };
        let mut bench = waiting(limit(10), &[(6, 300), (4, 1000)]);
        assert_eq!(
            bench.offer_with(of(0, 300)),
            Offered::DroppedMany(vec![6, 7]),
            "more packets are not more bytes"
        );
        assert_eq!(bench.disc.len(), 9);
        let mut bench = waiting(limit(300), &[(300, 1000)]);
        assert_eq!(bench.offer(), Offered::DroppedMany((0..64).collect()));
        let mut bench = waiting(limit(1), &[(1, 1000)]);
        assert_eq!(bench.offer(), Offered::Dropped(0, DropCause::Queue));
        assert_eq!(bench.drain(), [1]);
    }

    /// Removes a packet every millisecond. `comes` is called before each removal, with the time and the flow
    /// of the last departure, and adds packets. Returns the number of dropped packets for each flow.
    fn drops(
        bench: &mut Bench<FqCodel>,
        ms: u64,
        comes: impl Fn(u64, u16) -> Option<(u16, u32)>,
    ) -> [usize; 40] {
        let mut drops = [0; 40];
        let mut last = 0;
        for ms in 0..ms {
            bench.now = Time::ZERO + Span::from_millis(ms);
            if let Some((flow, bytes)) = comes(ms, last) {
                bench.offer_with(of(flow, bytes));
            }
            last = bench.next_packet().expect("the link is never idle").flow.0;
            for (packet, why) in bench.dropped_packets() {
                assert_eq!(why, DropCause::Aqm);
                drops[packet.flow.0 as usize] += 1;
            }
        }
        drops
    }

    // RFC 8290 §1.3: only the flow with a long queue loses packets. One flow has 400 packets queued; packets
    // of the other flow arrive now and then.
    #[test]
    fn each_fq_codel_queue_runs_its_own_codel() {
        let mut bench = waiting(PLAN, &[(400, 1500)]);
        let drops = drops(&mut bench, 300, |ms, _| (ms % 3 == 0).then_some((1, 100)));
        assert!(drops[0] >= 3 && drops[1] == 0, "{drops:?}");
    }

    // RFC 8289 §4.4: a flow's queue may become empty while other flows have packets. Each of 30 flows has a
    // single packet in its queue, for 30 ms.
    #[test]
    fn fq_codel_keeps_one_packet_in_all_queues_together() {
        let mut bench = waiting(PLAN, &[(1, 1500); 30]);
        let drops = drops(&mut bench, 300, |ms, last| (ms > 0).then_some((last, 1500)));
        assert!(drops.iter().sum::<usize>() >= 20, "{drops:?}");
    }

    // A removed packet does not occupy the link. The last packet is not dropped, whatever its sojourn time.
    #[test]
    fn removed_packets_do_not_count_as_queued_in_fq_codel() {
        let mut bench = waiting(PLAN, &[(0, 0), (20, 1500)]);
        (0..20).for_each(|number| assert_eq!(bench.remove_first(FlowId(1)), Some(number)));
        for round in 1..=30 {
            assert_eq!(bench.offer_with(of(0, 1500)), Offered::Queued);
            bench.now = Time::ZERO + Span::from_millis(10 * round);
            assert_eq!(bench.next(), Some(19 + round));
        }
    }

    // With a single queue FQ-CoDel is CoDel (§1.3). Flows with equal numbers modulo the number of queues
    // share a queue.
    #[test]
    fn flows_share_a_queue_by_number_modulo_queue_count() {
        let two = FqCodelPlan { queue_count: 2, ..PLAN };
        let mut bench = waiting(two, &[(2, 1000), (2, 1000), (2, 1000)]);
        assert_eq!(bench.drain(), [0, 1, 2, 3, 4, 5], "0 and 2 share a queue: 0 1 | 2 3 | 4 5");
        let mut bench = waiting(two, &[(2, 1000), (0, 0), (2, 1000), (1, 1000)]);
        assert_eq!(bench.drain(), [0, 1, 4, 2, 3]);
    }

    // RFC 8290 §4.1: a packet that passes without queueing counts as the first packet of a new queue, and
    // uses credits.
    #[test]
    fn a_packet_that_bypasses_the_queue_uses_credits() {
        let mut bench = Bench::new(FqCodel::new(PLAN));
        bench.pass_with(of(0, 1000));
        for flow in [0, 0, 1] {
            bench.offer_with(of(flow, 1000));
        }
        assert_eq!(bench.drain(), [1, 3, 2]);
    }
}
