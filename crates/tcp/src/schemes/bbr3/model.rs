use crate::estimators::{RateSample, RoundCounter, WindowedMax};

/// BBR.MaxBwFilterLen (§2.11): number of earlier probing cycles that the filter covers.
const MAX_BW_FILTER_CYCLES: u64 = 1;

/// Path model: delivery rate in bytes per second, and bounds of the data in flight in bytes (§5.5).
#[derive(Debug)]
pub struct PathModel {
    /// Packet-timed round trips.
    pub rounds: RoundCounter,
    /// Round trips for counting losses. The first loss starts a round.
    loss_rounds: RoundCounter,
    /// BBR.max_bw: maximum over probing cycles.
    max_bw: WindowedMax,
    cycle: u64,
    /// Bounds that losses have set.
    pub bounds: PathBounds,
    /// BBR.bw_latest and BBR.inflight_latest: maxima of the present round trip.
    bw_latest: f64,
    inflight_latest: f64,
    /// BBR.is_loss_in_round.
    is_loss_in_round: bool,
}

/// Upper bounds of rate and flight, set where the path lost packets. Infinite before a loss.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PathBounds {
    /// BBR.bw_shortterm, in bytes per second.
    pub bw_shortterm: f64,
    /// BBR.inflight_shortterm, in bytes.
    pub inflight_shortterm: f64,
    /// BBR.inflight_longterm, in bytes.
    pub inflight_longterm: f64,
}

/// Rounds that begin with this ACK.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RoundStarts {
    /// True if a packet-timed round begins.
    pub round_starts: bool,
    /// True if a round for counting losses begins.
    pub loss_round_starts: bool,
}

impl PathBounds {
    /// Infinite bounds.
    pub const INFINITE: PathBounds = PathBounds {
        bw_shortterm: f64::INFINITY,
        inflight_shortterm: f64::INFINITY,
        inflight_longterm: f64::INFINITY,
    };

    /// Returns the larger value of `self` and `other` for each bound.
    pub fn at_least(self, other: PathBounds) -> Self {
        PathBounds {
            bw_shortterm: self.bw_shortterm.max(other.bw_shortterm),
            inflight_shortterm: self.inflight_shortterm.max(other.inflight_shortterm),
            inflight_longterm: self.inflight_longterm.max(other.inflight_longterm),
        }
    }
}

impl PathModel {
    /// Creates a model without samples.
    pub fn new() -> Self {
        PathModel {
            rounds: RoundCounter::default(),
            loss_rounds: RoundCounter::default(),
            max_bw: WindowedMax::new(MAX_BW_FILTER_CYCLES),
            cycle: 0,
            bounds: PathBounds::INFINITE,
            bw_latest: 0.0,
            inflight_latest: 0.0,
            is_loss_in_round: false,
        }
    }

    /// Returns BBR.max_bw.
    pub fn max_bw(&self) -> f64 {
        self.max_bw.current_max()
    }

    /// Returns BBR.bw (BoundBWForModel, §5.5.10.3).
    pub fn bw(&self) -> f64 {
        self.max_bw().min(self.bounds.bw_shortterm)
    }

    /// Returns the maximum number of bytes delivered within a round trip, in the present loss round.
    pub fn inflight_latest(&self) -> f64 {
        self.inflight_latest
    }

    /// Adds a rate sample (UpdateLatestDeliverySignals, §5.5.10.3; UpdateMaxBw, §5.5.5). `total` is the
    /// number of bytes delivered so far.
    pub fn on_sample(&mut self, sample: &RateSample, total: u64) -> RoundStarts {
        self.bw_latest = self.bw_latest.max(sample.bytes_per_second());
        self.inflight_latest = self.inflight_latest.max(sample.delivered_bytes as f64);
        let loss_round = self.loss_rounds.on_arrival(sample.prior_delivered_bytes, total);
        let round = self.rounds.on_arrival(sample.prior_delivered_bytes, total);
        if sample.bytes_per_second() >= self.max_bw() || !sample.is_app_limited {
            self.max_bw.update(self.cycle, sample.bytes_per_second());
        }
        RoundStarts { round_starts: round, loss_round_starts: loss_round }
    }

    /// Ends a loss round (AdaptLowerBoundsFromCongestion, §5.5.10.3). Has no effect while the sender is
    /// probing.
    pub fn on_loss_round(&mut self, is_probing: bool, cwnd: f64, beta: f64) {
        if std::mem::take(&mut self.is_loss_in_round) && !is_probing {
            let cut = |bound: f64, first: f64, latest: f64| {
                let bound = if bound.is_infinite() { first } else { bound };
                latest.max(beta * bound)
            };
            let b = &mut self.bounds;
            b.bw_shortterm = cut(b.bw_shortterm, self.max_bw.current_max(), self.bw_latest);
            b.inflight_shortterm = cut(b.inflight_shortterm, cwnd, self.inflight_latest);
        }
    }

