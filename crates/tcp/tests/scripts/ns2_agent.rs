//! Senders of ns-2.35: Agent/TCP/Linux (the TCP of Linux 2.6.22 as ported to ns-2) and Vegas. Each test
//! checks the segments that the sender sends for given ACKs at given times.

use crate::common::script::Script;
use crate::common::{MSS, byte, linux, ns2, rfc, sender};
use airhop_base::{Flags, Segment, Span, Timestamps};
use airhop_tcp::{Config, SackRecovery};

/// ns-2's Agent/TCP/Linux with Reno.
const RENO: &str = "sack";

/// Sender of ns-2's Linux agents. Its first segment contains one byte, is sent at 0 ms and acknowledged at
/// 100 ms, and counts as a full segment for the growth of the window. The full segments after it are numbered
/// from 1.
struct Agent(Script);

impl Agent {
    /// Creates a script whose application sends `segments` full segments.
    fn of(scheme: &str, config: Config, segments: u64) -> Self {
        let config = Config { sack_recovery: SackRecovery::RateHalving, ..config };
        let mut agent = Agent(Script::by(sender(scheme, &[], &config), &config, 1));
        assert_eq!(agent.0.sent(), "1");
        agent.0.at(100);
        assert_eq!(agent.echo(1, 0), "");
        agent.0.sender.supply_data(segments * u64::from(MSS));
        agent
    }

    /// Creates a script with unlimited data, and sends the first window.
    fn new(scheme: &str, cwnd: f64, ssthresh: f64) -> Self {
        let mut agent = Agent::of(scheme, ns2(cwnd, ssthresh), 1_000_000);
        agent.0.sent();
        agent
    }

    fn at(&mut self, ms: u64) -> &mut Self {
        self.0.at(ms);
        self
    }

    fn ack(&mut self, n: u64) -> String {
        self.sack(n, &[])
    }

    /// Delivers an ACK that expects segment `n`, with SACK blocks; each block is a pair of its first and last
    /// segment.
    fn sack(&mut self, n: u64, runs: &[(u64, u64)]) -> String {
        let runs: Vec<(u64, u64)> =
            runs.iter().map(|&(first, last)| (byte(first) + 1, byte(last + 1) + 1)).collect();
        self.0.sack_bytes(byte(n) + 1, &runs)
    }

    /// Delivers an ACK that expects segment `n` for each segment of `arrivals`; each ACK SACKs all segments
    /// from `n + 1` to the segment that has arrived.
    fn sacks(&mut self, n: u64, arrivals: std::ops::RangeInclusive<u64>) -> Vec<String> {
        arrivals.map(|last| self.sack(n, &[(n + 1, last)])).collect()
    }

    /// Delivers an ACK that expects segment `n` and echoes the timestamp of `ms` milliseconds.
    fn echo(&mut self, n: u64, ms: u32) -> String {
        self.0.arrives(Segment {
            seq: 1,
            ack: byte(n) + 1,
            window: 1 << 40,
            flags: Flags { ack: true, ..Flags::default() },
            timestamps: Some(Timestamps { tsval: 0, tsecr: ms }),
            ..Segment::default()
        });
        self.0.sent()
    }

    fn in_flight(&self) -> u64 {
        self.0.sender.in_flight() / u64::from(MSS)
    }
}

/// Returns Reno with ten full segments outstanding at 100 ms, in congestion avoidance; ACKs arrive from 200
/// ms on.
fn ten() -> Agent {
    let mut agent = Agent::new(RENO, 10.0, 5.0);
    assert_eq!(agent.in_flight(), 10);
    agent.at(200);
    agent
}

// ns-2's agents have no handshake. The first segment of Agent/TCP/Linux is only a header, here a segment of
// one byte. The other agents send data from the start.
#[test]
fn the_first_segment_of_the_ns2_linux_agent_is_one_byte() {
    for (sack_recovery, lens) in [(SackRecovery::RateHalving, [1, MSS]), (SackRecovery::Pipe, [MSS, MSS])] {
        let mut s = Script::new(RENO, Config { sack_recovery, ..ns2(2.0, 5.0) });
        assert_eq!(s.segments().iter().map(|segment| segment.len).collect::<Vec<_>>(), lens);
    }
}

