//! Active time of a flow, and loss, one-way delay and jitter of its datagrams.

use crate::delays::{DelayHistogram, DelaySummary};
use airhop_base::{Datagram, Span, Time};

/// Time of a flow's first transmission, and time of its last delivery.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ActivePeriod {
    first: Option<Time>,
    last: Time,
}

impl ActivePeriod {
    /// Records the transmission of a segment or datagram.
    #[inline]
    pub fn on_sent(&mut self, now: Time) {
        self.first.get_or_insert(now);
    }

    /// Records the delivery of new bytes.
    #[inline]
    pub fn on_delivered(&mut self, now: Time) {
        self.last = now;
    }

    /// Returns the active time of two flows together, from the first transmission to the last delivery.
    pub fn merge(self, other: ActivePeriod) -> ActivePeriod {
        let first = [self.first, other.first].into_iter().flatten().min();
        ActivePeriod { first, last: self.last.max(other.last) }
    }

    /// Returns the delivery rate over the active time after `since`, in Mbit/s; `None` if no bytes were
    /// delivered. `bytes`: bytes delivered after `since`.
    pub fn delivery_rate_mbps(&self, bytes: u64, since: Time) -> Option<f64> {
        let first = self.first?.max(since);
        (bytes > 0 && self.last > first).then(|| bytes as f64 * 8.0 / (self.last - first).secs_f64() / 1e6)
    }
}

/// Counters of a flow's datagrams.
#[derive(Debug, Default)]
pub(crate) struct DatagramCounters {
    /// Number of datagrams sent.
    pub sent: u64,
    /// Payload bytes sent.
    pub sent_bytes: u64,
    /// Payload bytes delivered.
    pub delivered_bytes: u64,
    arrived: u64,
    dropped: u64,
    delays: DelayHistogram,
    /// One-way delay of the last datagram that arrived.
    last_delay: Option<Span>,
    jitter_ns: f64,
}

impl DatagramCounters {
    /// Counts the transmission of a datagram with `bytes` payload bytes. Returns the number of the datagram.
    pub fn record_sent(&mut self, bytes: u32) -> u64 {
        self.sent += 1;
        self.sent_bytes += u64::from(bytes);
        self.sent - 1
    }

    /// Counts the delivery of a datagram.
    pub fn on_arrival(&mut self, now: Time, datagram: &Datagram) {
        self.delivered_bytes += u64::from(datagram.len);
        self.arrived += 1;
        let delay = now - datagram.sent;
        self.delays.add(delay, 1);
        if let Some(last) = self.last_delay.replace(delay) {
            // RFC 3550 §6.4.1: J(i) = J(i-1) + (|D(i-1,i)| - J(i-1))/16, with packets in the order of their
            // arrival.
            let difference = delay.nanos().abs_diff(last.nanos()) as f64;
            self.jitter_ns += (difference - self.jitter_ns) / 16.0;
        }
    }

    /// Counts the drop of a datagram.
    pub fn on_drop(&mut self) {
        self.dropped += 1;
    }

    /// Ends the warm-up. Only datagrams that arrive or are dropped later count in loss, delay and jitter.
    pub fn end_warm_up(&mut self) {
        let DatagramCounters { sent, sent_bytes, delivered_bytes, .. } = *self;
        *self = DatagramCounters { sent, sent_bytes, delivered_bytes, ..DatagramCounters::default() };
    }

    /// Returns the dropped fraction of all datagrams that are not in flight; `None` if all are in flight.
    pub fn loss_ratio(&self) -> Option<f64> {
        let ended = self.arrived + self.dropped;
        (ended > 0).then(|| self.dropped as f64 / ended as f64)
    }

    /// Returns the distribution of one-way delays.
    pub fn delays(&self) -> &DelayHistogram {
        &self.delays
    }

    /// Returns the summary of the one-way delays; `None` if no datagram has arrived.
    pub fn delay(&self) -> Option<DelaySummary> {
        self.delays.summary()
    }

    /// Returns the interarrival jitter in ms (RFC 3550 §6.4.1); `None` before the second arrival.
    pub fn jitter_ms(&self) -> Option<f64> {
        (self.arrived > 1).then_some(self.jitter_ns / 1e6)
    }
}

/// Completion times of an application's transfers or requests.
#[derive(Debug, Default)]
pub(crate) struct CompletionTimes {
    times: DelayHistogram,
}

impl CompletionTimes {
    /// Records the completion, at `now`, of a transfer or request that began at `since`.
    pub fn add(&mut self, since: Time, now: Time) {
        self.times.add(now - since, 1);
    }

    /// Ends the warm-up. Only later completions count.
    pub fn end_warm_up(&mut self) {
        self.times = DelayHistogram::default();
    }