    /// Begins the next loss round with this sample (AdvanceLatestDeliverySignals, §5.5.10.3).
    pub fn restart_latest(&mut self, sample: &RateSample) {
        (self.bw_latest, self.inflight_latest) = (sample.bytes_per_second(), sample.delivered_bytes as f64);
    }

    /// Counts a loss (NoteLoss, §5.5.10.2). The first loss begins a loss round. `total` is the number of
    /// bytes delivered so far.
    pub fn note_loss(&mut self, total: u64) {
        if !std::mem::replace(&mut self.is_loss_in_round, true) {
            self.loss_rounds.restart(total);
        }
    }

    /// Cancels the losses of the present round, because they were spurious.
    pub fn cancel_round_losses(&mut self) {
        self.is_loss_in_round = false;
    }

    /// Resets the congestion signals (ResetCongestionSignals, §5.5.10.3).
    pub fn reset_signals(&mut self) {
        self.is_loss_in_round = false;
        (self.bw_latest, self.inflight_latest) = (0.0, 0.0);
    }

    /// Removes the short-term bounds (ResetShortTermModel, §5.5.10.3).
    pub fn reset_short_term(&mut self) {
        self.bounds = PathBounds { inflight_longterm: self.bounds.inflight_longterm, ..PathBounds::INFINITE };
    }

    /// Advances the filter of the maximum rate to the next cycle (AdvanceMaxBwFilter, §5.5.6).
    pub fn next_cycle(&mut self) {
        self.cycle += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn sample(kilobytes: u64, prior: u64, limited: bool) -> RateSample {
        let interval = Span::from_millis(1000);
        RateSample { delivered_bytes: kilobytes * 1000, interval, prior_delivered_bytes: prior, is_app_limited: limited, tx_in_flight: 0, lost_bytes: 0 }
    }

    // §5.5.10.3: the first loss outside probing sets the short-term bounds to max_bw and the window. Each
    // round trip with a loss reduces them to 0.7 of their value, or to the delivery of the round trip if that
    // is larger. Computed by hand: max_bw is 1000 kB/s, the window 200 kB. 800 kB/s and 800 kB delivered
    // exceed 700 and 140; then 500 is below 0.7 · 800 = 560.
    #[test]
    fn losses_set_and_reduce_the_short_term_bounds() {
        let mut m = PathModel::new();
        m.on_sample(&sample(1000, 0, false), 1_000_000);
        m.reset_signals();
        m.on_sample(&sample(800, 1_000_000, false), 2_000_000);
        m.on_loss_round(false, 200e3, 0.7);
        assert_eq!(m.bounds, PathBounds::INFINITE, "no loss");
        m.note_loss(2_000_000);
        m.on_loss_round(true, 200e3, 0.7);
        assert_eq!(m.bounds, PathBounds::INFINITE, "it was probing");
        m.note_loss(2_000_000);
        m.on_loss_round(false, 200e3, 0.7);
        assert_eq!((m.bounds.bw_shortterm, m.bounds.inflight_shortterm), (800e3, 800e3));
        assert_eq!((m.bw(), m.max_bw()), (800e3, 1000e3));
        m.restart_latest(&sample(500, 0, false));
        m.note_loss(3_000_000);
        m.on_loss_round(false, 200e3, 0.7);
        assert!((m.bw() - 560e3).abs() < 1e-6);
        m.reset_short_term();
        assert_eq!(m.bounds, PathBounds::INFINITE);
    }

    // NoteLoss: a loss round starts with its first loss; later losses do not change its start.
    #[test]
    fn the_first_loss_begins_a_loss_round() {
        let mut m = PathModel::new();
        assert_eq!(m.on_sample(&sample(1, 0, false), 5_000), RoundStarts { round_starts: true, loss_round_starts: true });
        m.note_loss(7_000);
        m.note_loss(8_000);
        assert_eq!(m.on_sample(&sample(1, 6_999, false), 9_000), RoundStarts { round_starts: true, loss_round_starts: false });
        assert_eq!(m.on_sample(&sample(1, 7_000, false), 9_500), RoundStarts { round_starts: false, loss_round_starts: true });
    }

    // §5.5.4, §5.5.6: max_bw is the maximum of the present and the previous cycle. Application-limited
    // samples count only if they exceed the maximum.
    #[test]
    fn max_bw_covers_the_present_and_previous_cycle() {
        let mut m = PathModel::new();
        let mut after = |kb, limited, next| {
            m.on_sample(&sample(kb, 0, limited), 0);
            if next {
                m.next_cycle();
            }
            m.max_bw() / 1e3
        };
        assert_eq!(after(900, true, true), 900.0);
        assert_eq!(after(500, false, false), 900.0);
        assert_eq!(after(700, true, true), 900.0, "limited");
        assert_eq!(after(400, false, false), 500.0, "the cycle of 900 has ended");
    }
}
