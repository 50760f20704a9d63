//! Distributions of delays in constant memory, and delays of the bytes of a stream.

use airhop_base::{Span, Time};
use airhop_tcp::scoreboard::FirstSent;
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

/// Histogram of delays with parts of equal relative width; its memory grows with the logarithm of the ratio of the
/// longest to the shortest delay, not with the number of delays.
#[derive(Debug)]
pub(crate) struct Delays {
    /// First part of `counts`, a multiple of the parts of a power of two.
    first: usize,
    /// Number of delays in each part from `first` on.
    counts: Vec<u64>,
    total: u64,
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
}

impl Default for Delays {
    fn default() -> Self {
        Delays { first: 0, counts: Vec::new(), total: 0, sum_ns: 0, min_ns: u64::MAX, max_ns: 0 }
    }
}

impl Delays {
    /// Adds a delay that `count` bytes or packets had.
    #[inline]
    pub fn add(&mut self, delay: Span, count: u64) {
        let ns = delay.nanos();
        let part = part(ns);
        match self.counts.get_mut(part.wrapping_sub(self.first)) {
            Some(counted) => *counted += count,
            None => *self.grow(part) += count,
        }
        self.total += count;
        self.sum_ns += u128::from(ns) * u128::from(count);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
    }

    /// Makes room for all parts of the powers of two from those counted to that of `part`, and returns its count.
    #[cold]
    #[inline(never)]
    fn grow(&mut self, part: usize) -> &mut u64 {
        const PARTS: usize = 1 << PART_BITS;
        let power = part & !(PARTS - 1);
        if self.counts.is_empty() {
            self.first = power;
        }
        if let below @ 1.. = self.first.saturating_sub(power) {
            self.counts.splice(..0, std::iter::repeat_n(0, below));
            self.first = power;
        }
        let parts = self.counts.len().max(power + PARTS - self.first);
        self.counts.resize(parts, 0);
        &mut self.counts[part - self.first]
    }

