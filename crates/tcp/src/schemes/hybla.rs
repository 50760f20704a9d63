use super::{Asks, Param, Params, Scheme};
use crate::config::Growth;
use crate::control::{Reno, increase};
use crate::meters::SendTimes;
use crate::notices::Deaf;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Next, Parts, Window};
use crate::space::Space;
use airhop_base::{Rate, Span, Time};

pub(super) static SCHEME: Scheme = Scheme {
    name: "hybla",
    title: "TCP Hybla",
    family: "loss-based",
    about: "A connection whose round trip is rho times 25 ms grows as one of 25 ms would in the same time: each ACK adds 2^rho - 1 in \
            slow start and rho²/cwnd after. Losses halve the window as ever.",
    helps: "Satellite and other long links with random losses: the rate no longer falls with the round trip, and long flows get their \
            share beside short ones. Slow start overshoots a long path by far, unless a threshold is configured or segments are \
            spaced; with round trips below 25 ms it is Reno.",
    cite: "C. Caini and R. Firrincieli, TCP Hybla: a TCP enhancement for heterogeneous networks, International Journal of Satellite \
           Communications and Networking 22(5), 2004",
    needs: &[],
    params: &[
        Param::number("rtt0", 25.0, (1.0, 10_000.0), "the round trip of the connection that it equals, ms"),
        Param::word(
            "pacing",
            &["off", "on"],
            "on: segments are spaced over the round trip, as the paper recommends; off: Linux",
        ),
    ],
    verified: &[
        "both increments, by hand; with Linux' source: rho at least 1, from the smallest round trip so far, and no exponent above 16",
        "goodput that does not fall with the round trip: the model of the paper",
    ],
    reconstructed: &[
        "rho comes from the smallest single round trip; in Linux from the smallest smoothed one",
        "with growth by bytes (preset linux) an ACK counts for what it delivers; in Linux it counts once",
        "the initial window and a finite initial threshold are multiplied by rho, as in the paper: the window to rho segments at least",
        "the paper's estimate of the bandwidth for the initial threshold (Hoe 1996) is left out",
    ],
    asks: Asks::SACK,
    build: &|p, c| Parts { control: Box::new(Hybla::new(p)), recovery: recovery::sack(c), notices: Box::new(Deaf) },
};

#[derive(Debug)]
struct Hybla {
    rtt0: f64,
    is_paced: bool,
    times: SendTimes,
    least: Option<Span>,
    /// The first growth has not come yet: until then no round trip was known.
    is_new: bool,
}

/// Linux: one ACK multiplies nothing by more than 2^16.
const STEEPEST: f64 = 16.0;

impl Hybla {
    fn new(p: &Params) -> Self {
        let rtt0 = p.get("rtt0") / 1e3;
        Hybla { rtt0, is_paced: p.choice("pacing") == 1, times: SendTimes::default(), least: None, is_new: true }
    }

    /// The normalized round trip: by how much it exceeds that of the reference connection.
    fn rho(&self) -> f64 {
        self.least.map_or(1.0, |least| (least.secs_f64() / self.rtt0).max(1.0))
    }

    /// Slow start, by an ACK that counts for `segments`.
    fn start(&self, w: &mut Window, segments: f64) {
        let step = libm::exp2(self.rho().min(STEEPEST)) - 1.0;
        w.cwnd = (w.cwnd + step * segments).min(w.ssthresh);
    }
}

