//! Input of a congestion control that uses the delivery rate ([`Delivery`]). A congestion control with a
//! constant window records the input.

use crate::common::script::Script;
use crate::common::{linux, number};
use airhop_base::{FlowId, NodeId, Rate, Span, Time};
use airhop_tcp::estimators::LostSegment;
use airhop_tcp::notices::IgnoreNotices;
use airhop_tcp::recovery::RackRecovery;
use airhop_tcp::seams::{
    Ack, CongestionControl, Delivery, Loss, LossClass, RepairKind, SenderPolicies, Window,
};
use airhop_tcp::{Config, NoticeHandling, ReceiverFeatures, Sender, SenderState};
use std::sync::{Arc, Mutex};

/// Recorded input.
#[derive(Debug, Default)]
struct Notes {
    deliveries: Vec<Delivery>,
    lost: Vec<u64>,
    seeds: Vec<u32>,
}

#[derive(Debug)]
struct NoteTaker {
    notes: Arc<Mutex<Notes>>,
    rate: Option<Rate>,
    /// Factor by which a loss multiplies the window.
    kept: f64,
}

impl CongestionControl for NoteTaker {
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, w: &mut Window, _: &Loss, _: &SenderState) -> LossClass {
        w.cwnd *= self.kept;
        LossClass::Wireless
    }

    fn on_delivery_report(&mut self, _: &mut Window, d: &Delivery, _: &SenderState) {
        self.notes.lock().expect("no thread panicked").deliveries.push(*d);
    }

    fn on_segment_lost(&mut self, _: &mut Window, _: Time, lost: &LostSegment) {
        self.notes.lock().expect("no thread panicked").lost.push(number(lost.start));
    }

    fn pacing_rate(&self, _: &Window, _: &SenderState) -> Option<Rate> {
        self.rate
    }

    fn on_seed(&mut self, seed: u32) {
        self.notes.lock().expect("no thread panicked").seeds.push(seed);
    }
}

/// Returns a sender with a window of ten segments, paced at `rate` if given, and the record of its congestion
/// control.
fn sender(notices: NoticeHandling, rate: Option<Rate>) -> (Script, Arc<Mutex<Notes>>) {
    sender_that_keeps(1.0, notices, rate)
}

fn sender_that_keeps(kept: f64, notices: NoticeHandling, rate: Option<Rate>) -> (Script, Arc<Mutex<Notes>>) {
    sender_of(Config { prr: false, tlp: false, notice_reaction: notices, ..linux(10.0, 5.0) }, kept, rate)
}

fn sender_of(config: Config, kept: f64, rate: Option<Rate>) -> (Script, Arc<Mutex<Notes>>) {
    let notes = Arc::new(Mutex::new(Notes::default()));
    let control = Box::new(NoteTaker { notes: notes.clone(), rate, kept });
    let parts = SenderPolicies {
        control,
        recovery: Box::new(RackRecovery::new(&config)),
        notices: Box::new(IgnoreNotices),
    };
    let features = ReceiverFeatures { delivery_rate: true, paces: true, ..ReceiverFeatures::SACK };
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, features, parts);
    (Script::by(sender, &config, 1_000_000), notes)
}

/// Returns the state at the last ACK: lost segments, flight before the ACK, flight after the ACK, and
/// retransmitted segments.
fn last(notes: &Mutex<Notes>) -> (u64, u64, u64, RepairKind) {
    let d = *notes.lock().expect("no thread panicked").deliveries.last().expect("an ACK came");
    (d.lost_bytes / 1000, d.prior_in_flight / 1000, d.in_flight / 1000, d.repair_kind)
}

