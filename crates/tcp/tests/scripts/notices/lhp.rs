//! LHP's sender against Figure 4 of Yun 2009: the packet list after each ACK, and the reaction of the sender.

use crate::common::script::Script;
use crate::common::{byte, number, rfc};
use airhop_base::{FlowId, NodeId, Time};
use airhop_tcp::recovery::{LhpRecovery, TriggerField};
use airhop_tcp::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, SenderPolicies, Window,
};
use airhop_tcp::{Sender, SenderState};
use std::sync::{Arc, Mutex};

/// Recovery of a sender that lets a test read its packet list.
#[derive(Clone, Debug)]
struct Shown(Arc<Mutex<LhpRecovery>>);

impl Shown {
    fn with<T>(&self, f: impl FnOnce(&mut LhpRecovery) -> T) -> T {
        f(&mut self.0.lock().expect("one thread"))
    }

    /// Returns segment number and count of duplicates of each entry.
    fn list(&self) -> Vec<(u64, u32)> {
        self.with(|lhp| lhp.send_order_list().entries().map(|e| (number(e.seq), e.duplicate_acks)).collect())
    }
}

impl Recovery for Shown {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        self.with(|lhp| lhp.on_duplicate_ack(s, a))
    }
    fn next_loss(&mut self) -> DetectionOutcome {
        self.with(|lhp| lhp.next_loss())
    }
    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.with(|lhp| lhp.enter_recovery(s, w, seq));
    }
    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.with(|lhp| lhp.on_advance(s, w, a))
    }
    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.with(|lhp| lhp.on_timeout(s, now));
    }
    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        self.with(|lhp| lhp.next_segment(s, w))
    }
    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &NextSegment, earlier: Option<u64>) {
        self.with(|lhp| lhp.on_sent(s, now, sent, earlier));
    }
    fn in_flight(&self, s: &SenderState) -> u64 {
        self.with(|lhp| lhp.in_flight(s))
    }
    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        self.with(|lhp| lhp.is_missing(s, seq))
    }
    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.with(|lhp| lhp.retransmit(s, seq));
    }
}

/// Returns a sender with segments 14 to 19 outstanding and a window slightly above six, as in the figure.
fn fourteen(trigger: TriggerField) -> (Script, Shown) {
    let config = rfc(6.0, 1.0);
    let scheme = airhop_tcp::find_scheme("lhp").expect("a known scheme");
    let shown = Shown(Arc::new(Mutex::new(LhpRecovery::new(trigger, config.dupthresh))));
    let usual = (scheme.build)(&airhop_tcp::Params::defaults(scheme), &config);
    let parts = SenderPolicies { recovery: Box::new(shown.clone()), ..usual };
    let sender = Sender::new(FlowId(0), NodeId(0), NodeId(1), &config, scheme.features, parts);
    let mut s = Script::by(sender, &config, 100_000);
    s.sent();
    for (ms, next) in [(100, 7), (200, 13), (300, 14)] {
        s.at(ms).ack(next);
    }
    assert_eq!((s.sender.state().una, s.cuts()), (byte(14), 0));
    assert_eq!(shown.list(), (14..=19).map(|n| (n, 0)).collect::<Vec<_>>());
    (s, shown)
}

/// Delivers the n-th ACK of the figure, (expected, trigger), in the form of SMART or of SACK.
fn acknowledge(s: &mut Script, trigger: TriggerField, n: u64) -> String {
    let arrived = [15, 17, 19, 20, 21].into_iter().filter(|&m| m <= n).rev();
    let blocks: Vec<_> = arrived.map(|m| (m, m)).take(3).collect();
    match trigger {
        TriggerField::Smart => s.smart(14, n),
        TriggerField::Sack => s.sack(14, &blocks),
    }
}

