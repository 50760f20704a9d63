use crate::delays::{DelayHistogram, DelaySummary};
use airhop_base::Span;

/// Sojourn times of the packets of a queue. A packet that passes to the transmitter without queueing has a
/// sojourn time of zero.
#[derive(Debug, Default)]
pub(crate) struct SojournTimes {
    /// Number of packets that passed without queueing.
    passed: u64,
    /// Sojourn times of queued packets. The box keeps the struct of a link small, because most packets pass
    /// without queueing.
    waits: Box<DelayHistogram>,
}

impl SojournTimes {
    /// Counts a packet that passed without queueing.
    #[inline]
    pub fn add_unqueued(&mut self) {
        self.passed += 1;
    }

    /// Adds the sojourn time of a queued packet.
    #[inline]
    pub fn add_queued(&mut self, wait: Span) {
        self.waits.add(wait, 1);
    }

    /// Returns the distribution of the sojourn times; `None` if no packet was counted.
    pub fn summary(&self) -> Option<DelaySummary> {
        self.waits.summary_with_zeros(self.passed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values computed by hand: of ten packets nine pass, and one is queued for 50 ms. The mean is 5 ms and
    // the median 0. The 95th percentile by nearest rank is that of the tenth packet, 50 ms.
    #[test]
    fn packets_that_are_not_queued_count_as_zero_wait() {
        let mut waits = SojournTimes::default();
        assert_eq!(waits.summary(), None);
        (0..9).for_each(|_| waits.add_unqueued());
        waits.add_queued(Span::from_millis(50));
        let found = waits.summary().expect("ten packets");
        assert_eq!((found.mean_ms, found.p50_ms, found.p95_ms, found.max_ms), (5.0, 0.0, 50.0, 50.0));
    }
}
