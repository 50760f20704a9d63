//! show
mod common;
use airhop_net::services;
use common::{LastHop, run};

#[test]
fn show() {
    for uplink in [false, true] {
        for fer in [0.01, 0.05] {
            println!("uplink {uplink} fer {fer}");
            for (scheme, service) in [
                ("reno", ""),
                ("newreno", ""),
                ("sack", ""),
                ("snoop", ""),
                ("split", ""),
                ("eln", ""),
                ("hack", ""),
                ("hack-fixed", ""),
                ("ewln", ""),
                ("tcp-eln", ""),
                ("lhp", ""),
                ("ll-elsn", ""),
                ("hack", "elsn"),
                ("hack-fixed", "elsn"),
                ("lhp", "elsn"),
                ("sack", "eln"),
                ("sack", "damaged-frames"),
            ] {
                let last = LastHop { scheme, fer, uplink, seconds: 100, ..Default::default() };
                let mut plan = last.plan();
                if let Some(s) = services::find(service) {
                    plan.flows[0].services = vec![s];
                }
                let r = run(&plan, 1);
                let f = &r.flows[0];
                println!(
                    "{scheme:12} {service:15} {:.3} Mb/s to {:4} fr {:4} cuts {:4} retx {:5} notices {:?} drops {:?} conf {:?}",
                    f.goodput_mbps,
                    f.timeouts,
                    f.fast_recoveries,
                    f.window_cuts,
                    f.retransmissions,
                    f.notices,
                    r.drops,
                    f.judgements
                );
            }
        }
    }
}
