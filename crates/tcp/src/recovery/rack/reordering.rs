use crate::scoreboard::OutstandingSegment;
use crate::sender_state::SenderState;
use airhop_base::Span;

/// Number of recoveries without a D-SACK that reset the reordering window (RFC 8985 §6.2 step 4).
const REO_WND_PERSIST: u32 = 16;

/// RACK's reordering window (RFC 8985 §6.2 steps 3 and 4). After a later segment has arrived, RACK waits this
/// long for an earlier one.
#[derive(Clone, Copy, Debug)]
pub(super) struct ReorderingWindow {
    /// RACK.reordering_seen.
    seen: bool,
    /// RACK.fack: end of the arrived segment with the highest sequence number.
    foremost: u64,
    /// RACK.reo_wnd_mult.
    multiplier: u32,
    /// RACK.reo_wnd_persist.
    patience: u32,
    /// RACK.dsack_round. D-SACKs of data below this byte belong to a round that was already counted; `None`
    /// if no round was counted.
    round_end: Option<u64>,
}

impl Default for ReorderingWindow {
    fn default() -> Self {
        ReorderingWindow {
            seen: false,
            foremost: 0,
            multiplier: 1,
            patience: REO_WND_PERSIST,
            round_end: None,
        }
    }
}

impl ReorderingWindow {
    /// Processes an arrival (step 3). A segment sent once was reordered if a segment with a higher sequence
    /// number arrived before.
    pub fn on_arrival(&mut self, e: &OutstandingSegment) {
        if e.end > self.foremost {
            self.foremost = e.end;
        } else if e.end < self.foremost && !e.retransmitted {
            self.seen = true;
        }
    }

    /// Returns RACK.reordering_seen.
    pub fn is_reordering_seen(&self) -> bool {
        self.seen
    }

    /// Processes an ACK (step 4). A D-SACK (`duplicate`) widens the window, once per round.
    pub fn on_ack(&mut self, s: &SenderState, duplicate: bool) {
        self.round_end = self.round_end.filter(|&end| s.una < end);
        if duplicate && self.round_end.is_none() {
            self.round_end = Some(s.nxt);
            self.multiplier = self.multiplier.saturating_add(1);
            self.patience = REO_WND_PERSIST;
        }
    }

    /// Processes the end of a recovery (step 4).
    pub fn on_recovered(&mut self) {
        self.patience = self.patience.saturating_sub(1);
        if self.patience == 0 {
            self.multiplier = 1;
        }
    }

    /// Returns the reordering window (step 4). `is_urgent` is true during a recovery, or once DupThresh
    /// segments are SACKed. The window is then zero unless reordering was detected.
    pub fn window(&self, is_urgent: bool, least_rtt: Option<Span>, srtt: Option<Span>) -> Span {
        if is_urgent && !self.seen {
            return Span::ZERO;
        }
        let window = least_rtt.map_or(Span::ZERO, |least| least / 4 * u64::from(self.multiplier));
        srtt.map_or(window, |srtt| window.min(srtt))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    // RFC 8985 §6.2 step 4: RACK.reo_wnd_mult grows once per round with a D-SACK, and returns to 1 after 16
    // recoveries without a D-SACK; the window does not exceed SRTT.
    #[test]
    fn the_rack_reordering_window_grows_and_shrinks() {
        let ms = Span::from_millis;
        let mut s = SenderState::new(&Preset::Rfc.config(1000));
        let mut r = ReorderingWindow::default();
        let window = |r: &ReorderingWindow| r.window(false, Some(ms(100)), Some(ms(120)));
        assert_eq!(window(&r), ms(25));
        (s.una, s.nxt) = (1, 10_001);
        r.on_ack(&s, true);
        r.on_ack(&s, true); // the same round
        assert_eq!(window(&r), ms(50));
        for round in 1..5 {
            (s.una, s.nxt) = (round * 10_000 + 1, (round + 1) * 10_000 + 1);
            r.on_ack(&s, true);
        }
        assert_eq!(window(&r), ms(120));
        (0..15).for_each(|_| r.on_recovered());
        assert_eq!(window(&r), ms(120));
        r.on_recovered();
        assert_eq!(window(&r), ms(25));
    }
}
