use super::MIN_CWND;
use super::delays::DelayFilters;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};

/// Minimum of GAIN, as a fraction of Reno's gain (§4.2).
const MIN_GAIN: f64 = 1.0 / 16.0;
/// Queueing delay that ends the first slow start, as a fraction of the target (§4.1). Later slow starts end
/// above the target.
const SLOW_START_EXIT_FRACTION: f64 = 0.75;
/// Duration in round trips of a slowdown, and of the period between first slow start and first slowdown
/// (§4.4).
const SLOWDOWN_ROUND_TRIPS: u64 = 2;
/// Interval between slowdowns, as a multiple of the last slowdown's duration. Slowdowns thus last at most a
/// tenth of the time (§4.4).
const SLOWDOWN_INTERVAL_FACTOR: u64 = 9;

/// LEDBAT++. Section numbers refer to draft-irtf-iccrg-ledbat-plus-plus-01.
#[derive(Debug)]
pub struct LedbatPlusPlus {
    target: Span,
    /// Delays from RTT samples. Airhop's TCP does not read the receiver's clock.
    delays: DelayFilters,
    phase: Phase,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Phase {
    /// First slow start.
    Start,
    /// Congestion avoidance, until the next slowdown.
    Cruise { until: Time },
    /// Slowdown. A window of two segments drains the queues.
    Stand { began: Time, until: Time },
    /// End of a slowdown. The sender slow-starts to the window before the slowdown.
    Return { began: Time },
}

impl LedbatPlusPlus {
    /// Creates the congestion control with the delay target `target`.
    pub fn new(target: Span) -> Self {
        LedbatPlusPlus { target, delays: DelayFilters::new(), phase: Phase::Start }
    }

    /// Returns GAIN = 1 / min(16, ceil(2 TARGET / base)) (§4.2).
    fn gain(&self, base: Span) -> f64 {
        (1.0 / (2.0 * self.target.secs_f64() / base.secs_f64()).ceil()).max(MIN_GAIN)
    }

    /// Returns the change of the window per round trip in segments (§4.3). Up to the target, the change is
    /// GAIN; above the target, max(GAIN - W (delay/target - 1), -W/2).
    fn window_change_per_round(&self, cwnd: f64, base: Span, queueing: Span) -> f64 {
        let excess = queueing.secs_f64() / self.target.secs_f64() - 1.0;
        (self.gain(base) - cwnd * excess.max(0.0)).max(-cwnd / 2.0)
    }

    /// Advances to the next phase if the present phase has ended.
    fn advance(&mut self, w: &mut Window, now: Time, rtt: Span, queueing: Span) {
        let cruise = |for_so_long| Phase::Cruise { until: now + for_so_long };
        let exit = if self.phase == Phase::Start { SLOW_START_EXIT_FRACTION } else { 1.0 };
        let stands = matches!(self.phase, Phase::Stand { .. });
        if w.in_slow_start() && !stands && queueing.secs_f64() > exit * self.target.secs_f64() {
            w.ssthresh = w.cwnd;
        }
        match self.phase {
            Phase::Start if !w.in_slow_start() => self.phase = cruise(rtt * SLOWDOWN_ROUND_TRIPS),
            Phase::Cruise { until } if now >= until => {
                *w = Window { cwnd: MIN_CWND, ssthresh: w.cwnd.max(MIN_CWND) };
                self.phase = Phase::Stand { began: now, until: now + rtt * SLOWDOWN_ROUND_TRIPS };
            }
            Phase::Stand { began, until } if now >= until => self.phase = Phase::Return { began },
            Phase::Return { began } if !w.in_slow_start() => self.phase = cruise((now - began) * SLOWDOWN_INTERVAL_FACTOR),
            _ => {}
        }
    }
}

impl CongestionControl for LedbatPlusPlus {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let (Some(base), Some(rtt)) = (self.delays.base_delay(), self.delays.current_delay()) else { return };
        let queueing = rtt.saturating_sub(base);
        self.advance(w, a.now, rtt, queueing);
        let segments = a.delivered_bytes as f64 / s.mss as f64;
        w.cwnd = match self.phase {
            Phase::Stand { .. } => MIN_CWND,
            _ if w.in_slow_start() => (w.cwnd + self.gain(base) * segments).min(w.ssthresh),
            _ => w.cwnd + self.window_change_per_round(w.cwnd, base, queueing) * segments / w.cwnd,
        }
        .max(MIN_CWND);
    }

