use airhop_base::Time;
use std::collections::VecDeque;

/// Growth of the queue on the way to the receiver, from when packets were sent and when they arrived. The two clocks need not
/// agree: only differences of each matter (Parsa and Garcia-Luna-Aceves 1999; Wu and Chen 2004).
///
/// If packets arrive ΔR apart that were sent ΔS apart, the later one was delayed by ΔR - ΔS more. As a share of ΔR that is RTP's
/// jitter of the interval: JTCP's jitter ratio, the fraction of the packets that are queued. Times the number of packets it is
/// Santa Cruz' sum of relative delays in units of the mean service time ΔR / n: packets by which the queue grew.
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

    /// Packets by which the queue grew while the last `n` packets arrived, or as many as are known; negative if it shrank.
    /// `None` if no time passed between arrivals.
    pub fn growth(&self, n: usize) -> Option<f64> {
        let n = n.min(self.packets.len().checked_sub(1)?);
        let first = self.packets[self.packets.len() - 1 - n];
        let last = self.packets.back()?;
        // In whole nanoseconds: no change is no change, and the receiver's times may run backwards (reordering).
        let between = |from: Time, to: Time| to.nanos().wrapping_sub(from.nanos()) as i64;
        let received = between(first.1, last.1);
        let grown = received - between(first.0, last.0);
        (received > 0).then(|| n as f64 * grown as f64 / received as f64)
    }

    /// Forgets all but what [`ForwardDelays::growth`] over `n` packets needs.
    pub fn keep(&mut self, n: usize) {
        self.packets.drain(..self.packets.len().saturating_sub(n.saturating_add(1)));
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

    // A queue that gets packets every 4 ms and serves one in 5: of n packets that are served in 5 n ms, 5 n / 4 are sent, so a fifth
    // of what leaves piles up behind (ΔR = 5 n, ΔS = 4 n).
    #[test]
    fn the_growth_is_the_share_that_queues_times_the_packets() {
        let delays = queue(101, 4000, 5000);
        for n in [1, 10, 100] {
            assert!((delays.growth(n).unwrap() - n as f64 / 5.0).abs() < 1e-6);
        }
        assert!((delays.growth(500).unwrap() - 20.0).abs() < 1e-6, "only 101 are known");
    }

    // A server that keeps up queues nothing, whatever the clocks say.
    #[test]
    fn no_queue_no_growth() {
        assert!(queue(50, 5000, 4000).growth(40).unwrap().abs() < 1e-6);
        let mut drained = queue(11, 1000, 3000);
        // 10 packets queue 20 ms; the next comes after they are gone.
        drained.on_arrival(at(100_000), at(3_600_103_000));
        let (grown, shrunk) = (queue(11, 1000, 3000).growth(10).unwrap(), drained.growth(1).unwrap());
        assert!((grown - 10.0 * 20.0 / 30.0).abs() < 1e-6);
        // ΔR = 103 - 33 = 70, ΔS = 90.
        assert!((shrunk - (70.0 - 90.0) / 70.0).abs() < 1e-6);
    }

    #[test]
    fn nothing_is_known_of_one_instant() {
        let mut delays = ForwardDelays::default();
        assert_eq!(delays.growth(5), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.growth(5), None);
        delays.on_arrival(at(0), at(10));
        assert_eq!(delays.growth(5), None);
        delays.on_arrival(at(5), at(15));
        delays.keep(1);
        assert_eq!((delays.packets.len(), delays.growth(9)), (2, Some(0.0)));
    }
}
