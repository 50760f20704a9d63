//! Cycle of bandwidth probing (draft-ietf-ccwg-bbr-06 §5.3.3).

use super::control::Bbr3;
use super::state::{ProbeBwPhase, Bbr3State};
use crate::estimators::RateSample;
use crate::seams::{Delivery, Window};
use airhop_base::{Span, Time};

/// Maximum number of round trips between probes. Probes are as frequent as Reno's losses at the same window.
/// This upper bound makes 1 % loss tolerable (§5.3.3.8.2).
const MAX_PROBE_ROUNDS: f64 = 63.0;
/// Maximum number of doublings of the increment of inflight_longterm (§5.3.3.9).
const MAX_SLOPE_DOUBLINGS: u32 = 30;

/// Progress of the present probe, and result of the last probe (§2.14).
#[derive(Debug)]
pub struct BwProbe {
    /// BBR.is_bw_probe_sample: true if segments sent during the probe are being acknowledged or lost.
    pub is_bw_probe_sample: bool,
    /// True in the round trip after a probe (BBR.ack_phase is ACKS_PROBE_STOPPING). Other values of
    /// BBR.ack_phase have no effect.
    pub is_stopping: bool,
    /// BBR.prev_probe_too_high.
    pub prev_probe_too_high: bool,
    /// BBR.prev_probe_precautionary.
    is_precautionary: bool,
    /// BBR.rounds_since_probe_up.
    pub rounds_since_up: u64,
    /// BBR.cycle_stamp and BBR.bw_probe_wait.
    began: Time,
    wait: Span,
    /// BBR.bw_probe_up_rounds, and in bytes bw_probe_up_acked and probe_up_acked_per_inc.
    up_rounds: u32,
    up_acked: f64,
    acked_per_inc: f64,
}

impl Default for BwProbe {
    fn default() -> Self {
        BwProbe {
            is_bw_probe_sample: false,
            is_stopping: false,
            prev_probe_too_high: false,
            is_precautionary: false,
            rounds_since_up: 0,
            began: Time::ZERO,
            wait: Span::ZERO,
            up_rounds: 0,
            up_acked: 0.0,
            acked_per_inc: f64::INFINITY,
        }
    }
}

impl Bbr3 {
    /// Advances the phase of ProbeBW (UpdateProbeBWCyclePhase, §5.3.3.9). Uses the flight before the ACK, as
    /// in Linux. If a bound limits the window, the flight after the ACK is always below the bound.
    pub(super) fn update_cycle_phase(&mut self, w: &Window, d: &Delivery, sample: &RateSample, round_starts: bool) {
        if !self.full_pipe.full_bw_reached || self.adapt_long_term(w, d, sample, round_starts) {
            return;
        }
        let Bbr3State::ProbeBw(phase) = self.state else { return };
        match phase {
            ProbeBwPhase::Down | ProbeBwPhase::Cruise if self.is_time_to_probe(w, d.now) => self.start_refill(),
            ProbeBwPhase::Down if self.is_time_to_cruise(d.prior_in_flight) => self.state = Bbr3State::ProbeBw(ProbeBwPhase::Cruise),
            ProbeBwPhase::Refill if round_starts => {
                self.probe.is_bw_probe_sample = true;
                self.start_up(w, sample);
            }
            ProbeBwPhase::Up if self.is_time_to_go_down(w, d.prior_in_flight, sample) => {
                self.probe.prev_probe_too_high = false; // no probe yet
                self.start_down(d.now);
            }
            _ => {}
        }
    }

    /// Adapts the long-term bound (AdaptLongTermModel, §5.3.3.9). Returns true if the phase changed.
    fn adapt_long_term(&mut self, w: &Window, d: &Delivery, sample: &RateSample, round_starts: bool) -> bool {
        if self.probe.is_stopping && round_starts {
            self.probe.is_stopping = false;
            self.probe.is_bw_probe_sample = false;
            let is_in_cycle = matches!(self.state, Bbr3State::ProbeBw(_));
            if is_in_cycle && !sample.is_app_limited {
                self.path_model.next_cycle();
            }
            // Precautionary bandwidth probing (§5.3.3.6): the flight of the last probe caused no losses, so
            // the next probe starts at once.
            if is_in_cycle && self.probe.is_precautionary && !self.probe.prev_probe_too_high {
                self.start_refill();
                return true;
            }
        }
        let is_too_high = self.is_inflight_too_high(sample.lost_bytes, sample.tx_in_flight);
        let longterm = &mut self.path_model.bounds.inflight_longterm;
        if is_too_high || longterm.is_infinite() {
            return false;
        }
        *longterm = longterm.max(sample.tx_in_flight as f64);
        if self.state.is_probe_up() {
            self.raise_longterm(w, d.arrivals.newly_delivered_bytes as f64, round_starts);
        }
        false
    }

