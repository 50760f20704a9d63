use crate::recovery::common::{ReductionGuard, UrgentQueue, mark_unsacked_lost, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};
use std::collections::VecDeque;

/// ESACK (Yun 2009 §4): SACK with a retransmission queue in sending order. After an ELN, SACKs of earlier
/// transmissions do not mark the retransmitted segment lost. All losses of one window reduce the window once.
///
/// Two rules are reconstructed, because the paper does not state them. First, the flight (outstanding bytes
/// less SACKed bytes less lost bytes) limits transmissions. This rule keeps "the TCP connection ACK-clocked"
/// (§4.1) during a retransmission, and equals SACK's rule without loss. Second, all data sent before a
/// reduction must be acknowledged before the next reduction, as in every sender of Reno's family.
#[derive(Debug, Default)]
pub struct EsackRecovery {
    /// Transmissions in sending order: (order, first byte). A transmission is skipped if the segment has
    /// arrived or was retransmitted later.
    sending_order: VecDeque<(u64, u64)>,
    /// Highest order of a transmission known to have arrived.
    newest: u64,
    /// Order below which every transmission is settled: arrived, marked lost, or followed by a retransmission
    /// of the segment.
    judged_to: u64,
    guard: ReductionGuard,
    urgent: UrgentQueue,
    /// True until all data outstanding at the last reduction is acknowledged.
    recovering: bool,
    /// True from a timeout until all data outstanding at the timeout is acknowledged. During this time,
    /// segments marked lost are retransmitted.
    after_timeout: bool,
    /// FirstUnsacked at the last duplicate ACK; `None` after an ACK of new data or a timeout.
    previous_first: Option<u64>,
    /// Last RTT sample.
    rtt: Span,
    /// Earliest time for the next retransmission of a segment that the receiver SACKed and then discarded.
    next_repair: Time,
}

/// FirstUnsacked at a duplicate ACK (Algorithm 1).
enum FirstUnsacked {
    /// None: every segment of the queue is SACKed.
    None,
    /// A segment that a link layer is retransmitting (ERSN).
    Held,
    /// The segment with this first byte.
    At(u64),
}

impl EsackRecovery {
    /// Records that a notice explains the loss of the segment at `seq`. Cancels an ERSN for the segment, and
    /// forgets earlier duplicate ACKs.
    fn record_explained_loss(&mut self, s: &mut SenderState, seq: u64) {
        s.scoreboard.hold_segment(seq, Time::ZERO);
        if self.previous_first == Some(seq) {
            s.dupacks = 0;
        }
    }

    /// True if the segment has not arrived and was not sent again after this transmission.
    fn is_outstanding(s: &SenderState, (order, start): (u64, u64)) -> bool {
        s.scoreboard.get(start).is_some_and(|e| e.transmission_number == order && !e.sacked)
    }

    /// Returns FirstUnsacked: the first segment in sending order that is not SACKed.
    fn first_unsacked(&mut self, s: &SenderState, now: Time) -> FirstUnsacked {
        self.drop_settled(s);
        let Some(&(_, start)) = self.sending_order.front() else { return FirstUnsacked::None };
        let held = s.scoreboard.get(start).is_some_and(|e| e.held_until > now);
        if held { FirstUnsacked::Held } else { FirstUnsacked::At(start) }
    }

    /// Removes transmissions from the front of the queue if they have arrived, are marked lost, or precede a
    /// later retransmission of their segment.
    fn drop_settled(&mut self, s: &SenderState) {
        while self.sending_order.front().is_some_and(|&front| !Self::is_outstanding(s, front)) {
            self.sending_order.pop_front();
        }
    }

    /// Marks a segment lost if DupThresh segments sent later have arrived. This is RFC 6675's IsLost() in
    /// sending order instead of sequence order.
    fn update_lost(&mut self, s: &mut SenderState, now: Time) {
        let mut arrived_after = 0;
        let mut judged_to = self.judged_to;
        let known = self.sending_order.partition_point(|&(order, _)| order <= self.newest);
        for i in (0..known).rev() {
            let (order, start) = self.sending_order[i];
            if order < self.judged_to {
                break;
            }
            let Some(e) = s.scoreboard.get(start).filter(|e| e.transmission_number == order) else {
                continue;
            };
            if e.sacked {
                arrived_after += 1;
                if arrived_after == s.dupthresh {
                    judged_to = order;
                }
            } else if arrived_after >= s.dupthresh && e.held_until > now {
                judged_to = order; // the next call checks the segment again
            } else if arrived_after >= s.dupthresh {
                s.scoreboard.mark_lost(start);
            }
        }
        self.judged_to = judged_to;
    }

