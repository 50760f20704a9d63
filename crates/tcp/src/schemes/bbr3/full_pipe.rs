use crate::estimators::{LostSegment, RateSample};

/// Minimum ratio of two delivery rates that counts as growth. The pipe is full after three round trips
/// without growth (§5.3.1.2).
const FULL_PIPE_GROWTH: f64 = 1.25;
const FULL_PIPE_ROUNDS: u32 = 3;

/// Detector of a full pipe: the pacing rate increases but the delivery rate does not (§5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    /// BBR.full_bw: delivery rate at the last growth, in bytes per second.
    bw: f64,
    /// Number of round trips since the last growth.
    rounds: u32,
    /// BBR.full_bw_now: true if the delivery rate has stopped growing since the last restart.
    pub full_bw_now: bool,
    /// BBR.full_bw_reached: true if the delivery rate has stopped growing since the connection began.
    pub full_bw_reached: bool,
}

impl FullPipe {
    /// Restarts the detection (ResetFullBW). Growth is relative to `bw`, in bytes per second.
    pub fn restart(&mut self, bw: f64) {
        *self = FullPipe { bw, full_bw_reached: self.full_bw_reached, ..FullPipe::default() };
    }

    /// Checks for a full pipe at the start of a round (CheckFullBWReached).
    pub fn on_round(&mut self, sample: &RateSample) {
        if self.full_bw_now || sample.is_app_limited {
            return;
        }
        if sample.bytes_per_second() >= self.bw * FULL_PIPE_GROWTH {
            self.restart(sample.bytes_per_second());
            return;
        }
        self.rounds += 1;
        self.full_bw_now = self.rounds >= FULL_PIPE_ROUNDS;
        self.full_bw_reached |= self.full_bw_now;
    }
}

/// Number of separate sequence ranges lost in this round trip (§5.3.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct LostRanges {
    /// Number of ranges.
    pub count: u32,
    /// First byte after the last range.
    end: u64,
}

impl LostRanges {
    /// Adds a lost segment.
    pub fn on_lost(&mut self, lost: &LostSegment) {
        self.count += u32::from(lost.start != self.end);
        self.end = lost.end;
    }

    /// Resets the count at the start of a round.
    pub fn on_round(&mut self) {
        self.count = 0;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    fn sample(kilobytes: u64, limited: bool) -> RateSample {
        let interval = Span::from_millis(1000);
        RateSample { delivered_bytes: kilobytes * 1000, interval, prior_delivered_bytes: 0, is_app_limited: limited, tx_in_flight: 0, lost_bytes: 0 }
    }

    // §5.3.1.2: from 100 to 125 and 160 kB/s the rate grows by a quarter each time; at 180, 199 and 100 kB/s
    // it does not. Application-limited samples are ignored.
    #[test]
    fn three_rounds_below_25_percent_growth_fill_the_pipe() {
        let mut pipe = FullPipe::default();
        let mut full = |kb, limited| {
            pipe.on_round(&sample(kb, limited));
            (pipe.full_bw_now, pipe.full_bw_reached)
        };
        for kb in [100, 125, 160, 180, 199] {
            assert_eq!(full(kb, false), (false, false), "{kb}");
        }
        assert_eq!(full(50, true), (false, false));
        assert_eq!(full(100, false), (true, true));
        pipe.restart(150e3);
        assert_eq!((pipe.full_bw_now, pipe.full_bw_reached), (false, true), "reached remains true");
        pipe.on_round(&sample(187, false));
        assert_eq!((pipe.bw, pipe.rounds), (150e3, 1));
    }

    // §5.3.1.3: adjacent lost segments are one range.
    #[test]
    fn adjacent_lost_segments_form_one_range() {
        let mut ranges = LostRanges::default();
        for start in [1000, 2000, 4000, 5000, 6000, 9000] {
            let end = start + 1000;
            ranges.on_lost(&LostSegment { start, end, tx_in_flight: 0, lost_bytes: 0, is_app_limited: false, delivered_bytes: 0 });
        }
        assert_eq!(ranges.count, 3);
    }
}
