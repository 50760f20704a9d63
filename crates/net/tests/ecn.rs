//! Explicit congestion notification from end to end (RFC 3168). An independent decoder reads the packet
//! captures at both ends.

use crate::common::run;
use airhop_base::{Ecn, NodeId, Packet, Rate, Segment, Span, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::links::{Links, WiredPlan};
use airhop_net::plan::{FlowClass, FlowPlan, Plan, Transport};
use airhop_net::queues::{QueuePlan, RedPlan};
use airhop_net::{EcnCounts, Report, World};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_tcp::{Params, Preset};
use airhop_trace::Recorder;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::fs::File;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const QUEUE: usize = 0;
const AQM: usize = 1;
/// Direction "inbound", in the two lowest bits of `epb_flags` (a field of pcapng).
const IN: u32 = 1;

/// RED parameters with thresholds high enough for ten flows. At an average queue of 60 packets or more, all
/// packets are dropped.
const RED: RedPlan = RedPlan {
    capacity_packets: 500,
    min_threshold: 10.0,
    max_threshold: 30.0,
    max_p: 0.1,
    weight: 0.002,
    gentle: true,
    ecn: true,
    mean_packet_bytes: 500,
};

/// Returns a plan with flows from a over r to b: a link of 10 Mbit/s, then a bottleneck of 2 Mbit/s with a
/// RED queue.
fn bottleneck(scheme: &str, flows: usize, ecn: bool) -> Plan {
    let scheme = airhop_tcp::find_scheme(scheme).expect("a scheme");
    let mut config = Preset::Rfc.config(1000);
    config.ecn = ecn;
    config.initial_ssthresh = 8.0; // marks alone cannot control ten simultaneous slow starts
    let link = |name: &str, a, b, mbps: u64, ms, queue| WiredPlan {
        name: name.into(),
        ends: [NodeId(a), NodeId(b)],
        rates: LinkRate::both_ways(Rate::from_bps(mbps * 1_000_000)),
        delay: [Span::from_millis(ms); 2],
        queue: [queue; 2],
        errors: [ErrorPlan::Clean, ErrorPlan::Clean],
        reorder: [None; 2],
    };
    let flow = |i| FlowPlan {
        name: format!("f{i}"),
        from: NodeId(0),
        to: NodeId(2),
        transport: Transport::Tcp { scheme, params: Params::defaults(scheme), config },
        app: Arc::new(BulkPlan),
        start: Time::ZERO + Span::from_millis(137) * i as u64,
        access_category: Default::default(),
        services: Vec::new(),
        class: FlowClass::OfKind("bulk"),
    };
    Plan {
        name: "bottleneck".into(),
        duration: Span::from_secs(60),
        warmup: Span::ZERO,
        nodes: vec!["a".into(), "r".into(), "b".into()],
        links: Links {
            wired: vec![
                link("fast", 0, 1, 10, 5, QueuePlan::DropTail { packets: 500 }),
                link("slow", 1, 2, 2, 20, QueuePlan::Red(RED)),
            ],
            ..Links::default()
        },
        flows: (0..flows).map(flow).collect(),
    }
}

/// Packet in a capture at a node.
struct Seen {
    is_in: bool,
    packet: Packet,
}

impl Seen {
    fn segment(&self) -> &Segment {
        self.packet.segment().expect("only TCP is sent here")
    }
}

/// Runs a plan; returns the report and the captures at a and at b.
fn captured(plan: &Plan, name: &str) -> (Report, [Vec<Seen>; 2]) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let flows: Vec<String> = plan.flows.iter().map(|f| f.name.clone()).collect();
    let recorder = Recorder::new(&flows, &plan.nodes, plan.duration, false, Some(&dir)).expect("a directory");
    let mut world = World::new(plan, 1, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    let report = world.report();
    world.into_recorder().expect("the flow has one").finish().expect("room on the disk");
    (report, ["a", "b"].map(|node| read(&dir.join(format!("{node}.pcapng")))))
}

fn read(path: &Path) -> Vec<Seen> {
    let mut reader = PcapNgReader::new(File::open(path).expect("a capture")).expect("pcapng");
    let mut seen = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(block) = block.expect("a block") else { continue };
        let flags = block.options.iter().find_map(|option| match option {
            EnhancedPacketOption::Flags(flags) => Some(*flags),
            _ => None,
        });
        let packet = airhop_wire::decode(&block.data).expect("a packet of Airhop").packet;
        seen.push(Seen { is_in: flags.expect("a direction") & 3 == IN, packet });
    }
    seen
}

