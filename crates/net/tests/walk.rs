//! Packets on their way through a network: times, queues, causes of drops, and the path of a notice.

use crate::common::{LastHop, hosts, run, served_by, trace};
use airhop_base::{NodeId, Rate, Span};
use airhop_net::apps::{BulkPlan, CbrPlan, TransferPlan};
use airhop_net::links::Links;
use airhop_net::plan::{Plan, Transport};
use airhop_net::{BuildError, World};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use std::sync::Arc;

/// Returns a plan with one wired link from a to b.
fn wire(mbps: u64, delay: Span, packets: usize, errors: ErrorPlan) -> Plan {
    Plan {
        links: Links { wired: vec![hosts::wire(mbps, delay, packets, errors)], ..Links::default() },
        ..hosts::hosts(
            Span::from_secs(10),
            hosts::tcp("newreno", Preset::Ns2.config(1000)),
            Arc::new(BulkPlan),
        )
    }
}

fn udp(plan: &Plan, mbps: u64) -> Plan {
    let mut plan = plan.clone();
    plan.flows[0].transport = Transport::Udp { bytes: 972 };
    plan.flows[0].app = Arc::new(CbrPlan { rate: Rate::from_bps(mbps * 1_000_000) });
    plan
}

#[test]
fn wired_rtt_is_serialisation_plus_propagation() {
    // At 10 Mbit/s 1040 B take 832 µs and 40 B take 32 µs. With 5 ms in each direction the round trip is
    // 10.864 ms. A transfer of one segment has one round-trip sample.
    let mut plan = wire(10, Span::from_millis(5), 50, ErrorPlan::Clean);
    plan.flows[0].app = Arc::new(TransferPlan { bytes: 1000 });
    if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
        config.rto = Preset::Rfc.config(1000).rto;
    }
    let r = run(&plan, 1);
    assert_eq!(r.flows[0].delivered_bytes, 1000);
    assert!((r.flows[0].srtt_ms.expect("one sample") - 10.864).abs() < 1e-6, "{:?}", r.flows[0].srtt_ms);
}

#[test]
fn a_full_queue_drops_only_the_excess_packets() {
    // Datagrams of 1000 bytes arrive every 388.8 µs (20 Mbit/s of payload), and one leaves every 800 µs.
    // After 10 s the link has carried its full rate, and every datagram was delivered or dropped, or is one
    // of the 50 in the queue and 2 on the link.
    let r = run(&udp(&wire(10, Span::from_millis(5), 50, ErrorPlan::Clean), 20), 1);
    let f = &r.flows[0];
    let delivered = f.delivered_bytes / 972;
    assert_eq!(delivered, (10_000_000 - 5_000) / 800, "the link was never idle");
    let inside = f.sent_segments - delivered - r.drops[0];
    assert!(
        (50..=58).contains(&inside),
        "{inside}: a full queue, the packet in service, and 5 ms on the wire"
    );
}

/// Returns the changes of the queue length at one place: time in seconds, and length in packets.
fn queue_at(plan: &Plan, place: &str) -> Vec<(f64, u32)> {
    trace::queue_at(&trace::traced(plan, 1).1, place)
}

#[test]
fn a_trace_records_every_change_of_a_queue() {
    // A datagram arrives every 388.8 µs, and one leaves every 800 µs; the first leaves at once. When datagram
    // k arrives, k - 1 - floor(0.486 k) datagrams are queued; the datagram in service does not count. The
    // second datagram is therefore the first in the queue, and datagram 96 is the fiftieth, the maximum.
    let rows = queue_at(&udp(&wire(10, Span::from_millis(5), 50, ErrorPlan::Clean), 20), "a->b");
    assert_eq!(rows[0], (388.8e-6, 1));
    assert_eq!(rows.iter().find(|row| row.1 == 50), Some(&(0.037_324_8, 50)));
    assert_eq!(rows.iter().map(|row| row.1).max(), Some(50));
    assert!(
        rows.windows(2).all(|w| w[0].0 <= w[1].0 && w[0].1.abs_diff(w[1].1) == 1),
        "one packet at a time"
    );
    // After that every departure makes room for one arrival: two rows for each of the 12 500 departures,
    // except for the first 46.
    assert!(rows.len().abs_diff(2 * 12_500) < 100, "{}", rows.len());
}

