//! Distributions of delays in constant memory, and one-way delays of the bytes of a stream.

use airhop_base::{Span, Time};
use airhop_tcp::scoreboard::FirstTransmission;
use std::borrow::Cow;
use std::collections::{BTreeMap, VecDeque};

/// Sequence number of a TCP flow's first data byte.
pub(crate) const FIRST_BYTE: u64 = 1;

/// Base-2 logarithm of the number of bins per octave of delay. A delay is at most 1/128 below the upper end
/// of its bin.
const BIN_BITS: u32 = 7;

/// Delay statistics in ms. Minimum, mean and maximum are exact. A percentile is at most 1 % too large.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct DelaySummary {
    /// Minimum in ms.
    pub min_ms: f64,
    /// Arithmetic mean in ms.
    pub mean_ms: f64,
    /// Median in ms, by nearest rank.
    pub p50_ms: f64,
    /// 95th percentile in ms.
    pub p95_ms: f64,
    /// 99th percentile in ms.
    pub p99_ms: f64,
    /// Maximum in ms.
    pub max_ms: f64,
}

/// Histogram of delays with bins of equal relative width. Memory grows with the logarithm of the ratio of
/// longest to shortest delay, and not with the number of delays. The fields fit into one cache line, and
/// sixteen counts into another: a run has thousands of histograms and records two delays per segment.
#[derive(Clone, Debug)]
#[repr(align(64))]
pub(crate) struct DelayHistogram {
    sum_ns: u128,
    min_ns: u64,
    max_ns: u64,
    /// Number of the first bin in `counts`, a multiple of the number of bins per power of two.
    first: u32,
    /// Number of delays in each bin from `first` on, without those in `carried`.
    counts: Box<[u32]>,
    /// Counts that have outgrown 32 bits, by bin; `None` if there are none.
    #[expect(clippy::box_collection, reason = "a map in place would take a second cache line")]
    carried: Option<Box<BTreeMap<u32, u64>>>,
}

impl Default for DelayHistogram {
    fn default() -> Self {
        DelayHistogram {
            sum_ns: 0,
            min_ns: u64::MAX,
            max_ns: 0,
            first: 0,
            counts: Box::default(),
            carried: None,
        }
    }
}

impl DelayHistogram {
    /// Adds `count` bytes or packets with the delay `delay`.
    #[inline]
    pub fn add(&mut self, delay: Span, count: u64) {
        let ns = delay.nanos();
        self.sum_ns += u128::from(ns) * u128::from(count);
        self.min_ns = self.min_ns.min(ns);
        self.max_ns = self.max_ns.max(ns);
        let bin = bin(ns);
        if let Some(counted) = self.counts.get_mut(bin.wrapping_sub(self.first) as usize)
            && let Ok(sum) = u32::try_from(u64::from(*counted) + count)
        {
            *counted = sum;
        } else {
            self.count_rarely(bin, count);
        }
    }

    /// Adds delays to a bin that is not in `counts` or has outgrown 32 bits.
    #[cold]
    #[inline(never)]
    fn count_rarely(&mut self, bin: u32, count: u64) {
        let counted = self.grow(bin);
        let sum = u64::from(*counted) + count;
        *counted = u32::try_from(sum).unwrap_or(0);
        if *counted == 0 {
            *self.carried.get_or_insert_default().entry(bin).or_default() += sum;
        }
    }

    /// Extends `counts` to the power of two that contains `bin`, and returns the count of `bin`.
    fn grow(&mut self, bin: u32) -> &mut u32 {
        const BINS: u32 = 1 << BIN_BITS;
        let power = bin & !(BINS - 1);
        let end = self.first + self.counts.len() as u32;
        let first = if self.counts.is_empty() { power } else { self.first.min(power) };
        if first < self.first || end < power + BINS {
            let mut counts = vec![0; (end.max(power + BINS) - first) as usize];
            let before = self.first.saturating_sub(first) as usize;
            counts[before..before + self.counts.len()].copy_from_slice(&self.counts);
            (self.first, self.counts) = (first, counts.into());
        }
        &mut self.counts[(bin - self.first) as usize]
    }

