use airhop_base::{Span, Time};

/// Minimum number of round trips and of segments for counting losses, and maximum fraction of lost segments
/// (the authors' sender).
const ROUND_TRIPS: u64 = 2;
const SEGMENTS: f64 = 20.0;
const TOO_MANY: f64 = 0.3;

/// Detector of a path with a delay that does not depend on the flow's rate, such as a policer or a queue that
/// is always full. On such a path only losses limit the window.
#[derive(Debug, Default)]
pub struct Overload {
    since: Time,
    delivered: f64,
    lost: f64,
}

impl Overload {
    /// Counts delivered and lost segments. Returns true if the fraction of lost segments is too high.
    pub fn on_delivery(&mut self, now: Time, delivered: f64, lost: f64, srtt: Span) -> bool {
        self.delivered += delivered;
        self.lost += lost;
        let all = self.delivered + self.lost;
        if now.since(self.since) <= srtt * ROUND_TRIPS || all <= SEGMENTS {
            return false;
        }
        let share = self.lost / all;
        *self = Overload { since: now, ..Overload::default() };
        share > TOO_MANY
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The authors' sender: the limit is 0.3 of at least 20 segments over two round trips.
    #[test]
    fn a_loss_rate_above_30_percent_is_overload() {
        let after = |lost: f64, segments: u64, gap: u64| {
            let mut overload = Overload::default();
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
