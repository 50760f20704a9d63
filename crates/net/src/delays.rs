//! Distributions of delays, of constant memory, and the delay of a byte stream.

use airhop_base::{Span, Time};
use std::collections::VecDeque;

/// Number of a TCP flow's first data byte.
pub(crate) const FIRST_BYTE: u64 = 1;

/// Bits of the parts into which each power of two of nanoseconds is divided: a delay is at most 1/128 below the
/// upper end of its part.
const PART_BITS: u32 = 7;

/// Delays in milliseconds: minimum, mean and maximum are exact, a percentile is at most 1 % too large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Delay {
    /// Minimum.
    pub min: f64,
    /// Arithmetic mean.
    pub mean: f64,
    /// Median, by nearest rank.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 99th percentile.
    pub p99: f64,
    /// Maximum.
    pub max: f64,
}

/// Histogram of delays with parts of equal relative width; its memory grows with the logarithm of the longest
/// delay, not with the number of delays.
#[derive(Debug)]
pub(crate) struct Delays {
    /// Number of delays in each part.
    counts: Vec<u64>,
    total: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Delays {
    fn default() -> Self {
        Delays { counts: Vec::new(), total: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Delays {
    /// Adds a delay that `count` bytes or packets had.
    #[inline]
    pub fn add(&mut self, delay: Span, count: u64) {
        let ns = delay.nanos();
        let part = part(ns);
        match self.counts.get_mut(part) {
            Some(counted) => *counted += count,
            None => self.grow(part, count),
        }
        self.total += count;
        self.sum_ns += u128::from(ns) * u128::from(count);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Makes room for all parts of the power of two that `part` belongs to.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, part: usize, count: u64) {
        self.counts.resize((part | ((1 << PART_BITS) - 1)) + 1, 0);
        self.counts[part] += count;
    }

    /// Returns the number of delays.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the summary of the delays; `None` without any.
    pub fn summary(&self) -> Option<Delay> {
        let millis = |ns: u64| ns as f64 / 1e6;
        (self.total > 0).then(|| Delay {
            min: millis(self.min_ns),
            mean: self.sum_ns as f64 / self.total as f64 / 1e6,
            p50: millis(self.percentile(50)),
            p95: millis(self.percentile(95)),
            p99: millis(self.percentile(99)),
            max: millis(self.max_ns),
        })
    }

    /// Returns a percentile by nearest rank, as the longest delay of its part.
    fn percentile(&self, percent: u64) -> u64 {
        let rank = (u128::from(self.total) * u128::from(percent)).div_ceil(100) as u64;
        let mut below = 0;
        let first = part(self.min_ns);
        let more = self.counts[first..].iter().position(|&count| {
            below += count;
            below >= rank
        });
        more.map_or(self.max_ns, |more| longest(first + more).min(self.max_ns))
    }
}

/// Returns the part of a delay: below 2^`PART_BITS` ns each delay is a part of its own.
#[inline]
fn part(ns: u64) -> usize {
    let power = (ns | (1 << PART_BITS)).ilog2() - PART_BITS;
    ((u64::from(power) << PART_BITS) + (ns >> power)) as usize
}

/// Returns the longest delay of a part, ns.
fn longest(part: usize) -> u64 {
    let part = part as u64;
    let power = (part >> PART_BITS).saturating_sub(1);
    ((part - (power << PART_BITS) + 1) << power) - 1
}

/// Delay of the bytes of a stream from their first transmission to their delivery, in order, to the
/// application: the wait behind a hole is part of it.
#[derive(Debug, Default)]
pub(crate) struct StreamDelay {
    /// First byte after each segment that was not delivered, and the time of its first transmission.
    sent: VecDeque<(u64, Time)>,
    /// First byte that was not delivered.
    next: u64,
    delays: Delays,
}

impl StreamDelay {
    /// Records the first transmission of a segment; `end` is the first byte after the segment.
    #[inline]
    pub fn sent(&mut self, now: Time, end: u64) {
        self.sent.push_back((end, now));
    }

    /// Records that `total` bytes of the stream were delivered.
    #[inline]
    pub fn delivered(&mut self, now: Time, total: u64) {
        let delivered = FIRST_BYTE + total;
        let mut first = self.next.max(FIRST_BYTE);
        while let Some(&(end, sent)) = self.sent.front() {
            let last = end.min(delivered);
            if first < last {
                self.delays.add(now - sent, last - first);
                first = last;
            }
            if end > delivered {
                break;
            }
            self.sent.pop_front();
        }
        self.next = first;
    }

    /// Ends the warm-up: the delays cover bytes that are delivered from now on.
    pub fn begin_anew(&mut self) {
        self.delays = Delays::default();
    }

    /// Returns the delays of the delivered bytes.
    pub fn summary(&self) -> Option<Delay> {
        self.delays.summary()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // By hand: bytes 1 to 1000 take 10 ms. The next segment is lost and arrives 90 ms after its first
    // transmission; the third waits behind the hole, and half of it is delivered with the second.
    #[test]
    fn a_byte_behind_a_hole_waits_for_the_repair() {
        let mut stream = StreamDelay::default();
        stream.sent(at(0), 1001);
        stream.sent(at(10), 2001);
        stream.sent(at(20), 3001);
        stream.delivered(at(10), 1000);
        stream.delivered(at(100), 2500);
        stream.delivered(at(120), 3000);
        let found = stream.summary().unwrap();
        assert_eq!((found.min, found.max), (10.0, 100.0));
        assert_eq!(found.mean, (10.0 * 1000.0 + 90.0 * 1000.0 + 80.0 * 500.0 + 100.0 * 500.0) / 3000.0);
        stream.begin_anew();
        assert_eq!(stream.summary(), None);
    }

    // Parts follow each other without a gap, and none is wider than 1/128 of its delays.
    #[test]
    fn parts_are_contiguous_and_narrow() {
        for first in (0..100_000).chain([1 << 40, (1 << 40) - 1, u64::MAX >> 2]) {
            let last = longest(part(first));
            assert!(first <= last && (last - first) as f64 <= first as f64 / 128.0, "{first}");
            assert_eq!((part(last), part(last + 1)), (part(first), part(first) + 1));
        }
    }

    // 10⁶ delays, exponential by inversion: each percentile is that of the sorted sample, at most 1 % above.
    #[test]
    fn percentiles_of_a_million_delays_are_within_one_per_cent() {
        let ns = |i: u64| (-20e6 * (1.0 - (i as f64 + 0.5) / 1e6).ln()) as u64;
        let mut delays = Delays::default();
        // 777,767 and 10⁶ are coprime: every delay once, in no order.
        (0..1_000_000).for_each(|i| delays.add(Span::from_nanos(ns(i * 777_767 % 1_000_000)), 1));
        let found = delays.summary().unwrap();
        for (found, rank) in [(found.p50, 500_000), (found.p95, 950_000), (found.p99, 990_000)] {
            let exact = ns(rank - 1) as f64 / 1e6;
            assert!((exact..=1.01 * exact).contains(&found), "{found}, expected {exact}");
        }
        assert_eq!((found.min, found.max), (ns(0) as f64 / 1e6, ns(999_999) as f64 / 1e6));
    }
}