impl CongestionControl for Hybla {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &Space) {
        let rho = self.rho();
        if std::mem::take(&mut self.is_new) {
            // Caini and Firrincieli 2004: W(0) = rho, and the threshold is rho times that of the reference.
            *w = Window { cwnd: w.cwnd.max(rho), ssthresh: w.ssthresh * rho };
        }
        if !w.in_slow_start() {
            return increase(w, rho * rho, a, s);
        }
        self.start(w, match s.growth {
            Growth::PerAck => 1.0,
            Growth::PerByte => a.delivered as f64 / s.mss as f64,
        });
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &Space) -> Judged {
        Reno.on_loss(w, l, s)
    }

    fn observe(&mut self, a: &Ack, s: &Space) {
        if let Some(rtt) = self.times.on_ack(a.now, s.una) {
            self.least = Some(self.least.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        self.times.on_sent(now, sent.start, sent.end);
    }

    fn pacing_rate(&self, w: &Window, s: &Space) -> Option<Rate> {
        let srtt = s.srtt.filter(|_| self.is_paced)?;
        Some(Rate::from_bps((w.cwnd * s.mss as f64 * 8.0 / srtt.secs_f64()) as u64))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use crate::seams::Cause;
    use airhop_base::Sack;

    const MSS: u64 = 1000;

    /// A sender whose smallest round trip is so long; the window law is past its first ACK.
    fn of(ms: u64) -> Hybla {
        let least = Some(Span::from_millis(ms));
        Hybla { least, is_new: false, ..Hybla::new(&Params::defaults(&SCHEME)) }
    }

    /// The window after an ACK of two segments.
    fn after(mut h: Hybla, preset: Preset, w: Window) -> f64 {
        let mut w = w;
        let acked = 2 * MSS;
        let ack =
            Ack { now: Time::ZERO, acked, delivered: acked, sack: Sack::EMPTY, rtt: None, ece: false, arrival: None };
        h.on_ack(&mut w, &ack, &Space::new(&preset.config(MSS as u32)));
        w.cwnd
    }

    // Caini and Firrincieli 2004, equation 9: 2^rho - 1 per ACK, rho²/cwnd after. rho is 1 up to 25 ms (Reno), and the exponent 16 at most.
    // With growth by bytes each of the two segments counts.
    #[test]
    fn both_increments() {
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
        assert_eq!(after(of(1000), Preset::Ns2, start), 10.0 + 65_535.0);
        assert_eq!(after(of(100), Preset::Ns2, Window { cwnd: 10.0, ssthresh: 20.0 }), 20.0, "not beyond the threshold");
    }

    // W(0) = rho, and a threshold that is rho times as high: once, when the round trip is known.
    #[test]
    fn the_beginning() {
        let mut h = Hybla { is_new: true, ..of(100) };
        let s = Space::new(&Preset::Ns2.config(MSS as u32));
        let ack =
            Ack { now: Time::ZERO, acked: MSS, delivered: MSS, sack: Sack::EMPTY, rtt: None, ece: false, arrival: None };
        let mut w = Window { cwnd: 1.0, ssthresh: 8.0 };
        h.on_ack(&mut w, &ack, &s);
        assert_eq!(w, Window { cwnd: 4.0 + 15.0, ssthresh: 32.0 });
        h.on_ack(&mut w, &ack, &s);
        assert_eq!(w, Window { cwnd: 32.0, ssthresh: 32.0 });
    }

    // Linux: rho follows the smallest round trip, and never grows.
    #[test]
    fn rho_follows_the_smallest_round_trip() {
        let mut h = Hybla::new(&Params::defaults(&SCHEME));
        let mut s = Space::new(&Preset::Ns2.config(MSS as u32));
        let mut rho = |rtt: u64| {
            let start = s.una;
            s.una += MSS;
            h.on_sent(Time::ZERO, &Next { start, end: s.una, cause: Cause::New });
            let now = Time::ZERO + Span::from_millis(rtt);
            let ack = Ack { now, acked: MSS, delivered: MSS, sack: Sack::EMPTY, rtt: None, ece: false, arrival: None };
            h.observe(&ack, &s);
            h.rho()
        };
        assert_eq!([rho(100), rho(200), rho(50), rho(100), rho(5)], [4.0, 4.0, 2.0, 2.0, 1.0]);
    }

    // The paper's packet spacing: a window per round trip.
    #[test]
    fn spacing() {
        let s = Space { srtt: Some(Span::from_millis(100)), ..Space::new(&Preset::Ns2.config(MSS as u32)) };
        let w = Window { cwnd: 20.0, ssthresh: 5.0 };
        assert_eq!(Hybla { is_paced: true, ..of(100) }.pacing_rate(&w, &s), Some(Rate::from_bps(1_600_000)));
        assert_eq!(of(100).pacing_rate(&w, &s), None);
    }
}
