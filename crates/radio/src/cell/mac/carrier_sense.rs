//! Physical and virtual carrier sense of a station.
use crate::address::{BROADCAST, StationIndex};
use airhop_base::{Span, Time};

/// Carrier sense of a station: start of the idle period, and end of the reservation by duration fields.
#[derive(Clone, Copy, Debug)]
pub(super) struct CarrierSense {
    /// Start of the current or last idle period of the medium around the station.
    idle_since: Time,
    /// True if the last signal could not be decoded: EIFS then takes the place of the interframe space.
    unreadable: bool,
    /// NAV: end of the reservation by duration fields.
    nav: Time,
    /// Station that set the NAV. Within a TXOP this is the TXOP holder.
    holder: StationIndex,
}

impl CarrierSense {
    pub const IDLE: CarrierSense =
        CarrierSense { idle_since: Time::ZERO, unreadable: false, nav: Time::ZERO, holder: BROADCAST };

    /// Marks the medium as idle from `now` on.
    pub fn on_idle(&mut self, now: Time) {
        self.idle_since = now;
    }

    /// Records the reception of a frame. A reception ends EIFS (IEEE 802.11-2016 §10.3.7). `reserve`: end and
    /// holder of the reservation; `None` if the frame was for this station.
    pub fn on_reception(&mut self, reserve: Option<(Time, StationIndex)>) {
        self.unreadable = false;
        if let Some((until, holder)) = reserve
            && until > self.nav
        {
            (self.nav, self.holder) = (until, holder);
        }
    }

    /// Records the reception of a CF-End, which resets the NAV (IEEE 802.11-2020 §10.23.2.10).
    pub fn on_cf_end(&mut self) {
        self.unreadable = false;
        self.nav = Time::ZERO;
    }

    /// Records a frame that the station began to receive but could not decode.
    pub fn on_undecodable_frame(&mut self) {
        self.unreadable = true;
    }

    /// Records a transmission of the station itself. DIFS follows, because only a failed reception causes
    /// EIFS (IEEE 802.11-2016 §10.3.2.3.7).
    pub fn on_transmission(&mut self) {
        self.unreadable = false;
    }

    /// True if a duration field reserves the medium at `now`.
    pub fn is_reserved(&self, now: Time) -> bool {
        self.nav > now
    }

    /// Returns the station that set the NAV.
    pub fn nav_holder(&self) -> StationIndex {
        self.holder
    }

    /// Returns the end of the interframe space, if the medium stays idle until then. The interframe space
    /// starts when both physical and virtual carrier sense are idle.
    pub fn interframe_space_end(&self, ifs: Span, eifs: Span) -> Time {
        let after_signal = if self.unreadable { eifs } else { ifs };
        (self.idle_since + after_signal).max(self.nav + ifs)
    }
}
