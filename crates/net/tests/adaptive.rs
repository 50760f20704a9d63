//! DCTCP, Hybla, Illinois and H-TCP between two hosts, against what their papers say of whole connections.

mod common;

use airhop_base::Span;
use airhop_net::plan::{AppPlan, Plan};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::Preset;
use common::{hosts, run};

fn wire(scheme: &str, mbps: u64, one_way: Span, packets: usize, loss: f64, seconds: u64) -> Plan {
    let errors = if loss > 0.0 { ErrorPlan::Loss(loss) } else { ErrorPlan::Clean };
    Plan {
        wired: vec![hosts::wire(mbps, one_way, packets, errors)],
        ..hosts::hosts(Span::from_secs(seconds), hosts::tcp(scheme, Preset::Linux.config(988)), AppPlan::Bulk)
    }
}

#[test]
fn explore_linux_path() {
    for scheme in ["sack", "cubic", "bbr", "dctcp", "hybla", "illinois", "htcp"] {
        for loss in [0.0, 0.001, 0.01, 0.05] {
            let n = 5;
            let g: Vec<_> = (1..=n)
                .map(|seed| run(&wire(scheme, 10, Span::from_millis(30), 50, loss, 60), seed))
                .collect();
            let mean = g.iter().map(|r| r.flows[0].goodput_mbps).sum::<f64>() / n as f64;
            let re = g.iter().map(|r| r.flows[0].retransmissions as f64).sum::<f64>() / n as f64;
            let to = g.iter().map(|r| r.flows[0].timeouts as f64).sum::<f64>() / n as f64;
            println!("{scheme:10} {loss:6} {mean:.3} Mbit/s, {re:.0} retransmissions, {to:.1} timeouts");
        }
    }
}

#[test]
fn explore_hybla() {
    for scheme in ["sack", "hybla"] {
        for ms in [25u64, 100, 300, 600] {
          use std::io::Write; std::io::stdout().flush().unwrap();
            for loss in [1e-3, 1e-2] {
                let plan = wire(scheme, 100, Span::from_micros(ms * 500), 500, loss, 60);
                let t = std::time::Instant::now();
                let r = run(&plan, 1);
                println!(
                    "{scheme} {ms} {loss}: {:.3} re {} to {} {:?}",
                    r.flows[0].goodput_mbps,
                    r.flows[0].retransmissions,
                    r.flows[0].timeouts,
                    t.elapsed()
                );
            }
        }
    }
}

#[test]
fn explore_illinois() {
    for scheme in ["sack", "illinois", "htcp", "cubic"] {
        for loss in [0.0, 1e-5, 1e-4, 1e-3] {
            let plan = wire(scheme, 100, Span::from_millis(30), 200, loss, 60);
            let r = run(&plan, 1);
            println!(
                "{scheme} {loss}: {:.3} re {} to {}",
                r.flows[0].goodput_mbps, r.flows[0].retransmissions, r.flows[0].timeouts
            );
        }
    }
}
