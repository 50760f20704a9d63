//! Effect of reordering on a sender: the windows after given ACKs.

use crate::common::script::{Script, ten, ten_of};
use crate::common::{linux, rfc};
use airhop_tcp::{Config, LossDetection, Preset};

/// Returns the growth of the window at each of several ACKs, in segments. Eleven segments are outstanding
/// with a window of 10. Segment 2 arrives after segment `foremost`; then further segments are SACKed above a
/// new hole at 3, one at a time.
fn grown_by_sacks(config: Config, foremost: u64) -> Vec<f64> {
    let mut s: Script = ten(Config { initial_ssthresh: 5.0, ..config });
    s.at(105).sack(2, &[(foremost, foremost)]);
    s.at(106).sack(3, &[(foremost, foremost)]);
    let grown = |n| {
        let before = s.window().0;
        s.sack(3, &[(n, n), (foremost, foremost)]);
        s.window().0 - before
    };
    let grown = [8, 9, 10].map(grown).to_vec();
    assert_eq!(s.cuts(), 0);
    grown
}

// Linux, tcp_may_raise_cwnd(): SACKed segments increase the window, by one segment per window, once the path
// has reordered. The path counts as reordering if a segment arrives more than tcp_reordering segments below
// the end of the highest SACKed segment (tcp_check_sack_reordering()). Segment 2 is four segments below the
// end of 5, and three below the end of 4. According to RFC 5681 §3.1 only "an ACK that cumulatively
// acknowledges new data" increases the window.
#[test]
fn sacked_data_grows_the_window_after_reordering_in_linux() {
    let near = |grown: Vec<f64>, each: f64| grown.iter().all(|g| (g - each).abs() < 1e-9);
    assert!(near(grown_by_sacks(linux(10.0, 5.0), 5), 1.0 / 10.0));
    assert!(near(grown_by_sacks(linux(10.0, 5.0), 4), 0.0));
    assert!(near(grown_by_sacks(Config { dupthresh: 4, ..linux(10.0, 5.0) }, 5), 0.0));
    assert!(near(grown_by_sacks(Config { loss_detection: LossDetection::Rack, ..rfc(10.0, 5.0) }, 5), 0.0));
}

// Only RACK reports its reductions. With other recoveries, SACKed segments never increase the window.
#[test]
fn sacked_data_grows_no_window_in_fast_recovery() {
    for detection in [LossDetection::Rack, LossDetection::Duplicates] {
        let mut s = ten_of("newreno", Config { loss_detection: detection, ..linux(10.0, 5.0) });
        s.at(105).sack(2, &[(5, 5)]);
        s.at(106).sack(3, &[(5, 5)]);
        (6..=9).for_each(|last| drop(s.sack(3, &[(5, last)])));
        if s.cuts() == 0 {
            s.expire();
        }
        assert_eq!((s.cuts(), s.sender.counters().timeouts), (1, 0));
        let cut = s.window();
        s.sack(3, &[(5, 10)]);
        assert_eq!(s.window(), cut, "{detection:?}");
    }
}

// RFC 8985 §6.2 step 2: RACK.rtt is the round trip of the segment delivered by the last ACK, even if it was
// sent before RACK.segment. The round trip of 5 was 105 ms; that of 2, which was sent before 5, was 107 ms. A
// missing segment is lost after this time plus a quarter of the minimum RTT of 100 ms.
#[test]
fn rack_rtt_is_that_of_the_last_delivered_segment() {
    for config in [linux(10.0, 5.0), Config { loss_detection: LossDetection::Rack, ..rfc(10.0, 5.0) }] {
        let mut s = ten(config);
        s.at(105).sack(2, &[(5, 5)]);
        s.at(107).sack(3, &[(5, 5)]);
        let extra = if config.stack == Preset::Linux { 2.0 } else { 0.0 };
        assert_eq!(s.due(), Some(107.0 + 25.0 + extra));
    }
}

// An ACK covers the retransmission of 3, sent 110 ms ago, and segment 8, which was sent 240 ms ago. In
// sending order (RFC 8985 §6.2 step 2) RACK.rtt is the round trip of 3, and all segments sent with 8 are
// lost. In sequence order (Linux, tcp_rack_advance()) RACK.rtt is 240 ms, and 9 may still arrive within 25
// ms.
#[test]
fn rack_rtt_after_an_ack_of_retransmitted_and_reordered_data() {
    for (config, is_lost) in
        [(linux(10.0, 5.0), false), (Config { loss_detection: LossDetection::Rack, ..rfc(10.0, 5.0) }, true)]
    {
        let mut s = ten(config);
        s.at(105).sack(2, &[(5, 5)]);
        s.at(105).sack(3, &[(5, 5)]);
        assert_eq!(s.expire().1, "3!");
        assert_eq!(s.at(240).ack(9).contains("9+"), is_lost);
    }
}
