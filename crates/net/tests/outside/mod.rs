//! Networks with real hosts attached. Airhop's own TCP takes the place of the hosts and exchanges real
//! datagrams with the network: the results must equal those of the same flow inside the network.

mod stack;

use crate::common::trace::{offsets, words};
use crate::common::{LastHop, run};
use airhop_base::{DepartedDatagram, NodeId, NoticeKind, Span, Time};
use airhop_net::plan::Plan;
use airhop_net::queues::QueuePlan;
use airhop_net::{EcnCounts, FlowReport, Report, World};
use airhop_tcp::Preset;
use airhop_trace::Recorder;
use airhop_wire::addressing::{ipv4_address, ipv6_address};
use airhop_wire::real;
use etherparse::PacketBuilder;
use stack::{Stacks, opened};
use std::net::IpAddr;
use std::sync::atomic::AtomicBool;

static RUNS: AtomicBool = AtomicBool::new(false);

fn last_hop(scheme: &'static str, fer: f64) -> LastHop {
    LastHop { scheme, fer, seconds: 20, preset: Preset::Linux, timestamps: true, ..LastHop::default() }
}

/// Returns the report of a run with external hosts on this topology, and the hosts.
fn from_outside(hop: &LastHop, seed: u64) -> (Report, Stacks) {
    with_hosts(&hop.plan(), seed)
}

/// Returns the report of a run of `plan` with external hosts, and the hosts.
fn with_hosts(plan: &Plan, seed: u64) -> (Report, Stacks) {
    let (plan, outside) = opened(plan);
    let mut world = World::with_real_hosts(&plan, Some(&outside), seed, 0, None).expect("a plan with routes");
    let mut stacks = Stacks::new(&plan, seed);
    stacks.drive(&mut world, Time::ZERO + plan.duration);
    world.check_packet_counts().expect("every packet has exactly one outcome");
    (world.report(), stacks)
}

fn data(report: &Report) -> &FlowReport {
    report.flows.iter().max_by_key(|flow| flow.sent_segments).expect("a flow")
}

// The packets on the links are the same as for a simulated flow, so external hosts have the same goodput, to
// the byte. The comparison covers SYNs, window scales, SACK, timestamps, sequence numbers, changes to
// headers, and agents that store, retransmit and drop packets.
#[test]
fn external_hosts_have_the_goodput_of_simulated_hosts() {
    for (scheme, fer) in [("reno", 0.0), ("sack", 0.02), ("cubic", 0.01), ("snoop", 0.03)] {
        let hop = last_hop(scheme, fer);
        let inside = run(&hop.plan(), 3);
        let (outside, stacks) = from_outside(&hop, 3);
        let (inside, flow) = (&inside.flows[0], data(&outside));
        assert_eq!(stacks.receiver.delivered_bytes(), inside.delivered_bytes, "{scheme}");
        assert_eq!(flow.sent_segments, inside.sent_segments, "{scheme}");
        assert_eq!(flow.retransmissions, inside.retransmissions, "{scheme}");
        // For real hosts the network counts data when it is acknowledged; at the end this is at most two
        // segments less than the data delivered.
        assert!(inside.delivered_bytes - flow.delivered_bytes <= 2 * 1000, "{scheme}");
        assert_eq!((flow.transport, flow.scheme, flow.is_real), ("tcp", None, true));
        assert_eq!((flow.from.as_str(), flow.to.as_str()), ("s", "d"));
        let gap = (flow.srtt_ms.unwrap_or(0.0) / inside.srtt_ms.expect("samples") - 1.0).abs();
        assert!(gap < 0.5, "{scheme}: the network sees another round trip");
    }
}

// The counts of ECN marks (RFC 3168 §5 and §6.1.3) of an external flow equal those of a simulated flow: on
// entry, in queues, and when ACKs leave.
#[test]
fn ce_marks_of_external_flows_are_counted() {
    let mut plan = last_hop("dctcp", 0.001).plan();
    plan.links.wlans[0].queue = QueuePlan::CongestionWarning { packets: 50, threshold: 2.0, weight: 1.0 };
    let inside = run(&plan, 3);
    let (outside, _) = with_hosts(&plan, 3);
    let (inside, flow) = (inside.flows[0].marks, data(&outside).marks);
    assert_eq!(flow, inside);
    assert!(flow.ect0 > 100 && flow.ce > 5 && flow.ece > 5 && flow.ect1 == 0, "{flow:?}");
}

