//! Sender of TCP-CL, compared with the slides of Cheng and Lin 2008: the segments sent for given ACKs and
//! NAKs at given times.

use crate::common::script::Script;
use crate::common::{number, rfc, sender};
use airhop_base::NoticeKind;
use airhop_tcp::Config;
use airhop_tcp::seams::LossClass::{self, Congestion, Wireless};

/// Returns a sender with segments 3 to 10 outstanding, in congestion avoidance with a window of 8.25, srtt
/// 100 ms; no limited transmit.
fn eight_of(scheme: &str, given: &[(&str, f64)]) -> Script {
    let config = Config { limited_transmit: false, ..rfc(8.0, 4.0) };
    let mut s = Script::by(sender(scheme, given, &config), &config, 1_000_000);
    assert_eq!(s.sent(), "1 2 3 4 5 6 7 8");
    assert_eq!([s.at(100).ack(2), s.ack(3)], ["9", "10"]);
    s
}

fn eight() -> Script {
    eight_of("tcp-cl", &[])
}

/// Returns the segments that the sender detects as lost, and the classification of their losses.
fn judged(s: &mut Script) -> Vec<(u64, LossClass)> {
    std::iter::from_fn(|| s.sender.poll_classification()).map(|j| (number(j.seq), j.class)).collect()
}

fn naks(s: &Script) -> u64 {
    let k = NoticeKind::ALL.iter().position(|&kind| kind == NoticeKind::Nak).expect("a kind");
    s.sender.counters().notices[k]
}

// "Record the NAK sequence number, and then retransmit the corrupted packet": the sender retransmits at once,
// with an unreduced window, and restarts the timer. The third duplicate ACK arrives within an SRTT, and
// causes no retransmission and no window reduction, but every duplicate releases a segment, as in any fast
// recovery. "Resume congestion avoidance once retransmission has been acknowledged": with the previous
// window.
#[test]
fn a_nak_for_una_retransmits_without_a_reduction() {
    let mut s = eight();
    let window = s.window();
    assert_eq!(s.at(120).nak(3, &[3]), "3n"); // the first duplicate
    assert_eq!(s.due(), Some(1120.0));
    assert_eq!([s.at(130).ack(3), s.at(140).ack(3), s.ack(3)], ["", "11 12 13", "14"]);
    assert_eq!(s.at(220).ack(11), "15 16 17 18");
    assert_eq!((s.window(), s.cuts(), naks(&s)), (window, 0, 1));
    assert!(s.ack(12) == "19" && s.window().0 > window.0);
    assert_eq!(judged(&mut s), [(3, Wireless)]);
}

// The sender reacts in the same way to a call of the source's own MAC, or to a NAK in a separate packet.
#[test]
fn a_nak_outside_an_ack_retransmits_at_once() {
    let mut s = eight();
    assert_eq!(s.at(120).told(4), "4n");
    assert_eq!((s.due(), s.cuts(), naks(&s)), (Some(1120.0), 0, 1));
    assert_eq!((s.at(130).acks(3, 3), s.cuts()), ("3!".into(), 1));
}

// "Set Wt = W/2 and then W = Wt if the next expected packet is not a corrupted packet": a NAK prevents the
// reduction only for its own segment.
#[test]
fn a_nak_prevents_a_reduction_for_its_segment_only() {
    let mut s = eight();
    assert_eq!(s.at(120).nak(3, &[6]), "6n");
    assert_eq!([s.ack(3), s.ack(3)], ["", "3!"]);
    assert_eq!((s.window(), s.cuts()), ((4.0, 4.0), 1));
    // The duplicate ACKs of 6, 101 ms after its transmission, do not reduce the window again; the loss of 6
    // is still detected, although another loss in the same window of data was congestion.
    assert_eq!(s.at(220).ack(6), "");
    assert_eq!([s.at(221).ack(6), s.ack(6), s.ack(6)], ["", "", "6! 11 12"]);
    assert_eq!((s.window(), s.cuts()), ((4.0, 4.0), 1));
    assert_eq!(judged(&mut s), [(6, Wireless), (3, Congestion)]);
}

