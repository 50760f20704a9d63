//! BBR v3 on a path of 50 ms each way whose bottleneck takes a millisecond for a segment: 1 MB/s of payload, a least round trip of
//! 101 ms, so 101 segments fill it. Section numbers are those of draft-ietf-ccwg-bbr-06.

mod common;

use airhop_base::Rate;

use common::path::{Path, Transfer};
use common::{at, rfc};

fn path(room: usize) -> Path {
    Path { bottleneck: Some((Rate::from_bps(8_320_000), room)), ..Path::of(50) }
}

fn run(path: Path, ms: u64) -> Transfer {
    let config = rfc(10.0, f64::INFINITY);
    let mut t = Transfer::new("bbr3", &config, path, 1_000_000);
    t.run_until(at(ms));
    t
}

/// Rounds `from` to `to` of 100 ms: segments sent, the window at the end, what was sent again.
fn rounds(t: &Transfer, from: usize, to: usize) -> String {
    t.rounds().lines().skip(from).take(to + 1 - from).collect::<Vec<_>>().join("\n")
}

#[test]
fn scratch() {
    println!("{}", rounds(&run(path(1000), 12_000), 0, 119));
    println!("{}", rounds(&run(path(50), 12_000), 0, 119));
}
