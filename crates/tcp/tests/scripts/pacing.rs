//! Pacing of a congestion control that sets a rate.

use crate::common::linux;
use crate::common::script::Script;
use airhop_base::{FlowId, NodeId, Rate, Span, Time};
use airhop_tcp::notices::IgnoreNotices;
use airhop_tcp::seams::{Ack, CongestionControl, Loss, LossClass, SenderPolicies, Window};
use airhop_tcp::{Config, Preset, ReceiverFeatures, Sender, SenderState, recovery};

/// Congestion control with a constant window and a constant rate.
#[derive(Debug)]
struct Even {
    bps: u64,
    /// Number of segments per burst.
    quantum: u64,
}

impl CongestionControl for Even {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, _: &mut Window, _: &Loss, _: &SenderState) -> LossClass {
        LossClass::Wireless
    }

    fn pacing_rate(&self, _: &Window, _: &SenderState) -> Option<Rate> {
        Some(Rate::from_bps(self.bps))
    }

    fn send_quantum(&self) -> u64 {
        self.quantum
    }
}

/// Returns a sender paced at 8 Mbit/s, at which a segment of 1000 bytes takes a millisecond.
fn even(cwnd: f64, segments: u64, quantum: u64) -> Script {
    at_rate(8_000_000, cwnd, segments, quantum)
}

fn at_rate(bps: u64, cwnd: f64, segments: u64, quantum: u64) -> Script {
    let config = Config { tlp: false, ..linux(cwnd, 2.0) };
    let parts = SenderPolicies {
        control: Box::new(Even { bps, quantum }),
        recovery: recovery::reno(&config),
        notices: Box::new(IgnoreNotices),
    };
    let features = ReceiverFeatures { paces: true, ..ReceiverFeatures::NONE };
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, features, parts);
    Script::by(sender, &config, segments * 1000)
}

// Each segment is sent when the previous segment would have left a link of that rate. Retransmissions are
// also paced.
#[test]
fn paced_segments_are_spaced_by_their_serialisation_time() {
    let mut s = even(3.0, 100, 1);
    assert_eq!(s.sent(), "1");
    assert_eq!(s.due(), Some(1.0));
    assert_eq!(s.expire(), (1.0, "2".into()));
    assert_eq!(s.sent(), "", "asked too early");
    assert_eq!(s.expire(), (2.0, "3".into()));
    assert_eq!(s.expire(), (3.0, String::new())); // the window is full
    assert_eq!(s.at(100).ack(4), "4"); // the pause only halves the next wait, as in Linux
    assert_eq!(s.expire(), (100.5, "5".into()));
    assert_eq!(s.expire(), (101.5, "6".into()));
}

// Linux, tcp_retransmit_timer(): the retransmission at a timeout ignores pacing, and later segments wait for
// its pacing time. The pacing interval of a segment is 2 s, the timeout 1 s.
#[test]
fn a_timeout_retransmission_ignores_pacing() {
    let mut s = at_rate(4000, 2.0, 100, 1);
    assert_eq!(s.sent(), "1");
    assert_eq!(s.expire(), (1000.0, "1t".into()));
    assert_eq!(s.at(1100).ack(2), "");
    assert_eq!(s.expire(), (4000.0, "2".into()));
}

// Linux sends at least two segments per burst: the wait after a burst is the sum of the two segments'
// intervals. Two segments sent at different times are not a burst. If the last wait was punctual, the next
// wait is full.
#[test]
fn segments_of_a_send_quantum_leave_together() {
    let mut s = even(5.0, 100, 2);
    assert_eq!(s.sent(), "1 2");
    assert_eq!(s.expire(), (2.0, "3 4".into()));
    assert_eq!(s.expire(), (4.0, "5".into())); // the window is full
    assert_eq!(s.at(5).ack(2), "6"); // 5 was sent alone and its interval of 1 ms is over
    assert_eq!(s.ack(3), "7"); // the second segment of this quantum
    assert_eq!(s.ack(4), "");
    assert_eq!(s.expire(), (7.0, "8".into()));
}