// ECT(1), which no simulated sender uses, is counted separately. A packet that is marked CE when it enters
// does not count as marked by this network.
#[test]
fn ect1_and_ce_set_by_external_hosts_are_counted_apart() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    let with = |mut datagram: Vec<u8>, codepoint: u8| {
        datagram[1] = codepoint;
        datagram
    };
    pass(&mut world, d, &segment(d, 100, None, true, 0));
    pass(&mut world, s, &segment(s, 900, Some(101), true, 0));
    for (number, codepoint) in (0..).zip([0b01, 0b01, 0b10, 0b00, 0b11]) {
        pass(&mut world, d, &with(segment(d, 101 + 300 * number, Some(901), false, 300), codepoint));
    }
    let marks = world.report().flows[0].marks;
    assert_eq!(marks, EcnCounts { ect0: 1, ect1: 2, ce: 0, ece: 0 });
}

// A run depends only on the datagrams and their times, so a log is sufficient to repeat it.
#[test]
fn datagrams_and_their_times_determine_the_run() {
    let hop = last_hop("snoop", 0.03);
    let (live, stacks) = from_outside(&hop, 5);
    let (plan, outside) = opened(&hop.plan());
    let replay = |step: Option<Span>| {
        let mut world =
            World::with_real_hosts(&plan, Some(&outside), 5, 0, None).expect("a plan with routes");
        let mut looked = Time::ZERO;
        for (at, node, bytes) in &stacks.sent {
            while let Some(step) = step.filter(|step| looked + *step < *at) {
                looked += step;
                world.advance(looked, &RUNS).expect("no stop is requested");
            }
            world.admit(*at, *node, bytes, &RUNS).expect("no stop is requested");
        }
        world.advance(Time::ZERO + plan.duration, &RUNS).expect("no stop is requested");
        world.report()
    };
    let once = replay(None);
    assert_eq!(once.fingerprint, live.fingerprint);
    assert_eq!(once, live);
    assert_eq!(replay(Some(Span::from_micros(700))), live, "the number of observations has no effect");
}

// In a download one end sends no data. The flow of that direction appears in no list of flows, and no table
// has rows of it, although ACKs arrive for its SYN.
#[test]
fn a_flow_without_data_is_in_no_list_of_flows() {
    let (plan, outside) = opened(&last_hop("sack", 0.02).plan());
    let names: Vec<String> = plan.flows.iter().map(|flow| flow.name.clone()).collect();
    let recorder = Recorder::new(&names, &plan.nodes, plan.duration, true, None).expect("no files");
    let mut world =
        World::with_real_hosts(&plan, Some(&outside), 1, 0, Some(recorder)).expect("a plan with routes");
    Stacks::new(&plan, 1).drive(&mut world, Time::ZERO + plan.duration);
    let report = world.report();
    let listed: Vec<&str> = report.flows.iter().map(|flow| flow.name.as_str()).collect();
    let tables = world.into_recorder().expect("the flow has one").finish().expect("no files");
    for table in ["segments", "acks", "deliveries", "notices"] {
        let flows = words(&tables, table, "flow");
        assert!(flows.iter().all(|flow| listed.contains(flow)), "{table}: {listed:?}");
    }
    assert!(words(&tables, "acks", "flow").len() > 100);
    assert!(offsets(&tables, "deliveries", "bytes").is_sorted_by(|a, b| a < b));
}

/// Returns the world of a last hop without errors.
fn quiet() -> World {
    let (plan, outside) = opened(&last_hop("reno", 0.0).plan());
    World::with_real_hosts(&plan, Some(&outside), 1, 0, None).expect("a plan with routes")
}

