use super::fifo::Fifo;
use super::{DroppedPackets, QueueDisc, QueueEntry, bucket};
use airhop_base::{DropCause, Packet, Time};
use airhop_engine::{Arena, Id};
use std::collections::VecDeque;

/// Fair queueing by deficit round robin (Shreedhar and Varghese 1995), with one queue per flow. In each turn
/// a flow may send a quantum of bytes. If the next packet is too long, the unused bytes (deficit) are added
/// in the next turn. In the long run all saturated flows get equal shares of the link, whatever their packet
/// lengths.
///
/// If the buffer is full, the longest queue drops its newest packet (buffer stealing: McKenney 1990).
#[derive(Debug)]
pub struct Fq {
    flows: Vec<Flow>,
    /// Flows with queued packets, in the order of their turns.
    active: VecDeque<u16>,
    /// True if the first flow in `active` has received its quantum for this turn.
    has_begun: bool,
    len: usize,
    quantum: u32,
    capacity: usize,
}

#[derive(Debug, Default)]
struct Flow {
    fifo: Fifo,
    /// Bytes that the flow may still send in this turn. Between turns, the deficit.
    deficit: u32,
}

impl Fq {
    /// Creates empty queues with a total capacity of `capacity` packets and a quantum of `quantum` bytes.
    pub fn new(capacity: usize, quantum: u32) -> Self {
        let (flows, active) = (Vec::new(), VecDeque::new());
        Fq { flows, active, has_begun: false, len: 0, quantum, capacity }
    }

    /// Removes the newest packet of the flow with the longest queue.
    fn remove_newest_of_longest(&mut self) -> Option<QueueEntry> {
        let (i, longest) = self.flows.iter_mut().enumerate().rev().max_by_key(|(_, flow)| flow.fifo.len())?;
        let stolen = longest.fifo.pop_newest()?;
        self.after_removal_from(i as u16);
        Some(stolen.packet)
    }

    /// Updates the state after the removal of a packet of flow `i`. A flow without packets loses its turn and
    /// its deficit.
    fn after_removal_from(&mut self, i: u16) {
        self.len -= 1;
        let flow = &mut self.flows[i as usize];
        if flow.fifo.len() > 0 {
            return;
        }
        flow.deficit = 0;
        if self.active.front() == Some(&i) {
            self.active.pop_front();
            self.has_begun = false;
        } else {
            self.active.retain(|&other| other != i);
        }
    }
}

impl QueueDisc for Fq {
    fn push(
        &mut self,
        now: Time,
        packet: QueueEntry,
        arena: &mut Arena<Packet>,
        dropped: &mut DroppedPackets,
    ) {
        let i = bucket(arena.get(&packet.id), u16::MAX);
        if self.flows.len() <= i as usize {
            self.flows.resize_with(i as usize + 1, Flow::default);
        }
        let fifo = &mut self.flows[i as usize].fifo;
        fifo.push(now, packet, arena);
        if fifo.len() == 1 {
            self.active.push_back(i);
        }
        self.len += 1;
        if self.len > self.capacity {
            dropped.extend(self.remove_newest_of_longest().map(|packet| (packet, DropCause::Queue)));
        }
    }

    fn pop(&mut self, _: Time, _: &mut Arena<Packet>, _: &mut DroppedPackets) -> Option<QueueEntry> {
        loop {
            let i = *self.active.front()?;
            let flow = &mut self.flows[i as usize];
            if !self.has_begun {
                flow.deficit += self.quantum;
                self.has_begun = true;
            }
            match flow.fifo.next_bytes().and_then(|bytes| flow.deficit.checked_sub(bytes)) {
                Some(rest) => {
                    flow.deficit = rest;
                    let next = flow.fifo.pop();
                    self.after_removal_from(i);
                    return next.map(|waiting| waiting.packet);
                }
                None => {
                    self.active.rotate_left(1);
                    self.has_begun = false;
                }
            }
        }
    }

    fn remove_first(&mut self, matches: &dyn Fn(&QueueEntry) -> bool) -> Option<QueueEntry> {
        let mut queues = (0..).zip(&mut self.flows);
        let (i, found) = queues.find_map(|(i, flow)| Some((i, flow.fifo.remove_first(matches)?)))?;
        self.after_removal_from(i);
        Some(found.packet)
    }