// A SYN has ECE and CWR, and a SYN-ACK has ECE only; without ECN neither has them (RFC 3168 §6.1.1). SACK and
// timestamps are used as the ends agreed in the handshake (RFC 2018 §2, RFC 7323 §3.2).
#[test]
fn captures_contain_the_ecn_setup_handshake() {
    for (scheme, ecn, timestamps, sack) in [
        ("newreno", true, true, false),
        ("newreno", false, false, false),
        ("sack", true, false, true),
        ("dctcp", false, true, true),
    ] {
        let mut plan = Plan { duration: Span::from_secs(1), ..bottleneck(scheme, 1, ecn) };
        if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
            config.timestamps = timestamps;
        }
        let (_, [at_a, _]) = captured(&plan, &format!("handshake-{scheme}-{ecn}"));
        let agreed = ecn || scheme == "dctcp";
        for (seen, is_answer) in at_a.iter().zip([false, true]) {
            let Segment { flags, sack_permitted, timestamps: stamped, .. } = *seen.segment();
            assert_eq!((seen.is_in, flags.syn, flags.ack), (is_answer, true, is_answer), "{scheme}");
            assert_eq!((flags.ece, flags.cwr), (agreed, agreed && !is_answer), "{scheme}");
            assert_eq!((sack_permitted, stamped.is_some()), (sack, timestamps), "{scheme}");
        }
    }
}

// After a CE packet, every ACK has ECE until a segment with CWR arrives; no other ACK has ECE (RFC 3168
// §6.1.3).
#[test]
fn ce_marks_are_echoed_until_cwr() {
    let (_, [_, at_b]) = captured(&bottleneck("newreno", 1, true), "echo");
    let (mut echoes, mut marks, mut echoing) = (0, 0, false);
    for seen in &at_b {
        let segment = seen.segment();
        if segment.flags.syn {
            continue;
        }
        if seen.is_in {
            echoing &= !segment.flags.cwr;
            echoing |= seen.packet.ecn == Ecn::Ce;
            marks += u32::from(seen.packet.ecn == Ecn::Ce);
        } else {
            assert_eq!(segment.flags.ece, echoing, "ACK {}", segment.ack);
            echoes += u32::from(segment.flags.ece);
        }
    }
    assert!(marks > 10 && echoes > 2 * marks, "{marks} marks, {echoes} echoes");
}

