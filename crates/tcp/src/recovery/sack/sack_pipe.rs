use crate::recovery::common::{Guard, Urgent, forward, go_back_n};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Recovery of ns-2's "Sack1": the counter `pipe` estimates the number of segments in the network during
/// recovery (Fall and Floyd 1996, §4). Yun 2009 calls this sender SACK.
#[derive(Debug, Default)]
pub struct SackPipe {
    guard: Guard,
    urgent: Urgent,
    /// Estimated number of segments in the network, possibly negative; `None` outside recovery.
    pipe: Option<i64>,
}

impl Recovery for SackPipe {
    fn on_duplicate(&mut self, s: &mut SenderState, _: &Ack) -> Detect {
        if let Some(pipe) = &mut self.pipe {
            *pipe -= 1;
            return Detect::Nothing;
        }
        if s.board.newly_sacked() == 0 {
            return Detect::Nothing; // the ACK does not report that another segment left the network
        }
        s.dupacks += 1;
        if s.dupacks == s.dupthresh && self.guard.permits(s) { Detect::Lost(s.una) } else { Detect::Nothing }
    }

    fn note(&mut self, s: &mut SenderState, _: &Ack) {
        if let Some(pipe) = self.pipe.as_mut().filter(|_| s.board.newly_sacked() > 0) {
            *pipe -= 1; // an ACK that only reports a loss does not report that a segment left the network
        }
    }

    fn enter(&mut self, s: &mut SenderState, _: &mut Window, seq: u64) {
        self.guard.set(s);
        let outstanding = (s.max_sent - s.una).div_ceil(s.mss) as i64;
        self.pipe = Some(outstanding - i64::from(s.dupthresh));
        self.urgent.push(seq, s.segment_end(seq), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, _: &Ack) -> Advance {
        s.dupacks = 0;
        let Some(pipe) = &mut self.pipe else {
            return Advance::Open;
        };
        if self.guard.is_fully_acked(s) {
            self.pipe = None;
            self.guard = Guard::default(); // ns-2: only a timeout sets the guard
            return Advance::Over;
        }
        // One segment caused the ACK, and the ACK acknowledges the retransmission: both left the network.
        *pipe -= 2;
        Advance::Partial { restart: true }
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        self.pipe = None;
        s.board.forget();
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        if let Some(next) = self.urgent.pop_missing(s) {
            return Some(next);
        }
        let Some(pipe) = self.pipe else {
            return forward(s, self.in_flight(s), w.cwnd + f64::from(s.limited_transmit_extra()));
        };
        if pipe >= w.cwnd as i64 {
            return None;
        }
        let hole = s.board.first_hole().map(|e| e.again(Cause::Recovery));
        hole.or_else(|| forward(s, 0, f64::INFINITY))
    }

    fn on_sent(&mut self, _: &mut SenderState, _: Time, sent: &Next, _: Option<u64>) {
        // A fast retransmit, or a retransmission on a notice, replaces the lost segment, which the pipe still
        // counts.
        if let Some(pipe) = self.pipe.as_mut().filter(|_| !matches!(sent.cause, Cause::Fast | Cause::Notice))
        {
            *pipe += 1;
        }
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }
}
