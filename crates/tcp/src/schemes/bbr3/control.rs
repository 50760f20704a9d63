use super::full_pipe::{FullPipe, LostRanges};
use super::model::{RoundStarts, PathBounds, PathModel};
use super::probe::BwProbe;
use super::round_trip::MinRttFilter;
use super::settings::Bbr3Settings;
use super::state::{PROBE_RTT_CWND_GAIN, ProbeBwPhase, STARTUP_GAIN, Bbr3State};
use crate::Config;
use crate::bbr::{BbrRandom, AckExcess, MIN_PIPE_CWND, PACING_MARGIN, PriorCwnd, ProbeRttProgress, INITIAL_RTT, from_bytes_per_second};
use crate::estimators::{LostSegment, RateSample, RoundCounter, WindowedMax};
use crate::seams::{Ack, CongestionControl, Delivery, LossClass, Loss, RepairKind, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::{Rate, Time};

/// BBR.ExtraAckedFilterLen (§2.12).
const EXTRA_ACKED_ROUNDS: u64 = 10;
/// Maximum duration of Drain, in round trips (§5.3.2).
const DRAIN_ROUNDS: u64 = 3;
/// Duration of C.send_quantum at the pacing rate, in seconds. The quantum is at most 64 KiB and at least two
/// segments (§5.6.3).
const QUANTUM_SECONDS: f64 = 1e-3;
const QUANTUM_BYTES: f64 = 65_536.0;
const QUANTUM_SEGMENTS: u64 = 2;
/// Number of send quanta that offloads at the sender and the receiver may delay (§5.5.8.1).
const OFFLOAD_QUANTA: f64 = 3.0;

/// BBR v3. Section numbers refer to draft-ietf-ccwg-bbr-06. Capitalised names and names with "BBR." or "C."
/// are taken from the draft.
#[derive(Debug)]
pub struct Bbr3 {
    pub(super) settings: Bbr3Settings,
    pub(super) mss: f64,
    /// Initial window in bytes.
    initial_window: f64,
    pub(super) state: Bbr3State,
    pub(super) full_pipe: FullPipe,
    pub(super) path_model: PathModel,
    pub(super) probe: BwProbe,
    round_trip: MinRttFilter,
    excess: AckExcess,
    /// BBR.extra_acked, in bytes.
    extra_acked: WindowedMax,
    ranges: LostRanges,
    limit: CwndLimit,
    rate: Option<Rate>,
    repair: RepairKind,
    prior_cwnd: PriorCwnd,
    undo: UndoState,
    /// BBR.idle_restart.
    restarts: bool,
    /// C.delivered.
    pub(super) delivered_bytes: u64,
    /// RS.tx_in_flight of the last sample.
    sampled_in_flight: u64,
    pub(super) random: BbrRandom,
}

/// State to restore after a spurious recovery (§2.15).
#[derive(Clone, Copy, Debug)]
struct UndoState {
    /// BBR.undo_state; `None` if losses have not changed the state.
    left: Option<StateBeforeLoss>,
    bounds: PathBounds,
}

/// State before losses changed it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum StateBeforeLoss {
    Startup,
    Up,
}

/// C.is_cwnd_limited: true if the flight filled the window at some time in the last round trip (§2.2).
#[derive(Clone, Copy, Debug, Default)]
struct CwndLimit {
    is_hit: bool,
    rounds: RoundCounter,
}

impl CwndLimit {
    /// Processes an ACK. `is_full` is true if the flight filled the window before the ACK.
    fn on_ack(&mut self, is_full: bool, sample: Option<&RateSample>, total: u64) {
        if is_full {
            self.is_hit = true;
            self.rounds.restart(total);
        } else if sample.is_some_and(|sample| self.rounds.on_arrival(sample.prior_delivered_bytes, total)) {
            self.is_hit = false;
        }
    }
}

impl Bbr3 {
    /// Creates the congestion control of a new connection.
    pub fn new(settings: Bbr3Settings, c: &Config) -> Self {
        Bbr3 {
            settings,
            mss: f64::from(c.mss),
            initial_window: c.initial_window * f64::from(c.mss),
            state: Bbr3State::Startup,
            full_pipe: FullPipe::default(),
            path_model: PathModel::new(),
            probe: BwProbe::default(),
            round_trip: MinRttFilter::new(settings.probe_rtt_interval),
            excess: AckExcess::default(),
            extra_acked: WindowedMax::new(1),
            ranges: LostRanges::default(),
            limit: CwndLimit::default(),
            rate: None,
            repair: RepairKind::Nothing,
            prior_cwnd: PriorCwnd::default(),
            undo: UndoState { left: None, bounds: PathBounds::INFINITE },
            restarts: false,
            delivered_bytes: 0,
            sampled_in_flight: 0,
            random: BbrRandom::default(),
        }
    }

