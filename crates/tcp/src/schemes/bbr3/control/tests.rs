//! Steps of the draft's algorithms, with synthetic ACKs and losses. Segments have 1000 bytes.

use super::*;
use crate::Preset;
use crate::estimators::Arrivals;
use crate::schemes::{Params, find_scheme};
use airhop_base::Span;

const MSS: u64 = 1000;

/// Congestion control of a test, and the state that it receives.
struct Bench {
    b: Bbr3,
    w: Window,
    s: SenderState,
    now: Time,
    delivered: u64,
    repair: RepairKind,
}

/// Contents of an ACK, in segments and milliseconds.
#[derive(Clone, Copy)]
struct Says {
    delivered: u64,
    interval: u64,
    /// Segments delivered when the last acknowledged segment was sent.
    prior: u64,
    tx_in_flight: u64,
    lost: u64,
    in_flight: u64,
}

impl Bench {
    /// Creates a bench without rate samples, and with a window of ten segments.
    fn new(given: &[(&str, f64)]) -> Self {
        let scheme = find_scheme("bbr3").expect("a scheme");
        let mut params = Params::defaults(scheme);
        given.iter().for_each(|&(name, value)| params.set(scheme, name, value).expect("in range"));
        let config = Preset::Linux.config(MSS as u32);
        let b = Bbr3::new(Bbr3Settings::new(&params), &config);
        let w = Window { cwnd: 10.0, ssthresh: f64::INFINITY };
        Bench { b, w, s: SenderState::new(&config), now: Time::ZERO, delivered: 0, repair: RepairKind::Nothing }
    }

    /// Creates a bench in `state` whose pipe is full, on a path of 1 MB/s and 100 ms, i.e. 100 segments.
    fn within(state: Bbr3State) -> Self {
        let mut t = Bench::new(&[]);
        t.ack(100, Says { delivered: 100, interval: 100, prior: 0, tx_in_flight: 100, lost: 0, in_flight: 100 });
        assert_eq!((t.b.path_model.bw(), t.b.round_trip.min_rtt_secs()), (1e6, Some(0.1)));
        t.b.full_pipe.full_bw_reached = true;
        t.b.start_down(t.now); // starts the clock of the probe interval
        t.b.probe.is_stopping = false;
        t.b.state = state;
        t.w.cwnd = 200.0;
        t
    }

    /// Delivers an ACK of one segment after `ms` milliseconds.
    fn ack(&mut self, ms: u64, says: Says) {
        self.now += Span::from_millis(ms);
        self.delivered += 1;
        let rtt = Some(Span::from_millis(100));
        let rate = RateSample {
            delivered_bytes: says.delivered * MSS,
            interval: Span::from_millis(says.interval),
            prior_delivered_bytes: says.prior * MSS,
            is_app_limited: false,
            tx_in_flight: says.tx_in_flight * MSS,
            lost_bytes: says.lost * MSS,
        };
        let total = self.delivered * MSS;
        let d = Delivery {
            now: self.now,
            arrivals: Arrivals { newly_delivered_bytes: MSS, total_delivered_bytes: total, rtt, min_rtt: rtt, rate: Some(rate) },
            lost_bytes: 0,
            prior_in_flight: (says.in_flight + 1) * MSS,
            in_flight: says.in_flight * MSS,
            repair_kind: self.repair,
            pacing_delay: Span::ZERO,
        };
        self.b.on_delivery_report(&mut self.w, &d, &self.s);
    }

    /// Delivers, after `ms` milliseconds, an ACK of a segment sent just now on a fully used path. `begins`: a
    /// round begins.
    fn usual(&mut self, ms: u64, begins: bool, in_flight: u64) {
        let prior = if begins { self.delivered } else { 0 };
        self.ack(ms, Says { delivered: 100, interval: 100, prior, tx_in_flight: 100, lost: 0, in_flight });
    }

    /// Reports the loss of segment `n`. `in_flight`: flight at its transmission; `lost`: number of losses
    /// since then, including segment `n`.
    fn lose(&mut self, n: u64, in_flight: u64, lost: u64) {
        let lost = LostSegment {
            start: n * MSS,
            end: (n + 1) * MSS,
            tx_in_flight: in_flight * MSS,
            lost_bytes: lost * MSS,
            is_app_limited: false,
            delivered_bytes: self.delivered * MSS,
        };
        self.b.on_segment_lost(&mut self.w, self.now, &lost);
    }

