use crate::estimators::Arrivals;
use airhop_base::{Span, Time};

/// BBR.MinRTTFilterLen (§2.16.1).
const MIN_RTT_FILTER_LEN: Span = Span::from_secs(10);

/// Minimum RTT, and time of the next ProbeRTT (§5.3.4.3, UpdateMinRTT).
#[derive(Clone, Copy, Debug)]
pub struct MinRttFilter {
    /// BBR.ProbeRTTInterval.
    interval: Span,
    /// BBR.min_rtt: minimum RTT over the last ten seconds; `None` before the first sample.
    least: Option<MinRttSample>,
    /// BBR.probe_rtt_min_delay: minimum RTT over the last interval between ProbeRTTs.
    recent: Option<MinRttSample>,
}

#[derive(Clone, Copy, Debug)]
struct MinRttSample {
    value: Span,
    at: Time,
}

impl MinRttFilter {
    /// Creates the filters. ProbeRTT is due after an interval without a lower RTT sample.
    pub fn new(interval: Span) -> Self {
        MinRttFilter { interval, least: None, recent: None }
    }

    /// Returns BBR.min_rtt in seconds; `None` before the first sample.
    pub fn min_rtt_secs(&self) -> Option<f64> {
        self.least.map(|least| least.value.secs_f64())
    }

    /// Updates the filters with an ACK. True if ProbeRTT is due (BBR.probe_rtt_expired).
    pub fn on_ack(&mut self, now: Time, a: &Arrivals) -> bool {
        let first = a.min_rtt.map(|value| MinRttSample { value, at: now });
        let (Some(mut recent), Some(least)) = (self.recent.or(first), self.least.or(first)) else { return false };
        let is_due = now > recent.at + self.interval;
        if let Some(value) = a.rtt.filter(|&rtt| rtt < recent.value || is_due) {
            recent = MinRttSample { value, at: now };
        }
        let is_old = now > least.at + MIN_RTT_FILTER_LEN;
        self.recent = Some(recent);
        self.least = Some(if recent.value < least.value || is_old { recent } else { least });
        is_due
    }

    /// Schedules the next ProbeRTT one interval from now.
    pub fn on_probed(&mut self, now: Time) {
        self.recent = self.recent.map(|recent| MinRttSample { at: now, ..recent });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // §5.3.4.3: ProbeRTT is due after five seconds without a lower RTT sample. The minimum over ten seconds
    // stays in the filter until it expires.
    #[test]
    fn probe_rtt_is_due_after_5_s_and_min_rtt_expires_after_10_s() {
        let mut round_trip = MinRttFilter::new(Span::from_secs(5));
        let mut ack = |ms, rtt| {
            let rtt = Some(Span::from_millis(rtt));
            let a = Arrivals { newly_delivered_bytes: 1, total_delivered_bytes: 1, rtt, min_rtt: rtt, rate: None };
            let is_due = round_trip.on_ack(Time::ZERO + Span::from_millis(ms), &a);
            (is_due, (round_trip.min_rtt_secs().expect("a sample") * 1e3).round())
        };
        assert_eq!(ack(0, 100), (false, 100.0));
        assert_eq!(ack(1_000, 90), (false, 90.0));
        assert_eq!(ack(6_000, 95), (false, 90.0));
        assert_eq!(ack(6_001, 95), (true, 90.0));
        assert_eq!(ack(11_000, 110), (false, 90.0));
        assert_eq!(ack(11_001, 110), (false, 95.0), "the 95 ms of the last interval");
        assert_eq!(ack(11_002, 120), (true, 95.0));
    }
}
