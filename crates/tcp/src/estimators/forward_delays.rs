use airhop_base::Time;
use std::collections::VecDeque;

/// Relative forward delays, from the transmission and arrival times of packets. The two clocks need not be
/// synchronised, as only differences of each are used (Parsa and Garcia-Luna-Aceves 1999; Wu and Chen 2004).
///
/// If two packets were sent ΔS apart and arrived ΔR apart, the one-way delay grew by ΔR - ΔS: a queue grew by
/// that time.
#[derive(Debug, Default)]
pub struct ForwardDelays {
    /// Pairs of transmission and arrival time, in the order of the ACKs.
    packets: VecDeque<(Time, Time)>,
}

impl ForwardDelays {
    /// Adds a packet that was sent once, at `sent`, and arrived at `arrived`.
    pub fn on_arrival(&mut self, sent: Time, arrived: Time) {
        self.packets.push_back((sent, arrived));
    }

    /// Returns the interval of the last `n` arrivals, or of all if fewer are known; `None` before the second.
    pub fn over(&self, n: usize) -> Option<Interval> {
        let packets = n.min(self.packets.len().checked_sub(1)?);
        let first = self.packets[self.packets.len() - 1 - packets];
        let last = self.packets.back()?;
        // Integer nanoseconds, so that equal differences cancel exactly; the receiver's times may decrease
        // (reordering).
        let between = |from: Time, to: Time| to.nanos().wrapping_sub(from.nanos()) as i64;
        let received = between(first.1, last.1);
        Some(Interval { packets, received, delayed: received - between(first.0, last.0) })
    }

    /// Removes all entries except those that [`ForwardDelays::over`] needs for `n` packets.
    pub fn keep(&mut self, n: usize) {
        self.packets.drain(..self.packets.len().saturating_sub(n.saturating_add(1)));
    }
}

/// Interval of consecutive arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Number of packets.
    packets: usize,
    /// ΔR: time from the arrival of the packet before the interval to the last arrival, nanoseconds.
    received: i64,
    /// ΔR - ΔS over the interval: growth of the one-way delay, nanoseconds; negative if a queue shrank.
    pub delayed: i64,
}

impl Interval {
    /// Returns the number of packets in a queue with a delay of `delay` nanoseconds whose service time is the
    /// mean time between arrivals, ΔR / n. `None` if all arrivals have the same time.
    pub fn packets_in(&self, delay: i64) -> Option<f64> {
        (self.received > 0).then(|| self.packets as f64 * delay as f64 / self.received as f64)
    }

    /// Returns the number of packets of the interval that queued: JTCP's jitter ratio, (ΔR - ΔS) / ΔR, times
    /// the number of packets.
    pub fn queued(&self) -> Option<f64> {
        self.packets_in(self.delayed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// Creates `n` packets sent every `sent` microseconds and served in `served` microseconds each; the
    /// receiver's clock is an hour ahead.
    fn queue(n: u64, sent: u64, served: u64) -> ForwardDelays {
        let (mut delays, mut free) = (ForwardDelays::default(), 0);
        for k in 0..n {
            free = free.max(k * sent) + served;
            delays.on_arrival(at(k * sent), at(3_600_000_000 + free));
        }
        delays
    }

    // A queue with an arrival every 4 ms and a service time of 5 ms: n packets are served in 5 n ms, during
    // which 5 n / 4 are sent, so the queue grows by a fifth of the sent packets (ΔR = 5 n, ΔS = 4 n).
    #[test]
    fn the_growth_is_the_share_that_queues_times_the_packets() {
        let delays = queue(101, 4000, 5000);
        for n in [1, 10, 100] {
            assert!((delays.over(n).unwrap().queued().unwrap() - n as f64 / 5.0).abs() < 1e-6);
        }
        assert!((delays.over(500).unwrap().queued().unwrap() - 20.0).abs() < 1e-6, "only 101 are known");
    }

    // A server faster than the arrivals has no queue, for any clock offset.
    #[test]
    fn no_queue_no_growth() {
        assert!(queue(50, 5000, 4000).over(40).unwrap().queued().unwrap().abs() < 1e-6);
        let mut drained = queue(11, 1000, 3000);
        // Ten packets build a queue of 20 ms; the next packet arrives after the queue is empty.
        drained.on_arrival(at(100_000), at(3_600_103_000));
        let (grown, shrunk) = (queue(11, 1000, 3000).over(10).unwrap(), drained.over(1).unwrap());
        assert!((grown.queued().unwrap() - 10.0 * 20.0 / 30.0).abs() < 1e-6);
        // ΔR = 103 - 33 = 70, ΔS = 90.
        assert!((shrunk.queued().unwrap() - (70.0 - 90.0) / 70.0).abs() < 1e-6);
    }

    // Sums of relative delays telescope: after the queue of 20 ms has drained, the sum is zero.
    #[test]
    fn relative_delays_add_up_to_the_queue() {
        let mut delays = ForwardDelays::default();
        let mut sum = 0;
        for (sent, arrived) in [(0, 3), (1, 6), (5, 20), (6, 26), (40, 43)] {
            delays.on_arrival(at(sent * 1000), at(arrived * 1000));
            sum += delays.over(1).map_or(0, |step| step.delayed);
        }
        assert_eq!(sum, 0);
    }

    #[test]
    fn nothing_is_known_of_one_instant() {
        let mut delays = ForwardDelays::default();
        assert_eq!(delays.over(5), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.over(5).and_then(|i| i.queued()), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.over(5).and_then(|i| i.queued()), None);
        delays.on_arrival(at(5), at(15));
        delays.keep(1);
        assert_eq!((delays.packets.len(), delays.over(9).and_then(|i| i.queued())), (2, Some(0.0)));
    }
}
