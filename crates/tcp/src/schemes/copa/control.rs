use super::delta::CopaDelta;
use super::overload::OverloadDetector;
use super::trips::{RttStatistics, StandingEstimate};
use super::velocity::Velocity;
use crate::config::CwndValidation;
use crate::estimators::RoundCounter;
use crate::seams::{Ack, CongestionControl, Delivery, LossClass, Loss, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::{Rate, Time};

/// Minimum window in segments (the authors' sender).
const MIN_CWND_SEGMENTS: f64 = 2.0;
/// Fraction of the window that remains after excessive loss (the authors' sender).
const OVERLOAD_WINDOW_FACTOR: f64 = 0.7;
/// Pacing rate as a multiple of cwnd/RTTstanding. The multiple is large enough for pacing not to slow the
/// sender (§2.1).
const PACING_GAIN: f64 = 2.0;

/// Copa. Section numbers refer to Arun and Balakrishnan 2018.
#[derive(Debug)]
pub struct Copa {
    trips: RttStatistics,
    standing: Option<StandingEstimate>,
    delta: CopaDelta,
    overload: OverloadDetector,
    /// Velocity; `None` in slow start.
    velocity: Option<Velocity>,
    rounds: RoundCounter,
}

impl Copa {
    /// Creates the congestion control in default mode with this delta. `may_compete` enables competitive
    /// mode.
    pub fn new(delta: f64, may_compete: bool) -> Self {
        Copa {
            trips: RttStatistics::new(),
            standing: None,
            delta: CopaDelta::new(delta, may_compete),
            overload: OverloadDetector::default(),
            velocity: None,
            rounds: RoundCounter::default(),
        }
    }

    /// Updates the path measurements with an ACK. Returns true on excessive loss.
    fn measure(&mut self, cwnd: f64, d: &Delivery, segments: f64, lost: f64) -> bool {
        if let Some(rtt) = d.arrivals.rtt {
            self.trips.update(d.now, rtt);
            self.standing = self.trips.standing_estimate();
        }
        let (Some(standing), Some(srtt)) = (&self.standing, self.trips.smoothed()) else { return false };
        let is_steady = self.velocity.is_some_and(|velocity| velocity.is_at_minimum());
        self.delta.update_mode(d.now, standing.is_nearly_empty(cwnd), is_steady, srtt);
        self.overload.on_delivery(d.now, segments, lost, srtt)
    }

    /// True if λ = cwnd/RTTstanding ≤ λ_t = 1/(δ d_q) (§2.1 step 3). Equality means 1/δ queued segments, and
    /// counts as below the target.
    fn is_below_target(&self, cwnd: f64, standing: &StandingEstimate) -> bool {
        standing.own_queued_segments(cwnd) * self.delta.get() <= 1.0
    }
}

/// True if the flight uses at least half of the window, so that the window may grow. A paced flight fills the
/// window only at the end of a round trip.
fn may_grow(w: &Window, s: &SenderState) -> bool {
    s.validation == CwndValidation::Never || s.window_usage.permits_growth(CwndValidation::Half, w)
}

impl CongestionControl for Copa {
    /// No effect: [`Copa::on_delivery_report`] processes ACKs.
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        let is_competitive = self.delta.is_competitive();
        self.delta.on_loss();
        if l.signal == CongestionSignal::Timeout {
            self.velocity = None;
            *w = Window { cwnd: 1.0, ssthresh: f64::INFINITY };
        }
        if is_competitive { LossClass::Congestion } else { LossClass::Undecided }
    }

    /// Restores the window. Only a timeout can have reduced the window.
    fn on_spurious_reduction(&mut self, w: &mut Window, before: &Window, _: &SenderState) {
        if w.in_slow_start() {
            *w = Window { cwnd: w.cwnd.max(before.cwnd), ..*before };
        }
    }

    fn on_delivery_report(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        let [segments, lost] = [d.arrivals.newly_delivered_bytes, d.lost_bytes].map(|bytes| bytes as f64 / s.mss as f64);
        let is_overloaded = self.measure(w.cwnd, d, segments, lost);
        let total = d.arrivals.total_delivered_bytes;
        if d.arrivals.rate.is_some_and(|sample| self.rounds.on_arrival(sample.prior_delivered_bytes, total)) {
            self.delta.on_round();
            if let Some(velocity) = &mut self.velocity {
                velocity.on_round(w.cwnd);
            }
        }
        let Some(standing) = self.standing else { return };
        let is_below = self.is_below_target(w.cwnd, &standing);
        if is_overloaded {
            w.cwnd *= OVERLOAD_WINDOW_FACTOR;
        } else if is_below && !may_grow(w, s) {
            return;
        } else if w.in_slow_start() && is_below {
            w.cwnd += segments; // "cwnd doubles once per RTT until λ exceeds λ_t"
            return;
        }
        w.ssthresh = MIN_CWND_SEGMENTS;
        let delta = self.delta.get();
        let v = self.velocity.get_or_insert(Velocity::new(w.cwnd)).limit_velocity(w.cwnd, delta);
        let step = segments * v / (delta * w.cwnd);
        w.cwnd = (w.cwnd + if is_below { step } else { -step }).max(MIN_CWND_SEGMENTS);
    }

    fn on_restart(&mut self, _: &mut Window, _: Time) {
        self.delta.on_restart();
    }

    /// Returns the pacing rate; `None` during the unpaced initial window.
    fn pacing_rate(&self, w: &Window, s: &SenderState) -> Option<Rate> {
        let rtt = self.standing?.rtt.secs_f64();
        let bps = PACING_GAIN * w.cwnd * (s.mss * 8) as f64 / rtt;
        Some(Rate::from_bps_f64(bps))
    }
}