    /// Reduces the window as in RFC 5681. A loss in a slowdown reduces the window that follows the slowdown.
    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        let window = if matches!(self.phase, Phase::Stand { .. }) { w.ssthresh } else { w.cwnd };
        w.ssthresh = (window / 2.0).max(MIN_CWND);
        w.cwnd = if l.signal == CongestionSignal::Timeout { 1.0 } else { w.cwnd.min(w.ssthresh) };
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        if let Some(rtt) = a.newest_rtt {
            self.delays.add_delay_sample(a.now, rtt);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const TARGET: Span = Span::from_millis(60);
    const RTT: Span = Span::from_millis(20);

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // §4.2: the window grows like Reno's at RTTs from 120 ms on, and a sixteenth as fast below 7.5 ms.
    #[test]
    fn the_ledbat_plus_plus_gain_grows_with_the_rtt() {
        let gain = |us| 1.0 / LedbatPlusPlus::new(TARGET).gain(Span::from_micros(us));
        assert_eq!([1, 7_400, 7_500, 8_000, 20_000].map(gain), [16.0, 16.0, 16.0, 15.0, 6.0]);
        assert_eq!([60_000, 119_000, 120_000, 600_000].map(gain), [2.0, 2.0, 1.0, 1.0]);
    }

    // §4.3: 66 ms exceed the target by a tenth, so a window of 100 decreases by ten. At 600 ms, ten times the
    // target, the window is halved.
    #[test]
    fn the_decrease_is_proportional_to_the_window() {
        let change = |ms| LedbatPlusPlus::new(TARGET).window_change_per_round(100.0, RTT, Span::from_millis(ms));
        let expected = [(0, 1.0 / 6.0), (59, 1.0 / 6.0), (60, 1.0 / 6.0), (66, 1.0 / 6.0 - 10.0), (600, -50.0)];
        for (ms, segments) in expected {
            assert!((change(ms) - segments).abs() < 1e-9, "{ms} ms: {}", change(ms));
        }
    }

    // §4.1: the first slow start ends above 45 ms of queueing delay. §4.4: two round trips later the window
    // is two segments, for two round trips. Slow start up to the previous window follows. The next slowdown
    // starts after nine times the duration of this slowdown.
    #[test]
    fn a_slowdown_lasts_for_a_tenth_of_the_time() {
        let mut sender = LedbatPlusPlus::new(TARGET);
        let mut w = Window { cwnd: 40.0, ssthresh: f64::INFINITY };
        let mut step = |w: &mut Window, now, queue| {
            sender.advance(w, at(now), RTT, Span::from_millis(queue));
            sender.phase
        };
        assert_eq!(step(&mut w, 1000, 45), Phase::Start);
        assert_eq!(step(&mut w, 1010, 46), Phase::Cruise { until: at(1050) });
        assert_eq!(w.ssthresh, 40.0);
        w.cwnd = 41.0;
        assert_eq!(step(&mut w, 1049, 46), Phase::Cruise { until: at(1050) });
        assert_eq!(step(&mut w, 1050, 46), Phase::Stand { began: at(1050), until: at(1090) });
        assert_eq!((w.cwnd, w.ssthresh), (2.0, 41.0));
        assert_eq!(step(&mut w, 1070, 99), Phase::Stand { began: at(1050), until: at(1090) });
        assert_eq!((w.cwnd, w.ssthresh), (2.0, 41.0), "the earlier queue");
        assert_eq!(step(&mut w, 1089, 0), Phase::Stand { began: at(1050), until: at(1090) });
        assert_eq!(step(&mut w, 1090, 0), Phase::Return { began: at(1050) });
        w.cwnd = 40.0;
        assert_eq!(step(&mut w, 1140, 50), Phase::Return { began: at(1050) });
        w.cwnd = 41.0;
        assert_eq!(step(&mut w, 1150, 0), Phase::Cruise { until: at(1150 + 900) });
    }

    // Slow start ends when another flow builds a queue above the target.
    #[test]
    fn slow_start_after_a_slowdown_ends_at_the_target() {
        let mut sender = LedbatPlusPlus { phase: Phase::Return { began: at(0) }, ..LedbatPlusPlus::new(TARGET) };
        let mut w = Window { cwnd: 9.0, ssthresh: 40.0 };
        sender.advance(&mut w, at(100), RTT, Span::from_millis(60));
        assert!(w.in_slow_start());
        sender.advance(&mut w, at(100), RTT, Span::from_millis(61));
        assert_eq!((w.ssthresh, sender.phase), (9.0, Phase::Cruise { until: at(1000) }));
    }

    // A loss during a slowdown reduces the window to which the sender returns; the slowdown continues.
    #[test]
    fn a_loss_in_a_slowdown_halves_the_window_after_it() {
        let config = crate::Preset::Ns2.config(1000);
        let phase = Phase::Stand { began: at(0), until: at(40) };
        let mut sender = LedbatPlusPlus { phase, ..LedbatPlusPlus::new(TARGET) };
        let mut w = Window { cwnd: 2.0, ssthresh: 40.0 };
        let loss =
            Loss { now: at(10), signal: CongestionSignal::Duplicates, halving_base: Some(2.0), halved_base: 2.0, halved_cwnd: 2.0 };
        sender.on_loss(&mut w, &loss, &SenderState::new(&config));
        assert_eq!((w.cwnd, w.ssthresh), (2.0, 20.0));
    }
}
