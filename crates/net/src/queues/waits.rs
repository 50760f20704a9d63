use crate::delays::{Delay, Delays};
use airhop_base::{Span, Time};

/// Sojourn times in a queue of the packets that left it for the transmitter, zero for those that passed it.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// Earliest departure that counts.
    from: Time,
    /// Number of packets that passed the queue.
    passed: u64,
    waits: Delays,
}

impl Waits {
    /// Creates a distribution of packets that depart at `from` or later.
    pub fn since(from: Time) -> Self {
        Waits { from, ..Waits::default() }
    }

    /// Adds the sojourn time of a packet that departed at `departure`; zero if the packet passed to the transmitter
    /// without queueing.
    #[inline]
    pub fn add(&mut self, departure: Time, wait: Span) {
        match wait {
            _ if departure < self.from => {}
            Span::ZERO => self.passed += 1,
            wait => self.waits.add(wait, 1),
        }
    }

    /// Returns the distribution of the sojourn times and those in `more`, each with its departure; `None` if there
    /// are none.
    pub fn summary(&self, more: impl Iterator<Item = (Time, Span)>) -> Option<Delay> {
        let mut all = Delays::default();
        if self.passed > 0 {
            all.add(Span::ZERO, self.passed);
        }
        all.merge(&self.waits);
        more.filter(|&(departure, _)| departure >= self.from).for_each(|(_, wait)| all.add(wait, 1));
        all.summary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // By hand: of ten packets nine pass, and one waits 50 ms: the mean is 5 ms, the median 0, and the 95th
    // percentile, by nearest rank the tenth, 50 ms.
    #[test]
    fn packets_that_pass_wait_zero() {
        let mut waits = Waits::default();
        assert_eq!(waits.summary(std::iter::empty()), None);
        (0..9).for_each(|_| waits.add(Time::ZERO, Span::ZERO));
        let found = waits.summary([(Time::ZERO, Span::from_millis(50))].into_iter()).expect("ten packets");
        assert_eq!((found.mean, found.p50, found.p95, found.max), (5.0, 0.0, 50.0, 50.0));
    }
}
