use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::control::Reno;
use crate::estimators::{AckCredit, Backlog, WestwoodEstimator, RateFilter, queued_segments};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood",
    title: "TCP Westwood",
    family: "bandwidth estimation",
    preset: None,
    about: "The sender estimates the bandwidth by a filter of the rate at which ACKs report arrivals. After a loss the window \
            is not halved, but set to the estimated \
            bandwidth-delay product: estimate × smallest round trip.",
    applicability: "With random losses: the window remains at the bandwidth-delay product. ACKs that arrive in bunches lead to \
            overestimates of the rate, which Westwood+ avoids.",
    citation: "C. Casetti, M. Gerla, S. Mascolo, M. Y. Sanadidi and R. Wang, TCP Westwood: Bandwidth Estimation for Enhanced \
           Transport over Wireless Links, MobiCom 2001",
    network_requirements: &[],
    params: PARAMS,
    verified_rules: &[
        "compared with UCLA's modules for ns-2: the filters, the samples of zero, the number of segments for which each ACK counts, \
         and the window after a loss. A loss never raises the window, although the paper's text sets cwnd := estimate",
        "each filter converges to a constant ACK rate, and the window after a loss is within 5 % of bottleneck rate × smallest round trip",
    ],
    reconstructed_rules: &[
        "the modules measure the smallest round trip in ticks of 10 ms; in Airhop it is exact",
        "ACKs that arrive at the same time are one sample; the modules divide by zero",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(Westwood::new(p, true)),
        recovery: recovery::reno(c),
        notices: Box::new(IgnoreNotices),
    },
};

/// Parameters of the Westwood family.
pub(super) const PARAMS: &[Param] = &[FILTER, TAU, CAP];
pub(super) const FILTER: Param = Param::with_choices(
    "filter",
    &["tustin", "ewma", "bilinear", "slow-bilinear"],
    "filter of the ACK rates: tustin = the paper's filter, for unevenly spaced samples; while no ACK arrives, the filter takes a \
     sample of zero every tau/2; ewma = 0.9 × the old estimate + 0.1 × the sample; bilinear = 0.9047 × the old estimate + \
     0.0476 × the sum of the last two samples; slow-bilinear = bilinear with 0.93548 and 0.03225 in place of 0.9047 and 0.0476",
);
pub(super) const TAU: Param =
    Param::with_range("tau", 1.0, (0.02, 60.0), "time constant of the tustin filter, s; the paper names 0.5, UCLA's module has 1");
pub(super) const CAP: Param =
    Param::with_range("cap", 2.0, (1.0, 1e6), "maximum number of segments that one ACK adds to the estimate; UCLA's modules have 2");

/// Westwood's congestion control. The window grows as in Reno. A loss sets the window to the estimated
/// bandwidth-delay product.
#[derive(Debug)]
pub(super) struct Westwood {
    credit: AckCredit,
    rate: WestwoodEstimator,
    backlog: Backlog,
}

impl Westwood {
    /// Creates the congestion control. [`AckCredit::new`] explains `keeps_own`.
    pub(super) fn new(p: &Params, keeps_own: bool) -> Self {
        let smoothing = match p.choice("filter") {
            0 => RateFilter::Tustin { tau: Span::from_secs_f64(p.get("tau")) },
            1 => RateFilter::Exponential { keep: 0.9 },
            2 => RateFilter::Bilinear { keep: 0.9047, take: 0.0476 },
            _ => RateFilter::Bilinear { keep: 0.93548, take: 0.03225 },
        };
        Westwood {
            credit: AckCredit::new(p.get("cap"), keeps_own),
            rate: WestwoodEstimator::new(smoothing),
            backlog: Backlog::default(),
        }
    }

    /// Returns the number of the flow's own queued segments; `None` before the first RTT sample.
    pub(super) fn queued_segments(&self, w: &Window) -> Option<f64> {
        self.backlog.queued_segments(w.cwnd)
    }

    /// Returns the number of the flow's own queued segments at an RTT of `rtt`; `None` before the first RTT
    /// sample.
    pub(super) fn queued_segments_at(&self, w: &Window, rtt: Span) -> Option<f64> {
        Some(queued_segments(w.cwnd, self.backlog.base_rtt()?, rtt))
    }

    /// Sets ssthresh to the estimated bandwidth-delay product after a loss, and limits cwnd: "cwnd = ssthresh
    /// if cwnd > ssthresh".
    pub(super) fn set_window_to_bdp(&self, w: &mut Window, s: &SenderState) {
        w.ssthresh = bandwidth_delay_product(self.rate.bytes_per_second(), self.backlog.base_rtt(), s);
        w.cwnd = w.cwnd.min(w.ssthresh);
    }
}

/// Returns the bandwidth-delay product in segments, at least 2. `rate` is in bytes per second, and `least` is
/// the minimum RTT.
pub(super) fn bandwidth_delay_product(rate: f64, least: Option<Span>, s: &SenderState) -> f64 {
    (rate * least.map_or(0.0, Span::secs_f64) / s.mss as f64).max(2.0)
}

impl CongestionControl for Westwood {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        self.set_window_to_bdp(w, s);
        if l.signal == CongestionSignal::Timeout {
            w.cwnd = 1.0;
        }
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        let bytes = self.credit.count_bytes(a, s);
        self.rate.on_ack(a.now, bytes);
        self.backlog.on_ack(a);
    }
}