    /// Adds the completions of another application.
    pub fn merge(&mut self, other: &CompletionTimes) {
        self.times.merge(&other.times);
    }

    /// Returns the summary of the completion times. `unfinished`: number of transfers or requests that have
    /// begun but not completed.
    pub fn summary(&self, unfinished: u64) -> CompletionSummary {
        CompletionSummary { count: self.times.count(), unfinished, times: self.times.summary() }
    }
}

/// Completion times of transfers or requests.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CompletionSummary {
    /// Number of completed transfers or requests.
    pub count: u64,
    /// Number of unfinished transfers or requests.
    pub unfinished: u64,
    /// Times from start to completion; `None` if no transfer or request has completed.
    pub times: Option<DelaySummary>,
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(us: u64) -> Time {
        Time::ZERO + Span::from_micros(us)
    }

    fn arrive(datagrams: &mut DatagramCounters, sent_us: u64, delay_us: u64) {
        let number = datagrams.record_sent(100);
        let datagram = Datagram { sequence_number: number, len: 100, sent: at(sent_us), original: None };
        datagrams.on_arrival(at(sent_us + delay_us), &datagram);
    }

    // Values of RFC 3550 §6.4.1, computed by hand. Transit times of 10, 26 and 10 ms differ by 16 ms twice,
    // so J is first 1 ms and then 1 + 15/16 ms.
    #[test]
    fn jitter_matches_rfc_3550() {
        let mut datagrams = DatagramCounters::default();
        arrive(&mut datagrams, 0, 10_000);
        assert_eq!(datagrams.jitter_ms(), None, "a single arrival has no jitter");
        arrive(&mut datagrams, 20_000, 26_000);
        assert_eq!(datagrams.jitter_ms(), Some(1.0));
        arrive(&mut datagrams, 40_000, 10_000);
        assert_eq!(datagrams.jitter_ms(), Some(1.9375));
    }

    // Delays of 1 … 1000 ms. By nearest rank the percentiles are 500, 950 and 990 ms; the computed
    // percentiles are at most 1 % too large. Mean and maximum are exact.
    #[test]
    fn delay_percentiles_are_within_one_per_cent() {
        let mut datagrams = DatagramCounters::default();
        assert_eq!((datagrams.delay(), datagrams.loss_ratio()), (None, None));
        (1..=1000).for_each(|ms| arrive(&mut datagrams, ms, 1000 * ms));
        let delay = datagrams.delay().unwrap();
        assert_eq!((delay.mean_ms, delay.max_ms), (500.5, 1000.0));
        for (found, exact) in [(delay.p50_ms, 500.0), (delay.p95_ms, 950.0), (delay.p99_ms, 990.0)] {
            assert!((exact..=1.01 * exact).contains(&found), "{found} for {exact}");
        }
        let mut alike = DatagramCounters::default();
        (0..10).for_each(|i| arrive(&mut alike, i, 12_345));
        assert_eq!(alike.delay().map(|d| (d.p50_ms, d.p99_ms, d.max_ms)), Some((12.345, 12.345, 12.345)));
    }

    #[test]
    fn loss_delay_and_jitter_exclude_the_warm_up() {
        let mut datagrams = DatagramCounters::default();
        arrive(&mut datagrams, 0, 1_000_000);
        arrive(&mut datagrams, 0, 10);
        datagrams.on_drop();
        assert_eq!(datagrams.loss_ratio(), Some(1.0 / 3.0));
        datagrams.end_warm_up();
        assert_eq!((datagrams.loss_ratio(), datagrams.delay(), datagrams.jitter_ms()), (None, None, None));
        arrive(&mut datagrams, 0, 5_000);
        assert_eq!((datagrams.loss_ratio(), datagrams.delay().map(|d| d.max_ms)), (Some(0.0), Some(5.0)));
        assert_eq!((datagrams.sent, datagrams.delivered_bytes), (3, 300), "counts are subtracted elsewhere");
    }

    // Rate as iperf3 prints it: bytes over the time from the first segment to the last. A warm-up shifts the
    // start of this time.
    #[test]
    fn active_rate_counts_from_first_segment_to_last_delivery() {
        let mut active = ActivePeriod::default();
        assert_eq!(active.delivery_rate_mbps(1000, Time::ZERO), None);
        active.on_sent(at(2_000_000));
        active.on_sent(at(2_500_000));
        assert_eq!(active.delivery_rate_mbps(0, Time::ZERO), None);
        active.on_delivered(at(4_000_000));
        assert_eq!(active.delivery_rate_mbps(250_000, Time::ZERO), Some(1.0));
        assert_eq!(active.delivery_rate_mbps(125_000, at(3_000_000)), Some(1.0));
        assert_eq!(active.delivery_rate_mbps(125_000, at(5_000_000)), None);
    }
}
