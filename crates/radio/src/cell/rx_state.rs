//! Reception state of a station: the signals at its antenna, and the signal on which its receiver is locked.
use super::plan::Receiving;
use airhop_base::{Span, Time};

/// Index of a transmission in the medium, unique among the transmissions on the air.
pub(crate) type Slot = u16;

/// Reception state of a station's PHY.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RxState {
    /// Number of signals at the antenna, including the station's own.
    signals: u32,
    sending: bool,
    /// Sum of the powers of all signals except the locked signal; computed only with [`Receiving::Sinr`].
    energy: f64,
    lock: Option<LockedFrame>,
}

/// Signal on which the receiver is locked.
#[derive(Clone, Copy, Debug)]
struct LockedFrame {
    signal: Signal,
    disturbance: Disturbance,
}

/// Other signals during the reception of a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Disturbance {
    /// True if another signal was present; with [`Receiving::Lock`], a later signal.
    pub overlapped: bool,
    /// True if the other signals were too strong for the frame.
    pub collided: bool,
}

/// Signal at an antenna.
#[derive(Clone, Copy, Debug)]
pub(super) struct Signal {
    pub slot: Slot,
    pub start: Time,
    pub power: f64,
    pub decodes: bool,
}

/// Tolerance of a receiver to interference.
#[derive(Clone, Copy, Debug)]
pub(super) struct Capture {
    /// Minimum ratio of powers: [`Range::capture`].
    pub ratio: f64,
    pub receiving: Receiving,
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
    pub fn follows(&self, slot: Slot) -> bool {
        self.lock.is_some_and(|lock| lock.signal.slot == slot)
    }

    /// True if the receiver is locked on a signal with completed preamble and header: PHY-RXSTART has
    /// occurred, PHY-RXEND has not. `plcp` is the duration of preamble and header.
    pub fn has_begun(&self, now: Time, plcp: Span) -> bool {
        self.lock.is_some_and(|lock| lock.signal.start + plcp <= now)
    }

    /// Starts a transmission of the station itself. Until the end of the transmission, the station cannot
    /// receive (half duplex). Returns true if the medium was idle.
    pub(super) fn sends(&mut self) -> bool {
        debug_assert!(!self.sending, "a station sends two frames at once");
        self.sending = true;
        self.lock = None;
        self.signals += 1;
        self.signals == 1
    }

    /// Ends the transmission of the station itself.
    pub(super) fn has_sent(&mut self) {
        self.sending = false;
        self.signals -= 1;
    }

    /// Adds a signal at the antenna. Returns true if the medium was idle.
    pub(super) fn arrives(&mut self, signal: Signal, capture: &Capture) -> bool {
        self.signals += 1;
        let first = self.signals == 1;
        match capture.receiving {
            Receiving::Lock if first => self.lock = Some(LockedFrame::on(signal, false)),
            Receiving::Lock => self.disturb(signal.power, capture.ratio),
            Receiving::Sinr => self.arrives_among(signal, capture.ratio),
        }
        first
    }

    /// Adds a signal with [`Receiving::Sinr`], where powers are summed.
    fn arrives_among(&mut self, signal: Signal, ratio: f64) {
        let others = self.energy;
        self.energy += signal.power;
        if self.sending {
            return;
        }
        let is_readable = signal.decodes && signal.power >= ratio * others;
        let follows = match &self.lock {
            None => is_readable || self.signals == 1,
            Some(lock) => is_readable && (!lock.signal.decodes || lock.signal.start == signal.start),
        };
        if follows {
            self.lock = Some(LockedFrame::on(signal, self.signals > 1));
        } else if let Some(lock) = &self.lock {
            self.disturb(self.energy - lock.signal.power, ratio);
        }
    }

    /// Marks the locked signal as lost if interference of this power is too strong.
    fn disturb(&mut self, power: f64, ratio: f64) {
        if let Some(lock) = &mut self.lock {
            lock.disturbance.overlapped = true;
            lock.disturbance.collided |= lock.signal.power < ratio * power;
        }
    }

    /// Removes an ended signal. Returns its reception, if the receiver was locked on the signal.
    pub(super) fn ends(&mut self, slot: Slot, power: f64, capture: &Capture) -> Option<Disturbance> {
        self.signals -= 1;
        if capture.receiving == Receiving::Sinr {
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
    fn on(signal: Signal, overlapped: bool) -> Self {
        LockedFrame { signal, disturbance: Disturbance { overlapped, collided: false } }
    }
}

#[cfg(test)]
#[path = "rx_state_tests.rs"]
mod tests;
