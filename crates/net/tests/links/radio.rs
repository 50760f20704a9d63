//! Radio links in networks: times, queues, causes of drops, agents and determinism.

use crate::common;
use crate::common::radio::{FRAME, Mobile, PAYLOAD, fades, recovery, rules};
use crate::common::trace::{Sent, on_air, queue_at, traced};
use crate::common::{run, served_by};
use airhop_base::{DropCause, NodeId, NoticeKind, Rate, Span};
use airhop_net::apps::TransferPlan;
use airhop_net::links::RadioLinkPlan;
use airhop_net::plan::{FlowPlan, Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_net::{Report, World, services};
use airhop_radio::arq::ArqPlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

const PLAIN: [ArqPlan; 2] = [ArqPlan::None, ArqPlan::None];

fn dropped(r: &Report, why: DropCause) -> u64 {
    r.drops[why as usize]
}

fn notices(r: &Report, kind: NoticeKind) -> u64 {
    let place = NoticeKind::ALL.iter().position(|&k| k == kind);
    r.flows[0].notices[place.expect("all kinds occur")]
}

/// Returns the duration in ms of the transmission of `bytes` bytes at `kbps` kbit/s.
fn ms(bytes: f64, kbps: f64) -> f64 {
    bytes * 8.0 / kbps
}

// ---- times -------------------------------------------------------------------------------------------------------------------

// A transfer with one segment in flight: 128 bytes and an ACK of 40 bytes, at 56 and at 19.2 kbit/s, with
// delays of 50 and 10 ms each way. With link recovery the TCP ACK waits for the link ACK of its segment, 6
// bytes. Headers of the link layer exist only on the radio link.
#[test]
fn radio_link_rtt_is_serialisation_plus_propagation() {
    for (arq, overhead, link_ack) in [(PLAIN, 0, 0.0), (PLAIN, 4, 0.0), (recovery(None), 4, 6.0)] {
        let mut plan = Mobile { arq, overhead, ..Mobile::default() }.plan();
        plan.flows[0].app = Arc::new(TransferPlan { bytes: u64::from(PAYLOAD) });
        if let Transport::Tcp { config, .. } = &mut plan.flows[0].transport {
            config.rto = airhop_tcp::Preset::Rfc.config(PAYLOAD).rto; // exact times
        }
        let r = run(&plan, 1);
        let air = f64::from(overhead);
        let expected =
            ms(128.0 + 40.0, 56.0) + ms(128.0 + 40.0 + 2.0 * air + link_ack, 19.2) + 2.0 * (50.0 + 10.0);
        let measured = r.flows[0].srtt_ms.expect("one sample");
        assert!((measured - expected).abs() < 1e-5, "{measured} ms, by hand {expected} ms");
    }
}

// A saturated link carries its full rate: 128 bytes per segment. In the direction of the data it also carries
// the link ACKs of the TCP ACKs.
#[test]
fn a_saturated_clean_radio_link_carries_its_rate() {
    for (arq, link_ack) in [(PLAIN, 0.0), (recovery(None), 6.0)] {
        let mobile = Mobile { arq: arq.clone(), scheme: "reno", seconds: 400, ..Mobile::default() };
        let mut plan = mobile.plan();
        plan.warmup = Span::from_secs(50);
        let expected = 19.2e-3 * f64::from(PAYLOAD) / (f64::from(FRAME) + link_ack);
        let goodput = run(&plan, 1).flows[0].goodput_mbps;
        assert!((goodput / expected - 1.0).abs() < 0.001, "{arq:?}: {goodput} of {expected} Mbit/s");
    }
    // Reno in ns-2 without errors has 13.18 kbit/s over 200 s, with a delay of 1 ms on the radio link.
    let ns2 = Mobile { scheme: "reno", air_delay_ms: 1, seconds: 200, ..Mobile::default() };
    let goodput = run(&ns2.plan(), 1).flows[0].goodput_mbps;
    assert!((goodput * 1e3 - 13.18).abs() < 0.02, "{goodput}");
}

// The path properties that the simulator reports to a congestion control match the behaviour of the path.
// `oracle.rs` tests other paths.
#[test]
fn a_small_arq_window_limits_the_rate_of_the_link() {
    // Stop-and-wait: for each 88 bytes of payload a frame, its ACK, and 10 ms in each direction. No link ACK
    // waits for data: a TCP ACK is sent after the link ACK of its segment, and ends before the next link ACK.
    let wait =
        ArqPlan::GoBackN { group: airhop_radio::arq::RetransmissionGroup::Sliding, rules: rules(1, None) };
    let mobile = Mobile { arq: [wait, ArqPlan::None], seconds: 200, scheme: "reno", ..Mobile::default() };
    let cycle = ms(128.0 + 6.0, 19.2) + 20.0;
    let expected = f64::from(PAYLOAD) * 8.0 / cycle;
    let mut plan = mobile.plan();
    plan.warmup = Span::from_secs(20);
    let goodput = run(&plan, 1).flows[0].goodput_mbps * 1e3;
    assert!((goodput / expected - 1.0).abs() < 0.002, "{goodput} of {expected} kbit/s");
}

/// Returns the frames that a node sent, in the order of their start.
fn sent_by<'a>(air: &'a [Sent], node: &str) -> Vec<&'a Sent> {
    let mut sent: Vec<&Sent> = air.iter().filter(|s| s.from == node).collect();
    sent.sort_by(|a, b| a.start.total_cmp(&b.start));
    sent
}

