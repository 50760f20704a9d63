//! Congestion window validation: an ACK may grow the window only as far as the sender uses it, since the unused part is untested.

use crate::config::Validation;
use crate::control::whole;
use crate::seams::Window;

/// Use of the window, over the last window of data.
#[derive(Clone, Copy, Debug, Default)]
pub struct Usage {
    /// Segments that were outstanding at most.
    most: u64,
    /// There was no room for another segment.
    full: bool,
    /// First byte that had not been sent when this window of data began.
    until: u64,
}

impl Usage {
    /// A segment went out: so many are outstanding, and there is no room for another if the window `is_full`. `una` and `nxt` are the
    /// ends of what is. Linux, tcp_cwnd_validate(): a new window of data begins when the last one is acknowledged, or with more in use.
    pub fn note(&mut self, outstanding: u64, is_full: bool, una: u64, nxt: u64) {
        if una >= self.until || is_full || (!self.full && outstanding > self.most) {
            *self = Usage { most: outstanding, full: is_full, until: nxt };
        }
    }

    /// Segments that were outstanding at most, and whether there was no room for another.
    pub(crate) fn in_use(&self) -> (u32, bool) {
        (self.most as u32, self.full)
    }

    /// True if half of a window of `cwnd` segments or more was in use.
    pub fn is_half(&self, cwnd: f64) -> bool {
        whole(cwnd) <= 2.0 * self.most as f64
    }

    /// True if an ACK may grow the window.
    pub fn permits_growth(&self, by: Validation, w: &Window) -> bool {
        match by {
            Validation::Never => true,
            Validation::Half => self.is_half(w.cwnd),
            // Linux, tcp_is_cwnd_limited(): slow start goes on while cwnd is less than twice what was in use.
            Validation::Full if w.in_slow_start() => whole(w.cwnd) < 2.0 * self.most as f64,
            Validation::Full => self.full,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // RFC 7661 §4.3 and Linux, tcp_is_cwnd_limited(), by hand: of a window of 20, so many segments were in use, and no room was left or some.
    #[test]
    fn what_was_used_may_grow() {
        let slow = Window { cwnd: 20.0, ssthresh: 100.0 };
        let avoiding = Window { ssthresh: 5.0, ..slow };
        for (most, full, half, in_slow_start, in_avoidance) in [
            (9, false, false, false, false),
            (10, false, true, false, false),
            (11, false, true, true, false),
            (20, true, true, true, true),
        ] {
            let mut usage = Usage::default();
            usage.note(most, full, 1, 1 + most);
            let permits = |by, w| usage.permits_growth(by, w);
            assert!(permits(Validation::Never, &slow));
            assert_eq!(
                (permits(Validation::Half, &slow), permits(Validation::Half, &avoiding)),
                (half, half),
                "{most}"
            );
            assert_eq!(permits(Validation::Full, &slow), in_slow_start, "{most}");
            assert_eq!(permits(Validation::Full, &avoiding), in_avoidance, "{most}");
        }
    }

    // Linux, tcp_cwnd_validate(): a window that was full counts as such until all that was sent then is acknowledged.
    #[test]
    fn it_holds_for_a_window_of_data() {
        let mut usage = Usage::default();
        let w = Window { cwnd: 10.0, ssthresh: 5.0 };
        let after = [
            (10, true, 1, 11),
            (5, false, 8, 13),
            (5, false, 10, 15),
            (5, false, 11, 16),
            (4, false, 12, 16),
        ]
        .map(|(outstanding, is_full, una, nxt)| {
            usage.note(outstanding, is_full, una, nxt);
            (usage.most, usage.permits_growth(Validation::Full, &w))
        });
        assert_eq!(after, [(10, true), (10, true), (10, true), (5, false), (5, false)]);
    }
}
