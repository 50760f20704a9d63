use super::{ReceiverFeatures, Param, Scheme};
use crate::control::Reno;
use crate::estimators::ForwardDelays;
use crate::notices::IgnoreNotices;
use crate::recovery;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, SenderPolicies, CongestionSignal, Window};
use crate::sender_state::SenderState;

pub(super) static SCHEME: Scheme = Scheme {
    name: "santa-cruz",
    title: "TCP Santa Cruz",
    family: "loss discrimination",
    preset: None,
    about: "The sender computes the growth of the queue towards the receiver, in packets, from the transmission and arrival times of \
    segments, and adjusts the window so that about n packets are queued. A loss is classified \
            as congestion only after the queue grew in two consecutive windows; other losses are repaired without a \
            window reduction.",
    applicability: "On a path without other traffic, with occasional losses: delayed or lost ACKs do not affect Santa Cruz. During congestion, \
    losses of any cause reduce the window. Santa Cruz classifies varying link-layer delays as a queue.",
    citation: "C. Parsa and J. J. Garcia-Luna-Aceves, Improving TCP Congestion Control over Internets with \
           Heterogeneous Transmission Media, ICNP 1999; C. Parsa and J. J. Garcia-Luna-Aceves, Differentiating Congestion \
           vs. Random Loss: A Method for Improving TCP Performance over Wireless Links, WCNC 2000",
    network_requirements: &[],
    params: &[
        Param::with_range("n", 4.0, (0.0, 1e6), "target number of packets in queues"),
        Param::with_range("delta", 1.0, (0.0, 1e6), "tolerated deviation from n, packets, before the window changes"),
    ],
    verified_rules: &[
        "relative delays summed up to queued packets, once per window, and the target n: the abstract of 1999",
        "congestion only after two consecutive increases: Yun 2009 §2.2",
    ],
    reconstructed_rules: &[
        "n = 4 and delta = 1",
        "relative delays are summed as times, never below zero, and the sum is divided by the mean service time of \
         the last window; with a division per window, a queue that drains during a pause would permanently remain above zero",
        "the three states of Yun 2009 are normal, one increase, and congestion; a decrease returns to normal",
        "slow start ends when more than n + delta packets are queued; the check may use an unfinished window",
        "a timeout restarts the measurement",
        "losses are repaired as NewReno does, and a timeout is always congestion",
    ],
    features: ReceiverFeatures { arrival_report: true, ..ReceiverFeatures::NONE },
    build: &|p, c| SenderPolicies {
        control: Box::new(SantaCruz::new(p.get("n"), p.get("delta"))),
        recovery: recovery::newreno(c),
        notices: Box::new(IgnoreNotices),
    },
};

/// Trend of the queue over the last windows.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Trend {
    Normal,
    /// The queue grew in the last window.
    Growing,
    /// The queue grew in two consecutive windows, and has not shrunk since then.
    Congestion,
}

impl Trend {
    fn next_trend(self, queued_before: f64, queued: f64) -> Trend {
        match self {
            _ if queued < queued_before => Trend::Normal,
            Trend::Normal if queued > queued_before => Trend::Growing,
            Trend::Growing if queued > queued_before => Trend::Congestion,
            Trend::Growing => Trend::Normal,
            unchanged => unchanged,
        }
    }
}

#[derive(Debug)]
struct SantaCruz {
    target: f64,
    delta: f64,
    delays: ForwardDelays,
    /// Number of arrivals reported in this window.
    arrivals: usize,
    /// First byte after the window. An ACK of all data below this byte ends the window.
    window_end: u64,
    /// Sum of the relative delays in nanoseconds. A relative delay is the queueing delay above the smallest
    /// delay so far.
    delay: i64,
    /// N, in packets: `delay` divided by the mean service time in the last window.
    queued: f64,
    trend: Trend,
    /// True if a measurement window has ended and cwnd has not been adjusted yet.
    is_due: bool,
}

impl SantaCruz {
    fn new(target: f64, delta: f64) -> Self {
        SantaCruz {
            target,
            delta,
            delays: ForwardDelays::default(),
            arrivals: 0,
            window_end: 0,
            delay: 0,
            queued: 0.0,
            trend: Trend::Normal,
            is_due: false,
        }
    }

