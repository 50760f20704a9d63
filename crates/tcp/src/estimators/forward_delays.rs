use airhop_base::Time;
use std::collections::VecDeque;

/// Relative forward delays, from when packets were sent and when they arrived. The two clocks need not agree: only
/// differences of each matter (Parsa and Garcia-Luna-Aceves 1999; Wu and Chen 2004).
///
/// If packets arrive ΔR apart that were sent ΔS apart, the later one was delayed by ΔR - ΔS more: a queue grew by that.
#[derive(Debug, Default)]
pub struct ForwardDelays {
    /// (sent, arrived), in the order of the ACKs.
    packets: VecDeque<(Time, Time)>,
}

impl ForwardDelays {
    /// A packet that was sent once, at `sent`, arrived at `arrived`.
    pub fn on_arrival(&mut self, sent: Time, arrived: Time) {
        self.packets.push_back((sent, arrived));
    }

    /// Returns the interval over which the last `n` packets arrived, or as many as are known; `None` before the second.
    pub fn over(&self, n: usize) -> Option<Interval> {
        let packets = n.min(self.packets.len().checked_sub(1)?);
        let first = self.packets[self.packets.len() - 1 - packets];
        let last = self.packets.back()?;
        // In whole nanoseconds: no change is no change, and the receiver's times may run backwards (reordering).
        let between = |from: Time, to: Time| to.nanos().wrapping_sub(from.nanos()) as i64;
        let received = between(first.1, last.1);
        Some(Interval { packets, received, delayed: received - between(first.0, last.0) })
    }

    /// Drops all entries except those that [`ForwardDelays::over`] needs for `n` packets.
    pub fn keep(&mut self, n: usize) {
        self.packets.drain(..self.packets.len().saturating_sub(n.saturating_add(1)));
    }
}

/// Some packets that arrived one after the other.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Interval {
    /// Number of packets.
    packets: usize,
    /// ΔR from the packet before the first of them to the last, nanoseconds.
    received: i64,
    /// ΔR - ΔS over the same packets: growth of the one-way delay, nanoseconds; negative if a queue shrank.
    pub delayed: i64,
}

impl Interval {
    /// Returns the number of packets in a queue that delays by `delay` nanoseconds, if it serves one in the mean time between arrivals, ΔR / n.
    /// `None` if no time passed between arrivals.
    pub fn packets_in(&self, delay: i64) -> Option<f64> {
        (self.received > 0).then(|| self.packets as f64 * delay as f64 / self.received as f64)
    }

    /// Returns the packets of the interval that queued: JTCP's jitter ratio, (ΔR - ΔS) / ΔR, times their number.
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

    /// `n` packets, one sent every `sent` microseconds, served in `served`; the receiver's clock is an hour ahead.
    fn queue(n: u64, sent: u64, served: u64) -> ForwardDelays {
        let (mut delays, mut free) = (ForwardDelays::default(), 0);
        for k in 0..n {
            free = free.max(k * sent) + served;
            delays.on_arrival(at(k * sent), at(3_600_000_000 + free));
        }
        delays
    }

    // A queue with an arrival every 4 ms and a service time of 5 ms: while n packets are served in 5 n ms, 5 n / 4 are
    // sent, so the queue grows by a fifth of the sent packets (ΔR = 5 n, ΔS = 4 n).
    #[test]
    fn the_growth_is_the_share_that_queues_times_the_packets() {
        let delays = queue(101, 4000, 5000);
        for n in [1, 10, 100] {
            assert!((delays.over(n).unwrap().queued().unwrap() - n as f64 / 5.0).abs() < 1e-6);
        }
        assert!((delays.over(500).unwrap().queued().unwrap() - 20.0).abs() < 1e-6, "only 101 are known");
    }

    // A server faster than the arrivals has no queue, for any clock offsets.
    #[test]
    fn no_queue_no_growth() {
        assert!(queue(50, 5000, 4000).over(40).unwrap().queued().unwrap().abs() < 1e-6);
        let mut drained = queue(11, 1000, 3000);
        // 10 packets queue 20 ms; the next comes after they are gone.
        drained.on_arrival(at(100_000), at(3_600_103_000));
        let (grown, shrunk) = (queue(11, 1000, 3000).over(10).unwrap(), drained.over(1).unwrap());
        assert!((grown.queued().unwrap() - 10.0 * 20.0 / 30.0).abs() < 1e-6);
        // ΔR = 103 - 33 = 70, ΔS = 90.
        assert!((shrunk.queued().unwrap() - (70.0 - 90.0) / 70.0).abs() < 1e-6);
    }

    // Sums of relative delays telescope: after the queue of 20 ms is gone, so is the sum.
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
