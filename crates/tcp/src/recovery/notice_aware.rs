use super::common::segment_at_nxt;
use crate::scoreboard::find_dsack;
use crate::seams::{
    Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Ns2Agent, Recovery, RepairKind, UndoEvidence, Window,
};
use crate::sender_state::SenderState;
use airhop_base::{Sack, Time};

/// Adapter that makes any recovery react to notices. A loss that a notice explains does not indicate
/// congestion.
///
/// After an ELN, the sender retransmits the named segment. Duplicate ACKs caused by earlier transmissions do
/// not indicate another loss; later duplicate ACKs do. The newest SACK block separates the two kinds, as in
/// ESACK (Yun 2009 §4.1, Figure 4). Without SACK, the sender counts duplicate ACKs. Until the retransmission
/// is acknowledged, each duplicate ACK releases a segment, as in fast recovery (RFC 5681 §3.2 step 4). This
/// keeps the ACK clock running. Recoveries by sending order apply their own rules instead.
///
/// Duplicate ACKs for a segment named by an ERSN do not indicate a loss either. However, a recovery that does
/// not mark lost segments (Reno, NewReno, ns-2's SACK) may retransmit that segment while it repairs another
/// loss. After a disconnection, the sender retransmits all segments lost during the disconnection. These
/// rules are reconstructed, because the paper describes only its own sender.
#[derive(Debug)]
pub struct NoticeAwareRecovery {
    inner: Box<dyn Recovery>,
    /// Unacknowledged segments that were retransmitted after a notice.
    answered: Vec<NoticeRetransmission>,
    /// Segments that a link layer is retransmitting. Each entry is the first byte and the time until which
    /// the segment does not count as lost.
    held: Vec<(u64, Time)>,
    /// First bytes of the segments that were lost during a disconnection and must still be retransmitted.
    owed: Vec<u64>,
    /// Number of duplicate ACKs since `una` last advanced. Each duplicate ACK reports a delivered segment.
    duplicates: u32,
    /// SACK blocks of the last ACK.
    sack: Sack,
    /// True in fast recovery.
    recovering: bool,
    /// First unsent byte at the last timeout.
    slow_until: u64,
    now: Time,
}

/// Segment that was retransmitted on a notice.
#[derive(Clone, Copy, Debug)]
struct NoticeRetransmission {
    seq: u64,
    /// First unsent byte at the retransmission.
    point: u64,
    /// Number of duplicate ACKs still expected from segments sent before the retransmission.
    ahead: u64,
}

impl NoticeAwareRecovery {
    /// Creates the adapter around `inner`.
    pub fn new(inner: Box<dyn Recovery>) -> Self {
        NoticeAwareRecovery {
            inner,
            answered: Vec::new(),
            held: Vec::new(),
            owed: Vec::new(),
            duplicates: 0,
            sack: Sack::EMPTY,
            recovering: false,
            slow_until: 0,
            now: Time::ZERO,
        }
    }

    /// Counts a duplicate ACK. Returns true if a notice explains the duplicate ACK.
    fn count_duplicate(&mut self, s: &SenderState, a: &Ack) -> bool {
        self.now = a.now;
        let has_news = a.sack.is_empty() || (*a.sack != self.sack && find_dsack(s.una, a.sack).is_none());
        self.sack = *a.sack;
        // While no data is outstanding, a duplicate ACK does not report a delivered segment.
        self.duplicates += u32::from(has_news && s.has_outstanding_data());
        if self.is_link_retransmitting(s.una, a.now) {
            return true;
        }
        let Some(answered) = self.answered.iter_mut().find(|answered| answered.seq == s.una) else {
            return false;
        };
        let was_ahead = answered.ahead > 0;
        answered.ahead -= u64::from(was_ahead);
        // RFC 2018 §4: the first block contains the segment that caused the ACK.
        a.sack.blocks().first().map_or(was_ahead, |newest| newest.end <= answered.point)
    }

    fn is_link_retransmitting(&self, seq: u64, now: Time) -> bool {
        self.held.iter().any(|&(held, until)| held == seq && until > now)
    }

    /// Returns the detected loss, unless a link layer is still retransmitting the segment.
    fn ignore_held_loss(&self, detect: DetectionOutcome) -> DetectionOutcome {
        match detect {
            DetectionOutcome::Lost(seq) if self.is_link_retransmitting(seq, self.now) => {
                DetectionOutcome::Nothing
            }
            found => found,
        }
    }

    /// Lets the segment at `seq` count as lost again, because the link layer has stopped retransmitting.
    fn end_hold(&mut self, s: &mut SenderState, seq: u64) {
        self.held.retain(|held| held.0 != seq);
        self.owed.retain(|owed| *owed != seq);
        self.inner.hold_segment(s, seq, Time::ZERO);
    }

