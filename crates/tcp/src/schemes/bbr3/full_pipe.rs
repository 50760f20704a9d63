use crate::estimators::{LostSegment, RateSample};

/// A quarter more each round trip is growth; three round trips without it are none (§5.3.1.2).
const GROWTH: f64 = 1.25;
const ROUNDS: u32 = 3;

/// Detector of a full pipe: a rising pacing rate no longer raises the delivery rate (§5.3.1.2).
#[derive(Clone, Copy, Debug, Default)]
pub struct FullPipe {
    /// BBR.full_bw: the rate when it last grew.
    bw: f64,
    /// Round trips since.
    rounds: u32,
    /// BBR.full_bw_now: it has stopped to grow since this was last begun.
    pub now: bool,
    /// BBR.full_bw_reached: it has ever.
    pub reached: bool,
}

impl FullPipe {
    /// ResetFullBW: restarts, with growth counted from `bw` bytes per second.
    pub fn restart(&mut self, bw: f64) {
        *self = FullPipe { bw, reached: self.reached, ..FullPipe::default() };
    }

    /// CheckFullBWReached, where a round trip begins.
    pub fn on_round(&mut self, sample: &RateSample) {
        if self.now || sample.limited {
            return;
        }
        if sample.rate() >= self.bw * GROWTH {
            self.restart(sample.rate());
            return;
        }
        self.rounds += 1;
        self.now = self.rounds >= ROUNDS;
        self.reached |= self.now;
    }
}

/// Number of separate ranges lost in this round trip (§5.3.1.3).
#[derive(Clone, Copy, Debug, Default)]
pub struct LostRanges {
    /// Number of ranges.
    pub count: u32,
    /// First byte after the last of them.
    end: u64,
}

impl LostRanges {
    /// A segment was lost.
    pub fn on_lost(&mut self, lost: &LostSegment) {
        self.count += u32::from(lost.start != self.end);
        self.end = lost.end;
    }

    /// A round trip begins.
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
        RateSample { delivered: kilobytes * 1000, interval, prior: 0, limited, in_flight: 0, lost: 0 }
    }

    // §5.3.1.2: 100, 125 and 160 kB/s are growth by a quarter each; 180, 199 and 100 are not. What the application limits does not count.
    #[test]
    fn three_rounds_without_a_quarter_more() {
        let mut pipe = FullPipe::default();
        let mut full = |kb, limited| {
            pipe.on_round(&sample(kb, limited));
            (pipe.now, pipe.reached)
        };
        for kb in [100, 125, 160, 180, 199] {
            assert_eq!(full(kb, false), (false, false), "{kb}");
        }
        assert_eq!(full(50, true), (false, false));
        assert_eq!(full(100, false), (true, true));
        pipe.restart(150e3);
        assert_eq!((pipe.now, pipe.reached), (false, true), "once reached is reached");
        pipe.on_round(&sample(187, false));
        assert_eq!((pipe.bw, pipe.rounds), (150e3, 1));
    }

    // §5.3.1.3: neighbours are one range.
    #[test]
    fn neighbours_are_one_range() {
        let mut ranges = LostRanges::default();
        for start in [1000, 2000, 4000, 5000, 6000, 9000] {
            let end = start + 1000;
            ranges.on_lost(&LostSegment { start, end, in_flight: 0, lost: 0, limited: false, delivered: 0 });
        }
        assert_eq!(ranges.count, 3);
    }
}