// NAKs for segments acknowledged before, or by the same ACK, are ignored.
#[test]
fn a_nak_for_an_acknowledged_segment_is_ignored() {
    let mut s = eight();
    assert_eq!(s.at(120).nak(3, &[2]), "");
    assert_eq!(s.nak(5, &[3, 4]), "11 12");
    assert_eq!((naks(&s), s.cuts(), judged(&mut s)), (3, 0, vec![]));
    assert_eq!(s.at(130).acks(5, 3), "5!", "not corrupted: the window is halved");
    assert_eq!(s.cuts(), 1);
}

// "Suppress the second within one srtt of the first": after one srtt the retransmission may also be lost.
#[test]
fn duplicates_an_srtt_after_a_nak_cause_a_retransmission() {
    for (given, at, third) in [
        (&[][..], 220, "11 12 13"),
        (&[][..], 221, "3! 11 12 13"),
        (&[("repeats", 1.0)][..], 121, "3! 11 12 13"),
    ] {
        let mut s = eight_of("tcp-cl", given);
        assert_eq!(s.at(120).nak(3, &[3]), "3n");
        assert_eq!([s.at(at).ack(3), s.ack(3)], ["", third], "{given:?} {at}");
        assert_eq!((s.cuts(), s.sender.counters().retransmissions), (0, 1 + u64::from(third.contains('!'))));
    }
}

// A NAK that arrives with the third duplicate ACK is in time.
#[test]
fn a_nak_on_the_third_duplicate_ack_is_in_time() {
    let mut s = eight();
    assert_eq!([s.at(120).ack(3), s.ack(3), s.nak(3, &[3])], ["", "", "3n 11 12 13"]);
    assert_eq!((s.cuts(), judged(&mut s)), (0, vec![(3, Wireless)]));
}

// "Up to 4 sequence numbers, lowest first"; each is retransmitted, and a second NAK causes a second retransmission.
#[test]
fn each_nak_of_an_ack_causes_a_retransmission() {
    let mut s = eight();
    assert_eq!(s.at(120).nak(3, &[5, 3]), "3n 5n");
    assert_eq!(s.at(150).nak(3, &[5]), "5n");
    assert_eq!(s.at(220).ack(5), "11 12");
    assert_eq!((s.cuts(), naks(&s)), (0, 3));
    assert_eq!(s.at(221).acks(5, 3), "13 14 15", "corrupted, and sent 71 ms ago");
    assert_eq!(judged(&mut s), [(3, Wireless), (5, Wireless), (5, Wireless)]);
}

// A congestion loss in the same window of data is detected and reduces the window, after recovery from a
// corrupted segment.
#[test]
fn a_congestion_loss_above_a_corrupted_segment_reduces() {
    let mut s = eight();
    assert_eq!(s.at(120).nak(3, &[3]), "3n");
    assert_eq!(s.acks(3, 2), "11 12 13");
    assert_eq!(s.at(220).ack(5), "");
    assert_eq!((s.acks(5, 3), s.cuts()), ("5!".into(), 1));
    assert_eq!(judged(&mut s), [(3, Wireless), (5, Congestion)]);
}

// "Upon timer expiry set Wt = W/2 and then W = 1; recover the missing segments from the slow-start phase",
// corrupted or not. Duplicate ACKs caused by go-back-N start no recovery, as in Reno.
#[test]
fn a_timeout_reduces_the_window_despite_a_nak() {
    let mut s = eight();
    assert_eq!(s.at(120).nak(3, &[3]), "3n");
    assert_eq!(s.expire(), (1120.0, "3t".into()));
    assert_eq!((s.window(), s.cuts()), ((1.0, 4.0), 1));
    assert_eq!((s.at(1221).acks(3, 5), s.cuts()), (String::new(), 1));
    assert_eq!(s.at(1300).ack(4), "4t 5t");
    assert_eq!(s.nak(4, &[5]), "5n");
    assert_eq!(judged(&mut s), [(3, Wireless), (3, Congestion), (5, Wireless)]);
}

// All other schemes ignore NAKs.
#[test]
fn other_schemes_ignore_naks() {
    for scheme in ["reno", "sack", "ll-elsn", "eln"] {
        let mut s = eight_of(scheme, &[]);
        assert_eq!(s.at(120).nak(3, &[3, 5]), "", "{scheme}");
        assert_eq!((naks(&s), s.sender.counters().retransmissions), (0, 0));
    }
}