    fn signal(&mut self, signal: CongestionSignal) {
        let loss = Loss { now: self.now, signal, halving_base: None, halved_base: 0.0, halved_cwnd: 0.0 };
        self.b.on_loss(&mut self.w, &loss, &self.s);
    }

    fn longterm(&self) -> f64 {
        self.b.path_model.bounds.inflight_longterm / MSS as f64
    }
}

// §5.6.2: the initial rate is 2.77 initial windows per round trip; an unknown RTT counts as a millisecond.
// The rate does not decrease before the pipe is full; then it is 1 % below the model's bandwidth.
#[test]
fn the_initial_pacing_rate_follows_from_the_initial_window() {
    let mut t = Bench::new(&[]);
    let rate = |t: &Bench| t.b.pacing_rate(&t.w, &t.s).map_or(0.0, |r| r.bps() as f64 / 8e6);
    assert!((rate(&t) - 27.73).abs() < 0.01);
    t.s.srtt = Some(Span::from_millis(100));
    assert!((rate(&t) - 0.2773).abs() < 0.0001);
    t.ack(100, Says { delivered: 1, interval: 100, prior: 0, tx_in_flight: 10, lost: 0, in_flight: 9 });
    assert!((rate(&t) - 0.2773).abs() < 0.0001, "2.77 · 0.01 MB/s is less");
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.usual(1, false, 99);
    assert!((rate(&t) - 0.99).abs() < 1e-6);
}

// §5.6.3, §5.5.8.1, §5.6.4.2: the quantum is one millisecond at the pacing rate, and at least two segments.
// On the smallest path the window is three quanta, or four segments without pacing. At 100 MB/s the quantum
// is 64 KiB.
#[test]
fn send_quantum_and_offload_budget_follow_the_pacing_rate() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.usual(1, false, 99);
    assert_eq!((t.b.send_quantum(), t.b.quantization_budget(1.0)), (2, 6000.0));
    t.b.rate = Some(Rate::from_bps(80_000_000));
    assert_eq!((t.b.send_quantum(), t.b.quantization_budget(1.0)), (10, 30_000.0));
    t.b.rate = Some(Rate::from_bps(800_000_000));
    assert_eq!(t.b.send_quantum(), 65);
    t.b.state = Bbr3State::ProbeBw(ProbeBwPhase::Up);
    assert_eq!(t.b.quantization_budget(1e6), 1e6 + 2000.0, "two segments more while it probes");
}

// §5.3.1.3: a round trip begins with the first loss. At the end of this round trip Startup ends, if the
// sender is in fast recovery, and if more than 2 % of the flight and six separate ranges were lost.
// inflight_longterm becomes the larger of the BDP and the data delivered in the round trip.
#[test]
fn six_loss_ranges_above_2_percent_end_startup() {
    let after = |ranges: u64, lost, repair| {
        let mut t = Bench::within(Bbr3State::Startup);
        t.b.full_pipe.full_bw_reached = false;
        t.repair = repair;
        for n in 0..ranges {
            t.lose(200 + 2 * n, 200, n + 1);
        }
        let says = Says { delivered: 150, interval: 150, prior: 0, tx_in_flight: 200, lost, in_flight: 150 };
        t.ack(10, says);
        assert_eq!(t.b.state, Bbr3State::Startup, "the round trip is not over");
        t.ack(90, Says { prior: t.delivered, ..says });
        (t.b.state != Bbr3State::Startup, t.longterm())
    };
    assert_eq!(after(6, 5, RepairKind::Loss), (true, 150.0));
    assert_eq!(after(5, 5, RepairKind::Loss), (false, f64::INFINITY));
    assert_eq!(after(6, 4, RepairKind::Loss), (false, f64::INFINITY), "2 % are not more than 2 %");
    assert_eq!(after(6, 5, RepairKind::Timeout), (false, f64::INFINITY));
}

// §5.3.2: Drain ends when the flight is at most the BDP, or after more than three round trips.
#[test]
fn drain_ends_at_the_bdp_or_after_three_round_trips() {
    let mut t = Bench::within(Bbr3State::Drain(1));
    t.usual(1, false, 101);
    assert_eq!(t.b.state, Bbr3State::Drain(1));
    t.usual(1, false, 100);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    let mut t = Bench::within(Bbr3State::Drain(1));
    for _ in 0..3 {
        t.usual(100, true, 101);
        assert_eq!(t.b.state, Bbr3State::Drain(1));
    }
    t.usual(100, true, 101);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
}

