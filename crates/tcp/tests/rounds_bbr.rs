//! BBR v1 on a path of 50 ms each way whose bottleneck takes a millisecond for a segment: 1 MB/s of payload, a least round trip of
//! 101 ms, so 101 segments fill it. Section numbers are those of draft-cardwell-iccrg-bbr-congestion-control-00.

mod common;

use airhop_base::Rate;

use common::path::{Fate, Path, Transfer};
use common::{at, rfc};

fn path(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(8_320_000), room)), ..Path::of(50) }
}

fn run(path: Path, ms: u64) -> Transfer {
    let config = rfc(10.0, f64::INFINITY);
    let mut t = Transfer::new("bbr", &config, path, 1_000_000);
    t.run_until(at(ms));
    t
}

/// The window at `ms`.
fn cwnd(t: &Transfer, ms: u64) -> f64 {
    t.cwnd.iter().rev().find(|(time, _)| *time <= at(ms)).expect("a window").1
}

/// Segments that left from `from` to `to`.
fn sent(t: &Transfer, from: u64, to: u64) -> usize {
    t.log.iter().filter(|s| at(from) <= s.time && s.time < at(to)).count()
}

#[test]
fn explore() {
    let t = run(path(1000), 12_000);
    println!("{}", t.rounds());
    for ms in (9_900..11_000).step_by(10) {
        println!("{ms} {}", cwnd(&t, ms));
    }
    let t = run(path(1000).losing(&[1500, 1510]), 3_000);
    println!("{}", t.rounds());
    for (time, cwnd) in t.cwnd.iter().filter(|c| c.0 > at(1700) && c.0 < at(2100)) {
        println!("{time} {cwnd}");
    }
    let _ = (sent(&t, 0, 1), Fate::Lost);
}
