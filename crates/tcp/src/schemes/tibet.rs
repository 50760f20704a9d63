use super::{ReceiverFeatures, Param, Scheme, build_recovery};
use crate::control::Reno;
use crate::estimators::DepartureRate;
use crate::notices::IgnoreNotices;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, NextSegment, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

pub(super) static SCHEME: Scheme = Scheme {
    name: "tibet",
    title: "TCP TIBET",
    family: "bandwidth estimation",
    preset: None,
    about: "The sending rate is computed from the means of segment lengths and of the gaps between segments, which avoids a \
            bias by bursts. After a loss ssthresh is this rate times RTTmin, the smallest round-trip time. As RTTmin may \
            include queueing, every sign of congestion lowers it by a factor.",
    applicability: "With occasional random losses on a path with a long round trip. With frequent signs of congestion RTTmin and \
            ssthresh decay to their minimums: the sender then never leaves congestion avoidance.",
    citation: "A. Capone, L. Fratta and F. Martignon, Bandwidth Estimation Schemes for TCP over Wireless \
           Networks, IEEE Trans. Mobile Computing 3(2), 2004",
    network_requirements: &[],
    params: &[
        Param::with_range("rttmin_factor", 0.95, (0.0, 1.0), "factor of RTTmin at a sign of congestion"),
        Param::with_range(
            "rttmin_floor",
            0.0,
            (0.0, 1.0),
            "floor of RTTmin, as a share of the smallest RTT sample; 0 = the paper's, none",
        ),
        RECOVERY,
        Param::with_range("t0", 1.0, (1e-3, 1e3), "time constant of the rate's second filter, s"),
    ],
    verified_rules: &["filtered departures, CSFQ's filter, and an RTTmin that decays with congestion: Yun 2009 §2.2"],
    reconstructed_rules: &[
        "weight 0.99 of the past in the means, time constant 1 s",
        "rttmin_factor: \"a reducing factor less than one\" (Yun 2009 §2.2), interpreted as 0.95",
        "plain means until the weight of the past is reached, and the second filter begins with the first \
         rate",
        "timeouts also lower RTTmin",
        "recovery: Yun 2009 does not name TIBET's loss recovery",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(Tibet {
            factor: p.get("rttmin_factor"),
            floor: p.get("rttmin_floor"),
            departures: DepartureRate::new(p.get("t0")),
            least_measured: f64::INFINITY,
            rtt_min: f64::INFINITY,
        }),
        recovery: build_recovery(&RECOVERY, p, c),
        notices: Box::new(IgnoreNotices),
    },
};

const RECOVERY: Param = Param::with_choices(
    "recovery",
    &["newreno", "reno"],
    "loss recovery: newreno = one hole per round trip; reno = fast retransmit and fast recovery, which ends at the first new ACK",
);

#[derive(Debug)]
struct Tibet {
    factor: f64,
    floor: f64,
    departures: DepartureRate,
    /// Smallest RTT sample in seconds, and RTTmin after its decay. Infinite before the first sample.
    least_measured: f64,
    rtt_min: f64,
}

impl Tibet {
    /// Returns the window in segments: departure rate times RTTmin. `None` before the first rate or RTT
    /// sample.
    fn estimated_window(&self, s: &SenderState) -> Option<f64> {
        let rate = self.departures.bytes_per_second().filter(|_| self.rtt_min.is_finite())?;
        Some((rate * self.rtt_min / s.mss as f64).max(2.0))
    }
}

impl CongestionControl for Tibet {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        self.rtt_min = (self.rtt_min * self.factor).max(self.floor * self.least_measured);
        w.ssthresh = self.estimated_window(s).unwrap_or(l.halved_base);
        w.cwnd = if l.signal == CongestionSignal::Timeout { 1.0 } else { w.cwnd.min(w.ssthresh) };
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        if let Some(rtt) = a.newest_rtt {
            self.least_measured = self.least_measured.min(rtt.secs_f64());
            self.rtt_min = self.rtt_min.min(rtt.secs_f64());
        }
    }

    fn on_sent(&mut self, now: Time, sent: &NextSegment) {
        self.departures.on_departure(now, sent.end - sent.start);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Span;

    // 100 segments per second at 200 ms are 20 segments. Yun 2009 §2.2: every sign of congestion reduces
    // RTTmin, so that RTTmin "goes eventually to zero". The window is 20 · 0.95^n, and at least two segments.
    // With a minimum factor of 1 the window stays at 20.
    #[test]
    fn every_congestion_event_reduces_rttmin() {
        for (floor, after_ten, after_a_hundred) in [(0.0, 20.0 * 0.95f64.powi(10), 2.0), (1.0, 20.0, 20.0)] {
            let mut departures = DepartureRate::new(1.0);
            (0..50).for_each(|k| departures.on_departure(Time::ZERO + Span::from_millis(10 * k), 1000));
            let mut tibet =
                Tibet { factor: 0.95, floor, departures, least_measured: 0.2, rtt_min: 0.2 };
            let state = SenderState::new(&Preset::Ns2.config(1000));
            let mut w = Window { cwnd: 30.0, ssthresh: 30.0 };
            for n in 1..=100 {
                let loss = Loss { now: Time::ZERO, signal: CongestionSignal::Duplicates, halving_base: Some(30.0), halved_base: 15.0, halved_cwnd: 15.0 };
                tibet.on_loss(&mut w, &loss, &state);
                if n == 10 {
                    assert!((w.ssthresh - after_ten).abs() < 1e-9 && w.cwnd == w.ssthresh, "{w:?}");
                }
            }
            assert!((w.ssthresh - after_a_hundred).abs() < 1e-9, "{w:?}");
        }
    }
}
