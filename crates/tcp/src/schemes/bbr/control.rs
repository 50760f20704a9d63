use super::aggregation::AckAggregation;
use super::mode::{HIGH_GAIN, Mode, GainCyclePhase};
use crate::Config;
use crate::bbr::{BbrRandom, MIN_PIPE_CWND, PACING_MARGIN, PriorCwnd, ProbeRttProgress, INITIAL_RTT, from_bytes_per_second};
use crate::estimators::{RateSample, RoundCounter, WindowedMax};
use crate::seams::{Ack, CongestionControl, Delivery, LossClass, Loss, RepairKind, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::{Rate, Span, Time};

/// BtlBwFilterLen (draft §4.1.1.3).
const BW_FILTER_ROUNDS: u64 = 10;
/// RTpropFilterLen (§4.1.2.1).
const MIN_RTT_WINDOW: Span = Span::from_secs(10);
/// Number of round trips with less than 25 % rate growth that end Startup (§4.3.2.2).
const FULL_PIPE_ROUNDS: u32 = 3;
const FULL_PIPE_GROWTH: f64 = 1.25;

/// BBR v1. Section numbers are those of draft-cardwell-iccrg-bbr-congestion-control-00.
#[derive(Debug)]
pub struct Bbr {
    mss: f64,
    initial_window: f64,
    mode: Mode,
    pipe: FullPipeState,
    rounds: RoundCounter,
    /// BBR.BtlBw, in bytes per second.
    bw: WindowedMax,
    min_rtt: Option<MinRtt>,
    aggregation: AckAggregation,
    rate: Option<Rate>,
    repair: RepairKind,
    /// True in the first round trip of fast recovery: packet conservation (§4.2.3.4).
    conserves: bool,
    prior_cwnd: PriorCwnd,
    /// True from the end of an idle period until the first ACK of data.
    restarts: bool,
    random: BbrRandom,
}

/// State of Startup's search for the bottleneck bandwidth.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FullPipeState {
    /// Delivery rate at the last growth by a quarter, and the number of rounds since then.
    Filling { bw: f64, rounds: u32 },
    /// The delivery rate no longer grows.
    Full,
}

/// BBR.RTprop.
#[derive(Clone, Copy, Debug)]
struct MinRtt {
    value: Span,
    at: Time,
}

impl Bbr {
    /// Creates the congestion control of a new connection.
    pub fn new(c: &Config) -> Self {
        Bbr {
            mss: f64::from(c.mss),
            initial_window: c.initial_window,
            mode: Mode::Startup,
            pipe: FullPipeState::Filling { bw: 0.0, rounds: 0 },
            rounds: RoundCounter::default(),
            bw: WindowedMax::new(BW_FILTER_ROUNDS),
            min_rtt: None,
            aggregation: AckAggregation::default(),
            rate: None,
            repair: RepairKind::Nothing,
            conserves: false,
            prior_cwnd: PriorCwnd::default(),
            restarts: false,
            random: BbrRandom::default(),
        }
    }

    /// Updates the rounds, and the maximum rate of the last ten rounds (§4.1.1). Returns true if a round
    /// begins.
    fn update_bw(&mut self, sample: Option<&RateSample>, total: u64) -> bool {
        let Some(sample) = sample else { return false };
        let round_starts = self.rounds.on_arrival(sample.prior_delivered_bytes, total);
        self.conserves &= !round_starts;
        if !sample.is_app_limited || sample.bytes_per_second() >= self.bw.current_max() {
            self.bw.update(self.rounds.count(), sample.bytes_per_second());
        }
        round_starts
    }

    /// Checks whether the pipe is full (§4.3.2.2).
    fn check_full_pipe(&mut self, sample: Option<&RateSample>, round_starts: bool) {
        let is_limited = sample.is_none_or(|sample| sample.is_app_limited);
        let FullPipeState::Filling { bw, rounds } = &mut self.pipe else { return };
        if !round_starts || is_limited {
            return;
        }
        if self.bw.current_max() >= *bw * FULL_PIPE_GROWTH {
            (*bw, *rounds) = (self.bw.current_max(), 0);
            return;
        }
        *rounds += 1;
        if *rounds >= FULL_PIPE_ROUNDS {
            self.pipe = FullPipeState::Full;
        }
    }

