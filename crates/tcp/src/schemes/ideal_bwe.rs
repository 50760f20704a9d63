use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, PathTruth, Window};
use crate::sender_state::SenderState;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ideal-bwe",
    title: "Ideal bandwidth estimation",
    family: "bandwidth estimation",
    preset: None,
    about: "A sender that reads its exact share of the bottleneck and the round-trip time of the empty path from the \
            simulator. After a loss its window is the product of these two values.",
    applicability: "Ideal bandwidth estimation is the upper bound of schemes that set the window to an estimated bandwidth-delay \
            product: the remaining difference from the link's capacity is not caused by the estimator.",
    citation: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless \
           Networks, EURASIP JWCN 2009, 617818 (§5, \"ideal BWE\")",
    network_requirements: &["truth"],
    params: &[
        Param::with_choices(
            "share",
            &["fair", "whole"],
            "known bandwidth: fair = an equal share, among TCP connections, of the capacity that UDP leaves; whole = the \
             capacity of the bottleneck",
        ),
        Param::with_choices(
            "round_trip",
            &["empty", "measured"],
            "known round trip: empty = with empty queues; measured = SRTT, queueing delay included",
        ),
    ],
    verified_rules: &[],
    reconstructed_rules: &[
        "share and round_trip: the paper's \"knows the exact available bandwidth and RTT\" does not say which \
         bandwidth and RTT; each value is one interpretation",
        "after duplicate ACKs ssthresh and cwnd are bandwidth × RTT; after a timeout, ssthresh only",
        "growth is Reno's, loss recovery is NewReno's, and every loss counts as congestion",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(Ideal::new(p)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct Ideal {
    knows_whole: bool,
    measures: bool,
    truth: Option<PathTruth>,
}

impl Ideal {
    fn new(p: &Params) -> Self {
        Ideal {
            knows_whole: p.choice("share") == 1,
            measures: p.choice("round_trip") == 1,
            truth: None,
        }
    }

    /// Returns the bandwidth-delay product in segments, at least two; `None` before the simulator reports the
    /// path.
    fn bandwidth_delay_product(&self, s: &SenderState) -> Option<f64> {
        let t = self.truth?;
        let rate = if self.knows_whole { t.bottleneck_rate } else { t.share_rate };
        let rtt = s.srtt.filter(|_| self.measures).unwrap_or(t.base_rtt);
        Some((rate.bps() as f64 / 8.0 * rtt.secs_f64() / s.mss as f64).max(2.0))
    }
}

impl CongestionControl for Ideal {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        w.ssthresh = self.bandwidth_delay_product(s).unwrap_or(l.halved_base);
        w.cwnd = if l.signal == CongestionSignal::Timeout { 1.0 } else { w.ssthresh };
        LossClass::Congestion
    }

    fn on_path_truth(&mut self, truth: &PathTruth) {
        self.truth = Some(*truth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::{Rate, Span, Time};

    /// Returns window and ssthresh after a loss. Before the loss, the window is 20, ssthresh is 8 and the
    /// measured RTT is 96 ms. `told` is true if the simulator has reported the path.
    fn left(words: &[(&str, f64)], signal: CongestionSignal, told: bool) -> (f64, f64) {
        let mut p = Params::defaults(&SCHEME);
        words.iter().for_each(|&(name, word)| p.set(&SCHEME, name, word).expect("a parameter"));
        let mut ideal = Ideal::new(&p);
        let state = SenderState { srtt: Some(Span::from_millis(96)), ..SenderState::new(&Preset::Ns2.config(1000)) };
        if told {
            let [rate, whole] = [4_000_000, 8_000_000].map(Rate::from_bps);
            ideal.on_path_truth(&PathTruth { share_rate: rate, bottleneck_rate: whole, base_rtt: Span::from_millis(64) });
        }
        let mut w = Window { cwnd: 20.0, ssthresh: 8.0 };
        let loss = Loss { now: Time::ZERO, signal, halving_base: Some(20.0), halved_base: 10.0, halved_cwnd: 10.0 };
        assert_eq!(ideal.on_loss(&mut w, &loss, &state), LossClass::Congestion);
        (w.cwnd, w.ssthresh)
    }

    // 4 Mbit/s for 64 ms are 32 000 bytes, so the window is 32 segments, even if the window before was
    // smaller.
    #[test]
    fn the_ideal_window_is_the_bandwidth_delay_product() {
        assert_eq!(left(&[], CongestionSignal::Duplicates, false), (10.0, 10.0), "nothing was reported to the scheme");
        assert_eq!(left(&[], CongestionSignal::Duplicates, true), (32.0, 32.0));
        assert_eq!(left(&[], CongestionSignal::Timeout, true), (1.0, 32.0));
    }

    // Yun 2009 §5.3: "the exact available bandwidth and RTT". Each of the two terms is ambiguous: the
    // alternatives are twice the bandwidth here, and 1.5 times the RTT.
    #[test]
    fn two_readings_of_bandwidth_and_rtt_scale_the_window() {
        let filled = |words: &[(&str, f64)]| left(words, CongestionSignal::Duplicates, true).0;
        assert_eq!(filled(&[("share", 1.0)]), 64.0);
        assert_eq!(filled(&[("round_trip", 1.0)]), 48.0);
        assert_eq!(filled(&[("share", 1.0), ("round_trip", 1.0)]), 96.0);
        assert_eq!(left(&[("round_trip", 1.0)], CongestionSignal::Duplicates, false), (10.0, 10.0), "nothing was reported to the scheme");
    }
}