// Linux, tcp_update_pacing_rate(): for a congestion control without its own rate, the pacing rate is twice
// the window per round trip while the window is below half of ssthresh, and 1.2 windows per round trip above.
// Twice 21 segments in 100 ms have intervals of 2.38 ms, and bursts of two segments; the idle period before
// compensates half of their wait. Segments are not paced before the first RTT sample, nor without the
// preset's pacing.
#[test]
fn a_pacing_host_paces_every_congestion_control() {
    for (ssthresh, wait) in [(1000.0, 100.0 / 21.0 / 2.0), (42.0, 100.0 / 21.0 / 1.2), (0.0_f64, 0.0)] {
        let pacing = ssthresh > 0.0 && Preset::Linux.config(1000).pacing;
        let config = Config { pacing, ..linux(20.0, ssthresh.max(42.0)) };
        let mut s = Script::of("reno", config, 100);
        assert_eq!(s.sent().split(' ').count(), 20);
        assert_eq!(s.at(100).ack(2), "21 22", "in slow start");
        if ssthresh == 0.0 {
            assert_eq!(s.at(101).ack(3), "23 24");
            continue;
        }
        assert_eq!(s.at(101).ack(3), "");
        let (time, sent) = s.expire();
        assert_eq!(sent, "23 24");
        assert!((time - 100.0 - wait).abs() < 1e-3, "{time}, not after {wait} ms");
    }
}

// Linux without pacing: a burst has two segments, or more if the rate corresponds to more segments in a
// millisecond; its last segment carries PSH (tcp_tso_autosize(), __tcp_transmit_skb()).
#[test]
fn every_second_segment_of_an_unpaced_burst_has_psh() {
    let config = Config { initial_window: 5.0, push: true, pacing: false, ..linux(5.0, 2.0) };
    let mut s = Script::new("reno", config);
    let pushed = std::iter::from_fn(|| s.sender.poll_transmit(Time::ZERO))
        .map(|packet| packet.segment().expect("TCP").flags.psh);
    assert_eq!(pushed.collect::<Vec<_>>(), [false, true, false, true, false]);
}

// Linux sets PSH on the last segment of a burst (tcp_transmit_skb()), and on the last segment of the
// application's data (RFC 9293 §3.9.1.2), but not on a segment sent alone.
#[test]
fn the_last_segment_of_a_burst_has_psh() {
    let pushed = |quantum, push| {
        let config = Config { initial_window: 5.0, push, ..linux(5.0, 2.0) };
        let parts = SenderPolicies {
            control: Box::new(Even { bps: 8_000_000, quantum }),
            recovery: recovery::reno(&config),
            notices: Box::new(IgnoreNotices),
        };
        let features = ReceiverFeatures { paces: true, ..ReceiverFeatures::NONE };
        let mut sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, features, parts);
        sender.supply_data(5 * 1000);
        let mut now = Time::ZERO;
        let mut pushed = Vec::new();
        while pushed.len() < 5 {
            while let Some(packet) = sender.poll_transmit(now) {
                pushed.push(packet.segment().expect("TCP").flags.psh);
            }
            now += Span::from_millis(1);
            sender.on_timeout(now);
        }
        pushed
    };
    assert_eq!(pushed(2, true), [false, true, false, true, true]);
    assert_eq!(pushed(1, true), [false, false, false, false, true]);
    assert_eq!(pushed(2, false), [false; 5]);
}

// Linux, tcp_tso_autosize(): a burst has the segments that the pacing rate permits in 1/1024 s. Twice 600
// segments of 1000 bytes in 100 ms are 12,000,000 bytes/s, in 1/1024 s 11,718: eleven segments.
#[test]
fn a_large_window_leaves_in_bursts_of_a_millisecond() {
    let mut s = Script::new("newreno", Config { pacing: true, ..linux(300.0, f64::INFINITY) });
    assert_eq!(s.sent().split(' ').count(), 300, "without an RTT sample no segment is paced");
    assert_eq!(s.at(100).ack(301).split(' ').count(), 11);
    assert_eq!(s.window().0, 600.0);
}

// Linux, tcp_update_skb_after_send(): the first nine segments are not paced. The tenth is sent together with
// the ninth. The next segment waits for its interval at twice 30 segments in 100 ms, half of which the time
// before compensates.
#[test]
fn the_first_nine_segments_are_not_paced() {
    let mut s =
        Script::new("newreno", Config { handshake: true, pacing: true, ..linux(30.0, f64::INFINITY) });
    assert_eq!(s.sent(), "SYN");
    s.at(100).open();
    assert_eq!(s.sent(), "ACK 1 2 3 4 5 6 7 8 9 10");
    assert_eq!((s.wait_for_the_timer() * 1e3).round(), 100_833.0);
    assert_eq!(s.sent(), "11 12");
}