    /// Updates the path model and the state (UpdateModelAndState, §5.2.3).
    fn update_model_and_state(&mut self, w: &mut Window, d: &Delivery) {
        let sample = d.arrivals.rate.as_ref();
        let begins = sample.map_or(RoundStarts::default(), |sample| self.on_sample(w, d, sample));
        self.check_startup_loss(sample, begins);
        if self.state == Bbr3State::Startup && self.full_pipe.full_bw_reached {
            self.state = Bbr3State::Drain(self.path_model.rounds.count());
        }
        self.check_drain_done(d);
        if let Some(sample) = sample {
            self.update_cycle_phase(w, d, sample, begins.round_starts);
        }
        self.check_probe_rtt(w, d, begins.round_starts);
        if let Some(sample) = sample.filter(|_| begins.loss_round_starts) {
            self.path_model.restart_latest(sample);
        }
    }

    /// Updates the model with a rate sample. Implements UpdateModelAndState up to CheckFullBWReached.
    fn on_sample(&mut self, w: &Window, d: &Delivery, sample: &RateSample) -> RoundStarts {
        self.sampled_in_flight = sample.tx_in_flight;
        let cwnd = w.cwnd * self.mss;
        let begins = self.path_model.on_sample(sample, d.arrivals.total_delivered_bytes);
        if begins.loss_round_starts {
            self.path_model.on_loss_round(self.state.is_probing(), cwnd, self.settings.beta);
        }
        self.probe.rounds_since_up += u64::from(begins.round_starts);
        self.update_extra_acked(d, cwnd);
        if begins.round_starts {
            self.full_pipe.on_round(sample);
        }
        begins
    }

    /// Updates the ACK aggregation filter (UpdateACKAggregation, §5.5.9). In Startup, the filter covers one
    /// round trip.
    fn update_extra_acked(&mut self, d: &Delivery, cwnd: f64) {
        let extra = self.excess.on_ack(d.now, d.arrivals.newly_delivered_bytes as f64, self.path_model.bw(), cwnd);
        self.extra_acked.resize(if self.full_pipe.full_bw_reached { EXTRA_ACKED_ROUNDS } else { 1 });
        self.extra_acked.update(self.path_model.rounds.count(), extra);
    }

    /// Ends Startup on high loss (CheckStartupHighLoss, §5.3.1.3).
    fn check_startup_loss(&mut self, sample: Option<&RateSample>, begins: RoundStarts) {
        let Some(sample) = sample.filter(|_| begins.loss_round_starts) else { return };
        let is_high = self.repair == RepairKind::Loss
            && self.ranges.count >= self.settings.startup_losses
            && self.is_inflight_too_high(sample.lost_bytes, sample.tx_in_flight);
        self.ranges.on_round();
        if self.state == Bbr3State::Startup && !self.full_pipe.full_bw_reached && is_high {
            self.undo.left = Some(StateBeforeLoss::Startup);
            self.full_pipe.full_bw_reached = true;
            let latest = self.path_model.inflight_latest();
            self.path_model.bounds.inflight_longterm = self.bdp_multiple(self.path_model.bw(), 1.0).max(latest);
        }
    }

    /// Ends Drain if the queue is empty (CheckDrainDone, §5.3.2).
    fn check_drain_done(&mut self, d: &Delivery) {
        let Bbr3State::Drain(since) = self.state else { return };
        let is_drained = d.in_flight as f64 <= self.inflight_bytes(self.path_model.bw());
        if is_drained || self.path_model.rounds.count() > since + DRAIN_ROUNDS {
            self.start_down(d.now);
        }
    }

    /// True if more than the permitted fraction of the flight is lost (IsInflightTooHigh, §5.5.10.2).
    pub(super) fn is_inflight_too_high(&self, lost: u64, in_flight: u64) -> bool {
        lost as f64 > in_flight as f64 * self.settings.loss_thresh
    }

