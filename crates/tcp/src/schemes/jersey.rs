use super::{Asks, Param, Scheme};
use crate::control::Reno;
use crate::meters::{AvailableRate, SendTimes};
use crate::notices::Deaf;
use crate::recovery::{Partial, RenoRecovery};
use crate::seams::{Ack, CongestionControl, Judged, Loss, Next, Parts, Signal, Window};
use crate::space::Space;
use airhop_base::{Span, Time};

pub(super) static SCHEME: Scheme = Scheme {
    name: "jersey",
    title: "TCP-Jersey",
    family: "bandwidth and delay estimation",
    about: "Routers mark every packet while their mean queue is above a threshold. The sender estimates the available \
            bandwidth from the ACKs that come in, and sets its window to it on an ACK that echoes such a warning. \
            Duplicate ACKs without a warning say that a wireless link lost the segment: it is repaired and the \
            window stays.",
    helps: "Where every router on the path marks. A wireless link that queues without marking leaves it blind to \
            congestion. ACKs that bunch up or are lost bias its estimate, many flows share unfairly, and a timeout \
            costs it as much as Reno.",
    cite: "K. Xu, Y. Tian and N. Ansari, TCP-Jersey for Wireless IP Communications, IEEE JSAC 22(4), 2004",
    needs: &["congestion-warning"],
    params: PARAMS,
    verified: &[
        "the filter of the estimate: against two public ns-3 modules of Jersey",
        "the answer to warnings, to duplicate ACKs and to timeouts: Yun 2009 §2.2",
    ],
    reconstructed: &[
        "one sample for every ACK of new data (the modules take one a round trip)",
        "one rate control per window of data, and no growth by ACKs that bear a warning",
        "a warning in slow start sets the threshold only",
        "which round-trip time turns the rate into a window",
    ],
    asks: Asks { echo_each_mark: true, ..Asks::NOTHING },
    build: &|p, c| Parts {
        control: Box::new(Jersey::new(Clock::Sender, p.choice("rtt") == 1)),
        recovery: Box::new(RenoRecovery::new(Partial::RepairsNext, c.exit_to_flight)),
        notices: Box::new(Deaf),
    },
};

pub(super) const PARAMS: &[Param] = &[Param::word(
    "rtt",
    &["current", "minimum"],
    "the round-trip time that the estimate is multiplied with: the last one measured, or the smallest so far",
)];

/// Whose clock times the arrivals.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clock {
    /// The sender's: when an ACK comes (ABE).
    Sender,
    /// The receiver's: when the segment came that caused it (TABE).
    Receiver,
}

/// The control of Jersey and New Jersey.
#[derive(Debug)]
pub(super) struct Jersey {
    clock: Clock,
    times: SendTimes,
    rate: AvailableRate,
    rtt: Option<RoundTrip>,
    by_the_least: bool,
    /// The last ACK bore a warning.
    is_warned: bool,
    /// First byte that had not been sent at the last rate control: the next one when it is passed.
    controlled_up_to: u64,
}

/// Round-trip times.
#[derive(Clone, Copy, Debug)]
struct RoundTrip {
    last: Span,
    least: Span,
    smoothed: Span,
}

impl Jersey {
    pub(super) fn new(clock: Clock, by_the_least: bool) -> Self {
        Jersey {
            clock,
            times: SendTimes::default(),
            rate: AvailableRate::default(),
            rtt: None,
            by_the_least,
            is_warned: false,
            controlled_up_to: 0,
        }
    }

    /// Segments that the path holds at the estimated rate (the paper's ownd), two at least; none before there is an estimate.
    fn own_window(&self, s: &Space) -> Option<f64> {
        let rtt = self.rtt.filter(|_| self.rate.rate() > 0.0)?;
        let rtt = if self.by_the_least { rtt.least } else { rtt.last };
        Some((self.rate.rate() * rtt.secs_f64() / s.mss as f64).max(2.0))
    }

    /// Sets the window to what the path holds. Yun 2009 §2.2: "in a congestion avoidance phase".
    fn control_rate(&mut self, w: &mut Window, s: &Space) {
        let Some(own) = self.own_window(s).filter(|_| s.una > self.controlled_up_to) else { return };
        self.controlled_up_to = s.max_sent;
        if !w.in_slow_start() {
            w.cwnd = own;
        }
        w.ssthresh = own;
    }

    fn estimate(&mut self, a: &Ack, rtt: Span) {
        match self.clock {
            Clock::Sender => self.rate.update(a.now, a.acked, rtt),
            Clock::Receiver => match a.arrival {
                Some(arrival) if self.rate.last_arrival() == Some(arrival.at) => self.rate.merge(a.acked, rtt),
                Some(arrival) => self.rate.update(arrival.at, a.acked, rtt),
                None => {}
            },
        }
    }
}

impl CongestionControl for Jersey {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &Space) {
        if a.ece {
            self.control_rate(w, s);
        } else {
            Reno.on_ack(w, a, s);
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &Space) -> Judged {
        match l.signal {
            Signal::Duplicates if !self.is_warned => return Judged::Wireless, // explicit retransmit
            Signal::Duplicates | Signal::Echo => self.control_rate(w, s),
            Signal::Timeout => *w = Window { cwnd: 1.0, ssthresh: self.own_window(s).unwrap_or(l.half) },
        }
        Judged::Congestion
    }

    fn observe(&mut self, a: &Ack, s: &Space) {
        self.is_warned = a.ece;
        if let Some(rtt) = self.times.on_ack(a.now, s.una) {
            self.rtt = Some(self.rtt.map_or(RoundTrip { last: rtt, least: rtt, smoothed: rtt }, |old| {
                // RFC 6298 §2.3: a gain of 1/8.
                RoundTrip { last: rtt, least: old.least.min(rtt), smoothed: (old.smoothed * 7 + rtt) / 8 }
            }));
        }
        if let Some(rtt) = self.rtt
            && a.acked > 0
        {
            self.estimate(a, rtt.smoothed);
        }
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        self.times.on_sent(now, sent.start, sent.end);
    }
}
