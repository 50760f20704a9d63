use crate::estimators::{WindowedMax, WindowedMin};
use airhop_base::{Span, Time};

/// RTTmin is the least of so long (§2.1).
const LEAST_LASTS: Span = Span::from_secs(10);
/// Round trips over which RTTmax is the maximum (§2.2).
const GREATEST_LASTS: u64 = 4;
/// A queue is nearly empty with this share of its swing or less (§2.2).
const NEARLY_EMPTY: f64 = 0.1;
/// Largest number of the sender's own segments in a nearly empty queue: a tenth of the swing of two flows at delta =
/// 1/2 is a segment, what the one in service adds to a round trip.
const OWN_NEARLY_NONE: f64 = 1.0;

/// Round-trip times that Copa keeps.
#[derive(Debug)]
pub struct RoundTrips {
    smoothed: Option<Span>,
    least: WindowedMin<Span>,
    standing: WindowedMin<Span>,
    greatest: WindowedMax<Span>,
}

/// Round trip without the queue, and queueing delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Standing {
    /// RTTstanding: the minimum of the last half round trip, so delays of single ACKs do not count.
    pub rtt: Span,
    /// d_q = RTTstanding - RTTmin.
    pub queue: Span,
    /// RTTmax - RTTmin.
    pub swing: Span,
}

impl Standing {
    /// Returns the segments of a sender with that window that wait in the queue: λ d_q.
    pub fn own(&self, cwnd: f64) -> f64 {
        cwnd * self.queue.secs_f64() / self.rtt.secs_f64()
    }

    /// True if a sender with that window takes the queue to be nearly empty.
    pub fn is_nearly_empty(&self, cwnd: f64) -> bool {
        self.queue.secs_f64() <= NEARLY_EMPTY * self.swing.secs_f64() || self.own(cwnd) <= OWN_NEARLY_NONE
    }
}

impl RoundTrips {
    /// Before the first sample.
    pub fn new() -> Self {
        RoundTrips {
            smoothed: None,
            least: WindowedMin::new(LEAST_LASTS.nanos()),
            standing: WindowedMin::new(0),
            greatest: WindowedMax::new(0),
        }
    }

    /// A sample.
    pub fn update(&mut self, now: Time, rtt: Span) {
        let smoothed = self.smoothed.map_or(rtt, |srtt| (srtt * 7 + rtt) / 8); // RFC 6298 §2
        self.smoothed = Some(smoothed);
        self.standing.resize((smoothed / 2).nanos());
        self.greatest.resize((smoothed * GREATEST_LASTS).nanos());
        let now = now.nanos();
        self.least.update(now, rtt);
        self.standing.update(now, rtt);
        self.greatest.update(now, rtt);
    }

    /// srtt, once there was a sample.
    pub fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// Returns the standing round trip and queueing delay of the last samples.
    pub fn standing(&self) -> Option<Standing> {
        let (least, rtt, greatest) =
            (self.least.extreme()?, self.standing.extreme()?, self.greatest.extreme()?);
        Some(Standing { rtt, queue: rtt.saturating_sub(least), swing: greatest.saturating_sub(least) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: &[(u64, u64)]) -> Standing {
        let mut trips = RoundTrips::new();
        for &(at, rtt) in samples {
            trips.update(Time::ZERO + Span::from_millis(at), Span::from_millis(rtt));
        }
        trips.standing().expect("samples")
    }

    // §2.1: the standing round trip is the least of srtt/2, here about 50 ms: a delay of a single ACK is no queue; a
    // delay of all ACKs of half a round trip is.
    #[test]
    fn the_standing_queue_is_that_of_half_a_round_trip() {
        let ms = Span::from_millis;
        let one = after(&[(100, 100), (110, 100), (130, 120), (140, 120)]);
        assert_eq!((one.rtt, one.queue), (ms(100), Span::ZERO));
        let all = after(&[(100, 100), (110, 100), (130, 120), (150, 115), (165, 130)]);
        assert_eq!((all.rtt, all.queue), (ms(115), ms(15)));
    }

    // §2.1: the least of ten seconds, as routes change.
    #[test]
    fn the_least_round_trip_is_forgotten_after_ten_seconds() {
        let steady = |until: u64| -> Vec<_> {
            [(0, 100)].into_iter().chain((1..=until / 100).map(|k| (100 * k, 140))).collect()
        };
        assert_eq!(after(&steady(10_000)).queue, Span::from_millis(40));
        assert_eq!(after(&steady(10_100)).queue, Span::ZERO);
    }

    // §2.2: "any queuing delay lower than 10% of the rate oscillations in the last four RTTs": with a swing of 100 to 150 ms, 5 ms.
    #[test]
    fn a_queue_is_nearly_empty_by_its_own_swing() {
        let empties = |rtt| after(&[(0, 100), (400, 150), (460, 150), (520, rtt)]).is_nearly_empty(1000.0);
        assert!(empties(105));
        assert!(!empties(106));
        // The swing of five round trips ago is over: what stands is all there is.
        assert!(!after(&[(0, 100), (100, 150), (800, 105), (860, 105)]).is_nearly_empty(1000.0));
    }

    // Little's law: of 42 segments in a round trip of 105 ms two wait 5 ms. One does not make a queue.
    #[test]
    fn one_segment_of_its_own_is_no_queue() {
        let standing = after(&[(0, 100), (100, 105), (200, 105)]);
        assert_eq!(standing.own(42.0), 2.0);
        assert!(standing.is_nearly_empty(21.0) && !standing.is_nearly_empty(21.1));
    }
}