/// Returns a plan of a link with data in both directions and with errors, and with a window that is not
/// always full.
fn busy() -> Plan {
    let mobile = Mobile {
        arq: recovery(None),
        errors: ErrorPlan::FrameErrorRate { fer: 0.1, reference_bits: u64::from(FRAME) * 8 },
        overhead: 3,
        ..Mobile::default()
    };
    let mut plan = mobile.plan();
    plan.flows.push(FlowPlan { name: "up".into(), ..mobile.flow("up", NodeId(2), NodeId(0)) });
    plan
}

// Each end has one transmitter: it sends one frame at a time, each for the serialisation time of its bytes,
// without gaps while there is data.
#[test]
fn a_transmitter_sends_one_frame_at_a_time() {
    let (_, tables) = traced(&busy(), 1);
    let air = on_air(&tables);
    let nanosecond = 2e-9;
    for node in ["bs", "m"] {
        let sent = sent_by(&air, node);
        assert!(sent.len() > 1000, "{node}: {}", sent.len());
        for frame in &sent {
            let time = ms(f64::from(frame.bytes), 19.2) / 1e3;
            assert!((frame.end - frame.start - time).abs() < nanosecond, "{frame:?}");
        }
        assert!(
            sent.windows(2).all(|w| w[1].start > w[0].end - nanosecond),
            "{node} sends two frames at the same time"
        );
        let adjacent = sent.windows(2).filter(|w| w[1].start < w[0].end + nanosecond).count();
        assert!(adjacent * 2 > sent.len(), "{node}: {adjacent} of {} without a pause", sent.len());
    }
}

// Each data frame that arrives is answered by a link ACK as soon as the transmitter is free, before any more
// data.
#[test]
fn link_acks_precede_data_frames() {
    let (_, tables) = traced(&busy(), 1);
    let air = on_air(&tables);
    for (node, other) in [("bs", "m"), ("m", "bs")] {
        let arrivals: Vec<f64> = sent_by(&air, other)
            .iter()
            .filter(|s| s.kind == "data" && s.outcome == "received")
            .map(|s| s.end + 0.01)
            .collect();
        let sent = sent_by(&air, node);
        let mut checked = 0;
        for (i, &arrival) in arrivals.iter().enumerate().take_while(|(_, at)| **at < 99.0) {
            // Data that starts at the time of the arrival is sent before the ACK.
            let mut later = sent.iter().skip_while(|s| s.start < arrival - 1e-8);
            let next = later.find(|s| s.kind == "ack" || s.start >= arrival + 1e-8);
            let next = next.expect("the end sends a link ACK");
            assert_eq!(
                (next.kind.as_str(), next.bytes),
                ("ack", 6),
                "after arrival {i} at {arrival}: {next:?}"
            );
            checked += 1;
        }
        assert!(checked > 500, "{node}: {checked}");
    }
}

