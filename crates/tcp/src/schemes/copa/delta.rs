use airhop_base::{Span, Time};

/// Number of round trips within which the queue becomes nearly empty if all flows are Copa flows (§3).
const QUEUE_EMPTY_ROUND_TRIPS: u64 = 5;

/// Parameter delta and the mode of §2.2. Delta sets the flow's share of the queue.
#[derive(Debug)]
pub struct CopaDelta {
    /// Delta of the default mode. Also the maximum of delta in competitive mode.
    default: f64,
    may_compete: bool,
    /// Time of the last nearly empty queue; `None` before the first sample and after an idle period.
    empty: Option<Time>,
    mode: Mode,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Mode {
    Default,
    /// Competitive mode: flows of other schemes fill the queue.
    Competitive {
        /// 1/delta, in segments.
        segments: f64,
        /// True if a segment was lost in this round trip.
        lost: bool,
    },
}

impl CopaDelta {
    /// Creates the state in default mode. `may_compete` enables competitive mode.
    pub fn new(default: f64, may_compete: bool) -> Self {
        CopaDelta { default, may_compete, empty: None, mode: Mode::Default }
    }

    /// Returns delta.
    pub fn get(&self) -> f64 {
        match self.mode {
            Mode::Default => self.default,
            Mode::Competitive { segments, .. } => 1.0 / segments,
        }
    }

    /// True in competitive mode. Losses then increase delta.
    pub fn is_competitive(&self) -> bool {
        self.mode != Mode::Default
    }

    /// Updates the mode with the state of the queue at an ACK. `srtt` is the present smoothed RTT.
    /// Competitive mode begins only at a velocity of 1. At a higher velocity, the flow itself causes the
    /// queue.
    pub fn update_mode(&mut self, now: Time, is_nearly_empty: bool, is_steady: bool, srtt: Span) {
        if is_nearly_empty || (!is_steady && !self.is_competitive()) {
            self.empty = Some(now);
        }
        let empty = *self.empty.get_or_insert(now);
        let is_filled = self.may_compete && now.since(empty) > srtt * QUEUE_EMPTY_ROUND_TRIPS;
        if !is_filled {
            self.mode = Mode::Default;
        } else if self.mode == Mode::Default {
            self.mode = Mode::Competitive { segments: 1.0 / self.default, lost: false };
        }
    }

    /// Handles the end of an idle period. The state of the queue is unknown after an idle period.
    pub fn on_restart(&mut self) {
        self.empty = None;
    }

    /// Handles the end of a round trip. 1/delta grows by one segment after a round trip without loss.
    pub fn on_round(&mut self) {
        if let Mode::Competitive { segments, lost } = &mut self.mode
            && !std::mem::take(lost)
        {
            *segments += 1.0;
        }
    }

    /// Handles a loss: halves 1/delta.
    pub fn on_loss(&mut self) {
        if let Mode::Competitive { segments, lost } = &mut self.mode {
            (*segments, *lost) = ((*segments / 2.0).max(1.0 / self.default), true);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RTT: Span = Span::from_millis(100);

    fn see(delta: &mut CopaDelta, ms: u64, is_nearly_empty: bool) {
        delta.update_mode(Time::ZERO + Span::from_millis(ms), is_nearly_empty, true, RTT);
    }

    /// Returns a sender that has seen no empty queue for more than five round trips.
    fn competing() -> CopaDelta {
        let mut delta = CopaDelta::new(0.5, true);
        see(&mut delta, 0, true);
        see(&mut delta, 501, false);
        delta
    }

    // §2.2: "if the sender sees a nearly empty queue in the last 5 RTTs, it remains in the default mode; otherwise, it switches to
    // competitive mode"; "when Copa switches from competitive mode to default mode, it resets δ to 0.5".
    #[test]
    fn the_copa_mode_follows_the_last_five_round_trips() {
        let mut delta = CopaDelta::new(0.5, true);
        see(&mut delta, 0, true);
        see(&mut delta, 500, false);
        assert!(!delta.is_competitive());
        see(&mut delta, 501, false);
        assert!(delta.is_competitive());
        delta.on_round();
        assert_eq!(delta.get(), 1.0 / 3.0);
        see(&mut delta, 510, true);
        assert_eq!((delta.is_competitive(), delta.get()), (false, 0.5));
        see(&mut delta, 1010, false);
        assert!(!delta.is_competitive());
        see(&mut delta, 1011, false);
        assert_eq!((delta.is_competitive(), delta.get()), (true, 0.5));
    }

    // §2.2: additive increase, multiplicative decrease of 1/δ, and "in competitive mode, δ ≤ 0.5".
    #[test]
    fn one_over_delta_changes_as_the_reno_window() {
        let mut delta = competing();
        (0..6).for_each(|_| delta.on_round());
        assert_eq!(delta.get(), 1.0 / 8.0);
        delta.on_loss();
        assert_eq!(delta.get(), 1.0 / 4.0);
        delta.on_round(); // the round trip of the loss
        assert_eq!(delta.get(), 1.0 / 4.0);
        delta.on_round();
        assert_eq!(delta.get(), 1.0 / 5.0);
        (0..5).for_each(|_| delta.on_loss());
        assert_eq!(delta.get(), 0.5);
    }

    #[test]
    fn losses_do_not_change_delta_in_the_default_mode() {
        let mut delta = CopaDelta::new(0.5, true);
        delta.on_loss();
        delta.on_round();
        assert_eq!(delta.get(), 0.5);
    }

    #[test]
    fn competitive_mode_can_be_disabled() {
        let mut delta = CopaDelta::new(0.5, false);
        see(&mut delta, 0, true);
        see(&mut delta, 60_000, false);
        assert!(!delta.is_competitive());
    }

    // §3: the queue empties every five round trips only in steady state. In competitive mode, an empty queue
    // is sufficient to end the mode.
    #[test]
    fn a_queue_of_the_flow_itself_keeps_the_default_mode() {
        let see = |delta: &mut CopaDelta, ms| delta.update_mode(Time::ZERO + Span::from_millis(ms), false, false, RTT);
        let mut delta = CopaDelta::new(0.5, true);
        [0, 400, 800, 1200].into_iter().for_each(|ms| see(&mut delta, ms));
        assert!(!delta.is_competitive());
        let mut delta = competing();
        see(&mut delta, 510);
        assert!(delta.is_competitive());
    }

    // After an idle period of ten seconds, the five round trips are counted from the end of this period.
    #[test]
    fn an_idle_period_restarts_the_five_round_trips() {
        let mut delta = CopaDelta::new(0.5, true);
        see(&mut delta, 0, true);
        delta.on_restart();
        see(&mut delta, 10_000, false);
        see(&mut delta, 10_500, false);
        assert!(!delta.is_competitive());
        see(&mut delta, 10_501, false);
        assert!(delta.is_competitive());
    }
}
