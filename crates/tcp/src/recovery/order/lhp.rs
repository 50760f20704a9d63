use super::packet_list::SendOrderList;
use crate::recovery::common::{ReductionGuard, UrgentQueue, go_back_n, segment_at_nxt};
use crate::seams::{Ack, AdvanceOutcome, DetectionOutcome, NextSegment, Recovery, TransmissionCause, Window};
use crate::sender_state::SenderState;
use airhop_base::{SackBlock, Time};
use std::collections::VecDeque;

/// Field of an ACK that identifies the segment that caused the ACK.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TriggerField {
    /// SACK blocks. Every newly reported segment counts as the cause of this ACK or of a lost ACK.
    Sack,
    /// Segment number, as in SMART (Keshav and Morgan 1997). If an ACK is lost, the sender does not learn
    /// that the segment arrived.
    Smart,
}

/// Recovery of LHP (Gao, Diggavi, Muthukrishnan 2003). The [`SendOrderList`] detects losses and limits the
/// flight. Every detected loss starts a fast recovery (Yun 2009 §4.1, Figure 4). After a timeout, the sender
/// goes back to `una`, as Reno does.
#[derive(Debug)]
pub struct LhpRecovery {
    trigger: TriggerField,
    list: SendOrderList,
    urgent: UrgentQueue,
    /// Guard against repeated reductions. Recovery ends when all data outstanding at the last reduction is
    /// acknowledged.
    guard: ReductionGuard,
    recovering: bool,
    /// Losses reported by one ACK, without the first loss.
    further: VecDeque<u64>,
}

impl LhpRecovery {
    /// Creates the recovery of a new connection.
    pub fn new(trigger: TriggerField, dupthresh: u32) -> Self {
        LhpRecovery {
            trigger,
            list: SendOrderList::new(dupthresh),
            urgent: UrgentQueue::default(),
            guard: ReductionGuard::default(),
            recovering: false,
            further: VecDeque::new(),
        }
    }

    /// Returns the packet list.
    pub fn send_order_list(&self) -> &SendOrderList {
        &self.list
    }

    /// Counts the arrivals that the ACK reports. Stores all losses but the first in `further`.
    fn count_arrivals(&mut self, s: &SenderState, a: &Ack) {
        match self.trigger {
            TriggerField::Smart => {
                if let Some(arrival) = a.arrival {
                    self.further.extend(self.list.on_ack(s.una, arrival.seq));
                }
            }
            // SACK blocks start with the most recent arrival, but the earliest arrival must be counted first.
            TriggerField::Sack => {
                for block in a.sack.blocks().iter().rev() {
                    while let Some(seq) = self.first_reported(block) {
                        self.further.extend(self.list.on_ack(s.una, seq));
                    }
                }
            }
        }
        self.list.remove_below(s.una);
    }

    fn queue_retransmission(&mut self, s: &SenderState, seq: u64, cause: TransmissionCause) {
        let end = self.list.get(seq).map_or_else(|| s.segment_end(seq), |e| e.end);
        self.urgent.push(seq, end, cause);
    }

    /// Returns the first segment in sending order that is on the list and within the block; `None` without
    /// such a segment.
    fn first_reported(&self, block: &SackBlock) -> Option<u64> {
        self.list.entries().find(|e| block.start <= e.seq && e.end <= block.end).map(|e| e.seq)
    }
}

impl Recovery for LhpRecovery {
    fn on_duplicate_ack(&mut self, s: &mut SenderState, a: &Ack) -> DetectionOutcome {
        self.count_arrivals(s, a);
        self.next_loss()
    }

    fn next_loss(&mut self) -> DetectionOutcome {
        self.further.pop_front().map_or(DetectionOutcome::Nothing, DetectionOutcome::Lost)
    }

    fn on_uncounted_duplicate(&mut self, _: &mut SenderState, a: &Ack) {
        if self.trigger == TriggerField::Sack {
            for block in a.sack.blocks() {
                while let Some(seq) = self.first_reported(block) {
                    self.list.remove(seq);
                }
            }
        }
    }

    fn enter_recovery(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.record_reduction(s);
        self.recovering = true;
        self.queue_retransmission(s, seq, TransmissionCause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, a: &Ack) -> AdvanceOutcome {
        self.count_arrivals(s, a);
        if let DetectionOutcome::Lost(seq) = self.next_loss() {
            return AdvanceOutcome::Lost(seq);
        }
        if !self.recovering {
            return AdvanceOutcome::Open;
        }
        if self.guard.is_fully_acked(s) {
            self.recovering = false;
            return AdvanceOutcome::Over;
        }
        AdvanceOutcome::Partial { restart: true }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.recovering = false;
        self.list.on_timeout();
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next_segment(&mut self, s: &mut SenderState, w: &Window) -> Option<NextSegment> {
        self.urgent.pop(s).or_else(|| segment_at_nxt(s, self.in_flight(s), w.cwnd))
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &NextSegment, _: Option<u64>) {
        self.list.on_sent(sent.start, sent.end);
    }

    fn in_flight(&self, _: &SenderState) -> u64 {
        self.list.flight_bytes()
    }

    fn is_missing(&self, _: &SenderState, seq: u64) -> bool {
        self.list.get(seq).is_some()
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.queue_retransmission(s, seq, TransmissionCause::Notice);
    }

    fn uses_sending_order(&self) -> bool {
        true
    }
}