// Kinds and sequence numbers of frames in the trace: data of 128 + 3 bytes, TCP ACKs of 40 + 3, link ACKs of
// 6. The numbers are correct even for a frame whose packet was delivered long before.
#[test]
fn frames_are_traced_with_kind_and_sequence_number() {
    let (_, tables) = traced(&busy(), 1);
    let air = on_air(&tables);
    for frame in &air {
        let expected = match (frame.kind.as_str(), frame.packet.as_str()) {
            ("data", "data") => 131,
            ("data", "ack") => 43,
            ("ack", "control") => 6,
            other => panic!("{other:?}: {frame:?}"),
        };
        assert_eq!(frame.bytes, expected, "{frame:?}");
        assert!(frame.attempt >= 1 && (frame.from == "bs") == (frame.to == "m"), "{frame:?}");
        let is_segment = frame.packet == "data";
        assert!(!is_segment || frame.seq % u64::from(PAYLOAD) == 1 % u64::from(PAYLOAD), "{frame:?}");
    }
    // Go-back-n also retransmits frames that had arrived: their attempt numbers increase after their packet
    // has been delivered.
    let again = air.iter().filter(|s| s.attempt > 1 && s.outcome == "received" && s.packet == "data").count();
    assert!(again > 50, "{again}");
}

// ---- queues and drops --------------------------------------------------------------------------------------------------------

// A datagram of 128 bytes every 50 ms arrives at a link that needs 53.33 ms for each. First the window of
// three frames fills, then the queue, which has room for 50 packets besides those in the window.
#[test]
fn the_radio_queue_counts_packets_beyond_the_arq_window() {
    for (arq, in_service) in [(PLAIN, 1), (recovery(None), 3)] {
        let mut plan = Mobile { arq, ..Mobile::default() }.datagrams(16_000);
        plan.links.wired[0].rates = LinkRate::both_ways(Rate::from_bps(1_000_000_000));
        let interval = 0.05;
        // There is no other traffic, so the mobile sends only link ACKs. Datagram k arrives at 50 ms × k.
        // Frame i ends 53.33 ms × (i + 1) after the first arrival. At that time its place in the window is
        // free; with recovery, an ACK and twice 10 ms later.
        let answer = if in_service == 1 { 0.0 } else { 0.0025 + 0.02 };
        let (r, tables) = traced(&plan, 1);
        let rows = queue_at(&tables, "bs->m");
        assert_eq!(rows.iter().map(|row| row.1).max(), Some(50));
        // The first datagram that is queued has the lowest k for which k + 1 datagrams have arrived and fewer
        // than k + 1 - in_service have left the window.
        let left = |at: f64| ((at - answer) / (0.128 * 8.0 / 19.2)).max(0.0).floor() as i64;
        let first = (0..1000)
            .find(|&k| k + 1 - left(interval * k as f64 + 1e-9) > in_service)
            .expect("the queue fills");
        let at = 0.05 + interval * first as f64 + 8.0 * 128.0 / 1e9;
        assert!((rows[0].0 - at).abs() < 2e-9 && rows[0].1 == 1, "{:?}, by hand {at}", rows[0]);
        // Each sent packet is delivered, dropped by the queue, queued, on the radio link, or on the wire (at
        // most 2).
        let f = &r.flows[0];
        let inside = f.sent_segments - f.delivered_bytes / 100 - dropped(&r, DropCause::Queue);
        let full = 50 + in_service as u64;
        assert!((full..=full + 2).contains(&inside), "{inside} packets in the link");
        assert_eq!(r.drops.iter().sum::<u64>(), dropped(&r, DropCause::Queue));
    }
}

