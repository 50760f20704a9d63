//! Reaction of senders to links that change: timeouts and their backoff in an outage, and the time that a
//! sender needs to detect another rate.

use crate::common::radio::{Mobile, recovery};
use crate::common::trace::{numbers, traced, words};
use crate::common::{hosts, run};
use airhop_base::{NoticeKind, Rate, Span, Time};
use airhop_net::apps::BulkPlan;
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_radio::link_schedule::{ChangeKind, LinkSchedule, ScheduledChange};
use airhop_tcp::Preset;
use airhop_trace::Table;
use std::sync::Arc;

const DELAY: Span = Span::from_millis(30);
const MBPS: u64 = 10;

fn at(s: u64) -> Time {
    Time::ZERO + Span::from_secs(s)
}

/// Returns a plan with a link of 10 Mbit/s, a delay of 30 ms in each direction and a queue of 50 packets.
fn plan(scheme: &str, seconds: u64, changes: &[ScheduledChange]) -> Plan {
    let mut wire = hosts::wire(MBPS, DELAY, 50, ErrorPlan::Clean);
    wire.rates = LinkRate::both_ways(LinkRate::Varying(Arc::new(LinkSchedule::new(
        Rate::from_bps(MBPS * 1_000_000),
        DELAY,
        changes,
    ))));
    Plan {
        links: Links { wired: vec![wire], ..Links::default() },
        ..hosts::hosts(
            Span::from_secs(seconds),
            hosts::tcp(scheme, Preset::Linux.config(988)),
            Arc::new(BulkPlan),
        )
    }
}

/// Returns that plan with an outage from 15 to 17 s, in which packets either wait or are lost.
fn outage(scheme: &str, is_lost: bool) -> Plan {
    let (begin, lasts) = (at(15), Span::from_secs(2));
    let waits = ScheduledChange { at: begin, kind: ChangeKind::Outage(lasts) };
    let mut plan = plan(scheme, 20, if is_lost { &[] } else { std::slice::from_ref(&waits) });
    if is_lost {
        let errors = ErrorPlan::Clean.with_outages(vec![[begin, begin + lasts]]);
        plan.links.wired[0].errors = [errors.clone(), errors];
    }
    plan
}

/// Returns the times, in seconds, of the segments sent for this cause; a burst of segments counts once.
fn bursts(tables: &[Table], cause: &str) -> Vec<f64> {
    let times = numbers(tables, "segments", "time_s").into_iter().zip(words(tables, "segments", "cause"));
    let mut found: Vec<f64> = times.filter(|(_, why)| *why == cause).map(|(t, _)| t).collect();
    found.dedup_by(|later, earlier| *later - *earlier < 0.05);
    found
}

/// Each timeout is twice as long as the one before it (RFC 6298 §5.5). In the outage each timeout causes one
/// retransmission. The connection continues one round trip after the first timeout after the outage.
#[test]
fn a_connection_resumes_at_its_first_timeout_after_an_outage() {
    for scheme in ["reno", "cubic", "bbr"] {
        let (report, tables) = traced(&outage(scheme, true), 1);
        let attempts: Vec<f64> = bursts(&tables, "timeout").into_iter().filter(|t| *t > 15.0).collect();
        let first = attempts.iter().position(|t| *t >= 17.0).expect("a further attempt");
        println!("{scheme}: {:?}, {} timeouts", &attempts[..=first], report.flows[0].timeouts);
        let waits: Vec<f64> = attempts[..=first].windows(2).map(|w| w[1] - w[0]).collect();
        assert!(waits.len() >= 2);
        // The clock of the sender has a resolution of 1 ms.
        assert!(waits.windows(2).all(|w| (w[1] / w[0] - 2.0).abs() < 0.01), "{waits:?}");
        assert!(waits[waits.len() - 1] > 17.0 - attempts[first - 1], "the previous attempt failed");
        let arrivals = numbers(&tables, "acks", "time_s");
        let resumed = arrivals.iter().find(|t| **t > 15.5).expect("the connection continues");
        // The segment has 1040 B. The ACK has 64 B, because it contains a D-SACK: the same segment, sent
        // before the outage, had arrived already.
        let round_trip = 0.060 + 1104.0 * 8.0 / 10e6;
        assert!((resumed - attempts[first] - round_trip).abs() < 1e-6, "{scheme}: {resumed}");
        assert_eq!(report.flows[0].timeouts, first as u64 + 1, "{scheme}");
    }
}

