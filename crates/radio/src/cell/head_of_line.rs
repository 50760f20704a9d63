//! Head-of-line packet of a MAC: start of its service, and its fragments.
use super::exchange::Exchange;
use super::frames::Lengths;
use super::mac::data_frame::DataFrame;
use super::mac::fragments::Fragments;
use super::mac::service::Service;
use super::mac::{lhp, threshold};
use super::mac_queue::MacQueue;
use super::medium::Transmission;
use crate::address::{BROADCAST, Station};
use crate::layer::{Fragmentation, FrameKind, Outgoing};
use crate::phy::MAC_BYTES;
use airhop_base::{Span, Time};

impl Exchange {
    /// Starts the service of a packet at `station`, as the head-of-line packet of the function at `place`.
    pub(super) fn serve(&mut self, now: Time, station: Station, place: usize, number: u64, packet: Outgoing) {
        let Outgoing { to, packet, bytes, header, tag, fragments, .. } = packet;
        let whole = bytes + self.overhead;
        let is_group = to == BROADCAST;
        let airtime = if is_group { self.timing.group(whole) } else { self.airtime(station, whole) };
        let frame = DataFrame { bytes: whole, header: header + self.overhead, airtime };
        // Group-addressed frames are never fragmented (IEEE 802.11-2016 §10.2.7).
        let is_whole = is_group || fragments.is_none() && whole <= self.threshold;
        let fragments = if is_whole { None } else { self.fragments(bytes, header, fragments) };
        let service = Service::new(to, packet, number, tag, frame, fragments);
        self.stations[usize::from(station)].queue_at(place).sender.push(now, service);
    }

    /// Returns the airtime of a unicast data frame of `station`. The last length and airtime are cached,
    /// which saves the division by the rate for most frames.
    #[inline]
    fn airtime(&mut self, station: Station, bytes: u32) -> Span {
        let last = &mut self.stations[usize::from(station)].last_frame;
        if last.0 != bytes {
            *last = (bytes, self.timing.frame(bytes));
        }
        last.1
    }

    /// Builds the first data frame of the exchange of `station`, or its BlockAckReq.
    pub(super) fn data(&self, station: Station, start: Time) -> Transmission {
        let MacQueue { sender, aggregator } = &self.stations[usize::from(station)].queue;
        if let Some(aggregator) = aggregator
            && aggregator.is_exchanging()
        {
            return self.burst(station, aggregator, start);
        }
        let service = sender.service();
        let DataFrame { bytes, header, airtime } = *service.frame();
        let (kind, answer) = match service.to {
            BROADCAST => (FrameKind::Broadcast, Span::ZERO),
            _ => (FrameKind::Data, self.phy.sifs + self.timing.ack),
        };
        // A fragment reserves the medium for the next fragment too (IEEE 802.11-2016 §10.3.4.6).
        let following = service.following().map(|next| self.phy.sifs + next.airtime + answer);
        Transmission {
            from: station,
            to: service.to,
            kind,
            bytes,
            header,
            attempt: service.attempt(),
            start,
            end: start + airtime,
            duration: answer + following.unwrap_or(Span::ZERO),
            tag: service.tag,
            number: service.number,
        }
    }

    /// Cuts a packet of `bytes` bytes into fragments, by `sizes` or by the threshold. `header` is the length
    /// of the packet's headers in bytes. `None` if one frame carries the whole packet.
    #[inline(never)]
    fn fragments(&self, bytes: u32, header: u32, sizes: Option<Fragmentation>) -> Option<Box<Fragments>> {
        let mpdu = |bytes, header| DataFrame { bytes, header, airtime: self.timing.frame(bytes) };
        let fragments = match sizes {
            Some(sizes) => {
                let frame = |bytes, header| mpdu(bytes + self.overhead, header + self.overhead);
                lhp::cut(sizes, (bytes, header), self.attempts, frame)?
            }
            None => {
                let (own, whole) = (self.overhead.min(MAC_BYTES), bytes + self.overhead);
                let lengths = Lengths::new(whole, own, self.threshold);
                threshold::cut(lengths, header + self.overhead, self.attempts, mpdu)
            }
        };
        Some(Box::new(fragments))
    }
}