    fn is_pipe_full(&self) -> bool {
        self.pipe == FullPipeState::Full
    }

    /// Changes the mode from Startup to Drain to ProbeBW, and advances the phases of ProbeBW (§4.3.3 and
    /// §4.3.4).
    fn change_mode(&mut self, d: &Delivery) {
        if self.mode == Mode::Startup && self.is_pipe_full() {
            self.mode = Mode::Drain;
        }
        let is_drained = self.inflight_at_departure(d.in_flight, d.pacing_delay) <= self.inflight_bytes(1.0, 0.0);
        if self.mode == Mode::Drain && is_drained {
            self.enter_probe_bw(d.now);
        }
    }

    fn update_phase(&mut self, d: &Delivery) {
        let before = self.inflight_at_departure(d.prior_in_flight, d.pacing_delay);
        let is_filled = d.lost_bytes > 0 || before >= self.inflight_bytes(self.mode.pacing_gain(), 0.0);
        let is_drained = before <= self.inflight_bytes(1.0, 0.0);
        let (Mode::ProbeBw(phase), Some(min_rtt)) = (&mut self.mode, self.min_rtt) else { return };
        phase.advance(d.now, min_rtt.value, is_filled, is_drained);
    }

    fn enter_probe_bw(&mut self, now: Time) {
        let draw = self.random.next_below(7);
        self.mode = Mode::ProbeBw(GainCyclePhase::from_draw(now, draw));
    }

    /// Updates the minimum RTT of the last ten seconds. Enters ProbeRTT when the minimum expires (§4.1.2,
    /// §4.3.5).
    fn update_min_rtt(&mut self, w: &mut Window, d: &Delivery, round_starts: bool) {
        let Some(min) = self.min_rtt.or(d.arrivals.min_rtt.map(|value| MinRtt { value, at: d.now })) else {
            return;
        };
        let is_old = d.now > min.at + MIN_RTT_WINDOW;
        let newer = d.arrivals.rtt.filter(|&rtt| rtt < min.value || is_old);
        self.min_rtt = Some(newer.map_or(min, |value| MinRtt { value, at: d.now }));
        if is_old && !self.restarts && !matches!(self.mode, Mode::ProbeRtt(_)) {
            self.save_cwnd(w);
            self.mode = Mode::ProbeRtt(None);
        }
        self.update_probe_rtt(w, d, round_starts);
        self.restarts &= d.arrivals.rate.is_none();
    }

    fn update_probe_rtt(&mut self, w: &mut Window, d: &Delivery, round_starts: bool) {
        if let Mode::ProbeRtt(Some(stay)) = &mut self.mode
            && round_starts
        {
            stay.on_round();
        }
        match self.mode {
            Mode::ProbeRtt(None) if d.in_flight as f64 <= MIN_PIPE_CWND * self.mss => {
                self.mode = Mode::ProbeRtt(Some(ProbeRttProgress::begin(d.now)));
                self.rounds.restart(d.arrivals.total_delivered_bytes);
            }
            Mode::ProbeRtt(Some(stay)) if stay.is_over(d.now) => self.leave_probe_rtt(w, d.now),
            _ => {}
        }
    }

    fn leave_probe_rtt(&mut self, w: &mut Window, now: Time) {
        self.min_rtt = self.min_rtt.map(|min| MinRtt { at: now, ..min });
        self.prior_cwnd.restore(w);
        if self.is_pipe_full() {
            self.enter_probe_bw(now);
        } else {
            self.mode = Mode::Startup;
        }
    }

    /// Returns gain · BDP + `room` + three send quanta for TSO in bytes (§4.2.3.2). Before the first RTT
    /// sample, returns the initial window.
    fn inflight_bytes(&self, gain: f64, room: f64) -> f64 {
        let Some(min_rtt) = self.min_rtt else { return self.initial_window * self.mss };
        let bytes = gain * self.bw.current_max() * min_rtt.value.secs_f64() + room;
        let segments = (bytes / self.mss).ceil() + 3.0 * self.send_quantum() as f64;
        // Linux: the number of segments is even, for receivers that acknowledge every second segment. The
        // phase with gain 5/4 must have an effect even with one segment per round trip.
        let even = 2.0 * (segments / 2.0).ceil();
        (even + if self.mode.is_probing_up() { 2.0 } else { 0.0 }) * self.mss
    }

