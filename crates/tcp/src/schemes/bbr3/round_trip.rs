use crate::estimators::Arrivals;
use airhop_base::{Span, Time};

/// BBR.MinRTTFilterLen (§2.16.1).
const LASTS: Span = Span::from_secs(10);

/// Minimum RTT, and time of the next ProbeRTT (§5.3.4.3, UpdateMinRTT).
#[derive(Clone, Copy, Debug)]
pub struct RoundTrip {
    /// BBR.ProbeRTTInterval.
    interval: Span,
    /// BBR.min_rtt: minimum RTT over the last ten seconds; `None` before the first sample.
    least: Option<Least>,
    /// BBR.probe_rtt_min_delay: minimum RTT over the last interval between ProbeRTTs.
    recent: Option<Least>,
}

#[derive(Clone, Copy, Debug)]
struct Least {
    value: Span,
    at: Time,
}

impl RoundTrip {
    /// Creates the filters. ProbeRTT is due after an interval without a lower RTT sample.
    pub fn new(interval: Span) -> Self {
        RoundTrip { interval, least: None, recent: None }
    }

    /// Returns BBR.min_rtt in seconds; `None` before the first sample.
    pub fn least(&self) -> Option<f64> {
        self.least.map(|least| least.value.secs_f64())
    }

    /// Updates the filters with an ACK. True if ProbeRTT is due (BBR.probe_rtt_expired).
    pub fn on_ack(&mut self, now: Time, a: &Arrivals) -> bool {
        let first = a.least_rtt.map(|value| Least { value, at: now });
        let (Some(mut recent), Some(least)) = (self.recent.or(first), self.least.or(first)) else { return false };
        let is_due = now > recent.at + self.interval;
        if let Some(value) = a.rtt.filter(|&rtt| rtt < recent.value || is_due) {
            recent = Least { value, at: now };
        }
        let is_old = now > least.at + LASTS;
        self.recent = Some(recent);
        self.least = Some(if recent.value < least.value || is_old { recent } else { least });
        is_due
    }

    /// Schedules the next ProbeRTT one interval from now.
    pub fn on_probed(&mut self, now: Time) {
        self.recent = self.recent.map(|recent| Least { at: now, ..recent });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // §5.3.4.3: ProbeRTT is due after five seconds without a lower RTT sample. The minimum over ten seconds
    // stays in the filter until it expires.
    #[test]
    fn probe_rtt_is_due_after_5_s_and_min_rtt_expires_after_10_s() {
        let mut round_trip = RoundTrip::new(Span::from_secs(5));
        let mut ack = |ms, rtt| {
            let rtt = Some(Span::from_millis(rtt));
            let a = Arrivals { fresh: 1, total: 1, rtt, least_rtt: rtt, rate: None };
            let is_due = round_trip.on_ack(Time::ZERO + Span::from_millis(ms), &a);
            (is_due, (round_trip.least().expect("a sample") * 1e3).round())
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