    /// Adds all delays of `other`. The order of additions does not affect the result.
    pub fn merge(&mut self, other: &DelayHistogram) {
        if !other.counts.is_empty() {
            self.grow(other.first);
            self.grow(other.first + other.counts.len() as u32 - 1);
        }
        for (bin, count) in other.bins().filter(|&(_, count)| count > 0) {
            self.count_rarely(bin, count);
        }
        self.sum_ns += other.sum_ns;
        self.min_ns = self.min_ns.min(other.min_ns);
        self.max_ns = self.max_ns.max(other.max_ns);
    }

    /// Returns each bin with its number of delays, from the first bin in `counts` on.
    fn bins(&self) -> impl Iterator<Item = (u32, u64)> {
        let carried = |bin| self.carried.as_ref().and_then(|carried| carried.get(&bin)).copied();
        let counted = (self.first..).zip(&self.counts);
        counted.map(move |(bin, &count)| (bin, u64::from(count) + carried(bin).unwrap_or(0)))
    }

    /// Returns the number of delays.
    pub fn count(&self) -> u64 {
        let carried = self.carried.iter().flat_map(|carried| carried.values()).sum::<u64>();
        carried + self.counts.iter().map(|&count| u64::from(count)).sum::<u64>()
    }

    /// Returns the sum of several distributions. A single distribution is not copied.
    pub fn sum<'a>(mut all: impl Iterator<Item = &'a DelayHistogram>) -> Cow<'a, DelayHistogram> {
        let mut sum = all.next().map_or_else(|| Cow::Owned(DelayHistogram::default()), Cow::Borrowed);
        all.for_each(|one| sum.to_mut().merge(one));
        sum
    }

    /// Returns the summary of the delays; `None` without delays.
    pub fn summary(&self) -> Option<DelaySummary> {
        self.summary_with_zeros(0)
    }

    /// Returns the summary of these delays plus `zeros` delays of zero; `None` without delays.
    pub fn summary_with_zeros(&self, zeros: u64) -> Option<DelaySummary> {
        let total = zeros + self.count();
        let millis = |ns: u64| ns as f64 / 1e6;
        (total > 0).then(|| {
            let [p50, p95, p99] = self.percentiles(zeros, total, [50, 95, 99]).map(millis);
            let mean = self.sum_ns as f64 / total as f64 / 1e6;
            let min_ns = if zeros > 0 { 0 } else { self.min_ns };
            DelaySummary {
                min_ms: millis(min_ns),
                mean_ms: mean,
                p50_ms: p50,
                p95_ms: p95,
                p99_ms: p99,
                max_ms: millis(self.max_ns),
            }
        })
    }

    /// Returns percentiles of `total` delays by nearest rank. `zeros` of the delays are zero and in no bin.
    /// `percents` must ascend. Each percentile is the longest delay of its bin.
    fn percentiles<const N: usize>(&self, zeros: u64, total: u64, percents: [u64; N]) -> [u64; N] {
        let mut bins = self.bins();
        let (mut place, mut below) = (0, zeros);
        percents.map(|percent| {
            let rank = (u128::from(total) * u128::from(percent)).div_ceil(100) as u64;
            while below < rank
                && let Some((bin, count)) = bins.next()
            {
                (place, below) = (bin, below + count);
            }
            bin_max_ns(place).min(self.max_ns)
        })
    }
}

/// Returns the bin of a delay. Each delay below 2^`BIN_BITS` ns has its own bin.
#[inline]
fn bin(ns: u64) -> u32 {
    let power = (ns | (1 << BIN_BITS)).ilog2() - BIN_BITS;
    (power << BIN_BITS) + (ns >> power) as u32
}