    /// Raises inflight_longterm while the bound limits the window (ProbeInflightLongtermUpward, §5.3.3.9).
    fn raise_longterm(&mut self, w: &Window, acked: f64, round_starts: bool) {
        if !self.is_limited_by_longterm(w) {
            return;
        }
        let probe = &mut self.probe;
        probe.up_acked += acked;
        if probe.up_acked >= probe.acked_per_inc {
            let times = (probe.up_acked / probe.acked_per_inc).floor();
            probe.up_acked -= times * probe.acked_per_inc;
            self.path_model.bounds.inflight_longterm += times * self.mss;
        }
        if round_starts {
            self.raise_slope(w);
        }
    }

    /// Doubles the increment of inflight_longterm: one segment in the first round trip, two in the second,
    /// four in the third (RaiseInflightLongtermSlope, §5.3.3.9).
    fn raise_slope(&mut self, w: &Window) {
        let segments = f64::from(1 << self.probe.up_rounds);
        self.probe.up_rounds = (self.probe.up_rounds + 1).min(MAX_SLOPE_DOUBLINGS);
        self.probe.acked_per_inc = (w.cwnd * self.mss / segments).max(self.mss);
    }

    /// True if the next probe is due (IsTimeToProbeBW, §5.3.3.8.3).
    fn is_time_to_probe(&self, w: &Window, now: Time) -> bool {
        let reno_rounds = (self.target_inflight(w) / self.mss).min(MAX_PROBE_ROUNDS);
        now > self.probe.began + self.probe.wait || self.probe.rounds_since_up as f64 >= reno_rounds
    }

    /// True if the flight leaves enough headroom for ProbeBW_CRUISE (IsTimeToCruise, §5.3.3.9).
    fn is_time_to_cruise(&self, in_flight: u64) -> bool {
        in_flight as f64 <= self.inflight_with_headroom().min(self.inflight_bytes(self.path_model.max_bw()))
    }

    /// True if ProbeBW_UP must end (IsTimeToGoDown, §5.3.3.9).
    fn is_time_to_go_down(&mut self, w: &Window, in_flight: u64, sample: &RateSample) -> bool {
        // inflight_longterm is not a multiple of the segment size: the flight has reached it if another
        // segment would exceed it.
        let is_reached = in_flight as f64 + self.mss > self.path_model.bounds.inflight_longterm;
        if self.probe.prev_probe_too_high && is_reached {
            self.probe.is_precautionary = true;
            return true;
        }
        if self.is_limited_by_longterm(w) {
            // inflight_longterm limits the rate, so the lack of growth does not show a full pipe
            self.full_pipe.restart(sample.bytes_per_second());
            return false;
        }
        self.full_pipe.full_bw_now
    }

    /// Starts ProbeBW_DOWN (§5.3.3.9) and picks the time of the next probe (PickProbeWait, §5.3.3.8.3).
    pub(super) fn start_down(&mut self, now: Time) {
        self.path_model.reset_signals();
        self.probe.acked_per_inc = f64::INFINITY;
        self.probe.rounds_since_up = self.random.next_below(2) as u64;
        self.probe.wait = self.settings.probe_wait + Span::from_secs_f64(self.random.next_unit_f64());
        self.probe.began = now;
        self.probe.is_stopping = true;
        self.path_model.rounds.restart(self.delivered_bytes);
        self.state = Bbr3State::ProbeBw(ProbeBwPhase::Down);
    }

    /// Starts ProbeBW_REFILL (§5.3.3.9).
    pub(super) fn start_refill(&mut self) {
        self.path_model.reset_short_term();
        self.probe.up_rounds = 0;
        self.probe.up_acked = 0.0;
        self.probe.is_precautionary = false;
        self.probe.is_stopping = false;
        self.path_model.rounds.restart(self.delivered_bytes);
        self.state = Bbr3State::ProbeBw(ProbeBwPhase::Refill);
    }

    /// Starts ProbeBW_UP (§5.3.3.9).
    fn start_up(&mut self, w: &Window, sample: &RateSample) {
        self.probe.is_stopping = false;
        self.path_model.rounds.restart(self.delivered_bytes);
        self.full_pipe.restart(sample.bytes_per_second());
        self.state = Bbr3State::ProbeBw(ProbeBwPhase::Up);
        self.raise_slope(w);
    }
}
