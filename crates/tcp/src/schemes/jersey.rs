use super::{ReceiverFeatures, EchoMode, Param, Scheme};
use crate::control::Reno;
use crate::estimators::AvailableRateEstimator;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

pub(super) static SCHEME: Scheme = Scheme {
    name: "jersey",
    title: "TCP-Jersey",
    family: "bandwidth estimation",
    preset: None,
    about: "Routers mark every packet while their mean queue is above a threshold. The sender estimates the available \
            bandwidth from the arriving ACKs, and sets its window to the estimate on an ACK that echoes such a \
            warning. Duplicate ACKs without a warning indicate a wireless loss, which is repaired without a window \
            reduction.",
    applicability: "On paths where every router marks. Jersey cannot detect congestion of a wireless link whose queue does not mark. \
            Bunched or lost ACKs bias the bandwidth estimate, many flows share a link unfairly, and a timeout has the same \
            effect as in Reno.",
    citation: "K. Xu, Y. Tian and N. Ansari, TCP-Jersey for Wireless IP Communications, IEEE JSAC 22(4), 2004",
    network_requirements: &["congestion-warning"],
    params: PARAMS,
    verified_rules: &[
        "the filter of the estimate: against two public ns-3 modules of Jersey",
        "the reaction to warnings, duplicate ACKs and timeouts: Yun 2009 §2.2",
    ],
    reconstructed_rules: &[
        "one sample per ACK of new data (the modules take one per round trip)",
        "one rate adjustment per window of data, and no growth by ACKs that carry a warning",
        "a warning in slow start sets the threshold only",
        "rtt: the paper does not say which RTT turns the rate into a window; each value is one interpretation",
        "queue length that causes a warning: threshold and weight of the queue `congestion-warning`, whose defaults are interpretations",
    ],
    features: ReceiverFeatures { echo_mode: EchoMode::EachMark, ..ReceiverFeatures::NONE },
    build: &|p, c| SenderPolicies {
        control: Box::new(Jersey::new(Clock::Sender, p.choice("rtt") == 1)),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

pub(super) const PARAMS: &[Param] = &[Param::with_choices(
    "rtt",
    &["current", "minimum"],
    "RTT that multiplies the estimate: the latest sample, or the smallest so far",
)];

/// Clock that measures arrival times.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Clock {
    /// Sender's clock (ABE). Measures the arrival time of an ACK.
    Sender,
    /// Receiver's clock (TABE). Measures the arrival time of the segment that caused the ACK.
    Receiver,
}

/// Congestion control of Jersey and New Jersey.
#[derive(Debug)]
pub(super) struct Jersey {
    clock: Clock,
    rate: AvailableRateEstimator,
    rtt: Option<RoundTrip>,
    by_the_least: bool,
    /// True if the last ACK carried a congestion warning.
    is_warned: bool,
    /// First unsent byte when rate control last set the window to ownd. Rate control waits until this byte is
    /// acknowledged.
    controlled_up_to: u64,
}

/// Last, minimum and smoothed RTT.
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
            rate: AvailableRateEstimator::default(),
            rtt: None,
            by_the_least,
            is_warned: false,
            controlled_up_to: 0,
        }
    }

    /// Returns the paper's ownd in segments, at least two: estimated rate times minimum RTT. `None` before
    /// the first rate estimate.
    fn own_window(&self, s: &SenderState) -> Option<f64> {
        let rtt = self.rtt.filter(|_| self.rate.bytes_per_second() > 0.0)?;
        let rtt = if self.by_the_least { rtt.least } else { rtt.last };
        Some((self.rate.bytes_per_second() * rtt.secs_f64() / s.mss as f64).max(2.0))
    }

    /// Sets the window to the paper's ownd (rate control). In slow start, sets only ssthresh (Yun 2009 §2.2:
    /// "in a congestion avoidance phase").
    fn set_window_to_rate(&mut self, w: &mut Window, s: &SenderState) {
        let Some(own) = self.own_window(s).filter(|_| s.una > self.controlled_up_to) else { return };
        self.controlled_up_to = s.sent_end;
        if !w.in_slow_start() {
            w.cwnd = own;
        }
        w.ssthresh = own;
    }

    fn estimate(&mut self, a: &Ack, rtt: Span) {
        match self.clock {
            Clock::Sender => self.rate.update(a.now, a.acked_bytes, rtt),
            Clock::Receiver => match a.arrival {
                Some(arrival) if self.rate.last_arrival() == Some(arrival.at) => self.rate.merge(a.acked_bytes, rtt),
                Some(arrival) => self.rate.update(arrival.at, a.acked_bytes, rtt),
                None => {}
            },
        }
    }
}

