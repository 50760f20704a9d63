//! Golden tables: goodput by scheme and frame error rate on the last hop, and fairness by number of flows. A
//! change of any number is a change of the simulator's behaviour, and is reviewed as a change of code is.

use crate::common::LastHop;
use airhop_tcp::SCHEMES;
use std::fmt::Write;

#[test]
fn goodput_by_scheme_and_frame_error_rate() {
    let mut table = String::from("Mbit/s, 50 s    FER 0    1e-3     1e-2     5e-2     1e-2 up\n");
    for scheme in SCHEMES.iter().map(|s| s.name) {
        write!(table, "{scheme:<13}").expect("a string");
        for (fer, uplink) in [(0.0, false), (1e-3, false), (1e-2, false), (5e-2, false), (1e-2, true)] {
            let r = LastHop { scheme, fer, uplink, seconds: 50, ..LastHop::default() }.run(1);
            write!(table, " {:8.4}", r.flows[0].goodput_mbps).expect("a string");
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}

#[test]
fn fairness_by_number_of_flows() {
    // Jain's index: Yun 2009, equation (5).
    let mut table = String::from("Jain index, total Mbit/s, FER 1 %, four attempts, 50 s\n");
    for scheme in SCHEMES.iter().map(|s| s.name) {
        write!(table, "{scheme:<13}").expect("a string");
        for flows in [2, 5, 10] {
            let r = LastHop { scheme, flows, attempts: 4, seconds: 50, ..LastHop::default() }.run(1);
            let x: Vec<f64> = r.flows.iter().map(|f| f.goodput_mbps).collect();
            let total = x.iter().sum::<f64>();
            let jain = total * total / (flows as f64 * x.iter().map(|x| x * x).sum::<f64>());
            write!(table, "   {flows:2}: {jain:.3} {total:.3}").expect("a string");
        }
        table.push('\n');
    }
    insta::assert_snapshot!(table);
}