// Segments 2 and 3 are lost: the third segment above them shows both losses (RFC 8985 §6.2). A lost segment
// counts once, when it is detected. From then on it is no longer in flight, but its retransmission is. A
// sender with notices enabled that receives none behaves in the same way.
#[test]
fn an_ack_reports_newly_lost_segments() {
    for notices in [NoticeHandling::Scheme, NoticeHandling::Elsn] {
        let (mut s, notes) = sender(notices, None);
        assert_eq!(s.sent(), "1 2 3 4 5 6 7 8 9 10");
        assert_eq!(s.at(100).ack(2), "11");
        assert_eq!(last(&notes), (0, 10, 9, RepairKind::Nothing));
        assert_eq!([s.at(110).sack(2, &[(4, 4)]), s.sack(2, &[(4, 5)])], ["12", "13"]);
        assert_eq!(last(&notes), (0, 10, 9, RepairKind::Nothing));
        assert_eq!(s.sack(2, &[(4, 6)]), "2! 3+ 14");
        assert_eq!(last(&notes), (2, 10, 7, RepairKind::Loss));
        let sample =
            notes.lock().expect("no thread panicked").deliveries.last().and_then(|d| d.arrivals.rate);
        assert_eq!(
            sample.map(|sample| sample.lost_bytes),
            Some(2000),
            "the segments were in the flight of the arrived data"
        );
        assert_eq!(notes.lock().expect("no thread panicked").lost, [2, 3]);
        assert_eq!(s.at(115).sack(2, &[(4, 7)]), "15");
        assert_eq!(last(&notes), (0, 10, 9, RepairKind::Loss));
        assert_eq!(s.at(220).ack(15), "16 17 18 19 20 21 22 23 24");
        assert_eq!(last(&notes), (0, 10, 1, RepairKind::Nothing));
    }
}

// The handshake delivers no data: the first delivery is that of the first segment.
#[test]
fn the_handshake_delivers_no_data() {
    let (mut s, notes) = sender_of(Config { handshake: true, ..linux(10.0, 5.0) }, 1.0, None);
    assert_eq!(s.sent(), "SYN");
    assert!(s.at(100).syn_ack().starts_with("ACK 1 2"));
    assert!(notes.lock().expect("no thread panicked").deliveries.is_empty());
    s.at(200).ack(2);
    assert_eq!(notes.lock().expect("no thread panicked").deliveries[0].arrivals.newly_delivered_bytes, 1000);
}

// Pacing delay of the next segment. At 8 Mbit/s ten segments last until 10 ms. An eleventh segment lasts
// until 110 ms, minus half of the first wait (Linux).
#[test]
fn an_ack_reports_the_pacing_delay() {
    let (mut s, notes) = sender(NoticeHandling::Scheme, Some(Rate::from_bps(8_000_000)));
    let wait =
        || notes.lock().expect("no thread panicked").deliveries.last().expect("an ACK came").pacing_delay;
    assert_eq!(s.sent(), "1");
    (0..9).for_each(|_| drop(s.expire()));
    assert_eq!(s.expire(), (10.0, String::new()));
    assert_eq!((s.at(100).ack(2), wait()), ("11".into(), Span::ZERO));
    assert_eq!((s.ack(3), wait()), (String::new(), Span::from_micros(500)));
}

// A loss classified as wireless counts as a reduction if the window decreases (Veno's four fifths), but not
// if the window stays unchanged (Jersey).
#[test]
fn only_a_decrease_of_the_window_counts_as_reduction() {
    for (kept, cuts) in [(1.0, 0), (0.8, 1), (1.2, 0)] {
        let (mut s, _) = sender_that_keeps(kept, NoticeHandling::Scheme, None);
        s.sent();
        assert!(s.at(100).sack(1, &[(2, 4)]).contains("1!"));
        assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (cuts, 1), "{kept}");
    }
}

// A congestion control with random draws receives the number of its own flow.
#[test]
fn the_congestion_control_receives_the_seed_of_its_flow() {
    let (mut s, notes) = sender(NoticeHandling::Scheme, None);
    s.sender.set_seed(7);
    assert_eq!(notes.lock().expect("no thread panicked").seeds, [7]);
}
