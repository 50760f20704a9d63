//! The turnaround of a receiver's host: what it takes from a segment to the ACK that it causes. Interrupts, scheduling and the stack take it
//! on a real machine, before TCP sees the segment: an ACK says what TCP has by then, whatever else is at the interface. On 802.11 it decides how often an ACK meets the next data frame: one that is there at once starts its backoff
//! together with the sender's next frame, one that comes later finds that frame on the air.

use airhop_base::{Packet, Span, Time};
use airhop_engine::Stream;
use airhop_tcp::Turnaround as TurnaroundConfig;
use std::collections::VecDeque;

/// Packets on their way through a host to its TCP.
#[derive(Debug)]
pub(crate) struct Turnaround {
    median_s: f64,
    /// What (1 - u) / u is raised to.
    exponent: f64,
    stream: Stream,
    held: VecDeque<Packet>,
    /// When TCP gets the last of them: a host does not reorder.
    last: Time,
}

impl Turnaround {
    /// Times with a log-logistic distribution, F(x) = 1 / (1 + (x / median)^-β), whose tail is that of a power, as those of hosts are. Of
    /// its two parameters a measurement gives both: F(p90) = 0.9, so β = ln 9 / ln(p90 / median).
    pub fn new(config: TurnaroundConfig, stream: Stream) -> Self {
        let (median_s, p90_s) = (config.median.secs_f64(), config.p90.secs_f64());
        let exponent = if p90_s > median_s && median_s > 0.0 {
            libm::log(p90_s / median_s) / libm::log(9.0)
        } else {
            0.0
        };
        Turnaround { median_s, exponent, stream, held: VecDeque::new(), last: Time::ZERO }
    }

    /// Holds a packet. Returns when TCP gets it.
    pub fn hold(&mut self, now: Time, packet: Packet) -> Time {
        let u = self.stream.uniform().max(f64::MIN_POSITIVE);
        let takes = self.median_s * libm::pow(u / (1.0 - u), self.exponent);
        self.held.push_back(packet);
        self.last = self.last.max(now + Span::from_secs_f64(takes.min(LONGEST_S)));
        self.last
    }

    /// Takes the oldest packet out.
    pub fn release(&mut self) -> Option<Packet> {
        self.held.pop_front()
    }
}

/// A distribution without end is cut here: no host sleeps longer with the network up.
const LONGEST_S: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::{Body, Datagram, FlowId, NodeId};
    use airhop_engine::Streams;

    fn takes(median_us: u64, p90_us: u64, n: u64) -> Vec<f64> {
        let config =
            TurnaroundConfig { median: Span::from_micros(median_us), p90: Span::from_micros(p90_us) };
        let mut host = Turnaround::new(config, Streams::new(1, 0).stream("f.turnaround"));
        let body = Body::Udp(Datagram { number: 0, len: 12, sent: Time::ZERO, original: None });
        let packet = Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body);
        // So far apart that no packet waits for the one before.
        let at = |i| Time::ZERO + Span::from_secs(2) * i;
        let mut takes: Vec<f64> =
            (0..n).map(|i| (host.hold(at(i), packet.clone()) - at(i)).secs_f64() * 1e6).collect();
        takes.sort_by(f64::total_cmp);
        takes
    }

    // The two numbers that an emulation reports are those of the distribution; of 100,000 draws a quantile q is within five standard
    // errors, sqrt(q (1 - q) / n) of probability. F(x) = 1 / (1 + (x / median)^-β) elsewhere.
    #[test]
    fn median_and_p90_are_those_asked_for() {
        let takes = takes(100, 300, 100_000);
        let beta = 9.0_f64.ln() / 3.0_f64.ln();
        for x in [30.0, 100.0, 300.0, 900.0] {
            let q = 1.0 / (1.0 + f64::powf(x / 100.0, -beta));
            let below = takes.partition_point(|&t| t < x) as f64 / 1e5;
            assert!(
                (below - q).abs() < 5.0 * (q * (1.0 - q) / 1e5).sqrt(),
                "{below} below {x} µs, {q} expected"
            );
        }
        assert!(
            self::takes(100, 100, 1000).iter().all(|t| (t - 100.0).abs() < 1e-3),
            "p90 = median: always the same"
        );
    }

    // A host hands packets up in their order.
    #[test]
    fn a_packet_does_not_overtake() {
        let config = TurnaroundConfig { median: Span::from_micros(100), p90: Span::from_millis(1) };
        let mut host = Turnaround::new(config, Streams::new(1, 0).stream("f.turnaround"));
        let packet = |n| {
            let body = Body::Udp(Datagram { number: n, len: 12, sent: Time::ZERO, original: None });
            Packet::new(FlowId(0), NodeId(0), NodeId(1), 40, body)
        };
        let leave: Vec<Time> =
            (0..1000).map(|n| host.hold(Time::ZERO + Span::from_micros(n), packet(n))).collect();
        assert!(leave.is_sorted());
        assert_eq!(host.release(), Some(packet(0)));
    }
}
