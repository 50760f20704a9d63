//! MAC headers of transmissions that have ended, as packet captures contain them.
use super::exchange::CellMac;
use super::mac_queue::MacQueue;
use super::medium::Transmission;
use super::rx_state::AirSlot;
use crate::layer::FrameKind;
use airhop_base::MacHeader;

impl CellMac {
    /// Returns the MAC header of the last reported transmission.
    pub fn last_mac_header(&self) -> &MacHeader {
        &self.last_mac_header
    }

    /// Returns the MAC header of the transmission in `slot`. The transmission has just ended.
    pub(super) fn mac_header(&self, slot: AirSlot) -> MacHeader {
        let &Transmission { from, to, kind, duration, tag, .. } = self.medium.transmission(slot);
        let holder = if kind.is_response() { to } else { from };
        let MacQueue { sender, aggregator } = &self.stations[usize::from(holder)].current_queue;
        let header = MacHeader { duration, ..MacHeader::default() };
        match (kind, aggregator) {
            (FrameKind::Ampdu | FrameKind::Data, Some(aggregator)) => {
                MacHeader { ppdu_packets: aggregator.exchange_packet_count(), ..header }
            }
            (FrameKind::Data, None) => {
                MacHeader { fragment: sender.head_of_line().current_fragment(), ..header }
            }
            (FrameKind::BlockAckReq, _) => MacHeader { starting_sequence: tag.seq, ..header },
            (FrameKind::BlockAck, Some(aggregator)) => {
                let answer = aggregator.block_ack();
                MacHeader { starting_sequence: answer.start, bitmap: answer.bitmap.words(), ..header }
            }
            _ => header,
        }
    }
}
