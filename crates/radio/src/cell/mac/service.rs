//! Service: the packet that a MAC is sending, and its attempts.
use super::data_frame::DataFrame;
use super::fragments::Fragments;
use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Packet, Time};
use airhop_engine::Id;

/// Head-of-line MSDU and its retry counters.
#[derive(Debug)]
pub(crate) struct Service {
    pub to: Station,
    /// The packet; `None` after it arrived, so that a later reception is a duplicate.
    pub packet: Option<Id<Packet>>,
    /// Number of the packet at its station.
    pub number: u64,
    pub tag: Tag,
    /// Time at which the MAC took the packet.
    pub taken: Time,
    /// Start of the last frame exchange for the packet.
    pub begun: Time,
    /// Frame that carries the whole packet.
    whole: DataFrame,
    /// Fragments, which replace `whole` if the packet is fragmented. Boxed, as they are rare and every service is moved.
    pub(super) fragments: Option<Box<Fragments>>,
    /// Data frames sent without an ACK.
    pub(super) data_failures: u32,
    /// RTS frames sent without a CTS, since the last CTS.
    pub(super) rts_failures: u32,
    /// Sum of both since the packet came.
    pub(super) failures: u32,
}

impl Service {
    pub fn new(
        to: Station,
        packet: Id<Packet>,
        number: u64,
        tag: Tag,
        whole: DataFrame,
        fragments: Option<Box<Fragments>>,
    ) -> Self {
        let packet = Some(packet);
        let (taken, begun) = (Time::ZERO, Time::ZERO);
        let (data_failures, rts_failures, failures) = (0, 0, 0);
        Service {
            to,
            packet,
            number,
            tag,
            taken,
            begun,
            whole,
            fragments,
            data_failures,
            rts_failures,
            failures,
        }
    }

    /// Returns the number of the attempt under way, from 1.
    pub fn attempt(&self) -> u32 {
        self.failures + 1
    }

    /// Returns the data frame that is sent now, or next.
    pub fn frame(&self) -> &DataFrame {
        self.fragments.as_deref().map_or(&self.whole, Fragments::frame)
    }

    /// Returns the data frame that follows a SIFS after the ACK of the current one.
    pub fn following(&self) -> Option<&DataFrame> {
        self.fragments.as_deref().and_then(Fragments::following)
    }

    /// Marks the data frame received. Returns the packet if that completes it for the first time.
    pub fn arrives(&mut self) -> Option<Id<Packet>> {
        let all_there = self.fragments.as_deref_mut().is_none_or(Fragments::arrives);
        if all_there { self.packet.take() } else { None }
    }

    /// Begins a frame exchange for the packet. False if its lifetime forbids that.
    pub fn begins(&mut self, now: Time) -> bool {
        self.begun = now;
        self.fragments.as_mut().is_none_or(|fragments| fragments.begins(now))
    }

    /// True if the receiver has the headers of the packet, and not all of it.
    pub fn only_headers_arrived(&self) -> bool {
        self.packet.is_some() && self.fragments.as_deref().is_some_and(Fragments::headers_arrived)
    }
}