    /// Adds all delays of `other`. The result does not depend on the order of such additions.
    pub fn merge(&mut self, other: &Delays) {
        if !other.counts.is_empty() {
            self.grow(other.first);
            self.grow(other.first + other.counts.len() - 1);
            let counts = &mut self.counts[other.first - self.first..];
            counts.iter_mut().zip(&other.counts).for_each(|(count, more)| *count += more);
        }
        self.total += other.total;
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Returns the number of delays.
    pub fn total(&self) -> u64 {
        self.total
    }

    /// Returns the sum of several distributions.
    pub fn sum<'a>(all: impl Iterator<Item = &'a Delays>) -> Delays {
        let mut sum = Delays::default();
        all.for_each(|one| sum.merge(one));
        sum
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
        let place = self.counts.iter().position(|&count| {
            below += count;
            below >= rank
        });
        place.map_or(self.max_ns, |place| longest(self.first + place).min(self.max_ns))
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
///
/// A segment carries the time of its transmission. So only first transmissions that an arriving segment cannot
/// show are stored: those of retransmitted bytes, and those of bytes that arrived beyond a hole.
#[derive(Debug)]
pub(crate) struct StreamDelay {
    /// First byte that was not delivered.
    next: u64,
    /// Stored first transmissions of bytes that were not delivered, in sequence order, disjoint.
    known: VecDeque<FirstSent>,
    delays: Delays,
}

impl Default for StreamDelay {
    fn default() -> Self {
        StreamDelay { next: FIRST_BYTE, known: VecDeque::new(), delays: Delays::default() }
    }
}

impl StreamDelay {
    /// Stores the first transmission of bytes, except of delivered bytes and of bytes whose first transmission is
    /// stored.
    #[inline]
    pub fn store(&mut self, sent: FirstSent) {
        if sent.start == sent.end {
            return; // a SYN or FIN without data
        }
        let after = self.known.back().map_or(self.next, |last| last.end);
        if after <= sent.start {
            self.known.push_back(sent);
        } else if self.next < sent.end {
            self.store_between(sent);
        }
    }

    /// Stores the first transmission of bytes that may lie before or within stored ones.
    #[cold]
    #[inline(never)]
    fn store_between(&mut self, sent: FirstSent) {
        let mut start = sent.start.max(self.next);
        let mut place = self.known.partition_point(|known| known.end <= start);
        while start < sent.end {
            let covered = self.known.get(place).filter(|known| known.start < sent.end).copied();
            let end = covered.map_or(sent.end, |known| known.start);
            if start < end {
                self.known.insert(place, FirstSent { start, end, ..sent });
                place += 1;
            }
            place += 1;
            start = covered.map_or(sent.end, |known| known.end);
        }
    }

    /// Records that `total` bytes of the stream are delivered after the arrival of a segment that was sent at
    /// `sent`.
    #[inline]
    pub fn delivered(&mut self, now: Time, sent: Time, total: u64) {
        let end = FIRST_BYTE + total;
        if !self.known.is_empty() {
            self.deliver_stored(now, sent, end);
        }
        self.deliver(now, sent, end);
    }

    /// Records the delivery of the stored bytes below `end`, and of the segment's own bytes between them.
    #[cold]
    #[inline(never)]
    fn deliver_stored(&mut self, now: Time, sent: Time, end: u64) {
        while let Some(&known) = self.known.front().filter(|known| known.start < end) {
            self.deliver(now, sent, known.start);
            self.deliver(now, known.at, known.end.min(end));
            if known.end > end {
                break;
            }
            self.known.pop_front();
        }
    }

    /// Records the delivery of the bytes below `end`, which were first sent at `sent`.
    #[inline]
    fn deliver(&mut self, now: Time, sent: Time, end: u64) {
        if self.next < end {
            self.delays.add(now - sent, end - self.next);
            self.next = end;
        }
    }

    /// Begins a new connection, whose stream begins again at its first byte.
    pub fn begin_connection(&mut self) {
        self.known.clear();
        self.next = FIRST_BYTE;
    }

    /// Ends the warm-up: the delays cover bytes that are delivered from now on.
    pub fn begin_anew(&mut self) {
        self.delays = Delays::default();
    }

    /// Returns the delays of the delivered bytes.
    pub fn delays(&self) -> &Delays {
        &self.delays
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn first(start: u64, end: u64, ms: u64) -> FirstSent {
        FirstSent { start, end, at: at(ms) }
    }

    // By hand: bytes 1 to 1000 take 10 ms. The next segment is lost and arrives 90 ms after its first
    // transmission; the third waits behind the hole, and half of it is delivered with the second.
    #[test]
    fn a_byte_behind_a_hole_waits_for_the_repair() {
        let mut stream = StreamDelay::default();
        stream.delivered(at(10), at(0), 1000);
        stream.store(first(2001, 3001, 20));
        stream.store(first(1001, 2001, 10));
        stream.delivered(at(100), at(90), 2500);
        stream.delivered(at(120), at(110), 3000);
        let found = stream.delays().summary().unwrap();
        assert_eq!((found.min, found.max), (10.0, 100.0));
        assert_eq!(found.mean, (10.0 * 1000.0 + 90.0 * 1000.0 + 80.0 * 500.0 + 100.0 * 500.0) / 3000.0);
        stream.begin_anew();
        assert_eq!(stream.delays().summary(), None);
    }

    // A retransmission joins three small segments, of which the second had not been sent before: each byte counts
    // from its own first transmission, and a later retransmission changes nothing.
    #[test]
    fn a_joined_segment_has_several_first_transmissions() {
        let mut stream = StreamDelay::default();
        stream.store(first(1, 11, 0));
        stream.store(first(21, 31, 20));
        stream.store(first(1, 31, 40));
        assert_eq!(stream.known, [first(1, 11, 0), first(11, 21, 40), first(21, 31, 20)]);
        stream.store(first(5, 25, 60));
        assert_eq!(stream.known.len(), 3);
        stream.delivered(at(100), at(60), 30);
        let found = stream.delays().summary().unwrap();
        assert_eq!((found.min, found.mean, found.max), (60.0, 80.0, 100.0));
        stream.store(first(1, 31, 110));
        stream.store(first(31, 31, 120)); // a FIN on its own
        assert!(stream.known.is_empty());
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

    // Merged distributions are those of all delays together, also if one is empty or shorter.
    #[test]
    fn a_merged_distribution_is_that_of_all_delays() {
        let of = |delays: std::ops::Range<u64>| {
            let mut found = Delays::default();
            delays.for_each(|i| found.add(Span::from_nanos(i * i * i), 1 + i % 3));
            found
        };
        let [mut merged, short, long] = [of(0..0), of(0..40), of(40..3000)];
        for part in [&long, &of(0..0), &short] {
            merged.merge(part);
        }
        assert_eq!((merged.total(), merged.summary()), (of(0..3000).total(), of(0..3000).summary()));
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
