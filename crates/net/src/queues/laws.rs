//! Laws that every queue discipline follows, for any sequence of arrivals and departures.

use super::testing::Bench;
use super::{CodelPlan, FqCodelPlan, PiePlan, QueuePlan, RedPlan};
use super::{QueueDisc, build_discipline};
use airhop_base::{Ecn, FlowId, Packet, Profile, Span};
use airhop_engine::RandomStreams;
use proptest::collection::vec;
use proptest::prelude::*;
use std::collections::BTreeSet;

const CAPACITY: usize = 12;

/// Returns every discipline, with parameters that cause early drops.
fn disciplines() -> Vec<QueuePlan> {
    let packets = CAPACITY;
    let (target, interval) = (Span::from_millis(2), Span::from_millis(10));
    let (mut codel, mut pie) = (CodelPlan::RFC8289, PiePlan::RFC8033);
    (codel.capacity_packets, codel.target_delay, codel.interval, codel.ecn) =
        (packets, target, interval, true);
    (pie.capacity_packets, pie.target_delay, pie.burst_allowance, pie.ecn) =
        (packets, target, Span::ZERO, true);
    let (min, max, max_p, weight) = (2.0, 6.0, 0.3, 0.2);
    vec![
        QueuePlan::DropTail { packets },
        QueuePlan::Red(RedPlan {
            capacity_packets: packets,
            min_threshold: min,
            max_threshold: max,
            max_p,
            weight,
            gentle: true,
            ecn: true,
            mean_packet_bytes: 500,
        }),
        QueuePlan::congestion_warning(packets),
        QueuePlan::Biased { packets },
        QueuePlan::Codel(codel),
        QueuePlan::FqCodel(FqCodelPlan { codel, quantum_bytes: 600, queue_count: 3 }),
        QueuePlan::Pie(pie),
        QueuePlan::Fq { packets, quantum: 600 },
    ]
}

/// Returns the index of a discipline in `disciplines()`. The match is exhaustive, so a new discipline does
/// not compile until it has an index here.
fn place(plan: &QueuePlan) -> usize {
    match plan {
        QueuePlan::DropTail { .. } => 0,
        QueuePlan::Red(_) => 1,
        QueuePlan::CongestionWarning { .. } => 2,
        QueuePlan::Biased { .. } => 3,
        QueuePlan::Codel(_) => 4,
        QueuePlan::FqCodel(_) => 5,
        QueuePlan::Pie(_) => 6,
        QueuePlan::Fq { .. } => 7,
    }
}

#[test]
fn every_queue_discipline_is_tested() {
    let listed: BTreeSet<_> = disciplines().iter().map(place).collect();
    assert!(listed.into_iter().eq(0..disciplines().len()));
}

/// Step of a queue's history.
#[derive(Clone, Copy, Debug)]
enum Step {
    /// Arrival of a packet: its flow, its length in bytes, and a boolean. If the boolean is true, the packet
    /// is ECN-capable and marked "in" for biased queues.
    Push(u16, u32, bool),
    /// Departure of a packet.
    Pop,
    /// Removal of the first packet of this flow.
    TakeOut(u16),
    /// Idle time in ms.
    Wait(u64),
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        5 => (0..5_u16, 40..1500_u32, any::<bool>()).prop_map(|(flow, bytes, set)| Step::Push(flow, bytes, set)),
        4 => Just(Step::Pop),
        1 => (0..5_u16).prop_map(Step::TakeOut),
        3 => (1..8_u64).prop_map(Step::Wait),
    ]
}

/// Queue under test, and the numbers of the packets that the queue must contain, by flow.
struct Audit {
    bench: Bench<dyn QueueDisc>,
    inside: BTreeSet<(u16, u64)>,
    flows: Vec<u16>,
    plan: QueuePlan,
}

impl Audit {
    fn take(&mut self, step: Step) {
        match step {
            Step::Wait(ms) => self.bench.now += Span::from_millis(ms),
            Step::Push(flow, bytes, set) => {
                let number = self.flows.len() as u64;
                self.flows.push(flow);
                self.inside.insert((flow, number));
                self.bench.push_with(|packet: &mut Packet| {
                    (packet.flow, packet.bytes) = (FlowId(flow), bytes);
                    packet.ecn = if set { Ecn::Ect0 } else { Ecn::NotEct };
                    packet.profile = if set { Profile::In } else { Profile::Out };
                });
            }
            Step::Pop => {
                let next = self.bench.next();
                self.account_for_drops();
                match next {
                    Some(number) => self.leaves_in_order(number),
                    None => assert!(self.inside.is_empty(), "{:?} keeps {:?}", self.plan, self.inside),
                }
            }
            Step::TakeOut(flow) => {
                let first = self.inside.range((flow, 0)..(flow + 1, 0)).next().map(|(_, number)| *number);
                assert_eq!(self.bench.remove_first(FlowId(flow)), first, "{:?}", self.plan);
                self.inside.retain(|(_, number)| Some(*number) != first);
            }
        }
        self.account_for_drops();
        let inside: BTreeSet<u64> = self.inside.iter().map(|(_, number)| *number).collect();
        assert_eq!(self.bench.waiting(), inside, "{:?}", self.plan);
        assert_eq!(self.bench.disc.len(), inside.len(), "{:?}", self.plan);
        assert!(inside.len() <= CAPACITY && self.bench.disc.capacity() == CAPACITY, "{:?}", self.plan);
    }

    fn account_for_drops(&mut self) {
        for (number, _) in self.bench.dropped() {
            let flow = self.flows[number as usize];
            assert!(
                self.inside.remove(&(flow, number)),
                "{:?}: packet {number} is either dropped once or sent",
                self.plan
            );
        }
    }

    /// Checks that packet `number` is the oldest queued packet of its flow, and removes the packet.
    fn leaves_in_order(&mut self, number: u64) {
        let flow = self.flows[number as usize];
        let first = self.inside.range((flow, 0)..(flow + 1, 0)).next().copied();
        assert_eq!(first, Some((flow, number)), "{:?}", self.plan);
        self.inside.remove(&(flow, number));
    }
}

proptest! {
    // Every packet is dropped, removed or still queued, exactly once. No queue exceeds its capacity, stays
    // idle while packets are queued, or reorders packets of a flow. The marker of a discipline counts every
    // mark once.
    #[test]
    fn every_packet_is_dropped_removed_or_queued_exactly_once(steps in vec(step(), 1..300)) {
        for plan in disciplines() {
            let stream = RandomStreams::new(1, 0).stream("queue");
            let disc = build_discipline(&plan, |bytes| Span::from_micros(u64::from(bytes)), stream);
            let mut audit = Audit { bench: Bench::of(disc), inside: BTreeSet::new(), flows: Vec::new(), plan };
            steps.iter().for_each(|&step| audit.take(step));
            while !audit.inside.is_empty() {
                audit.take(Step::Wait(3));
                audit.take(Step::Pop);
            }
            let counted: u64 = audit.bench.disc.marker().iter().flat_map(|marker| marker.marks_by_flow()).sum();
            assert_eq!(counted, audit.bench.marked, "{plan:?}");
        }
    }
}
