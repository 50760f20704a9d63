//! Reference: measurements of ns-2.35 on the air interface of Kounavis 1996 (mean and standard deviation over
//! 20 seeds of 2000 s).
//!
//! F - 56 kbit/s, 50 ms - B - 19.2 kbit/s, 1 ms - M; queues of 50, a window of 20, segments of 88 bytes with
//! 40 of headers, a tick of 100 ms, no link recovery. Good and bad periods have means of 10 and 4 s, start
//! with a good period, and are shared by both directions. One difference: ns-2 uses the errors of the state
//! in which a frame arrives; Airhop uses the errors of each state for its part of the airtime.
//!
//! Constant lengths, 10 and 4 s, are not a benchmark: the fades are in step with the timeouts, and the
//! difference above shifts the phase by up to the airtime of a frame, 53 ms. A shift of 50 ms changes the
//! goodput of either simulator by 3 to 11 %.

use crate::common::radio::{Mobile, fades_of};
use crate::common::run;
use airhop_radio::errors::Sojourn;

/// Numbers of seeds: Airhop's, ns-2's.
const SEEDS: [u64; 2] = [60, 20];

/// Name of the scheme in ns-2, and in Airhop; distribution of the periods; mean and standard deviation of the
/// goodput in ns-2 (payload, kbit/s).
type Point = (&'static str, &'static str, Sojourn, [f64; 2]);

const MEASURED: [Point; 6] = [
    ("Tahoe", "tahoe", Sojourn::Exponential, [6.04, 0.58]),
    ("Reno", "reno", Sojourn::Exponential, [5.93, 0.55]),
    ("Newreno", "newreno", Sojourn::Exponential, [6.11, 0.59]),
    ("Sack1", "sack", Sojourn::Exponential, [5.89, 0.70]),
    ("Tahoe", "tahoe", Sojourn::Uniform, [5.97, f64::NAN]),
    ("Reno", "reno", Sojourn::Uniform, [6.09, f64::NAN]),
];

/// Returns mean and standard deviation.
fn moments(values: &[f64]) -> [f64; 2] {
    let mean = values.iter().sum::<f64>() / values.len() as f64;
    let squares = values.iter().map(|v| (v - mean).powi(2)).sum::<f64>();
    [mean, (squares / (values.len() - 1) as f64).sqrt()]
}

/// Returns a line of text, and true if the means agree within three standard errors of the difference, or
/// within 5 %: for constant periods, these numbers of runs are too small to distinguish 5 % from zero.
fn compare(&(ns2, scheme, sojourn, [mean, deviation]): &Point) -> (String, bool) {
    let mobile =
        Mobile { scheme, errors: fades_of(sojourn), air_delay_ms: 1, seconds: 2000, ..Mobile::default() };
    let plan = mobile.plan();
    let runs: Vec<_> = (1..=SEEDS[0]).map(|seed| run(&plan, seed).flows[0].clone()).collect();
    let goodput: Vec<f64> = runs.iter().map(|f| f.goodput_mbps * 1e3).collect();
    let [ours, spread] = moments(&goodput);
    // For some points only ns-2's mean is known: its standard deviation is assumed to equal Airhop's.
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
    // Two threads, because the points are independent. One in fifty such tables has a point beyond three
    // standard errors.
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
