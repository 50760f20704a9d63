//! Punctuality of datagrams: arrivals compared with deadlines.

/// Counts of datagrams in time, late and lost, and of bursts of misses. A datagram counts once its deadline
/// has passed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Punctuality {
    /// Number of datagrams that arrived by their deadline.
    pub in_time: u64,
    /// Number of datagrams that arrived after their deadline.
    pub late: u64,
    /// Number of datagrams that have not arrived.
    pub lost: u64,
    /// Number of bursts: runs of successive datagrams that were late or lost.
    pub miss_bursts: u64,
}

impl Punctuality {
    /// Returns the number of datagrams that did not arrive by their deadline.
    pub fn missed(&self) -> u64 {
        self.late + self.lost
    }

    /// Returns `count` as a percentage of all counted datagrams; `None` if no datagram was counted.
    pub fn percent(&self, count: u64) -> Option<f64> {
        let all = self.in_time + self.missed();
        (all > 0).then(|| 100.0 * count as f64 / all as f64)
    }

    /// Returns the burst ratio (ITU-T G.107 §7.5); `None` if no datagram was missed.
    ///
    /// The burst ratio is the mean burst length divided by 1 / (1 - p), the mean burst length under random
    /// loss. Here p is the missed fraction.
    pub fn burst_ratio(&self) -> Option<f64> {
        let missed = self.missed() as f64;
        let share = missed / (self.in_time as f64 + missed);
        (self.miss_bursts > 0).then(|| missed / self.miss_bursts as f64 * (1.0 - share))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Values computed by hand: 12 of 100 datagrams were missed, in bursts of 3 on average. Under random loss
    // the mean length is 1 / 0.88.
    #[test]
    fn burst_ratio_is_the_mean_burst_relative_to_random_loss() {
        let packets = Punctuality { in_time: 88, late: 5, lost: 7, miss_bursts: 4 };
        assert_eq!((packets.missed(), packets.percent(5)), (12, Some(5.0)));
        assert!((packets.burst_ratio().expect("bursts") - 3.0 * 0.88).abs() < 1e-12);
        let none = Punctuality::default();
        assert_eq!((none.percent(0), none.burst_ratio()), (None, None));
        let all = Punctuality { lost: 9, miss_bursts: 1, ..none };
        assert_eq!((all.percent(all.lost), all.burst_ratio()), (Some(100.0), Some(0.0)));
    }
}
