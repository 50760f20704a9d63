use super::settings::Bbr3Settings;
use crate::bbr::ProbeRttProgress;

/// BBR.StartupPacingGain, 4 ln 2: smallest gain that doubles the rate each round trip (§2.5).
pub const STARTUP_GAIN: f64 = 4.0 * std::f64::consts::LN_2;
/// BBR.DefaultCwndGain (§2.6).
const CWND_GAIN: f64 = 2.0;
/// Pacing gain of ProbeBW_UP (§5.3.3.5).
const UP_GAIN: f64 = 1.25;
/// BBR.ProbeRTTCwndGain (§2.16.2).
pub const PROBE_RTT_CWND_GAIN: f64 = 0.5;

/// BBR.state (§5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Bbr3State {
    /// Startup: doubles the rate each round trip, until the delivery rate stops growing or too much data is
    /// lost.
    Startup,
    /// Drain: drains the queue that Startup built. The field is the first round of Drain.
    Drain(u64),
    /// ProbeBW: sends below, at and above the bottleneck bandwidth.
    ProbeBw(ProbeBwPhase),
    /// ProbeRTT: keeps half of the bandwidth-delay product in flight, so that the flow measures the RTT
    /// without its own queue.
    ProbeRtt(Option<ProbeRttProgress>),
}

/// Phase of the bandwidth-probing cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ProbeBwPhase {
    /// Drains the queue of the last probe, and leaves headroom for other flows.
    Down,
    /// Sends at the bottleneck bandwidth, and reacts to losses.
    Cruise,
    /// Refills the path for one round trip.
    Refill,
    /// Probes for more bandwidth.
    Up,
}

impl Bbr3State {
    /// Returns the pacing gain (§5.6.1).
    pub fn pacing_gain(self, s: &Bbr3Settings) -> f64 {
        match self {
            Bbr3State::Startup => STARTUP_GAIN,
            Bbr3State::Drain(_) => s.drain_gain,
            Bbr3State::ProbeBw(ProbeBwPhase::Down) => s.down_gain,
            Bbr3State::ProbeBw(ProbeBwPhase::Cruise | ProbeBwPhase::Refill) | Bbr3State::ProbeRtt(_) => 1.0,
            Bbr3State::ProbeBw(ProbeBwPhase::Up) => UP_GAIN,
        }
    }

    /// Returns the window gain as a multiple of the bandwidth-delay product (§5.6.1).
    pub fn cwnd_gain(self, s: &Bbr3Settings) -> f64 {
        match self {
            Bbr3State::ProbeBw(ProbeBwPhase::Up) => s.up_cwnd_gain,
            Bbr3State::ProbeRtt(_) => PROBE_RTT_CWND_GAIN,
            Bbr3State::Startup | Bbr3State::Drain(_) | Bbr3State::ProbeBw(_) => CWND_GAIN,
        }
    }

    /// True if losses in this state leave the short-term bounds unchanged (IsProbingBW, §5.3.3.9).
    pub fn is_probing(self) -> bool {
        matches!(self, Bbr3State::Startup | Bbr3State::ProbeBw(ProbeBwPhase::Refill | ProbeBwPhase::Up))
    }

    /// True in ProbeBW_UP.
    pub fn is_probe_up(self) -> bool {
        self == Bbr3State::ProbeBw(ProbeBwPhase::Up)
    }
}