/// Returns the longest delay of a bin in ns.
fn bin_max_ns(bin: u32) -> u64 {
    let bin = u64::from(bin);
    let power = (bin >> BIN_BITS).saturating_sub(1);
    ((bin - (power << BIN_BITS) + 1) << power) - 1
}

/// One-way delay of the bytes of a stream: time from the first transmission of a byte to its in-order
/// delivery to the application. The time behind a hole is included.
///
/// A segment carries its transmission time. The first transmission is stored only for retransmitted bytes and
/// for bytes that arrived above a hole.
#[derive(Debug, Default)]
pub(crate) struct StreamDelay {
    /// First transmissions of bytes that the sender or a proxy retransmitted.
    repeated: Transmissions,
    /// Transmissions of bytes that arrived above a hole. If `repeated` also contains a byte, the transmission
    /// in `repeated` is the first.
    early: Transmissions,
    delays: DelayHistogram,
}

impl StreamDelay {
    /// Stores the first transmission of retransmitted bytes. Skips the first `delivered` bytes of the stream.
    #[inline]
    pub fn store_retransmission(&mut self, sent: FirstTransmission, delivered: u64) {
        self.repeated.store(sent, FIRST_BYTE + delivered);
    }

    /// Stores the transmission of bytes that arrived above a hole. Skips the first `delivered` bytes of the
    /// stream.
    #[inline]
    pub fn store_out_of_order(&mut self, sent: FirstTransmission, delivered: u64) {
        self.early.store(sent, FIRST_BYTE + delivered);
    }

    /// Records a delivery after the arrival of a segment sent at `sent`. The number of delivered bytes of the
    /// stream grows from `before` to `total`.
    #[inline]
    pub fn record_delivery(&mut self, now: Time, sent: Time, before: u64, total: u64) {
        let own = FirstTransmission { start: FIRST_BYTE + before, end: FIRST_BYTE + total, at: sent };
        if self.repeated.0.is_empty() && self.early.0.is_empty() {
            self.delays.add(now - sent, own.end - own.start);
        } else {
            self.deliver_stored(now, own);
        }
    }

    /// Records the delivery of bytes. A stored transmission time replaces the time of `own`.
    #[cold]
    #[inline(never)]
    fn deliver_stored(&mut self, now: Time, mut own: FirstTransmission) {
        while own.start < own.end {
            let known = self.repeated.find(own).or_else(|own| self.early.find(own));
            let first = known.unwrap_or_else(|own| own);
            self.delays.add(now - first.at, first.end - own.start);
            own.start = first.end;
        }
        self.repeated.remove_below(own.end);
        self.early.remove_below(own.end);
    }

    /// Begins a new connection. The stream starts again at its first byte.
    pub fn begin_connection(&mut self) {
        self.repeated.0.clear();
        self.early.0.clear();
    }

    /// Ends the warm-up. The distribution then contains only bytes delivered later.
    pub fn end_warm_up(&mut self) {
        self.delays = DelayHistogram::default();
    }

    /// Returns the delays of the delivered bytes.
    pub fn delays(&self) -> &DelayHistogram {
        &self.delays
    }
}

/// Stored transmissions of undelivered bytes, in sequence order and without overlap.
#[derive(Debug, Default)]
struct Transmissions(VecDeque<FirstTransmission>);

impl Transmissions {
    /// Stores the transmission of bytes. Skips delivered bytes (below `next`) and bytes with a stored
    /// transmission.
    #[inline]
    fn store(&mut self, sent: FirstTransmission, next: u64) {
        if sent.start == sent.end {
            return; // a SYN or FIN without data
        }
        let after = self.0.back().map_or(next, |last| last.end);
        if after <= sent.start {
            self.0.push_back(sent);
        } else if next < sent.end {
            self.store_between(sent, next);
        }
    }

