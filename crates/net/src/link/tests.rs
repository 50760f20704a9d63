//! Tests of a wired link, packet by packet.

use super::*;
use airhop_base::{Body, Datagram, FlowId, Rate};
use airhop_engine::RandomStreams;

/// Link with one byte per microsecond and a delay of 1 ms, and a record of its events.
struct Bench {
    link: Link,
    arena: Arena<Packet>,
    events: EventQueue<Event>,
    dropped: DroppedPackets,
    arrived: Vec<(Time, u64)>,
    lost: Vec<u64>,
    /// Time of each change of the queue length, and the number of queued packets after it.
    lengths: Vec<(Time, usize)>,
}

impl Bench {
    fn new(line: LinkQueue) -> Bench {
        let pace = LinkRate::from(Rate::from_bps(8_000_000)).idle_transmitter(0);
        let ends = [NodeId(0), NodeId(1)];
        let link = Link::new(0, "a->b".into(), ends[0], ends[1], pace, Span::from_millis(1), line, None);
        let (arena, events) = (Arena::new(), EventQueue::new());
        Bench { link, arena, events, dropped: vec![], arrived: vec![], lost: vec![], lengths: vec![] }
    }

    /// Offers packets with these times and lengths in bytes, and runs until all packets have arrived.
    fn run(line: LinkQueue, offers: &[(Time, u32)]) -> Bench {
        let mut bench = Bench::new(line);
        for (number, &(at, bytes)) in (0..).zip(offers) {
            bench.run_until(Time::from_nanos(at.nanos().saturating_sub(1)));
            bench.offer(at, number, bytes);
        }
        bench.run_until(Time::MAX);
        let lengths = &mut bench.lengths;
        bench.link.remove_departed(Time::MAX, |then, waiting| lengths.push((then, waiting)));
        lengths.dedup_by_key(|(_, waiting)| *waiting);
        bench
    }

    fn run_until(&mut self, end: Time) {
        while let Some((now, event)) = self.events.pop_until(end) {
            match event {
                Event::LinkArrival(_) => {
                    self.note_departures(now);
                    let arrived = self.link.on_wire_arrival(&mut self.events).expect("a packet");
                    let packet = self.arena.take(arrived.packet);
                    self.arrived.push((now, number(&packet)));
                }
                Event::LinkFree(_) => {
                    self.link.on_free(now, &mut self.arena, &mut self.events, &mut self.dropped);
                    self.note_departures(now);
                }
                other => unreachable!("{other:?} is not an event of a link"),
            }
        }
    }

    fn note_departures(&mut self, now: Time) {
        let lengths = &mut self.lengths;
        let waiting = self.link.remove_departed(now, |then, waiting| lengths.push((then, waiting)));
        lengths.push((now, waiting));
    }

    fn offer(&mut self, now: Time, number: u64, bytes: u32) {
        self.note_departures(now);
        let body =
            Body::Udp(Datagram { sequence_number: number, len: bytes - 28, sent: now, original: None });
        let id = self.arena.insert(Packet::new(FlowId(0), NodeId(0), NodeId(1), bytes, body));
        self.link.offer(now, id, bytes, &mut self.arena, &mut self.events, &mut self.dropped);
        for (QueueEntry { id, .. }, why) in self.dropped.drain(..) {
            assert_eq!(why, DropCause::Queue);
            self.lost.push(self::number(&self.arena.take(id)));
        }
        self.note_departures(now);
        assert_eq!(self.link.packet_count(), self.arena.len());
    }
}

fn number(packet: &Packet) -> u64 {
    match &packet.body {
        Body::Udp(datagram) => datagram.sequence_number,
        other => unreachable!("only datagrams are sent, not {other:?}"),
    }
}

fn scheduled(capacity: usize) -> LinkQueue {
    LinkQueue::Scheduled(ScheduledFifo::new(capacity))
}

/// Returns a queue discipline with the same behaviour, which is called each time the serialiser is free.
fn asked(capacity: usize) -> LinkQueue {
    let plan = QueuePlan::DropTail { packets: capacity };
    let queue = queues::build_tx_queue(&plan, |_| Span::ZERO, RandomStreams::new(1, 0).stream("queue"));
    LinkQueue::Asked { queue, free_pending: false }
}

fn at(us: u64) -> Time {
    Time::ZERO + Span::from_micros(us)
}

// A scheduled queue has the departures of a queue discipline for all arrivals. The packets have a few
// different lengths, and many arrivals coincide with the end of a transmission.
#[test]
fn scheduled_departures_equal_those_of_a_queue_discipline() {
    for capacity in [0, 1, 2, 5, 40] {
        let mut draw = RandomStreams::new(1, capacity as u64).stream("offers");
        let mut now = 0;
        let offers: Vec<(Time, u32)> = std::iter::repeat_with(|| {
            now += 50 * u64::from(draw.uniform_below(5) * draw.uniform_below(4) * draw.uniform_below(2));
            (at(now), 50 * (1 + draw.uniform_below(4)))
        })
        .take(2000)
        .collect();
        let [line, reference] = [scheduled(capacity), asked(capacity)].map(|line| Bench::run(line, &offers));
        assert_eq!(line.arrived, reference.arrived, "{capacity}");
        assert_eq!((&line.lost, &line.lengths), (&reference.lost, &reference.lengths), "{capacity}");
        assert!(line.lost.len() > 20 && line.arrived.len() > 500, "{capacity}: {} lost", line.lost.len());
        assert_eq!(line.events.popped_count(), line.arrived.len() as u64, "an event for each packet");
    }
}

// Computed by hand: three packets of 100 µs arrive at a queue of one packet. The third packet arrives when
// the second departs, or 1 ns later.
#[test]
fn an_arrival_precedes_a_departure_of_the_same_instant() {
    let just_after = Time::from_nanos(at(100).nanos() + 1);
    for (third, lost) in [(at(100), vec![2]), (just_after, vec![])] {
        let bench = Bench::run(scheduled(1), &[(at(0), 100), (at(10), 100), (third, 100)]);
        assert_eq!(bench.lost, lost);
        assert_eq!(bench.arrived[..2], [(at(1100), 0), (at(1200), 1)]);
    }
}

// The queue occupancy that agents read, between departures and at their times.
#[test]
fn queued_packets_are_counted_at_any_time() {
    let mut bench = Bench::new(scheduled(10));
    (0..4).for_each(|number| bench.offer(at(0), number, 100));
    let waiting = [0, 99, 100, 101, 150, 200, 201, 301].map(|us| bench.link.queued_packets(at(us)));
    assert_eq!(waiting, [3, 3, 3, 2, 2, 2, 1, 0]);
    assert_eq!((bench.link.capacity(), bench.link.packet_count()), (10, 4));
}

// A serialiser sends one packet at a time, even if its queued packets were removed and others arrive just
// when it becomes free.
#[test]
fn an_arrival_at_an_idle_serialiser_does_not_overtake() {
    let mut bench = Bench::new(asked(10));
    (0..2).for_each(|number| bench.offer(at(0), number, 100));
    bench.link.clear_queue(&mut bench.dropped);
    bench.dropped.drain(..).for_each(|(packet, _)| drop(bench.arena.take(packet.id)));
    (2..5).for_each(|number| bench.offer(at(100), number, 100));
    bench.run_until(Time::MAX);
    assert_eq!(bench.arrived, [(at(1100), 0), (at(1200), 2), (at(1300), 3), (at(1400), 4)]);
}
