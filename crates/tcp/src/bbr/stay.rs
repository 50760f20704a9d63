use airhop_base::{Span, Time};

/// ProbeRTTDuration (draft-ietf-ccwg-bbr §2.16.2; v1: §4.3.5).
const PROBE_RTT_DURATION: Span = Span::from_millis(200);

/// Time and round trips that ProbeRTT has spent at its reduced flight.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ProbeRttProgress {
    until: Time,
    /// True after a full round trip.
    round: bool,
}

impl ProbeRttProgress {
    /// Starts at the time `now`.
    pub fn begin(now: Time) -> Self {
        ProbeRttProgress { until: now + PROBE_RTT_DURATION, round: false }
    }

    /// Records the start of a round trip.
    pub fn on_round(&mut self) {
        self.round = true;
    }

    /// True if ProbeRTTDuration has passed.
    pub fn has_duration_passed(&self, now: Time) -> bool {
        now > self.until
    }

    /// True if both ProbeRTTDuration and a round trip have passed.
    pub fn is_over(&self, now: Time) -> bool {
        self.round && self.has_duration_passed(now)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // draft-ietf-ccwg-bbr §5.3.4.3: the probe lasts for ProbeRTTDuration or for a round trip, whichever is
    // longer.
    #[test]
    fn probe_rtt_lasts_for_the_duration_and_a_round_trip() {
        let mut stay = ProbeRttProgress::begin(at(0));
        assert!(!stay.is_over(at(300)));
        stay.on_round();
        assert!(stay.is_over(at(201)));
        assert!(!stay.is_over(at(200)));
    }
}