    /// Ends a probe whose flight of `in_flight` bytes lost too much (HandleInflightTooHigh, §5.5.10.2).
    fn on_inflight_too_high(&mut self, w: &Window, now: Time, in_flight: f64, limited: bool) {
        self.probe.prev_probe_too_high = true;
        self.probe.is_bw_probe_sample = false;
        if !limited {
            let least = self.target_inflight(w) * self.settings.beta;
            self.path_model.bounds.inflight_longterm = in_flight.max(least);
        }
        if self.state.is_probe_up() {
            self.undo.left = Some(StateBeforeLoss::Up);
            self.start_down(now);
        }
    }

    /// Returns the flight in bytes at the point of the lost segment where losses exceeded the permitted
    /// fraction (InflightAtLoss, §5.5.10.2).
    fn inflight_at_loss(&self, lost: &LostSegment) -> f64 {
        let size = (lost.end - lost.start) as f64;
        let (before, lost_before) = (lost.tx_in_flight as f64 - size, lost.lost_bytes as f64 - size);
        let thresh = self.settings.loss_thresh;
        // Linux: if earlier losses already exceed the permitted fraction, no part of this segment counts.
        let prefix = (thresh * before - lost_before) / (1.0 - thresh);
        before + prefix.max(0.0)
    }

    /// Updates the minimum RTT, and enters or ends ProbeRTT (UpdateMinRTT and CheckProbeRTT, §5.3.4.3).
    fn check_probe_rtt(&mut self, w: &mut Window, d: &Delivery, round_starts: bool) {
        let is_due = self.round_trip.on_ack(d.now, &d.arrivals);
        if is_due && !self.restarts && !matches!(self.state, Bbr3State::ProbeRtt(_)) {
            self.save_cwnd(w);
            self.state = Bbr3State::ProbeRtt(None);
            self.probe.is_stopping = true;
            self.path_model.rounds.restart(self.delivered_bytes);
        }
        if let Bbr3State::ProbeRtt(Some(stay)) = &mut self.state
            && round_starts
        {
            stay.on_round();
        }
        match self.state {
            Bbr3State::ProbeRtt(None) if d.in_flight as f64 <= self.probe_rtt_cwnd() => {
                self.state = Bbr3State::ProbeRtt(Some(ProbeRttProgress::begin(d.now)));
                self.path_model.rounds.restart(self.delivered_bytes);
            }
            Bbr3State::ProbeRtt(Some(stay)) if stay.is_over(d.now) => self.leave_probe_rtt(w, d.now),
            _ => {}
        }
        self.restarts &= d.arrivals.rate.is_none();
    }

    /// Ends ProbeRTT (ExitProbeRTT, §5.3.4.4). The queue is empty, so ProbeBW_CRUISE begins at once.
    fn leave_probe_rtt(&mut self, w: &mut Window, now: Time) {
        self.round_trip.on_probed(now);
        self.prior_cwnd.restore(w);
        self.path_model.reset_short_term();
        if self.full_pipe.full_bw_reached {
            self.start_down(now);
            self.state = Bbr3State::ProbeBw(ProbeBwPhase::Cruise);
        } else {
            self.state = Bbr3State::Startup;
        }
    }

    /// Returns the bandwidth-delay product times `gain` in bytes (BDPMultiple, §5.6.4.2).
    fn bdp_multiple(&self, bw: f64, gain: f64) -> f64 {
        self.round_trip.min_rtt_secs().map_or(self.initial_window, |min_rtt| gain * bw * min_rtt)
    }

    /// Raises a window of `bytes` bytes to cover offload at the hosts (QuantizationBudget, §5.6.4.2).
    fn quantization_budget(&self, bytes: f64) -> f64 {
        let least = (OFFLOAD_QUANTA * self.send_quantum() as f64).max(MIN_PIPE_CWND) * self.mss;
        bytes.max(least) + if self.state.is_probe_up() { 2.0 * self.mss } else { 0.0 }
    }

    /// Returns Inflight(1.0), the bandwidth-delay product at rate `bw`, in bytes (§5.6.4.2).
    pub(super) fn inflight_bytes(&self, bw: f64) -> f64 {
        self.quantization_budget(self.bdp_multiple(bw, 1.0))
    }

    /// Returns TargetInflight in bytes (§5.3.3.8.3).
    pub(super) fn target_inflight(&self, w: &Window) -> f64 {
        self.bdp_multiple(self.path_model.bw(), 1.0).min(w.cwnd * self.mss)
    }

