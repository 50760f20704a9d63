use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::config::{WindowGrowth, CwndValidation};
use crate::control::{Reno, increase_window};
use crate::estimators::min_with_sample;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, Window};
use crate::sender_state::SenderState;
use airhop_base::{Rate, Span, Time};

pub(super) static SCHEME: Scheme = Scheme {
    name: "hybla",
    title: "TCP Hybla",
    family: "loss-based",
    preset: Some(crate::Preset::Linux),
    about: "The window of a connection whose round-trip time is rho times 25 ms grows as fast in time as that of a connection \
            with 25 ms: each \
            ACK adds 2^rho - 1 segments in slow start and rho²/cwnd in congestion avoidance. Losses halve the window \
            as in Reno. The first ACKs estimate the bandwidth-delay product, at which slow start ends, and segments \
            are spaced over the round trip.",
    applicability: "On satellite links and other long links with random losses: the rate does not decrease with the round-trip time, and flows \
    with long round trips obtain their share beside flows with short ones. In the form of Linux, which neither estimates the \
    bandwidth-delay product nor spaces segments, slow start overshoots a long path by tens of thousands of segments. With round-trip times \
    below 25 ms, Hybla is Reno.",
    citation: "C. Caini and R. Firrincieli, TCP Hybla: a TCP enhancement for heterogeneous networks, International Journal of Satellite \
           Communications and Networking 22(5), 2004",
    network_requirements: &[],
    params: &[
        Param::with_range("rtt0", 25.0, (1.0, 10_000.0), "RTT0, ms: the round trip of the reference connection, whose growth Hybla matches"),
        Param::with_choices(
            "form",
            &["paper", "linux"],
            "paper: slow start ends at an estimate of the bandwidth-delay product (Hoe 1996), and segments are spaced over the \
             round trip, as Hybla's paper recommends; linux: neither of these",
        ),
    ],
    verified_rules: &[
        "both increments, by hand; with Linux' source: rho at least 1, from the smallest round trip so far, no window above 65535 \
         segments, and with form linux no growth in slow start unless more than half of the window is used",
        "goodput at 25 and at 300 ms with 0.1 % losses does not fall with the round trip: the model of the paper",
    ],
    reconstructed_rules: &[
        "rho is computed from the smallest round trip of a single segment; in Linux from the smallest smoothed round trip",
        "with growth by bytes (preset linux) an ACK counts as often as it acknowledges segments; in Linux it counts once",
        "only the receive window bounds the outstanding data: the send buffer of a Linux host, at most 4 MiB by \
         default, would limit the overshoot of form linux to a few thousand segments; tcp.receive_window can model it",
        "the initial window is rho segments, or more if more are configured; a finite initial threshold is multiplied by rho (the paper)",
        "the estimate is the ACK rate of the first flight, which leaves in one burst, times the smallest round trip; \
         the window does not grow before the estimate is known",
    ],
    features: ReceiverFeatures { paces: true, ..ReceiverFeatures::SACK },
    build: &|p, c| SenderPolicies { control: Box::new(Hybla::new(p)), recovery: recovery::sack(c), notices: Box::new(IgnoreNotices) },
};

#[derive(Debug)]
struct Hybla {
    rtt0: f64,
    form: Version,
    least: Option<Span>,
    beginning: FirstFlight,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Version {
    Paper,
    Linux,
}

/// Progress of the ACKs for the first flight.
#[derive(Clone, Copy, Debug, PartialEq)]
enum FirstFlight {
    /// No ACK has arrived.
    Quiet,
    /// Some data is acknowledged. The fields are the time and lowest unacknowledged byte of the first ACK,
    /// and the first byte after the flight.
    Heard { since: Time, una: u64, end: u64 },
    /// All data is acknowledged, or a segment was lost. The window may grow.
    Over,
}

/// Maximum window of Linux in segments. A single ACK could otherwise exceed the maximum.
const MAX_CWND: f64 = 65_535.0;

impl Hybla {
    fn new(p: &Params) -> Self {
        Hybla {
            rtt0: p.get("rtt0") / 1e3,
            form: if p.choice("form") == 0 { Version::Paper } else { Version::Linux },
            least: None,
            beginning: FirstFlight::Quiet,
        }
    }

    /// Returns rho, the ratio of the RTT to the RTT of the reference connection, at least 1.
    fn rho(&self) -> f64 {
        self.least.map_or(1.0, |least| (least.secs_f64() / self.rtt0).max(1.0))
    }

