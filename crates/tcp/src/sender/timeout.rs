//! Expiry of the retransmission timer and of the recovery's timer.

use super::{HandshakeState, Sender};
use crate::seams::{CongestionSignal, LossClassification};
use airhop_base::{Span, Time};

/// Running retransmission timer.
#[derive(Clone, Copy, Debug)]
pub(super) struct RetransmissionTimer {
    started: Time,
    pub expires: Time,
}

impl Sender {
    /// Handles the expired timers. Call at the time that [`Sender::poll_timeout`] returns.
    pub fn on_timeout(&mut self, now: Time) {
        self.pacing.next_poll = self.pacing.next_poll.filter(|&due| due > now);
        self.state.scoreboard.clear_ack_changes();
        self.check_persist_timer(now);
        self.order.start_event();
        if self.recovery.deadline().is_some_and(|d| d <= now) {
            let detect = self.recovery.on_deadline(&mut self.state, now);
            self.act_on_detection(now, detect);
            self.report_losses(now);
            self.state.scoreboard.clear_ack_changes();
        }
        if self.rto_expiry().is_none_or(|expiry| now < expiry) {
            return;
        }
        if self.connection == HandshakeState::SynSent {
            self.connection = HandshakeState::SynDue;
            self.state.timed_out_una = Some(0);
            // all transmissions so far were SYNs, and each timed out
            let timeouts = self.state.scoreboard.next_transmission_number() - 1;
            if timeouts > u64::from(self.config.linear_syn_timeouts) {
                self.rto.on_backoff();
            }
            self.timer = None;
            return;
        }
        if self.frozen.is_none() && self.recovery.try_loss_probe(&mut self.state, now) {
            self.restart_timer(now);
            return;
        }
        self.timed = None; // Karn's rule: the next segments are retransmissions
        if self.frozen.is_none() && self.recovery.is_first_missing_held(&self.state, now) {
            self.restart_timer(now);
            return;
        }
        if self.probe_while_frozen() {
            self.restart_timer(now);
            return;
        }
        self.notices.on_timeout();
        self.order.start_event(); // starts the calls for another timer
        self.counters.timeouts += 1;
        let base = self.reduction_base(true);
        if self.features.needs_linux_state {
            self.recovery.on_timeout(&mut self.state, now); // tcp_enter_loss() first marks the losses
        }
        let judged = self.reduce_window_from_base(now, CongestionSignal::Timeout, base);
        self.classifications.push_back(LossClassification { seq: self.state.una, class: judged });
        if !self.features.needs_linux_state {
            self.recovery.on_timeout(&mut self.state, now);
        }
        self.pacing.permit_unpaced_segment(now);
        self.state.timed_out_una = Some(self.state.una);
        if self.window.cwnd <= 1.0 && self.stack.adds_flight_after_timeout() {
            self.window.cwnd += self.state.segments_in_flight(self.recovery.in_flight(&self.state));
        }
        self.report_losses(now);
        self.rto.on_backoff();
        self.restart_timer(now);
    }

    /// Retransmits the oldest segment of a frozen sender, to probe whether the receiver is reachable again.
    /// Returns false if the policy permits no further probe.
    fn probe_while_frozen(&mut self) -> bool {
        let Some(frozen) = &mut self.frozen else { return false };
        frozen.probes += 1;
        if frozen.probes > self.notices.max_frozen_probes() {
            self.frozen = None;
            return false;
        }
        let una = self.state.una;
        self.recovery.retransmit(&mut self.state, una);
        true
    }

    pub(super) fn restart_timer(&mut self, now: Time) {
        self.start_timer(now, self.rto(now));
    }

    /// Restarts the timer for an EBSN: "cancel the previous timeout and set a new one based on the existing
    /// estimate of round trip time and variance" (Kounavis 1996 §3).
    pub(super) fn restart_timer_on_ebsn(&mut self, now: Time) {
        if self.timer.is_some() {
            self.start_timer(now, self.rto.timeout_without_backoff());
        }
    }

    /// Extends the running timer for an RTTN. The new expiry is that of a timer started at the same time with
    /// the present estimate.
    pub(super) fn extend_timer_on_rttn(&mut self, now: Time) {
        let timeout = self.rto(now);
        if let Some(timer) = &mut self.timer {
            timer.expires = timer.expires.max(timer.started + timeout);
        }
    }

    fn start_timer(&mut self, now: Time, timeout: Span) {
        self.timer =
            self.persist.is_none().then_some(RetransmissionTimer { started: now, expires: now + timeout });
    }
}
