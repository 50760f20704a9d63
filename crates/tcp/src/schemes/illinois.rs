use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::control::{decrease_window, increase_window};
use crate::estimators::min_with_sample;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "illinois",
    title: "TCP-Illinois",
    family: "loss-based",
    preset: Some(crate::Preset::Linux),
    about: "Losses determine whether the window grows or shrinks, as in Reno; queueing delay determines the amount. While \
            the mean delay of a round trip is near the minimum delay, the window grows by ten segments per round trip and a loss \
            reduces the window by an eighth. While the mean delay is near the maximum delay, the window grows by 0.3 segments per \
            round trip and a loss reduces the window by half.",
    applicability: "On fast and long paths, and with random losses on a path whose queue is short: the window recovers quickly and is reduced by \
    less. If the queue is nearly always full, Illinois halves its window as Reno does, and grows more slowly than Reno. With a window \
    below 15 segments Illinois behaves as Reno. Illinois classifies MAC jitter as queueing delay.",
    citation: "S. Liu, T. Başar and R. Srikant, TCP-Illinois: A Loss- and Delay-Based Congestion Control Algorithm for High-Speed Networks, \
           Performance Evaluation 65(6-7), 2008, first in VALUETOOLS 2006",
    network_requirements: &[],
    params: &[
        Param::with_range("alpha_min", 0.3, (0.01, 1.0), "segments added per round at the longest delay"),
        Param::with_range("alpha_max", 10.0, (1.0, 1000.0), "segments added per round at the shortest delays"),
        Param::with_range("beta_min", 0.125, (0.01, 0.5), "reduction at a loss with short delays, as a share of the window"),
        Param::with_range("beta_max", 0.5, (0.5, 0.9), "reduction at a loss with long delays, as a share of the window"),
        Param::with_range("eta1", 0.01, (0.0, 0.1), "share of the longest delay up to which alpha_max holds"),
        Param::with_range("eta2", 0.1, (0.0, 0.4), "share of the longest delay up to which beta_min holds"),
        Param::with_range("eta3", 0.8, (0.5, 1.0), "share of the longest delay from which on beta_max holds"),
        Param::with_range("theta", 5.0, (1.0, 100.0), "consecutive round trips with a delay up to eta1 before alpha returns to alpha_max"),
        Param::with_range("window", 15.0, (1.0, 10_000.0), "window below which Illinois is Reno, segments (the paper's W_thresh)"),
    ],
    verified_rules: &[
        "compared by hand with the paper and the source of Linux: both curves and their constants, the rule of the small window, \
         the wait for alpha_max, and the mean over a round trip",
    ],
    reconstructed_rules: &[
        "the round trips of theta must be consecutive; in Linux round trips with longer delays may lie between them",
        "RTT samples in recovery do not count, and neither do samples of segments that SACK reported before",
        "the window grows and shrinks by fractions of segments; Linux computes in 1/128 and 1/64",
        "with preset linux the window after a loss is rounded down; in Linux the reduction is rounded down instead, which leaves up to \
         one segment more",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies { control: Box::new(Illinois::new(p)), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

#[derive(Debug)]
struct Illinois {
    curves: Curves,
    theta: u32,
    /// W_thresh, in segments.
    window: f64,
    /// RTT sample of the ACK being processed.
    rtt: Option<Span>,
    delays: RttRange,
    round: Round,
    now: AimdParameters,
    /// Number of consecutive rounds with a delay below d_1 since the last longer delay; `None` before the
    /// first longer delay.
    short: Option<u32>,
}

/// Curves f1 and f2 of the paper.
#[derive(Clone, Copy, Debug)]
struct Curves {
    alpha: (f64, f64),
    beta: (f64, f64),
    eta: [f64; 3],
}

/// Increase and decrease of the window.
#[derive(Clone, Copy, Debug, PartialEq)]
struct AimdParameters {
    /// Increase per round trip in segments.
    alpha: f64,
    /// Fraction by which a loss reduces the window.
    beta: f64,
}

/// Reno's additive increase and multiplicative decrease.
const RENO: AimdParameters = AimdParameters { alpha: 1.0, beta: 0.5 };

/// Minimum and maximum RTT so far.
#[derive(Clone, Copy, Debug, Default)]
struct RttRange {
    least: Option<Span>,
    most: Span,
}

/// Round. Ends when all data sent before the start of the round is acknowledged.
#[derive(Clone, Copy, Debug, Default)]
struct Round {
    end: u64,
    sum: Span,
    samples: u64,
}

impl Curves {
    fn new(p: &Params) -> Self {
        Curves {
            alpha: (p.get("alpha_min"), p.get("alpha_max")),
            beta: (p.get("beta_min"), p.get("beta_max")),
            eta: ["eta1", "eta2", "eta3"].map(|name| p.get(name)),
        }
    }

    /// Returns the increase alpha (f1) for a mean queueing delay of `share` times the maximum. f1 is
    /// alpha_max up to eta1, then a hyperbola down to alpha_min.
    fn alpha(&self, share: f64) -> f64 {
        let ((min, max), low) = (self.alpha, self.eta[0]);
        let beyond = (share - low).max(0.0);
        (1.0 - low) * min * max / ((1.0 - low) * min + beyond * (max - min))
    }

    /// Returns the decrease beta (f2). f2 is beta_min up to eta2, beta_max from eta3 on, and linear in
    /// between.
    fn beta(&self, share: f64) -> f64 {
        let ((min, max), [_, low, high]) = (self.beta, self.eta);
        min + (max - min) * ((share - low) / (high - low)).clamp(0.0, 1.0)
    }
}

impl Illinois {
    fn new(p: &Params) -> Self {
        Illinois {
            curves: Curves::new(p),
            theta: p.get("theta") as u32,
            window: p.get("window"),
            rtt: None,
            delays: RttRange::default(),
            round: Round::default(),
            now: AimdParameters { alpha: p.get("alpha_max"), ..RENO },
            short: None,
        }
    }

    /// Adds an RTT sample that was measured outside recovery.
    fn add_rtt_sample(&mut self, rtt: Span) {
        self.delays.least = min_with_sample(self.delays.least, rtt);
        self.delays.most = self.delays.most.max(rtt);
        self.round.sum = self.round.sum + rtt;
        self.round.samples += 1;
    }

    /// Returns the round's mean queueing delay as a fraction of the maximum so far; `None` without RTT
    /// samples in the round.
    fn delay_fraction(&self) -> Option<f64> {
        let least = self.delays.least?;
        let mean = (self.round.samples > 0).then(|| self.round.sum / self.round.samples)?;
        let longest = (self.delays.most - least).secs_f64();
        Some(if longest > 0.0 { (mean - least).secs_f64() / longest } else { 0.0 })
    }

    /// Updates alpha and beta, once per round.
    fn update_aimd(&mut self, w: &Window) {
        if w.cwnd < self.window {
            self.now = RENO;
        } else if let Some(share) = self.delay_fraction() {
            self.now = AimdParameters { alpha: self.alpha(share), beta: self.curves.beta(share) };
        }
    }

    /// Returns alpha. After a delay above d_1, "α can be set to α_max only if d_a stays below d_1 for θ round
    /// trips".
    fn alpha(&mut self, share: f64) -> f64 {
        if share > self.curves.eta[0] {
            self.short = Some(0);
            return self.curves.alpha(share);
        }
        self.short = self.short.map(|n| n + 1).filter(|&n| n < self.theta);
        if self.short.is_some() { self.now.alpha } else { self.curves.alpha(share) }
    }
}

impl CongestionControl for Illinois {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        // An ACK with SACKed data yields no sample: the time for which a segment waits until a hole is filled
        // is no queueing delay.
        if let Some(rtt) = self.rtt.filter(|_| a.delivered_bytes == a.acked_bytes) {
            self.add_rtt_sample(rtt);
        }
        if s.una > self.round.end {
            self.update_aimd(w);
            self.round = Round { end: s.nxt, ..Round::default() };
        }
        increase_window(w, self.now.alpha, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        decrease_window(w, 1.0 - self.now.beta, l);
        if l.signal == CongestionSignal::Timeout {
            self.now = RENO;
            self.short = None;
            self.round = Round { end: s.nxt, ..Round::default() };
        }
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        self.rtt = a.newest_rtt;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;
    use crate::Preset;

    fn illinois() -> Illinois {
        Illinois::new(&Params::defaults(&SCHEME))
    }

    fn is_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
    }

    /// Returns alpha and beta after a round with a mean RTT of `mean` ms. Earlier RTTs are between 100 and
    /// 200 ms.
    fn paced(i: &mut Illinois, cwnd: f64, mean: u64) -> (f64, f64) {
        i.delays = RttRange { least: Some(Span::from_millis(100)), most: Span::from_millis(200) };
        i.round = Round { end: 0, sum: Span::from_millis(4 * mean), samples: 4 };
        i.update_aimd(&Window { cwnd, ssthresh: 1.0 });
        (i.now.alpha, i.now.beta)
    }

    // Equations 1 and 2 of the paper, with its constants: d_m = 100 ms, d_1 = 1, d_2 = 10, d_3 = 80 ms.
    // kappa_1 = 99 · 0.3 · 10 / 9.7, kappa_2 = 99 · 0.3 / 9.7 - 1 (ms); kappa_4 = 0.375 / 70.
    #[test]
    fn alpha_and_beta_follow_the_queueing_delay() {
        let (kappa1, kappa2) = (99.0 * 3.0 / 9.7, 99.0 * 0.3 / 9.7 - 1.0);
        for (delay, alpha, beta) in [
            (0, 10.0, 0.125),
            (1, 10.0, 0.125),
            (10, kappa1 / (kappa2 + 10.0), 0.125),
            (24, kappa1 / (kappa2 + 24.0), 0.2),
            (45, kappa1 / (kappa2 + 45.0), 0.3125),
            (80, kappa1 / (kappa2 + 80.0), 0.5),
            (100, 0.3, 0.5),
        ] {
            let (a, b) = paced(&mut illinois(), 20.0, 100 + delay);
            is_near(a, alpha);
            is_near(b, beta);
        }
    }

    // "If W < W_thresh, α = 1 and β = 1/2". If the RTT has never varied, the queueing delay counts as
    // minimal.
    #[test]
    fn a_small_window_uses_alpha_and_beta_of_reno() {
        assert_eq!(paced(&mut illinois(), 14.9, 100), (1.0, 0.5));
        assert_eq!(paced(&mut illinois(), 15.0, 100), (10.0, 0.125));
        let mut i = illinois();
        i.delays = RttRange { least: Some(Span::from_millis(100)), most: Span::from_millis(100) };
        i.round = Round { end: 0, sum: Span::from_millis(100), samples: 1 };
        i.update_aimd(&Window { cwnd: 20.0, ssthresh: 1.0 });
        assert_eq!(i.now, AimdParameters { alpha: 10.0, beta: 0.125 });
    }

    // theta = 5: after a delay above d_1, alpha does not change for four rounds with a delay below d_1.
    // Another delay above d_1 restarts the count.
    #[test]
    fn alpha_max_needs_five_rounds_of_low_delay() {
        let mut i = illinois();
        let alphas = |i: &mut Illinois, delays: &[u64]| -> Vec<f64> {
            delays.iter().map(|delay| (paced(i, 20.0, 100 + delay).0 * 100.0).round() / 100.0).collect()
        };
        assert_eq!(alphas(&mut i, &[0, 100, 0, 0, 0, 0, 0, 0]), [10.0, 0.3, 0.3, 0.3, 0.3, 0.3, 10.0, 10.0]);
        assert_eq!(alphas(&mut i, &[45, 0, 0, 100, 0, 0, 0, 0, 0]), [0.65, 0.65, 0.65, 0.3, 0.3, 0.3, 0.3, 0.3, 10.0]);
    }

    // A loss reduces the window by the fraction beta. After a timeout the window is one segment, and alpha
    // and beta are Reno's.
    #[test]
    fn losses_reduce_the_illinois_window_by_beta() {
        let loss = |signal| Loss { now: Time::ZERO, signal, halving_base: Some(80.0), halved_base: 40.0, halved_cwnd: 40.0 };
        let s = SenderState::new(&Preset::Ns2.config(1000));
        for (mean, left) in [(100, 70.0), (124, 64.0), (200, 40.0)] {
            let mut i = illinois();
            paced(&mut i, 80.0, mean);
            let mut w = Window { cwnd: 80.0, ssthresh: 20.0 };
            i.on_loss(&mut w, &loss(CongestionSignal::Duplicates), &s);
            is_near(w.cwnd, left);
            is_near(w.ssthresh, left);
            i.on_loss(&mut w, &loss(CongestionSignal::Timeout), &s);
            is_near(w.ssthresh, left);
            assert_eq!((w.cwnd, i.now), (1.0, RENO));
        }
    }

    // alpha and beta are computed once per round from the mean of the round's samples; each ACK grows the
    // window by alpha/cwnd.
    #[test]
    fn alpha_and_beta_use_the_mean_rtt_of_a_round() {
        let mut i = illinois();
        let mut s = SenderState::new(&Preset::Ns2.config(1000));
        let mut w = Window { cwnd: 20.0, ssthresh: 5.0 };
        let mut ack = |i: &mut Illinois, w: &mut Window, rtt: u64| {
            s.una += 1000;
            s.nxt = s.una + 3000;
            let rtt = Span::from_millis(rtt);
            let ack = Ack { newest_rtt: Some(rtt), ..Ack::with_acked_bytes(Time::ZERO + rtt, 1000) };
            i.observe_ack(&ack, &s);
            let before = w.cwnd;
            i.on_ack(w, &ack, &s);
            (w.cwnd - before) * before
        };
        // The first ACK ends a round. The next four ACKs form a round: 100, 200, 150, 150 ms, with a mean
        // delay of half of the maximum.
        let grown: Vec<f64> = [100, 100, 200, 150, 150].map(|rtt| ack(&mut i, &mut w, rtt)).to_vec();
        grown[..4].iter().for_each(|&alpha| is_near(alpha, 10.0));
        is_near(grown[4], 99.0 * 3.0 / (99.0 * 0.3 + 49.0 * 9.7));
    }
}
