//! Reception state of a station: the signals at its antenna, and the signal on which its receiver is locked.
use super::plan::InterferenceRule;
use airhop_base::{Span, Time};

/// Index of a transmission in the medium, unique among the transmissions on the air.
pub(crate) type AirSlot = u16;

/// Reception state of a station's PHY.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RxState {
    /// Number of signals at the antenna, including the station's own.
    signals: u32,
    sending: bool,
    /// Sum of the powers of all signals except the locked signal; computed only with [`InterferenceRule::Sinr`].
    energy: f64,
    lock: Option<LockedFrame>,
}

/// Signal on which the receiver is locked.
#[derive(Clone, Copy, Debug)]
struct LockedFrame {
    signal: Signal,
    disturbance: Interference,
}

/// Other signals during the reception of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Interference {
    /// True if another signal was present; with [`InterferenceRule::Lock`], a later signal.
    pub overlapped: bool,
    /// True if the other signals were too strong for the frame.
    pub collided: bool,
}

/// Signal at an antenna.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    pub slot: AirSlot,
    pub start: Time,
    pub power: f64,
    pub is_decodable: bool,
}

/// Tolerance of a receiver to interference.
#[derive(Clone, Copy, Debug)]
pub(super) struct CaptureRule {
    /// Minimum ratio of powers: [`RadioRange::capture_ratio`].
    pub ratio: f64,
    pub interference_rule: InterferenceRule,
}

impl RxState {
    /// True if the antenna has no signal and the station itself is not transmitting.
    pub fn is_idle(&self) -> bool {
        self.signals == 0
    }

    /// True if no signal is at the antenna except the station's own.
    pub fn has_no_other_signal(&self) -> bool {
        self.signals == u32::from(self.sending)
    }

    /// True if the receiver is locked on the signal in `slot`.
    pub fn is_locked_on(&self, slot: AirSlot) -> bool {
        self.lock.is_some_and(|lock| lock.signal.slot == slot)
    }

    /// True if the receiver is locked on a signal with completed preamble and header: PHY-RXSTART has
    /// occurred, PHY-RXEND has not. `plcp` is the duration of preamble and header.
    pub fn has_rx_started(&self, now: Time, plcp: Span) -> bool {
        self.lock.is_some_and(|lock| lock.signal.start + plcp <= now)
    }

    /// Starts a transmission of the station itself. Until the end of the transmission, the station cannot
    /// receive (half duplex). Returns true if the medium was idle.
    pub(super) fn begin_sending(&mut self) -> bool {
        debug_assert!(!self.sending, "a station sends two frames at once");
        self.sending = true;
        self.lock = None;
        self.signals += 1;
        self.signals == 1
    }

    /// Ends the transmission of the station itself.
    pub(super) fn end_sending(&mut self) {
        self.sending = false;
        self.signals -= 1;
    }

    /// Adds a signal at the antenna. Returns true if the medium was idle.
    pub(super) fn add_signal(&mut self, signal: Signal, capture: &CaptureRule) -> bool {
        self.signals += 1;
        let first = self.signals == 1;
        match capture.interference_rule {
            InterferenceRule::Lock if first => self.lock = Some(LockedFrame::from_signal(signal, false)),
            InterferenceRule::Lock => self.add_interference(signal.power, capture.ratio),
            InterferenceRule::Sinr => self.add_summed_signal(signal, capture.ratio),
        }
        first
    }

    /// Adds a signal with [`InterferenceRule::Sinr`], where powers are summed.
    fn add_summed_signal(&mut self, signal: Signal, ratio: f64) {
        let others = self.energy;
        self.energy += signal.power;
        if self.sending {
            return;
        }
        let is_readable = signal.is_decodable && signal.power >= ratio * others;
        let follows = match &self.lock {
            None => is_readable || self.signals == 1,
            Some(lock) => is_readable && (!lock.signal.is_decodable || lock.signal.start == signal.start),
        };
        if follows {
            self.lock = Some(LockedFrame::from_signal(signal, self.signals > 1));
        } else if let Some(lock) = &self.lock {
            self.add_interference(self.energy - lock.signal.power, ratio);
        }
    }

    /// Marks the locked signal as lost if interference of this power is too strong.
    fn add_interference(&mut self, power: f64, ratio: f64) {
        if let Some(lock) = &mut self.lock {
            lock.disturbance.overlapped = true;
            lock.disturbance.collided |= lock.signal.power < ratio * power;
        }
    }

    /// Removes an ended signal. Returns its reception, if the receiver was locked on the signal.
    pub(super) fn remove_signal(
        &mut self,
        slot: AirSlot,
        power: f64,
        capture: &CaptureRule,
    ) -> Option<Interference> {
        self.signals -= 1;
        if capture.interference_rule == InterferenceRule::Sinr {
            // The sum restarts at exactly zero when no signal is left, so that rounding errors do not
            // accumulate.
            self.energy = if self.has_no_other_signal() { 0.0 } else { self.energy - power };
        }
        let disturbance = self.lock.as_ref().filter(|lock| lock.signal.slot == slot)?.disturbance;
        self.lock = None;
        Some(disturbance)
    }
}

impl LockedFrame {
    fn from_signal(signal: Signal, overlapped: bool) -> Self {
        LockedFrame { signal, disturbance: Interference { overlapped, collided: false } }
    }
}

#[cfg(test)]
#[path = "rx_state_tests.rs"]
mod tests;