#[test]
fn a_queue_is_named_after_its_only_peer_or_with_a_star() {
    let plan = LastHop { seconds: 20, ..LastHop::default() }.plan();
    let rows = queue_at(&plan, "bs->d");
    assert!(rows.iter().any(|row| row.1 > 1) && rows.iter().all(|row| row.1 <= 50));
    assert!(rows.windows(2).all(|w| w[0].1.abs_diff(w[1].1) == 1), "one packet at a time");
    let mut two = plan;
    two.nodes.push("e".into());
    two.links.wlans[0].nodes.push(NodeId(5));
    two.links.wlans[0].cell.stations.push(("e".into(), [0.0, 10.0]));
    assert_eq!(queue_at(&two, "bs->*"), rows, "an idle station changes nothing");
    assert_eq!(queue_at(&two, "bs->d"), []);
}

#[test]
fn a_lossy_wire_loses_the_configured_share() {
    // 12 500 datagrams are 10 s at 10 Mbit/s. At a loss rate of 3 %, 386 of the 12 860 sent are lost in the
    // mean, and five standard deviations are 97.
    let r = run(&udp(&wire(100, Span::ZERO, 50, ErrorPlan::Loss(0.03)), 10), 1);
    let sent = r.flows[0].sent_segments as f64;
    let lost = r.drops[2] as f64;
    assert!((lost - 0.03 * sent).abs() < 5.0 * (0.03 * 0.97 * sent).sqrt(), "{lost} of {sent}");
}

#[test]
fn a_flow_without_a_route_is_refused() {
    let mut plan = wire(10, Span::ZERO, 5, ErrorPlan::Clean);
    plan.nodes.push("island".into());
    plan.flows[0].to = NodeId(2);
    let refused = World::new(&plan, 1, 0, None).err();
    let expected = BuildError::NoRoute { flow: "f".into(), from: "a".into(), to: "island".into() };
    assert_eq!(refused, Some(expected));
}

#[test]
fn every_discarded_segment_causes_an_eln_in_both_directions() {
    // Each discarded data frame causes one ELN (Yun 2009 §3.1). On the downlink it is a packet that needs 30
    // ms and may be in flight at the end; on the uplink it is a function call. A discarded pure ACK causes no
    // notice.
    for uplink in [false, true] {
        let hop = LastHop { scheme: "ll-elsn", uplink, seconds: 60, ..LastHop::default() };
        let r = hop.run(1);
        let (eln, ersn) = (r.flows[0].notices[0], r.flows[0].notices[1]);
        assert!(eln > 100, "uplink {uplink}: {eln}");
        assert!(eln <= r.drops[4], "uplink {uplink}: more ELNs than discarded packets");
        assert_eq!(ersn, 0, "one attempt: no frame is retransmitted");
        assert_eq!(r.flows[0].timeouts, 0, "uplink {uplink}");
    }
}

#[test]
fn the_first_link_retransmission_causes_one_ersn() {
    // With two attempts per frame, an ERSN occurs with probability p and an ELN with p² (Yun 2009 §3.3). Here
    // p is the FER plus the probability of a collision.
    let hop = LastHop { scheme: "ll-elsn", attempts: 2, fer: 0.1, seconds: 60, ..LastHop::default() };
    let r = hop.run(1);
    let (eln, ersn) = (r.flows[0].notices[0] as f64, r.flows[0].notices[1] as f64);
    let p = ersn / r.flows[0].sent_segments as f64;
    assert!(p > 0.1, "without collisions the probability is 0.1: {p}");
    // A second collision is less likely, because the contention window doubles, so the probability of an ELN
    // is at most p².
    assert!(eln / ersn < p && eln / ersn > 0.1 * 0.8, "{} of {p}", eln / ersn);
}

#[test]
fn a_notice_can_be_lost_on_its_path() {
    // A quarter of all packets from the base station to the sender are lost, also ELNs. For the losses
    // without an ELN, the connection depends on duplicate ACKs and timeouts.
    let mut plan = LastHop { scheme: "ll-elsn", seconds: 60, ..LastHop::default() }.plan();
    plan.links.wired[0].errors[1] = ErrorPlan::Loss(0.25);
    let r = run(&plan, 1);
    let f = &r.flows[0];
    assert!(f.notices[0] > 0 && f.fast_recoveries > 0, "{f:?}");
    assert!(f.delivered_bytes > 1_000_000);
}

// Agents have 16-bit numbers, so there can be at most 65 535.
#[test]
fn more_than_65535_agents_are_refused() {
    let mut plan = LastHop::default().plan();
    plan.flows[0].services = served_by(&["elsn"]).repeat(usize::from(u16::MAX));
    assert!(World::new(&plan, 1, 0, None).is_ok());
    plan.flows[0].services.extend(served_by(&["elsn"]));
    let refused = World::new(&plan, 1, 0, None).err();
    assert_eq!(refused, Some(BuildError::TooManyAgents { flow: "f0".into() }));
}
