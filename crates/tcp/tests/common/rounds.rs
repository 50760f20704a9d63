//! Windows in segments per round trip.
//!
//! A path of 50 ms each way and no bottleneck: a window leaves in one burst and its ACKs return in one burst, so a
//! round is exactly 100 ms. Preset `ns2` (initial window 2, an ACK per segment, limited transmit, half of cwnd after a
//! loss), ssthresh 8. A line has the round, the segments sent in it, cwnd at its end, and the retransmissions (`!` fast
//! retransmit, `+` further repair, `t` timeout, `n` notice). Segments 15 to 22 are sent in round 3.
//!
//! Senders that estimate the capacity of a path have a path with a bottleneck: [`pipe`].

use super::path::{Path, Transfer};
use super::{MSS, at, rfc};
use airhop_base::Rate;
use airhop_tcp::{Config, Preset};

/// Enough segments for any of these tests.
const PLENTY: u64 = 1_000_000;

/// Preset `ns2`, and congestion avoidance from 8 segments on.
pub fn config() -> Config {
    Config { initial_ssthresh: 8.0, ..Preset::Ns2.config(MSS) }
}

/// Returns the first `n` rounds of `scheme`.
pub fn rounds(scheme: &str, path: &Path, n: u64) -> String {
    rounds_with(scheme, &[], path, n)
}

/// Returns the same, with parameters of the scheme.
pub fn rounds_with(scheme: &str, given: &[(&str, f64)], path: &Path, n: u64) -> String {
    let mut t = Transfer::given(scheme, given, &config(), path.clone(), PLENTY);
    t.run_until(at(n * 100 - 1));
    t.rounds()
}

/// Returns the result of `of` for each of `schemes`; it must be the same for all.
pub fn same(schemes: &[&str], of: impl Fn(&str) -> String) -> String {
    let first = of(schemes[0]);
    for scheme in schemes {
        assert_eq!(of(scheme), first, "{scheme}");
    }
    first
}

/// Returns the first `n` rounds, which must be the same for all of `schemes`.
pub fn common_rounds(schemes: &[&str], path: &Path, n: u64) -> String {
    same(schemes, |scheme| rounds(scheme, path, n))
}

pub fn clean() -> Path {
    Path::of(50)
}

/// Returns one loss in a window.
pub fn one() -> Path {
    clean().losing(&[20])
}

/// Three losses in a window.
pub fn three() -> Path {
    clean().losing(&[20, 22, 24])
}

/// A whole window is lost.
pub fn window() -> Path {
    clean().losing(&[15, 16, 17, 18, 19, 20, 21, 22])
}

/// Returns a path of 50 ms in each direction whose bottleneck serves a segment per millisecond, with a queue of `room`
/// segments: 1 MB/s of payload and a smallest round trip of 101 ms, so 101 segments fill the path, and each queued
/// segment adds a millisecond.
pub fn pipe(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(8_320_000), room)), ..clean() }
}

/// `scheme` on such a path until `ms`: RFC preset, from ten segments on.
pub fn run(scheme: &str, path: Path, ms: u64) -> Transfer {
    run_with(scheme, &[], path, ms)
}

/// The same, with parameters of the scheme.
pub fn run_with(scheme: &str, given: &[(&str, f64)], path: Path, ms: u64) -> Transfer {
    let mut t = Transfer::given(scheme, given, &rfc(10.0, f64::INFINITY), path, PLENTY);
    t.run_until(at(ms));
    t
}

/// Returns the window at `ms`.
pub fn cwnd(t: &Transfer, ms: u64) -> f64 {
    t.cwnd.iter().rev().find(|(time, _)| *time <= at(ms)).expect("a window").1
}

/// Segments that left from `from` to `to`, milliseconds.
pub fn sent(t: &Transfer, from: u64, to: u64) -> usize {
    t.log.iter().filter(|s| at(from) <= s.time && s.time < at(to)).count()
}