    /// Returns the flight expected at the next paced transmission in bytes (Linux). A pacing gain above 1
    /// adds the segments of that transmission.
    fn inflight_at_departure(&self, in_flight: u64, wait: Span) -> f64 {
        let goes = if self.mode.pacing_gain() > 1.0 { self.send_quantum() as f64 * self.mss } else { 0.0 };
        (in_flight as f64 + goes - self.bw.current_max() * wait.secs_f64()).max(0.0)
    }

    /// Sets the pacing rate (§4.2.1). The rate does not decrease before the pipe is full.
    fn set_rate(&mut self, w: &Window, s: &SenderState) {
        let first = self.rate.unwrap_or_else(|| {
            let rtt = s.srtt.unwrap_or(INITIAL_RTT).max(INITIAL_RTT);
            from_bytes_per_second(HIGH_GAIN * w.cwnd * self.mss / rtt.secs_f64())
        });
        let next = from_bytes_per_second(self.mode.pacing_gain() * self.bw.current_max() * (1.0 - PACING_MARGIN));
        self.rate = Some(if self.is_pipe_full() { next } else { next.max(first) });
    }

    /// Sets the window (§4.2.3).
    fn set_cwnd(&mut self, w: &mut Window, d: &Delivery) {
        if d.arrivals.newly_delivered_bytes > 0 {
            let acked = d.arrivals.newly_delivered_bytes as f64 / self.mss;
            let floor = d.in_flight as f64 / self.mss + acked;
            self.recover_or_restore(w, d, floor);
            if self.conserves {
                w.cwnd = w.cwnd.max(floor);
            } else {
                self.grow(w, d, acked);
            }
        }
        if matches!(self.mode, Mode::ProbeRtt(_)) {
            w.cwnd = w.cwnd.min(MIN_PIPE_CWND);
        }
    }

    fn grow(&self, w: &mut Window, d: &Delivery, acked: f64) {
        let room = if self.is_pipe_full() { self.aggregation.extra_cwnd_bytes(self.bw.current_max()) } else { 0.0 };
        let target = self.inflight_bytes(self.mode.cwnd_gain(), room) / self.mss;
        if self.is_pipe_full() {
            w.cwnd = (w.cwnd + acked).min(target);
        } else if w.cwnd < target || (d.arrivals.total_delivered_bytes as f64) < self.initial_window * self.mss {
            w.cwnd += acked;
        }
        w.cwnd = w.cwnd.max(MIN_PIPE_CWND);
    }

    /// Sends one segment per delivered segment (packet conservation) in the first round trip of fast
    /// recovery, and restores the window afterwards (§4.2.3.4).
    fn recover_or_restore(&mut self, w: &mut Window, d: &Delivery, floor: f64) {
        w.cwnd = (w.cwnd - d.lost_bytes as f64 / self.mss).max(1.0);
        match (self.repair, d.repair_kind) {
            (before, RepairKind::Loss) if before != RepairKind::Loss => {
                self.conserves = true;
                self.rounds.restart(d.arrivals.total_delivered_bytes);
                w.cwnd = floor.max(1.0);
            }
            (before, RepairKind::Nothing) if before != RepairKind::Nothing => {
                self.conserves = false;
                self.prior_cwnd.restore(w);
            }
            _ => {}
        }
        self.repair = d.repair_kind;
    }

    /// Saves the window (BBRSaveCwnd, §4.2.3.4).
    fn save_cwnd(&mut self, w: &Window) {
        let is_usual = self.repair == RepairKind::Nothing && !matches!(self.mode, Mode::ProbeRtt(_));
        self.prior_cwnd.save(w, is_usual);
    }

    /// Restarts the search for the bottleneck bandwidth. Losses may have lowered the samples of Startup.
    fn restart_bw_search(&mut self) {
        if let FullPipeState::Filling { bw, .. } = &mut self.pipe {
            *bw = 0.0;
        }
    }
}

