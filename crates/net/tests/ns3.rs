//! Reference: what ns-3.44 measured on a lossy wire (`reference/ns3.csv`, scenario D, mean of 3 seeds a point).

mod common;

use airhop_base::{NodeId, Rate, Span, Time};
use airhop_net::plan::{AppPlan, FlowPlan, Plan, QueuePlan, Transport, WiredPlan};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Params, Preset};
use common::run;

/// Two hosts, 10 Mbit/s and 30 ms each way, 50 packets of queue, independent losses of what goes to the receiver; an ACK for every
/// segment, timestamps, an initial window of 10 and a least RTO of 1 s.
fn wire(scheme: &str, given: &[(&str, f64)], loss: f64) -> Plan {
    let scheme = airhop_tcp::find(scheme).expect("a known scheme");
    let mut params = Params::defaults(scheme);
    for (name, value) in given {
        params.set(scheme, name, *value).expect("a parameter of the scheme");
    }
    let mut config = Preset::Rfc.config(1000);
    config.delayed_ack = None;
    Plan {
        name: "wire".into(),
        duration: Span::from_secs(100),
        warmup: Span::ZERO,
        nodes: vec!["a".into(), "b".into()],
        wired: vec![WiredPlan {
            name: "w".into(),
            ends: [NodeId(0), NodeId(1)],
            pace: Rate::from_bps(10_000_000).into(),
            delay: Span::from_millis(30),
            queue: QueuePlan::DropTail { packets: 50 },
            errors: [ErrorPlan::Loss(loss), ErrorPlan::Clean],
        }],
        wlans: vec![],
        radios: vec![],
        flows: vec![FlowPlan {
            name: "f".into(),
            from: NodeId(0),
            to: NodeId(1),
            transport: Transport::Tcp { scheme, params, config },
            app: AppPlan::Bulk,
            start: Time::ZERO,
            services: Vec::new(),
        }],
    }
}

/// Mean goodput of ns-3 for a scheme at a loss rate.
fn ns3(scheme: &str, loss: &str) -> f64 {
    let given = format!("loss={loss};mss=1000;delack=1;T=100");
    let rows = include_str!("reference/ns3.csv").lines().map(|l| l.split(',').collect::<Vec<_>>());
    let goodput: Vec<f64> =
        rows.filter(|f| f[1] == scheme && f[2] == given).map(|f| f[4].parse().expect("a number")).collect();
    goodput.iter().sum::<f64>() / goodput.len() as f64
}

/// A scheme here and there, what is lost, and by how much its goodput is known to differ.
type Row = (&'static str, &'static str, &'static [(&'static str, f64)], &'static str, f64);

/// At 1 % ns-3's Vegas gives up one segment for a loss and not a quarter of its window; its Westwood+ counts what duplicate ACKs
/// reported a second time when the recovery ends (done so here, 9.09 Mbit/s against its 8.54); its Veno takes four fifths of what is
/// in flight after the loss.
const ROWS: [Row; 8] = [
    ("vegas", "vegas", &[("alpha", 2.0), ("beta", 4.0)], "0.0001", 0.0),
    ("westwood+", "westwood-plus", &[("filter", 2.0)], "0.0001", 0.0),
    ("veno", "veno", &[], "0.0001", 0.0),
    ("cubic", "cubic", &[], "0.0001", 0.04),
    ("vegas", "vegas", &[("alpha", 2.0), ("beta", 4.0)], "0.01", -0.36),
    ("westwood+", "westwood-plus", &[("filter", 2.0)], "0.01", -0.32),
    ("veno", "veno", &[], "0.01", 0.16),
    ("cubic", "cubic", &[], "0.01", -0.03),
];

#[test]
fn goodput_is_that_of_ns3() {
    for (theirs, scheme, given, loss, known) in ROWS {
        let p = loss.parse().expect("a number");
        let ours: f64 = (1..=3).map(|seed| run(&wire(scheme, given, p), seed).flows[0].goodput_mbps).sum();
        let (ours, ns3) = (ours / 3.0, ns3(theirs, loss));
        let off = ours / ns3 - 1.0;
        println!("{scheme} {loss}: ns-3 {ns3:.3}, Airhop {ours:.3}: {:+.1} %", off * 100.0);
        assert!((off - known).abs() < 0.05, "{scheme} at {loss}: ns-3 {ns3:.3}, Airhop {ours:.3}, {off:+.3}");
    }
}
