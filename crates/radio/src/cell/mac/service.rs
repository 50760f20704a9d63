//! A service is the packet that a MAC is busy with, and its attempts.
use super::data_frame::DataFrame;
use super::fragments::Fragments;
use crate::address::Station;
use crate::tag::Tag;
use airhop_base::{Packet, Time};
use airhop_engine::Id;

/// The packet that a MAC is busy with.
#[derive(Debug)]
pub(crate) struct Service {
    pub to: Station,
    /// `None` once it arrived: what is repeated after that is a duplicate.
    pub packet: Option<Id<Packet>>,
    pub tag: Tag,
    /// When the MAC took it.
    pub taken: Time,
    /// When the last exchange of frames for it began.
    pub begun: Time,
    /// The packet in one frame.
    whole: DataFrame,
    /// Takes the place of `whole` if the packet is sent in fragments. In a box, as few are and every service is moved.
    pub(super) fragments: Option<Box<Fragments>>,
    /// Data frames sent without an ACK.
    pub(super) data_failures: u32,
    /// RTS frames sent without a CTS, since the last CTS.
    pub(super) rts_failures: u32,
    /// Both, since the packet came.
    pub(super) failures: u32,
}

impl Service {
    pub fn new(
        to: Station,
        packet: Id<Packet>,
        tag: Tag,
        whole: DataFrame,
        fragments: Option<Box<Fragments>>,
    ) -> Self {
        let packet = Some(packet);
        let (taken, begun) = (Time::ZERO, Time::ZERO);
        let (data_failures, rts_failures, failures) = (0, 0, 0);
        Service { to, packet, tag, taken, begun, whole, fragments, data_failures, rts_failures, failures }
    }

    /// The number of the attempt under way, from 1.
    pub fn attempt(&self) -> u32 {
        self.failures + 1
    }

    /// The data frame that is sent now, or next.
    pub fn frame(&self) -> &DataFrame {
        self.fragments.as_deref().map_or(&self.whole, Fragments::frame)
    }

    /// The data frame that follows a SIFS after the ACK of that one.
    pub fn following(&self) -> Option<&DataFrame> {
        self.fragments.as_deref().and_then(Fragments::following)
    }

    /// The data frame reaches the receiver. The packet, if it is there by that: neither a duplicate nor a fragment among others.
    pub fn arrives(&mut self) -> Option<Id<Packet>> {
        let all_there = self.fragments.as_deref_mut().is_none_or(Fragments::arrives);
        if all_there { self.packet.take() } else { None }
    }

    /// Frames for it begin to be exchanged. False if it is too late for that.
    pub fn begins(&mut self, now: Time) -> bool {
        self.begun = now;
        self.fragments.as_mut().is_none_or(|fragments| fragments.begins(now))
    }

    /// True if the receiver has the headers of the packet, and not all of it.
    pub fn only_headers_arrived(&self) -> bool {
        self.packet.is_some() && self.fragments.as_deref().is_some_and(Fragments::headers_arrived)
    }
}