/// Sends a datagram into the network; returns the datagrams that leave within 50 ms, which is more than the
/// one-way delay.
fn pass(world: &mut World, node: NodeId, datagram: &[u8]) -> Vec<DepartedDatagram> {
    pass_all(world, node, &[datagram.to_vec()])
}

fn pass_all(world: &mut World, node: NodeId, datagrams: &[Vec<u8>]) -> Vec<DepartedDatagram> {
    let now = world.now() + Span::from_millis(1);
    for datagram in datagrams {
        world.admit(now, node, datagram, &RUNS).expect("no stop is requested");
    }
    world.advance(now + Span::from_millis(50), &RUNS).expect("no stop is requested");
    world.take_departures().collect()
}

fn udp(source: NodeId, destination: NodeId, ports: [u16; 2], payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    PacketBuilder::ipv6(ipv6_address(source), ipv6_address(destination), 64)
        .udp(ports[0], ports[1])
        .write(&mut bytes, payload)
        .expect("memory");
    bytes
}

// A datagram that is not TCP leaves unchanged at the host with its destination address. Each direction of a
// conversation is a flow, and all datagrams without ports together are one flow.
#[test]
fn a_non_tcp_datagram_leaves_unchanged() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    let query = udp(s, d, [4000, 53], &[7; 100]);
    let left = pass(&mut world, s, &query);
    assert_eq!(left.len(), 1);
    assert_eq!((left[0].node, &left[0].datagram[..]), (d, &query[..]));
    pass(&mut world, s, &udp(s, d, [4000, 53], &[8; 50]));
    pass(&mut world, d, &udp(d, s, [53, 4000], &[9; 70]));
    let mut ping = Vec::new();
    PacketBuilder::ipv4(ipv4_address(s), ipv4_address(d), 64)
        .icmpv4_echo_request(1, 1)
        .write(&mut ping, &[1; 56])
        .expect("memory");
    assert_eq!(pass(&mut world, s, &ping)[0].datagram[..], ping[..]);
    let report = world.report();
    let flows: Vec<_> = report
        .flows
        .iter()
        .map(|f| (f.name.as_str(), f.transport, f.sent_segments, f.delivered_bytes))
        .collect();
    assert_eq!(
        flows,
        [
            ("f0", "udp", 1, 56),
            ("udp [fd00:a1b0::1]:4000 > [fd00:a1b0::5]:53", "udp", 2, 150),
            ("udp [fd00:a1b0::5]:53 > [fd00:a1b0::1]:4000", "udp", 1, 70),
        ]
    );
}

// A datagram is dropped and counted if the network has no host for it: a broadcast, a multicast, an unknown
// address, random bytes.
#[test]
fn datagrams_to_unknown_hosts_are_dropped_and_counted() {
    let (s, mut world) = (NodeId(0), quiet());
    let to = |destination: [u8; 4]| {
        let mut bytes = Vec::new();
        PacketBuilder::ipv4(ipv4_address(s), destination, 64)
            .udp(1, 2)
            .write(&mut bytes, &[0; 9])
            .expect("memory");
        bytes
    };
    for strange in
        [to([255; 4]), to([224, 0, 0, 251]), to([10, 0, 0, 2]), to([192, 0, 2, 1]), vec![], vec![7; 80]]
    {
        assert_eq!(pass(&mut world, s, &strange), []);
    }
    assert_eq!(world.ignored_datagrams(), 6);
    assert_eq!(world.report().flows, []);
}

