//! Measurement of the delivery rate, for schemes that use delivery reports.

use super::Sender;
use super::order::ControlCall;
use crate::seams::{Delivery, NextSegment, RepairKind};
use airhop_base::{Segment, Time};

impl Sender {
    /// Returns the flight before an ACK in bytes; `None` if the scheme uses no delivery reports.
    pub(super) fn flight_before_ack(&self) -> Option<u64> {
        self.delivery.as_ref().map(|_| self.in_flight())
    }

    /// Passes the delivery report of an ACK to the scheme. `before` is the flight before the ACK in bytes.
    #[inline(never)]
    pub(super) fn report_delivery(&mut self, now: Time, segment: &Segment, before: u64) {
        let Some(meter) = &mut self.delivery else { return };
        let mut arrivals = meter.on_ack(now, &self.state.scoreboard);
        self.state.app_limited_until = meter.app_limited_until();
        let lost = self.state.scoreboard.newly_lost_bytes();
        let newly_lost = if lost > 0 { self.report_losses(now) } else { 0 };
        if let Some(sample) = &mut arrivals.rate {
            sample.lost_bytes += newly_lost;
        }
        if segment.flags.syn || self.frozen.is_some() {
            return;
        }
        let in_flight = self.recovery.in_flight(&self.state);
        let delivery = Delivery {
            now,
            arrivals,
            lost_bytes: lost,
            prior_in_flight: before,
            in_flight,
            repair_kind: self.recovery.repair_kind(),
            pacing_delay: self.pacing.time_until_next(now),
        };
        self.order.record_call(ControlCall::Delivered);
        self.control.on_delivery_report(&mut self.window, &delivery, &self.state);
        if let Some(meter) = self.delivery.as_mut().filter(|_| self.control.is_self_limiting()) {
            self.state.app_limited_until = meter.mark_app_limited(in_flight);
        }
    }

    /// Passes each newly lost segment to the scheme. Returns the number of newly lost bytes.
    pub(super) fn report_losses(&mut self, now: Time) -> u64 {
        let Sender { delivery: Some(meter), state, control, window, order, .. } = self else { return 0 };
        let mut bytes = 0;
        for &start in state.scoreboard.newly_lost() {
            if let Some(lost) = meter.on_lost(&state.scoreboard, start) {
                bytes += lost.end - lost.start;
                order.record_call(ControlCall::Named);
                control.on_segment_lost(window, now, &lost);
            }
        }
        bytes
    }

    /// Records the transmission of a segment.
    pub(super) fn record_transmission(&mut self, now: Time, next: &NextSegment) {
        if let Some(meter) = &mut self.delivery
            && meter.on_sent(&self.state.scoreboard, now, next, self.recovery.in_flight(&self.state))
        {
            self.control.on_restart(&mut self.window, now);
        }
    }

    /// Marks the flow as application-limited if the window has room but less than a full segment of data is
    /// available. The delivery rate is then below the rate of the path (Linux, tcp_rate_check_app_limited()).
    pub(super) fn mark_app_limited(&mut self) {
        let Some(meter) = &mut self.delivery else { return };
        let in_flight = self.recovery.in_flight(&self.state);
        let has_room = self.state.has_room(self.state.mss, in_flight, self.window.cwnd);
        let lacks_data = self.state.supplied_end.saturating_sub(self.state.nxt) < self.state.mss;
        if lacks_data && has_room && self.recovery.repair_kind() == RepairKind::Nothing {
            self.state.app_limited_until = meter.mark_app_limited(in_flight);
        }
    }
}
