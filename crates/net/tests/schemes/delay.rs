//! Copa and LEDBAT on a wire of 10 Mbit/s with 30 ms in each direction: queues, shares and losses, compared
//! with their papers.

use crate::common::trace::{numbers, queue_at, traced};
use crate::common::{hosts, run};
use airhop_base::{Rate, Span, Time};
use airhop_net::Report;
use airhop_net::apps::{BulkPlan, CbrPlan};
use airhop_net::links::Links;
use airhop_net::plan::{FlowPlan, Plan, Transport};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use airhop_trace::Table;
use std::sync::Arc;

type Given<'a> = &'a [(&'a str, f64)];

/// Serialisation time of a packet of 1040 bytes, ms.
const PACKET_MS: f64 = 0.832;
/// Capacity of the link in payload, Mbit/s.
const CAPACITY: f64 = 10.0 * 988.0 / 1040.0;
const ALONE: Given = &[("competitive", 1.0)];
const PLUS_PLUS: Given = &[("form", 1.0)];

/// Returns a plan with flows of these schemes, each with its parameters and its start time in seconds.
fn plan(flows: &[(&str, Given, u64)], seconds: u64, room: usize, loss: f64) -> Plan {
    let config = Preset::Linux.config(988);
    let base = hosts::hosts(Span::from_secs(seconds), hosts::tcp("reno", config), Arc::new(BulkPlan));
    let flow = |i, &(scheme, given, start): &(&str, Given, u64)| FlowPlan {
        name: format!("f{i}"),
        transport: hosts::tcp_with(scheme, given, config),
        start: Time::ZERO + Span::from_secs(start),
        ..base.flows[0].clone()
    };
    Plan {
        links: Links {
            wired: vec![hosts::wire(10, Span::from_millis(30), room, ErrorPlan::Loss(loss))],
            ..Links::default()
        },
        flows: flows.iter().enumerate().map(|(i, f)| flow(i, f)).collect(),
        ..base
    }
}

/// Queue before the wire to b, in packets.
#[derive(Debug)]
struct Waiting {
    mean: f64,
    least: f64,
    most: f64,
    /// Mean period of the oscillation of the queue, ms. A period begins when the queue exceeds half of its
    /// maximum for the first time after it was empty.
    period_ms: f64,
}

/// Returns the queue between the times `from` and `until`, seconds.
fn waiting(tables: &[Table], from: f64, until: f64) -> Waiting {
    let rows: Vec<(f64, f64)> =
        queue_at(tables, "a->b").into_iter().map(|(time, packets)| (time, f64::from(packets))).collect();
    let ends = rows.iter().skip(1).map(|row| row.0).chain([until]);
    let spans: Vec<(f64, f64, f64)> = rows
        .iter()
        .zip(ends)
        .map(|(&(start, n), end)| (start.max(from), end, n))
        .filter(|&(start, end, _)| end > start)
        .collect();
    let most = spans.iter().map(|s| s.2).fold(0.0, f64::max);
    let (mut was_empty, mut rises) = (false, Vec::new());
    for &(start, _, n) in &spans {
        if was_empty && n > most / 2.0 {
            rises.push(start);
            was_empty = false;
        }
        was_empty |= n == 0.0;
    }
    let period_ms = match rises[..] {
        [first, .., last] => (last - first) * 1e3 / (rises.len() - 1) as f64,
        _ => f64::INFINITY,
    };
    Waiting {
        mean: spans.iter().map(|(start, end, n)| n * (end - start)).sum::<f64>() / (until - from),
        least: spans.iter().map(|s| s.2).fold(f64::INFINITY, f64::min),
        most,
        period_ms,
    }
}

fn goodputs(r: &Report) -> Vec<f64> {
    r.flows.iter().map(|f| f.goodput_mbps).collect()
}

fn is_near(value: f64, expected: f64, tolerance: f64) -> bool {
    (value / expected - 1.0).abs() <= tolerance
}

// Copa's queue oscillates between 0 and 2.5/δ packets, with a mean of 1.25/δ and a period of five round trips
// (Arun and Balakrishnan 2018, §3 and figure 1). The tolerance of one packet is the difference between whole
// packets and a fluid.
#[test]
fn copa_queue_oscillates_as_in_its_analysis() {
    for delta in [0.5, 0.2] {
        let (r, tables) = traced(&plan(&[("copa", &[("delta", delta)], 0)], 60, 500, 0.0), 1);
        let queue = waiting(&tables, 30.0, 60.0);
        println!("delta {delta}: {queue:?}, {:.3} Mbit/s", r.flows[0].goodput_mbps);
        assert_eq!(queue.least, 0.0, "delta {delta}: {queue:?}");
        assert!((queue.most - 2.5 / delta).abs() <= 2.0, "delta {delta}: {queue:?}");
        assert!(is_near(queue.mean, 1.25 / delta, 0.2), "delta {delta}: {queue:?}");
        let rtt = 60.0 + PACKET_MS * (1.0 + queue.mean);
        assert!((4.5..6.5).contains(&(queue.period_ms / rtt)), "delta {delta}: {queue:?}");
        assert_eq!(r.flows[0].retransmissions, 0);
    }
}

// In steady state Copa's velocity is 1, and its window oscillates by the same 2.5/δ packets (Arun and
// Balakrishnan 2018, §2.1).
#[test]
fn copa_window_oscillates_about_the_bdp() {
    let (_, tables) = traced(&plan(&[("copa", &[], 0)], 60, 500, 0.0), 1);
    let [time, cwnd] = ["time_s", "cwnd"].map(|c| numbers(&tables, "window", c));
    let late: Vec<f64> = time.iter().zip(&cwnd).filter(|(t, _)| **t > 30.0).map(|(_, &w)| w).collect();
    let (least, most) = late.iter().fold((f64::INFINITY, 0.0_f64), |(l, m), &w| (l.min(w), m.max(w)));
    let pipe = 60.9 / PACKET_MS;
    assert!((least - pipe).abs() < 1.5 && (most - least - 5.0).abs() < 1.0, "{least} to {most}, pipe {pipe}");
}

// Copa flows have equal shares, and each adds 1/δ packets to the queue (Arun and Balakrishnan 2018, §1 and
// §3). None of them takes the others for flows that fill the queue.
#[test]
fn copa_flows_share_and_keep_the_queue_short() {
    for given in [&[] as Given, ALONE] {
        for n in [2_u64, 4] {
            let flows: Vec<_> = (0..n).map(|i| ("copa", given, i)).collect();
            let (r, tables) = traced(&plan(&flows, 60, 500, 0.0), 1);
            let queue = waiting(&tables, 30.0, 60.0);
            let rates = goodputs(&r);
            let (sum, squares) = (rates.iter().sum::<f64>(), rates.iter().map(|x| x * x).sum::<f64>());
            let jain = sum * sum / (n as f64 * squares);
            println!("{n}: {rates:?}, Jain {jain:.4}, {queue:?}");
            assert!(jain > 0.99 && sum > 0.95 * CAPACITY, "{n}: {rates:?}");
            assert!(is_near(queue.mean, 2.5 * n as f64, 0.2) && queue.least == 0.0, "{n}: {queue:?}");
            assert!((queue.most - 5.0 * n as f64).abs() <= 2.0, "{n}: {queue:?}");
        }
    }
}

// "Copa is also robust to non-congestive loss" (Arun and Balakrishnan 2018, §5): its default mode ignores
// losses.
#[test]
fn random_losses_do_not_reduce_the_goodput_of_copa() {
    for (loss, share) in [(0.001, 0.9), (0.01, 0.9), (0.05, 0.85)] {
        let goodput = |scheme| run(&plan(&[(scheme, &[], 0)], 60, 50, loss), 1).flows[0].goodput_mbps;
        let (copa, reno) = (goodput("copa"), goodput("reno"));
        println!("{loss}: {copa:.3}, Reno {reno:.3}");
        assert!(copa > share * CAPACITY && copa > 1.5 * reno, "{loss}: {copa} Mbit/s, Reno {reno}");
    }
}

// In competitive mode Copa keeps its share of a link with flows that fill the queue. Without this mode its
// share is nearly zero (Arun and Balakrishnan 2018, §2.2).
#[test]
fn copa_keeps_its_share_only_with_competitive_mode() {
    for (other, room) in [("reno", 50), ("reno", 100), ("cubic", 100)] {
        let share = |given| {
            let rates = goodputs(&run(&plan(&[("copa", given, 0), (other, &[], 5)], 120, room, 0.0), 1));
            println!("{other} {room}: {rates:?}");
            rates[0] / (rates[0] + rates[1])
        };
        assert!((0.33..0.67).contains(&share(&[])), "{other} {room}");
        assert!(share(ALONE) < 0.2, "{other} {room}");
    }
}

// If another sender exceeds the capacity of the link, the queue is always full, and the constant delay looks
// like that of an empty queue. Copa would then increase its rate without limit. In the authors' sender, as
// here, losses of 30 % limit the window.
#[test]
fn copa_does_not_overload_a_permanently_full_queue() {
    let mut p = plan(&[("copa", &[], 0), ("copa", &[], 0)], 60, 20, 0.0);
    p.flows[1].transport = Transport::Udp { bytes: 1000 };
    p.flows[1].app = Arc::new(CbrPlan { rate: Rate::from_bps(12_000_000) });
    let flow = &run(&p, 1).flows[0];
    let mbps = flow.sent_segments as f64 * 8320.0 / 60.0 / 1e6;
    println!("{mbps:.2} Mbit/s offered, {:.3} of goodput", flow.goodput_mbps);
    assert!(mbps < 12.0, "{mbps} Mbit/s offered");
}

// The queueing delay caused by LEDBAT stays at TARGET (RFC 6817 §2.4.2), here in a buffer of 416 ms. Its
// maximum exceeds TARGET by the two segments of a pacing burst. LEDBAT++ (§4.4) empties the queue
// periodically, so that it can measure the path without a queue.
#[test]
fn ledbat_queueing_delay_stays_at_its_target() {
    for (given, target) in [(&[] as Given, 100.0), (&[("target", 25.0)], 25.0), (PLUS_PLUS, 60.0)] {
        let (r, tables) = traced(&plan(&[("ledbat", given, 0)], 180, 500, 0.0), 1);
        let queue = waiting(&tables, 120.0, 180.0);
        println!("{given:?}: {queue:?}, {:.3} Mbit/s", r.flows[0].goodput_mbps);
        let ms = queue.mean * PACKET_MS;
        assert!(is_near(ms, target, 0.1), "{given:?}: {ms} ms");
        let leaves = given == PLUS_PLUS;
        assert_eq!(queue.least == 0.0, leaves, "{given:?}: {queue:?}");
        assert!(leaves || queue.most * PACKET_MS <= target + 2.0 * PACKET_MS, "{given:?}: {queue:?}");
        assert_eq!(r.flows[0].retransmissions, 0);
    }
}

// LEDBAT yields to flows that fill the queue, if the buffer is longer than its target (RFC 6817 §1). In a
// buffer of 42 ms LEDBAT never reaches its target, and its share equals Reno's.
#[test]
fn ledbat_yields_in_a_buffer_longer_than_its_target() {
    for given in [&[] as Given, PLUS_PLUS] {
        for (other, room, most) in [("reno", 200, 0.08), ("cubic", 200, 0.08), ("reno", 500, 0.08)] {
            let rates = goodputs(&run(&plan(&[("ledbat", given, 0), (other, &[], 5)], 120, room, 0.0), 1));
            println!("{given:?} beside {other}, {room}: {rates:?}");
            assert!(rates[0] < most * CAPACITY, "{given:?} beside {other}, {room}: {rates:?}");
            assert!(rates[1] > 0.85 * CAPACITY, "{given:?} beside {other}, {room}: {rates:?}");
        }
    }
    let rates = goodputs(&run(&plan(&[("ledbat", &[], 0), ("reno", &[], 5)], 120, 50, 0.0), 1));
    assert!((0.67..1.5).contains(&(rates[0] / rates[1])), "{rates:?}");
}

// "Latecomer's advantage" (RFC 6817 §4.4): the later of two LEDBAT flows measures the queue of the earlier
// flow as part of the path, and adds its own target to it. The slowdowns of LEDBAT++ remove this advantage.
#[test]
fn ledbat_plus_plus_removes_the_latecomer_advantage() {
    for (given, is_unfair) in [(&[] as Given, true), (PLUS_PLUS, false)] {
        let flows = [("ledbat", given, 0), ("ledbat", given, 60)];
        let mut p = plan(&flows, 240, 500, 0.0);
        p.warmup = Span::from_secs(120);
        let (r, tables) = traced(&p, 1);
        let (rates, queue) = (goodputs(&r), waiting(&tables, 120.0, 240.0));
        println!("{given:?}: {rates:?}, {queue:?}");
        let ratio = rates[1] / rates[0];
        assert_eq!(ratio > 2.0, is_unfair, "{given:?}: {rates:?}");
        assert!(is_unfair || (0.6..1.67).contains(&ratio), "{given:?}: {rates:?}");
        assert_eq!(queue.mean * PACKET_MS > 150.0, is_unfair, "{given:?}: {queue:?}");
    }
}