// §5.3.3.9: DOWN changes to CRUISE when the flight is within the BDP and 0.85 of inflight_longterm. CRUISE
// changes to REFILL when the probe interval is over, REFILL to UP after a round trip, and UP to DOWN after
// three round trips without growth.
#[test]
fn probe_bw_cycles_through_down_cruise_refill_and_up() {
    let mut t = Bench::within(Bbr3State::Drain(1));
    t.b.path_model.bounds.inflight_longterm = 110e3;
    t.usual(1, false, 99);
    t.usual(1, false, 93); // 94 before the ACK
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    t.usual(1, false, 92); // 93 is within 93.5
    assert_eq!((t.b.state, t.w.cwnd), (Bbr3State::ProbeBw(ProbeBwPhase::Cruise), 93.5));
    t.usual(1900, true, 92);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.usual(1100, true, 92);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Refill), "between two and three seconds");
    assert!(!t.b.probe.is_bw_probe_sample);
    t.usual(100, true, 92);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Up));
    assert!(t.b.probe.is_bw_probe_sample);
    t.b.path_model.bounds.inflight_longterm = f64::INFINITY;
    for _ in 0..2 {
        t.usual(100, true, 110);
        assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Up));
    }
    t.usual(100, true, 110);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    assert!(t.b.probe.is_bw_probe_sample, "its last flight is still to be acknowledged");
    t.usual(100, true, 110);
    assert!(!t.b.probe.is_bw_probe_sample);
}

// §5.3.3.8.3: probes are as frequent as Reno's losses at the same window, at most 63 round trips apart.
// TargetInflight is 20 segments here, and PickProbeWait sets the initial count to zero or one.
#[test]
fn the_probe_interval_follows_the_reno_sawtooth() {
    let mut waits = Vec::new();
    for seed in 0..16 {
        let mut t = Bench::within(Bbr3State::Drain(1));
        t.b.on_seed(seed);
        t.b.round_trip = MinRttFilter::new(Span::from_secs(100));
        t.b.path_model = PathModel::new();
        let says = Says { delivered: 20, interval: 100, prior: 0, tx_in_flight: 20, lost: 0, in_flight: 19 };
        t.ack(1, says);
        let mut rounds = 0;
        while t.b.state != Bbr3State::ProbeBw(ProbeBwPhase::Refill) {
            t.ack(10, Says { prior: t.delivered, ..says });
            rounds += 1;
        }
        waits.push(rounds);
    }
    waits.sort_unstable();
    waits.dedup();
    assert_eq!(waits, [19, 20]);
}

// §5.5.10.2, InflightAtLoss, computed by hand: the second of 99 segments in flight is lost, 2/99 > 2 %. Of
// the 98 segments before it, one was lost; (0.02 · 98 - 1) / 0.98 = 0.9796 of the segment make 2 %.
// HandleInflightTooHigh: inflight_longterm is at least 0.7 of the BDP. The probe ends only once.
#[test]
fn a_loss_rate_above_2_percent_ends_the_probe() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Up));
    t.lose(1, 99, 2);
    assert_eq!((t.b.state, t.longterm()), (Bbr3State::ProbeBw(ProbeBwPhase::Up), f64::INFINITY), "not of the probe");
    t.b.probe.is_bw_probe_sample = true;
    t.lose(2, 99, 1);
    assert_eq!(t.longterm(), f64::INFINITY);
    t.lose(3, 99, 2);
    assert!((t.longterm() - 98.9796).abs() < 1e-4, "{}", t.longterm());
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    t.lose(4, 50, 3);
    assert!((t.longterm() - 98.9796).abs() < 1e-4, "once a probe");
    t.b.probe.is_bw_probe_sample = true;
    t.lose(5, 50, 9);
    assert_eq!(t.longterm(), 70.0, "0.7 of the path");
}

// §5.3.3.6: after a probe with too many losses, the next probe ends when it reaches the same flight. If no
// loss occurs, another probe follows one round trip later.
#[test]
fn after_a_lossy_probe_the_next_ends_at_the_same_flight() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Up));
    t.b.probe.prev_probe_too_high = true;
    t.b.path_model.bounds.inflight_longterm = 130.5e3;
    t.usual(1, false, 128);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Up));
    t.usual(1, false, 129); // 130 before the ACK, and 131 are too many
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    t.usual(100, true, 129);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Refill), "no cruising");
    assert!(!t.b.probe.prev_probe_too_high);
}

