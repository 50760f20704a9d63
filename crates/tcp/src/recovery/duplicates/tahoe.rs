use crate::recovery::common::{Guard, Urgent, forward, go_back_n};
use crate::seams::{Ack, Advance, Cause, Detect, Next, Recovery, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Fast retransmit without fast recovery (Jacobson 1988): after a loss the sender restarts in slow start at
/// the lost segment.
#[derive(Debug, Default)]
pub struct Tahoe {
    guard: Guard,
    urgent: Urgent,
}

impl Recovery for Tahoe {
    fn on_duplicate(&mut self, s: &mut SenderState, _: &Ack) -> Detect {
        s.dupacks += 1;
        if s.dupacks == s.dupthresh && self.guard.permits(s) { Detect::Lost(s.una) } else { Detect::Nothing }
    }

    fn enter(&mut self, s: &mut SenderState, w: &mut Window, seq: u64) {
        self.guard.set(s);
        w.cwnd = 1.0;
        s.nxt = s.segment_end(seq);
        self.urgent.push(seq, s.segment_end(seq), Cause::Fast);
    }

    fn on_advance(&mut self, s: &mut SenderState, _: &mut Window, _: &Ack) -> Advance {
        s.dupacks = 0;
        Advance::Open
    }

    fn on_timeout(&mut self, s: &mut SenderState, _: Time) {
        go_back_n(s, &mut self.guard, &mut self.urgent);
    }

    fn next(&mut self, s: &mut SenderState, w: &Window) -> Option<Next> {
        self.urgent
            .pop(s)
            .or_else(|| forward(s, self.in_flight(s), w.cwnd + f64::from(s.limited_transmit_extra())))
    }

    fn retransmit(&mut self, s: &mut SenderState, seq: u64) {
        self.urgent.push(seq, s.segment_end(seq), Cause::Notice);
    }
}
