use super::exact::RttEstimate;
use crate::config::RtoConfig;
use airhop_base::{Span, Time};

/// Linux' estimator. It differs from RFC 6298 in three ways:
///
/// * The configured minimum bounds four times the deviation, so the timeout is at least the mean plus the
///   minimum.
/// * A round trip that is short by more than the deviation increases the deviation by only an eighth of the
///   usual amount.
/// * The margin above the mean rises at once to the largest deviation of the round, but falls by only a
///   quarter of the difference per round.
#[derive(Clone, Copy, Debug)]
pub(super) struct LinuxRto {
    srtt: Span,
    /// Four times the mean deviation.
    deviation: Span,
    /// Largest `deviation` of this round, at least the minimum.
    greatest: Span,
    /// Margin added to the mean.
    margin: Span,
    /// Start of the round. The round ends with the ACK of a segment sent at this time or later.
    round_began: Time,
}

impl RttEstimate for LinuxRto {
    fn from_first_sample(sent: Time, now: Time, config: &RtoConfig) -> Self {
        let r = now - sent;
        let margin = (r * 2).max(config.min);
        LinuxRto { srtt: r, deviation: r * 2, greatest: margin, margin, round_began: now }
    }

    fn with_sample(mut self, sent: Time, now: Time, config: &RtoConfig) -> Self {
        let r = now - sent;
        let error = self.srtt.max(r) - self.srtt.min(r);
        let quarter = self.deviation / 4;
        self.deviation = if r < self.srtt && error > quarter {
            self.deviation + (error - quarter) / 8
        } else {
            self.deviation + error - quarter
        };
        self.srtt = (self.srtt * 7 + r) / 8;
        self.greatest = self.greatest.max(self.deviation);
        self.margin = self.margin.max(self.greatest);
        if sent >= self.round_began {
            self.margin = self.margin - (self.margin - self.greatest) / 4;
            self.greatest = config.min;
            self.round_began = now;
        }
        self
    }

    fn timeout(&self, _: &RtoConfig) -> Span {
        self.srtt + self.margin
    }

    fn srtt(&self) -> Span {
        self.srtt
    }

    fn rttvar(&self) -> Span {
        self.deviation / 4
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::RtoKind;
    use crate::rto::{RtoPolicy, build, tests};

    fn linux() -> Box<dyn RtoPolicy> {
        build(&tests::config(RtoKind::Linux, 200, 120_000, 1000, 1))
    }

    /// Returns the timeout after each sample. All times are in milliseconds. Each sample has its own round.
    fn timeouts(samples: &[u64]) -> Vec<f64> {
        let mut rto = linux();
        let mut now = Time::ZERO;
        let mut after = Vec::new();
        for &ms in samples {
            let sent = now;
            now += Span::from_millis(ms);
            rto.on_rtt(sent, now);
            after.push(rto.timeout().millis_f64());
        }
        after
    }

    // tcp_rtt_estimator of Linux 6, computed by hand. At a constant RTT of 60 ms the margin is the minimum of
    // 200 ms, because 4 · 30 is less.
    #[test]
    fn the_rto_margin_is_at_least_200_ms() {
        assert_eq!(timeouts(&[60, 60, 60]), [260.0; 3]);
        // At 400 ms the margin is 4 · 200 = 800. Then the deviation falls by a quarter per sample, and the
        // margin by a quarter of the difference per round. The round that began with the first sample ends
        // with the second, at a deviation of 600. The largest deviation of that round is the initial 800.
        assert_eq!(timeouts(&[400, 400, 400, 400])[..2], [1200.0, 1200.0]);
        // The largest deviation of the second round is 450, so the margin is 800 - 350 / 4 = 712.5. In the
        // third round it is 337.5, so the margin is 712.5 - 375 / 4 = 618.75.
        assert_eq!(timeouts(&[400, 400, 400, 400])[2..], [1112.5, 1018.75]);
    }

    // A longer round trip raises the margin at once; a shorter round trip raises the deviation by only an
    // eighth.
    #[test]
    fn longer_rtts_raise_rttvar_at_once_and_shorter_rtts_little() {
        // Deviation 4 · 30 = 120; error 440: 120 + 440 - 30 = 530; mean 60 + 440 / 8 = 115.
        assert_eq!(timeouts(&[60, 500])[1], 645.0);
        let mut rto = linux();
        rto.on_rtt(Time::ZERO, Time::ZERO + Span::from_millis(400));
        let sent = Time::ZERO + Span::from_millis(400);
        rto.on_rtt(sent, sent + Span::from_millis(100));
        // Deviation 800; error 300, which exceeds 200 by 100: 800 + 100 / 8, a quarter of which is 203.125.
        assert_eq!(rto.rttvar().expect("samples").millis_f64(), 203.125);
        assert_eq!(rto.srtt().expect("samples").millis_f64(), 362.5);
    }

    // The timeout doubles up to two minutes, and a sample ends the backoff.
    #[test]
    fn the_linux_rto_doubles_up_to_two_minutes() {
        let mut rto = linux();
        let waits: Vec<f64> = (0..9)
            .map(|_| {
                rto.on_backoff();
                rto.timeout().secs_f64()
            })
            .collect();
        assert_eq!(waits, [2.0, 4.0, 8.0, 16.0, 32.0, 64.0, 120.0, 120.0, 120.0]);
        rto.on_rtt(Time::ZERO, Time::ZERO + Span::from_millis(60));
        assert_eq!(rto.timeout(), Span::from_millis(260));
    }
}
