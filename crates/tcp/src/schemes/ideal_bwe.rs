use super::{ReceiverFeatures, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Parts, Signal, Truth, Window};
use crate::sender_state::SenderState;

pub(super) static SCHEME: Scheme = Scheme {
    name: "ideal-bwe",
    title: "Ideal bandwidth estimation",
    family: "bandwidth estimation",
    preset: None,
    about: "A sender that knows its share of the bottleneck and the round-trip time of the empty path \
            exactly, because the simulator tells it. After a loss its window is what fits into the path at \
            that rate.",
    helps: "As the upper bound of all schemes that set the window to an estimated bandwidth: what is missing \
            to the goodput of the link is not for want of a better estimate.",
    cite: "J.-H. Yun, Cross-Layer Explicit Link Status Notification to Improve TCP Performance in Wireless \
           Networks, EURASIP JWCN 2009, 617818 (§5, \"ideal BWE\")",
    needs: &["truth"],
    params: &[],
    verified: &[],
    reconstructed: &[
        "after duplicate ACKs threshold and window are share × RTT; after a timeout the threshold is",
        "growth as Reno's, losses are repaired as NewReno does, and every loss is taken for congestion",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|_, c| Parts {
        control: Box::new(Ideal { truth: None }),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct Ideal {
    truth: Option<Truth>,
}

impl Ideal {
    /// Segments that the path holds at this flow's share, two at least; unknown to a sender that nobody told.
    fn capacity(&self, s: &SenderState) -> Option<f64> {
        let t = self.truth?;
        Some((t.rate.bps() as f64 / 8.0 * t.rtt.secs_f64() / s.mss as f64).max(2.0))
    }
}

impl CongestionControl for Ideal {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged {
        w.ssthresh = self.capacity(s).unwrap_or(l.half);
        w.cwnd = if l.signal == Signal::Timeout { 1.0 } else { w.ssthresh };
        Judged::Congestion
    }

    fn on_truth(&mut self, truth: &Truth) {
        self.truth = Some(*truth);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::{Rate, Span, Time};

    // 4 Mbit/s for 64 ms are 32 000 bytes: 32 segments. Also if that is more than the window.
    #[test]
    fn the_window_is_what_the_path_holds() {
        let mut ideal = Ideal { truth: None };
        let state = SenderState::new(&Preset::Ns2.config(1000));
        let mut cut = |signal, told: bool| {
            let mut w = Window { cwnd: 20.0, ssthresh: 8.0 };
            if told {
                ideal.on_truth(&Truth { rate: Rate::from_bps(4_000_000), rtt: Span::from_millis(64) });
            }
            let judged =
                ideal.on_loss(&mut w, &Loss { now: Time::ZERO, signal, base: Some(20.0), half: 10.0, window: 10.0 }, &state);
            assert_eq!(judged, Judged::Congestion);
            (w.cwnd, w.ssthresh)
        };
        assert_eq!(cut(Signal::Duplicates, false), (10.0, 10.0), "it was told nothing");
        assert_eq!(cut(Signal::Duplicates, true), (32.0, 32.0));
        assert_eq!(cut(Signal::Timeout, true), (1.0, 32.0));
    }
}
