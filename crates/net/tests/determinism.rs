//! Determinism: a plan, a seed and a replication determine every bit of the result.

use crate::common::{LastHop, run};
use airhop_base::{NodeId, Rate, Span};
use airhop_net::FlowReport;
use airhop_net::links::WiredPlan;
use airhop_net::plan::Plan;
use airhop_net::queues::QueuePlan;
use airhop_radio::errors::ErrorPlan;
use airhop_radio::link_rate::LinkRate;

fn short(scheme: &'static str, uplink: bool) -> LastHop {
    LastHop { scheme, uplink, fer: 0.03, seconds: 20, ..LastHop::default() }
}

#[test]
fn plan_seed_and_replication_determine_a_run() {
    for scheme in ["tahoe", "reno", "newreno", "sack", "snoop", "ll-elsn"] {
        for uplink in [false, true] {
            let hop = short(scheme, uplink);
            assert_eq!(hop.run(1), hop.run(1), "{scheme}");
            assert_ne!(hop.run(1).fingerprint, hop.run(2).fingerprint, "{scheme}: the seed matters");
        }
    }
}

#[test]
fn parallel_threads_do_not_change_a_run() {
    let hop = short("ll-elsn", false);
    let alone = hop.run(7);
    let together: Vec<_> = std::thread::scope(|s| {
        let runs: Vec<_> = (0..2).map(|_| s.spawn(|| hop.run(7))).collect();
        runs.into_iter().map(|r| r.join().expect("no panic")).collect()
    });
    assert!(together.iter().all(|r| *r == alone));
}

#[test]
fn unrelated_nodes_do_not_change_a_run() {
    // The additional nodes come before and after the flow's nodes, in the list and in alphabetical order.
    let hop = short("snoop", false);
    let plan = hop.plan();
    let mut more = plan.clone();
    let first = more.nodes.len() as u16;
    more.nodes.extend(["a0", "zz"].map(String::from));
    let link = WiredPlan {
        name: "aside".into(),
        ends: [NodeId(first), NodeId(first + 1)],
        rates: LinkRate::both_ways(Rate::from_bps(1_000_000)),
        delay: [Span::from_millis(1); 2],
        queue: [QueuePlan::DropTail { packets: 5 }; 2],
        errors: [ErrorPlan::Clean, ErrorPlan::Loss(0.5)],
        reorder: [None; 2],
    };
    more.links.wired.insert(0, link.clone());
    more.links.wired.push(WiredPlan { name: "spur".into(), ends: [NodeId(1), NodeId(first)], ..link });
    assert_eq!(run(&plan, 3), run(&more, 3));
}

/// A warm-up changes the counters but no event. The counters of a run of 5 s, plus those of a run of 20 s
/// with a warm-up of 5 s, equal those of a run of 20 s without a warm-up.
#[test]
fn a_warm_up_changes_counters_but_no_event() {
    for uplink in [false, true] {
        let plan = LastHop { flows: 2, attempts: 2, ..short("ll-elsn", uplink) }.plan();
        let whole = run(&plan, 1);
        let first = run(&Plan { duration: Span::from_secs(5), ..plan.clone() }, 1);
        let rest = run(&Plan { warmup: Span::from_secs(5), ..plan }, 1);
        assert_eq!((rest.fingerprint, rest.events), (whole.fingerprint, whole.events));
        let sum = |a: &[u64], b: &[u64]| a.iter().zip(b).map(|(a, b)| a + b).collect::<Vec<_>>();
        assert_eq!(sum(&first.drops, &rest.drops), whole.drops);
        for ((first, rest), whole) in first.flows.iter().zip(&rest.flows).zip(&whole.flows) {
            assert_eq!(sum(&counts(first), &counts(rest)), counts(whole));
            assert!(counts(first)[..2].iter().all(|&count| count > 0), "{first:?}");
            assert_eq!(rest.goodput_mbps, rest.delivered_bytes as f64 * 8.0 / 15.0 / 1e6);
            assert_eq!(rest.srtt_ms, whole.srtt_ms);
        }
    }
}

/// Returns every counter of a flow.
fn counts(f: &FlowReport) -> Vec<u64> {
    let plain = [f.delivered_bytes, f.sent_segments, f.retransmissions, f.timeouts, f.fast_recoveries];
    [&plain[..], &[f.window_cuts, f.spurious_timeouts], &f.notices].concat()
}