// Counters in the report: `channel` is the number of frames that errors destroyed, both data and link ACKs;
// `retries` is the number of packets that link recovery gave up. Each destroyed frame is a lost packet
// without recovery, no packet is lost with unlimited recovery, and with a limit of attempts the packets given
// up are lost.
#[test]
fn drops_are_counted_by_cause() {
    let errors = ErrorPlan::FrameErrorRate { fer: 0.3, reference_bits: u64::from(FRAME) * 8 };
    for attempts in [None, Some(Some(2)), Some(None)] {
        let arq = attempts.map_or(PLAIN, recovery);
        // The load is a third of the rate of the link, so no queue overflows.
        let plan = Mobile { arq, errors: errors.clone(), seconds: 400, ..Mobile::default() }.datagrams(5_000);
        let (r, tables) = traced(&plan, 1);
        let air = on_air(&tables);
        let corrupted =
            |kind: &str| air.iter().filter(|s| s.kind == kind && s.outcome == "channel").count() as u64;
        let [channel, retries] = [DropCause::Channel, DropCause::Retries].map(|why| dropped(&r, why));
        // The last frame of each end may still be on its way.
        assert!(corrupted("data") + corrupted("ack") - channel <= 2, "{attempts:?}");
        assert_eq!(dropped(&r, DropCause::Queue), 0);
        let f = &r.flows[0];
        let missing = f.sent_segments - f.delivered_bytes / 100;
        match attempts {
            None => {
                assert!(channel > 600 && retries == 0 && corrupted("ack") == 0);
                assert!((0..5).contains(&(missing - channel)), "{missing} missing, {channel} lost");
            }
            Some(None) => {
                assert!(channel > 600 && retries == 0 && corrupted("ack") > 0);
                assert!(missing < 40, "{missing} missing: the packets in the link");
            }
            // The probability that a packet is lost twice is 9 %. Go-back-n also gives up packets that
            // arrived out of order, and packets of which only the link ACKs were lost.
            Some(Some(_)) => {
                assert!(
                    retries > 100 && (missing.saturating_sub(12)) <= retries,
                    "{missing} missing, {retries} discarded"
                );
            }
        }
    }
}

/// On a link that delivers the headers of corrupted packets (TCP HACK), the packet is lost but its headers
/// arrive.
#[test]
fn headers_of_damaged_segments_are_delivered() {
    let errors = ErrorPlan::FrameErrorRate { fer: 0.2, reference_bits: u64::from(FRAME) * 8 };
    let goodput = |scheme, arq: [ArqPlan; 2]| {
        let mobile = Mobile { scheme, arq, errors: errors.clone(), seconds: 400, ..Mobile::default() };
        run(&mobile.plan(), 1).flows[0].goodput_mbps
    };
    let (hack, sack) = (goodput("hack", PLAIN), goodput("sack", PLAIN));
    assert!(hack > 1.5 * sack, "{hack} and {sack}");
    // With link recovery the segment itself arrives a little later, so the delivered headers are of little
    // use and cost little.
    let (hack, sack) = (goodput("hack", recovery(None)), goodput("sack", recovery(None)));
    assert!(hack > 0.8 * sack, "{hack} and {sack}");
}

// ---- agents ------------------------------------------------------------------------------------------------------------------

// The agent sends an ERSN when the link layer starts to retransmit a segment, and an ELN when the link layer
// gives it up (Yun 2009 §3.1). On the downlink the notice is a packet; if the sender is on the same station,
// it is a function call.
#[test]
fn link_retransmission_causes_ersn_and_discard_eln() {
    let errors = ErrorPlan::FrameErrorRate { fer: 0.1, reference_bits: u64::from(FRAME) * 8 };
    for to_mobile in [false, true] {
        let of = |arq| {
            let mobile = Mobile {
                scheme: "ll-elsn",
                to_mobile,
                arq,
                errors: errors.clone(),
                seconds: 400,
                ..Mobile::default()
            };
            run(&mobile.plan(), 1)
        };
        let persistent = of(recovery(None));
        assert_eq!(notices(&persistent, NoticeKind::Eln), 0, "no packet is discarded");
        assert!(notices(&persistent, NoticeKind::Ersn) > 200, "{:?}", persistent.flows[0]);
        let twice = of(recovery(Some(2)));
        assert!(notices(&twice, NoticeKind::Eln) > 20, "{:?}", twice.flows[0]);
        assert!(notices(&twice, NoticeKind::Eln) <= dropped(&twice, DropCause::Retries));
        let plain = of(PLAIN);
        assert_eq!(
            [NoticeKind::Eln, NoticeKind::Ersn].map(|kind| notices(&plain, kind)),
            [0, 0],
            "no node detects this"
        );
    }
}