// tcp_slow_start() of Linux 2.6 applies if cwnd <= ssthresh; RFC 5681 §3.1 permits either algorithm if they
// are equal. From a window of 4, the ACK of the first segment increases the window to 5, which is ssthresh,
// and the next ACK to 6. Afterwards tcp_cong_avoid() with appropriate byte counting (RFC 3465) adds one
// segment per six acknowledged segments.
#[test]
fn slow_start_grows_up_to_one_segment_above_ssthresh() {
    let mut s = Agent::new(RENO, 4.0, 5.0);
    assert_eq!(s.0.window(), (5.0, 5.0));
    s.at(200).ack(2);
    assert_eq!(s.0.window().0, 6.0);
    (3..=6).for_each(|n| drop(s.ack(n)));
    s.at(300).ack(7);
    assert_eq!(s.0.window().0, 6.0);
    s.ack(8);
    assert_eq!(s.0.window().0, 7.0);
}

// RFC 3465 §2.1: the window grows by the data that an ACK acknowledges. The first segment and nine full
// segments are ten segments, which increase the window to 11.
#[test]
fn a_delayed_ack_counts_for_all_its_segments() {
    let mut s = ten();
    s.ack(9);
    assert_eq!(s.0.window().0, 10.0);
    s.ack(10);
    assert_eq!(s.0.window().0, 11.0);
}

// Forward acknowledgement (Mathis and Mahdavi 1996) marks a segment lost if more than DupThresh segments lie
// above it. The port counts from the segment before the lost segment, so four segments above the lost segment
// are necessary. The position of the highest SACKed segment counts, not the number of arrivals.
#[test]
fn the_fourth_segment_above_a_hole_reveals_the_loss() {
    let mut s = ten();
    assert_eq!(s.sacks(1, 2..=4), ["11", "12", "13"]);
    assert_eq!(s.0.cuts(), 0);
    assert_eq!(s.sacks(1, 5..=5), ["1!"]);
    assert_eq!(s.0.cuts(), 1);
    for (arrived, cuts) in [(4, 0), (5, 1)] {
        let mut s = ten();
        s.sack(1, &[(arrived, arrived)]);
        assert_eq!(s.0.cuts(), cuts);
    }
}

// tcp_reno_min_cwnd(): recovery reduces the window to half of ssthresh, in integer segments. From a window of
// 10, ssthresh becomes 5 and the window 2.
#[test]
fn recovery_reduces_the_window_to_half_of_ssthresh() {
    let mut s = ten();
    s.sack(1, &[(2, 5)]);
    assert_eq!(s.0.window(), (2.0, 5.0));
}

// tcp_cwnd_down() reduces the window by one segment for every second ACK, and each ACK releases at most one
// segment (in recovery, tcp_moderate_cwnd() limits the window to flight + 1). Nine segments are in flight,
// including the retransmission. Of each two further arrivals the second releases one segment, so five
// segments are in flight after eight arrivals.
#[test]
fn every_second_ack_in_recovery_releases_a_segment() {
    let mut s = ten();
    s.sacks(1, 2..=5);
    assert_eq!(s.in_flight(), 9);
    assert_eq!(s.sacks(1, 6..=13), ["", "14", "", "15", "", "16", "", "17"]);
    assert_eq!(s.in_flight(), 5);
}

// An ACK that reports many arrivals releases no more segments than an ACK of a single arrival, because the
// window is reduced to the flight plus one. Of 13 segments, four have been SACKed and one is lost; with the
// retransmission nine are in flight. The next ACK SACKs eight more segments: one segment is in flight, and
// one segment is sent.
#[test]
fn an_ack_of_many_arrivals_releases_no_burst() {
    let mut s = ten();
    s.sacks(1, 2..=5);
    assert_eq!(s.sack(1, &[(2, 13)]), "14");
    assert_eq!(s.in_flight(), 2);
}

