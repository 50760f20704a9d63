//! Carrier sense of a station, physical and virtual.
use airhop_base::{Span, Time};

/// Carrier sense of a station: the time since which the medium is idle, and the time until which duration
/// fields reserve it.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarrierSense {
    /// Start of the current or last idle period of the medium around the station.
    idle_since: Time,
    /// True if the last signal that ended could not be decoded: EIFS replaces the interframe space.
    unreadable: bool,
    /// Network allocation vector: end of the reservation by duration fields.
    nav: Time,
}

impl CarrierSense {
    pub const IDLE: CarrierSense =
        CarrierSense { idle_since: Time::ZERO, unreadable: false, nav: Time::ZERO };

    /// Marks the medium idle from `now` on.
    pub fn idle(&mut self, now: Time) {
        self.idle_since = now;
    }

    /// Records the reception of a frame, which ends EIFS (IEEE 802.11-2016 §10.3.7); `reserve`: end of the
    /// reservation, if the frame was for another station.
    pub fn received(&mut self, reserve: Option<Time>) {
        self.unreadable = false;
        if let Some(until) = reserve {
            self.nav = self.nav.max(until);
        }
    }

    /// Records a frame that began but could not be decoded.
    pub fn garbled(&mut self) {
        self.unreadable = true;
    }

    /// Records a transmission of the station itself, after which DIFS applies: EIFS follows only a failed
    /// reception (IEEE 802.11-2016 §10.3.2.3.7).
    pub fn sends(&mut self) {
        self.unreadable = false;
    }

    /// True if a duration field reserves the medium at `now`.
    pub fn is_reserved(&self, now: Time) -> bool {
        self.nav > now
    }

    /// Returns the end of the interframe space, which begins when both physical and virtual carrier sense are
    /// idle, if the medium stays idle.
    pub fn clear_from(&self, ifs: Span, eifs: Span) -> Time {
        let after_signal = if self.unreadable { eifs } else { ifs };
        (self.idle_since + after_signal).max(self.nav + ifs)
    }
}