impl CongestionControl for Jersey {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        if a.ece {
            self.set_window_to_rate(w, s);
        } else {
            Reno.on_ack(w, a, s);
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        match l.signal {
            CongestionSignal::Duplicates if !self.is_warned => return LossClass::Wireless, // explicit retransmit
            CongestionSignal::Duplicates | CongestionSignal::Echo => self.set_window_to_rate(w, s),
            CongestionSignal::Timeout => *w = Window { cwnd: 1.0, ssthresh: self.own_window(s).unwrap_or(l.halved_base) },
        }
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, _: &SenderState) {
        self.is_warned = a.ece;
        if let Some(rtt) = a.newest_rtt {
            self.rtt = Some(self.rtt.map_or(RoundTrip { last: rtt, least: rtt, smoothed: rtt }, |old| {
                // RFC 6298 §2.3, with a gain of 1/8.
                RoundTrip { last: rtt, least: old.least.min(rtt), smoothed: (old.smoothed * 7 + rtt) / 8 }
            }));
        }
        if let Some(rtt) = self.rtt
            && a.acked_bytes > 0
        {
            self.estimate(a, rtt.smoothed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;
    use crate::Preset;
    use airhop_base::SegmentArrival;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    /// Simulates four seconds. A segment of 1000 bytes is sent every 8 ms and arrives 60 ms later. Each ACK
    /// takes 40 ms, or ACKs arrive together every `batch` ms.
    fn fed(clock: Clock, batch: u64) -> (Jersey, SenderState) {
        let mut jersey = Jersey::new(clock, false);
        let mut state = SenderState::new(&Preset::Ns2.config(1000));
        let mut events: Vec<(u64, u64, bool)> = Vec::new();
        for k in 0..504 {
            events.push((8 * k, k, false));
            events.push(((8 * k + 100).next_multiple_of(batch), k, true));
        }
        events.sort_unstable_by_key(|&(ms, k, is_ack)| (ms, is_ack, k));
        for (ms, k, is_ack) in events {
            let start = 1 + 1000 * k;
            if is_ack {
                state.una = start + 1000;
                let arrival = Some(SegmentArrival { seq: start, at: at(8 * k + 60) });
                let sample = Some(at(ms) - at(8 * k));
                jersey.observe_ack(&Ack { newest_rtt: sample, ..ack(at(ms), 1000, arrival, false) }, &state);
            } else {
                state.sent_end = start + 1000;
            }
        }
        (jersey, state)
    }

    fn ack(now: Time, acked: u64, arrival: Option<SegmentArrival>, ece: bool) -> Ack<'static> {
        Ack { ece, arrival, ..Ack::with_acked_bytes(now, acked) }
    }

    fn loss(signal: CongestionSignal) -> Loss {
        Loss { now: at(5000), signal, halving_base: Some(14.0), halved_base: 7.0, halved_cwnd: 7.0 }
    }

    fn is_near(w: Window, cwnd: f64, ssthresh: f64) {
        assert!((w.cwnd - cwnd).abs() < 1e-3 && (w.ssthresh - ssthresh).abs() < 1e-3, "{w:?}");
    }

    // 125 segments per second at an RTT of 100 ms are 12.5 segments. Xu et al. 2004: a warning sets the
    // window to this value in congestion avoidance, and ssthresh in slow start. A timeout also sets ssthresh
    // to this value.
    #[test]
    fn a_congestion_warning_sets_the_window_to_the_bdp() {
        for (cwnd, expected) in [(20.0, 12.5), (8.0, 8.0)] {
            let (mut jersey, state) = fed(Clock::Sender, 1);
            let mut w = Window { cwnd, ssthresh: 10.0 };
            jersey.on_ack(&mut w, &ack(at(4200), 1000, None, true), &state);
            is_near(w, expected, 12.5);
        }
        let (mut jersey, state) = fed(Clock::Sender, 1);
        let mut w = Window { cwnd: 20.0, ssthresh: 10.0 };
        assert_eq!(jersey.on_loss(&mut w, &loss(CongestionSignal::Timeout), &state), LossClass::Congestion);
        is_near(w, 1.0, 12.5);
    }

    // The rate control acts once per window of data. An ACK with a warning never increases the window.
    #[test]
    fn jersey_rate_control_acts_once_per_window() {
        let (mut jersey, mut state) = fed(Clock::Sender, 1);
        let warning = ack(at(4200), 1000, None, true);
        let mut w = Window { cwnd: 20.0, ssthresh: 10.0 };
        state.una = state.sent_end - 5000;
        jersey.on_ack(&mut w, &warning, &state);
        w.cwnd = 14.0;
        state.una += 5000;
        jersey.on_ack(&mut w, &warning, &state);
        is_near(w, 14.0, 12.5);
        state.una += 1000;
        jersey.on_ack(&mut w, &warning, &state);
        is_near(w, 12.5, 12.5);
    }

    // Yun 2009 §2.2: only duplicate ACKs with a warning report congestion; other duplicate ACKs change
    // neither window nor ssthresh.
    #[test]
    fn duplicate_acks_without_a_warning_are_wireless_losses() {
        let (mut jersey, state) = fed(Clock::Sender, 1);
        let mut w = Window { cwnd: 20.0, ssthresh: 10.0 };
        jersey.observe_ack(&ack(at(4200), 0, None, false), &state);
        assert_eq!(jersey.on_loss(&mut w, &loss(CongestionSignal::Duplicates), &state), LossClass::Wireless);
        is_near(w, 20.0, 10.0);
        jersey.observe_ack(&ack(at(4201), 0, None, true), &state);
        assert_eq!(jersey.on_loss(&mut w, &loss(CongestionSignal::Duplicates), &state), LossClass::Congestion);
        is_near(w, 12.5, 12.5);
    }

    // If ACKs arrive every 96 ms, twelve at a time, Jersey estimates nearly twice the true rate. New Jersey
    // uses the arrival times of the segments.
    #[test]
    fn compressed_acks_bias_jersey_but_not_new_jersey() {
        let rates = [Clock::Sender, Clock::Receiver].map(|clock| fed(clock, 96).0.rate.bytes_per_second() / 1000.0);
        assert!(rates[0] > 190.0 && (rates[1] - 125.0).abs() < 1e-3, "{rates:?}");
    }
}
