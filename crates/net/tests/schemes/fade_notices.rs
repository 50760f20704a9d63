//! EBSN and RTTN on links that fade (Kounavis 1996), and the simulator's counts of timeouts and notices.

use crate::common::radio::{Mobile, PAYLOAD, fades, recovery};
use crate::common::trace::{numbers, on_air, traced, words};
use crate::common::{LastHop, run, served_by};
use airhop_base::{DropCause, NodeId, NoticeKind, Span};
use airhop_net::apps::TransferPlan;
use airhop_net::links::RadioLinkPlan;
use airhop_net::plan::{Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_net::{FlowReport, Report};
use airhop_radio::arq::ArqPlan;
use airhop_radio::errors::{ErrorPlan, FadePlan, InitialState, Sojourn};
use std::sync::Arc;

const SEEDS: std::ops::RangeInclusive<u64> = 1..=8;

fn over_fades(scheme: &'static str, to_mobile: bool) -> Mobile {
    Mobile { scheme, to_mobile, arq: recovery(None), errors: fades(), seconds: 200, ..Mobile::default() }
}

fn heard(r: &Report, kind: NoticeKind) -> u64 {
    r.flows[0].notices[kind.index()]
}

/// Returns the sum of a number over runs with all seeds.
fn sum(plan: &Plan, of: impl Fn(&FlowReport) -> u64) -> u64 {
    SEEDS.map(|seed| of(&run(plan, seed).flows[0])).sum()
}

fn set(plan: &mut Plan, name: &str, value: f64) {
    let Transport::Tcp { scheme, params, .. } = &mut plan.flows[0].transport else { panic!("TCP") };
    params.set(scheme, name, value).expect("a parameter of the scheme");
}

/// Returns a plan of the same path in the other direction, from the mobile to the fixed host.
fn upwards(mobile: &Mobile) -> Plan {
    let mut plan = mobile.plan();
    plan.flows = vec![mobile.flow("f", NodeId(2), NodeId(0))];
    plan
}

// For data from a fixed host, EBSN avoids nearly all timeouts that occur with link recovery alone, and its
// notices arrive in time (Kounavis 1996 §3, §6). Between mobiles some notices arrive after the timer has
// expired. RTTN does not depend on notices in time.
#[test]
fn ebsn_and_rttn_prevent_timeouts() {
    for (to_mobile, most) in [(false, 0.1), (true, 0.7)] {
        let timeouts = |scheme| sum(&over_fades(scheme, to_mobile).plan(), |f| f.timeouts);
        let (basic, ebsn, rttn) = (timeouts("tahoe"), timeouts("ebsn"), timeouts("rttn"));
        assert!(basic > 40, "{basic}");
        assert!((ebsn as f64) < most * basic as f64, "{to_mobile}: {ebsn} of {basic}");
        assert!((rttn as f64) < 0.6 * basic as f64, "{to_mobile}: {rttn} of {basic}");
    }
    let late = |to_mobile| sum(&over_fades("ebsn", to_mobile).plan(), |f| f.lateness.late_notices);
    let (fixed, mobile) = (late(false), late(true));
    assert!(mobile > 20 && fixed * 10 < mobile, "{fixed} and {mobile}");
}

// Unlimited link recovery loses no packet, so every timeout is spurious, and every segment sent in excess of
// the transfer is a duplicate.
#[test]
fn every_timeout_over_a_persistent_link_is_spurious() {
    for (scheme, to_mobile) in [("tahoe", false), ("reno", true), ("ebsn", true), ("rttn", true)] {
        let mut plan = Mobile { seconds: 2000, ..over_fades(scheme, to_mobile) }.plan();
        plan.flows[0].app = Arc::new(TransferPlan { bytes: 6000 * u64::from(PAYLOAD) });
        plan.links.wired[0].queue = [QueuePlan::DropTail { packets: 1000 }; 2];
        plan.links.radios.iter_mut().for_each(|r| r.queue = [QueuePlan::DropTail { packets: 1000 }; 2]);
        let r = run(&plan, 3);
        let f = &r.flows[0];
        assert!(f.timeouts > 1 && f.completion_s.is_some_and(|s| s < 1900.0), "{scheme}: {f:?}");
        assert_eq!((f.spurious_timeouts, f.duplicates), (f.timeouts, f.sent_segments - 6000), "{scheme}");
        assert!(f.timeouts_warned_late <= f.timeouts);
    }
}

// At 0.2 s the link fades for 3 s, just before the ACK of the SYN-ACK and the first data reach the base
// station. That ACK has the sequence number of the segment that times out, but is not a copy of it.
#[test]
fn a_pure_ack_does_not_count_as_a_copy_of_a_segment() {
    let means = [Span::from_millis(200), Span::from_secs(3)];
    let fades = FadePlan::Drawn { means, sojourn: Sojourn::Constant, start: InitialState::Good };
    let errors = ErrorPlan::TwoState { fades, errors_per_bit: [0.0, 0.5] };
    let mut plan = Mobile { errors, ..over_fades("tahoe", false) }.plan();
    let Transport::Tcp { config, .. } = &mut plan.flows[0].transport else { panic!("TCP") };
    config.handshake = true;
    plan.flows[0].app = Arc::new(TransferPlan { bytes: u64::from(PAYLOAD) });
    let r = run(&plan, 1);
    let f = &r.flows[0];
    assert!(f.timeouts > 1 && f.completion_s.is_some_and(|s| s > 3.2), "{f:?}");
    assert_eq!((f.spurious_timeouts, f.duplicates), (f.timeouts, f.timeouts));
}

// There is no link recovery and no ACK is lost, so every segment that a timeout retransmits was lost.
#[test]
fn no_timeout_for_a_lost_segment_is_spurious() {
    let mut plan = Mobile { arq: [ArqPlan::None, ArqPlan::None], ..over_fades("tahoe", false) }.plan();
    plan.links.radios[0].link.errors[1] = ErrorPlan::Clean;
    let (timeouts, spurious) = (sum(&plan, |f| f.timeouts), sum(&plan, |f| f.spurious_timeouts));
    assert!(timeouts > 100 && spurious == 0, "{spurious} of {timeouts}");
}

// The lateness of each notice follows from the trace. The path keeps the order and loses no notice, so the
// k-th notice to arrive is the k-th notice sent. A notice is late if the timer expired between its
// transmission and its arrival: there is a timeout retransmission, and no ACK for it, in that time.
#[test]
fn notice_lateness_equals_that_of_the_trace() {
    for (scheme, seed) in [("ebsn", 1), ("rttn", 2)] {
        let mut plan = over_fades(scheme, true).plan();
        if scheme == "rttn" {
            plan.flows[0].services = served_by(&["ebsn"]);
        }
        plan.links.radios.iter_mut().for_each(|r| r.queue = [QueuePlan::DropTail { packets: 1000 }; 2]);
        let (r, tables) = traced(&plan, seed);
        let times = numbers(&tables, "notices", "time_s");
        let events = words(&tables, "notices", "event");
        let at =
            |event: &str| times.iter().zip(&events).filter(|(_, e)| **e == event).map(|(&t, _)| t).collect();
        let (made, arrived): (Vec<f64>, Vec<f64>) = (at("sent"), at("received"));
        let lateness: Vec<f64> = numbers(&tables, "notices", "lateness_ms")
            .into_iter()
            .zip(&events)
            .filter(|(_, e)| **e == "received")
            .map(|(ms, _)| ms)
            .collect();
        let acks = numbers(&tables, "acks", "time_s");
        let sent =
            numbers(&tables, "segments", "time_s").into_iter().zip(words(&tables, "segments", "cause"));
        let again = sent.filter(|(_, cause)| *cause == "timeout").map(|(t, _)| t);
        let expiries: Vec<f64> = again.filter(|t| !acks.contains(t)).collect();
        assert_eq!(expiries.len() as u64, r.flows[0].timeouts, "each notice was counted");
        for ((&made, &arrived), &ms) in made.iter().zip(&arrived).zip(&lateness) {
            let missed = expiries.iter().find(|&&t| made <= t && t <= arrived);
            match missed {
                Some(&expiry) => assert!((ms - (arrived - expiry) * 1e3).abs() < 1e-3, "{ms} at {arrived}"),
                None => assert!(ms.is_nan() || ms <= 0.0, "{ms} at {arrived}"),
            }
        }
        let met: Vec<f64> = lateness.into_iter().filter(|ms| !ms.is_nan()).collect();
        let book = &r.flows[0].lateness;
        assert_eq!(book.notices, met.len() as u64);
        assert!(
            book.late_notices > 0 && book.late_notices == met.iter().filter(|&&ms| ms > 0.0).count() as u64
        );
        let mean = met.iter().sum::<f64>() / met.len() as f64;
        assert!(book.mean_ms().is_some_and(|ms| (ms / mean - 1.0).abs() < 1e-9), "{book:?}, {mean}");
        let under_way = |expiry: &&f64| made.iter().zip(&arrived).any(|(m, a)| m <= expiry && *expiry <= a);
        assert_eq!(r.flows[0].timeouts_warned_late, expiries.iter().filter(under_way).count() as u64);
    }
}

// A notice that a full queue drops no longer counts as in flight. A burst of notices takes about 60 ms, and a
// burst begins every 250 ms.
#[test]
fn a_dropped_notice_does_not_reach_the_sender() {
    let mut plan = over_fades("tahoe", false).plan();
    plan.flows[0].services = served_by(&["ebsn"]);
    plan.links.wired[0].queue = [QueuePlan::DropTail { packets: 1 }; 2];
    let lost = SEEDS.map(|seed| run(&plan, seed).drops[DropCause::Queue as usize]).sum::<u64>();
    let (timeouts, warned) = (sum(&plan, |f| f.timeouts), sum(&plan, |f| f.timeouts_warned_late));
    assert!(lost > 50 && timeouts > 20 && warned * 2 < timeouts, "{lost}: {warned} of {timeouts}");
}

// A base station sends notices only about its downlink. The link of the source itself notifies the sender by
// function calls if the scenario enables this, and these are never late.
#[test]
fn a_mobile_source_may_receive_notices_of_its_own_link() {
    let mut plan = upwards(&over_fades("ebsn", false));
    assert_eq!(heard(&run(&plan, 1), NoticeKind::Ebsn), 0);
    set(&mut plan, "own_link", 1.0);
    let r = run(&plan, 1);
    assert!(heard(&r, NoticeKind::Ebsn) > 20, "{:?}", r.flows[0]);
    assert_eq!(r.flows[0].lateness.late_notices, 0);
    // Function calls are not packets: they arrive even while the link of the source fades.
    let silent = sum(&upwards(&over_fades("ebsn", false)), |f| f.timeouts);
    assert!(sum(&plan, |f| f.timeouts) * 2 < silent);
}

// On an uplink a base station detects fades only by the TCP ACKs that it sends on the downlink. Without link
// ACKs for these it detects none.
#[test]
fn a_base_station_observes_its_own_link_layer() {
    let mobile = over_fades("rttn", false);
    let r = run(&upwards(&mobile), 1);
    assert!(heard(&r, NoticeKind::Rttn) > 5, "{:?}", r.flows[0]);
    let [down, up] = mobile.arq.clone();
    for (arq, any) in [([down, ArqPlan::None], true), ([ArqPlan::None, up], false)] {
        let r = run(&upwards(&Mobile { arq, ..mobile.clone() }), 1);
        assert_eq!(heard(&r, NoticeKind::Rttn) > 0, any, "{:?}", r.flows[0]);
    }
}

// Two mobiles have one base station between them: data arrives over one radio link and leaves over the other.
#[test]
fn a_base_station_between_two_mobiles_observes_both_links() {
    for (scheme, kind) in [("ebsn", NoticeKind::Ebsn), ("rttn", NoticeKind::Rttn)] {
        let mobile = over_fades(scheme, false);
        let mut plan = mobile.plan();
        let air = &plan.links.radios[0];
        let mut link = air.link.clone();
        (link.index, link.name) = (1, "air1".into());
        link.ends = ["bs", "m2"].map(String::from);
        let second = RadioLinkPlan { link, nodes: [NodeId(1), NodeId(3)], queue: air.queue };
        plan.nodes.push("m2".into());
        plan.links.radios.push(second);
        plan.flows = vec![mobile.flow("f", NodeId(2), NodeId(3))];
        let r = run(&plan, 1);
        assert!(heard(&r, kind) > 5, "{:?}", r.flows[0]);
    }
}

// On 802.11 each failed attempt of a data frame that is followed by another attempt causes an EBSN, so there
// are as many EBSNs as further attempts.
#[test]
fn an_802_11_cell_sends_an_ebsn_per_failed_attempt() {
    let hop = LastHop { scheme: "ebsn", fer: 0.3, attempts: 7, seconds: 20, ..LastHop::default() };
    let (r, tables) = traced(&hop.plan(), 1);
    let again = on_air(&tables)
        .iter()
        .filter(|s| s.from == "bs" && s.packet == "data" && s.kind == "data" && s.attempt > 1)
        .count();
    let notices = words(&tables, "notices", "event");
    let made = notices.iter().filter(|event| **event == "sent").count();
    assert!(again > 100 && made.abs_diff(again) <= 1, "{made} notices, {again} further attempts");
    assert!(heard(&r, NoticeKind::Ebsn) <= made as u64);
    // The RTO is orders of magnitude longer than the fades, so all notices arrive in time.
    assert_eq!((r.flows[0].lateness.late_notices, r.flows[0].timeouts), (0, 0));
}

// Events in the warm-up do not count.
#[test]
fn notice_counters_exclude_the_warm_up() {
    let plan = over_fades("ebsn", true).plan();
    let mut later = plan.clone();
    later.warmup = Span::from_secs(100);
    let mut early = plan.clone();
    early.duration = Span::from_secs(100);
    let [all, later, early] = [&plan, &later, &early].map(|plan| run(plan, 1).flows.remove(0));
    assert!(early.duplicates > 0 && early.lateness.notices > 0);
    assert_eq!(later.duplicates, all.duplicates - early.duplicates);
    assert_eq!(later.lateness.notices, all.lateness.notices - early.lateness.notices);
    assert_eq!(later.lateness.sum_ns, all.lateness.sum_ns - early.lateness.sum_ns);
}