    /// Updates the queue with the arrivals that an ACK reports.
    fn update_newest(&mut self, s: &SenderState) {
        self.newest = s
            .scoreboard
            .newly_arrived()
            .iter()
            .map(|e| e.transmission_number)
            .max()
            .max(Some(self.newest))
            .unwrap_or_default();
    }

    /// Retransmits the segment at `una`, at most once per round trip. The receiver SACKed and then discarded
    /// this segment, so the loss does not indicate congestion.
    fn repair_reneged(&mut self, s: &SenderState, now: Time) {
        if self.next_repair <= now {
            self.next_repair = now + self.rtt;
            self.urgent.push(s.una, s.segment_end(s.una), TransmissionCause::Recovery);
        }
    }
}

impl Recovery for EsackRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        // Algorithm 1, "if there is a SACK option, update retransmission queue".
        self.update_newest(s);
        let first = match self.first_unsacked(s, a.now) {
            FirstUnsacked::Held => return DetectionOutcome::Nothing,
            FirstUnsacked::None => None,
            FirstUnsacked::At(seq) => Some(seq),
        };
        if first == Some(s.una) {
            s.dupacks += 1;
        } else if let Some(seq) = first.filter(|&seq| seq < s.scoreboard.high_sack()) {
            s.dupacks = if self.previous_first == Some(seq) { s.dupacks + 1 } else { 1 };
        } else if s.scoreboard.get(s.una).is_some_and(|e| e.sacked) {
            self.repair_reneged(s, a.now);
        }
        self.previous_first = first;
        if self.recovering {
            self.update_lost(s, a.now);
            return DetectionOutcome::Nothing;
        }
        match first {
            Some(seq) if s.dupacks >= s.dupthresh && self.guard.is_fully_acked(s) => {
                DetectionOutcome::Lost(seq)
            }
            _ => DetectionOutcome::Nothing,
        }
    }

    fn on_uncounted_duplicate(&mut self, s: &mut SenderState, _: &Ack) {
        self.update_newest(s);
        self.drop_settled(s);
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.recovering = true;
        s.dupacks = 0;
        s.scoreboard.mark_lost(seq);
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, w: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.update_newest(s);
        self.previous_first = None;
        self.rtt = a.timer_rtt.unwrap_or(self.rtt);
        self.next_repair = Time::ZERO;
        self.drop_settled(s);
        if self.guard.is_fully_acked(s) {
            self.after_timeout = false;
            if std::mem::take(&mut self.recovering) {
                s.dupacks = 0;
                // If the scheme classified the loss as no congestion, ssthresh may be infinite and must not
                // become the window.
                if w.ssthresh.is_finite() {
                    w.cwnd = w.ssthresh;
                }
                return AdvanceOutcome::Over;
            }
        }
        if self.recovering {
            self.update_lost(s, a.now);
            return AdvanceOutcome::Partial { restart: true };
        }
        s.dupacks = 0;
        AdvanceOutcome::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.recovering = false;
        self.after_timeout = true;
        self.previous_first = None;
        mark_unsacked_lost(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        if let Some(next) = self.urgent.pop(s) {
            return Some(next);
        }
        let flight = s.pipe();
        let cause = if self.after_timeout { TransmissionCause::Timeout } else { TransmissionCause::Recovery };
        if s.has_room(s.mss, flight, w.cwnd)
            && let Some(lost) = s.scoreboard.first_lost()
        {
            return Some(lost.to_retransmission(cause));
        }
        segment_at_nxt(s, flight, w.cwnd)
    }

    fn on_sent(&mut self, s: &mut SenderState, _: Time, sent: &NextSegment, _: Option<u64>) {
        if let Some(e) = s.scoreboard.get(sent.start) {
            self.sending_order.push_back((e.transmission_number, sent.start));
            // the receiver SACKed and discarded the segment, which was then retransmitted
            self.newest = if e.sacked { e.transmission_number } else { self.newest };
        }
    }

    fn in_flight(&self, s: &SenderState) -> u64 {
        s.pipe()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.record_explained_loss(s, seq);
        self.urgent.push(seq, s.segment_end(seq), TransmissionCause::Notice);
    }

    fn uses_sending_order(&self) -> bool {
        true
    }

    fn mark_lost(&mut self, s: &mut SenderState, seq: u64) -> bool {
        self.record_explained_loss(s, seq);
        s.scoreboard.mark_lost(seq);
        true
    }

    fn is_first_missing_held(&self, s: &SenderState, now: Time) -> bool {
        s.scoreboard.first_missing().is_some_and(|e| e.start >= s.una && e.held_until > now)
    }
}
