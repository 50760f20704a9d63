use super::westwood::{CAP, FILTER, TAU, Westwood};
use super::{ReceiverFeatures, Param, Params, Scheme};
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, NextSegment, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};

pub(super) static SCHEME: Scheme = Scheme {
    name: "westwood-vt",
    title: "TCP WestwoodVT",
    family: "loss discrimination",
    preset: None,
    about: "WestwoodNR that classifies losses by Vegas' estimate of the flow's queued segments, Δ. The classification is made \
            in congestion avoidance, at the third duplicate ACK. With fewer than alpha queued segments the loss is wireless: \
            the segment is retransmitted and the window stays unchanged. With more than beta segments the loss is congestion, \
            and the window is WestwoodNR's. Between alpha and beta, the segment is retransmitted, the window stays unchanged, \
            and the classification is postponed.",
    applicability: "On paths where random losses happen while queues are empty, and where the bottleneck's queue is shorter \
            than the flow's backlog before a congestion loss. The estimate includes segments of other flows in \
            the queue. A flow that fills the queue classifies random losses as congestion.",
    citation: "J. Koo, S.-G. Mun and H. Choo, Sender-Based TCP Scheme for Improving Performance in Wireless Environment, ICCS \
           2007, LNCS 4490, pp. 538-541",
    network_requirements: &[],
    params: &[
        Param::with_range("alpha", 14.0, (0.0, 1e6), "number of queued segments below which a loss is wireless; the paper: 14"),
        Param::with_range("beta", 16.0, (0.0, 1e6), "number of queued segments above which a loss is congestion; the paper: 16"),
        Param::with_range(
            "queue",
            0.0,
            (0.0, 1e6),
            "capacity of the bottleneck's queue in packets; alpha and beta are then 70 % and 80 % of it (the \
             paper uses 14 and 16 with queues of 20 packets); 0 = alpha and beta as given",
        ),
        Param::with_choices(
            "postponed",
            &["episode", "duplicates"],
            "event that decides a postponed classification (the paper: \"the next it receives 3-DUPACK\"); \
             episode = the next loss, which is classified by itself; duplicates = the next three duplicate ACKs \
             for the same loss, with the Δ of that time",
        ),
        FILTER,
        TAU,
        CAP,
    ],
    verified_rules: &["equations 1 and 2, alpha, beta and the three cases: Koo et al. 2007"],
    reconstructed_rules: &[
        "a loss in slow start is congestion, because the paper speaks of congestion avoidance only",
        "a difference equal to alpha or beta leaves the cause undecided; the paper does not mention this",
        "RTT is the latest sample, and the window is the window at the third duplicate ACK, before inflation",
        "NewReno's recovery runs for losses of either cause; at its end the window is the same as when the \
         recovery began",
        "postponed: \"the next it receives 3-DUPACK\" may refer to the next loss or to the same loss. In either case \
         the lost segment is retransmitted at the first three duplicate ACKs, \"as the standard sending\", and a \
         later decision changes the window only. In the results a loss keeps its classification at detection",
        "with postponed = duplicates: without SACK or timestamps, the segment that caused a duplicate ACK is \
         unknown. Each further duplicate ACK therefore counts as the arrival of the next segment above the hole, \
         and after a partial ACK as the arrival of the next segment but one. An undecided classification is \
         postponed again by three duplicate ACKs, until all data outstanding at the loss is acknowledged",
        "70 % and 80 % of a queue: inferred from 14 and 16 at queues of 20, \"based on the queue size\"",
    ],
    features: ReceiverFeatures::NONE,
    build: &|p, c| SenderPolicies {
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
    to_duplicates: bool,
    postponed: Option<PostponedClassification>,
}

/// Loss classification that waits for the next three duplicate ACKs.
#[derive(Debug)]
struct PostponedClassification {
    /// First unsent byte at the detection of the loss.
    recovery_point: u64,
    /// First byte of the highest segment that has arrived. Inferred from the ACKs.
    reached: u64,
    /// Number of consecutive duplicate ACKs since the loss was detected.
    duplicates: u32,
}

impl WestwoodVt {
    fn new(p: &Params) -> Self {
        let queue = p.get("queue");
        let (alpha, beta) =
            if queue > 0.0 { (0.7 * queue, 0.8 * queue) } else { (p.get("alpha"), p.get("beta")) };
        WestwoodVt { alpha, beta, westwood: Westwood::new(p, false), to_duplicates: p.choice("postponed") == 1, postponed: None }
    }

    /// Classifies a loss by the rules of Koo et al. 2007, §2.
    fn classify(&self, w: &Window) -> LossClass {
        // The rule is "operated in congestion avoidance (CA) phase"; in slow start every loss is congestion.
        if w.in_slow_start() { LossClass::Congestion } else { self.classify_by_queue(self.westwood.queued_segments(w)) }
    }

    /// Classifies a loss by Δ, the number of queued segments.
    fn classify_by_queue(&self, queued: Option<f64>) -> LossClass {
        match queued {
            Some(queued) if queued < self.alpha => LossClass::Wireless,
            Some(queued) if queued > self.beta => LossClass::Congestion,
            Some(_) => LossClass::Undecided,
            None => LossClass::Congestion,
        }
    }
}

impl PostponedClassification {
    /// Counts a duplicate ACK as the arrival of one more segment (Casetti et al. 2001, §2.1). Returns the RTT
    /// of this segment; `None` if the segment was sent more than once (Karn's rule).
    fn on_duplicate(&mut self, a: &Ack, s: &SenderState) -> Option<Span> {
        self.duplicates += 1;
        self.reached += s.mss;
        let timed = s.scoreboard.get(self.reached).filter(|e| !e.ever_retransmitted);
        a.newest_rtt.or(timed.map(|e| a.now - e.sent_at))
    }

    /// Handles a partial ACK: a segment that duplicate ACKs had counted as arrived was lost, and another
    /// segment has arrived. Returns `None` if all data outstanding at the loss is acknowledged.
    fn after_partial_ack(self, s: &SenderState) -> Option<Self> {
        let goes_on = s.una < self.recovery_point;
        goes_on.then(|| PostponedClassification { reached: self.reached + s.mss, duplicates: 0, ..self })
    }
}

impl CongestionControl for WestwoodVt {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        self.westwood.on_ack(w, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let judged = match l.signal {
            CongestionSignal::Duplicates => self.classify(w),
            CongestionSignal::Timeout | CongestionSignal::Echo => LossClass::Congestion,
        };
        if judged == LossClass::Congestion {
            self.westwood.on_loss(w, l, s);
        }
        self.postponed = (self.to_duplicates && judged == LossClass::Undecided).then(|| PostponedClassification {
            recovery_point: s.sent_end,
            reached: s.una + u64::from(s.dupacks) * s.mss,
            duplicates: 0,
        });
        judged
    }

    fn on_duplicate_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let Some(postponed) = &mut self.postponed else { return };
        let rtt = postponed.on_duplicate(a, s);
        let (Some(rtt), true) = (rtt, postponed.duplicates >= s.dupthresh) else { return };
        postponed.duplicates = 0;
        let judged = self.classify_by_queue(self.westwood.queued_segments_at(w, rtt));
        if judged == LossClass::Congestion {
            self.westwood.set_window_to_bdp(w, s);
        }
        if judged != LossClass::Undecided {
            self.postponed = None;
        }
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.westwood.observe_ack(a, s);
        if a.acked_bytes > 0 {
            self.postponed = self.postponed.take().and_then(|postponed| postponed.after_partial_ack(s));
        }
    }

    fn on_sent(&mut self, now: Time, sent: &NextSegment) {
        self.westwood.on_sent(now, sent);
    }
}
