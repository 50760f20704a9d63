//! Congestion window validation. An ACK increases the window only if the flight used enough of the window,
//! because the unused part has not been tested on the path.

use crate::config::CwndValidation;
use crate::control::floor_segments;
use crate::seams::Window;

/// Window use during the last window of data.
#[derive(Clone, Copy, Debug, Default)]
pub struct WindowUsage {
    /// Maximum flight in segments.
    most: u64,
    /// True if the flight filled the window.
    full: bool,
    /// First unsent byte at the start of this window of data.
    until: u64,
}

impl WindowUsage {
    /// Records a transmission. `outstanding` is the flight in segments. `is_full` is true if the window
    /// permits no further segment. `una` and `nxt` are the ends of the outstanding data. A new record starts
    /// when the last window of data is acknowledged, or when the flight fills the window (Linux,
    /// tcp_cwnd_validate()). While the window was not full, a larger flight also starts a new record.
    pub fn record_transmission(&mut self, outstanding: u64, is_full: bool, una: u64, nxt: u64) {
        if una >= self.until || is_full || (!self.full && outstanding > self.most) {
            *self = WindowUsage { most: outstanding, full: is_full, until: nxt };
        }
    }

    /// Returns the maximum flight in segments, and true if the flight filled the window.
    pub(crate) fn max_flight_and_full(&self) -> (u32, bool) {
        (self.most as u32, self.full)
    }

    /// True if the flight used at least half of a window of `cwnd` segments.
    pub fn is_half_used(&self, cwnd: f64) -> bool {
        floor_segments(cwnd) <= 2.0 * self.most as f64
    }

    /// True if an ACK may increase the window.
    pub fn permits_growth(&self, by: CwndValidation, w: &Window) -> bool {
        match by {
            CwndValidation::Never => true,
            CwndValidation::Half => self.is_half_used(w.cwnd),
            // Linux, tcp_is_cwnd_limited(): in slow start the window grows while it is less than twice the
            // maximum flight.
            CwndValidation::Full if w.in_slow_start() => floor_segments(w.cwnd) < 2.0 * self.most as f64,
            CwndValidation::Full => self.full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7661 §4.3 and Linux, tcp_is_cwnd_limited(), computed by hand for a window of 20, several maximum
    // flights, and a window that was full or not.
    #[test]
    fn only_a_used_window_may_grow() {
        let slow = Window { cwnd: 20.0, ssthresh: 100.0 };
        let avoiding = Window { ssthresh: 5.0, ..slow };
        for (most, full, half, in_slow_start, in_avoidance) in [
            (9, false, false, false, false),
            (10, false, true, false, false),
            (11, false, true, true, false),
            (20, true, true, true, true),
        ] {
            let mut usage = WindowUsage::default();
            usage.record_transmission(most, full, 1, 1 + most);
            let permits = |by, w| usage.permits_growth(by, w);
            assert!(permits(CwndValidation::Never, &slow));
            assert_eq!(
                (permits(CwndValidation::Half, &slow), permits(CwndValidation::Half, &avoiding)),
                (half, half),
                "{most}"
            );
            assert_eq!(permits(CwndValidation::Full, &slow), in_slow_start, "{most}");
            assert_eq!(permits(CwndValidation::Full, &avoiding), in_avoidance, "{most}");
        }
    }

    // Linux, tcp_cwnd_validate(): a window that was full counts as full until all data sent before is
    // acknowledged.
    #[test]
    fn a_full_window_counts_as_full_for_one_window_of_data() {
        let mut usage = WindowUsage::default();
        let w = Window { cwnd: 10.0, ssthresh: 5.0 };
        let after = [
            (10, true, 1, 11),
            (5, false, 8, 13),
            (5, false, 10, 15),
            (5, false, 11, 16),
            (4, false, 12, 16),
        ]
        .map(|(outstanding, is_full, una, nxt)| {
            usage.record_transmission(outstanding, is_full, una, nxt);
            (usage.most, usage.permits_growth(CwndValidation::Full, &w))
        });
        assert_eq!(after, [(10, true), (10, true), (10, true), (5, false), (5, false)]);
    }
}
