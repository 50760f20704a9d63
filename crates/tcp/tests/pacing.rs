//! Segments of a control that says how fast to send.

mod common;

use airhop_base::{FlowId, NodeId, Rate};
use airhop_tcp::notices::Deaf;
use airhop_tcp::seams::{Ack, CongestionControl, Judged, Loss, Parts, Window};
use airhop_tcp::{Asks, Config, Sender, Space, recovery};
use common::linux;
use common::script::Script;

/// A constant window, and 8.32 Mbit/s: a datagram of 1040 bytes takes a millisecond.
#[derive(Debug)]
struct Even;

impl CongestionControl for Even {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &Space) {}

    fn on_loss(&mut self, _: &mut Window, _: &Loss, _: &Space) -> Judged {
        Judged::Wireless
    }

    fn pacing_rate(&self, _: &Window, _: &Space) -> Option<Rate> {
        Some(Rate::from_bps(8_320_000))
    }
}

fn even(cwnd: f64, segments: u64) -> Script {
    let config = Config { initial_window: cwnd, ..linux(cwnd, 2.0) };
    let parts = Parts { control: Box::new(Even), recovery: recovery::reno(&config), notices: Box::new(Deaf) };
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, Asks::NOTHING, parts);
    Script::by(sender, &config, segments * 1000)
}

// One segment after the other, each when the one before would have left a link of that rate; retransmissions as well.
#[test]
fn segments_keep_their_distance() {
    let mut s = even(3.0, 100);
    assert_eq!(s.sent(), "1");
    assert_eq!(s.due(), Some(1.0));
    assert_eq!(s.expire(), (1.0, "2".into()));
    assert_eq!(s.sent(), "", "asked too early");
    assert_eq!(s.expire(), (2.0, "3".into()));
    assert_eq!(s.expire(), (3.0, String::new())); // the window is full
    assert_eq!(s.at(100).ack(4), "4"); // no credit for the pause
    assert_eq!(s.expire(), (101.0, "5".into()));
}