// tcp_moderate_cwnd(), called when all data outstanding at the loss is acknowledged: the window is ssthresh,
// but at most the flight plus tcp_max_burst, 3. The application had ten segments, and no segment is in
// flight, so the window is 3 and not 5.
#[test]
fn the_end_of_a_recovery_releases_at_most_three_segments() {
    let mut s = Agent::of(RENO, ns2(10.0, 5.0), 10);
    s.0.sent();
    s.at(200).sacks(1, 2..=10);
    assert_eq!(s.at(300).ack(11), "");
    assert_eq!(s.0.window(), (3.0, 5.0));
    s.0.sender.supply_data(10 * u64::from(MSS));
    assert_eq!(s.0.sent(), "11 12 13");
}

// The ACK that ends the recovery clears the scoreboard. This ACK expects segment 14 and SACKs 15 to 17, and
// four segments are outstanding: all four count as in flight again, ssthresh is 5, and one segment is sent.
// If the SACK information were kept, one segment would be in flight, and three would be sent.
#[test]
fn the_end_of_a_recovery_discards_sack_information() {
    let mut s = ten();
    s.sacks(1, 2..=13);
    assert_eq!(s.at(300).sack(14, &[(15, 17)]), "18");
    assert_eq!((s.0.window(), s.in_flight()), ((5.0, 5.0), 5));
}

/// Returns Reno with ten full segments outstanding at 100 ms, with timestamps. The round trip of the first
/// segment was 100 ms: 10 ticks with a deviation of 5, so the timeout is 300 ms.
fn timed() -> Agent {
    let mut s = Agent::of(RENO, Config { timestamps: true, ..ns2(10.0, 5.0) }, 1_000_000);
    s.0.sent();
    assert_eq!((s.0.rto(), s.0.due()), (Span::from_millis(300), Some(400.0)));
    s
}

// A duplicate ACK echoes the timestamp of the last in-order segment (RFC 7323 §4.3), here of the first
// segment, and its round trip is a sample like any other: 30 ticks at 300 ms. srtt8 is 80 + 20 = 100, rttvar4
// is 20 + 20 - 5 = 35, and the timeout is 35 + 100/8 = 47 ticks.
#[test]
fn a_duplicate_ack_yields_an_rtt_sample() {
    let mut s = timed();
    assert_eq!(s.at(300).echo(1, 0), "");
    assert_eq!(s.0.sender.srtt(), Some(Span::from_micros(125_000)));
    assert_eq!(s.0.due(), Some(770.0));
}

// A duplicate ACK restarts the timer, even without a sample: the timer expires at 200 + 300 ms, not at 400
// ms. RFC 6298 §5 (5.3) restarts the timer only for new data.
#[test]
fn a_duplicate_ack_restarts_the_retransmission_timer() {
    let mut s = ten();
    assert_eq!(s.0.due(), Some(400.0));
    s.ack(1);
    assert_eq!(s.0.due(), Some(500.0));
}

// All round trips are 10 ticks, so the deviation decreases: the timeouts without backoff are 25, 22, 19 and
// 17 ticks, but at least 200 ms. The ACKs of retransmissions echo timestamps and are samples. Karn's backoff,
// however, remains until the ACK of segment 11, the first segment sent after the expiry of the timer.
#[test]
fn the_backoff_ends_with_the_first_new_segment() {
    let mut s = timed();
    let rto = |s: &Agent| s.0.rto().millis_f64();
    assert_eq!(s.0.expire(), (400.0, "1t".into()));
    assert_eq!(rto(&s), 600.0);
    assert_eq!((s.at(500).echo(2, 400), rto(&s)), ("2t 3t".into(), 500.0));
    assert_eq!((s.at(600).echo(4, 500), rto(&s)), ("4t 5t 6t".into(), 440.0));
    assert_eq!((s.at(700).echo(11, 600), rto(&s)), ("11 12 13".into(), 400.0));
    s.at(800).echo(12, 700);
    assert_eq!(rto(&s), 200.0);
}

/// Returns Westwood+ with ten full segments outstanding at 100 ms, in congestion avoidance.
fn westwood() -> Agent {
    Agent::new("westwood-plus", 10.0, 5.0)
}