// §5.3.3.9: while the flight is at inflight_longterm and fills the window, inflight_longterm grows by one
// segment in the first round trip, two in the next, then four. Meanwhile the full-pipe detector is off.
#[test]
fn probe_up_raises_inflight_longterm_exponentially() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Refill));
    t.b.path_model.bounds.inflight_longterm = 150e3;
    t.w.cwnd = 150.0;
    t.usual(1, true, 149);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Up));
    let mut grown = Vec::new();
    for _ in 0..3 {
        let before = t.longterm();
        let segments = t.w.cwnd as u64;
        for n in 1..=segments {
            let full = t.w.cwnd as u64 - 1;
            t.usual(0, n == segments, full);
            assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Up));
        }
        grown.push(t.longterm() - before);
    }
    assert_eq!(grown, [1.0, 2.0, 4.0]);
}

// §5.3.3.9: a larger flight without too many losses raises inflight_longterm.
#[test]
fn a_probe_with_few_losses_raises_inflight_longterm() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.b.path_model.bounds.inflight_longterm = 110e3;
    let says = Says { delivered: 100, interval: 100, prior: 0, tx_in_flight: 120, lost: 3, in_flight: 90 };
    t.ack(1, says);
    assert_eq!(t.longterm(), 110.0);
    t.ack(1, Says { lost: 2, ..says });
    assert_eq!(t.longterm(), 120.0);
}

// §5.5.11: after a spurious recovery, bounds and window are restored, and the probe continues.
#[test]
fn a_spurious_recovery_is_undone() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Up));
    t.b.probe.is_bw_probe_sample = true;
    t.signal(CongestionSignal::Duplicates);
    t.repair = RepairKind::Loss;
    t.lose(1, 99, 1);
    t.lose(2, 99, 2);
    t.usual(1, false, 97);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
    assert_eq!(t.w.cwnd, 100.0, "the bound: data delivered up to this ACK");
    let before = Window { cwnd: 10.0, ssthresh: 10.0 };
    t.b.on_spurious_reduction(&mut t.w, &before, &t.s);
    assert_eq!((t.b.state, t.longterm(), t.w.cwnd), (Bbr3State::ProbeBw(ProbeBwPhase::Refill), f64::INFINITY, 200.0));
}

// After a spurious recovery in Startup, Startup continues.
#[test]
fn startup_resumes_after_a_spurious_recovery() {
    let mut t = Bench::within(Bbr3State::Startup);
    t.b.full_pipe.full_bw_reached = false;
    t.signal(CongestionSignal::Duplicates);
    t.repair = RepairKind::Loss;
    for n in 0..6 {
        t.lose(200 + 2 * n, 100, n + 1);
    }
    let says = Says { delivered: 90, interval: 100, prior: 1, tx_in_flight: 100, lost: 6, in_flight: 120 };
    t.ack(1, says);
    assert_eq!(t.b.state, Bbr3State::Drain(t.b.path_model.rounds.count()));
    t.b.on_spurious_reduction(&mut t.w, &Window { cwnd: 10.0, ssthresh: 10.0 }, &t.s);
    assert_eq!((t.b.state, t.b.full_pipe.full_bw_reached, t.longterm()), (Bbr3State::Startup, false, f64::INFINITY));
}

// §5.6.4.4: the window is one segment after a timeout, at least four segments during the repair, and the
// previous window after it.
#[test]
fn a_timeout_sets_one_segment_and_repair_restores_the_window() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.signal(CongestionSignal::Timeout);
    assert_eq!(t.w.cwnd, 1.0);
    t.repair = RepairKind::Timeout;
    t.usual(1, false, 3);
    assert_eq!(t.w.cwnd, 4.0);
    t.repair = RepairKind::Nothing;
    t.usual(1, false, 3);
    assert!(t.w.cwnd > 199.0, "{}", t.w.cwnd);
}

