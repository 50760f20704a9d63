mod ns2;

use super::westwood_plus::{RECOVERY, is_agent};
use super::{ReceiverFeatures, Param, Params, Scheme, repair_by};
use crate::control::Reno;
use crate::estimators::{least, queued};
use crate::notices::IgnoreNotices;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Parts, Signal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "veno",
    title: "TCP Veno",
    family: "loss discrimination",
    preset: None,
    about: "Reno with Vegas' estimate of its own queued segments. With beta or more queued the window grows by one segment every second \
            round trip only, and halves at a loss; with fewer a loss is classified as random and reduces the window by a fifth.",
    helps: "With random losses while queues are short: each costs a smaller part of the window. It is no more aggressive than Reno \
            otherwise, so flows share fairly.",
    cite: "C. P. Fu and S. C. Liew, TCP Veno: TCP Enhancement for Transmission over Wireless Access Networks, IEEE JSAC 21(2), 2003",
    needs: &[],
    params: &[
        Param::number("beta", 3.0, (0.0, 1000.0), "segments queued from which on the path counts as congested"),
        Param::word(
            "reset_base",
            &["no", "yes"],
            "new search for the smallest round trip after a loss; no: Linux; yes: the paper",
        ),
        RECOVERY,
    ],
    verified: &[
        "beta, the cuts to 4/5 and 1/2, growth each second time, Reno with fewer than three samples: Linux' source; smallest \
         round trip of the last round: its comment",
        "with preset ns2 and rate halving it is ns-2.35's linux-veno, rule by rule, and its cuts are those that the module's rule gives for that simulator's own \
         trace. Goodput on the last hop of Yun 2009 within 5 % of it at 86 points (error rates to 10 %, three wires of 2 to 40 ms, one to ten flows, one to seven \
         attempts, up and down), twice as many as the reference table has: half of them within 1 %",
        "with halve_from pipe, which is what ns-3 takes four fifths and half of, and its recovery (loss_detection rfc6675, prr): within 4 % \
         of ns-3.37 at 0.01, 0.1, 0.3, 1 and 3 % loss on a wire (-0.9 to +3.5 %), 8 % of ns-3.44 at 0.01 and 1 % (+1.8 and -7.6 %); on \
         the last hop within 5 % of ns-3.44 but for 5 % errors with one attempt (-14 %), 8 to 19 % below 3.37, whose stations answer \
         without a backoff. With rate halving +14 % at 3 %. With four fifths of the window, the default, it is 17 % above ns-3.44 at 1 %",
    ],
    reconstructed: &["reset_base: the paper's rule as other texts report it"],
    features: ReceiverFeatures::SACK,
    build: &|p, c| Parts {
        control: if is_agent(p, c) && p.choice("reset_base") == 0 {
            Box::new(ns2::Ns2::new(p.get("beta")))
        } else {
            Box::new(Veno::new(p))
        },
        recovery: repair_by(&RECOVERY, p, c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct Veno {
    beta: f64,
    resets_base: bool,
    base: Option<Span>,
    round: Round,
    /// The smallest round trip of the last round, if it had samples enough.
    rtt: Option<Span>,
    /// Congested: the next ACK grows the window.
    grows: bool,
}

/// A round trip: until all is acknowledged that was sent before it began.
#[derive(Debug, Default)]
struct Round {
    end: u64,
    samples: u32,
    least: Option<Span>,
}

/// With fewer samples in a round trip Veno is Reno (Linux).
const ENOUGH: u32 = 3;

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

    /// True with `beta` segments or more queued; nothing without samples.
    fn is_congested(&self, w: &Window) -> Option<bool> {
        Some(queued(w.cwnd, self.base?, self.rtt?) >= self.beta)
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

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged {
        let random = l.signal == Signal::Duplicates && self.is_congested(w) == Some(false);
        if self.resets_base {
            self.base = None;
        }
        if !random {
            return Reno.on_loss(w, l, s);
        }
        // Fu and Liew 2003, §II-B: four fifths.
        w.ssthresh = (0.8 * l.base.unwrap_or(w.cwnd)).max(2.0);
        w.cwnd = w.ssthresh;
        Judged::Wireless
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        if s.una > self.round.end {
            self.rtt = self.round.least.filter(|_| self.round.samples >= ENOUGH);
            self.round = Round { end: s.nxt, ..Round::default() };
        }
        // Linux 2.6, tcp_clean_rtx_queue(): only what is acknowledged cumulatively gives a sample.
        if let Some(rtt) = a.sample.filter(|_| a.acked > 0) {
            self.base = least(self.base, rtt);
            self.round.least = least(self.round.least, rtt);
            self.round.samples += 1;
        }
    }
}
