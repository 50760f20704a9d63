//! The sender uses the SACK blocks of every ACK: of ACKs with a changed window, of ACKs below the cumulative
//! ACK, and of ACKs that acknowledge new data.

use crate::common;
use crate::common::script::Script;
use crate::common::{MSS, linux, ns2, rfc};
use airhop_tcp::{Config, SackRecovery};

/// Returns the bytes of a window of `n` segments.
const fn segments(n: u64) -> u64 {
    n * MSS as u64
}

/// Returns scheme `sack` with eight segments outstanding, in congestion avoidance; the receiver's window is
/// eight segments.
fn eight(config: Config) -> Script {
    let receive_window = segments(8);
    let mut s = Script::new("sack", Config { receive_window, limited_transmit: false, ..config });
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8");
    s.at(100);
    s
}

/// Returns the three recoveries of scheme `sack`.
fn recoveries() -> [Config; 3] {
    let pipe = Config { sack_recovery: SackRecovery::Pipe, ..ns2(8.0, 4.0) };
    [pipe, rfc(8.0, 4.0), linux(8.0, 4.0)]
}

// RFC 6675 §2: an ACK whose SACK block reports new arrivals is a duplicate ACK "even if it … changes the
// advertised window". Segment 1 is lost. The application reads, so each of the seven other segments increases
// the advertised window by a byte.
#[test]
fn a_window_change_with_new_sacks_is_a_duplicate_ack() {
    for config in recoveries() {
        let mut s = eight(config);
        let sent: Vec<String> = (2..=8)
            .map(|last| {
                s.open_window(segments(8) + last);
                s.sack(1, &[(2, last)])
            })
            .collect();
        assert!(sent.concat().starts_with("1!"), "{sent:?}");
        assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (1, 1));
    }
}

// RFC 6675 §2: each new SACK block reduces the flight by a segment, even on an ACK that changes the
// advertised window. After seven ACKs one of eight segments is in flight.
#[test]
fn a_window_change_with_new_sacks_updates_the_flight() {
    let mut s = eight(Config { dupthresh: 100, ..rfc(8.0, 4.0) });
    for last in 2..=8 {
        s.open_window(segments(8) + last);
        s.sack(1, &[(2, last)]);
        assert_eq!(s.sender.in_flight(), segments(9 - last));
    }
}

// Linux also processes SACK blocks on ACKs below the cumulative ACK, because a reordered ACK also reports
// arrivals.
#[test]
fn sack_blocks_of_a_reordered_ack_are_recorded() {
    for config in [rfc(8.0, 4.0), linux(8.0, 4.0)] {
        let mut s = eight(Config { dupthresh: 100, ..config });
        assert_eq!(s.ack(2), "9");
        s.sack(1, &[(4, 5)]);
        assert_eq!(s.sender.in_flight(), segments(6), "of 2 to 9");
    }
}

// RFC 6675 §5: each incoming ACK is tested for loss "regardless of its status as a cumulative
// acknowledgment". Of ten segments, segment 3 is lost, and all ACKs except the last are lost.
#[test]
fn a_cumulative_ack_may_reveal_a_loss() {
    for config in [rfc(10.0, 5.0), linux(10.0, 5.0)] {
        let mut s = Script::new("sack", config);
        assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
        let sent = s.at(100).sack(3, &[(4, 10)]);
        assert!(sent.starts_with("3!"), "{sent}");
        assert_eq!(s.cuts(), 1);
    }
}

// RFC 6675 §5: an ACK that ends a recovery is also tested for loss. Segments 1 and 19 are lost; 19 is the
// first segment released in recovery.
#[test]
fn the_ack_that_ends_a_recovery_may_reveal_the_next_loss() {
    let mut s = Script::new("sack", rfc(16.0, 8.0));
    s.sent();
    s.at(100);
    (2..=18).for_each(|last| drop(s.sack(1, &[(2, last)])));
    assert_eq!((s.cuts(), s.sender.state().sent_end > common::byte(22)), (1, true));
    let sent = s.at(200).sack(19, &[(20, 22)]);
    assert!(sent.starts_with("19!"), "{sent}");
    assert_eq!(s.cuts(), 2);
}
