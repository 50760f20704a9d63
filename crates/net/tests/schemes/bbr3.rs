//! BBR v3, compared with its draft (draft-ietf-ccwg-bbr-06) and with v1. The path is that of the measurements
//! of Linux: 10 Mbit/s, 30 ms in each direction, an MTU of 1040 and a bandwidth-delay product of 73 segments;
//! queue capacities and loss rates vary.

use crate::common::{hosts, run};
use airhop_base::{Span, Time};
use airhop_net::FlowReport;
use airhop_net::apps::BulkPlan;
use airhop_net::links::Links;
use airhop_net::plan::{FlowPlan, Plan};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use std::sync::Arc;

/// Returns the results of flows of these schemes over a queue of `packets` packets, in a run of a minute.
/// Each flow starts 300 ms after the one before it.
fn flows(schemes: &[&str], packets: usize, loss: f64, seed: u64) -> Vec<FlowReport> {
    let tcp = |scheme| hosts::tcp(scheme, Preset::Linux.config(988));
    let base = hosts::hosts(Span::from_secs(60), tcp(schemes[0]), Arc::new(BulkPlan));
    let flows = schemes.iter().zip(0..).map(|(scheme, i)| FlowPlan {
        name: format!("f{i}"),
        transport: tcp(scheme),
        start: Time::ZERO + Span::from_millis(300 * i),
        ..base.flows[0].clone()
    });
    let plan = Plan {
        links: Links {
            wired: vec![hosts::wire(10, Span::from_millis(30), packets, ErrorPlan::Loss(loss))],
            ..Links::default()
        },
        flows: flows.collect(),
        ..base
    };
    run(&plan, seed).flows
}

/// Returns the mean goodput of a single flow over three replications, Mbit/s.
fn goodput(scheme: &str, loss: f64) -> f64 {
    (1..=3).map(|seed| flows(&[scheme], 50, loss, seed)[0].goodput_mbps).sum::<f64>() / 3.0
}

// BBR v1 ignores losses. It loses many packets in a queue shorter than its overshoot, and if the queue is
// short enough, it loses them permanently (draft §1). BBR v3 keeps less data in flight than the amount that
// caused losses, and probes for more only every two seconds. In a queue of 20 packets, less than a third of
// the BDP, it has a quarter of v1's retransmissions at the same goodput; in a queue of 50 it has fewer than
// v1's 191. In a long queue neither version loses packets, and v3's queue is at most as long as v1's.
#[test]
fn bbr3_loses_fewer_packets_than_bbr_in_a_short_queue() {
    for (packets, share) in [(10, 0.15), (20, 0.25), (50, 0.9)] {
        let [v1, v3] = ["bbr", "bbr3"].map(|scheme| flows(&[scheme], packets, 0.0, 1).remove(0));
        println!(
            "queue {packets}: v1 {:.3} Mbit/s and {} sent again, v3 {:.3} and {}",
            v1.goodput_mbps, v1.retransmissions, v3.goodput_mbps, v3.retransmissions
        );
        assert!((v3.retransmissions as f64) < share * v1.retransmissions as f64, "{packets}");
        assert!(v3.goodput_mbps > 0.96 * v1.goodput_mbps, "{packets}");
        assert_eq!(v3.timeouts, 0);
    }
    assert_eq!(flows(&["bbr3"], 300, 0.0, 1)[0].retransmissions, 0);
}

// "The steady-state (non-bandwidth-probing) BBR response to … X % packet loss is to reduce the sending rate
// by X %" per round trip, until the next probe (draft §5.3.3.8.3). At a loss rate of 1 % and with 33 to 50
// round trips of 61 ms between probes, the rate decreases to 0.99^40 = 0.67, and is 0.82 on average. If more
// than LossThresh, 2 %, of the data in flight is lost (§2.8), each probe ends as soon as it starts. BBR v1
// ignores losses.
#[test]
fn bbr3_goodput_falls_above_a_wireless_loss_of_2_percent() {
    let [clean, thousandth, hundredth, twentieth] =
        [0.0, 0.001, 0.01, 0.05].map(|loss| goodput("bbr3", loss));
    let v1 = goodput("bbr", 0.05);
    println!("v3 {clean:.3}, {thousandth:.3}, {hundredth:.3}, {twentieth:.3} Mbit/s; v1 at 5 % {v1:.3}");
    assert!(clean > 9.0 && thousandth > 0.95 * clean);
    assert!((0.72..0.92).contains(&(hundredth / clean)));
    assert!(twentieth < 0.35 * clean && v1 > 0.9 * clean);
}

// Reno and CUBIC must be able to share a link with BBR (draft §5.3.3.8.1). In a queue of 50 packets v1 leaves
// them a tenth of the capacity; v3 leaves about a third on average, which depends on the times of its probes.
// In a queue of 300 packets, four times the BDP, v3's share is closer to one half than v1's.
#[test]
fn reno_and_cubic_keep_a_share_beside_bbr3() {
    let share = |scheme, other, packets| {
        let of_seed = |seed| {
            let flows = flows(&[scheme, other], packets, 0.0, seed);
            flows[1].goodput_mbps / (flows[0].goodput_mbps + flows[1].goodput_mbps)
        };
        (1..=16).map(of_seed).sum::<f64>() / 16.0
    };
    for other in ["reno", "cubic"] {
        let [v1, v3] = ["bbr", "bbr3"].map(|scheme| share(scheme, other, 50));
        let [deep_v1, deep_v3] = ["bbr", "bbr3"].map(|scheme| share(scheme, other, 300));
        println!("{other} beside v1 {v1:.2}, {deep_v1:.2}; beside v3 {v3:.2}, {deep_v3:.2}");
        assert!(v1 < 0.15 && (0.3..0.6).contains(&v3), "{other}");
        assert!(
            (deep_v3 - 0.5).abs() < (deep_v1 - 0.5).abs() + 0.02 && (0.4..0.6).contains(&deep_v3),
            "{other}"
        );
    }
}

// Two flows "converge toward a more fair allocation" (draft §3.1). Jain's index of 0.9 corresponds to rates
// of two to one.
#[test]
fn two_bbr3_flows_share_a_bottleneck() {
    for packets in [20, 50, 300] {
        let x: Vec<f64> = flows(&["bbr3", "bbr3"], packets, 0.0, 1).iter().map(|f| f.goodput_mbps).collect();
        let jain = (x[0] + x[1]).powi(2) / (2.0 * (x[0] * x[0] + x[1] * x[1]));
        println!("queue {packets}: {:.3} and {:.3} Mbit/s, Jain {jain:.3}", x[0], x[1]);
        assert!(jain > 0.9, "{packets}: {x:?}");
        assert!(x[0] + x[1] > 9.0);
    }
}
