mod ns2;

use super::westwood_plus::{RECOVERY, is_linux_agent};
use super::{ReceiverFeatures, Param, Params, Scheme, build_recovery};
use crate::control::Reno;
use crate::estimators::{min_with_sample, queued_segments};
use crate::notices::IgnoreNotices;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "veno",
    title: "TCP Veno",
    family: "loss discrimination",
    preset: None,
    about: "Reno with Vegas' estimate of the flow's queued segments. With beta or more queued segments the window grows \
            by one segment every second round trip, and halves at a loss; with fewer queued segments, a loss is \
            classified as random and reduces the window by a fifth.",
    applicability: "With random losses while queues are short: each loss reduces the window by a fifth instead of half. In all other \
            respects Veno is as aggressive as Reno, so Veno and Reno flows share a link fairly.",
    citation: "C. P. Fu and S. C. Liew, TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks, IEEE JSAC 21(2), 2003",
    network_requirements: &[],
    params: &[
        Param::with_range("beta", 3.0, (0.0, 1000.0), "smallest number of queued segments at which the path counts as congested"),
        Param::with_choices(
            "reset_base",
            &["no", "yes"],
            "restart of the search for the smallest round trip after a loss; no = Linux; yes = the paper",
        ),
        RECOVERY,
    ],
    verified_rules: &[
        "beta, the reductions to 4/5 and 1/2, growth every second round trip, Reno's rules with fewer than three \
         samples: Linux' source; smallest round trip of the last round: the comment in that source",
        "with preset ns2 and rate halving it is ns-2.35's linux-veno, rule by rule, and its window reductions are \
         those of the module's rule for the trace of that simulator. Goodput on the last hop of Yun 2009 is within 5 \
         % of ns-2.35 at 86 points (error rates up to 10 %, three wires of 2 to 40 ms, one to ten flows, one to seven \
         attempts, uplink and downlink), half of them within 1 %",
        "with halve_from pipe, since ns-3 takes four fifths and half of the pipe, and ns-3's recovery (loss_detection \
         rfc6675, prr): goodput on a wire is within 4 % of ns-3.37 at 0.01, 0.1, 0.3, 1 and 3 % loss (-0.9 to +3.5 %), and \
         within 8 % of ns-3.44 at 0.01 and 1 % (+1.8 and -7.6 %); on the last hop it is within 5 % of ns-3.44 except \
         at 5 % errors with one attempt (-14 %), and 8 to 19 % below that of ns-3.37, whose stations send TCP ACKs \
         without a backoff. With rate halving goodput is 14 % above ns-3's at 3 % loss. With the default, four fifths \
         of the window, goodput is 17 % above ns-3.44's at 1 % loss",
    ],
    reconstructed_rules: &["reset_base: the rule of the paper follows secondary sources"],
    features: ReceiverFeatures::SACK,
    build: &|p, c| SenderPolicies {
        control: if is_linux_agent(p, c) && p.choice("reset_base") == 0 {
            Box::new(ns2::Ns2::new(p.get("beta")))
        } else {
            Box::new(Veno::new(p))
        },
        recovery: build_recovery(&RECOVERY, p, c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct Veno {
    beta: f64,
    resets_base: bool,
    base: Option<Span>,
    round: Round,
    /// Minimum RTT of the last round; `None` if the round has too few samples.
    rtt: Option<Span>,
    /// True if the next ACK increases the window. Under congestion, every second ACK does.
    grows: bool,
}

/// Round. Ends when all data sent before the start of the round is acknowledged.
#[derive(Debug, Default)]
struct Round {
    end: u64,
    samples: u32,
    least: Option<Span>,
}

/// Minimum number of RTT samples per round. With fewer samples, Reno's rules apply (Linux).
const MIN_RTT_SAMPLES: u32 = 3;

impl Veno {
    fn new(p: &Params) -> Self {
        Veno {
            beta: p.get("beta"),
            resets_base: p.choice("reset_base") == 1,
            base: None,
            round: Round::default(),
            rtt: None,
            grows: true,
        }
    }

    /// True if at least `beta` segments are queued; `None` without RTT samples.
    fn is_congested(&self, w: &Window) -> Option<bool> {
        Some(queued_segments(w.cwnd, self.base?, self.rtt?) >= self.beta)
    }
}

impl CongestionControl for Veno {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        if !w.in_slow_start() && self.is_congested(w) == Some(true) {
            self.grows = !self.grows;
            if !self.grows {
                return;
            }
        }
        Reno.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let random = l.signal == CongestionSignal::Duplicates && self.is_congested(w) == Some(false);
        if self.resets_base {
            self.base = None;
        }
        if !random {
            return Reno.on_loss(w, l, s);
        }
        // Fu and Liew 2003, §II-B: a random loss leaves four fifths of the window.
        w.ssthresh = (0.8 * l.halving_base.unwrap_or(w.cwnd)).max(2.0);
        w.cwnd = w.ssthresh;
        LossClass::Wireless
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        if s.una > self.round.end {
            self.rtt = self.round.least.filter(|_| self.round.samples >= MIN_RTT_SAMPLES);
            self.round = Round { end: s.nxt, ..Round::default() };
        }
        // Linux 2.6, tcp_clean_rtx_queue(): only cumulatively acknowledged segments yield an RTT sample.
        if let Some(rtt) = a.newest_rtt.filter(|_| a.acked_bytes > 0) {
            self.base = min_with_sample(self.base, rtt);
            self.round.least = min_with_sample(self.round.least, rtt);
            self.round.samples += 1;
        }
    }
}