/// Returns the plan with this service instead of the services of the scheme.
fn served(mut plan: Plan, service: &str) -> Plan {
    plan.flows[0].services = served_by(&[service]);
    plan
}

// Base stations measure the lengths of fades, as far as their link layer can detect them, and announce them
// (Kounavis 1996 §4), also in an 802.11 cell.
#[test]
fn agents_observe_fades_of_cells_and_radio_links() {
    let mobile =
        Mobile { scheme: "rttn", arq: recovery(None), errors: fades(), seconds: 400, ..Mobile::default() };
    for to_mobile in [false, true] {
        let r = run(&Mobile { to_mobile, ..mobile.clone() }.plan(), 1);
        assert!(notices(&r, NoticeKind::Rttn) > 10, "{:?}", r.flows[0]);
    }
    let clean = run(&Mobile { errors: ErrorPlan::Clean, ..mobile }.plan(), 1);
    assert_eq!(notices(&clean, NoticeKind::Rttn), 0, "there are no fades");
    let hop = common::LastHop { scheme: "rttn", attempts: 255, seconds: 100, ..common::LastHop::default() };
    let mut cell = hop.plan();
    cell.links.wlans[0].cell.retry_delay = Span::from_millis(20);
    cell.links.wlans[0].cell.errors[0].model = fades();
    let r = run(&cell, 1);
    assert!(notices(&r, NoticeKind::Rttn) > 3, "{:?}", r.flows[0]);
    cell.links.wlans[0].cell.errors.clear();
    cell.links.wlans[0].cell.max_attempts = 255;
    // Collisions also count as fades, but are short: the announced lengths are milliseconds.
    let (with, without) = (run(&cell, 1), run(&served(cell, "snoop"), 1));
    assert!(notices(&with, NoticeKind::Rttn) > 0 && notices(&without, NoticeKind::Rttn) == 0);
}

// Two base stations are on one path, each with an agent. The first agent serves the uplink of the first
// mobile, the second the downlink to the second mobile (Balakrishnan and Katz 1998). Each marks the losses of
// its own radio link.
#[test]
fn each_base_station_reports_losses_of_its_own_link() {
    let errors = ErrorPlan::FrameErrorRate { fer: 0.03, reference_bits: u64::from(FRAME) * 8 };
    let mut both = 0.0;
    for lossy in [vec![0], vec![1], vec![0, 1]] {
        let mut plan = Mobile { scheme: "eln", to_mobile: true, seconds: 1000, ..Mobile::default() }.plan();
        for &link in &lossy {
            plan.links.radios[link].link.errors[0] = errors.clone();
        }
        let r = run(&plan, 1);
        let f = &r.flows[0];
        let eln = notices(&r, NoticeKind::Eln) as f64;
        // There is about one ELN for each loss that three duplicate ACKs follow.
        assert!(eln > 0.5 * dropped(&r, DropCause::Channel) as f64, "{lossy:?}: {eln} {:?} {f:?}", r.drops);
        both = eln;
    }
    assert!(both > 0.0);
    // Base stations do not mark losses in queues. Exceptions are a few retransmissions that overtake other
    // segments.
    let mut congested =
        Mobile { scheme: "eln", to_mobile: true, window: 100, seconds: 400, ..Mobile::default() }.plan();
    congested.links.wired[0].queue = [QueuePlan::DropTail { packets: 3 }; 2];
    congested.links.wired[0].rates = LinkRate::both_ways(Rate::from_bps(12_000));
    let r = run(&congested, 1);
    let (lost, marked) = (dropped(&r, DropCause::Queue), notices(&r, NoticeKind::Eln));
    assert!(lost > 50 && marked * 20 < lost, "{:?} {:?}", r.drops, r.flows[0]);
}

