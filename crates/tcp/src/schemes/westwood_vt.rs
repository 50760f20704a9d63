use super::westwood::{CAP, FILTER, TAU, Westwood};
use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Next, Parts, Signal, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood-vt",
    title: "TCP WestwoodVT",
    family: "loss discrimination",
    preset: None,
    about: "WestwoodNR that asks Vegas' estimate of its own queued segments, Δ, for the cause of a loss. In congestion \
            avoidance, on three duplicate ACKs: fewer than alpha queued, and it was the air: the segment is sent again \
            and the window stays; more than beta, and it was a queue: WestwoodNR's window; between them the decision is \
            put off to the next loss and the window stays.",
    helps: "Where queues at the bottleneck are shorter than the flow's share of them would be before it loses there, and \
            random losses come with empty queues. Other flows' segments in the queue count as its own; a flow that fills \
            its queue takes random losses for congestion.",
    cite: "J. Koo, S.-G. Mun and H. Choo, Sender-Based TCP Scheme for Improving Performance in Wireless Environment, ICCS \
           2007, LNCS 4490, pp. 538-541",
    needs: &[],
    params: &[
        Param::number("alpha", 14.0, (0.0, 1e6), "segments queued below which a loss is the air's; the paper: 14"),
        Param::number("beta", 16.0, (0.0, 1e6), "segments queued above which a loss is a queue's; the paper: 16"),
        Param::number(
            "queue",
            0.0,
            (0.0, 1e6),
            "length of the bottleneck's queue in packets, of which 70 % and 80 % are then alpha and beta, as the paper's 14 \
             and 16 are of its 20; 0: alpha and beta as given",
        ),
        FILTER,
        TAU,
        CAP,
    ],
    verified: &["equations 1 and 2, alpha and beta and their three cases: Koo et al. 2007"],
    reconstructed: &[
        "a loss in slow start is congestion: the paper speaks of congestion avoidance only",
        "a difference equal to alpha or beta leaves the cause undecided; the paper has neither case",
        "RTT is the latest sample, the window that of the third duplicate ACK before inflation",
        "NewReno's recovery runs whatever the cause, and ends with the window that it began with",
        "70 % and 80 % of a queue: inferred from 14 and 16 at queues of 20, \"based on the queue size\"",
    ],
    features: ReceiverFeatures::NOTHING,
    build: &|p, c| Parts {
        control: Box::new(WestwoodVt::new(p)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

#[derive(Debug)]
struct WestwoodVt {
    alpha: f64,
    beta: f64,
    westwood: Westwood,
}

impl WestwoodVt {
    fn new(p: &Params) -> Self {
        let queue = p.get("queue");
        let (alpha, beta) =
            if queue > 0.0 { (0.7 * queue, 0.8 * queue) } else { (p.get("alpha"), p.get("beta")) };
        WestwoodVt { alpha, beta, westwood: Westwood::new(p, false) }
    }

    /// Koo et al. 2007, §2.
    fn judge(&self, w: &Window) -> Judged {
        match self.westwood.queued(w) {
            // "operated in congestion avoidance (CA) phase"
            _ if w.in_slow_start() => Judged::Congestion,
            Some(queued) if queued < self.alpha => Judged::Wireless,
            Some(queued) if queued > self.beta => Judged::Congestion,
            Some(_) => Judged::Undecided,
            None => Judged::Congestion,
        }
    }
}

impl CongestionControl for WestwoodVt {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        self.westwood.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged {
        let judged = match l.signal {
            Signal::Duplicates => self.judge(w),
            Signal::Timeout | Signal::Echo => Judged::Congestion,
        };
        if judged == Judged::Congestion {
            self.westwood.on_loss(w, l, s);
        }
        judged
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.westwood.observe(a, s);
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        self.westwood.on_sent(now, sent);
    }
}