    fn any_waiting(&self, matches: &mut dyn FnMut(&Id<Packet>) -> bool) -> bool {
        self.flows.iter().any(|flow| flow.fifo.any_waiting(matches))
    }

    fn len(&self) -> usize {
        self.len
    }

    fn capacity(&self) -> usize {
        self.capacity
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Bench, Offered};
    use super::*;
    use airhop_base::FlowId;

    fn of(flow: u16, bytes: u32) -> impl Fn(&mut Packet) {
        move |packet| (packet.flow, packet.bytes) = (FlowId(flow), bytes)
    }

    // Shreedhar and Varghese 1995, example with a quantum of 500 bytes: the first flow sends 200 bytes and
    // keeps a deficit of 300, so it can send packets of 750 and 20 bytes in the second round.
    #[test]
    fn a_drr_flow_keeps_the_rest_of_its_quantum() {
        let mut bench = Bench::new(Fq::new(50, 500));
        let queues: [&[u32]; 4] = [&[200, 750, 20], &[500, 500], &[100, 600, 200], &[180, 700, 50]];
        for (flow, sizes) in (0..).zip(queues) {
            sizes.iter().for_each(|&bytes| assert_eq!(bench.offer_with(of(flow, bytes)), Offered::Queued));
        }
        let sent: Vec<_> = bench.drain_packets().map(|packet| (packet.flow.0, packet.bytes)).collect();
        let first = [(0, 200), (1, 500), (2, 100), (3, 180)];
        let second = [(0, 750), (0, 20), (1, 500), (2, 600), (2, 200), (3, 700), (3, 50)];
        assert_eq!(sent, [&first[..], &second[..]].concat());
    }

    // Shreedhar and Varghese 1995, Lemma 2: of two saturated flows, one has sent more than the other by at
    // most a quantum plus twice the longest packet.
    #[test]
    fn drr_shares_bytes_equally_for_any_packet_sizes() {
        let mut bench = Bench::new(Fq::new(1000, 1500));
        let sizes = [1500, 40, 700];
        let mut sent = [0_u32; 3];
        (0..3).for_each(|flow| {
            (0..300)
                .for_each(|_| assert_eq!(bench.offer_with(of(flow, sizes[flow as usize])), Offered::Queued))
        });
        for _ in 0..200 {
            let packet = bench.next_packet().expect("all flows have packets");
            sent[packet.flow.0 as usize] += packet.bytes;
            bench.offer_with(of(packet.flow.0, packet.bytes));
            let (least, most) = (sent.iter().min(), sent.iter().max());
            assert!(most.expect("three") - least.expect("three") <= 1500 + 2 * 1500, "{sent:?}");
        }
    }

    // A flow without queued packets accumulates no deficit.
    #[test]
    fn an_empty_drr_queue_has_no_deficit() {
        let mut bench = Bench::new(Fq::new(50, 1000));
        bench.offer_with(of(0, 100));
        assert_eq!(bench.drain(), [0]);
        for flow in [0, 0, 1] {
            bench.offer_with(of(flow, 900));
        }
        assert_eq!(bench.drain(), [1, 3, 2], "one quantum, not one quantum plus 900");
    }

    // Routing messages belong to no flow, and have a queue of their own.
    #[test]
    fn routing_messages_have_their_own_drr_queue() {
        let mut bench = Bench::new(Fq::new(50, 1000));
        for flow in [FlowId(0), FlowId(0), FlowId::NONE] {
            bench.offer_with(of(flow.0, 1000));
        }
        assert_eq!(bench.drain(), [0, 2, 1]);
        assert_eq!(bench.disc.flows.len(), 2);
    }

    // McKenney 1990: a flow that fills the buffer loses only its own packets.
    #[test]
    fn a_full_drr_buffer_drops_from_the_longest_queue() {
        let mut bench = Bench::new(Fq::new(4, 1000));
        for _ in 0..3 {
            bench.offer_with(of(0, 1000));
        }
        bench.offer_with(of(1, 1000));
        assert_eq!(
            bench.offer_with(of(1, 1000)),
            Offered::Dropped(2, DropCause::Queue),
            "the newest packet of the longest queue"
        );
        assert_eq!(
            bench.offer_with(of(0, 1000)),
            Offered::Dropped(5, DropCause::Queue),
            "this packet is now the newest"
        );
        assert_eq!(bench.drain(), [0, 3, 1, 4]);
    }
}