/// Runs each scheme with the services that it needs, and each service alone, on both topologies and with each
/// kind of link recovery. Every run completes, all its packets are accounted for, and data arrives in good
/// periods.
#[test]
fn every_scheme_and_service_runs_over_radio_links() {
    let mut worlds = 0;
    for to_mobile in [false, true] {
        for arq in [PLAIN, recovery(None), recovery(Some(3))] {
            let mobile =
                Mobile { to_mobile, arq: arq.clone(), errors: fades(), seconds: 150, ..Mobile::default() };
            let schemes =
                airhop_tcp::schemes().into_iter().map(|s| Mobile { scheme: s.name, ..mobile.clone() }.plan());
            let with_service = services::names().into_iter().map(|name| {
                let newreno = Mobile { scheme: "newreno", ..mobile.clone() }.plan();
                (name, served(newreno, name))
            });
            let named = schemes.map(|plan| (plan.flows[0].scheme_name(), plan));
            for (name, plan) in named.chain(with_service) {
                let r = run(&plan, 1);
                let kbps = r.flows[0].goodput_mbps * 1e3;
                assert!(kbps > 1.0, "{name}, to mobile {to_mobile}, {arq:?}: {kbps} kbit/s");
                worlds += 1;
            }
        }
    }
    assert!(worlds > 6 * 35, "{worlds}");
}

/// Access to the name of a flow's scheme.
trait SchemeName {
    fn scheme_name(&self) -> &'static str;
}

impl SchemeName for FlowPlan {
    fn scheme_name(&self) -> &'static str {
        match &self.transport {
            Transport::Tcp { scheme, .. } => scheme.name,
            Transport::Udp { .. } => "udp",
        }
    }
}

// ---- determinism -------------------------------------------------------------------------------------------------------------

fn short() -> Mobile {
    Mobile { scheme: "ll-elsn", arq: recovery(Some(5)), errors: fades(), ..Mobile::default() }
}

#[test]
fn plan_and_seed_determine_a_run_on_any_thread() {
    for to_mobile in [false, true] {
        let plan = Mobile { to_mobile, ..short() }.plan();
        let alone = run(&plan, 1);
        let together: Vec<_> = std::thread::scope(|s| {
            let runs: Vec<_> = (0..2).map(|_| s.spawn(|| run(&plan, 1))).collect();
            runs.into_iter().map(|r| r.join().expect("no panic")).collect()
        });
        assert!(together.iter().all(|r| *r == alone));
        assert_ne!(run(&plan, 2).fingerprint, alone.fingerprint, "the seed matters");
        // Tracing does not change the run, although a link that is traced schedules more events.
        assert_eq!(traced(&plan, 1).0, alone);
    }
}

// Each random stream has a name, so another radio link in the plan, before or after this one, does not change
// the run.
#[test]
fn another_radio_link_does_not_change_the_run() {
    let plan = short().plan();
    let mut more = plan.clone();
    more.nodes.extend(["a0", "zz"].map(String::from));
    let aside = RadioLinkPlan { nodes: [NodeId(3), NodeId(4)], ..plan.links.radios[0].clone() };
    more.links.radios.insert(0, aside);
    for (i, radio) in more.links.radios.iter_mut().enumerate() {
        radio.link.index = i as u16;
        radio.link.name = ["aside", "air0"][i].into();
    }
    more.links.radios[0].link.ends = ["a0", "zz"].map(String::from);
    assert_eq!(run(&plan, 3), run(&more, 3));
}

#[test]
fn a_warm_up_changes_counters_but_no_event() {
    let plan = short().plan();
    let whole = run(&plan, 1);
    let first = run(&Plan { duration: Span::from_secs(30), ..plan.clone() }, 1);
    let rest = run(&Plan { warmup: Span::from_secs(30), ..plan }, 1);
    assert_eq!((rest.fingerprint, rest.events), (whole.fingerprint, whole.events));
    let sums = first.drops.iter().zip(rest.drops).map(|(a, b)| a + b);
    assert!(sums.eq(whole.drops));
}

#[test]
fn two_mobiles_communicate_without_a_wired_link() {
    let mut plan = short().plan();
    plan.links.wired.clear();
    plan.flows = vec![short().flow("down", NodeId(1), NodeId(2)), short().flow("up", NodeId(2), NodeId(1))];
    let mut world = World::new(&plan, 1, 0, None).expect("a good plan");
    world.run(&AtomicBool::new(false)).expect("no stop is requested");
    world.check_packet_counts().expect("every packet has exactly one outcome");
    let delivered = world.report().flows.iter().map(|f| f.delivered_bytes).collect::<Vec<_>>();
    assert!(delivered.iter().all(|&bytes| bytes > 10_000), "{delivered:?}");
}
