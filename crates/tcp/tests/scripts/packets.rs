//! Windows that count segments, as in Linux, and windows that count bytes (RFC 5681 §2).

use crate::common::script::Script;
use crate::common::{linux, rfc, sender};
use airhop_tcp::Config;

/// Returns the number of segments sent for `writes` writes of 100 bytes, and the number sent after
/// `acknowledged` of them are acknowledged.
fn small(config: Config, writes: usize, acknowledged: u64) -> (usize, usize, f64) {
    let mut s = Script::by(sender("newreno", &[], &config), &config, 0);
    let write = |s: &mut Script| {
        s.sender.supply_data(100);
        s.segments().len()
    };
    let sent = (0..writes).map(|_| write(&mut s)).sum();
    let let_out = s.at(100).sack_bytes(1 + 100 * acknowledged, &[]).split_whitespace().count();
    let window = s.window().0;
    (sent, let_out + (0..writes).map(|_| write(&mut s)).sum::<usize>(), window)
}

// Linux, tcp_cwnd_test() and tcp_slow_start(): four of 20 writes fit into the window, and the acknowledgement
// of two writes releases four more. RFC 5681 §2 and §3.1: the window counts bytes; 20 writes have the length
// of two full segments, and an ACK counts for the bytes that it acknowledges.
#[test]
fn small_segments_fill_only_a_window_counted_in_segments() {
    let infinite = f64::INFINITY;
    assert_eq!(small(linux(4.0, infinite), 20, 2), (4, 4, 6.0));
    assert_eq!(small(rfc(4.0, infinite), 20, 2), (20, 20, 5.0));
}