    /// Returns N, including the packets of the unfinished window; `None` before two arrivals at different
    /// times.
    fn queued_packets(&self) -> Option<f64> {
        let window = self.delays.interval_of_last(self.arrivals)?;
        window.packets_for_delay((self.delay + window.delay_growth_ns).max(0))
    }

    /// Resets the measurement after a timeout. The queues are empty, and the retransmissions that follow are
    /// not measured.
    fn reset_measurement(&mut self) {
        (self.delay, self.queued, self.trend) = (0, 0.0, Trend::Normal);
        (self.arrivals, self.is_due) = (0, false);
        self.delays.keep(0);
    }

    fn end_window(&mut self, s: &SenderState) {
        if let Some(window) = self.delays.interval_of_last(self.arrivals) {
            self.delay = (self.delay + window.delay_growth_ns).max(0);
            if let Some(queued) = window.packets_for_delay(self.delay) {
                self.trend = self.trend.next_trend(self.queued, queued);
                self.queued = queued;
                self.is_due = true;
            }
        }
        self.delays.keep(0);
        self.arrivals = 0;
        self.window_end = s.sent_end;
    }
}

impl CongestionControl for SantaCruz {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        if w.in_slow_start() {
            w.cwnd += 1.0;
            if self.queued_packets().is_some_and(|n| n > self.target + self.delta) {
                w.ssthresh = w.cwnd;
            }
        } else if std::mem::take(&mut self.is_due) {
            if self.queued < self.target - self.delta {
                w.cwnd += 1.0;
            } else if self.queued > self.target + self.delta {
                w.cwnd = (w.cwnd - 1.0).max(2.0);
                w.ssthresh = w.ssthresh.min(w.cwnd); // prevents slow start back to the old window
            }
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        match l.signal {
            CongestionSignal::Duplicates if self.trend != Trend::Congestion => return LossClass::Wireless,
            CongestionSignal::Timeout => self.reset_measurement(),
            _ => {}
        }
        Reno.on_loss(w, l, s)
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        if let Some(arrival) = a.arrival
            && let Some(sent) = s.scoreboard.single_transmission_time(arrival.seq)
        {
            self.delays.on_arrival(sent, arrival.at);
            self.arrivals += 1;
        }
        if s.una > self.window_end {
            self.end_window(s);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;

    // Yun 2009 §2.2: "an increase of N during two consecutive intervals leads to the transition to the congestion state".
    #[test]
    fn two_queue_increases_begin_the_congestion_state() {
        let mut trend = Trend::Normal;
        let mut states = Vec::new();
        for pair in [0.0, 1.0, 1.0, 2.0, 3.0, 3.0, 4.0, 2.0, 3.0, 2.0].windows(2) {
            trend = trend.next_trend(pair[0], pair[1]);
            states.push(trend);
        }
        use Trend::{Congestion, Growing, Normal};
        let expected =
            [Growing, Normal, Growing, Congestion, Congestion, Congestion, Normal, Growing, Normal];
        assert_eq!(states, expected);
    }

    // Slow start ends when the unfinished window has more than n + delta packets in the queue. A timeout
    // resets the measurement; without the reset the next slow start would end immediately.
    #[test]
    fn slow_start_ends_by_the_queue_that_a_timeout_resets() {
        let at = |ms| Time::ZERO + airhop_base::Span::from_millis(ms);
        let state = SenderState::new(&crate::Preset::Ns2.config(1000));
        let ack = Ack::with_acked_bytes(at(200), 1000);
        let grown = |timeout: bool| {
            let mut santa = SantaCruz::new(4.0, 1.0);
            // Twelve packets sent in 48 ms arrive in 120 ms: a delay of 72 ms, at a service time of 10 ms.
            (0..=12).for_each(|k| santa.delays.on_arrival(at(4 * k), at(10 * k)));
            santa.arrivals = 12;
            let mut w = Window { cwnd: 8.0, ssthresh: f64::INFINITY };
            if timeout {
                let loss = Loss { now: at(200), signal: CongestionSignal::Timeout, halving_base: Some(8.0), halved_base: 4.0, halved_cwnd: 4.0 };
                assert_eq!(santa.on_loss(&mut w, &loss, &state), LossClass::Congestion);
            }
            santa.on_ack(&mut w, &ack, &state);
            (w.cwnd, w.ssthresh)
        };
        assert_eq!(grown(false), (9.0, 9.0));
        assert_eq!(grown(true), (2.0, 4.0));
    }
}
