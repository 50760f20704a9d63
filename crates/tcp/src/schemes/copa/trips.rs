use crate::estimators::{WindowedMax, WindowedMin};
use airhop_base::{Span, Time};

/// Length of the filter window of RTTmin (§2.1).
const MIN_RTT_FILTER_LEN: Span = Span::from_secs(10);
/// Length of the filter window of RTTmax in round trips (§2.2).
const MAX_RTT_FILTER_ROUNDS: u64 = 4;
/// Limit of a nearly empty queue, as a fraction of the delay's oscillation (§2.2).
const NEARLY_EMPTY_QUEUE_FRACTION: f64 = 0.1;
/// Maximum number of the flow's own segments in a nearly empty queue. For two flows at delta = 1/2, a tenth
/// of the oscillation is one segment: the segment in service.
const MAX_OWN_QUEUED_SEGMENTS: f64 = 1.0;

/// RTT statistics of Copa.
#[derive(Debug)]
pub struct RttStatistics {
    smoothed: Option<Span>,
    least: WindowedMin<Span>,
    standing: WindowedMin<Span>,
    greatest: WindowedMax<Span>,
}

/// Standing RTT and queueing delay.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StandingEstimate {
    /// RTTstanding (§2.1): minimum RTT of the last srtt/2. A single delayed ACK has no effect.
    pub rtt: Span,
    /// d_q = RTTstanding - RTTmin.
    pub queueing_delay: Span,
    /// RTTmax - RTTmin.
    pub rtt_range: Span,
}

impl StandingEstimate {
    /// Returns the number of queued segments of a sender with window `cwnd`: λ d_q.
    pub fn own_queued_segments(&self, cwnd: f64) -> f64 {
        cwnd * self.queueing_delay.secs_f64() / self.rtt.secs_f64()
    }

    /// True if the queue is nearly empty for a sender with window `cwnd`.
    pub fn is_nearly_empty(&self, cwnd: f64) -> bool {
        self.queueing_delay.secs_f64() <= NEARLY_EMPTY_QUEUE_FRACTION * self.rtt_range.secs_f64() || self.own_queued_segments(cwnd) <= MAX_OWN_QUEUED_SEGMENTS
    }
}

impl RttStatistics {
    /// Creates the state before the first sample.
    pub fn new() -> Self {
        RttStatistics {
            smoothed: None,
            least: WindowedMin::new(MIN_RTT_FILTER_LEN.nanos()),
            standing: WindowedMin::new(0),
            greatest: WindowedMax::new(0),
        }
    }

    /// Adds an RTT sample.
    pub fn update(&mut self, now: Time, rtt: Span) {
        let smoothed = self.smoothed.map_or(rtt, |srtt| (srtt * 7 + rtt) / 8); // RFC 6298 §2
        self.smoothed = Some(smoothed);
        self.standing.resize((smoothed / 2).nanos());
        self.greatest.resize((smoothed * MAX_RTT_FILTER_ROUNDS).nanos());
        let now = now.nanos();
        self.least.update(now, rtt);
        self.standing.update(now, rtt);
        self.greatest.update(now, rtt);
    }

    /// Returns the smoothed RTT; `None` before the first sample.
    pub fn smoothed(&self) -> Option<Span> {
        self.smoothed
    }

    /// Returns standing RTT and queueing delay at the last sample; `None` before the first sample.
    pub fn standing_estimate(&self) -> Option<StandingEstimate> {
        let (least, rtt, greatest) =
            (self.least.extreme()?, self.standing.extreme()?, self.greatest.extreme()?);
        Some(StandingEstimate { rtt, queueing_delay: rtt.saturating_sub(least), rtt_range: greatest.saturating_sub(least) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn after(samples: &[(u64, u64)]) -> StandingEstimate {
        let mut trips = RttStatistics::new();
        for &(at, rtt) in samples {
            trips.update(Time::ZERO + Span::from_millis(at), Span::from_millis(rtt));
        }
        trips.standing_estimate().expect("samples")
    }

    // §2.1: RTTstanding is the minimum over srtt/2, here about 50 ms. A delay of a single ACK does not raise
    // it; a delay of all ACKs for half a round trip does.
    #[test]
    fn rtt_standing_is_the_minimum_over_half_an_srtt() {
        let ms = Span::from_millis;
        let one = after(&[(100, 100), (110, 100), (130, 120), (140, 120)]);
        assert_eq!((one.rtt, one.queueing_delay), (ms(100), Span::ZERO));
        let all = after(&[(100, 100), (110, 100), (130, 120), (150, 115), (165, 130)]);
        assert_eq!((all.rtt, all.queueing_delay), (ms(115), ms(15)));
    }

    // §2.1: RTTmin is the minimum over ten seconds, because routes change.
    #[test]
    fn the_minimum_rtt_expires_after_ten_seconds() {
        let steady = |until: u64| -> Vec<_> {
            [(0, 100)].into_iter().chain((1..=until / 100).map(|k| (100 * k, 140))).collect()
        };
        assert_eq!(after(&steady(10_000)).queueing_delay, Span::from_millis(40));
        assert_eq!(after(&steady(10_100)).queueing_delay, Span::ZERO);
    }

    // §2.2: "any queuing delay lower than 10% of the rate oscillations in the last four RTTs": if the RTT
    // oscillates between 100 and 150 ms, the limit is 5 ms.
    #[test]
    fn a_delay_below_10_percent_of_its_oscillation_is_no_queue() {
        let empties = |rtt| after(&[(0, 100), (400, 150), (460, 150), (520, rtt)]).is_nearly_empty(1000.0);
        assert!(empties(105));
        assert!(!empties(106));
        // The oscillation of five round trips ago has expired, and the standing queue equals the present
        // oscillation.
        assert!(!after(&[(0, 100), (100, 150), (800, 105), (860, 105)]).is_nearly_empty(1000.0));
    }

    // Little's law: of 42 segments in a round trip of 105 ms, two segments are queued for 5 ms. A single own
    // segment does not count as a queue.
    #[test]
    fn a_single_segment_of_the_flow_is_no_queue() {
        let standing = after(&[(0, 100), (100, 105), (200, 105)]);
        assert_eq!(standing.own_queued_segments(42.0), 2.0);
        assert!(standing.is_nearly_empty(21.0) && !standing.is_nearly_empty(21.1));
    }
}