// A client behind a base station with snoop opens the connection and sends a request; the server sends the
// data. Both directions of a connection are flows, and an agent serves the direction in which the flow of the
// scenario sends.
#[test]
fn agents_serve_the_data_direction_of_a_connection() {
    let (s, d) = (NodeId(0), NodeId(4));
    let (plan, outside) = opened(&last_hop("snoop", 0.0).plan());
    let mut world = World::with_real_hosts(&plan, Some(&outside), 1, 0, None).expect("a plan with routes");
    assert_eq!(pass(&mut world, d, &segment(d, 100, None, true, 0)).len(), 1);
    assert_eq!(pass(&mut world, s, &segment(s, 900, Some(101), true, 0)).len(), 1);
    assert_eq!(pass(&mut world, d, &segment(d, 101, Some(901), false, 200)).len(), 1);
    let answer: Vec<_> = (0..5).map(|i| segment(s, 901 + 1000 * i, Some(301), false, 1000)).collect();
    assert_eq!(pass_all(&mut world, s, &answer).len(), 5);
    // Snoop forwards the first duplicate ACK. At the second it retransmits the segment and drops the ACK.
    let acks: Vec<_> = (0..3).map(|_| pass(&mut world, d, &segment(d, 301, Some(901), false, 0))).collect();
    assert_eq!(
        acks.iter().map(Vec::len).collect::<Vec<_>>(),
        [1, 1, 0],
        "one packet to the sender and the retransmission"
    );
    let repair = real::read_headers(&acks[1][0].datagram).expect("a segment");
    assert_eq!((acks[1][0].node, repair.tcp.expect("TCP").seq), (d, 901));
    let report = world.report();
    assert_eq!(report.flows.len(), 2);
    assert!(report.flows[0].name.starts_with("tcp 10.0.0.5:5555 > 10.0.0.1:80"), "{}", report.flows[0].name);
}

/// Returns an IPv4 segment between port 80 of `s` and port 5555 of `d`.
fn segment(from: NodeId, seq: u32, ack: Option<u32>, syn: bool, len: usize) -> Vec<u8> {
    let s = NodeId(0);
    let (to, ports) = if from == s { (NodeId(4), [80, 5555]) } else { (s, [5555, 80]) };
    let mut builder =
        PacketBuilder::ipv4(ipv4_address(from), ipv4_address(to), 64).tcp(ports[0], ports[1], seq, 65_000);
    if syn {
        builder = builder.syn();
    }
    if let Some(ack) = ack {
        builder = builder.ack(ack);
    }
    let mut bytes = Vec::new();
    builder.write(&mut bytes, &vec![0; len]).expect("memory");
    bytes
}

// If a connection uses the ports of an earlier one (RFC 9293 §3.6, MAY-2), it has a new pair of flows with
// names of their own.
#[test]
fn a_connection_that_reuses_ports_has_its_own_name() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    for first in [100, 7000, 90_000] {
        pass(&mut world, d, &segment(d, first, None, true, 0));
        pass(&mut world, s, &segment(s, first + 900, Some(first + 1), true, 0));
        pass(&mut world, d, &segment(d, first + 1, Some(first + 901), false, 300));
    }
    let names: Vec<_> = world.report().flows.into_iter().map(|flow| flow.name).collect();
    let there = "tcp 10.0.0.5:5555 > 10.0.0.1:80";
    assert_eq!(names, [there.to_string(), format!("{there} #2"), format!("{there} #3")]);
}

// A segment with the same endpoint as source and destination (the LAND attack) opens no connection, because
// both directions of it would have the same name. The segment crosses the network as a datagram without
// ports.
#[test]
fn a_segment_from_an_endpoint_to_itself_opens_no_connection() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    let mut land = Vec::new();
    let builder = PacketBuilder::ipv4(ipv4_address(d), ipv4_address(d), 64).tcp(80, 80, 1, 65_000);
    builder.write(&mut land, &[0; 100]).expect("memory");
    assert_eq!(pass(&mut world, s, &land).len(), 1);
    assert!(
        world.report().flows.iter().all(|flow| !flow.name.starts_with("tcp ")),
        "{:?}",
        world.report().flows
    );
}

