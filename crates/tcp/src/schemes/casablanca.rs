use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, NextSegment, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Profile;

/// Significance level: probability that random wireless losses hit at least this many segments marked "out".
const SIGNIFICANCE: f64 = 0.1;

pub(super) static SCHEME: Scheme = Scheme {
    name: "casablanca",
    title: "TCP-Casablanca",
    family: "loss discrimination",
    preset: None,
    about: "The sender marks one of k + 1 segments \"out\", and full queues drop these first; a wireless link loses \
            both kinds with the same probability. If more of the lost segments carry the mark than chance explains, \
            the loss is congestion and the window is halved; otherwise the segments are retransmitted and the window stays unchanged.",
    applicability: "On paths where every queue supports the mark. A single loss is a weak criterion: a wireless link loses a marked \
            segment by chance \
    in one of k + 1 cases. Overload that fills a queue with unmarked segments, and losses in bursts, lead to wrong classifications.",
    citation: "S. Biaz and N. H. Vaidya, \"De-randomizing\" Congestion Losses to Improve TCP Performance over \
           Wired-Wireless Networks, IEEE/ACM Trans. Networking 13(3), 2005",
    network_requirements: &["biased-queue"],
    params: &[Param::with_range("k", 4.0, (1.0, 1e6), "number of unmarked segments per segment marked \"out\"")],
    verified_rules: &["two priorities, and the difference of their loss rates as the criterion: Yun 2009 §2.3"],
    reconstructed_rules: &[
        "k = 4; every (k + 1)th segment of the stream carries the mark, also in retransmissions",
        "the criterion is a one-sided binomial test at 10 %, and for a single loss the mark of the lost segment",
        "SACK blocks show the missing segments when a loss is detected; loss recovery is NewReno's",
        "a timeout is always congestion",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies {
        control: Box::new(Casablanca {
            marking: Marking { k: p.get("k") as u64, mss: u64::from(c.mss) },
        }),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

/// Rule that marks segments "out" by their position in the stream. The sender can thus compute the mark of a
/// lost segment.
#[derive(Clone, Copy, Debug)]
struct Marking {
    k: u64,
    mss: u64,
}

impl Marking {
    fn profile_at(self, start: u64) -> Profile {
        if start / self.mss % (self.k + 1) == self.k { Profile::Out } else { Profile::In }
    }

    /// Classifies a group of `lost` lost segments, of which `out` were marked "out".
    fn classify(self, out: u32, lost: u32) -> LossClass {
        let congestion = match lost {
            1 => out == 1,
            _ => binomial_tail(out, lost, 1.0 / (self.k + 1) as f64) <= SIGNIFICANCE,
        };
        if congestion { LossClass::Congestion } else { LossClass::Wireless }
    }
}

/// Returns P(X ≥ x) for n independent trials with success probability p.
fn binomial_tail(x: u32, n: u32, p: f64) -> f64 {
    let mut below = 0.0;
    let mut term = (1.0 - p).powi(n as i32);
    for i in 0..x {
        below += term;
        term *= f64::from(n - i) / f64::from(i + 1) * p / (1.0 - p);
    }
    1.0 - below
}

#[derive(Debug)]
struct Casablanca {
    marking: Marking,
}

impl Casablanca {
    /// Classifies the missing segments below the highest segment that arrived, by their marks.
    fn classify(&self, s: &SenderState) -> LossClass {
        let high = s.scoreboard.high_sack();
        let missing = s.scoreboard.iter().take_while(|e| e.start < high).filter(|e| !e.sacked);
        let (mut lost, mut out) = (0, 0);
        for e in missing {
            lost += 1;
            out += u32::from(self.marking.profile_at(e.start) == Profile::Out);
        }
        self.marking.classify(out, lost)
    }
}

impl CongestionControl for Casablanca {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        if l.signal == CongestionSignal::Duplicates && self.classify(s) == LossClass::Wireless {
            return LossClass::Wireless;
        }
        Reno.on_loss(w, l, s)
    }

    fn profile(&mut self, sent: &NextSegment) -> Profile {
        self.marking.profile_at(sent.start)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Exact values for five trials with p = 1/5: P(X ≥ 1) = 1 - 0.8^5, P(X ≥ 2) = 1 - 0.8^5 - 5 · 0.2 ·
    // 0.8^4, P(X = 5) = 0.2^5.
    #[test]
    fn the_binomial_tail_matches_exact_values() {
        let exact = [(0, 1.0), (1, 0.67232), (2, 0.26272), (3, 0.05792), (4, 0.00672), (5, 0.00032)];
        for (x, p) in exact {
            assert!((binomial_tail(x, 5, 0.2) - p).abs() < 1e-12, "{x}");
        }
        assert!((binomial_tail(20, 30, 0.5) - 0.049_368_573_352_694).abs() < 1e-12);
    }

    // k = 4: segments 5, 10, 15 … are marked "out". Probabilities: two of two 0.04, one of two 0.36, two of
    // three 0.104, three of five 0.058.
    #[test]
    fn more_marked_losses_than_by_chance_are_congestion() {
        let marking = Marking { k: 4, mss: 1000 };
        let marked: Vec<u64> = (1..=15).filter(|n| marking.profile_at(1 + (n - 1) * 1000) == Profile::Out).collect();
        assert_eq!(marked, [5, 10, 15]);
        for (out, lost, judged) in [
            (0, 1, LossClass::Wireless),
            (1, 1, LossClass::Congestion),
            (1, 2, LossClass::Wireless),
            (2, 2, LossClass::Congestion),
            (2, 3, LossClass::Wireless),
            (2, 5, LossClass::Wireless),
            (3, 5, LossClass::Congestion),
        ] {
            assert_eq!(marking.classify(out, lost), judged, "{out} of {lost}");
        }
    }
}
