use crate::bbr::ProbeRttProgress;
use airhop_base::{Span, Time};

/// 2/ln 2: gain at which the rate doubles each round trip (draft §4.3.2).
pub const HIGH_GAIN: f64 = 2.0 / std::f64::consts::LN_2;
/// Window gain with a full pipe. The extra window keeps delayed and aggregated ACKs from stalling the sender
/// (§4.2.3.2).
const CWND_GAIN: f64 = 2.0;
/// Pacing gains of the ProbeBW phases. The number of phases is BBRGainCycleLen (§4.3.4).
const PROBE_BW_GAINS: [f64; 8] = [1.25, 0.75, 1.0, 1.0, 1.0, 1.0, 1.0, 1.0];

/// State of the sender (§3.4).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Mode {
    /// Startup: doubles the rate each round trip, until the delivery rate stops growing.
    Startup,
    /// Drain: drains the queue that Startup built.
    Drain,
    /// ProbeBW: cycles through pacing gains around one.
    ProbeBw(GainCyclePhase),
    /// ProbeRTT: keeps four segments in flight, so that the flow measures the RTT without its own queue.
    ProbeRtt(Option<ProbeRttProgress>),
}

/// Phase of the gain cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct GainCyclePhase {
    index: usize,
    began: Time,
}

impl Mode {
    /// Returns the pacing gain.
    pub fn pacing_gain(&self) -> f64 {
        match self {
            Mode::Startup => HIGH_GAIN,
            Mode::Drain => 1.0 / HIGH_GAIN,
            Mode::ProbeBw(phase) => PROBE_BW_GAINS[phase.index],
            Mode::ProbeRtt(_) => 1.0,
        }
    }

    /// Returns the window gain as a multiple of the bandwidth-delay product.
    pub fn cwnd_gain(&self) -> f64 {
        match self {
            Mode::Startup | Mode::Drain => HIGH_GAIN,
            Mode::ProbeBw(_) => CWND_GAIN,
            Mode::ProbeRtt(_) => 1.0,
        }
    }

    /// True in the phase with gain 5/4.
    pub fn is_probing_up(&self) -> bool {
        matches!(self, Mode::ProbeBw(GainCyclePhase { index: 0, .. }))
    }
}

impl GainCyclePhase {
    /// Returns the first phase for a draw from 0 to 6. The phase with gain 3/4 is excluded. The random draw
    /// keeps flows from probing at the same time (§4.3.4.3).
    pub fn from_draw(now: Time, draw: usize) -> Self {
        GainCyclePhase { index: (PROBE_BW_GAINS.len() - draw) % PROBE_BW_GAINS.len(), began: now }
    }

    /// Advances to the next phase at the end of this phase (§4.3.4.3). A phase lasts one minimum RTT. The
    /// phase with gain 5/4 lasts until the flight has reached the target or a loss occurs. The phase with
    /// gain 3/4 ends early if the queue is empty.
    pub fn advance(&mut self, now: Time, min_rtt: Span, is_filled: bool, is_drained: bool) {
        let is_full_length = now.since(self.began) > min_rtt;
        let is_over = match PROBE_BW_GAINS[self.index] {
            gain if gain > 1.0 => is_full_length && is_filled,
            gain if gain < 1.0 => is_full_length || is_drained,
            _ => is_full_length,
        };
        if is_over {
            *self = GainCyclePhase { index: (self.index + 1) % PROBE_BW_GAINS.len(), began: now };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Time {
        Time::ZERO + Span::from_millis(ms)
    }

    // §4.3.4.3: "picking randomly among phases, excluding the 3/4 phase".
    #[test]
    fn probe_bw_starts_in_any_phase_but_that_of_gain_3_4() {
        let mut first: Vec<usize> = (0..7).map(|draw| GainCyclePhase::from_draw(at(0), draw).index).collect();
        first.sort_unstable();
        assert_eq!(first, [0, 2, 3, 4, 5, 6, 7]);
    }

    // §4.3.4.3, for a minimum RTT of 100 ms: the phase with gain 5/4 lasts until the flight has reached its
    // target, the phase with gain 3/4 ends when the queue is empty, and the other phases last for exactly 100
    // ms.
    #[test]
    fn probe_bw_phases_end_by_flight_or_time() {
        let after = |index, ms, is_filled, is_drained| {
            let mut phase = GainCyclePhase { index, began: at(0) };
            phase.advance(at(ms), Span::from_millis(100), is_filled, is_drained);
            phase.index
        };
        assert_eq!([after(0, 101, false, true), after(0, 101, true, false), after(0, 100, true, true)], [0, 1, 0]);
        assert_eq!([after(1, 101, false, false), after(1, 1, true, true), after(1, 100, true, false)], [2, 2, 1]);
        assert_eq!([after(2, 101, false, false), after(2, 100, true, true), after(7, 101, false, false)], [3, 2, 0]);
    }
}
