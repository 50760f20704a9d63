//! Delay of packets in a host or emulator that must wake up to process them. Packets keep their order.
//!
//! The turnaround of a receiver's host is the time from the arrival of a segment to the transmission of its
//! ACK. In a real machine, interrupts, scheduling and the network stack delay the segment before TCP
//! processes it. An ACK therefore acknowledges only data that TCP has processed, and no segment that is still
//! at the interface. The delay ends when the machine wakes up and processes all packets that have arrived.
//! The segments of an A-MPDU arrive at the same time and share a single delay.
//!
//! In 802.11 the turnaround determines how often an ACK collides with the next data frame. The backoff for an
//! immediate ACK starts together with the backoff for the sender's next frame. If the ACK reaches the MAC
//! later, this frame is already on the air.

use airhop_base::{EmpiricalDistribution, Span, Time};
use airhop_engine::RandomStream;
use airhop_tcp::Turnaround;
use std::collections::VecDeque;
use std::sync::Arc;

/// Distribution of the delay until the wake-up.
#[derive(Clone, Debug)]
pub(crate) enum DelayDistribution {
    /// Log-logistic distribution. A variate is the median times (u / (1 - u))^`exponent`, where u is uniform.
    LogLogistic { median_s: f64, exponent: f64 },
    /// Distribution that was measured in an emulation.
    Measured(Arc<EmpiricalDistribution>),
}

impl From<Turnaround> for DelayDistribution {
    /// Computes the parameters from the median and the 90th percentile. The distribution is F(x) = 1 / (1 +
    /// (x / median)^-β). The tail is a power law, as measured on hosts. From F(p90) = 0.9 follows β = ln 9 /
    /// ln(p90 / median). `exponent` is 1/β.
    fn from(config: Turnaround) -> Self {
        let (median_s, p90_s) = (config.median.secs_f64(), config.p90.secs_f64());
        let exponent = if p90_s > median_s && median_s > 0.0 {
            libm::log(p90_s / median_s) / libm::log(9.0)
        } else {
            0.0
        };
        DelayDistribution::LogLogistic { median_s, exponent }
    }
}

impl DelayDistribution {
    fn draw(&self, stream: &mut RandomStream) -> Span {
        match self {
            DelayDistribution::LogLogistic { median_s, exponent } => {
                let u = stream.uniform().max(f64::MIN_POSITIVE);
                let takes = median_s * libm::pow(u / (1.0 - u), *exponent);
                Span::from_secs_f64(takes.min(MAX_TURNAROUND_S))
            }
            DelayDistribution::Measured(lengths) => lengths.quantile(stream.uniform()),
        }
    }
}

/// Packets that wait until a host or an emulator wakes up. Packets leave in the order of their arrival.
#[derive(Debug)]
pub(crate) struct WakeUpQueue<T> {
    takes: DelayDistribution,
    stream: RandomStream,
    held: VecDeque<T>,
}

impl<T> WakeUpQueue<T> {
    /// Creates an empty queue.
    pub fn new(takes: impl Into<DelayDistribution>, stream: RandomStream) -> Self {
        WakeUpQueue { takes: takes.into(), stream, held: VecDeque::new() }
    }

    /// Adds a packet. If no other packet waits, draws and returns the wake-up time; `None` otherwise. All
    /// waiting packets leave at the wake-up.
    pub fn push(&mut self, now: Time, packet: T) -> Option<Time> {
        self.held.push_back(packet);
        (self.held.len() == 1).then(|| now + self.takes.draw(&mut self.stream))
    }

    /// Returns the number of waiting packets.
    pub fn len(&self) -> usize {
        self.held.len()
    }

    /// Removes and returns the oldest packet; `None` if no packet waits.
    pub fn pop(&mut self) -> Option<T> {
        self.held.pop_front()
    }
}

/// Maximum turnaround in seconds. Larger variates are limited to this value, because no host with an active
/// network sleeps longer.
const MAX_TURNAROUND_S: f64 = 1.0;

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_engine::RandomStreams;

    fn host(takes: impl Into<DelayDistribution>) -> WakeUpQueue<u64> {
        WakeUpQueue::new(takes, RandomStreams::new(1, 0).stream("f.turnaround"))
    }

    fn takes(median_us: u64, p90_us: u64, n: u64) -> Vec<f64> {
        let mut host =
            host(Turnaround { median: Span::from_micros(median_us), p90: Span::from_micros(p90_us) });
        let mut takes: Vec<f64> = (0..n)
            .map(|i| {
                let wakes = host.push(Time::ZERO, i).expect("the host has no other packet");
                host.pop();
                (wakes - Time::ZERO).secs_f64() * 1e6
            })
            .collect();
        takes.sort_by(f64::total_cmp);
        takes
    }

    // The two quantiles that an emulation reports are quantiles of the distribution, F(x) = 1 / (1 + (x /
    // median)^-β). Of 100,000 draws the fraction below such a quantile q is within five standard errors,
    // sqrt(q (1 - q) / n).
    #[test]
    fn the_turnaround_has_the_configured_median_and_p90() {
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

    // A host that wakes up processes all packets that have arrived, in the order of their arrival. The
    // segments of an A-MPDU arrive at the same time, and therefore have a single delay, not the largest of
    // many delays.
    #[test]
    fn packets_that_arrive_before_a_wake_up_have_no_delay_of_their_own() {
        let mut host = host(Turnaround { median: Span::from_micros(100), p90: Span::from_millis(1) });
        assert!(host.push(Time::ZERO, 0).is_some());
        assert!((1..28).all(|n| host.push(Time::ZERO, n).is_none()));
        let departures: Vec<u64> = std::iter::from_fn(|| host.pop()).collect();
        assert_eq!(departures, (0..28).collect::<Vec<u64>>());
        assert!(host.push(Time::ZERO, 28).is_some(), "the host sleeps again");
    }
}