// §5.3.4.3: five seconds after the last lower RTT sample, the flight is reduced to half of the BDP for 200 ms
// and a round trip; CRUISE follows. §3.6: samples are application-limited during ProbeRTT.
#[test]
fn probe_rtt_reduces_the_flight_to_half_of_the_bdp() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.b.probe.rounds_since_up = 0;
    t.usual(5001, true, 80);
    assert_eq!((t.b.state, t.w.cwnd, t.b.is_self_limiting()), (Bbr3State::ProbeRtt(None), 50.0, true));
    t.usual(50, true, 51);
    assert_eq!(t.b.state, Bbr3State::ProbeRtt(None));
    t.usual(1, false, 50);
    t.usual(150, true, 50);
    t.usual(49, true, 50);
    assert!(t.b.is_self_limiting());
    t.usual(2, false, 50);
    assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    assert!(t.w.cwnd > 199.0, "{}", t.w.cwnd);
    t.b.on_restart(&mut t.w, t.now);
    t.usual(5001, true, 80);
    assert_ne!(t.b.state, Bbr3State::ProbeRtt(None), "a pause has drained the queue as well (§5.4.1)");
}

// §5.4.1: an idle period in ProbeRTT completes it if the duration has passed; otherwise ProbeRTT continues.
#[test]
fn an_idle_period_may_complete_probe_rtt() {
    let after = |ms| {
        let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
        t.usual(5001, true, 80);
        t.usual(50, true, 50);
        t.b.on_restart(&mut t.w, t.now + Span::from_millis(ms));
        t.b.state
    };
    assert!(matches!(after(200), Bbr3State::ProbeRtt(Some(_))));
    assert_eq!(after(201), Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
}

// §5.5.6: the maximum rate of a cycle is dropped at the end of the second probe after this cycle.
#[test]
fn an_outdated_maximum_rate_expires_after_two_probes() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Up));
    let slow = Says { delivered: 50, interval: 100, prior: 0, tx_in_flight: 100, lost: 0, in_flight: 99 };
    let mut probe = || {
        t.b.state = Bbr3State::ProbeBw(ProbeBwPhase::Up);
        t.b.full_pipe.full_bw_now = true;
        t.ack(1, slow);
        assert_eq!(t.b.state, Bbr3State::ProbeBw(ProbeBwPhase::Down));
        t.ack(100, Says { prior: t.delivered, ..slow });
        t.ack(1, slow);
        t.b.path_model.max_bw()
    };
    assert_eq!([probe(), probe()], [1e6, 0.5e6]);
}

// Each parameter that a sweep may vary has an effect.
#[test]
fn every_bbr3_parameter_has_an_effect() {
    let given = [("drain_gain", 0.35), ("down_gain", 0.75), ("up_cwnd_gain", 3.0), ("loss_thresh", 0.5)];
    let mut t = Bench::new(&given);
    let s = t.b.settings;
    let gains = [Bbr3State::Drain(0), Bbr3State::ProbeBw(ProbeBwPhase::Down)].map(|state| state.pacing_gain(&s));
    assert_eq!((gains, Bbr3State::ProbeBw(ProbeBwPhase::Up).cwnd_gain(&s)), ([0.35, 0.75], 3.0));
    assert!(!t.b.is_inflight_too_high(50, 100) && t.b.is_inflight_too_high(51, 100));
    let given = [("beta", 0.9), ("headroom", 0.3), ("probe_rtt_interval", 1.0), ("startup_losses", 2.0)];
    t.b.settings = Bench::new(&given).b.settings;
    t.b.path_model.bounds.inflight_longterm = 100e3;
    assert_eq!(t.b.inflight_with_headroom(), 70e3);
    assert_eq!((t.b.settings.beta, t.b.settings.startup_losses), (0.9, 2));
    assert_eq!(t.b.settings.probe_rtt_interval, Span::from_secs(1));
    assert_eq!(Bench::new(&[("probe_wait", 7.0)]).b.settings.probe_wait, Span::from_secs(7));
}

// §3.6: "MUST treat any CE marks as congestion": a mark during a probe ends the probe at the present flight;
// otherwise it sets the short-term bounds.
#[test]
fn a_ce_mark_ends_the_probe_or_sets_short_term_bounds() {
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Up));
    t.b.probe.is_bw_probe_sample = true;
    t.signal(CongestionSignal::Echo);
    assert_eq!((t.b.state, t.longterm(), t.w.cwnd), (Bbr3State::ProbeBw(ProbeBwPhase::Down), 100.0, 200.0));
    let mut t = Bench::within(Bbr3State::ProbeBw(ProbeBwPhase::Cruise));
    t.b.path_model.reset_signals();
    t.signal(CongestionSignal::Echo);
    t.ack(100, Says { delivered: 90, interval: 100, prior: 1, tx_in_flight: 100, lost: 0, in_flight: 90 });
    assert!((t.b.path_model.bw() - 0.9e6).abs() < 1.0, "{}", t.b.path_model.bw());
}