    /// Stores the transmission of bytes that may lie before or between stored bytes.
    #[cold]
    #[inline(never)]
    fn store_between(&mut self, sent: FirstTransmission, next: u64) {
        let mut start = sent.start.max(next);
        let mut place = self.0.partition_point(|known| known.end <= start);
        while start < sent.end {
            let covered = self.0.get(place).filter(|known| known.start < sent.end).copied();
            let end = covered.map_or(sent.end, |known| known.start);
            if start < end {
                self.0.insert(place, FirstTransmission { start, end, ..sent });
                place += 1;
            }
            place += 1;
            start = covered.map_or(sent.end, |known| known.end);
        }
    }

    /// Returns the first bytes of `own` with their stored transmission. Removes stored bytes before `own`.
    ///
    /// # Errors
    /// The first bytes of `own`, if they have no stored transmission.
    fn find(&mut self, own: FirstTransmission) -> Result<FirstTransmission, FirstTransmission> {
        self.remove_below(own.start);
        match self.0.front() {
            Some(known) if known.start <= own.start => {
                Ok(FirstTransmission { end: known.end.min(own.end), ..*known })
            }
            Some(known) => Err(FirstTransmission { end: known.start.min(own.end), ..own }),
            None => Err(own),
        }
    }

    /// Removes the transmissions of bytes below `start`.
    fn remove_below(&mut self, start: u64) {
        while self.0.front().is_some_and(|known| known.end <= start) {
            self.0.pop_front();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    fn first(start: u64, end: u64, ms: u64) -> FirstTransmission {
        FirstTransmission { start, end, at: at(ms) }
    }

    // Computed by hand. Bytes 1 to 1000 need 10 ms. The next segment is lost, and arrives 90 ms after its
    // first transmission. The third segment waits behind the hole; half of it is delivered with the second
    // segment.
    #[test]
    fn a_byte_behind_a_hole_waits_for_the_repair() {
        let mut stream = StreamDelay::default();
        stream.record_delivery(at(10), at(0), 0, 1000);
        stream.store_out_of_order(first(2001, 3001, 20), 1000);
        stream.store_retransmission(first(1001, 2001, 10), 1000);
        stream.record_delivery(at(100), at(90), 1000, 2500);
        stream.record_delivery(at(120), at(110), 2500, 3000);
        let found = stream.delays().summary().unwrap();
        assert_eq!((found.min_ms, found.max_ms), (10.0, 100.0));
        assert_eq!(found.mean_ms, (10.0 * 1000.0 + 90.0 * 1000.0 + 80.0 * 500.0 + 100.0 * 500.0) / 3000.0);
        stream.end_warm_up();
        assert_eq!(stream.delays().summary(), None);
    }

    // A retransmission contains three small segments, of which the second had not been sent before. The delay
    // of each byte counts from its own first transmission, and a later retransmission does not change it.
    #[test]
    fn each_byte_of_a_merged_segment_has_its_own_delay() {
        let mut stream = StreamDelay::default();
        stream.store_retransmission(first(1, 11, 0), 0);
        stream.store_retransmission(first(21, 31, 20), 0);
        stream.store_retransmission(first(1, 31, 40), 0);
        assert_eq!(stream.repeated.0, [first(1, 11, 0), first(11, 21, 40), first(21, 31, 20)]);
        stream.store_retransmission(first(5, 25, 60), 0);
        assert_eq!(stream.repeated.0.len(), 3);
        stream.record_delivery(at(100), at(60), 0, 30);
        let found = stream.delays().summary().unwrap();
        assert_eq!((found.min_ms, found.mean_ms, found.max_ms), (60.0, 80.0, 100.0));
        stream.store_retransmission(first(1, 31, 110), 30);
        stream.store_retransmission(first(31, 31, 120), 30); // a FIN without data
        assert!(stream.repeated.0.is_empty());
    }

    // The first transmission counts, no matter which copy arrived above the hole. Bytes 11 to 20 were first
    // sent at 10 ms, although both of their copies are stored, and bytes 1 to 10 and 21 to 30 at 0 ms.
    #[test]
    fn delay_counts_from_the_first_transmission_of_each_byte() {
        let mut stream = StreamDelay::default();
        stream.store_out_of_order(first(21, 31, 0), 0);
        stream.store_retransmission(first(11, 21, 10), 0);
        stream.store_out_of_order(first(11, 21, 50), 0);
        stream.store_retransmission(first(21, 26, 0), 0);
        stream.record_delivery(at(100), at(0), 0, 30);
        let found = stream.delays().summary().unwrap();
        assert_eq!((found.min_ms, found.max_ms), (90.0, 100.0));
        assert_eq!(found.mean_ms, (100.0 * 20.0 + 90.0 * 10.0) / 30.0);
        assert!(stream.repeated.0.is_empty() && stream.early.0.is_empty());
    }

    // Bins are contiguous, and no bin is wider than 1/128 of its delays.
    #[test]
    fn delay_bins_are_contiguous_and_at_most_a_128th_wide() {
        for first in (0..100_000).chain([1 << 40, (1 << 40) - 1, u64::MAX >> 2]) {
            let last = bin_max_ns(bin(first));
            assert!(first <= last && (last - first) as f64 <= first as f64 / 128.0, "{first}");
            assert_eq!((bin(last), bin(last + 1)), (bin(first), bin(first) + 1));
        }
    }

    // The sum of distributions is the distribution of all delays, even if one distribution is empty or
    // shorter.
    #[test]
    fn merged_distributions_contain_the_delays_of_all_parts() {
        let of = |delays: std::ops::Range<u64>| {
            let mut found = DelayHistogram::default();
            delays.for_each(|i| found.add(Span::from_nanos(i * i * i), 1 + i % 3));
            found
        };
        let [mut merged, short, long] = [of(0..0), of(0..40), of(40..3000)];
        for delays in [&long, &of(0..0), &short] {
            merged.merge(delays);
        }
        assert_eq!((merged.count(), merged.summary()), (of(0..3000).count(), of(0..3000).summary()));
    }

    // Computed by hand: 2³³ bytes have a delay of 10 ms, and as many a delay of 20 ms. The mean is 15 ms, and
    // the median, the last delay of the first half, is 10 ms.
    #[test]
    fn delay_counts_beyond_32_bits_are_exact() {
        let [mut delays, mut merged] = [(); 2].map(|()| DelayHistogram::default());
        for (ms, count) in [(10, 1 << 33), (20, u64::from(u32::MAX)), (20, (1 << 32) + 1)] {
            delays.add(Span::from_millis(ms), count);
        }
        merged.merge(&delays);
        for found in [delays, merged] {
            let summary = found.summary().expect("delays");
            assert_eq!((found.count(), summary.mean_ms, summary.p95_ms), (1 << 34, 15.0, 20.0));
            assert!((10.0..10.1).contains(&summary.p50_ms), "{}", summary.p50_ms);
        }
    }

    // 10⁶ delays with an exponential distribution, by inversion: each percentile exceeds that of the sorted
    // sample by at most 1 %.
    #[test]
    fn percentiles_of_a_million_delays_are_within_one_per_cent() {
        let ns = |i: u64| (-20e6 * (1.0 - (i as f64 + 0.5) / 1e6).ln()) as u64;
        let mut delays = DelayHistogram::default();
        // 777,767 and 10⁶ are coprime, so every delay is added once, in a mixed order.
        (0..1_000_000).for_each(|i| delays.add(Span::from_nanos(ns(i * 777_767 % 1_000_000)), 1));
        let found = delays.summary().unwrap();
        for (found, rank) in [(found.p50_ms, 500_000), (found.p95_ms, 950_000), (found.p99_ms, 990_000)] {
            let exact = ns(rank - 1) as f64 / 1e6;
            assert!((exact..=1.01 * exact).contains(&found), "{found}, expected {exact}");
        }
        assert_eq!((found.min_ms, found.max_ms), (ns(0) as f64 / 1e6, ns(999_999) as f64 / 1e6));
    }
}