// tcp_westwood.c of Linux 2.6.22, as the port uses it: ssthresh is Reno's, and the window in recovery is
// bandwidth times minimum round trip. The first segment and nine full segments in 110 ms are 9001/110 = 81
// bytes/ms; 8100 bytes in 100 ms correspond to a window of eight segments. The window was 11, so ssthresh is
// 5. The window after recovery is the maximum of ssthresh and the window in recovery.
#[test]
fn westwood_sets_the_recovery_window_to_the_bdp() {
    let mut s = westwood();
    s.at(200);
    (2..=10).for_each(|n| drop(s.ack(n)));
    s.at(210).ack(11);
    assert_eq!(s.0.window(), (11.0, 5.0));
    s.at(300).sacks(11, 12..=15);
    assert_eq!(s.0.window(), (8.0, 5.0));
    assert_eq!(s.at(310).ack(25), "25 26 27 28 29 30 31 32");
    assert_eq!(s.0.window(), (8.0, 5.0));
    // RFC 3465: the recovery acknowledged 14 segments, 11 to 24; the next ACK makes 15 segments, of which the
    // growth of a window of 8 consumes 8.
    s.at(400).ack(26);
    assert_eq!(s.0.window().0, 9.0);
}

// An estimate below ssthresh limits the window only during the recovery. The round of 110 ms contains only
// the first segment, so the bandwidth is zero and the window 2.
#[test]
fn westwood_ends_a_recovery_with_at_least_ssthresh() {
    let mut s = westwood();
    s.at(210).ack(11);
    s.at(310).sacks(11, 12..=15);
    assert_eq!(s.0.window(), (2.0, 5.0));
    s.sacks(11, 16..=24);
    assert_eq!(s.0.window(), (2.0, 5.0));
    s.at(410).ack(25);
    assert_eq!(s.0.window(), (5.0, 5.0));
}

/// Returns Veno with ten full segments outstanding at 100 ms, in congestion avoidance; the minimum round trip
/// is 100 ms.
fn veno() -> Agent {
    Agent::new("veno", 10.0, 5.0)
}

// tcp_cong_avoid_ai() increases a window of n segments at ACK n + 1: a window of 10 at the 11th ACK. Veno
// uses round trips from the third on, that of segment 2.
#[test]
fn veno_grows_by_one_segment_in_a_window_plus_one_acks() {
    let mut s = veno();
    s.at(200);
    (2..=11).for_each(|n| drop(s.ack(n)));
    s.at(300).ack(12);
    assert_eq!(s.0.window().0, 10.0);
    s.ack(13);
    assert_eq!(s.0.window().0, 11.0);
}

// Fu and Liew 2003 §III-A: with beta segments queued, the window grows every second time. With round trips of
// 200 ms, half of the window is queued. The count of ACKs reaches the window at the ACKs of 12, 24 and 36;
// the second of these does not increase the window.
#[test]
fn veno_grows_half_as_fast_with_a_queue() {
    let mut s = veno();
    let mut grown = Vec::new();
    let mut expected = 2;
    for at in [300, 500, 700, 900] {
        s.at(at);
        let end = s.0.sender.state().nxt;
        while byte(expected) < end && expected <= 40 {
            let before = s.0.window().0;
            s.ack(expected);
            grown.extend((s.0.window().0 > before).then_some(expected - 1));
            expected += 1;
        }
    }
    assert_eq!(grown, [12, 36]);
}

// The port shifts the window by V_PARAM_SHIFT, 1: the queue is counted in half segments, and the part of the
// window that fits into the path is rounded down. With a round trip of 133 ms, 20·100/133 = 15.04 of 20 half
// segments fit, and five are queued, which is below 2 beta = 6: the loss leaves four fifths of the window.
// With 134 ms, 20·100/134 = 14.93 fit, and six are queued: the loss leaves half of the window.
#[test]
fn veno_counts_the_queue_in_half_segments() {
    for (at, left) in [(233, 8.0), (234, 5.0)] {
        let mut s = veno();
        s.at(at).ack(2);
        s.ack(3);
        s.sack(3, &[(7, 7)]);
        assert_eq!(s.0.window(), (left, left));
    }
}

