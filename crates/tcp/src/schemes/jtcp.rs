use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::estimators::ForwardDelays;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

pub(super) static SCHEME: Scheme = Scheme {
    name: "jtcp",
    title: "Jitter-based TCP (JTCP)",
    family: "loss discrimination",
    preset: None,
    about: "The receiver reports the arrival time of each segment. The sender computes the jitter ratio, the fraction of the packets of \
    the last window that queued. If more than k packets queued, a loss is \
            congestion, and JTCP reacts as Reno does, with at most one window reduction per `several` round trips. \
            Otherwise duplicate ACKs leave the window unchanged, and a timeout halves the window without slow start.",
    applicability: "On a lossy link that is not fully used. The delay of a full queue no longer grows: JTCP classifies overflows in congestion \
    avoidance as wireless losses, and overflows in slow start as congestion. JTCP takes bandwidth from other flows, and many JTCP flows \
    share a link unfairly.",
    citation: "E. H.-K. Wu and M.-Z. Chen, JTCP: Jitter-Based TCP for Heterogeneous Wireless Networks, IEEE JSAC \
           22(4), 2004",
    network_requirements: &[],
    params: &[
        Param::with_range("k", 1.0, (0.0, 1e6), "largest number of queued packets in the last window without congestion"),
        Param::with_range("several", 1.0, (0.0, 1e3), "minimum time between two window reductions, round trips"),
    ],
    verified_rules: &["the threshold on queued segments, and the reactions to a loss above and below it: Yun 2009 §2.2"],
    reconstructed_rules: &[
        "k = 1; the jitter ratio covers the last window of packets",
        "\"over several RTT\" (Yun 2009): at least one round trip after the last window reduction",
        "loss recovery is NewReno's; before two packets have arrived the reaction to a loss is Reno's",
    ],
    features: ReceiverFeatures { arrival_report: true, ..ReceiverFeatures::NONE },
    build: &|p, c| SenderPolicies {
        control: Box::new(Jtcp {
            k: p.get("k"),
            several: p.get("several"),
            delays: ForwardDelays::default(),
            last_cut: None,
        }),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct Jtcp {
    k: f64,
    several: f64,
    delays: ForwardDelays,
    /// Time of the last window reduction caused by duplicate ACKs; `None` before the first.
    last_cut: Option<Time>,
}

impl Jtcp {
    /// True if more than k packets of the last window were queued; `None` before two arrivals.
    fn is_congested(&self, w: &Window) -> Option<bool> {
        Some(self.delays.interval_of_last(w.cwnd as usize)?.queue_growth_packets()? > self.k)
    }

    fn is_soon_after_reduction(&self, now: Time, s: &SenderState) -> bool {
        let (Some(last), Some(srtt)) = (self.last_cut, s.srtt) else { return false };
        now.since(last).secs_f64() <= self.several * srtt.secs_f64()
    }
}

impl CongestionControl for Jtcp {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
        self.delays.keep(w.cwnd as usize);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let Some(congested) = self.is_congested(w) else {
            Reno.on_loss(w, l, s);
            return LossClass::Undecided;
        };
        match l.signal {
            CongestionSignal::Duplicates if !congested => return LossClass::Wireless,
            CongestionSignal::Duplicates if self.is_soon_after_reduction(l.now, s) => return LossClass::Undecided,
            CongestionSignal::Duplicates => self.last_cut = Some(l.now),
            CongestionSignal::Timeout if !congested => {
                w.ssthresh = (w.cwnd / 2.0).max(2.0);
                w.cwnd = w.ssthresh;
                return LossClass::Wireless;
            }
            CongestionSignal::Timeout | CongestionSignal::Echo => {}
        }
        Reno.on_loss(w, l, s)
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        if let Some(arrival) = a.arrival
            && let Some(sent) = s.scoreboard.single_transmission_time(arrival.seq)
        {
            self.delays.on_arrival(sent, arrival.at);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Span;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // Ten packets sent in 50 ms arrive in 100 ms: five of them were queued, more than k = 1. Yun 2009 §2.2:
    // JTCP reacts like Reno, but retransmits once within a number of round trips (100 ms each here).
    #[test]
    fn jtcp_reduces_the_window_once_in_several_round_trips() {
        for (several, judged) in [(1.0, LossClass::Congestion), (3.0, LossClass::Undecided)] {
            let delays = ForwardDelays::default();
            let mut jtcp = Jtcp { k: 1.0, several, delays, last_cut: None };
            (0..=10).for_each(|k| jtcp.delays.on_arrival(at(5 * k), at(10 * k)));
            let state = SenderState { srtt: Some(Span::from_millis(100)), ..SenderState::new(&Preset::Ns2.config(1000)) };
            let mut lose = |ms| {
                let mut w = Window { cwnd: 20.0, ssthresh: 10.0 };
                let loss = Loss { now: at(ms), signal: CongestionSignal::Duplicates, halving_base: Some(18.0), halved_base: 9.0, halved_cwnd: 9.0 };
                (jtcp.on_loss(&mut w, &loss, &state), w.cwnd)
            };
            assert_eq!(lose(1000), (LossClass::Congestion, 9.0));
            assert_eq!(lose(1100), (LossClass::Undecided, 20.0));
            assert_eq!(lose(1250).0, judged, "{several}");
        }
    }
}
