//! Reference: what ns-2.35 measured on the last hop of Yun 2009 (`reference/ns2.csv`, mean of 5 to 20 seeds a point).
//!
//! Goodput within 10 %, 15 % with Snoop, at every point, preset `ns2`.

mod common;
use common::LastHop;

/// One point: parameters and the mean goodput of ns-2.
struct Point {
    hop: LastHop,
    label: String,
    ns2: f64,
    ns2_rexmit: f64,
    ns2_timeouts: f64,
}

fn points() -> Vec<Point> {
    let text = include_str!("reference/ns2.csv");
    let mut points: Vec<(Point, f64)> = Vec::new();
    for line in text.lines().skip(1) {
        let f: Vec<&str> = line.split(',').collect();
        let scheme = match f[0] {
            "Reno" => "reno",
            "Newreno" => "newreno",
            "Sack1" => "sack",
            "Newreno+snoop" => "snoop",
            _ => continue,
        };
        let number = |i: usize| f[i].parse::<f64>().expect("a number");
        let label = f[..8].join(" ");
        let hop = LastHop {
            scheme,
            fer: number(1),
            d_off_ms: number(2) as u64,
            attempts: number(3) as u32,
            control_mbps: number(4),
            flows: number(5) as usize,
            uplink: f[6] == "up",
            seconds: number(7) as u64,
            ..LastHop::default()
        };
        match points.iter_mut().find(|(p, _)| p.label == label) {
            Some((p, n)) => {
                p.ns2 += number(9);
                p.ns2_rexmit += number(10);
                p.ns2_timeouts += number(11);
                *n += 1.0;
            }
            None => points.push((
                Point { hop, label, ns2: number(9), ns2_rexmit: number(10), ns2_timeouts: number(11) },
                1.0,
            )),
        }
    }
    points
        .into_iter()
        .map(|(p, n)| Point {
            ns2: p.ns2 / n,
            ns2_rexmit: p.ns2_rexmit / n,
            ns2_timeouts: p.ns2_timeouts / n,
            ..p
        })
        .collect()
}

#[test]
fn goodput_is_within_a_tenth_of_ns2() {
    const SEEDS: u64 = 6;
    let mut misses = Vec::new();
    for p in points() {
        let tolerance = if p.hop.scheme == "snoop" { 0.15 } else { 0.10 };
        let (mut ours, mut rexmit, mut timeouts) = (0.0, 0.0, 0.0);
        for seed in 1..=SEEDS {
            let r = p.hop.run(seed);
            ours += r.flows.iter().map(|f| f.goodput_mbps).sum::<f64>() / SEEDS as f64;
            rexmit += r.flows.iter().map(|f| f.retransmissions as f64).sum::<f64>() / SEEDS as f64;
            timeouts += r.flows.iter().map(|f| f.timeouts as f64).sum::<f64>() / SEEDS as f64;
        }
        let off = ours / p.ns2 - 1.0;
        println!(
            "{:<46} ns-2 {:.3} ({:4.0} rexmit, {:4.0} timeouts), Airhop {ours:.3} ({rexmit:4.0}, {timeouts:4.0}): {:+.1} %{}",
            p.label,
            p.ns2,
            p.ns2_rexmit,
            p.ns2_timeouts,
            off * 100.0,
            if off.abs() > tolerance { "  MISS" } else { "" }
        );
        if off.abs() > tolerance {
            misses.push(p.label);
        }
    }
    assert!(misses.is_empty(), "points off by more than the tolerance: {misses:#?}");
}
