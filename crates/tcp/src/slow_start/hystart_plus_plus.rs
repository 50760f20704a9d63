use super::{MIN_RTT_SAMPLES, SlowStartAck, threshold};
use crate::estimators::min_with_sample;
use airhop_base::Span;

/// HyStart++ (RFC 9406 §4). When the RTT increases, conservative slow start begins, with a quarter of the
/// growth. After five rounds slow start ends. Slow start resumes if a round's minimum RTT falls below the
/// value at the start of conservative slow start.
#[derive(Debug)]
pub(crate) struct HyStartPlusPlus {
    /// L (§4.3): maximum number of segments counted per ACK.
    most: f64,
    round: Round,
    /// lastRoundMinRTT; `None` if the last round had no sample.
    last: Option<Span>,
    conservative: Option<ConservativeSlowStart>,
}

/// Round. Ends when all data sent before the start of the round is acknowledged.
#[derive(Debug, Default)]
struct Round {
    end: u64,
    /// currentRoundMinRTT; `None` before the round's first sample.
    least: Option<Span>,
    samples: u32,
}

#[derive(Debug)]
struct ConservativeSlowStart {
    /// cssBaselineMinRtt.
    baseline: Span,
    /// Number of completed rounds of conservative slow start. Includes the round of its start.
    rounds: u32,
}

/// L without pacing, in segments (§4.3): "if paced, L = infinity".
const UNPACED_GROWTH_LIMIT: f64 = 8.0;
/// CSS_GROWTH_DIVISOR (§4.3).
const CSS_GROWTH_DIVISOR: f64 = 4.0;
/// CSS_ROUNDS (§4.3).
const CSS_ROUNDS: u32 = 5;

impl HyStartPlusPlus {
    /// Creates HyStart++ for a sender with or without pacing.
    pub fn new(is_paced: bool) -> Self {
        let most = if is_paced { f64::INFINITY } else { UNPACED_GROWTH_LIMIT };
        HyStartPlusPlus { most, round: Round::default(), last: None, conservative: None }
    }

    /// Returns the window growth for an ACK that would add `segments` segments in slow start.
    pub fn on_ack(&mut self, segments: f64, sample: &SlowStartAck) -> f64 {
        if sample.una >= self.round.end {
            self.begin_round(sample.nxt);
        }
        if let Some(rtt) = sample.rtt {
            self.round.least = min_with_sample(self.round.least, rtt);
            self.round.samples += 1;
        }
        let growth =
            segments.min(self.most) / if self.conservative.is_some() { CSS_GROWTH_DIVISOR } else { 1.0 };
        self.update_phase();
        growth
    }

    /// True after all rounds of conservative slow start.
    pub fn is_over(&self) -> bool {
        self.conservative.as_ref().is_some_and(|css| css.rounds >= CSS_ROUNDS)
    }

    fn begin_round(&mut self, nxt: u64) {
        self.last = self.round.least;
        self.round = Round { end: nxt, ..Round::default() };
        if let Some(css) = &mut self.conservative {
            css.rounds += 1;
        }
    }

    fn update_phase(&mut self) {
        let Some(least) = self.round.least.filter(|_| self.round.samples >= MIN_RTT_SAMPLES) else { return };
        match (&self.conservative, self.last) {
            (Some(css), _) if least < css.baseline => self.conservative = None,
            (None, Some(last)) if least >= last + threshold(last) => {
                self.conservative = Some(ConservativeSlowStart { baseline: least, rounds: 0 });
            }
            _ => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Time;

    /// Returns the window growth for each of ten ACKs in round number `k` (from 0). Each ACK acknowledges one
    /// segment with an RTT of `ms`.
    fn round(hystart: &mut HyStartPlusPlus, k: u64, ms: u64) -> Vec<f64> {
        let rtt = Some(Span::from_millis(ms));
        let (nxt, least_rtt) = (10 * (k + 1), None);
        let ack = |n| SlowStartAck { now: Time::ZERO, una: 10 * k + n, nxt, rtt, min_rtt: least_rtt };
        (0..10).map(|n| hystart.on_ack(1.0, &ack(n))).collect()
    }

    fn begun(ms: &[u64]) -> HyStartPlusPlus {
        let mut hystart = HyStartPlusPlus::new(false);
        (0..).zip(ms).for_each(|(k, &ms)| drop(round(&mut hystart, k, ms)));
        hystart
    }

    // RFC 9406 §4.2: RttThresh = max(4 ms, min(lastRoundMinRTT / 8, 16 ms)). Conservative slow start starts
    // when eight samples exceed the last minimum by at least RttThresh. From then on each ACK increases the
    // window by a quarter segment.
    #[test]
    fn longer_rtts_begin_conservative_slow_start() {
        for (last, least) in [(80, 90), (16, 20), (400, 416)] {
            assert_eq!(round(&mut begun(&[last]), 1, least - 1), [1.0; 10], "{last}");
            let growth = round(&mut begun(&[last]), 1, least);
            assert_eq!(growth[..8], [1.0; 8], "{last}");
            assert_eq!(growth[8..], [0.25; 2], "{last}");
        }
    }

    // §4.2: slow start resumes "if (currentRoundMinRTT < cssBaselineMinRtt)".
    #[test]
    fn a_shorter_rtt_resumes_slow_start() {
        let mut hystart = begun(&[80, 100]);
        assert_eq!(round(&mut hystart, 2, 100), [0.25; 10]);
        let growth = round(&mut hystart, 3, 99);
        assert_eq!((growth[7], growth[8]), (0.25, 1.0));
    }

    // §4.2, CSS_ROUNDS: conservative slow start lasts five rounds, including the round in which it began.
    #[test]
    fn five_conservative_rounds_end_slow_start() {
        for rounds in 1..=6 {
            let mut hystart = begun(&[80]);
            (1..=rounds).for_each(|k| drop(round(&mut hystart, k, 100)));
            assert_eq!(hystart.is_over(), rounds > 5, "{rounds}");
        }
    }

    // §4.2: cwnd += min(N, L * SMSS). §4.3: L is 8, and infinite with pacing.
    #[test]
    fn an_unpaced_ack_counts_for_at_most_eight_segments() {
        let sample = SlowStartAck { now: Time::ZERO, una: 1, nxt: 10, rtt: None, min_rtt: None };
        let growth = [false, true].map(|is_paced| HyStartPlusPlus::new(is_paced).on_ack(20.0, &sample));
        assert_eq!(growth, [8.0, 20.0]);
    }
}