    /// Processes an ACK of the first flight. Returns true if the window may grow. The initial window is rho
    /// segments, and ssthresh is rho times the ssthresh of the reference connection (Caini and Firrincieli
    /// 2004). If that ssthresh is infinite, the estimated bandwidth-delay product is used (Hoe 1996).
    fn on_first_flight_ack(&mut self, w: &mut Window, now: Time, s: &SenderState) -> bool {
        let estimates = self.form == Version::Paper && w.ssthresh.is_infinite();
        match self.beginning {
            FirstFlight::Over => return true,
            FirstFlight::Quiet if estimates && s.una < s.sent_end => {
                self.beginning = FirstFlight::Heard { since: now, una: s.una, end: s.sent_end };
                return false;
            }
            FirstFlight::Heard { end, .. } if s.una < end => return false,
            FirstFlight::Heard { since, una, .. } if now > since => {
                let rate = (s.una - una) as f64 / s.mss as f64 / (now - since).secs_f64();
                let held = self.least.map_or(f64::INFINITY, |least| rate * least.secs_f64());
                w.ssthresh = held.max(2.0);
            }
            FirstFlight::Heard { .. } => {}
            FirstFlight::Quiet => w.ssthresh *= self.rho(),
        }
        self.beginning = FirstFlight::Over;
        w.cwnd = w.cwnd.max(self.rho());
        true
    }

    /// Grows the window in slow start for an ACK that counts for `segments` segments.
    fn grow_in_slow_start(&self, w: &mut Window, segments: f64) {
        let step = libm::exp2(self.rho()) - 1.0;
        w.cwnd = (w.cwnd + step * segments).min(w.ssthresh);
    }
}

impl CongestionControl for Hybla {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        // A single ACK may increase the window by thousands of segments. In Linux the next ACKs do not increase the
        // window before the flight has used it.
        let is_used = self.form == Version::Paper || s.window_usage.permits_growth(CwndValidation::Full, w);
        if !self.on_first_flight_ack(w, a.now, s) {
            return;
        }
        if w.in_slow_start() {
            if is_used {
                self.grow_in_slow_start(w, match s.growth {
                    WindowGrowth::PerAck => 1.0,
                    WindowGrowth::PerByte => a.growth_bytes as f64 / s.mss as f64,
                });
            }
        } else {
            increase_window(w, self.rho() * self.rho(), a, s);
        }
        w.cwnd = w.cwnd.min(MAX_CWND);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        self.beginning = FirstFlight::Over;
        Reno.on_loss(w, l, s)
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        if let Some(rtt) = a.newest_rtt {
            self.least = min_with_sample(self.least, rtt);
        }
    }

