mod ns2;

use super::westwood::bandwidth_delay_product;
use super::{ReceiverFeatures, Param, Params, Scheme, build_recovery};
use crate::{Config, Preset};
use crate::config::LossDetection;
use crate::control::Reno;
use crate::estimators::{AckCredit, Ns3Credit, WestwoodPlusEstimator, WestwoodPlusFilter, min_with_sample};
use crate::notices::IgnoreNotices;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood-plus",
    title: "TCP Westwood+",
    family: "bandwidth estimation",
    preset: None,
    about: "Westwood with one rate sample per round trip, from all bytes acknowledged in that round trip, so bunched ACKs do not raise the \
    estimate. Yun 2009 compares this form of Westwood.",
    applicability: "With random losses on a path with little other traffic: after a loss the window is the bandwidth-delay product, without the \
            queue.",
    citation: "L. A. Grieco and S. Mascolo, Performance Evaluation and Comparison of Westwood+, New Reno, and Vegas TCP \
           Congestion Control, CCR 34(2), 2004",
    network_requirements: &[],
    params: &[
        Param::with_choices(
            "filter",
            &["linux", "ewma09", "ns3"],
            "filter of the rate samples, one per round trip: linux = two stages with weight 7/8; ewma09 = one stage \
             with weight 0.9, as in the paper; ns3 = one stage with weight 0.9 over the mean of two samples, and the \
             segments of duplicate ACKs counted twice at the end of a recovery",
        ),
        RECOVERY,
    ],
    verified_rules: &[
        "filter of two stages, rounds of at least 50 ms, the bytes that each ACK counts for, window after a loss: Linux' source",
        "with preset ns2, rate halving and the filter of Linux it is ns-2.35's linux-westwood, rule by rule: after \
         the same losses the first 237 segments leave in the same order. Goodput on the last hop of Yun 2009 is \
         within 10 % of ns-2.35 at 86 points (error rates up to 10 %, three wires of 2 to 40 ms, one to ten flows, \
         one to seven attempts, uplink and downlink), half of them within 1 %",
        "filter ns3 with loss_detection rfc6675 and prr, ns-3's recovery: within 5 % of ns-3.37 at 0.01, 0.1, 0.3, 1 \
         and 3 % loss on a wire (+0.4 to +4.6 %), and of ns-3.44 and 3.37 on the last hop with one attempt and with \
         seven (-3.8 to +5.3 %); after the same losses the first 17 window reductions at the same segments, within 6 \
         %. ns-3 counts a segment for each duplicate ACK, and at the end of the recovery all segments of the \
         cumulative ACK once more, so each recovery doubles the rate sample; its filter starts at zero, and a loss \
         may raise the window to ssthresh. If each segment counts once, as in the paper and in the other filters, goodput at 1 \
         % is a third lower. Rate halving has 61 % more goodput than ns-3 at 3 %, since it detects \
         lost retransmissions, for which ns-3 waits until the timer expires",
    ],
    reconstructed_rules: &[
        "recovery: Yun 2009 uses ns-2's sources of Westwood+ and states that Westwood's slow start and congestion \
         avoidance are Reno's, but not how it repairs losses; each value is one interpretation",
        "without rate halving, or with another filter, RTT samples are exact, one for each ACK, and not in jiffies",
    ],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies {
        control: if is_linux_agent(p, c) && p.choice("filter") == 0 {
            Box::new(ns2::Ns2::default())
        } else {
            Box::new(WestwoodPlus::new(p))
        },
        recovery: build_recovery(&RECOVERY, p, c),
        notices: Box::new(IgnoreNotices),
    },
};

/// Parameter that selects Linux' or NewReno's loss recovery.
pub(super) const RECOVERY: Param = Param::with_choices(
    "recovery",
    &["rate-halving", "newreno", "reno"],
    "loss recovery: rate-halving = SACK with forward acknowledgement, one segment per two ACKs until the flight has \
     fallen to the new window (Linux 2.6; with preset ns2 the whole sender of ns-2's Linux agents); newreno = one \
     hole per round trip, without SACK; reno = fast retransmit and fast recovery, which ends at the first new ACK",
);

/// True if the sender is ns-2's Agent/TCP/Linux.
pub(super) fn is_linux_agent(p: &Params, c: &Config) -> bool {
    c.stack == Preset::Ns2 && p.choice("recovery") == 0 && c.loss_detection == LossDetection::Duplicates
}

#[derive(Debug)]
struct WestwoodPlus {
    credit: AckCounting,
    rate: WestwoodPlusEstimator,
    latest: Option<Span>,
    least: Option<Span>,
}

/// Rule for counting the data of an ACK.
#[derive(Debug)]
enum AckCounting {
    /// Each segment counts once.
    Once(AckCredit),
    /// ns-3's rule.
    Ns3(Ns3Credit),
}

impl WestwoodPlus {
    fn new(p: &Params) -> Self {
        let stages = [WestwoodPlusFilter::Linux, WestwoodPlusFilter::Paper, WestwoodPlusFilter::Ns3][p.choice("filter")];
        WestwoodPlus {
            credit: match stages {
                WestwoodPlusFilter::Ns3 => AckCounting::Ns3(Ns3Credit::default()),
                WestwoodPlusFilter::Linux | WestwoodPlusFilter::Paper => AckCounting::Once(AckCredit::new(f64::INFINITY, false)),
            },
            rate: WestwoodPlusEstimator::new(stages),
            latest: None,
            least: None,
        }
    }
}

impl CongestionControl for WestwoodPlus {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        if let AckCounting::Ns3(credit) = &mut self.credit
            && l.signal == CongestionSignal::Duplicates
        {
            credit.on_loss(s);
        }
        w.ssthresh = bandwidth_delay_product(self.rate.bytes_per_second(), self.least, s);
        w.cwnd = match l.signal {
            // In ns-3 the window after a recovery is ssthresh, even if the window before was smaller.
            CongestionSignal::Duplicates | CongestionSignal::Echo if matches!(self.credit, AckCounting::Ns3(_)) => w.ssthresh,
            CongestionSignal::Duplicates | CongestionSignal::Echo => w.cwnd.min(w.ssthresh),
            CongestionSignal::Timeout => 1.0,
        };
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        // Linux 2.6, tcp_clean_rtx_queue(): only cumulatively acknowledged segments yield an RTT sample.
        if let Some(rtt) = a.newest_rtt.filter(|_| a.acked_bytes > 0) {
            self.latest = Some(rtt);
            self.least = min_with_sample(self.least, rtt);
        }
        let bytes = match &mut self.credit {
            AckCounting::Once(credit) => credit.count_bytes(a, s),
            AckCounting::Ns3(credit) => credit.count_bytes(a, s),
        };
        if let Some(rtt) = self.latest {
            self.rate.on_ack(a.now, bytes, rtt);
        }
    }
}
