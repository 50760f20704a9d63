//! Wired and radio links that change during a run. The transmitter at a change is tested in course.rs of
//! airhop-radio; these tests check that links, queues and receivers of a network follow the change.

use crate::common::trace::{numbers, traced};
use crate::common::{hosts, run};
use airhop_base::{DropCause, NodeId, Rate, Span, Time};
use airhop_net::Report;
use airhop_net::apps::{BulkPlan, CbrPlan};
use airhop_net::links::{RadioLinkPlan, WiredPlan};
use airhop_net::plan::{Plan, Transport};
use airhop_net::queues::QueuePlan;
use airhop_radio::arq::{ArqPlan, ArqRules};
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link::RadioPlan;
use airhop_radio::link_rate::LinkRate;
use airhop_radio::link_schedule::{ChangeKind, Handoff, LinkSchedule, ScheduledChange};
use airhop_tcp::Preset;
use std::sync::Arc;

const DELAY: Span = Span::from_millis(10);
const QUEUE: usize = 100_000;

fn ms(ms: u64) -> Time {
    Time::ZERO + Span::from_millis(ms)
}

fn rate(from: u64, kbps: u64) -> ScheduledChange {
    ScheduledChange { at: ms(from), kind: ChangeKind::Rate(Rate::from_bps(kbps * 1000)) }
}

fn outage(from: u64, lasts: u64) -> ScheduledChange {
    ScheduledChange { at: ms(from), kind: ChangeKind::Outage(Span::from_millis(lasts)) }
}

/// Returns a handoff of the mobile b to a cell with 2 Mbit/s and a delay of 15 ms.
fn handoff(from: u64, gap: u64, is_forwarded: bool) -> ScheduledChange {
    let kind = ChangeKind::Handoff(Handoff {
        gap: Span::from_millis(gap),
        mobile_end: 1,
        is_forwarded,
        rate: Some(Rate::from_bps(2_000_000)),
        delay: Some(Span::from_millis(15)),
    });
    ScheduledChange { at: ms(from), kind }
}

/// Returns the rate of a link over time: 1 Mbit/s until the first of these changes.
fn pace(changes: &[ScheduledChange]) -> LinkRate {
    LinkRate::Varying(Arc::new(LinkSchedule::new(Rate::from_bps(1_000_000), DELAY, changes)))
}

fn wired(mut plan: Plan, pace: LinkRate, errors: &ErrorPlan) -> Plan {
    plan.links.wired = vec![WiredPlan {
        name: "w".into(),
        ends: [NodeId(0), NodeId(1)],
        rates: LinkRate::both_ways(pace),
        delay: [DELAY; 2],
        queue: [QueuePlan::DropTail { packets: QUEUE }; 2],
        errors: [errors.clone(), errors.clone()],
        reorder: [None; 2],
    }];
    plan
}

fn radio(mut plan: Plan, pace: LinkRate, errors: &ErrorPlan, arq: &ArqPlan) -> Plan {
    plan.links.radios = vec![RadioLinkPlan {
        link: RadioPlan {
            arq: [arq.clone(), ArqPlan::None],
            errors: [errors.clone(), errors.clone()],
            ..RadioPlan::new("air", ["a", "b"], pace, DELAY)
        },
        nodes: [NodeId(0), NodeId(1)],
        queue: [QueuePlan::DropTail { packets: QUEUE }; 2],
    }];
    plan
}

/// Returns link recovery with this window in frames and this timeout in milliseconds.
fn recovery(window: u32, timeout: u64, attempts: Option<u32>) -> ArqPlan {
    let rules =
        ArqRules { window, timeout: Span::from_millis(timeout), max_attempts: attempts, ack_bytes: 6 };
    ArqPlan::SelectiveRepeat { srej: true, rules }
}

/// Returns two plans of one link: as a wire, and as a radio link without recovery.
fn both(plan: &Plan, changes: &[ScheduledChange], errors: &ErrorPlan) -> [Plan; 2] {
    let wire = wired(plan.clone(), pace(changes), errors);
    [wire, radio(plan.clone(), pace(changes), errors, &ArqPlan::None)]
}