// Yun 2009, Figure 4: segments 14, 16 and 18 are lost. The figure draws the list after each ACK; there are
// three fast recoveries, so the window is halved three times for one window of data.
#[test]
fn the_losses_of_figure_4_cause_three_reductions_in_lhp() {
    for trigger in [TriggerField::Smart, TriggerField::Sack] {
        let (mut s, shown) = fourteen(trigger);
        let half = |window: f64| (window / 2.0).max(2.0);
        let open = s.window().0;
        assert_eq!(acknowledge(&mut s, trigger, 15), "20");
        assert_eq!(shown.list(), [(14, 1), (16, 0), (17, 0), (18, 0), (19, 0), (20, 0)]);
        assert_eq!(acknowledge(&mut s, trigger, 17), "21");
        assert_eq!(shown.list(), [(14, 2), (16, 1), (18, 0), (19, 0), (20, 0), (21, 0)]);
        assert_eq!(acknowledge(&mut s, trigger, 19), "14!");
        assert_eq!(shown.list(), [(16, 2), (18, 1), (20, 0), (21, 0), (14, 0)]);
        assert_eq!((s.cuts(), s.window().0), (1, half(open)));
        assert_eq!(acknowledge(&mut s, trigger, 20), "16!");
        assert_eq!(shown.list(), [(18, 2), (21, 0), (14, 0), (16, 0)]);
        assert_eq!((s.cuts(), s.window().0), (2, 2.0));
        assert_eq!(acknowledge(&mut s, trigger, 21), "18!");
        assert_eq!(shown.list(), [(14, 0), (16, 0), (18, 0)]);
        assert_eq!((s.cuts(), s.window().0, s.sender.counters().fast_recoveries), (3, 2.0, 3));
    }
}

// Yun 2009 §4.1: a segment named by an ELN moves to the end of the list, so that ACKs of segments sent before
// do not count as its duplicates.
#[test]
fn an_eln_moves_a_segment_to_the_end() {
    for trigger in [TriggerField::Smart, TriggerField::Sack] {
        let (mut s, shown) = fourteen(trigger);
        let window = s.window();
        assert_eq!(s.eln(14), "14n");
        assert_eq!(shown.list(), [(15, 0), (16, 0), (17, 0), (18, 0), (19, 0), (14, 0)]);
        assert_eq!(acknowledge(&mut s, trigger, 15), "20");
        assert_eq!(shown.list(), [(16, 0), (17, 0), (18, 0), (19, 0), (14, 0), (20, 0)]);
        assert_eq!((s.cuts(), s.window()), (0, window));
        // A segment that arrived, or was never sent, is not retransmitted.
        assert_eq!([s.eln(13), s.eln(15), s.eln(50)], ["", "", ""]);
    }
}

// Yun 2009 §2.1: segment 14 is lost, and the ACK caused by 15 is also lost. With SMART both segments reach
// three duplicates with the same ACK, and each of them starts a fast recovery.
#[test]
fn one_ack_reveals_two_losses_in_lhp_with_smart() {
    let (mut s, shown) = fourteen(TriggerField::Smart);
    s.smart(14, 16);
    s.smart(14, 17);
    assert_eq!(s.smart(14, 18), "14! 15!");
    assert_eq!((s.cuts(), s.sender.counters().fast_recoveries), (2, 2));
    assert_eq!(shown.list(), [(19, 0), (20, 0), (21, 0), (14, 0), (15, 0)]);
}

// Gao et al. 2003, reconstructed: the reaction to a timeout is Reno's, and the list is cleared.
#[test]
fn a_timeout_clears_the_lhp_packet_list() {
    let (mut s, shown) = fourteen(TriggerField::Sack);
    acknowledge(&mut s, TriggerField::Sack, 15);
    assert_eq!(s.expire().1, "14t");
    assert_eq!((shown.list(), s.window().0), (vec![(14, 0)], 1.0));
    assert_eq!(s.ack(16), "16t 17t");
    assert_eq!(shown.list(), [(16, 0), (17, 0)]);
}
