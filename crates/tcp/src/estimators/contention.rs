use airhop_base::{Span, Time};

/// Initial and minimum limit in segments.
const MIN_LIMIT_SEGMENTS: f64 = 2.0;

/// Maximum limit in segments.
const MAX_LIMIT_SEGMENTS: f64 = 64.0;

/// Minimum duration of a probe interval.
const MIN_PROBE_INTERVAL: Span = Span::from_millis(100);

/// Hysteresis: smaller relative changes are ignored.
const HYSTERESIS: f64 = 0.05;

/// Limit of the advertised window in TCP Contention Control (Hamadani and Rakocevic 2007, reconstructed).
///
/// In each probe interval, the receiver measures the goodput and the contention time: the mean time for which
/// segments waited for the medium on the path. The changes since the previous interval determine the new
/// limit:
///
/// | goodput | contention | stage | limit |
/// |---|---|---|---|
/// | not less | not more | fast probe | + 1 per new segment, at most doubled |
/// | less | not more | slow probe | + 1 |
/// | not less | more | light contention | − 1 |
/// | less | more | severe contention | halved |
///
/// An interval is a round trip, at least 100 ms. The receiver measures a round trip as the time in which one
/// advertised window of data arrives. If the sender's window is smaller than the advertised window, the
/// measured time exceeds the true round trip.
#[derive(Debug)]
pub struct ContentionLimit {
    mss: u64,
    /// Size of the receive buffer in bytes.
    buffer: u64,
    /// L: limit of the advertised window in segments.
    limit: f64,
    interval: Option<ProbeInterval>,
    before: Option<Means>,
}

/// Arrivals during a probe interval.
#[derive(Clone, Copy, Debug)]
struct ProbeInterval {
    began: Time,
    /// Bytes that arrived in order.
    bytes: u64,
    segments: u32,
    /// Sum of the contention times of the interval's segments.
    contention: Span,
}

/// Means over a probe interval.
#[derive(Clone, Copy, Debug)]
struct Means {
    /// Goodput in bytes per second.
    goodput: f64,
    /// Mean contention time in seconds per segment.
    contention: f64,
}

impl ContentionLimit {
    /// Creates the limit for segments of `mss` bytes and a receive buffer of `buffer` bytes.
    pub fn new(mss: u32, buffer: u64) -> Self {
        ContentionLimit {
            mss: u64::from(mss),
            buffer,
            limit: MIN_LIMIT_SEGMENTS,
            interval: None,
            before: None,
        }
    }

    /// Returns the window to advertise in bytes.
    pub fn window_bytes(&self) -> u64 {
        self.buffer.min(self.limit as u64 * self.mss)
    }

    /// Processes a segment with its contention time. The segment advances the in-order data by `advance`
    /// bytes. The first segment starts the first interval.
    pub fn on_data(&mut self, now: Time, contention: Span, advance: u64) {
        let begin = ProbeInterval { began: now, bytes: 0, segments: 0, contention: Span::ZERO };
        let Some(interval) = &mut self.interval else {
            self.interval = Some(begin);
            return;
        };
        interval.bytes += advance;
        interval.segments += 1;
        interval.contention = interval.contention + contention;
        let interval = *interval;
        if now - interval.began >= MIN_PROBE_INTERVAL && interval.bytes >= self.window_bytes() {
            self.probe(now, &interval);
            self.interval = Some(begin);
        }
    }

    fn probe(&mut self, now: Time, interval: &ProbeInterval) {
        let means = Means {
            goodput: interval.bytes as f64 / (now - interval.began).secs_f64(),
            contention: interval.contention.secs_f64() / f64::from(interval.segments),
        };
        if let Some(before) = self.before.replace(means) {
            let less = means.goodput < before.goodput * (1.0 - HYSTERESIS);
            let contended = means.contention > before.contention * (1.0 + HYSTERESIS);
            let fresh = (interval.bytes / self.mss) as f64;
            let limit = match (less, contended) {
                (false, false) => self.limit + fresh.min(self.limit),
                (true, false) => self.limit + 1.0,
                (false, true) => self.limit - 1.0,
                (true, true) => (self.limit / 2.0).floor(),
            };
            self.limit = limit.clamp(MIN_LIMIT_SEGMENTS, MAX_LIMIT_SEGMENTS);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Simulates an interval of `ms` milliseconds in which `segments` segments of 1000 bytes arrive after a
    /// mean contention time of `us` microseconds. Returns the limit.
    fn interval(limit: &mut ContentionLimit, now: &mut Time, ms: u64, segments: u64, us: u64) -> f64 {
        *now += Span::from_millis(ms);
        limit.on_data(*now, Span::from_micros(us), 1000 * segments);
        limit.limit
    }

    // The four stages of the table, with a hysteresis of 5 % in both directions. L starts at 2, and 2 <= L <=
    // 64.
    #[test]
    fn the_four_stages_have_their_limits_and_hysteresis() {
        let (mut limit, mut now) = (ContentionLimit::new(1000, 1 << 20), Time::ZERO);
        limit.on_data(now, Span::ZERO, 0);
        let steps = [
            (200, 1000, 2.0),  // no earlier interval to compare with
            (200, 1000, 4.0),  // both unchanged: fast probe
            (210, 1049, 8.0),  // both within 5 %
            (180, 1000, 16.0), // more goodput, less contention
            (200, 1000, 17.0), // less goodput, no more contention: slow probe
            (200, 1060, 16.0), // more contention: light contention
            (220, 1120, 8.0),  // less goodput, more contention: severe contention
            (240, 1190, 4.0),
            (260, 1260, 2.0),
            (280, 1340, 2.0),
        ];
        for (ms, us, expected) in steps {
            assert_eq!(interval(&mut limit, &mut now, ms, 64, us), expected, "{ms} ms, {us} us");
        }
        let last = (0..12).map(|_| interval(&mut limit, &mut now, 280, 64, 1340)).last();
        assert_eq!((last, limit.window_bytes()), (Some(64.0), 64_000));
    }

    // "L += 1 per new segment in the interval, at most doubling"; the receive buffer limits L too.
    #[test]
    fn a_fast_probe_adds_the_arrived_segments() {
        let (mut limit, mut now) = (ContentionLimit::new(1000, 10_000), Time::ZERO);
        limit.on_data(now, Span::ZERO, 0);
        let limits = [(); 7].map(|()| interval(&mut limit, &mut now, 200, 10, 1000));
        assert_eq!(limits, [2.0, 4.0, 8.0, 16.0, 26.0, 36.0, 46.0]);
        assert_eq!(limit.window_bytes(), 10_000);
    }

    // "one RTT, >= 100 ms": an interval does not end after 96 ms, nor before a window of data has arrived.
    #[test]
    fn an_interval_lasts_for_a_window_and_at_least_100_ms() {
        let windows = |gap_ms: u64, advance| {
            let mut limit = ContentionLimit::new(1000, 1 << 20);
            let windows = (0..=8).map(|k| {
                limit.on_data(Time::ZERO + Span::from_millis(gap_ms * k), Span::ZERO, advance);
                limit.window_bytes()
            });
            windows.collect::<Vec<_>>()
        };
        assert_eq!(windows(25, 1000), [2000, 2000, 2000, 2000, 2000, 2000, 2000, 2000, 4000]);
        assert_eq!(windows(24, 1000), [2000; 9]);
        assert_eq!(windows(50, 499), [2000; 9], "1996 bytes are less than 2000");
    }
}