    /// True if a duplicate ACK releases new data. Lost segments are retransmitted before new data.
    fn may_send_on_duplicate(&self, s: &SenderState) -> bool {
        let is_answered = || self.answered.iter().any(|answered| answered.seq == s.una);
        let is_open = !self.recovering && s.una >= self.slow_until;
        is_open
            && !self.inner.uses_sending_order()
            && (is_answered() || self.is_link_retransmitting(s.una, self.now))
    }
}

// Every method is forwarded to the inner recovery, also methods with a default body. The lint finds omissions.
#[deny(clippy::missing_trait_methods)]
impl Recovery for NoticeAwareRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        // Duplicate ACKs that a notice explains do not indicate a loss. Their other effects remain.
        if self.count_duplicate(s, a) && !self.recovering && !self.inner.uses_sending_order() {
            self.inner.on_uncounted_duplicate(s, a);
            return DetectionOutcome::Nothing;
        }
        let detect = self.inner.on_duplicate_ack(s, a);
        self.ignore_held_loss(detect)
    }

    fn next_loss(&mut self) -> DetectionOutcome {
        let detect = self.inner.next_loss();
        self.ignore_held_loss(detect)
    }

    fn enter_recovery(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.recovering = true;
        self.inner.enter_recovery(s, w, seq);
    }

    fn on_ecn_echo(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        self.inner.on_ecn_echo(s, before, after, a);
    }

    fn on_postponed_reduction(&mut self, w: &Window) {
        self.inner.on_postponed_reduction(w);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.now = a.now;
        self.duplicates = 0;
        self.answered.retain(|answered| answered.seq >= s.una);
        self.held.retain(|held| held.0 >= s.una);
        let advance = self.inner.on_advance(s, w, a);
        self.recovering = matches!(advance, AdvanceOutcome::Partial { .. });
        for seq in std::mem::take(&mut self.owed) {
            if self.is_missing(s, seq) {
                self.retransmit(s, seq);
            }
        }
        match advance {
            AdvanceOutcome::Lost(seq) if self.is_link_retransmitting(seq, a.now) => AdvanceOutcome::Open,
            other => other,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.answered.clear();
        self.held.clear();
        self.owed.clear();
        self.duplicates = 0;
        self.recovering = false;
        self.slow_until = s.sent_end;
        self.inner.on_timeout(s, now);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        let next = self.inner.next_segment(s, w);
        if next.is_some() || !self.may_send_on_duplicate(s) {
            return next;
        }
        segment_at_nxt(s, s.nxt - s.una, w.cwnd + f64::from(self.duplicates))
    }

    fn try_loss_probe(&mut self, s: &mut SenderState, now: Time) -> bool {
        self.inner.try_loss_probe(s, now)
    }

    fn undo_reduction(&mut self, s: &mut SenderState, evidence: UndoEvidence) -> bool {
        let forgiven = self.inner.undo_reduction(s, evidence);
        self.recovering &= !forgiven;
        forgiven
    }

    fn repair_kind(&self) -> RepairKind {
        self.inner.repair_kind()
    }

    fn may_grow_by_sack(&self) -> bool {
        self.inner.may_grow_by_sack()
    }

    fn ns2_agent(&self) -> Ns2Agent {
        self.inner.ns2_agent()
    }

    fn uses_sending_order(&self) -> bool {
        true
    }

    fn on_uncounted_duplicate(&mut self, s: &mut SenderState, a: &Ack) {
        self.count_duplicate(s, a);
        self.inner.on_uncounted_duplicate(s, a);
    }

    fn deadline(&self) -> Option<Time> {
        self.inner.deadline()
    }

    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> DetectionOutcome {
        self.now = now;
        let detect = self.inner.on_deadline(s, now);
        self.ignore_held_loss(detect)
    }

    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &NextSegment, earlier: Option<u64>) {
        self.inner.on_sent(s, now, sent, earlier);
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        self.inner.in_flight(s)
    }

    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        self.inner.is_missing(s, seq)
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.end_hold(s, seq);
        let above = (s.sent_end - s.segment_end(seq)).div_ceil(s.mss);
        let seen = if seq == s.una { u64::from(self.duplicates) } else { 0 };
        self.answered.retain(|answered| answered.seq != seq);
        self.answered.push(NoticeRetransmission {
            seq,
            point: s.sent_end,
            ahead: above.saturating_sub(seen),
        });
        if seq == s.una && !self.recovering && !self.inner.uses_sending_order() {
            s.dupacks = 0; // a notice explains the duplicate ACKs counted so far
        }
        self.inner.retransmit(s, seq);
    }

    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        self.end_hold(s, seq);
        if !self.inner.mark_lost(s, seq) {
            self.owed.push(seq);
        }
        true
    }

    fn hold_segment(&mut self, s: &mut SenderState, seq: u64, until: Time) {
        self.held.retain(|held| held.0 != seq);
        self.held.push((seq, until));
        self.inner.hold_segment(s, seq, until);
    }

    fn is_first_missing_held(&self, s: &SenderState, now: Time) -> bool {
        self.is_link_retransmitting(s.una, now) || self.inner.is_first_missing_held(s, now)
    }
}
