//! Transmission times of ACKs.

use super::*;

// RFC 5681 §4.2, RFC 9293 §3.8.6.3: an ACK is sent for every second full segment, and no later than the
// delayed-ACK timeout.
#[test]
fn a_delayed_ack_is_sent_at_the_second_segment_or_timeout() {
    let mut b = delayed();
    assert!(b.give(ms(10), segment(1, 500)).is_empty());
    assert_eq!(b.receiver.poll_timeout(), Some(ms(210)));
    assert_eq!(b.give(ms(20), segment(501, 500)).len(), 1);
    assert_eq!(b.receiver.poll_timeout(), None);
    assert!(b.give(ms(30), segment(1001, 500)).is_empty());
    b.receiver.on_timeout(ms(100)); // too early, no effect
    assert!(b.answers(ms(100)).is_empty());
    b.receiver.on_timeout(ms(230));
    assert_eq!(b.answers(ms(230)).iter().map(|s| s.ack).collect::<Vec<_>>(), [1501]);
    assert_eq!(b.receiver.poll_timeout(), None);
}

// The timeout starts at the first unacknowledged segment. The ACK is sent after a number of bytes, not of
// segments.
#[test]
fn a_delayed_ack_is_due_after_a_number_of_bytes() {
    let mut b = delayed();
    for i in 0..9 {
        assert!(b.give(ms(10 + i), segment(1 + 100 * i, 100)).is_empty());
        assert_eq!(b.receiver.poll_timeout(), Some(ms(210)));
    }
    assert_eq!(b.give(ms(30), segment(901, 100)).len(), 1);
}

// RFC 5681 §4.2: an out-of-order segment, a segment that fills all or part of a gap, and a duplicate are
// acknowledged at once.
#[test]
fn out_of_order_and_gap_filling_segments_are_acked_at_once() {
    let mut b = delayed();
    assert_eq!(b.data(1001, 1501).0, 1); // out of order
    assert_eq!(b.data(1, 501).0, 501); // fills a part of the gap
    assert_eq!(b.data(501, 1001).0, 1501); // fills the rest of the gap
    assert_eq!(b.data(1, 501).0, 1501); // duplicate
    assert!(b.give(ms(1), segment(1501, 500)).is_empty());
    assert_eq!(b.data(1751, 2251).0, 2251); // partly duplicate
}

// Linux does not delay the first 16 ACKs, nor 16 ACKs after an idle period or a duplicate, because the sender
// may be in slow start.
#[test]
fn linux_does_not_delay_the_first_16_acks() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(40) };
    let mut b = Bench::new(Config { delayed_ack: Some(delay), quick_acks: 16, ..plain() });
    let mut next = 1;
    // Returns the number of ACKs for `segments` segments that arrive one millisecond apart.
    let mut acks = |b: &mut Bench, from: u64, segments: u64| -> usize {
        let answers = (0..segments).map(|k| {
            let n = b.give(ms(from + k), segment(next, 500)).len();
            next += 500;
            n
        });
        answers.sum()
    };
    assert_eq!(acks(&mut b, 0, 16), 16);
    assert_eq!(acks(&mut b, 16, 20), 10);
    assert_eq!(acks(&mut b, 235, 2), 1, "200 ms are not a pause");
    assert_eq!(acks(&mut b, 437, 16), 16, "201 ms are a pause");
    assert_eq!(b.give(ms(460), segment(1, 500)).len(), 1);
    assert_eq!(acks(&mut b, 461, 15), 15, "the ACK of the duplicate counts");
    assert_eq!(acks(&mut b, 476, 20), 10);
}

// Linux 6.6: after a segment with PSH the application has read all data, so the ACK is sent at once
// (tcp_cleanup_rbuf()). RFC 9293 does not require this ACK.
#[test]
fn a_pushed_segment_is_acknowledged_at_once() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(40) };
    for (push, acks) in [(true, 1), (false, 0)] {
        let mut b = Bench::new(Config { push, delayed_ack: Some(delay), ..plain() });
        let pushed = Segment { flags: Flags { psh: true, ..segment(1, 500).flags }, ..segment(1, 500) };
        assert_eq!(b.give(ms(10), pushed).len(), acks, "{push}");
        assert_eq!(
            b.give(ms(20), segment(501, 500)).len(),
            1 - acks,
            "the ACK of a segment without PSH waits, {push}"
        );
    }
}

// Linux, __tcp_ack_snd_check() and tcp_cleanup_rbuf(): while the process has not read the data, the window
// does not advance. One ACK therefore acknowledges all segments that TCP processes at one wake-up of the
// host, even segments with PSH. A gap is reported at once (RFC 5681 §4.2).
#[test]
fn one_ack_acknowledges_the_segments_of_a_wake_up() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(40) };
    let mut b = Bench::new(Config { push: true, delayed_ack: Some(delay), ..plain() });
    let wake_up = |b: &mut Bench, now, starts: &[u64]| -> Vec<u64> {
        let last = starts.len() - 1;
        let mut answers = Vec::new();
        for (i, &start) in starts.iter().enumerate() {
            b.receiver.set_more_segments(i < last);
            let flags = Flags { psh: i == 1, ..segment(1, 500).flags };
            answers.extend(b.give(now, Segment { flags, ..segment(start, 500) }));
        }
        answers.iter().map(|ack| ack.ack).collect()
    };
    assert_eq!(wake_up(&mut b, ms(10), &[1, 501, 1001, 1501, 2001]), [2501]);
    assert_eq!(wake_up(&mut b, ms(20), &[2501]), [0; 0], "a single segment waits for the second");
    assert_eq!(wake_up(&mut b, ms(30), &[3001, 3501, 4501, 5001]), [4001, 4001]);
}

// Linux, inet_csk_in_pingpong_mode(): a host that has answered a request delays the ACK of the next request
// until its next answer. If no answer is sent before the timeout, the next ACKs are not delayed. Data sent 40
// ms after an arrival is not an answer (tcp_event_data_sent()). Of two segments with PSH, the second causes
// an ACK.
#[test]
fn a_host_that_sends_responses_delays_its_acks() {
    let delay = DelayedAck { segments: 2, timeout: Span::from_millis(40) };
    let config = Config { push: true, quick_acks: 16, delayed_ack: Some(delay), ..plain() };
    let pushed =
        |start| Segment { flags: Flags { psh: true, ..segment(1, 500).flags }, ..segment(start, 100) };
    for (answer, acks) in [(39, 0), (40, 1)] {
        let mut b = Bench::new(config);
        assert_eq!(b.give(ms(100), pushed(1)).len(), 1);
        b.receiver.on_data_sent(ms(100 + answer));
        assert_eq!(b.give(ms(200), pushed(101)).len(), acks, "an answer after {answer} ms");
        assert_eq!(b.give(ms(210), pushed(201)).len(), 1);
        assert_eq!(b.give(ms(220), pushed(301)).len(), acks);
        assert_eq!(b.receiver.poll_timeout(), (acks == 0).then(|| ms(260)));
        b.receiver.on_timeout(ms(260));
        assert_eq!(
            b.give(ms(270), pushed(401)).len(),
            1 + usize::from(acks == 0),
            "with the ACK of the timer"
        );
    }
}
