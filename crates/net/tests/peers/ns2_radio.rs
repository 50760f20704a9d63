//! Comparison with ns-2.35 on the radio link of Kounavis 1996 (mean and standard deviation over 20 seeds of
//! 2000 s).
//!
//! F - 56 kbit/s, 50 ms - B - 19.2 kbit/s, 1 ms - M. Queues of 50 packets, a window of 20, segments of 88
//! bytes with 40 of headers, a clock tick of 100 ms, no link recovery. Good periods have a mean of 10 s, bad
//! periods of 4 s; the first is good, and both directions share them. One difference remains: ns-2 uses the
//! errors of the state in which a frame arrives; Airhop uses those of each state for the part of the frame
//! that is sent in it.
//!
//! With constant lengths, 10 and 4 s, the fades are in step with the timeouts. The difference above then
//! shifts the phase by up to the airtime of a frame, 53 ms, and a shift of 50 ms changes the goodput of
//! either simulator by 3 to 11 %. Constant lengths are therefore not a benchmark.

use crate::common::radio::{Mobile, fades_of};
use crate::common::run;
use airhop_radio::errors::Sojourn;

/// Number of seeds in Airhop, and in ns-2.
const SEEDS: [u64; 2] = [60, 20];

/// Name of the congestion control in ns-2 and in Airhop; distribution of the lengths of periods; mean and
/// standard deviation of ns-2's goodput (payload, kbit/s).
type Point = (&'static str, &'static str, Sojourn, [f64; 2]);

const MEASURED: [Point; 6] = [
    ("Tahoe", "tahoe", Sojourn::Exponential, [6.04, 0.58]),
    ("Reno", "reno", Sojourn::Exponential, [5.93, 0.55]),
    ("Newreno", "newreno", Sojourn::Exponential, [6.11, 0.59]),
    ("Sack1", "sack", Sojourn::Exponential, [5.89, 0.70]),
    ("Tahoe", "tahoe", Sojourn::Uniform, [5.97, f64::NAN]),
    ("Reno", "reno", Sojourn::Uniform, [6.09, f64::NAN]),
];

/// Returns mean and standard deviation of the values.
fn moments(values: &[f64]) -> [f64; 2] {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    [mean, (squares / (values.len() - 1) as f64).sqrt()]
}

/// Returns a line of text, and true if the means agree within three standard errors of their difference or
/// within 5 %. With constant periods there are too few runs to distinguish 5 % from zero.
fn compare(&(ns2, scheme, sojourn, [mean, deviation]): &Point) -> (String, bool) {
    let mobile =
        Mobile { scheme, errors: fades_of(sojourn), air_delay_ms: 1, seconds: 2000, ..Mobile::default() };
    let plan = mobile.plan();
    let runs: Vec<_> = (1..=SEEDS[0]).map(|seed| run(&plan, seed).flows[0].clone()).collect();
    let goodput: Vec<f64> = runs.iter().map(|f| f.goodput_mbps * 1e3).collect();
    let [ours, spread] = moments(&goodput);
    // For some points only the mean of ns-2 is known; then its standard deviation is assumed to equal
    // Airhop's.
    let theirs = if deviation.is_nan() { spread } else { deviation };
    let errors =
        [spread, theirs].into_iter().zip(SEEDS).map(|(spread, seeds)| spread / (seeds as f64).sqrt());
    let apart = (ours - mean) / errors.reduce(f64::hypot).expect("two of them");
    let [timeouts, again] =
        [runs.iter().map(|f| f.timeouts).sum::<u64>(), runs.iter().map(|f| f.retransmissions).sum::<u64>()]
            .map(|sum| sum / SEEDS[0]);
    let line = format!(
        "{ns2} {sojourn:?}: ns-2 {mean} ± {deviation}, Airhop {ours:.2} ± {spread:.2} ({again} rexmit, {timeouts} timeouts): {apart:+.1} standard errors"
    );
    (line, apart.abs() < 3.0 || (ours / mean - 1.0).abs() < 0.05)
}

#[test]
fn goodput_in_fades_matches_ns2() {
    // Two threads, because the points are independent. One table in fifty has a point beyond three standard
    // errors.
    let halves: Vec<Vec<(String, bool)>> = std::thread::scope(|s| {
        let half = |k| move || MEASURED.iter().skip(k).step_by(2).map(compare).collect();
        let workers = [0, 1].map(|k| s.spawn(half(k)));
        workers.into_iter().map(|w| w.join().expect("no panic")).collect()
    });
    let mut misses = Vec::new();
    for (line, agrees) in halves.into_iter().flatten() {
        println!("{line}");
        if !agrees {
            misses.push(line);
        }
    }
    assert!(misses.is_empty(), "{}", misses.join("\n"));
}
