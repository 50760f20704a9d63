//! Reference: what ns-2.35 measured on the air interface of Kounavis 1996 (mean and standard deviation over 20 seeds of 2000 s).
//!
//! F - 56 kbit/s, 50 ms - B - 19.2 kbit/s, 1 ms - M; queues of 50, a window of 20, segments of 88 bytes with 40 of headers, a tick of
//! 100 ms, no link recovery. The two states are exponential with means of 10 and 4 s, begin good, and are shared by both directions.

mod common;
use common::radio::{Mobile, fades};
use common::run;

const SEEDS: u64 = 20;

/// A scheme of ns-2 and of Airhop; goodput in ns-2, payload in kbit/s: mean and standard deviation.
const MEASURED: [(&str, &str, f64, f64); 4] = [
    ("Tahoe", "tahoe", 6.04, 0.58),
    ("Reno", "reno", 5.93, 0.55),
    ("Newreno", "newreno", 6.11, 0.59),
    ("Sack1", "sack", 5.89, 0.70),
];

#[test]
fn goodput_in_fades_is_that_of_ns2() {
    for (ns2, scheme, mean, deviation) in MEASURED {
        let plan = Mobile { scheme, errors: fades(), air_delay_ms: 1, seconds: 2000, ..Mobile::default() }.plan();
        let runs: Vec<_> = (1..=SEEDS).map(|seed| run(&plan, seed).flows[0].clone()).collect();
        let goodput: Vec<f64> = runs.iter().map(|f| f.goodput_mbps * 1e3).collect();
        let ours = goodput.iter().sum::<f64>() / SEEDS as f64;
        let variance = goodput.iter().map(|g| (g - ours).powi(2)).sum::<f64>() / (SEEDS - 1) as f64;
        let error = ((variance + deviation * deviation) / SEEDS as f64).sqrt();
        let timeouts = runs.iter().map(|f| f.timeouts).sum::<u64>() / SEEDS;
        let again = runs.iter().map(|f| f.retransmissions).sum::<u64>() / SEEDS;
        println!(
            "{ns2}: {mean} ± {deviation}, Airhop {ours:.2} ± {:.2}, {timeouts} timeouts, {again} rexmit: {:+.1} standard errors",
            variance.sqrt(),
            (ours - mean) / error
        );
        assert!((ours - mean).abs() < 3.0 * error, "{ns2}: {mean}, Airhop {ours}, standard error {error}");
    }
}
