//! MAC headers of transmissions that have ended, as packet captures contain them.
use super::exchange::Exchange;
use super::mac_queue::MacQueue;
use super::medium::Transmission;
use super::rx_state::Slot;
use crate::layer::FrameKind;
use airhop_base::MacHeader;

impl Exchange {
    /// Returns the MAC header of the last reported transmission.
    pub fn header(&self) -> &MacHeader {
        &self.header
    }

    /// Returns the MAC header of the transmission in `slot`. The transmission has just ended.
    pub(super) fn mac_header(&self, slot: Slot) -> MacHeader {
        let &Transmission { from, to, kind, duration, tag, .. } = self.medium.get(slot);
        let holder = if kind.is_answer() { to } else { from };
        let MacQueue { sender, aggregator } = &self.stations[usize::from(holder)].queue;
        let header = MacHeader { duration, ..MacHeader::default() };
        match (kind, aggregator) {
            (FrameKind::Ampdu | FrameKind::Data, Some(aggregator)) => {
                MacHeader { packets: aggregator.packets(), ..header }
            }
            (FrameKind::Data, None) => MacHeader { fragment: sender.service().part(), ..header },
            (FrameKind::BlockAckReq, _) => MacHeader { start: tag.seq, ..header },
            (FrameKind::BlockAck, Some(aggregator)) => {
                let answer = aggregator.answer();
                MacHeader { start: answer.start, bitmap: answer.bitmap.words(), ..header }
            }
            _ => header,
        }
    }
}