impl CongestionControl for Bbr {
    /// No effect: [`Bbr::on_delivery_report`] processes ACKs.
    fn on_ack(&mut self, _: &mut Window, _: &Ack, _: &SenderState) {}

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        self.save_cwnd(w);
        if l.signal == CongestionSignal::Timeout {
            self.repair = RepairKind::Timeout;
            self.restart_bw_search();
            w.cwnd = 1.0;
        }
        LossClass::Undecided
    }

    /// Does not restore the window, because every recovery ends with the window restored.
    fn on_spurious_reduction(&mut self, _: &mut Window, _: &Window, _: &SenderState) {
        self.restart_bw_search();
    }

    fn on_delivery_report(&mut self, w: &mut Window, d: &Delivery, s: &SenderState) {
        let sample = d.arrivals.rate.as_ref();
        let round_starts = self.update_bw(sample, d.arrivals.total_delivered_bytes);
        if sample.is_some() {
            let (fresh, bw) = (d.arrivals.newly_delivered_bytes as f64, self.bw.current_max());
            self.aggregation.on_ack(d.now, fresh, bw, w.cwnd * self.mss, round_starts);
        }
        self.update_phase(d);
        self.check_full_pipe(sample, round_starts);
        self.change_mode(d);
        self.update_min_rtt(w, d, round_starts);
        self.set_rate(w, s);
        self.set_cwnd(w, d);
    }

    /// Handles the end of an idle period (§4.3.4.4). The sender must not build a queue at once. The minimum
    /// RTT from before the idle period remains valid.
    fn on_restart(&mut self, w: &mut Window, now: Time) {
        self.restarts = true;
        self.aggregation.restart(now);
        match self.mode {
            Mode::ProbeBw(_) => {
                self.rate = Some(from_bytes_per_second(self.bw.current_max() * (1.0 - PACING_MARGIN)));
            }
            Mode::ProbeRtt(Some(stay)) if stay.is_over(now) => self.leave_probe_rtt(w, now),
            _ => {}
        }
    }

    fn is_self_limiting(&self) -> bool {
        matches!(self.mode, Mode::ProbeRtt(_))
    }

    /// Returns the pacing rate; `None` during the unpaced initial window.
    fn pacing_rate(&self, _: &Window, _: &SenderState) -> Option<Rate> {
        self.rate
    }

    /// Returns the send quantum in segments: 1/1024 s at the pacing rate (§4.2.2: one millisecond). The
    /// quantum is at most 64 KiB and at least two segments, or one segment below 1.2 Mbit/s (Linux).
    fn send_quantum(&self) -> u64 {
        let bps = self.rate.map_or(0, Rate::bps);
        let least = if bps < 1_200_000 { 1 } else { 2 };
        ((bps / 8 / 1024).min(65_535) / self.mss as u64).max(least)
    }

    fn on_seed(&mut self, seed: u32) {
        self.random = BbrRandom::new(seed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::estimators::Arrivals;

    // §4.2.3.4, BBRModulateCwndForRecovery: each detected loss subtracts one segment from the window, even
    // after packet conservation has ended.
    #[test]
    fn each_lost_segment_reduces_the_bbr_window_by_one_segment() {
        let config = Preset::Linux.config(1000);
        let mut bbr = Bbr { repair: RepairKind::Loss, ..Bbr::new(&config) };
        let mut w = Window { cwnd: 40.0, ssthresh: f64::INFINITY };
        let arrivals = Arrivals { newly_delivered_bytes: 1000, total_delivered_bytes: 90_000, rtt: None, min_rtt: None, rate: None };
        let (now, in_flight) = (Time::ZERO, 20_000);
        let d = Delivery {
            now,
            arrivals,
            lost_bytes: 3000,
            prior_in_flight: in_flight,
            in_flight,
            repair_kind: RepairKind::Loss,
            pacing_delay: Span::ZERO,
        };
        bbr.on_delivery_report(&mut w, &d, &SenderState::new(&config));
        assert_eq!(w.cwnd, 37.0);
    }
}