/// Returns a plan in which a whole window of segments is sent at the start. As IP datagrams they have 1000 B
/// each, which take 8 ms at 1 Mbit/s.
fn backlog() -> Plan {
    let mut config = Preset::Ns2.config(960);
    config.initial_window = 1000.0;
    hosts::hosts(Span::from_secs(10), hosts::tcp("newreno", config), Arc::new(BulkPlan))
}

/// Returns a plan with datagrams of 1000 B, headers included, at this rate and for this duration.
fn datagrams(kbps: u64, duration: Span) -> Plan {
    let app = Arc::new(CbrPlan { rate: Rate::from_bps(kbps * 972) });
    hosts::hosts(duration, Transport::Udp { bytes: 972 }, app)
}

/// Returns the arrival times of the segments, ns.
fn arrivals(plan: &Plan) -> Vec<u64> {
    let tables = traced(plan, 1).1;
    numbers(&tables, "deliveries", "time_s").iter().map(|s| (s * 1e9).round() as u64).collect()
}

fn dropped(report: &Report, why: DropCause) -> u64 {
    report.drops[why as usize]
}

#[test]
fn packets_arrive_after_their_bits_at_the_varying_rate() {
    let us = 1000;
    // When the rate doubles, at 12 ms, half of the second packet has been sent. When the rate falls to a
    // fifth, at 19 ms, a quarter of the fourth packet has been sent.
    let steps = [rate(12, 2000), rate(19, 400)];
    let stepped = [8_000, 14_000, 18_000, 34_000, 54_000].map(|sent| (sent + 10_000) * us);
    // When the outage of 2 s begins, half of the packet has been sent.
    let waits = [8_000, 2_016_000, 2_024_000].map(|sent| (sent + 10_000) * us);
    // The new cell starts the packet again, 100 ms later; there it takes 4 ms, and the delay is 15 ms.
    let moved = [18_000, 112_000 + 4_000 + 15_000, 112_000 + 8_000 + 15_000].map(|arrived| arrived * us);
    for (changes, expect) in [
        (&steps[..], &stepped[..]),
        (&[outage(12, 2000)][..], &waits[..]),
        (&[handoff(12, 100, true)][..], &moved[..]),
    ] {
        let plans = both(&backlog(), changes, &ErrorPlan::Clean);
        // The timeout of the recovery is longer than the outage, so no frame is retransmitted.
        let recovered = radio(backlog(), pace(changes), &ErrorPlan::Clean, &recovery(60, 5000, None));
        for plan in plans.iter().chain([&recovered]) {
            assert_eq!(arrivals(plan)[..expect.len()], *expect, "{changes:?}");
        }
    }
}

/// In an outage that loses frames, the transmitter continues to send. A datagram is sent every 8 ms; lost are
/// those that end after 12 ms and start before 40 ms.
#[test]
fn frames_sent_in_an_outage_are_lost() {
    let errors = ErrorPlan::Clean.with_outages(vec![[ms(12), ms(40)]]);
    for plan in both(&datagrams(1000, Span::from_secs(1)), &[], &errors) {
        let report = run(&plan, 1);
        assert_eq!((dropped(&report, DropCause::Channel), report.drops.iter().sum::<u64>()), (4, 4));
        // The last datagram that arrives is sent completely by 990 ms.
        assert_eq!(report.flows[0].delivered_bytes / 972, 990 / 8 - 4);
    }
}

/// In a handoff two kinds of packets are lost: those in the queue of the old base station when the mobile
/// reaches the new one, and the frame on the air.
#[test]
fn a_handoff_drops_or_forwards_queued_packets() {
    // Datagrams arrive at twice the rate of the link, one every 4 ms from time 0; by 112 ms 28 have arrived.
    // The first is sent completely by 8 ms; the handoff interrupts the second.
    let plan = datagrams(2000, Span::from_secs(1));
    for is_forwarded in [true, false] {
        for plan in both(&plan, &[handoff(12, 100, is_forwarded)], &ErrorPlan::Clean) {
            let report = run(&plan, 1);
            let lost = [dropped(&report, DropCause::Channel), dropped(&report, DropCause::Route)];
            assert_eq!(lost, if is_forwarded { [0, 0] } else { [1, 26] });
            assert_eq!(report.drops.iter().sum::<u64>(), lost.iter().sum());
            // Delivered: one datagram before the handoff, and from 112 ms on one every 4 ms; the last is sent
            // completely by 985 ms.
            assert_eq!(report.flows[0].delivered_bytes / 972, 1 + (985 - 112) / 4);
        }
    }
}

