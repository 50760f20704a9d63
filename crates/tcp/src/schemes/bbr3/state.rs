use super::settings::Settings;
use crate::bbr::Stay;

/// BBR.StartupPacingGain, 4 ln 2: the least that doubles the rate each round trip (§2.5).
pub const STARTUP_GAIN: f64 = 4.0 * std::f64::consts::LN_2;
/// BBR.DefaultCwndGain (§2.6).
const CWND_GAIN: f64 = 2.0;
/// The pacing gain of ProbeBW_UP (§5.3.3.5).
const UP_GAIN: f64 = 1.25;
/// BBR.ProbeRTTCwndGain (§2.16.2).
pub const PROBE_RTT_CWND_GAIN: f64 = 0.5;

/// BBR.state (§5.1).
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum State {
    /// Doubles its rate each round trip, until that stops the rate of delivery from growing or too much is lost.
    Startup,
    /// Lets the queue drain that startup left, since that round trip.
    Drain(u64),
    /// Sends slower than, as fast as, and faster than the path delivers.
    ProbeBw(Phase),
    /// Keeps half of the bandwidth-delay product in flight, to measure the round trip without its own queue.
    ProbeRtt(Option<Stay>),
}

/// Phase of the bandwidth-probing cycle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Phase {
    /// Drains the queue of the probe, and leaves headroom to other flows.
    Down,
    /// Sends as fast as the path delivers, and yields to losses.
    Cruise,
    /// Fills the path, for one round trip.
    Refill,
    /// Asks for more.
    Up,
}

impl State {
    /// Of the rate at which it paces (§5.6.1).
    pub fn pacing_gain(self, s: &Settings) -> f64 {
        match self {
            State::Startup => STARTUP_GAIN,
            State::Drain(_) => s.drain_gain,
            State::ProbeBw(Phase::Down) => s.down_gain,
            State::ProbeBw(Phase::Cruise | Phase::Refill) | State::ProbeRtt(_) => 1.0,
            State::ProbeBw(Phase::Up) => UP_GAIN,
        }
    }

    /// Of the product of rate and round trip that may be in flight (§5.6.1).
    pub fn cwnd_gain(self, s: &Settings) -> f64 {
        match self {
            State::ProbeBw(Phase::Up) => s.up_cwnd_gain,
            State::ProbeRtt(_) => PROBE_RTT_CWND_GAIN,
            State::Startup | State::Drain(_) | State::ProbeBw(_) => CWND_GAIN,
        }
    }

    /// IsProbingBW (§5.3.3.9): losses are to be expected, and do not move the bounds of the short term.
    pub fn is_probing(self) -> bool {
        matches!(self, State::Startup | State::ProbeBw(Phase::Refill | Phase::Up))
    }

    /// True in ProbeBW_UP.
    pub fn is_up(self) -> bool {
        self == State::ProbeBw(Phase::Up)
    }
}
