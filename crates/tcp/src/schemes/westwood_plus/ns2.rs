use crate::control::{WholeSegmentAbc, floor_segments};
use crate::estimators::AckCredit;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, Window};
use crate::sender_state::SenderState;
use airhop_base::Time;

/// Westwood+ of ns-2.35's linux-westwood, a port of Linux 2.6.22's module. All values are integers:
/// milliseconds, bytes per millisecond and segments.
#[derive(Debug)]
pub(super) struct Ns2 {
    window: WholeSegmentAbc,
    credit: AckCredit,
    rate: Ns2RateFilter,
    /// Smoothed RTT at the last ACK of new data, and the minimum of this RTT, in ms.
    rtt: u64,
    least: u64,
}

impl Default for Ns2 {
    fn default() -> Self {
        Ns2 {
            window: WholeSegmentAbc::default(),
            credit: AckCredit::new(f64::INFINITY, false),
            rate: Ns2RateFilter::default(),
            rtt: 0,
            least: u64::MAX,
        }
    }
}

/// Both filter stages in bytes per millisecond. Each stage weights the previous value by 7/8 and rounds down.
#[derive(Debug, Default)]
struct Ns2RateFilter {
    began: Option<u64>,
    bytes: u64,
    first: u64,
    second: u64,
}

/// Minimum duration of a rate sample in ms.
const MIN_ROUND_MS: u64 = 50;

impl Ns2RateFilter {
    /// Processes an ACK that counts for `bytes` bytes. `now` and `rtt` (the present RTT) are in ms.
    fn on_ack(&mut self, now: u64, bytes: u64, rtt: u64) {
        let began = *self.began.get_or_insert(now);
        let round = now - began;
        if rtt > 0 && round > rtt.max(MIN_ROUND_MS) {
            let sample = std::mem::take(&mut self.bytes) / round;
            if self.first == 0 && self.second == 0 {
                (self.first, self.second) = (sample, sample);
            } else {
                self.first = (7 * self.first + sample) / 8;
                self.second = (7 * self.second + self.first) / 8;
            }
            self.began = Some(now);
        }
        self.bytes += bytes;
    }
}

impl CongestionControl for Ns2 {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        self.window.grow(w);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        // ssthresh is Reno's. The estimated bandwidth-delay product is the window only during the recovery,
        // and may exceed the previous window. The end of the recovery sets the window to ssthresh. Linux uses
        // the estimate at that time (CA_EVENT_COMPLETE_CWR), which the port omits.
        let half = w.cwnd / 2.0;
        let filled = self.rate.second * self.least.min(1 << 32) / s.mss;
        self.window.reduce_window(w, half, (filled as f64).max(2.0), l.signal);
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.window.count_acked_segments(a, s);
        if a.acked_bytes > 0 {
            self.rtt = s.srtt.map_or(0, |srtt| floor_segments(srtt.millis_f64()) as u64);
        }
        let bytes = self.credit.count_bytes(a, s) as u64;
        self.rate.on_ack(a.now.since(Time::ZERO).nanos() / 1_000_000, bytes, self.rtt);
        self.least = self.least.min(self.rtt);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // westwood_do_filter() rounds each stage down to whole bytes per millisecond. Samples: 8100/100 = 81,
    // 8000/100 = 80 and 7900/100 = 79. The first sample initialises both stages. Then both stages round (7·81
    // + 80)/8 = 80.9 to 80, and after the last sample 79.9 to 79.
    #[test]
    fn both_ns2_filter_stages_round_down() {
        let mut rate = Ns2RateFilter::default();
        rate.on_ack(0, 8100, 99);
        let mut after = |ms, bytes| {
            rate.on_ack(ms, bytes, 99);
            (rate.first, rate.second)
        };
        assert_eq!([after(100, 8000), after(200, 7900), after(300, 0)], [(81, 81), (80, 80), (79, 79)]);
    }

    // westwood_update_window(): a rate sample spans more than a round trip, and more than 50 ms.
    #[test]
    fn rounds_below_50_ms_yield_no_rate_sample() {
        for (rtt, first) in [(10, 51), (50, 51), (51, 52), (80, 81)] {
            let mut rate = Ns2RateFilter::default();
            rate.on_ack(0, 8100, rtt);
            rate.on_ack(first - 1, 0, rtt);
            assert_eq!(rate.second, 0, "{rtt}");
            rate.on_ack(first, 0, rtt);
            assert_eq!(rate.second, 8100 / first, "{rtt}");
        }
    }
}