// The counts of marks in the report equal those of the captures: ECT(0) at the sender, CE and ECE on arrival.
// No packet is lost, and only the queue of the bottleneck marks packets.
#[test]
fn ecn_counters_equal_those_of_the_captures() {
    let plan = bottleneck("newreno", 1, true);
    let (report, [at_a, at_b]) = captured(&plan, "counted");
    let count = |seen: &[Seen], is_in: bool, of: &dyn Fn(&Seen) -> bool| {
        seen.iter().filter(|seen| seen.is_in == is_in && !seen.segment().flags.syn && of(seen)).count() as u64
    };
    let EcnCounts { ect0, ect1, ce, ece } = report.flows[0].marks;
    assert_eq!((ect0, ect1), (count(&at_a, false, &|seen| seen.packet.ecn == Ecn::Ect0), 0));
    assert_eq!(ece, count(&at_a, true, &|seen| seen.segment().flags.ece));
    // Marked packets that are still queued at the end, at most a window, are counted but have not arrived.
    let arrived = count(&at_b, true, &|seen| seen.packet.ecn == Ecn::Ce);
    assert!(arrived > 10 && (arrived..=arrived + 40).contains(&ce), "{ce} marks, {arrived} arrived");
    let marks = report.queues.iter().map(|queue| (queue.name.as_str(), queue.marked));
    let queues: Vec<_> = marks.filter(|(_, marked)| marked.is_some()).collect();
    assert_eq!(queues, [("r->b", Some(ce)), ("b->r", Some(0))]);
    // A warm-up excludes the marks before its end.
    let half = Span::from_secs(30);
    let late = run(&Plan { warmup: half, ..plan.clone() }, 1);
    let early = run(&Plan { duration: half, ..plan }, 1);
    let sum = |of: &dyn Fn(&Report) -> u64| (of(&early) + of(&late), of(&report));
    for (parts, whole) in [
        sum(&|report| report.flows[0].marks.ect0),
        sum(&|report| report.flows[0].marks.ce),
        sum(&|report| report.flows[0].marks.ece),
        sum(&|report| report.queues.iter().filter_map(|queue| queue.marked).sum()),
    ] {
        assert_eq!(parts, whole);
    }
}

// The sender reduces its window once per window of data, and the next new segment has CWR (RFC 3168 §6.1.2):
// between two reductions, all data that was outstanding at the first is acknowledged. No packet is lost, so
// only marks cause reductions.
#[test]
fn ecn_reduces_the_window_once_per_window_of_data() {
    let (report, [at_a, _]) = captured(&bottleneck("newreno", 1, true), "window");
    let (mut reductions, mut acked, mut sent, mut open) = (0, 0, 0, 0);
    let mut echoed = false;
    for seen in &at_a {
        let segment = seen.segment();
        if seen.is_in {
            acked = segment.ack.max(acked);
            echoed |= segment.flags.ece && !segment.flags.syn;
            continue;
        }
        if segment.flags.cwr && !segment.flags.syn {
            assert!(echoed, "an echo came first");
            assert!(acked > open, "{acked}: a second reduction before {open} was acknowledged");
            // `open` is the end of the data that is outstanding at the reduction.
            (reductions, open, echoed) = (reductions + 1, sent, false);
        }
        sent = sent.max(segment.end());
    }
    let f = &report.flows[0];
    assert_eq!((f.retransmissions, f.timeouts, f.fast_recoveries), (0, 0, 0));
    assert!(reductions > 5 && f.window_cuts == reductions, "{} cuts, {reductions} told", f.window_cuts);
}

// New data is ECN-capable; ACKs and retransmissions are not (RFC 3168 §6.1.4 and §6.1.5). A router marks only
// ECN-capable packets (§5). Errors on a link cause the retransmissions.
#[test]
fn only_new_data_is_ecn_capable() {
    for scheme in ["newreno", "sack"] {
        let mut plan = bottleneck(scheme, 1, true);
        plan.links.wired[0].errors[0] = ErrorPlan::Loss(0.003);
        let (report, [at_a, at_b]) = captured(&plan, scheme);
        let mut sent = 1;
        let mut again = Vec::new();
        for seen in at_a.iter().filter(|seen| !seen.is_in && seen.segment().len > 0) {
            let segment = seen.segment();
            let expected = if segment.seq < sent { Ecn::NotEct } else { Ecn::Ect0 };
            assert_eq!(seen.packet.ecn, expected, "{scheme}: segment {}", segment.seq);
            if segment.seq < sent {
                again.push(segment.seq);
            }
            sent = sent.max(segment.end());
        }
        assert!(again.len() > 10 && again.len() as u64 == report.flows[0].retransmissions);
        let acks = || at_b.iter().filter(|seen| !seen.is_in);
        assert!(acks().all(|seen| seen.packet.ecn == Ecn::NotEct), "{scheme}: a pure ACK or a SYN-ACK");
        let arrived_again = at_b.iter().filter(|seen| seen.is_in && again.contains(&seen.segment().seq));
        // The first transmission of each of these segments was ECN-capable, but was lost or arrived after the
        // retransmission.
        let late = arrived_again.filter(|seen| seen.packet.ecn != Ecn::NotEct).count();
        assert!(late <= 2, "{scheme}: {late} ECN-capable retransmissions arrived");
    }
}