    /// Returns InflightWithHeadroom in bytes (§5.3.3.9).
    pub(super) fn inflight_with_headroom(&self) -> f64 {
        let longterm = self.path_model.bounds.inflight_longterm;
        let headroom = (self.settings.headroom * longterm).max(self.mss);
        if longterm.is_infinite() { longterm } else { (longterm - headroom).max(MIN_PIPE_CWND * self.mss) }
    }

    /// True if the flight fills the window and inflight_longterm limits the window (§5.3.3.9).
    pub(super) fn is_limited_by_longterm(&self, w: &Window) -> bool {
        self.limit.is_hit && w.cwnd >= self.path_model.bounds.inflight_longterm / self.mss
    }

    /// Returns ProbeRTTCwnd in bytes (§5.6.4.5).
    fn probe_rtt_cwnd(&self) -> f64 {
        self.bdp_multiple(self.path_model.bw(), PROBE_RTT_CWND_GAIN).max(MIN_PIPE_CWND * self.mss)
    }

    /// Returns the pacing rate before the first update (InitPacingRate, §5.6.2).
    fn initial_rate(&self, s: &SenderState) -> Rate {
        let rtt = s.srtt.unwrap_or(INITIAL_RTT).max(INITIAL_RTT);
        from_bytes_per_second(STARTUP_GAIN * self.initial_window / rtt.secs_f64())
    }

    /// Sets the pacing rate (SetPacingRateWithGain, §5.6.2). The rate does not decrease before the pipe is
    /// full.
    fn set_rate(&mut self, gain: f64, least: Rate) {
        let next = from_bytes_per_second(gain * self.path_model.bw() * (1.0 - PACING_MARGIN));
        self.rate = Some(if self.full_pipe.full_bw_reached { next } else { next.max(least) });
    }

    /// Sets the window (SetCwnd, §5.6.4.6).
    fn set_cwnd(&self, w: &mut Window, d: &Delivery) {
        let acked = d.arrivals.newly_delivered_bytes as f64 / self.mss;
        let gain = self.state.cwnd_gain(&self.settings);
        let max = self.quantization_budget(self.bdp_multiple(self.path_model.bw(), gain) + self.extra_acked.current_max()) / self.mss;
        if self.full_pipe.full_bw_reached {
            w.cwnd = (w.cwnd + acked).min(max);
        } else if w.cwnd < max || (self.delivered_bytes as f64) < self.initial_window {
            w.cwnd += acked;
        }
        w.cwnd = w.cwnd.max(MIN_PIPE_CWND);
        if matches!(self.state, Bbr3State::ProbeRtt(_)) {
            w.cwnd = w.cwnd.min(self.probe_rtt_cwnd() / self.mss);
        }
        w.cwnd = w.cwnd.min((self.model_cwnd_bound() / self.mss).max(MIN_PIPE_CWND));
    }

    /// Returns the bound of BoundCwndForModel in bytes (§5.6.4.7).
    fn model_cwnd_bound(&self) -> f64 {
        let PathBounds { inflight_longterm, inflight_shortterm, .. } = self.path_model.bounds;
        let cap = match self.state {
            Bbr3State::ProbeBw(ProbeBwPhase::Cruise) | Bbr3State::ProbeRtt(_) => self.inflight_with_headroom(),
            Bbr3State::ProbeBw(_) => inflight_longterm,
            Bbr3State::Startup | Bbr3State::Drain(_) => f64::INFINITY,
        };
        cap.min(inflight_shortterm)
    }

    /// Saves the window (SaveCwnd, §5.6.4.4).
    fn save_cwnd(&mut self, w: &Window) {
        let is_usual = self.repair == RepairKind::Nothing && !matches!(self.state, Bbr3State::ProbeRtt(_));
        self.prior_cwnd.save(w, is_usual);
    }
}

