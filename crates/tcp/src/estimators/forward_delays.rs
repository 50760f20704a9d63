use airhop_base::Time;
use std::collections::VecDeque;

/// Relative forward delays, computed from transmission and arrival times of packets. Only time differences on
/// each clock are used, so the two clocks need not be synchronised (Parsa and Garcia-Luna-Aceves 1999; Wu and
/// Chen 2004).
///
/// If two packets were sent ΔS apart and arrived ΔR apart, the one-way delay grew by ΔR - ΔS. This growth is
/// queueing delay.
#[derive(Debug, Default)]
pub struct ForwardDelays {
    /// Transmission and arrival time of each packet, in the order of the ACKs.
    packets: VecDeque<(Time, Time)>,
}

impl ForwardDelays {
    /// Adds a packet sent at `sent` and received at `arrived`. The packet must not be a retransmission.
    pub fn on_arrival(&mut self, sent: Time, arrived: Time) {
        self.packets.push_back((sent, arrived));
    }

    /// Returns the interval of the last `n` arrivals, or of all arrivals if fewer are stored; `None` before
    /// the second arrival.
    pub fn interval_of_last(&self, n: usize) -> Option<ArrivalInterval> {
        let packets = n.min(self.packets.len().checked_sub(1)?);
        let first = self.packets[self.packets.len() - 1 - packets];
        let last = self.packets.back()?;
        // Times are integer nanoseconds, so that equal differences cancel exactly. Arrival times may decrease
        // because of reordering.
        let between = |from: Time, to: Time| to.nanos().wrapping_sub(from.nanos()) as i64;
        let received = between(first.1, last.1);
        Some(ArrivalInterval { packets, received, delay_growth_ns: received - between(first.0, last.0) })
    }

    /// Removes old entries. The remaining entries suffice for [`ForwardDelays::interval_of_last`] with `n` packets.
    pub fn keep(&mut self, n: usize) {
        self.packets.drain(..self.packets.len().saturating_sub(n.saturating_add(1)));
    }
}

/// Interval of consecutive arrivals.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ArrivalInterval {
    /// Number of packets that arrived in the interval.
    packets: usize,
    /// ΔR in nanoseconds: time from the last arrival before the interval to the last arrival in the interval.
    received: i64,
    /// ΔR - ΔS in nanoseconds: growth of the one-way delay in the interval; negative if the queue became
    /// shorter.
    pub delay_growth_ns: i64,
}

impl ArrivalInterval {
    /// Returns the number of packets in a queue with a queueing delay of `delay` nanoseconds; `None` if all
    /// arrival times are equal. The service time is the mean time between arrivals, ΔR / n.
    pub fn packets_for_delay(&self, delay: i64) -> Option<f64> {
        (self.received > 0).then(|| self.packets as f64 * delay as f64 / self.received as f64)
    }

    /// Returns the number of packets by which the queue grew during the interval; `None` if all arrival times
    /// are equal. This is JTCP's jitter ratio, (ΔR - ΔS) / ΔR, times the number of packets.
    pub fn queue_growth_packets(&self) -> Option<f64> {
        self.packets_for_delay(self.delay_growth_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    /// Creates `n` packets, sent every `sent` microseconds and served in `served` microseconds each. The
    /// receiver's clock is one hour ahead.
    fn queue(n: u64, sent: u64, served: u64) -> ForwardDelays {
        let (mut delays, mut free) = (ForwardDelays::default(), 0);
        for k in 0..n {
            free = free.max(k * sent) + served;
            delays.on_arrival(at(k * sent), at(3_600_000_000 + free));
        }
        delays
    }

    // A packet arrives at the queue every 4 ms and is served in 5 ms. While n packets are served in 5 n ms, 5
    // n / 4 packets are sent, so the queue grows by one fifth of the sent packets (ΔR = 5 n, ΔS = 4 n).
    #[test]
    fn queue_growth_is_the_queueing_share_of_sent_packets() {
        let delays = queue(101, 4000, 5000);
        for n in [1, 10, 100] {
            assert!(
                (delays.interval_of_last(n).unwrap().queue_growth_packets().unwrap() - n as f64 / 5.0).abs()
                    < 1e-6
            );
        }
        assert!(
            (delays.interval_of_last(500).unwrap().queue_growth_packets().unwrap() - 20.0).abs() < 1e-6,
            "only 101 are known"
        );
    }

    // If the service is faster than the arrivals, there is no queue, for any clock offset.
    #[test]
    fn without_a_queue_the_estimated_growth_is_zero() {
        assert!(
            queue(50, 5000, 4000).interval_of_last(40).unwrap().queue_growth_packets().unwrap().abs() < 1e-6
        );
        let mut drained = queue(11, 1000, 3000);
        // Ten packets build a queue of 20 ms; the next packet arrives at an empty queue.
        drained.on_arrival(at(100_000), at(3_600_103_000));
        let (grown, shrunk) =
            (queue(11, 1000, 3000).interval_of_last(10).unwrap(), drained.interval_of_last(1).unwrap());
        assert!((grown.queue_growth_packets().unwrap() - 10.0 * 20.0 / 30.0).abs() < 1e-6);
        // ΔR = 103 - 33 = 70, ΔS = 90.
        assert!((shrunk.queue_growth_packets().unwrap() - (70.0 - 90.0) / 70.0).abs() < 1e-6);
    }

    // Sums of relative delays telescope: the sum is zero after the queue of 20 ms has drained.
    #[test]
    fn relative_delays_add_up_to_the_queue() {
        let mut delays = ForwardDelays::default();
        let mut sum = 0;
        for (sent, arrived) in [(0, 3), (1, 6), (5, 20), (6, 26), (40, 43)] {
            delays.on_arrival(at(sent * 1000), at(arrived * 1000));
            sum += delays.interval_of_last(1).map_or(0, |step| step.delay_growth_ns);
        }
        assert_eq!(sum, 0);
    }

    #[test]
    fn simultaneous_packets_yield_no_queue_estimate() {
        let mut delays = ForwardDelays::default();
        assert_eq!(delays.interval_of_last(5), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.interval_of_last(5).and_then(|i| i.queue_growth_packets()), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.interval_of_last(5).and_then(|i| i.queue_growth_packets()), None);
        delays.on_arrival(at(5), at(15));
        delays.keep(1);
        assert_eq!(
            (delays.packets.len(), delays.interval_of_last(9).and_then(|i| i.queue_growth_packets())),
            (2, Some(0.0))
        );
    }
}
