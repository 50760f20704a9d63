use airhop_base::{Span, Time};

/// Minimum number of round trips and of segments for counting losses, and maximum fraction of lost segments
/// (the authors' sender).
const MIN_ROUND_TRIPS: u64 = 2;
const MIN_SEGMENTS: f64 = 20.0;
const MAX_LOSS_FRACTION: f64 = 0.3;

/// Detector of a path with a delay that does not depend on the flow's rate, such as a policer or a queue that
/// is always full. On such a path only losses limit the window.
#[derive(Debug, Default)]
pub struct OverloadDetector {
    since: Time,
    delivered: f64,
    lost: f64,
}

impl OverloadDetector {
    /// Counts delivered and lost segments. Returns true if the fraction of lost segments is too high.
    pub fn on_delivery(&mut self, now: Time, delivered: f64, lost: f64, srtt: Span) -> bool {
        self.delivered += delivered;
        self.lost += lost;
        let all = self.delivered + self.lost;
        if now.since(self.since) <= srtt * MIN_ROUND_TRIPS || all <= MIN_SEGMENTS {
            return false;
        }
        let share = self.lost / all;
        *self = OverloadDetector { since: now, ..OverloadDetector::default() };
        share > MAX_LOSS_FRACTION
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The authors' sender: the limit is 0.3 of at least 20 segments over two round trips.
    #[test]
    fn a_loss_rate_above_30_percent_is_overload() {
        let after = |lost: f64, segments: u64, gap: u64| {
            let mut overload = OverloadDetector::default();
            (1..=segments)
                .map(|k| {
                    let now = Time::ZERO + Span::from_millis(gap * k);
                    overload.on_delivery(now, 1.0 - lost, lost, Span::from_millis(100))
                })
                .position(|is_over| is_over)
        };
        assert_eq!(after(0.34, 100, 4), Some(50)); // at 204 ms, after two round trips
        assert_eq!(after(0.34, 100, 40), Some(20)); // with 21 segments, after the minimum number
        assert_eq!(after(0.29, 100, 4), None);
    }
}
