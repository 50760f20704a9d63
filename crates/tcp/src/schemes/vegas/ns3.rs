use crate::control::{Reno, floor_segments};
use crate::estimators::min_with_sample;
use crate::schemes::Params;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

/// Vegas of ns-3.44. As in Linux, segments are integers, and a round uses its minimum RTT. Unlike Linux, ns-3
/// uses smoothed RTTs. A loss sets the window to an ssthresh that the algorithm maintains, not to half the
/// window.
#[derive(Debug)]
pub(super) struct Ns3 {
    alpha: f64,
    beta: f64,
    gamma: f64,
    /// Minimum smoothed RTT so far; `None` before the first sample.
    base: Option<Span>,
    round: Round,
    /// True after the start of a recovery. The round in which recovery ends is ignored.
    restarts: bool,
    /// First unsent byte at the last timeout. Reno's rules apply until all data below this byte is
    /// acknowledged.
    recovery_point: u64,
}

/// Round. Ends when all data sent before the start of the round is acknowledged.
#[derive(Debug, Default)]
struct Round {
    end: u64,
    least: Option<Span>,
    samples: u32,
}

/// Minimum number of RTT samples per round. With fewer samples, Reno's rules apply.
const MIN_RTT_SAMPLES: u32 = 3;

impl Ns3 {
    pub fn new(p: &Params) -> Self {
        Ns3 {
            alpha: p.get("alpha"),
            beta: p.get("beta"),
            gamma: p.get("gamma"),
            base: None,
            round: Round::default(),
            restarts: false,
            recovery_point: 0,
        }
    }

    /// Determines the window change. Called once per round.
    fn decide_window_change(&self, w: &mut Window) {
        let (Some(base), Some(least)) = (self.base, self.round.least) else { return };
        let cwnd = floor_segments(w.cwnd);
        let fits = (cwnd * base.secs_f64() / least.secs_f64()).floor();
        let queued = cwnd - fits;
        if w.in_slow_start() {
            if queued > self.gamma {
                w.cwnd = cwnd.min(fits + 1.0);
                w.ssthresh = reduced_ssthresh(w);
            } else {
                w.cwnd += 1.0;
            }
        } else if queued > self.beta {
            w.cwnd = cwnd - 1.0;
            w.ssthresh = reduced_ssthresh(w);
        } else if queued < self.alpha {
            w.cwnd = cwnd + 1.0;
        }
        w.ssthresh = w.ssthresh.max(0.75 * w.cwnd);
    }
}

/// Returns the smaller of ssthresh and the window less one segment.
fn reduced_ssthresh(w: &Window) -> f64 {
    w.ssthresh.min(w.cwnd - 1.0).max(2.0)
}

impl CongestionControl for Ns3 {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        if s.una < self.recovery_point {
            return Reno.on_ack(w, a, s);
        }
        if std::mem::take(&mut self.restarts) {
            self.round = Round { end: s.nxt, ..Round::default() };
        }
        if s.una >= self.round.end {
            if self.round.samples < MIN_RTT_SAMPLES {
                Reno.on_ack(w, a, s);
            } else {
                self.decide_window_change(w);
            }
            self.round = Round { end: s.nxt, ..Round::default() };
        } else if w.in_slow_start() {
            w.cwnd += 1.0;
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        w.ssthresh = reduced_ssthresh(w);
        w.cwnd = w.ssthresh;
        self.restarts = true;
        if l.signal == CongestionSignal::Timeout {
            w.cwnd = 1.0;
            self.recovery_point = s.sent_end;
        }
        LossClass::Congestion
    }

    fn observe_ack(&mut self, _: &Ack, s: &SenderState) {
        let Some(srtt) = s.srtt else { return };
        self.base = min_with_sample(self.base, srtt);
        self.round.least = min_with_sample(self.round.least, srtt);
        self.round.samples += 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Preset, schemes};
    use airhop_base::Time;

    fn vegas() -> Ns3 {
        let scheme = schemes::find_scheme("vegas").expect("a known scheme");
        let mut p = Params::defaults(scheme);
        p.set(scheme, "alpha", 2.0).expect("in range");
        p.set(scheme, "beta", 4.0).expect("in range");
        Ns3::new(&p)
    }

    /// Delivers a round of ten ACKs with a smoothed RTT of `ms`. The last ACK changes the window.
    fn round(vegas: &mut Ns3, w: &mut Window, k: u64, ms: u64) {
        for n in 1..=10 {
            let (una, nxt) = (k * 10_000 + n * 1000, (k + 2) * 10_000);
            let s = SenderState {
                una,
                nxt,
                sent_end: nxt,
                srtt: Some(Span::from_millis(ms)),
                ..SenderState::new(&Preset::Rfc.config(1000))
            };
            let ack = Ack::with_acked_bytes(Time::ZERO, 1000);
            vegas.observe_ack(&ack, &s);
            vegas.on_ack(w, &ack, &s);
        }
    }

    fn loss(vegas: &mut Ns3, w: &mut Window, signal: CongestionSignal) {
        let l = Loss { now: Time::ZERO, signal, halving_base: Some(w.cwnd), halved_base: w.cwnd / 2.0, halved_cwnd: w.cwnd / 2.0 };
        vegas.on_loss(w, &l, &SenderState::new(&Preset::Rfc.config(1000)));
    }

    // tcp-vegas.cc, with an RTT of 80 ms without queues: 20 segments in 100 ms correspond to 16, i.e. 4 are
    // queued. 21 segments correspond to 16, i.e. 5 are queued. 18 segments in 90 ms correspond to 16.
    #[test]
    fn the_ns3_vegas_window_follows_alpha_and_beta() {
        for (cwnd, ms, then) in [(20.0, 80, 21.0), (20.0, 100, 20.0), (21.0, 100, 20.0), (18.0, 90, 18.0)] {
            let mut w = Window { cwnd: 10.0, ssthresh: 10.0 };
            let mut vegas = vegas();
            round(&mut vegas, &mut w, 0, 80);
            vegas.round = Round { end: 20_000, ..Round::default() };
            w = Window { cwnd, ssthresh: 10.0 };
            round(&mut vegas, &mut w, 1, ms);
            assert_eq!(w.cwnd, then, "{cwnd} at {ms} ms");
        }
    }

    // tcp-vegas.cc, GetSsThresh() and the end of IncreaseWindow(): a loss sets the window to ssthresh, but at
    // most to one segment below the window. When the window grows, ssthresh rises to three quarters of the
    // window; when the window falls, ssthresh stays.
    #[test]
    fn an_ns3_vegas_loss_sets_the_window_to_ssthresh() {
        let mut vegas = vegas();
        let mut w = Window { cwnd: 40.0, ssthresh: 30.0 };
        loss(&mut vegas, &mut w, CongestionSignal::Duplicates);
        assert_eq!(w, Window { cwnd: 30.0, ssthresh: 30.0 });
        loss(&mut vegas, &mut w, CongestionSignal::Duplicates);
        assert_eq!(w, Window { cwnd: 29.0, ssthresh: 29.0 });
        loss(&mut vegas, &mut w, CongestionSignal::Timeout);
        assert_eq!(w, Window { cwnd: 1.0, ssthresh: 28.0 });
        let mut vegas = self::vegas();
        let mut w = Window { cwnd: 40.0, ssthresh: 20.0 };
        round(&mut vegas, &mut w, 0, 80);
        round(&mut vegas, &mut w, 1, 80);
        assert!(w.cwnd >= 41.0);
        assert_eq!(w.ssthresh, 0.75 * w.cwnd);
    }
}