/// The mobile's own packets are not lost in a handoff, whether or not the packets for it are forwarded.
#[test]
fn a_handoff_does_not_lose_packets_of_the_mobile() {
    let mut plan = datagrams(2000, Span::from_secs(1));
    (plan.flows[0].from, plan.flows[0].to) = (NodeId(1), NodeId(0));
    for plan in both(&plan, &[handoff(12, 100, false)], &ErrorPlan::Clean) {
        let report = run(&plan, 1);
        assert_eq!(report.drops.iter().sum::<u64>(), 0);
        assert_eq!(report.flows[0].delivered_bytes / 972, 1 + (985 - 112) / 4);
    }
}

/// Under overload the link carries the integral of its rate over time, with an outage in every second and
/// with changes of the rate between outages.
#[test]
fn a_saturated_link_carries_the_integral_of_its_rate() {
    let changes: Vec<ScheduledChange> = (0..10)
        .flat_map(|s| {
            [
                rate(1000 * s, 3000),
                rate(1000 * s + 250, 500),
                outage(1000 * s + 600, 150),
                rate(1000 * s + 700, 2000),
            ]
        })
        .collect();
    // Per second, the link carries 750 + 175 + 500 kbit.
    let expect = 1.425;
    let plan = datagrams(4000, Span::from_secs(10));
    let recovered = radio(plan.clone(), pace(&changes), &ErrorPlan::Clean, &recovery(60, 5000, None));
    for plan in both(&plan, &changes, &ErrorPlan::Clean).iter().chain([&recovered]) {
        let goodput = run(plan, 1).flows[0].goodput_mbps / 0.972;
        // The data of the last 10 ms has not arrived: 20 of 14 250 kbit.
        assert!((goodput / expect - 1.0).abs() < 0.0025, "{goodput}");
    }
}

/// No packet is duplicated, and none is lost without a record, whatever the window of a recovering link
/// contains at the change. `traced` and `run` check the packets.
#[test]
fn link_recovery_preserves_packets_over_link_changes() {
    for attempts in [None, Some(2)] {
        for is_forwarded in [true, false] {
            let changes = [outage(50, 300), handoff(500, 100, is_forwarded), outage(700, 1000)];
            let errors = ErrorPlan::Loss(0.1).with_outages(vec![[ms(2000), ms(2300)]]);
            let plan = radio(
                datagrams(500, Span::from_secs(3)),
                pace(&changes),
                &errors,
                &recovery(8, 200, attempts),
            );
            let report = run(&plan, 1);
            assert_eq!(dropped(&report, DropCause::Retries) > 0, attempts.is_some());
            assert_eq!(dropped(&report, DropCause::Route) > 0, !is_forwarded);
            assert_eq!(dropped(&report, DropCause::Queue), 0);
        }
    }
}

/// The table `links` of a trace contains the changes in both directions. A run without changes has no such
/// table.
#[test]
fn a_trace_records_the_changes_of_a_link() {
    let changes = [rate(100, 250), handoff(500, 100, true)];
    for plan in both(&datagrams(100, Span::from_secs(1)), &changes, &ErrorPlan::Clean) {
        let tables = traced(&plan, 1).1;
        let there = [0.0, 0.1, 0.5, 0.6];
        assert_eq!(numbers(&tables, "links", "time_s"), [there, there].concat());
        let rates = [1.0, 0.25, 0.0, 2.0];
        assert_eq!(numbers(&tables, "links", "rate_mbps"), [rates, rates].concat());
        let delays = [10.0, 10.0, 10.0, 15.0];
        assert_eq!(numbers(&tables, "links", "delay_ms"), [delays, delays].concat());
    }
    let steady =
        wired(datagrams(100, Span::from_secs(1)), Rate::from_bps(1_000_000).into(), &ErrorPlan::Clean);
    assert!(traced(&steady, 1).1.iter().all(|table| table.name != "links"));
}
