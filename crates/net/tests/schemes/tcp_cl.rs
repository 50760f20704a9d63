//! TCP-CL (Cheng and Lin 2008) and TCP-CC (Hamadani and Rakocevic 2007) on chains of static stations.

use crate::common::{
    chain::{Chain, cell, naks},
    run,
};
use airhop_base::{Body, DropCause, Packet, Time};
use airhop_net::plan::{Plan, RoutingPlan};
use airhop_net::{FlowReport, Report, World};
use airhop_radio::cell::{CellPlan, LinkErrors};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::phy::Phy;
use airhop_tcp::Preset;
use airhop_tcp::seams::LossClass;
use airhop_trace::Recorder;
use pcap_file::pcapng::blocks::enhanced_packet::EnhancedPacketOption;
use pcap_file::pcapng::{Block, PcapNgReader};
use std::fs::File;
use std::path::Path;
use std::sync::atomic::AtomicBool;

/// Returns a plan with five stations and a bulk flow over four hops. Data frames from the third to the fourth
/// station are lost with probability `fer`; a MAC makes at most four attempts.
fn chain(scheme: &'static str, fer: f64, given: &[(&'static str, f64)]) -> Plan {
    let model = ErrorPlan::FrameErrorRate { fer, reference_bits: 1076 * 8 };
    let errors = vec![LinkErrors { from: Some(2), to: Some(3), model }];
    let mut config = Preset::Ns2.config(1000);
    config.receive_window = 4_000;
    Chain {
        params: given.to_vec(),
        config,
        start: Time::ZERO,
        seconds: 40,
        cell: CellPlan { max_attempts: 4, errors, ..cell("chain", Phy::ERP_OFDM, 36, 24) },
        ..Chain::new(4, scheme, RoutingPlan::Static)
    }
    .plan()
}

/// Packets of a capture at a node: true for a packet that entered the node, false for one that left it.
type Seen = Vec<(bool, Packet)>;

/// Runs a plan; returns the report and the capture at each node.
fn captured(plan: &Plan, name: &str) -> (Report, Vec<Seen>) {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let recorder =
        Recorder::new(&["ftp".into()], &plan.nodes, plan.duration, false, Some(&dir)).expect("a directory");
    let mut world = World::new(plan, 1, 0, Some(recorder)).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    world.check_packet_counts().expect("every packet has exactly one outcome");
    let report = world.report();
    world.into_recorder().expect("the flow has one").finish().expect("room on the disk");
    (report, plan.nodes.iter().map(|node| read(&dir.join(format!("{node}.pcapng")))).collect())
}

fn read(path: &Path) -> Seen {
    let mut reader = PcapNgReader::new(File::open(path).expect("a capture")).expect("pcapng");
    let mut seen = Vec::new();
    while let Some(block) = reader.next_block() {
        let Block::EnhancedPacket(block) = block.expect("a block") else { continue };
        let is_in = block.options.iter().any(|o| matches!(o, EnhancedPacketOption::Flags(f) if f & 3 == 1));
        // The decoder also checks checksums and lengths.
        seen.push((is_in, airhop_wire::decode(&block.data).expect("a packet of Airhop").packet));
    }
    seen
}

/// Returns the sequence numbers in the NAKs of ACKs that entered or left a node.
fn named(seen: &Seen, is_in: bool) -> Vec<u64> {
    let packets = seen.iter().filter(|seen| seen.0 == is_in);
    packets.filter_map(|seen| seen.1.segment()).flat_map(|s| s.options.naks.seqs().to_vec()).collect()
}

/// Returns the numbers of losses that the sender classified as wireless, correctly and wrongly.
fn wireless(f: &FlowReport) -> (u64, u64) {
    let [queue, aqm, channel, collision, none] = f.judgements[LossClass::Wireless as usize];
    (channel + collision, queue + aqm + none)
}

// When a node in the middle gives up a segment, it writes the sequence number into an ACK (Cheng and Lin
// 2008). The source, two hops away, retransmits the segment without a reduction of the window. The source's
// own MAC reports discards by function calls, so no ACK has their numbers.
#[test]
fn an_ack_carries_the_nak_of_a_discard_to_the_source() {
    let (r, at) = captured(&chain("tcp-cl", 0.3, &[]), "naks");
    let f = &r.flows[0];
    let (heard, by_air) = (named(&at[0], true), [1, 2, 3, 4].map(|node| named(&at[node], false)));
    assert!(by_air[1].len() > 50 && by_air[2].is_empty() && by_air[3].is_empty(), "{f:?}");
    // The source receives the NAKs that its next hop forwards, and perhaps repeats, and the function calls of
    // its own MAC.
    assert!(heard.len() > 50 && heard.len() as u64 <= naks(f), "{f:?}");
    assert!(heard.len() <= by_air[0].len() && heard.iter().all(|seq| by_air[0].contains(seq)));
    assert!(by_air[1].iter().filter(|seq| heard.contains(seq)).count() > by_air[1].len() * 9 / 10);
    let (right, wrong) = wireless(f);
    assert!(right > 50 && wrong == 0 && right <= naks(f), "{f:?}");
    // All discarded segments were retransmitted, and hardly any discard caused a reduction of the window.
    assert!(f.window_cuts < right / 4 && f.retransmissions >= right, "{f:?}");
    let reno = run(&chain("reno", 0.3, &[]), 1);
    assert!(f.goodput_mbps > 1.5 * reno.flows[0].goodput_mbps, "{f:?} {reno:?}");
}

