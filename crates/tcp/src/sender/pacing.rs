//! Pacing of segments. Used by congestion controls that set a pacing rate, and on hosts that pace every
//! connection.

use crate::seams::Window;
use crate::sender_state::SenderState;
use airhop_base::{Rate, Span, Time};

/// Pacing schedule. A gap follows each burst of segments. The gap lasts as long as the burst would at the
/// pacing rate. Linux paces in TCP unless a queueing discipline paces.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct PacingSchedule {
    next: Time,
    burst: Option<Burst>,
    /// Time for the caller's next poll, after a poll that came too early.
    pub next_poll: Option<Time>,
}

/// Computes pacing rate and burst size in segments for a congestion control that sets no rate (Linux,
/// tcp_update_pacing_rate() and tcp_tso_autosize()). The rate is two windows per round trip while the window
/// is below half of ssthresh, and 1.2 windows otherwise. A burst lasts 1/1024 s at this rate, and has at most
/// 64 KiB and at least two segments. `None` before the first RTT sample.
pub(super) fn pacing_from_window(w: &Window, s: &SenderState) -> Option<(Rate, u64)> {
    let srtt = s.srtt?.secs_f64();
    let ratio = if w.cwnd < (w.ssthresh / 2.0).floor() { 2.0 } else { 1.2 };
    // In recovery the outstanding data may exceed the window.
    let bytes = (w.cwnd * s.mss as f64).max((s.nxt - s.una) as f64);
    let per_second = ratio * bytes / srtt;
    let quantum = (per_second as u64 / 1024).min(65_535) / s.mss;
    Some((Rate::from_bps_f64(per_second * 8.0), quantum.max(2)))
}

/// Segments sent at one time.
#[derive(Clone, Copy, Debug)]
struct Burst {
    at: Time,
    /// Number of segments that may still join the burst.
    left: u64,
    /// Delay of the burst that later gaps must still make up.
    late: Span,
}

impl PacingSchedule {
    /// True if a segment must wait. If so, sets [`PacingSchedule::next_poll`].
    #[inline(never)]
    pub fn is_too_early(&mut self, now: Time) -> bool {
        let is_open = now >= self.next || self.burst.is_some_and(|b| b.at == now && b.left > 0);
        self.next_poll = (!is_open).then_some(self.next);
        !is_open
    }

    /// Permits one segment without waiting. After a timeout, the oldest segment is retransmitted without
    /// pacing (Linux, tcp_retransmit_timer()).
    pub fn permit_unpaced_segment(&mut self, now: Time) {
        if self.is_too_early(now) {
            self.burst = Some(Burst { at: now, left: 1, late: Span::ZERO });
        }
    }

    /// Schedules the next segment after a segment with `bytes` bytes of payload. The gap is the time of these
    /// bytes at the pacing rate. At most `quantum` segments form a burst. Returns true if the segment ends a
    /// burst of several segments.
    #[inline(never)]
    pub fn on_sent(&mut self, now: Time, bytes: u64, rate: Rate, quantum: u64) -> bool {
        let ends_burst = self.add_to_burst(now, quantum);
        // Shorter gaps compensate for a late wake-up, so it does not lower the rate permanently. A gap
        // decreases by at most half, which prevents bursts.
        let wait = rate.time_for_bits(bytes * 8);
        let late = self.burst.map_or(Span::ZERO, |burst| burst.late);
        let made_up = late.min(wait / 2);
        if let Some(burst) = &mut self.burst {
            burst.late = late - made_up;
        }
        self.next = self.next.max(now) + (wait - made_up);
        ends_burst
    }

    /// Adds a segment to the burst sent at `now`, of at most `quantum` segments. Returns true if the segment
    /// ends a burst of several segments.
    pub fn add_to_burst(&mut self, now: Time, quantum: u64) -> bool {
        let late = now.since(self.next);
        let burst = match &mut self.burst {
            Some(burst) if burst.at == now && burst.left > 0 => burst,
            burst => burst.insert(Burst { at: now, left: quantum.max(1), late }),
        };
        burst.left -= 1;
        quantum > 1 && burst.left == 0
    }

    /// Returns the time until the next segment may be sent.
    pub fn time_until_next(&self, now: Time) -> Span {
        self.next.since(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    // A rate below 1 bit/s is raised to 1 bit/s: here the window is one byte per round trip of 10 s.
    #[test]
    fn the_pacing_rate_is_at_least_1_bit_per_second() {
        let s = SenderState { srtt: Some(Span::from_secs(10)), ..SenderState::new(&Preset::Linux.config(1)) };
        let rate = |cwnd| pacing_from_window(&Window { cwnd, ssthresh: 1.0 }, &s).map(|(rate, _)| rate);
        assert_eq!([1.0, 10.0].map(rate), [1, 9].map(|bps| Some(Rate::from_bps(bps))));
    }

    // 1000 bytes at 8 Mbit/s last one millisecond. The wait until a past time is zero.
    #[test]
    fn the_pacing_delay_is_the_remaining_time_of_a_segment() {
        let at = |us| Time::ZERO + Span::from_micros(us);
        let mut pacing = PacingSchedule::default();
        pacing.on_sent(at(0), 1000, Rate::from_bps(8_000_000), 1);
        let waits = [0, 400, 1000, 5000].map(|us| pacing.time_until_next(at(us)));
        assert_eq!(waits, [1000, 600, 0, 0].map(Span::from_micros));
    }

    // Linux paces at twice the window per round trip while the window is below half of ssthresh, in integer
    // segments, and at 1.2 windows per round trip above (tcp_update_pacing_rate()). A burst has the bytes
    // that this rate permits in 1/1024 s (tcp_tso_autosize()).
    #[test]
    fn the_linux_pacing_rate_is_twice_the_window_in_slow_start() {
        let srtt = Some(Span::from_millis(100));
        let s = SenderState { srtt, ..SenderState::new(&Preset::Linux.config(1000)) };
        for (cwnd, ssthresh, bps, quantum) in
            [(9.0, 21.0, 1_440_000, 2), (10.0, 21.0, 960_000, 2), (300.0, f64::INFINITY, 48_000_000, 5)]
        {
            let rate = pacing_from_window(&Window { cwnd, ssthresh }, &s);
            assert_eq!(rate, Some((Rate::from_bps(bps), quantum)), "{cwnd} of {ssthresh}");
        }
    }
}
