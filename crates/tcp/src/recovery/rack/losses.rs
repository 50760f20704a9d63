//! Loss detection of RACK, by sending order (RFC 8985 §6.2).

use super::probe::PTO_MARGIN;
use super::sending_order::Transmission;
use super::{NewestArrival, RackRecovery};
use crate::scoreboard::OutstandingSegment;
use crate::sender_state::SenderState;
use airhop_base::{SackBlock, Span, Time};

impl RackRecovery {
    /// Returns the first byte of the segment whose loss starts a recovery: the first lost segment that was
    /// not retransmitted. Linux uses the first segment marked lost, because marks outlast the recovery
    /// (tcp_time_to_recover()).
    pub(super) fn recovery_trigger(&self, s: &mut SenderState) -> Option<u64> {
        let first = if self.is_linux { s.scoreboard.first_marked_lost() } else { s.scoreboard.first_lost() };
        first.map(|e| e.start)
    }

    /// Implements §6.2 steps 1 and 2. RACK.rtt is the RTT of the last segment "in ascending order of
    /// Segment.xmit_ts", even if RACK.segment is newer. Linux uses the last segment in sequence order
    /// (tcp_rack_advance()).
    pub(super) fn note_arrivals(&mut self, s: &SenderState, now: Time) {
        let is_too_soon =
            |e: &OutstandingSegment| s.scoreboard.min_rtt().is_some_and(|least| now - e.sent_at < least);
        // If a retransmission is acknowledged in less than the minimum RTT, an earlier transmission has
        // arrived.
        let known = || s.scoreboard.newly_arrived().iter().filter(|e| !(e.retransmitted && is_too_soon(e)));
        let Some(newest) = known().max_by_key(|e| e.transmission_number) else { return };
        let last = match self.is_linux {
            true => known().max_by_key(|e| (e.end <= s.una, e.start)).unwrap_or(newest),
            false => newest,
        };
        let order = self
            .newest
            .map_or(newest.transmission_number, |before| before.order.max(newest.transmission_number));
        self.newest = Some(NewestArrival { order, rtt: now - last.sent_at });
    }

    /// True if a D-SACK does not widen the reordering window (Linux, tcp_dsack_seen()). Linux ignores D-SACKs
    /// of a tail loss probe, and all D-SACKs before reordering is detected.
    pub(super) fn is_dsack_ignored(&self, duplicate: &SackBlock) -> bool {
        let is_of_probe = self.probe.is_some_and(|probe| probe.is_probe_dsack(duplicate.end));
        self.is_linux && (is_of_probe || !self.reordering.is_reordering_seen())
    }

    /// Marks lost segments (§6.2 step 5).
    pub(super) fn mark_losses(&mut self, s: &mut SenderState, now: Time) {
        self.wait = None;
        let Some(newest) = self.newest else { return };
        let is_open = self.has_no_repair();
        if is_open && s.scoreboard.sacked_bytes() == 0 && s.scoreboard.lost_bytes() == 0 {
            return; // the last delivered segment was sent before all outstanding segments
        }
        let enough = u64::from(s.dupthresh) * s.mss;
        let is_urgent = !is_open || s.scoreboard.sacked_bytes() >= enough;
        let window = self.reordering.window(is_urgent, s.scoreboard.min_rtt(), s.srtt);
        let mut next = self.under_way.first();
        while let Some((order, sent)) = next.filter(|&(order, _)| order < newest.order) {
            next = self.under_way.next_after(&sent);
            let until = sent.sent_at + newest.rtt + window;
            if is_link_retransmitting(s, &sent, now) {
                continue;
            }
            if until <= now {
                self.mark_transmission_lost(s, order, &sent);
            } else {
                // The timer waits for the most recently sent segment. Linux adds TCP_TIMEOUT_MIN_US
                // (tcp_rack_mark_lost()).
                self.wait = Some(until + if self.is_linux { PTO_MARGIN } else { Span::ZERO });
            }
        }
    }

    /// Marks a transmission in flight as lost.
    fn mark_transmission_lost(&mut self, s: &mut SenderState, order: u64, sent: &Transmission) {
        self.under_way.remove(order);
        let first = sent.first_unacked(s);
        self.news.lost_repair |= s.scoreboard.get(first).is_some_and(|e| e.retransmitted);
        s.scoreboard.mark_lost(first);
    }
}

/// True if a link layer is retransmitting the segment (ERSN).
fn is_link_retransmitting(s: &SenderState, sent: &Transmission, now: Time) -> bool {
    s.scoreboard.get(sent.first_unacked(s)).is_some_and(|e| e.held_until > now)
}