// RET_F limits the number of NAKs: at 0 there are none, and TCP-CL behaves as Reno; a larger value causes
// more. Readings of the paper that omit some NAKs have fewer.
#[test]
fn ret_f_limits_the_number_of_naks() {
    let told = |given: &[(&'static str, f64)]| naks(&run(&chain("tcp-cl", 0.5, given), 1).flows[0]);
    let (none, reno) = (run(&chain("tcp-cl", 0.5, &[("n", 0.0)]), 1), run(&chain("reno", 0.5, &[]), 1));
    assert_eq!((none.fingerprint, none.drops), (reno.fingerprint, reno.drops));
    assert_eq!(naks(&none.flows[0]), 0);
    let (one, many) = (told(&[]), told(&[("n", 1e6)]));
    assert!(one > 20 && many > one, "{one} {many}");
    assert!(told(&[("no_ack", 1.0)]) < one && told(&[("ret_f", 1.0)]) <= 4);
}

// The NAKs of the third station are sent either only on queued ACKs, or also in separate packets.
#[test]
fn naks_are_sent_on_queued_acks_or_in_separate_packets() {
    for (no_ack, name) in [(1.0, "drop"), (2.0, "send")] {
        let (_, at) = captured(&chain("tcp-cl", 0.5, &[("no_ack", no_ack)]), name);
        let alone = |seen: &Seen| seen.iter().filter(|s| matches!(s.1.body, Body::Notice(_))).count();
        assert!(named(&at[2], false).len() > 20, "ACKs wait at times: {name}");
        assert_eq!(alone(&at[2]) > 20, name == "send");
        assert_eq!(alone(&at[0]) > 20, name == "send");
    }
}

// Every node adds the contention time of a segment to a field of the segment (TCP-CC, Hamadani and Rakocevic
// 2007). The sum is zero at the source. At each hop it grows by a DIFS and half of CWmin on average, at
// least.
#[test]
fn contention_time_adds_up_over_the_hops() {
    let (_, at) = captured(&chain("tcp-cc", 0.0, &[]), "contention");
    let of = |node: usize, is_in| {
        let segments = at[node].iter().filter(|seen| seen.0 == is_in).filter_map(|seen| seen.1.segment());
        let data =
            segments.filter(|s| s.len > 0).map(|s| s.options.contention_time.expect("a field").secs_f64());
        data.collect::<Vec<f64>>()
    };
    let mean = |all: &[f64]| all.iter().sum::<f64>() / all.len() as f64;
    assert!(of(0, false).len() > 100 && of(0, false).iter().all(|&contention| contention == 0.0));
    // A capture contains packets as they leave the node.
    let hops = [mean(&of(1, false)), mean(&of(2, false)), mean(&of(3, false)), mean(&of(4, true))];
    let least = 28e-6 + 15.0 / 2.0 * 9e-6;
    assert!(hops[0] > least && hops.windows(2).all(|h| h[1] > h[0] + least), "{hops:?}");
}

// A node may be a station of two cells on the path of a flow. One agent serves the flow there, so each loss
// is reported once.
#[test]
fn a_gateway_between_two_cells_reports_a_loss_once() {
    let mut plan = chain("tcp-cl", 0.5, &[("no_ack", 2.0)]);
    let mut beyond = plan.links.wlans[0].clone();
    let nearer = &mut plan.links.wlans[0];
    nearer.nodes.truncate(3);
    nearer.cell.stations.truncate(3);
    nearer.cell.errors.clear();
    beyond.nodes.drain(..2);
    beyond.cell.stations.drain(..2);
    (beyond.cell.index, beyond.cell.name) = (1, "beyond".into());
    (beyond.cell.errors[0].from, beyond.cell.errors[0].to) = (Some(0), Some(1));
    plan.links.wlans.push(beyond);
    let report = run(&plan, 1);
    let (told, given_up) = (naks(&report.flows[0]), report.drops[DropCause::Retries as usize]);
    assert!((50..=given_up).contains(&told), "{told} NAKs for {given_up} discarded packets");
}
