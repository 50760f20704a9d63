//! Persist timer: zero-window probes (RFC 9293 §3.8.6.1), and partial transmission of a segment that exceeds
//! the window (§3.8.6.2.1).

use crate::common::script::Script;
use crate::common::{MSS, byte, linux, ns2, rfc, sender};
use airhop_base::Segment;
use airhop_tcp::Config;
use airhop_tcp::seams::TransmissionCause;

/// Returns a sender with 5000 bytes to send and a receiver's window of 2000 bytes. After 100 ms an ACK
/// acknowledges all 2000 bytes and advertises a window of `window` bytes.
fn stopped(config: Config, window: u64) -> Script {
    let config = Config { receive_window: 2 * u64::from(MSS), ..config };
    let mut s = Script::by(sender("newreno", &[], &config), &config, 5 * u64::from(MSS));
    assert_eq!(s.sent(), "1 2");
    assert_eq!(s.at(100).update(3, window), "");
    s
}

/// Waits for the timer. Returns the milliseconds since `before`, and numbers and lengths of the segments sent
/// then.
fn probes(s: &mut Script, before: f64) -> (f64, Vec<(u64, u32)>) {
    let due = s.wait_for_the_timer();
    (due - before, numbers(s))
}

fn numbers(s: &mut Script) -> Vec<(u64, u32)> {
    s.segments().iter().map(|s| (s.seq, s.len)).collect()
}

// "The transmitting host SHOULD send the first zero-window probe when a zero window has existed for the
// retransmission timeout period, and SHOULD increase exponentially the interval between successive probes":
// the probe is an octet of new data. Responses that repeat the last ACK are not duplicate ACKs, and do not
// reduce the congestion window.
#[test]
fn zero_window_probes_are_sent_at_doubling_intervals() {
    for config in [rfc(10.0, 5.0), ns2(10.0, 5.0)] {
        let mut s = stopped(config, 0);
        let (rto, window) = (s.rto().millis_f64(), s.window());
        let mut before = 100.0;
        for interval in [1.0, 2.0, 4.0, 8.0] {
            assert_eq!(probes(&mut s, before), (interval * rto, vec![(2001, 1)]));
            before += interval * rto;
            assert_eq!(s.after(10).update(3, 0), "");
        }
        assert_eq!((s.window(), s.cuts(), s.sender.counters().timeouts), (window, 0, 0));
        // The receiver had no space for the octet: it is retransmitted, with the data that follows.
        s.after(10).open_window(2500);
        s.arrives(Segment { ack: byte(3), ..s.pure_ack() });
        assert_eq!(numbers(&mut s), [(2001, 1000), (3001, 1000)]);
        s.after(10).open_window(5000);
        assert_eq!(s.ack(5), "5");
        assert_eq!(s.sender.counters().retransmissions, 4);
    }
}

// The window update was lost: the receiver accepts the octet, and its ACK has the new window.
#[test]
fn a_zero_window_probe_repairs_a_lost_window_update() {
    let mut s = stopped(rfc(10.0, 5.0), 0);
    assert_eq!(probes(&mut s, 0.0).1, [(2001, 1)]);
    assert_eq!(s.sender.last_transmission_cause(), TransmissionCause::Probe);
    s.after(100).open_window(5000);
    assert_eq!(s.sack_bytes(2002, &[]), "3 4 5");
    assert_eq!(s.sender.counters().retransmissions, 0);
    assert_eq!(s.after(100).sack_bytes(5001, &[]), "");
    assert_eq!(s.due(), None);
}

// Linux, tcp_xmit_probe_skb() and tcp_ack_probe(): the probe has no data and an acknowledged sequence number,
// and the interval starts at the response. Therefore no data is outstanding.
#[test]
fn a_linux_window_probe_has_an_acknowledged_number() {
    let mut s = stopped(linux(10.0, 5.0), 0);
    let rto = s.rto().millis_f64();
    assert_eq!(probes(&mut s, 100.0), (rto, vec![(2000, 0)]));
    assert_eq!(s.after(10).update(3, 0), "");
    assert_eq!((s.sender.state().sent_end, s.sender.state().has_outstanding_data()), (2001, false));
    assert_eq!(probes(&mut s, 100.0 + rto + 10.0), (2.0 * rto, vec![(2000, 0)]));
    assert_eq!(s.after(10).update(3, 5000), "3 4 5");
    assert_eq!(s.sender.counters().sent_segments, 5);
}

// RFC 9293 §3.8.6.2.1: less than a segment of data is sent "if the override timeout occurs"; Linux,
// tcp_write_wakeup(). The segment counts as ordinary data.
#[test]
fn a_segment_that_fits_is_sent_when_the_persist_timer_expires() {
    for config in [rfc(10.0, 5.0), ns2(10.0, 5.0), linux(10.0, 5.0)] {
        let mut s = stopped(config, 400);
        let rto = s.rto().millis_f64();
        assert_eq!(probes(&mut s, 100.0), (rto, vec![(2001, 400)]));
        assert_eq!(s.sender.last_transmission_cause(), TransmissionCause::New);
        s.after(10).open_window(5000);
        assert_eq!(s.sack_bytes(byte(3) + 400, &[]), "3 4 5");
    }
}

// Without data to send the timer is stopped.
#[test]
fn no_zero_window_probe_is_sent_without_data() {
    let config = Config { receive_window: 2 * u64::from(MSS), ..rfc(10.0, 5.0) };
    let mut s = Script::by(sender("newreno", &[], &config), &config, 2 * u64::from(MSS));
    assert_eq!((s.sent(), s.at(100).update(3, 0), s.due()), ("1 2".into(), String::new(), None));
    s.sender.supply_data(1);
    assert_eq!((s.sent(), s.due().is_some()), (String::new(), true));
}