impl CongestionControl for Bbr3 {
    /// No effect: [`Bbr3::on_delivery_report`] and [`Bbr3::on_segment_lost`] process ACKs.
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    /// Handles a loss or ECN mark: OnEnterFastRecovery, OnEnterRTO (§5.6.4.4) and SaveStateUponLoss
    /// (§5.5.11.1). An ECN mark counts as a loss in its round trip and ends a bandwidth probe (§3.6).
    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        if l.signal == CongestionSignal::Echo {
            self.path_model.note_loss(self.delivered_bytes);
            if self.probe.is_bw_probe_sample {
                self.on_inflight_too_high(w, l.now, self.sampled_in_flight as f64, false);
            }
            return LossClass::Undecided;
        }
        self.save_cwnd(w);
        self.undo = UndoState { left: None, bounds: self.path_model.bounds };
        if l.signal == CongestionSignal::Timeout {
            self.repair = RepairKind::Timeout;
            // With the preset linux the sender then adds the flight that is not marked lost.
            w.cwnd = 1.0;
        }
        LossClass::Undecided
    }

    /// Counts a lost segment, and ends a probe on excessive loss (HandleLostPacket, §5.5.10.2).
    fn on_segment_lost(&mut self, w: &mut Window, now: Time, lost: &LostSegment) {
        self.delivered_bytes = lost.delivered_bytes;
        self.path_model.note_loss(lost.delivered_bytes);
        self.ranges.on_lost(lost);
        if self.probe.is_bw_probe_sample && self.is_inflight_too_high(lost.lost_bytes, lost.tx_in_flight) {
            let in_flight = self.inflight_at_loss(lost);
            self.on_inflight_too_high(w, now, in_flight, lost.is_app_limited);
        }
    }

    /// Restores the state before a spurious loss (HandleSpuriousLossDetection, §5.5.11.2).
    fn on_spurious_reduction(&mut self, w: &mut Window, _: &Window, _: &SenderState) {
        self.prior_cwnd.restore(w);
        self.path_model.cancel_round_losses();
        self.full_pipe.restart(0.0);
        self.path_model.bounds = self.path_model.bounds.at_least(self.undo.bounds);
        let is_in_probe_rtt = matches!(self.state, Bbr3State::ProbeRtt(_));
        match self.undo.left.take() {
            Some(StateBeforeLoss::Startup) if self.state != Bbr3State::Startup => {
                self.full_pipe.full_bw_reached = false;
                if !is_in_probe_rtt {
                    self.state = Bbr3State::Startup;
                }
            }
            Some(StateBeforeLoss::Up) if !self.state.is_probe_up() && !is_in_probe_rtt => self.start_refill(),
            _ => {}
        }
    }

    fn on_delivery_report(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        self.delivered_bytes = d.arrivals.total_delivered_bytes;
        let is_full = d.prior_in_flight as f64 + self.mss > w.cwnd * self.mss;
        self.limit.on_ack(is_full, d.arrivals.rate.as_ref(), d.arrivals.total_delivered_bytes);
        if d.repair_kind == RepairKind::Nothing && self.repair != RepairKind::Nothing {
            self.prior_cwnd.restore(w);
        }
        self.repair = d.repair_kind;
        self.update_model_and_state(w, d);
        let least = self.rate.unwrap_or_else(|| self.initial_rate(s));
        self.set_rate(self.state.pacing_gain(&self.settings), least);
        self.set_cwnd(w, d);
    }

    /// Handles the end of an idle period (HandleRestartFromIdle, §5.4.1).
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        self.restarts = true;
        self.excess.restart(now);
        match (self.state, self.rate) {
            (Bbr3State::ProbeBw(_), Some(rate)) => self.set_rate(1.0, rate),
            (Bbr3State::ProbeRtt(Some(stay)), _) if stay.has_duration_passed(now) => self.leave_probe_rtt(w, now),
            _ => {}
        }
    }

    /// True in ProbeRTT: "Ignore low rate samples during ProbeRTT" (HandleProbeRTT, §5.3.4.3).
    fn is_self_limiting(&self) -> bool {
        matches!(self.state, Bbr3State::ProbeRtt(_))
    }

    fn pacing_rate(&self, _: &Window, s: &SenderState) -> Option<Rate> {
        Some(self.rate.unwrap_or_else(|| self.initial_rate(s)))
    }

    /// Returns the send quantum in segments (SetSendQuantum, §5.6.3).
    fn send_quantum(&self) -> u64 {
        let bytes = self.rate.map_or(0.0, |rate| rate.bps() as f64 / 8.0 * QUANTUM_SECONDS);
        ((bytes.min(QUANTUM_BYTES) / self.mss) as u64).max(QUANTUM_SEGMENTS)
    }

    fn on_seed(&mut self, seed: u32) {
        self.random = BbrRandom::new(seed);
    }
}

#[cfg(test)]
mod tests;
