//! Head-of-line packet of a MAC, and its attempts.
use super::data_frame::DataFrame;
use super::fragments::Fragments;
use crate::address::StationIndex;
use crate::layer::LinkEffect;
use crate::tag::PacketTag;
use airhop_base::{AccessCategory, Fragment, Packet, Time};
use airhop_engine::Id;

/// Head-of-line MSDU and its retry counters.
#[derive(Debug)]
pub(crate) struct HeadOfLineMsdu {
    pub to: StationIndex,
    /// The packet; `None` after its arrival. A later reception is then a duplicate.
    pub packet: Option<Id<Packet>>,
    /// Number of the packet at its station.
    pub packet_number: u64,
    pub tag: PacketTag,
    /// Time at which the packet entered the MAC.
    pub accepted_at: Time,
    /// Start of the last frame exchange for the packet.
    pub exchange_start: Time,
    /// Frame that carries the whole packet.
    whole: DataFrame,
    /// Fragments of the packet, in place of `whole`; `None` if the packet is not fragmented. The fragments
    /// are boxed, because they are rare and every `HeadOfLineMsdu` is moved.
    pub(super) fragments: Option<Box<Fragments>>,
    /// Number of data frames sent without an ACK.
    pub(super) data_failures: u32,
    /// Number of RTS frames sent without a CTS, since the last CTS.
    pub(super) rts_failures: u32,
    /// Number of failures of both kinds since the packet entered the MAC.
    pub(super) failures: u32,
}

impl HeadOfLineMsdu {
    /// Reports that the link layer of `from` discarded the packet and accepts packets of this category again.
    pub fn report_discard(self, from: StationIndex, category: AccessCategory, effects: &mut Vec<LinkEffect>) {
        let (to, number, tag) = (self.to, self.packet_number, self.tag);
        if self.only_headers_arrived() {
            effects.push(LinkEffect::HeaderOnly { from, to, number, tag });
        }
        effects.push(LinkEffect::Discarded { from, to, number, tag, packet: self.packet });
        effects.push(LinkEffect::Ready(from, category));
    }

    pub fn new(
        to: StationIndex,
        packet: Id<Packet>,
        number: u64,
        tag: PacketTag,
        whole: DataFrame,
        fragments: Option<Box<Fragments>>,
    ) -> Self {
        let packet = Some(packet);
        let (taken, begun) = (Time::ZERO, Time::ZERO);
        let (data_failures, rts_failures, failures) = (0, 0, 0);
        HeadOfLineMsdu {
            to,
            packet,
            packet_number: number,
            tag,
            accepted_at: taken,
            exchange_start: begun,
            whole,
            fragments,
            data_failures,
            rts_failures,
            failures,
        }
    }

    /// Returns the number of the present attempt, from 1.
    pub fn attempt(&self) -> u32 {
        self.failures + 1
    }

    /// Returns the data frame on the air, or the next data frame to be sent.
    pub fn frame(&self) -> &DataFrame {
        self.fragments.as_deref().map_or(&self.whole, Fragments::frame)
    }

    /// Returns the part of the MSDU in the data frame on the air.
    pub fn current_fragment(&self) -> Fragment {
        self.fragments.as_deref().map(Fragments::current_fragment).unwrap_or_default()
    }

    /// Returns the data frame that follows the ACK of the present frame after a SIFS.
    pub fn following_frame(&self) -> Option<&DataFrame> {
        self.fragments.as_deref().and_then(Fragments::following_frame)
    }

    /// Marks the data frame as received. Returns the packet if this frame completes the packet for the first
    /// time.
    pub fn mark_received(&mut self) -> Option<Id<Packet>> {
        let all_there = self.fragments.as_deref_mut().is_none_or(Fragments::mark_received);
        if all_there { self.packet.take() } else { None }
    }

    /// Starts a frame exchange for the packet. Returns false if the packet's lifetime has ended.
    pub fn begin_exchange(&mut self, now: Time) -> bool {
        self.exchange_start = now;
        self.fragments.as_mut().is_none_or(|fragments| fragments.begin_burst(now))
    }

    /// True if the receiver has the packet's headers but not the whole packet.
    pub fn only_headers_arrived(&self) -> bool {
        self.packet.is_some() && self.fragments.as_deref().is_some_and(Fragments::headers_arrived)
    }
}
