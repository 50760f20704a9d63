use super::common::forward;
use crate::scoreboard::duplicate;
use crate::seams::{Ack, Advance, Agent, Detect, Evidence, Next, Recovery, Repair, Window};
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
pub struct NoticeAware {
    inner: Box<dyn Recovery>,
    /// Unacknowledged segments that were retransmitted after a notice.
    answered: Vec<Answered>,
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
struct Answered {
    seq: u64,
    /// First unsent byte at the retransmission.
    point: u64,
    /// Number of duplicate ACKs still expected from segments sent before the retransmission.
    ahead: u64,
}

impl NoticeAware {
    /// Creates the adapter around `inner`.
    pub fn new(inner: Box<dyn Recovery>) -> Self {
        NoticeAware {
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
    fn explains(&mut self, s: &SenderState, a: &Ack) -> bool {
        self.now = a.now;
        let has_news = a.sack.is_empty() || (*a.sack != self.sack && duplicate(s.una, a.sack).is_none());
        self.sack = *a.sack;
        // While no data is outstanding, a duplicate ACK does not report a delivered segment.
        self.duplicates += u32::from(has_news && s.is_outstanding());
        if self.works_on(s.una, a.now) {
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

    fn works_on(&self, seq: u64, now: Time) -> bool {
        self.held.iter().any(|&(held, until)| held == seq && until > now)
    }

    /// Returns the detected loss, unless a link layer is still retransmitting the segment.
    fn spare(&self, detect: Detect) -> Detect {
        match detect {
            Detect::Lost(seq) if self.works_on(seq, self.now) => Detect::Nothing,
            found => found,
        }
    }

    /// Lets the segment at `seq` count as lost again, because the link layer has stopped retransmitting.
    fn release(&mut self, s: &mut SenderState, seq: u64) {
        self.held.retain(|held| held.0 != seq);
        self.owed.retain(|owed| *owed != seq);
        self.inner.hold(s, seq, Time::ZERO);
    }

    /// True if a duplicate ACK releases new data. Lost segments are retransmitted before new data.
    fn is_clocked(&self, s: &SenderState) -> bool {
        let is_answered = || self.answered.iter().any(|answered| answered.seq == s.una);
        let is_open = !self.recovering && s.una >= self.slow_until;
        is_open && !self.inner.goes_by_order() && (is_answered() || self.works_on(s.una, self.now))
    }
}

// Every method is forwarded to the inner recovery, also methods with a default body. The lint finds omissions.
#[deny(clippy::missing_trait_methods)]
impl Recovery for NoticeAware {
    fn on_duplicate(&mut self, s: &mut SenderState, a: &Ack) -> Detect {
        // Duplicate ACKs that a notice explains do not indicate a loss. Their other effects remain.
        if self.explains(s, a) && !self.recovering && !self.inner.goes_by_order() {
            self.inner.note(s, a);
            return Detect::Nothing;
        }
        let detect = self.inner.on_duplicate(s, a);
        self.spare(detect)
    }

    fn next_loss(&mut self) -> Detect {
        let detect = self.inner.next_loss();
        self.spare(detect)
    }

    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.recovering = true;
        self.inner.enter(s, w, seq);
    }

    fn on_mark(&mut self, s: &SenderState, before: &Window, after: &Window, a: &Ack) {
        self.inner.on_mark(s, before, after, a);
    }

    fn on_postponed_reduction(&mut self, w: &Window) {
        self.inner.on_postponed_reduction(w);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> Advance {
        self.now = a.now;
        self.duplicates = 0;
        self.answered.retain(|answered| answered.seq >= s.una);
        self.held.retain(|held| held.0 >= s.una);
        let advance = self.inner.on_advance(s, w, a);
        self.recovering = matches!(advance, Advance::Partial { .. });
        for seq in std::mem::take(&mut self.owed) {
            if self.is_missing(s, seq) {
                self.retransmit(s, seq);
            }
        }
        match advance {
            Advance::Lost(seq) if self.works_on(seq, a.now) => Advance::Open,
            other => other,
        }
    }

    fn on_timeout(&mut self, s: &mut SenderState, now: Time) {
        self.answered.clear();
        self.held.clear();
        self.owed.clear();
        self.duplicates = 0;
        self.recovering = false;
        self.slow_until = s.max_sent;
        self.inner.on_timeout(s, now);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        let next = self.inner.next(s, w);
        if next.is_some() || !self.is_clocked(s) {
            return next;
        }
        forward(s, s.nxt - s.una, w.cwnd + f64::from(self.duplicates))
    }

    fn probe_instead(&mut self, s: &mut SenderState, now: Time) -> bool {
        self.inner.probe_instead(s, now)
    }

    fn forgive(&mut self, s: &mut SenderState, evidence: Evidence) -> bool {
        let forgiven = self.inner.forgive(s, evidence);
        self.recovering &= !forgiven;
        forgiven
    }

    fn repair(&self) -> Repair {
        self.inner.repair()
    }

    fn may_grow_by_sack(&self) -> bool {
        self.inner.may_grow_by_sack()
    }

    fn agent(&self) -> Agent {
        self.inner.agent()
    }

    fn goes_by_order(&self) -> bool {
        true
    }

    fn note(&mut self, s: &mut SenderState, a: &Ack) {
        self.explains(s, a);
        self.inner.note(s, a);
    }

    fn deadline(&self) -> Option<Time> {
        self.inner.deadline()
    }

    fn on_deadline(&mut self, s: &mut SenderState, now: Time) -> Detect {
        self.now = now;
        let detect = self.inner.on_deadline(s, now);
        self.spare(detect)
    }

    fn on_sent(&mut self, s: &mut SenderState, now: Time, sent: &Next, earlier: Option<u64>) {
        self.inner.on_sent(s, now, sent, earlier);
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        self.inner.in_flight(s)
    }

    fn is_missing(&self, s: &SenderState, seq: u64) -> bool {
        self.inner.is_missing(s, seq)
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.release(s, seq);
        let above = (s.max_sent - s.segment_end(seq)).div_ceil(s.mss);
        let seen = if seq == s.una { u64::from(self.duplicates) } else { 0 };
        self.answered.retain(|answered| answered.seq != seq);
        self.answered.push(Answered { seq, point: s.max_sent, ahead: above.saturating_sub(seen) });
        if seq == s.una && !self.recovering && !self.inner.goes_by_order() {
            s.dupacks = 0; // a notice explains the duplicate ACKs counted so far
        }
        self.inner.retransmit(s, seq);
    }

    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        self.release(s, seq);
        if !self.inner.mark_lost(s, seq) {
            self.owed.push(seq);
        }
        true
    }

    fn hold(&mut self, s: &mut SenderState, seq: u64, until: Time) {
        self.held.retain(|held| held.0 != seq);
        self.held.push((seq, until));
        self.inner.hold(s, seq, until);
    }

    fn is_held(&self, s: &SenderState, now: Time) -> bool {
        self.works_on(s.una, now) || self.inner.is_held(s, now)
    }
}