/// If packets wait in the outage, the ACKs of segments sent before it arrive right after it. No
/// retransmission was necessary: the sender detects that its timeouts were spurious (F-RTO, RFC 5682), and
/// restores its window.
#[test]
fn packets_queued_in_an_outage_restore_the_window() {
    for scheme in ["reno", "cubic", "bbr"] {
        let (report, tables) = traced(&outage(scheme, false), 1);
        let attempts: Vec<f64> = bursts(&tables, "timeout").into_iter().filter(|t| *t > 15.0).collect();
        println!("{scheme}: {attempts:?}");
        assert!(attempts.len() >= 2 && attempts.iter().all(|t| *t < 17.0));
        assert_eq!(report.flows[0].spurious_timeouts, report.flows[0].timeouts);
        // The outage interrupts the transmission of a packet, which ends at most one serialisation time after
        // the outage. Its ACK arrives 30 ms and the serialisation time of the ACK later.
        let arrivals = numbers(&tables, "acks", "time_s");
        let resumed = arrivals.iter().find(|t| **t > 15.5).expect("the connection continues");
        assert!((17.0..17.0 + 1092.0 * 8.0 / 10e6 + 0.030).contains(resumed), "{scheme}: {resumed}");
        let [times, windows] = ["time_s", "cwnd"].map(|name| numbers(&tables, "window", name));
        let at = |t: f64| windows[times.partition_point(|time| *time <= t) - 1];
        assert!(
            at(resumed + 0.001) >= at(15.1) * 0.99,
            "{scheme}: {} after {}",
            at(resumed + 0.001),
            at(15.1)
        );
    }
}

/// BBR's estimate of the rate is the maximum over its last ten round trips
/// (draft-cardwell-iccrg-bbr-congestion-control-00, §4.1.1.3). When the link loses four fifths of its rate,
/// BBR therefore overfills the queue for ten more round trips. Each takes as long as at a full queue: 50
/// packets queued and one in service at 2 Mbit/s. Up to three more round trips pass: the current round trip,
/// one with samples of both rates, and one until the window has decreased.
#[test]
fn bbr_adapts_to_a_lower_rate_after_ten_round_trips() {
    let slower = ScheduledChange { at: at(15), kind: ChangeKind::Rate(Rate::from_bps(2_000_000)) };
    let drops = |scheme| {
        let (_, tables) = traced(&plan(scheme, 30, &[slower]), 1);
        numbers(&tables, "drops", "time_s").into_iter().filter(|t| *t >= 15.0).collect::<Vec<_>>()
    };
    let bbr = drops("bbr");
    let full = 0.060 + 51.0 * 1040.0 * 8.0 / 2e6;
    let rounds = (bbr[bbr.len() - 1] - 15.0) / full;
    println!("{} drops in {rounds} round trips of {full} s", bbr.len());
    assert!((10.0..13.0).contains(&rounds));
    // In these round trips BBR loses more than 120 packets per second, half of the 240 packets per second
    // that the link carries.
    assert!(bbr.len() as f64 > 120.0 * rounds * full);
    // CUBIC reacts to the first losses, and to a loss after the ACK that ends the recovery, because that ACK
    // also increases the window (Linux, tcp_cong_control()). CUBIC's other drops end its cycles of growth,
    // and are seconds apart.
    let cubic = drops("cubic");
    let first = cubic.windows(2).position(|w| w[1] - w[0] > 1.0).map_or(cubic.len(), |last| last + 1);
    println!("cubic: {first} drops by {} s", cubic[first - 1]);
    assert!(cubic[first - 1] - 15.0 < 4.0 * full);
}

/// The agents of the base station observe its link recovery, whose timers react to an outage. If frames are
/// lost in the outage, the timers expire repeatedly, and each failed attempt causes an EBSN. If frames wait,
/// the timers expire once, for the frames that were in transmission when the outage began.
#[test]
fn agents_detect_an_outage_by_link_retransmission_timeouts() {
    let mobile = Mobile { scheme: "ebsn", arq: recovery(None), seconds: 40, ..Mobile::default() };
    let outage = [at(20), at(24)];
    let heard = |plan: &Plan| run(plan, 1).flows[0].notices[NoticeKind::Ebsn.index()];
    let (mut waits, mut loses) = (mobile.plan(), mobile.plan());
    let link = &mut waits.links.radios[0].link;
    let change = ScheduledChange { at: outage[0], kind: ChangeKind::Outage(outage[1] - outage[0]) };
    link.rates = LinkRate::both_ways(LinkRate::Varying(Arc::new(LinkSchedule::new(
        link.rates[0].typical_rate(),
        link.delay[0],
        &[change],
    ))));
    let errors = ErrorPlan::Clean.with_outages(vec![outage]);
    loses.links.radios[0].link.errors = [errors.clone(), errors];
    // At each timeout, 0.29 s, a window of three frames is sent.
    let (waits, loses) = (heard(&waits), heard(&loses));
    println!("{waits} where packets wait, {loses} where they are lost");
    assert_eq!(heard(&mobile.plan()), 0);
    assert!((1..=3).contains(&waits), "{waits}");
    assert!((3 * 4_000 / 300..3 * 4_000 / 200).contains(&loses), "{loses}");
}
