//! Reference: what Linux 6.18 measured on an emulated link (`reference/linux.csv`, mean of 3 runs a point).

mod common;

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::Report;
use airhop_net::plan::{AppPlan, FlowPlan, Plan, QueuePlan, Transport, WiredPlan};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Params, Preset};
use common::run;

/// Two hosts, 10 Mbit/s and 30 ms each way, 50 packets of queue, independent losses of what goes to the receiver; MTU 1040, so 988
/// bytes of payload beside 12 of timestamps.
fn wire(scheme: &str, loss: f64) -> Plan {
    let scheme = airhop_tcp::find(scheme).expect("a known scheme");
    Plan {
        name: "wire".into(),
        duration: Span::from_secs(60),
        warmup: Span::ZERO,
        nodes: vec!["a".into(), "b".into()],
        wired: vec![WiredPlan {
            name: "w".into(),
            ends: [NodeId(0), NodeId(1)],
            rate: Rate::from_bps(10_000_000),
            delay: Span::from_millis(30),
            queue: QueuePlan::DropTail { packets: 50 },
            errors: [ErrorPlan::Loss(loss), ErrorPlan::Clean],
        }],
        radios: vec![],
        wlans: vec![],
        flows: vec![FlowPlan {
            name: "f".into(),
            from: NodeId(0),
            to: NodeId(1),
            transport: Transport::Tcp {
                scheme,
                params: Params::defaults(scheme),
                config: Preset::Linux.config(988),
            },
            app: AppPlan::Bulk,
            start: Time::ZERO,
            services: Vec::new(),
        }],
    }
}

/// The mean of a column of the kernel's runs of a scheme at a loss rate.
fn kernel(scheme: &str, loss: &str, column: usize) -> f64 {
    let rows = include_str!("reference/linux.csv").lines().map(|l| l.split(',').collect::<Vec<_>>());
    let values: Vec<f64> = rows
        .filter(|f| f[0] == scheme && f[8] == loss)
        .map(|f| f[column].parse().expect("a number"))
        .collect();
    values.iter().sum::<f64>() / values.len() as f64
}

const GOODPUT: usize = 11;
const RETRANSMISSIONS: usize = 13;

fn runs(scheme: &str, loss: &str, count: u64) -> Vec<Report> {
    let p = loss.parse().expect("a number");
    (1..=count).map(|seed| run(&wire(scheme, p), seed)).collect()
}

// DESIGN.md §5, reference: within 10 % up to 1 % loss, 20 % at 5 %.
#[test]
fn goodput_is_the_kernels() {
    for (loss, tolerance) in [("0.0001", 0.1), ("0.001", 0.1), ("0.01", 0.1), ("0.05", 0.2)] {
        let reports = runs("reno", loss, 20);
        let mean = reports.iter().map(|r| r.flows[0].goodput_mbps).sum::<f64>() / 20.0;
        let (rtx, rto) = reports
            .iter()
            .fold((0, 0), |(a, b), r| (a + r.flows[0].retransmissions, b + r.flows[0].timeouts));
        let linux = kernel("reno", loss, GOODPUT);
        let off = mean / linux - 1.0;
        println!(
            "reno {loss}: Linux {linux:.3} Mbit/s, Airhop {mean:.3}: {:+.1} %; {} retransmissions ({}), {} timeouts",
            off * 100.0,
            rtx as f64 / 20.0,
            kernel("reno", loss, RETRANSMISSIONS),
            rto as f64 / 20.0
        );
        assert!(off.abs() < tolerance, "reno at {loss}: Linux {linux:.3}, Airhop {mean:.3}");
    }
}

// reference/README.md: without errors, 148 retransmissions in 60 s.
#[test]
fn without_errors() {
    let r = &runs("reno", "0", 1)[0];
    let (linux, ours) = (kernel("reno", "0", GOODPUT), r.flows[0].goodput_mbps);
    println!("reno 0: Linux {linux:.3} Mbit/s, Airhop {ours:.3}; {:?}", r.flows[0]);
    assert!((ours / linux - 1.0).abs() < 0.1);
    let rtx = kernel("reno", "0", RETRANSMISSIONS);
    assert!(
        (r.flows[0].retransmissions as f64 / rtx - 1.0).abs() < 0.1,
        "{} for {rtx}",
        r.flows[0].retransmissions
    );
}
