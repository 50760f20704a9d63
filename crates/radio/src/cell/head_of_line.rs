//! Head-of-line packet of a MAC: start of its service, and its fragments.
use super::exchange::CellMac;
use super::frames::FrameLengths;
use super::mac::data_frame::DataFrame;
use super::mac::fragments::Fragments;
use super::mac::service::HeadOfLineMsdu;
use super::mac::{lhp, threshold};
use super::mac_queue::MacQueue;
use super::medium::Transmission;
use crate::address::{BROADCAST, StationIndex};
use crate::layer::{Fragmentation, FrameKind, OutgoingPacket};
use crate::phy::MAC_OVERHEAD_BYTES;
use airhop_base::{Span, Time};

impl CellMac {
    /// Starts the service of a packet at `station`, as the head-of-line packet of the function at `place`.
    pub(super) fn start_service(
        &mut self,
        now: Time,
        station: StationIndex,
        place: usize,
        number: u64,
        packet: OutgoingPacket,
    ) {
        let OutgoingPacket { to, packet, bytes, header_bytes: header, tag, fragmentation: fragments, .. } =
            packet;
        let whole = bytes + self.overhead_bytes;
        let is_group = to == BROADCAST;
        let airtime = if is_group { self.timing.group_airtime(whole) } else { self.airtime(station, whole) };
        let frame = DataFrame { bytes: whole, header_bytes: header + self.overhead_bytes, airtime };
        // Group-addressed frames are never fragmented (IEEE 802.11-2016 §10.2.7).
        let is_whole = is_group || fragments.is_none() && whole <= self.fragmentation_threshold;
        let fragments = if is_whole { None } else { self.fragment_packet(bytes, header, fragments) };
        let service = HeadOfLineMsdu::new(to, packet, number, tag, frame, fragments);
        self.stations[usize::from(station)].queue_at(place).sender.start_service(now, service);
    }

    /// Returns the airtime of a unicast data frame of `station`. The last length and airtime are cached,
    /// which saves the division by the rate for most frames.
    #[inline]
    fn airtime(&mut self, station: StationIndex, bytes: u32) -> Span {
        let last = &mut self.stations[usize::from(station)].last_frame;
        if last.0 != bytes {
            *last = (bytes, self.timing.frame_airtime(bytes));
        }
        last.1
    }

    /// Builds the first data frame of the exchange of `station`, or its BlockAckReq.
    pub(super) fn build_data_frame(&self, station: StationIndex, start: Time) -> Transmission {
        let MacQueue { sender, aggregator } = &self.stations[usize::from(station)].current_queue;
        if let Some(aggregator) = aggregator
            && aggregator.is_exchanging()
        {
            return self.build_exchange_frame(station, aggregator, start);
        }
        let service = sender.head_of_line();
        let DataFrame { bytes, header_bytes: header, airtime } = *service.frame();
        let (kind, answer) = match service.to {
            BROADCAST => (FrameKind::Broadcast, Span::ZERO),
            _ => (FrameKind::Data, self.phy.sifs + self.timing.ack),
        };
        // A fragment reserves the medium for the next fragment too (IEEE 802.11-2016 §10.3.4.6).
        let following = service.following_frame().map(|next| self.phy.sifs + next.airtime + answer);
        Transmission {
            from: station,
            to: service.to,
            kind,
            bytes,
            header_bytes: header,
            attempt: service.attempt(),
            start,
            end: start + airtime,
            duration: answer + following.unwrap_or(Span::ZERO),
            tag: service.tag,
            packet_number: service.packet_number,
        }
    }

    /// Cuts a packet of `bytes` bytes into fragments, by `sizes` or by the threshold. `header` is the length
    /// of the packet's headers in bytes. `None` if one frame carries the whole packet.
    #[inline(never)]
    fn fragment_packet(
        &self,
        bytes: u32,
        header: u32,
        sizes: Option<Fragmentation>,
    ) -> Option<Box<Fragments>> {
        let mpdu = |bytes, header| DataFrame {
            bytes,
            header_bytes: header,
            airtime: self.timing.frame_airtime(bytes),
        };
        let fragments = match sizes {
            Some(sizes) => {
                let frame = |bytes, header| mpdu(bytes + self.overhead_bytes, header + self.overhead_bytes);
                lhp::fragment_packet(sizes, (bytes, header), self.max_attempts, frame)?
            }
            None => {
                let (own, whole) = (self.overhead_bytes.min(MAC_OVERHEAD_BYTES), bytes + self.overhead_bytes);
                let lengths = FrameLengths::new(whole, own, self.fragmentation_threshold);
                threshold::fragment_packet(lengths, header + self.overhead_bytes, self.max_attempts, mpdu)
            }
        };
        Some(Box::new(fragments))
    }
}
