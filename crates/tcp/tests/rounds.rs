//! The window law of each scheme, in segments per round trip.
//!
//! A path of 50 ms each way and no bottleneck: a window leaves in an instant and its ACKs return in an instant, so a round is
//! exactly 100 ms. Preset `ns2` (initial window 2, an ACK per segment, halving cwnd), ssthresh 8. A line is: round, segments
//! sent in it, cwnd at its end, and what was sent again (`!` fast retransmit, `+` further repair, `t` timeout, `n` notice).

mod common;

use airhop_tcp::{Config, Preset};
use common::path::{Fate, Path, Transfer};
use common::{MSS, at};

fn rounds_of(scheme: &str, path: Path, rounds: u64) -> String {
    let config = Config { initial_ssthresh: 8.0, ..Preset::Ns2.config(MSS) };
    let mut t = Transfer::new(scheme, &config, path, 10_000);
    t.run_until(at(rounds * 100 - 1));
    t.rounds()
}

#[test]
fn show() {
    for scheme in ["tahoe", "reno", "newreno", "snoop", "sack", "ll-elsn"] {
        println!("=== {scheme} none\n{}", rounds_of(scheme, Path::of(50), 9));
        println!("=== {scheme} one\n{}", rounds_of(scheme, Path::of(50).losing(&[20]), 11));
        println!("=== {scheme} three\n{}", rounds_of(scheme, Path::of(50).losing(&[20,22,24]), 12));
        println!("=== {scheme} timeout\n{}", rounds_of(scheme, Path::of(50).losing(&[20]).with(20,2,Fate::Lost), 14));
    }
}
