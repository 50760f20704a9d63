//! The delivery rate is measured for schemes that go by it. Nothing of it runs for others.

use super::Sender;
use super::order::Step;
use crate::seams::{Delivery, Next, Repair};
use airhop_base::{Segment, Time};

impl Sender {
    /// The flight before an ACK, if the scheme asks what the ACK changes.
    pub(super) fn look(&self) -> Option<u64> {
        self.delivery.as_ref().map(|_| self.in_flight())
    }

    /// The scheme learns what an ACK did. `before` is the flight before it.
    pub(super) fn tell_of_delivery(&mut self, now: Time, segment: &Segment, before: u64) {
        let Some(meter) = &mut self.delivery else { return };
        let mut arrivals = meter.on_ack(now, &self.state.board);
        self.state.limited_until = meter.limited_until();
        let lost = self.state.board.newly_lost_bytes();
        let newly_lost = if lost > 0 { self.tell_of_losses(now) } else { 0 };
        if let Some(sample) = &mut arrivals.rate {
            sample.lost += newly_lost;
        }
        if segment.flags.syn || self.frozen.is_some() {
            return;
        }
        let in_flight = self.recovery.in_flight(&self.state);
        let delivery = Delivery {
            now,
            arrivals,
            lost,
            before,
            in_flight,
            repair: self.recovery.repair(),
            wait: self.pacing.wait(now),
        };
        self.order.at(Step::Delivered);
        self.control.on_delivery(&mut self.window, &delivery, &self.state);
        if let Some(meter) = self.delivery.as_mut().filter(|_| self.control.holds_back()) {
            self.state.limited_until = meter.limit(in_flight);
        }
    }

    /// The scheme learns of each segment that is newly taken to be lost. Returns their bytes.
    pub(super) fn tell_of_losses(&mut self, now: Time) -> u64 {
        let Sender { delivery: Some(meter), state, control, window, order, .. } = self else { return 0 };
        let mut bytes = 0;
        for &start in state.board.newly_lost() {
            if let Some(lost) = meter.on_lost(&state.board, start) {
                bytes += lost.end - lost.start;
                order.at(Step::Named);
                control.on_lost(window, now, &lost);
            }
        }
        bytes
    }

    /// A segment leaves.
    pub(super) fn note_departure(&mut self, now: Time, next: &Next) {
        if let Some(meter) = &mut self.delivery
            && meter.on_sent(&self.state.board, now, next, self.recovery.in_flight(&self.state))
        {
            self.control.on_restart(&mut self.window, now);
        }
    }

    /// Nothing can be sent. If that is for want of data, a full segment of it, what is in flight shows less than the path's rate (Linux,
    /// tcp_rate_check_app_limited()).
    pub(super) fn note_scarcity(&mut self) {
        let Some(meter) = &mut self.delivery else { return };
        let in_flight = self.recovery.in_flight(&self.state);
        let has_room = self.state.has_room(self.state.mss, in_flight, self.window.cwnd);
        let lacks_data = self.state.supplied.saturating_sub(self.state.nxt) < self.state.mss;
        if lacks_data && has_room && self.recovery.repair() == Repair::Nothing {
            self.state.limited_until = meter.limit(in_flight);
        }
    }
}