    fn pacing_rate(&self, w: &Window, s: &SenderState) -> Option<Rate> {
        let is_paced = self.form == Version::Paper && self.beginning == FirstFlight::Over;
        let srtt = s.srtt.filter(|_| is_paced)?;
        Some(Rate::from_bps_f64(w.cwnd * s.mss as f64 * 8.0 / srtt.secs_f64()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    const MSS: u64 = 1000;

    /// Returns a sender after its first flight, with a minimum RTT of `ms` milliseconds.
    fn of(ms: u64) -> Hybla {
        let least = Some(Span::from_millis(ms));
        Hybla { least, beginning: FirstFlight::Over, ..Hybla::new(&Params::defaults(&SCHEME)) }
    }

    /// Returns the window after an ACK of two segments.
    fn after(mut h: Hybla, preset: Preset, w: Window) -> f64 {
        let mut w = w;
        let acked = 2 * MSS;
        let ack =
            Ack::with_acked_bytes(Time::ZERO, acked);
        h.on_ack(&mut w, &ack, &SenderState::new(&preset.config(MSS as u32)));
        w.cwnd
    }

    // Caini and Firrincieli 2004: the window grows by 2^rho - 1 per ACK in slow start, then by rho²/cwnd. rho
    // is 1 for an RTT up to 25 ms (Reno), and the window is at most 65535. With growth per byte each of the
    // two segments counts.
    #[test]
    fn rho_scales_slow_start_and_congestion_avoidance() {
        let start = Window { cwnd: 10.0, ssthresh: 1e9 };
        let avoid = Window { cwnd: 10.0, ssthresh: 5.0 };
        for (ms, exponential, linear) in
            [(10, 1.0, 0.1), (25, 1.0, 0.1), (50, 3.0, 0.4), (75, 7.0, 0.9), (60, 4.278_031_643_091_577, 0.576)]
        {
            for (preset, counted) in [(Preset::Ns2, 1.0), (Preset::Linux, 2.0)] {
                assert!((after(of(ms), preset, start) - 10.0 - counted * exponential).abs() < 1e-9, "{ms}");
                assert!((after(of(ms), preset, avoid) - 10.0 - counted * linear).abs() < 1e-9, "{ms}");
            }
        }
        assert_eq!(after(of(1000), Preset::Ns2, start), 65_535.0, "not 2^40");
        assert_eq!(after(of(100), Preset::Ns2, Window { cwnd: 10.0, ssthresh: 20.0 }), 20.0, "not beyond the threshold");
    }

    // Linux, tcp_is_cwnd_limited(): with 2^4 - 1 segments per ACK, the first ACK of a flight of ten increases
    // the window by 15. The second ACK does not increase it, because ten is less than half of the window. The
    // paper paces segments and has no such rule.
    #[test]
    fn linux_hybla_does_not_grow_a_half_unused_window() {
        for (form, windows) in [(Version::Linux, [25.0, 25.0, 25.0, 40.0]), (Version::Paper, [25.0, 40.0, 55.0, 70.0])] {
            let mut h = Hybla { form, ..of(100) };
            let mut w = Window { cwnd: 10.0, ssthresh: 1e9 };
            let ack =
                Ack::with_acked_bytes(Time::ZERO, MSS);
            let after = [10, 9, 12, 13].map(|outstanding| {
                let mut s = SenderState::new(&Preset::Ns2.config(MSS as u32));
                s.window_usage.record_transmission(outstanding, false, 1, 1 + outstanding * MSS);
                h.on_ack(&mut w, &ack, &s);
                w.cwnd
            });
            assert_eq!(after, windows, "{form:?}");
        }
    }

    /// Returns the window after each ACK of a first flight of ten segments, at an RTT of 100 ms. `acks`
    /// contains the arrival time in ms and the number of segments of each ACK.
    fn begun(form: Version, ssthresh: f64, acks: &[(u64, u64)]) -> Vec<Window> {
        let mut h = Hybla { beginning: FirstFlight::Quiet, form, ..of(100) };
        let mut s = SenderState { una: 1, nxt: 10_001, sent_end: 10_001, ..SenderState::new(&Preset::Ns2.config(MSS as u32)) };
        s.window_usage.record_transmission(10, true, 1, 10_001);
        let mut w = Window { cwnd: 2.0, ssthresh };
        let mut hear = |&(ms, segments): &(u64, u64)| {
            let now = Time::ZERO + Span::from_millis(ms);
            let ack = Ack::with_acked_bytes(now, MSS);
            let una = 1 + segments * MSS;
            h.on_ack(&mut w, &ack, &SenderState { una, nxt: s.nxt.max(una), ..s.clone() });
            w
        };
        acks.iter().map(&mut hear).collect()
    }

    // Hoe 1996: eight segments in 8 ms are a thousand per second, and the bandwidth-delay product is 100
    // segments. The initial window is rho = 4, and the window grows by 15 per ACK. ACKs with equal times
    // yield no estimate. A finite ssthresh is multiplied by rho, and the window grows from the first ACK on.
    #[test]
    fn hoe_estimate_and_rho_set_initial_window_and_ssthresh() {
        let w = |cwnd, ssthresh| Window { cwnd, ssthresh };
        let flight = [(102, 2), (106, 6), (110, 10), (111, 11)];
        let (none, held) = (w(2.0, f64::INFINITY), 100.0);
        assert_eq!(begun(Version::Paper, f64::INFINITY, &flight), [none, none, w(19.0, held), w(34.0, held)]);
        let together = [(102, 2), (102, 10)];
        assert_eq!(begun(Version::Paper, f64::INFINITY, &together), [none, w(19.0, f64::INFINITY)]);
        assert_eq!(begun(Version::Paper, f64::INFINITY, &[(102, 10)]), [w(19.0, f64::INFINITY)]);
        assert_eq!(begun(Version::Linux, f64::INFINITY, &flight)[0], w(19.0, f64::INFINITY));
        assert_eq!(begun(Version::Paper, 8.0, &flight)[..2], [w(19.0, 32.0), w(32.0, 32.0)]);
    }

    // Linux: rho follows the minimum RTT, so it never increases.
    #[test]
    fn rho_follows_the_minimum_rtt() {
        let mut h = Hybla::new(&Params::defaults(&SCHEME));
        let mut s = SenderState::new(&Preset::Ns2.config(MSS as u32));
        let mut rho = |rtt: u64| {
            s.una += MSS;
            let ack = Ack { newest_rtt: Some(Span::from_millis(rtt)), ..Ack::with_acked_bytes(Time::ZERO, MSS) };
            h.observe_ack(&ack, &s);
            h.rho()
        };
        assert_eq!([rho(100), rho(200), rho(50), rho(100), rho(5)], [4.0, 4.0, 2.0, 2.0, 1.0]);
    }

    // Packet spacing of the paper: the pacing rate is a window per round trip.
    #[test]
    fn the_hybla_pacing_rate_is_a_window_per_round_trip() {
        let s = SenderState { srtt: Some(Span::from_millis(100)), ..SenderState::new(&Preset::Ns2.config(MSS as u32)) };
        let w = Window { cwnd: 20.0, ssthresh: 5.0 };
        assert_eq!(of(100).pacing_rate(&w, &s), Some(Rate::from_bps(1_600_000)));
        assert_eq!(Hybla { form: Version::Linux, ..of(100) }.pacing_rate(&w, &s), None);
        // One byte in ten seconds, in integer bits per second, is a rate of zero, which counts as no rate.
        let slow = SenderState { mss: 1, srtt: Some(Span::from_secs(10)), ..s.clone() };
        let w = Window { cwnd: 1.0, ssthresh: 1.0 };
        assert_eq!(of(100).pacing_rate(&w, &slow), Some(Rate::from_bps(1)));
        assert_eq!(Hybla { beginning: FirstFlight::Quiet, ..of(100) }.pacing_rate(&w, &s), None, "one burst");
    }
}
