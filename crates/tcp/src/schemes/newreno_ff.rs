use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::estimators::FlipFlop;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;

pub(super) static SCHEME: Scheme = Scheme {
    name: "newreno-ff",
    title: "TCP NewReno-FF",
    family: "loss discrimination",
    preset: None,
    about: "A flip-flop filter smooths the round-trip times: a slow mean with control limits three sigma around it, \
            and a fast mean that is used within these limits. If many of the last samples were beyond the limits when a loss is \
            detected, the loss is classified as congestion, because queues were changing; otherwise the segment is \
            retransmitted and the window stays unchanged.",
    applicability: "On paths where queues grow fast before losses by congestion, and with random losses at other times. Samples of a \
            slowly growing queue remain within the limits, so \
    losses of that queue cause no window reduction. All losses during congestion are classified as congestion.",
    citation: "D. Barman and I. Matta, Effectiveness of Loss Labeling in Improving TCP Performance in \
           Wired/Wireless Networks, ICNP 2002; M. Kim and B. Noble, Mobile Network Estimation, MobiCom 2001",
    network_requirements: &[],
    params: &[
        Param::with_range("l", 8.0, (1.0, 64.0), "number of samples that are compared with the limits"),
        Param::with_range("eta", 4.0, (0.0, 64.0), "largest number of samples beyond the limits without congestion"),
    ],
    verified_rules: &["two filters with control limits, and more than eta of l samples for congestion: Yun 2009 §2.2"],
    reconstructed_rules: &[
        "l = 8 and eta = 4",
        "the gains, 0.9 and 0.1, and limits of three times the mean moving range over 1.128",
        "before l samples exist, the reaction to a loss is NewReno's; the reaction to a timeout is always Reno's",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
        control: Box::new(NewRenoFf {
            l: p.get("l") as u32,
            eta: p.get("eta"),
            filter: FlipFlop::default(),
        }),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct NewRenoFf {
    l: u32,
    eta: f64,
    filter: FlipFlop,
}

impl CongestionControl for NewRenoFf {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let outliers = self.filter.outliers(self.l);
        match (l.signal, outliers) {
            (CongestionSignal::Duplicates, Some(n)) if f64::from(n) <= self.eta => return LossClass::Wireless,
            _ => Reno.on_loss(w, l, s),
        };
        if outliers.is_some() { LossClass::Congestion } else { LossClass::Undecided }
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        if let Some(rtt) = a.newest_rtt {
            self.filter.on_sample(rtt);
        }
    }
}
