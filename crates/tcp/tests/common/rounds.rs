//! Windows per round trip, in segments.
//!
//! The path has 50 ms each way and no bottleneck. A window is sent in one burst, and its ACKs return in one
//! burst, so a round lasts for exactly 100 ms. Senders have preset `ns2` (initial window 2, an ACK per
//! segment, limited transmit, half of cwnd after a loss) and an ssthresh of 8. A line contains the round, the
//! segments sent in it, cwnd at its end, and the retransmissions (`!` fast retransmit, `+` further
//! retransmission of the recovery, `t` timeout, `n` notice). Segments 15 to 22 are sent in round 3.
//!
//! Senders that estimate the capacity of a path use a path with a bottleneck: [`pipe`].

use super::path::{Path, Transfer};
use super::{MSS, at, rfc};
use airhop_base::Rate;
use airhop_tcp::{Config, Preset};

/// Number of segments that is sufficient for all these tests.
const PLENTY: u64 = 1_000_000;

/// Returns preset `ns2` with congestion avoidance from 8 segments on.
pub fn config() -> Config {
    Config { initial_ssthresh: 8.0, ..Preset::Ns2.config(MSS) }
}

/// Returns the first `n` rounds of `scheme`.
pub fn rounds(scheme: &str, path: &Path, n: u64) -> String {
    rounds_with(scheme, &[], path, n)
}

/// Returns the first `n` rounds of `scheme` with these parameters.
pub fn rounds_with(scheme: &str, given: &[(&str, f64)], path: &Path, n: u64) -> String {
    let mut t = Transfer::given(scheme, given, &config(), path.clone(), PLENTY);
    t.run_until(at(n * 100 - 1));
    t.rounds()
}

/// Returns the result of `of` for the first of `schemes`. Checks that it is equal for all of `schemes`.
pub fn same(schemes: &[&str], of: impl Fn(&str) -> String) -> String {
    let first = of(schemes[0]);
    for scheme in schemes {
        assert_eq!(of(scheme), first, "{scheme}");
    }
    first
}

/// Returns the first `n` rounds. Checks that they are equal for all of `schemes`.
pub fn common_rounds(schemes: &[&str], path: &Path, n: u64) -> String {
    same(schemes, |scheme| rounds(scheme, path, n))
}

pub fn clean() -> Path {
    Path::of(50)
}

/// Returns a path with a loss of one segment in a window.
pub fn one() -> Path {
    clean().losing(&[20])
}

/// Returns a path with losses of three segments in a window.
pub fn three() -> Path {
    clean().losing(&[20, 22, 24])
}

/// Returns a path that loses a whole window.
pub fn window() -> Path {
    clean().losing(&[15, 16, 17, 18, 19, 20, 21, 22])
}

/// Returns a path of 50 ms in each direction whose bottleneck serves a segment per millisecond, with a queue
/// of `room` segments. The rate is 1 MB/s of payload, and the minimum round trip 101 ms. The bandwidth-delay
/// product is 101 segments, and each queued segment adds a millisecond.
pub fn pipe(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(8_320_000), room)), ..clean() }
}

/// Runs `scheme` on a path of [`pipe`] until `ms`, with the RFC preset and an initial window of ten segments.
pub fn run(scheme: &str, path: Path, ms: u64) -> Transfer {
    run_with(scheme, &[], path, ms)
}

/// Runs as [`run`], with parameters of the scheme.
pub fn run_with(scheme: &str, given: &[(&str, f64)], path: Path, ms: u64) -> Transfer {
    let mut t = Transfer::given(scheme, given, &rfc(10.0, f64::INFINITY), path, PLENTY);
    t.run_until(at(ms));
    t
}

/// Returns the window at `ms`.
pub fn cwnd(t: &Transfer, ms: u64) -> f64 {
    t.cwnd.iter().rev().find(|(time, _)| *time <= at(ms)).expect("a window").1
}

/// Returns the number of segments sent from `from` to `to`, milliseconds.
pub fn sent(t: &Transfer, from: u64, to: u64) -> usize {
    t.log.iter().filter(|s| at(from) <= s.time && s.time < at(to)).count()
}
