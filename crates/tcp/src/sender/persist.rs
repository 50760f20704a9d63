//! Persist timer. Probes a closed window, because the ACK that opens the window may be lost.

use super::Sender;
use super::transmit::SegmentFields;
use crate::seams::{NextSegment, TransmissionCause};
use airhop_base::{Span, Time};

/// Running persist timer (RFC 9293 §3.8.6.1). Runs while data waits, the receiver has no room for a segment,
/// and nothing but a probe is outstanding.
#[derive(Clone, Copy, Debug)]
pub(super) struct PersistTimer {
    /// Time of the next probe.
    pub next_probe: Time,
    /// Number of probes so far.
    probes: u32,
    /// True if a probe, or data that fits the window, must be sent now.
    owes: bool,
}

impl Sender {
    /// Starts the timer if the receiver's window is closed and no data is outstanding.
    #[inline]
    pub(super) fn start_persist_timer(&mut self, now: Time) {
        let s = &self.state;
        if !s.has_outstanding_data()
            && self.persist.is_none()
            && s.supplied_end > s.nxt
            && s.next_acceptable_segment().is_none()
        {
            self.persist =
                Some(PersistTimer { next_probe: now + self.probe_interval(0), probes: 0, owes: false });
        }
    }

    /// Returns the interval before the next probe: "the first zero-window probe when a zero window has
    /// existed for the retransmission timeout period", then "exponentially the interval between successive
    /// probes" (RFC 9293 §3.8.6.1; Linux, tcp_probe0_when()).
    fn probe_interval(&self, probes: u32) -> Span {
        let doubled = self.rto.timeout_without_backoff() * (1_u64 << probes.min(16));
        doubled.min(self.config.rto.max)
    }

    /// Schedules a probe if the timer has expired.
    pub(super) fn check_persist_timer(&mut self, now: Time) {
        let Some(PersistTimer { probes, .. }) = self.persist.filter(|persist| persist.next_probe <= now)
        else {
            return;
        };
        let probes = probes + 1;
        self.persist =
            Some(PersistTimer { next_probe: now + self.probe_interval(probes), probes, owes: true });
    }

    /// Updates the timer with the window of an ACK. If the receiver had no room for the probe's data, the
    /// data is sent again.
    #[inline]
    pub(super) fn on_window_update(&mut self, now: Time) {
        if let Some(persist) = self.persist {
            self.update_persist(now, persist);
        }
    }

    #[cold]
    #[inline(never)]
    fn update_persist(&mut self, now: Time, mut persist: PersistTimer) {
        let s = &self.state;
        let has_room = s.first_segment_end() <= s.right_edge;
        persist.owes |= has_room && s.has_outstanding_data();
        if !has_room && self.stack.restarts_persist_on_ack() {
            persist.next_probe = now + self.probe_interval(persist.probes);
        }
        let is_over = s.una >= s.supplied_end || (has_room && !s.has_outstanding_data());
        self.persist = (!is_over).then_some(persist);
    }

    /// Returns the segment that the timer has scheduled. If the receive window has room, this is an ordinary
    /// data segment (RFC 9293 §3.8.6.2.1, the override timeout; Linux, tcp_write_wakeup()). Otherwise it is
    /// an octet above the window (RFC 9293 §3.8.6.1), or the stack's substitute.
    #[cold]
    pub(super) fn window_probe(&mut self, now: Time) -> Option<SegmentFields> {
        let persist = self.persist.as_mut().filter(|persist| persist.owes)?;
        persist.owes = false;
        let s = &mut self.state;
        let start = s.una;
        let has_room = s.right_edge > start;
        if let Some(old) = self.stack.dataless_probe_seq(start).filter(|_| !has_room) {
            return Some(self.pure_ack(old));
        }
        let is_data = has_room && !s.has_outstanding_data();
        let cause = if is_data { TransmissionCause::New } else { TransmissionCause::Probe };
        let end = if has_room { s.first_segment_end().min(s.right_edge) } else { start + 1 };
        s.nxt = start; // an octet for which the receiver had no room is not in flight
        if has_room {
            self.persist = None; // an ACK is expected, so the retransmission timer runs instead
        }
        let next = NextSegment { start, end, cause };
        let psh = self.sets_psh_flag(&next, true);
        Some(self.transmit(now, &next, psh))
    }
}