// An ACK of data that was never sent acknowledges nothing (RFC 9293 §3.10.7.4). A host can therefore not
// increase its goodput by forged ACKs.
#[test]
fn forged_acks_of_unsent_data_acknowledge_nothing() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    pass(&mut world, s, &segment(s, 900, None, true, 0));
    pass(&mut world, d, &segment(d, 100, Some(901), true, 0));
    pass(&mut world, s, &segment(s, 901, Some(101), false, 500));
    for leap in 1..9u32 {
        pass(
            &mut world,
            d,
            &segment(d, 101, Some(901u32.wrapping_add(leap.wrapping_mul(0x7000_0000))), false, 0),
        );
    }
    pass(&mut world, s, &segment(s, 1401, Some(101), false, 500));
    pass(&mut world, d, &segment(d, 101, Some(1901), false, 0));
    let report = world.report();
    let flow = data(&report);
    assert_eq!((flow.sent_segments, flow.delivered_bytes, flow.retransmissions), (2, 1000, 0));
}

// A forged log may contain a node without a host, or a datagram shorter than its header says.
#[test]
fn a_forged_or_truncated_datagram_is_not_forwarded() {
    let (s, d) = (NodeId(0), NodeId(4));
    let mut world = quiet();
    let whole = udp(s, d, [1, 2], &[0; 100]);
    for node in [NodeId(2), NodeId(1027), NodeId(u16::MAX)] {
        assert_eq!(pass(&mut world, node, &whole), []);
    }
    assert_eq!(pass(&mut world, s, &whole[..whole.len() - 1]), []);
    assert_eq!(world.ignored_datagrams(), 4);
    assert_eq!(pass(&mut world, s, &whole).len(), 1);
}

/// Runs senders with or without a listener for notices. Returns the number of delivered notices and of sent
/// notices by kind, and the hosts.
fn told(scheme: &'static str, hears: bool) -> ([u64; 5], [u64; 5], Stacks) {
    let hop = LastHop { attempts: if scheme == "eln" { 1 } else { 4 }, ..last_hop(scheme, 0.3) };
    let (plan, mut outside) = opened(&hop.plan());
    outside.host_nodes.iter_mut().for_each(|end| end.has_notice_listener = hears);
    let mut world = World::with_real_hosts(&plan, Some(&outside), 1, 0, None).expect("a plan with routes");
    let mut stacks = Stacks::new(&plan, 1);
    stacks.drive(&mut world, Time::ZERO + Span::from_secs(3));
    (data(&world.report()).notices, world.notices_to_real_senders(), stacks)
}

// Each failed attempt on the downlink causes a notice to the sender (Kounavis 1996). For real senders an EBSN
// is an ICMP message about the segment, which every kernel ignores.
#[test]
fn an_ebsn_leaves_the_network_as_icmp() {
    let (made, left, Stacks { messages, .. }) = told("ebsn", false);
    assert_eq!((messages.len() as u64, left), (made[NoticeKind::Ebsn.index()], made));
    assert!(messages.len() > 10, "{made:?}");
    for message in &messages {
        assert_eq!(real::verify_checksums(message), Ok(()));
        let seen = real::read_headers(message).expect("a datagram");
        assert_eq!((seen.protocol, seen.destination), (1, IpAddr::from(ipv4_address(NodeId(0)))));
        assert_eq!(seen.source, IpAddr::from(ipv4_address(NodeId(3))), "the base station sends the notice");
    }
}

// ELN and ERSN (Yun 2009 §3.1; Balakrishnan and Katz 1998) have the form of ACKs for real senders, and the
// ELN bit is set in an ACK. A sender with a listener receives all notices, others receive none. A sender with
// a listener reacts to them as a simulated sender does.
#[test]
fn only_senders_with_a_listener_receive_eln_and_ersn() {
    for (scheme, kinds) in
        [("ll-elsn", &[NoticeKind::Eln, NoticeKind::Ersn][..]), ("eln", &[NoticeKind::Eln])]
    {
        let (made, left, stacks) = told(scheme, true);
        assert_eq!(stacks.heard as u64, left.iter().sum::<u64>());
        assert!(scheme == "eln" || left == made, "{left:?} of {made:?}");
        assert!(kinds.iter().all(|kind| left[kind.index()] > 3), "{scheme}: {left:?}");
        assert!(stacks.messages.is_empty());
        let (_, left, stacks) = told(scheme, false);
        assert_eq!((left, stacks.heard, stacks.messages.len()), ([0; 5], 0, 0), "{scheme}");
    }
}
