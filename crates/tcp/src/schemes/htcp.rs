use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::control::{decrease_window, increase_window};
use crate::estimators::min_with_sample;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, Window};
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};

pub(super) static SCHEME: Scheme = Scheme {
    name: "htcp",
    title: "H-TCP",
    family: "loss-based",
    preset: Some(crate::Preset::Linux),
    about: "The window grows faster with the time since the last loss: as Reno's for one second, then by a quadratic \
            function of the time. A loss reduces the window to the share RTTmin/RTTmax, between 0.5 and 0.8, which just empties the queue. \
            If the rate has changed by more than 20 % since the previous loss, the loss halves the window.",
    applicability: "On fast and long paths with few losses, and with queues that are long for their link. With more than one random loss per \
    second the window grows as that of Reno.",
    citation: "D. Leith and R. Shorten, H-TCP: TCP for High-Speed and Long-Distance Networks, PFLDnet 2004; draft-leith-tcp-htcp-06, 2008",
    network_requirements: &[],
    params: &[
        Param::with_range("delta_l", 1.0, (0.0, 1000.0), "time after a loss with Reno's growth, s"),
        Param::with_range("delta_b", 0.2, (0.0, 1.0), "relative change of the rate between two losses above which the second loss halves the window"),
        Param::with_choices(
            "rtt_scaling",
            &["on", "off"],
            "on: growth per round trip in proportion to the smallest round trip, with a factor of 1 at 100 ms, limited to 0.1 \
             to 2, and never slower than Reno's growth (Linux); off: the draft without this option",
        ),
    ],
    verified_rules: &[
        "alpha, the reduction at a loss and its bounds, the switch on a change of the rate, 2(1 - beta), the scaling \
         and its bounds: Linux' and FreeBSD's sources, by hand",
    ],
    reconstructed_rules: &[
        "the draft was not available: its rules are those that both sources, which cite the draft, have in common",
        "the rate is that of Linux: the maximum of a moving mean over round trips, from the fourth round trip after a loss on",
        "the longest round trip rises by at most 20 ms per sample and decays by 5 % at each loss, as in Linux",
        "the time counts from the loss (FreeBSD); in Linux it counts from the end of the recovery. Linux halves the \
         window once more after a change of the rate",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies { control: Box::new(Htcp::new(p)), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

#[derive(Debug)]
struct Htcp {
    delta_l: f64,
    delta_b: f64,
    scales: bool,
    least: Option<Span>,
    /// RTT sample of the ACK being processed.
    rtt: Option<Span>,
    beta: f64,
    memory: LossState,
    /// State before the last loss.
    before: LossState,
    /// First unsent byte at the last loss. Losses below this byte belong to the same window of data.
    point: u64,
    rate: Throughput,
}

/// Part of H-TCP's state that a loss changes. Excludes the window.
#[derive(Clone, Copy, Debug, Default)]
struct LossState {
    /// Time of the last loss, or of the first ACK; `None` before the first ACK.
    since: Option<Time>,
    /// Maximum RTT; `None` before the first sample. A sample raises the maximum by at most 20 ms. A loss
    /// moves the maximum 5 % closer to the minimum.
    longest: Option<Span>,
    /// Delivery rate before the last loss in segments per second; `None` before the first loss, or if no rate
    /// was measured before that loss.
    rate: Option<f64>,
}

/// Minimum and maximum fraction of the window that remains after a loss.
const BETA: (f64, f64) = (0.5, 0.8);
/// Reference RTT with scaling factor 1, in seconds, and bounds of the factor.
const REFERENCE_RTT_SECS: f64 = 0.1;
const RTT_SCALE_RANGE: (f64, f64) = (0.1, 2.0);
/// Maximum increase of the maximum RTT by one sample. Limits the effect of a delayed ACK (Linux).
const MAX_RTT_INCREASE: Span = Span::from_millis(20);

impl Htcp {
    fn new(p: &Params) -> Self {
        Htcp {
            delta_l: p.get("delta_l"),
            delta_b: p.get("delta_b"),
            scales: p.choice("rtt_scaling") == 0,
            least: None,
            rtt: None,
            beta: BETA.0,
            memory: LossState::default(),
            before: LossState::default(),
            point: 0,
            rate: Throughput::default(),
        }
    }

    /// Returns the window growth per round trip in segments, `delta` seconds after the last loss.
    fn alpha(&self, delta: f64) -> f64 {
        let late = (delta - self.delta_l).max(0.0);
        let mut alpha = 1.0 + 10.0 * late + (late / 2.0) * (late / 2.0);
        if let Some(least) = self.least.filter(|_| self.scales) {
            alpha = (alpha * (least.secs_f64() / REFERENCE_RTT_SECS).clamp(RTT_SCALE_RANGE.0, RTT_SCALE_RANGE.1)).max(1.0);
        }
        2.0 * (1.0 - self.beta) * alpha // Reno's mean rate, for any beta
    }

    /// Returns the fraction of the window that a loss would leave now.
    fn adaptive_beta(&self) -> f64 {
        let has_changed = match (self.memory.rate, self.rate.greatest) {
            (Some(before), Some(now)) => (now - before).abs() > self.delta_b * before,
            _ => true,
        };
        match (self.least, self.memory.longest) {
            (Some(least), Some(longest)) if !has_changed && longest > Span::ZERO => {
                (least.secs_f64() / longest.secs_f64()).clamp(BETA.0, BETA.1)
            }
            _ => BETA.0,
        }
    }

    /// Adds an RTT sample that was measured outside recovery.
    fn add_rtt_sample(&mut self, rtt: Span) {
        let least = self.least.unwrap_or(rtt);
        let longest = self.memory.longest.unwrap_or(least).max(least);
        self.memory.longest = Some(if rtt <= longest + MAX_RTT_INCREASE { longest.max(rtt) } else { longest });
    }
}

impl CongestionControl for Htcp {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        // An ACK with SACKed data yields no sample: the time for which a segment waits until a hole is filled
        // is no queueing delay.
        if let Some(rtt) = self.rtt.filter(|_| a.delivered_bytes == a.acked_bytes) {
            self.add_rtt_sample(rtt);
        }
        let since = *self.memory.since.get_or_insert(a.now);
        let alpha = self.alpha((a.now - since).secs_f64());
        if let Some(least) = self.least {
            let is_settled = a.now - since >= least * 4;
            self.rate.on_ack(a.now, a.delivered_bytes as f64 / s.mss as f64, w.cwnd - alpha, least, is_settled);
        }
        increase_window(w, alpha, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        if s.una >= self.point {
            self.before = self.memory;
        }
        self.point = s.sent_end;
        self.beta = self.adaptive_beta();
        decrease_window(w, self.beta, l);
        let longest = match (self.least, self.memory.longest) {
            (Some(least), Some(longest)) if longest > least => Some(least + (longest - least) * 19 / 20),
            (_, longest) => longest,
        };
        self.memory = LossState { since: Some(l.now), longest, rate: self.rate.greatest };
        self.rate.pause();
        LossClass::Congestion
    }

    fn on_spurious_reduction(&mut self, w: &mut Window, before: &Window, _: &SenderState) {
        w.restore(before);
        self.memory = self.before;
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        self.rtt = a.newest_rtt;
        if let Some(rtt) = self.rtt {
            self.least = min_with_sample(self.least, rtt);
        }
    }
}

/// Delivery rate outside recovery, measured once per round trip (Linux).
#[derive(Clone, Copy, Debug, Default)]
struct Throughput {
    began: Option<Time>,
    segments: f64,
    mean: f64,
    /// Maximum of the mean rate since the last loss; `None` without a rate sample.
    greatest: Option<f64>,
}

impl Throughput {
    /// Processes an ACK of `segments` segments outside recovery. A rate sample spans at least `least` and at
    /// least `window` segments. Until the rate settles after a loss, each sample replaces the mean.
    fn on_ack(&mut self, now: Time, segments: f64, window: f64, least: Span, is_settled: bool) {
        let Some(began) = self.began else {
            self.began = Some(now); // the next sample starts at this ACK
            return;
        };
        self.segments += segments;
        let elapsed = now - began;
        if self.segments < window || elapsed < least || elapsed == Span::ZERO {
            return;
        }
        let sample = self.segments / elapsed.secs_f64();
        if is_settled {
            self.mean = (3.0 * self.mean + sample) / 4.0;
            self.greatest = Some(self.greatest.map_or(self.mean, |greatest| greatest.max(self.mean)));
        } else {
            self.mean = sample;
            self.greatest = Some(sample);
        }
        (self.began, self.segments) = (Some(now), 0.0);
    }

    /// Ends the sample in progress at a loss. Data delivered in recovery does not count.
    fn pause(&mut self) {
        (self.began, self.segments) = (None, 0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::seams::CongestionSignal;

    const MSS: u64 = 1000;

    fn ms(ms: u64) -> Span {
        Span::from_millis(ms)
    }

    fn htcp(given: &[(&str, f64)]) -> Htcp {
        let mut p = Params::defaults(&SCHEME);
        given.iter().for_each(|&(name, value)| p.set(&SCHEME, name, value).expect("a parameter"));
        Htcp::new(&p)
    }

    fn is_near(value: f64, expected: f64) {
        assert!((value - expected).abs() < 1e-9, "{value}, not {expected}");
    }

    // f(Delta) = 1 + 10 (Delta - Delta_L) + ((Delta - Delta_L) / 2)², and f = 1 in the first second; the
    // growth is 2 (1 - beta) f.
    #[test]
    fn alpha_grows_with_the_time_since_the_last_loss() {
        let plain = htcp(&[("rtt_scaling", 1.0)]);
        for (delta, expected) in [(0.0, 1.0), (1.0, 1.0), (1.5, 6.0625), (3.0, 22.0), (11.0, 126.0)] {
            is_near(plain.alpha(delta), expected);
            is_near(Htcp { beta: 0.8, ..htcp(&[("rtt_scaling", 1.0)]) }.alpha(delta), 0.4 * expected);
        }
        is_near(htcp(&[("rtt_scaling", 1.0), ("delta_l", 2.0)]).alpha(4.0), 22.0);
    }

    // Scaling by the RTT: the growth is 22 segments at 100 ms. The factor lies between 0.1 and 2, and the
    // growth is at least 1.
    #[test]
    fn rtt_scaling_multiplies_the_growth() {
        for (rtt, expected) in [(100, 22.0), (50, 11.0), (5, 2.2), (300, 44.0)] {
            let scaled = Htcp { least: Some(ms(rtt)), ..htcp(&[]) };
            is_near(scaled.alpha(3.0), expected);
        }
        is_near(Htcp { least: Some(ms(5)), ..htcp(&[]) }.alpha(0.0), 1.0);
        is_near(Htcp { least: Some(ms(300)), ..htcp(&[]) }.alpha(0.0), 2.0);
    }

    // beta = RTTmin/RTTmax, between 0.5 and 0.8. beta is 0.5 if the rate has changed by more than a fifth, or
    // if there is no previous rate.
    #[test]
    fn beta_is_the_rtt_ratio_or_half_after_a_rate_change() {
        let with = |longest, before, now| {
            let memory = LossState { since: None, longest: Some(ms(longest)), rate: before };
            let rate = Throughput { greatest: Some(now), ..Throughput::default() };
            let mut h = Htcp { least: Some(ms(60)), memory, rate, ..htcp(&[]) };
            let mut w = Window { cwnd: 110.0, ssthresh: 10.0 };
            let loss = Loss { now: Time::ZERO, signal: CongestionSignal::Duplicates, halving_base: Some(100.0), halved_base: 50.0, halved_cwnd: 50.0 };
            assert_eq!(h.on_loss(&mut w, &loss, &SenderState::new(&Preset::Ns2.config(1000))), LossClass::Congestion);
            assert_eq!((w.cwnd, h.memory.rate), (w.ssthresh, Some(now)));
            (w.cwnd / 100.0, h.memory.longest.expect("as before"))
        };
        // After a loss the maximum RTT decreases by 5 % of its excess over the minimum.
        assert_eq!(with(100, Some(1000.0), 1000.0), (0.6, ms(98)));
        assert_eq!(with(160, Some(1000.0), 1200.0), (0.5, ms(155)));
        assert_eq!(with(62, Some(1000.0), 800.0), (0.8, Span::from_micros(61_900)));
        assert_eq!(with(100, Some(1000.0), 1201.0).0, 0.5);
        assert_eq!(with(100, Some(1000.0), 799.0).0, 0.5);
        assert_eq!(with(100, None, 1000.0).0, 0.5);
    }

    // The RTT may be zero in a simulation. The ratio of two zero RTTs is undefined, so beta is 0.5.
    #[test]
    fn rtts_of_zero_halve_the_window() {
        let memory = LossState { since: None, longest: Some(Span::ZERO), rate: Some(1000.0) };
        let rate = Throughput { greatest: Some(1000.0), ..Throughput::default() };
        assert_eq!(Htcp { least: Some(Span::ZERO), memory, rate, ..htcp(&[]) }.adaptive_beta(), 0.5);
    }

    /// Delivers ACKs of one segment each. `acks` contains the arrival time and RTT of each ACK.
    fn fed(h: &mut Htcp, acks: impl Iterator<Item = (u64, u64)>) -> Window {
        let mut s = SenderState::new(&Preset::Ns2.config(MSS as u32));
        let mut w = Window { cwnd: 5.0, ssthresh: 2.0 };
        for (now, rtt) in acks {
            s.una += MSS;
            s.nxt = s.una;
            let ack = Ack { newest_rtt: Some(ms(rtt)), ..Ack::with_acked_bytes(Time::ZERO + ms(now), MSS) };
            h.observe_ack(&ack, &s);
            h.on_ack(&mut w, &ack, &s);
        }
        w
    }

    // Linux: a sample raises the maximum RTT only if it is at most 20 ms longer.
    #[test]
    fn a_late_ack_does_not_raise_the_maximum_rtt() {
        let longest = |rtts: &[u64]| {
            let mut h = htcp(&[]);
            fed(&mut h, rtts.iter().enumerate().map(|(i, &rtt)| (300 + i as u64, rtt)));
            h.memory.longest
        };
        assert_eq!(longest(&[100, 120, 140, 130]), Some(ms(140)));
        assert_eq!(longest(&[100, 121]), Some(ms(100)));
        assert_eq!(longest(&[100, 260, 115, 60]), Some(ms(115)));
    }

    // A segment every 10 ms is a rate of 100 per second; a rate sample covers a window, and at least a round
    // trip. Then segments arrive every 5 ms for a second. The mean converges to 200, with a weight of 1/4 for
    // a new sample, and the maximum of the mean does not change when the rate decreases again.
    #[test]
    fn the_rate_estimate_covers_a_window_and_a_round_trip() {
        let mut h = htcp(&[("delta_l", 1000.0)]);
        fed(&mut h, (0..100).map(|i| (100 + 10 * i, 50)));
        let rate = h.rate.greatest.expect("rounds have passed");
        assert!((rate - 100.0).abs() < 1.0, "{rate}");
        let mut h = htcp(&[("delta_l", 1000.0)]);
        fed(&mut h, (0..400).map(|i| (100 + if i < 200 { 5 * i } else { 1000 + 20 * (i - 200) }, 50)));
        let rate = h.rate.greatest.expect("rounds have passed");
        assert!((rate - 200.0).abs() < 2.0, "{rate}");
        assert!(h.rate.mean < 100.0, "{}", h.rate.mean);
    }

    // Linux: a new sample has a weight of 1/4; just after a loss the sample replaces the mean.
    #[test]
    fn the_rate_is_a_moving_mean_with_weight_one_quarter() {
        let mut rate = Throughput::default();
        let mut means = Vec::new();
        for (now, segments, is_settled) in [(0, 5.0, false), (100, 10.0, false), (200, 20.0, true), (300, 5.0, true)] {
            rate.on_ack(Time::ZERO + ms(now), segments, 5.0, ms(50), is_settled);
            means.push((rate.mean, rate.greatest));
        }
        assert_eq!(means, [(0.0, None), (100.0, Some(100.0)), (125.0, Some(125.0)), (106.25, Some(125.0))]);
    }

    // A loss restarts the time since the last loss. If the loss was spurious, the time is restored (Linux),
    // even after a timeout in the same window of data.
    #[test]
    fn a_spurious_loss_restores_the_time_since_the_last_loss() {
        let mut h = htcp(&[]);
        let s = SenderState { una: 1001, sent_end: 9001, ..SenderState::new(&Preset::Ns2.config(MSS as u32)) };
        let (early, late) = (Time::ZERO + ms(1000), Time::ZERO + ms(5000));
        h.memory = LossState { since: Some(early), longest: Some(ms(90)), rate: Some(7.0) };
        h.least = Some(ms(50));
        let before = Window { cwnd: 40.0, ssthresh: 20.0 };
        let mut w = before;
        for signal in [CongestionSignal::Duplicates, CongestionSignal::Timeout] {
            h.on_loss(&mut w, &Loss { now: late, signal, halving_base: Some(40.0), halved_base: 20.0, halved_cwnd: 20.0 }, &s);
            assert_eq!((h.memory.since, h.memory.rate), (Some(late), None));
        }
        h.on_spurious_reduction(&mut w, &before, &s);
        assert_eq!(w, before);
        assert_eq!((h.memory.since, h.memory.longest, h.memory.rate), (Some(early), Some(ms(90)), Some(7.0)));
    }
}