// tcp_veno_cong_avoid() resets the minimum round trip of the round at each ACK. The 100 ms of segments 1 and
// 2 are forgotten, and only the 134 ms of segment 3 remain.
#[test]
fn veno_uses_only_the_latest_rtt_sample() {
    let mut s = veno();
    s.at(200).ack(2);
    s.ack(3);
    s.at(234).ack(4);
    s.sack(4, &[(8, 8)]);
    assert_eq!(s.0.window(), (5.0, 5.0));
}

/// Returns Vegas with a window outstanding at 100 ms.
fn vegas(cwnd: f64, ssthresh: f64) -> Script {
    let config = ns2(cwnd, ssthresh);
    let mut s = Script::by(sender("vegas", &[], &config), &config, 0);
    s.at(100);
    s.sender.supply_data(1_000_000_000);
    s.sent();
    s
}

// ns-2.35, tcp-vegas.cc: the ACK that ends a recovery removes the inflation only after more than three
// duplicates. The window of 10 is reduced by a quarter, in whole segments, to 8. After three duplicates, the
// window ends at 8 + 3 = 11; after a fourth duplicate, it ends at 8 with an ssthresh of 2.
#[test]
fn the_vegas_window_stays_inflated_after_three_duplicate_acks() {
    for (duplicates, sent, left) in [(3, "1! 11", (11.0, 5.0)), (4, "1! 11 12", (8.0, 2.0))] {
        let mut s = vegas(10.0, 5.0);
        assert_eq!(s.at(200).acks(1, duplicates), sent);
        assert_eq!(s.window(), (8.0, 5.0));
        s.at(300).ack(11);
        assert_eq!(s.window(), left);
    }
}

// ns-2.35, tcp-vegas.cc: a fast retransmission uses the code of the timer, which doubles the timeout from 3 s
// to 6 s (backoff).
#[test]
fn vegas_backs_the_rto_off_at_a_fast_retransmission() {
    let mut s = vegas(10.0, 5.0);
    s.at(200).acks(1, 2);
    assert_eq!((s.rto(), s.due()), (Span::from_secs(3), Some(3100.0)));
    s.ack(1);
    assert_eq!((s.rto(), s.due()), (Span::from_secs(6), Some(6200.0)));
}

// ns-2.35, tcp-vegas.cc: a loss reduces a window of three to two, although a quarter of three is less than a
// segment. Segment 2 has been outstanding for 200 ms, and the fine-grained timeout is (100 + 2·25)·17/16 =
// 159 ms, so the first duplicate ACK shows the loss.
#[test]
fn vegas_reduces_a_window_of_three_to_two() {
    for (window, left) in [(3.0, 2.0), (4.0, 3.0)] {
        let mut s = vegas(window, 2.0);
        s.at(200).ack(2);
        assert_eq!(s.at(300).ack(2), "2!");
        assert_eq!(s.window().0, left);
    }
}

// ns-2.35, tcp-vegas.cc: each of the first two ACKs after a retransmission checks whether the oldest segment
// is overdue, even if no segment is outstanding. The next segment, which was never sent, then counts as
// overdue, and is sent both as a retransmission and as new data.
#[test]
fn vegas_retransmits_a_segment_that_was_never_sent() {
    let mut s = vegas(16.0, 8.0);
    assert_eq!(s.at(200).acks(1, 3), "1!"); // 12 + 3 = 15 of 16
    assert_eq!(s.at(300).ack(17), "17 17+ 18 19 20 21 22 23 24 25 26 27 28 29 30 31");
}

// ns-2.35, VegasTcpAgent::timeout(): slow start begins with v_slowstart_ = 2 segments. RFC 5681 §3.1 requires
// "no more than 1", as Vegas has in the other presets.
#[test]
fn vegas_restarts_slow_start_with_two_segments() {
    for (config, window) in [(ns2(4.0, 2.0), 2.0), (rfc(4.0, 2.0), 1.0), (linux(4.0, 2.0), 1.0)] {
        let mut s = Script::new("vegas", config);
        s.sent();
        while s.sender.counters().timeouts == 0 {
            s.expire();
        }
        assert_eq!(s.window().0, window, "{:?}", config.stack);
    }
}