// While a RED queue only marks (RFC 3168 §5), no packet is lost, with one flow and with ten flows. Without
// ECN the same queue drops packets early. If a flow without ECN shares the queue with flows that use ECN,
// only the flow without ECN loses packets.
#[test]
fn no_packet_is_lost_while_red_only_marks() {
    for flows in [1, 10] {
        let mut plan = bottleneck("newreno", flows, true);
        for flow in &mut plan.flows {
            if let Transport::Tcp { config, .. } = &mut flow.transport {
                config.handshake = false; // a SYN is not ECN-capable (RFC 3168 §6.1.1)
            }
        }
        let marked = run(&plan, 1);
        assert_eq!((marked.drops[QUEUE], marked.drops[AQM]), (0, 0), "{flows} flows");
        assert!(marked.flows.iter().all(|f| f.window_cuts > 2 && f.retransmissions == 0), "{marked:?}");
        let dropped = run(&bottleneck("newreno", flows, false), 1);
        assert!(dropped.drops[AQM] > 10, "{flows} flows: {:?}", dropped.drops);
    }
    let mut mixed = bottleneck("newreno", 4, true);
    if let Transport::Tcp { config, .. } = &mut mixed.flows[2].transport {
        config.ecn = false;
    }
    let mixed = run(&mixed, 1);
    let lost: Vec<bool> = mixed.flows.iter().map(|f| f.retransmissions > 0).collect();
    assert_eq!(lost, [false, false, true, false]);
    assert!(mixed.drops[AQM] > 5);
}

// Marks instead of drops avoid retransmissions (RFC 2884; Floyd 1994). Ten flows share a RED queue; five
// seeds.
#[test]
fn ecn_does_not_reduce_the_goodput_of_ten_flows_through_red() {
    let goodput = |ecn: bool| -> f64 {
        let plan = bottleneck("newreno", 10, ecn);
        (1..=5).flat_map(|seed| run(&plan, seed).flows).map(|f| f.goodput_mbps).sum::<f64>() / 5.0
    };
    let (with, without) = (goodput(true), goodput(false));
    println!("{with:.4} Mbit/s with ECN, {without:.4} without");
    assert!(with >= without, "{with:.4} Mbit/s with ECN, {without:.4} without");
    // Goodput is at most 2 Mbit/s × 1000 / 1052: a packet has 1000 bytes of payload, 40 of headers and 12 of
    // timestamps.
    assert!(with <= 2.0 * 1000.0 / 1052.0);
}

// During a congestion warning all ECN-capable packets are marked (Xu, Tian and Ansari 2004). Ends according
// to RFC 3168 react to these marks as to any other.
#[test]
fn senders_react_to_a_congestion_warning_as_to_a_ce_mark() {
    let mut plan = bottleneck("newreno", 1, true);
    plan.links.wired[1].queue = [QueuePlan::congestion_warning(100); 2];
    let (report, [_, at_b]) = captured(&plan, "warning");
    let marked: Vec<bool> = at_b
        .iter()
        .filter(|seen| seen.is_in && seen.segment().len > 0)
        .map(|s| s.packet.ecn == Ecn::Ce)
        .collect();
    // A warning marks several successive packets, so most marked packets follow a marked packet.
    let pairs = marked.windows(2).filter(|w| w[0] && w[1]).count();
    let marks = marked.iter().filter(|&&m| m).count();
    assert!(marks > 50 && pairs * 2 > marks, "{marks} marks, {pairs} of them after another");
    assert!(report.flows[0].window_cuts < marks as u64 / 4, "a burst has one cause");
}
