//! MAC frames: control frames and Data frames, without FCS.

use airhop_base::{AccessCategory, Span};

/// MAC address.
pub type MacAddress = [u8; 6];

/// Largest value of the Duration field in µs (IEEE 802.11-2020 §9.2.4.2).
const MAX_DURATION: u64 = 32_767;
/// Type values of the Frame Control field (IEEE 802.11-2020 Table 9-1), shifted.
const CONTROL: u8 = 0b01 << 2;
const DATA: u8 = 0b10 << 2;
/// Flags in the second byte of the Frame Control field (§9.2.4.1).
const MORE_FRAGMENTS: u8 = 1 << 2;
const RETRY: u8 = 1 << 3;
/// Subtype bit of QoS Data.
const QOS: u8 = 1 << 7;
/// Flag of the QoS Control field: the frame body is an A-MSDU (§9.2.4.5.9).
const AMSDU_PRESENT: u16 = 1 << 7;
/// Compressed variant in BAR Control and BA Control (§9.3.1.7, §9.3.1.8).
const COMPRESSED: u16 = 2 << 1;
/// Value in the Fragment Number subfield of a BlockAck: the bitmap has 256 bits (IEEE 802.11ax-2021 §9.3.1.8.2).
const BITMAP_OF_256: u16 = 2 << 1;

/// Addresses of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct FrameAddresses {
    /// Receiver address (RA), also the destination.
    pub receiver: MacAddress,
    /// Transmitter address (TA), also the source.
    pub transmitter: MacAddress,
}

/// Control frame (IEEE 802.11-2020 §9.3.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ControlFrame {
    /// Request to send.
    Rts,
    /// Clear to send, without TA.
    Cts,
    /// Acknowledgement, without TA.
    Ack,
    /// End of a TXOP; TA is the BSSID (IEEE 802.11-2020 §9.3.1.6).
    CfEnd,
    /// Compressed BlockAckReq.
    BlockAckReq {
        /// Traffic identifier.
        tid: u8,
        /// Starting sequence number, sent modulo 4096.
        start: u64,
    },
    /// Compressed BlockAck.
    BlockAck {
        /// Traffic identifier.
        tid: u8,
        /// Starting sequence number, sent modulo 4096.
        start: u64,
        /// Bitmap of received MPDUs, from sequence number `start` on.
        bitmap: [u64; 4],
        /// True for a bitmap of 256 bits, false for 64 bits.
        is_wide: bool,
    },
}

/// Header of a Data or QoS Data frame (IEEE 802.11-2020 §9.3.2.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DataHeader {
    /// Duration field.
    pub duration: Span,
    /// Addresses 1 and 2.
    pub addresses: FrameAddresses,
    /// Address 3.
    pub bssid: MacAddress,
    /// Sequence number, sent modulo 4096.
    pub sequence: u64,
    /// Fragment number.
    pub fragment: u8,
    /// True if fragments of the MSDU follow.
    pub more_fragments: bool,
    /// True for a retransmission.
    pub retry: bool,
    /// Traffic identifier of a QoS Data frame; `None` for a Data frame.
    pub tid: Option<u8>,
    /// True if the frame body is an A-MSDU.
    pub is_amsdu: bool,
}

impl ControlFrame {
    /// Appends the frame to `out`.
    pub fn write(&self, duration: Span, addresses: &FrameAddresses, out: &mut Vec<u8>) {
        let (subtype, has_transmitter) = match self {
            ControlFrame::BlockAckReq { .. } => (8, true),
            ControlFrame::BlockAck { .. } => (9, true),
            ControlFrame::Rts => (11, true),
            ControlFrame::Cts => (12, false),
            ControlFrame::Ack => (13, false),
            ControlFrame::CfEnd => (14, true),
        };
        out.extend_from_slice(&[subtype << 4 | CONTROL, 0]);
        out.extend_from_slice(&duration_field(duration));
        out.extend_from_slice(&addresses.receiver);
        if has_transmitter {
            out.extend_from_slice(&addresses.transmitter);
        }
        match *self {
            ControlFrame::Rts | ControlFrame::Cts | ControlFrame::Ack | ControlFrame::CfEnd => {}
            ControlFrame::BlockAckReq { tid, start } => {
                out.extend_from_slice(&(u16::from(tid) << 12 | COMPRESSED).to_le_bytes());
                out.extend_from_slice(&sequence_control(start, 0));
            }
            ControlFrame::BlockAck { tid, start, bitmap, is_wide } => {
                out.extend_from_slice(&(u16::from(tid) << 12 | COMPRESSED).to_le_bytes());
                out.extend_from_slice(&sequence_control(start, if is_wide { BITMAP_OF_256 } else { 0 }));
                let words = if is_wide { &bitmap[..] } else { &bitmap[..1] };
                words.iter().for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
            }
        }
    }
}

impl DataHeader {
    /// Appends the header to `out`; the frame body follows it.
    pub fn write(&self, out: &mut Vec<u8>) {
        let qos = if self.tid.is_some() { QOS } else { 0 };
        let more_fragments = if self.more_fragments { MORE_FRAGMENTS } else { 0 };
        let retry = if self.retry { RETRY } else { 0 };
        out.extend_from_slice(&[qos | DATA, more_fragments | retry]);
        out.extend_from_slice(&duration_field(self.duration));
        out.extend_from_slice(&self.addresses.receiver);
        out.extend_from_slice(&self.addresses.transmitter);
        out.extend_from_slice(&self.bssid);
        out.extend_from_slice(&sequence_control(self.sequence, self.fragment.into()));
        if let Some(tid) = self.tid {
            // Ack Policy 0: Ack, or BlockAck in response to an A-MPDU (§9.2.4.5.4).
            let amsdu = if self.is_amsdu { AMSDU_PRESENT } else { 0 };
            out.extend_from_slice(&(u16::from(tid) | amsdu).to_le_bytes());
        }
    }
}

/// Returns the traffic identifier (TID) of an access category: one of the category's user priorities (IEEE
/// 802.11-2020 Table 10-1).
pub const fn tid(category: AccessCategory) -> u8 {
    match category {
        AccessCategory::Be => 0,
        AccessCategory::Bk => 1,
        AccessCategory::Vi => 5,
        AccessCategory::Vo => 6,
    }
}

/// Returns the Duration field in microseconds, rounded up (IEEE 802.11-2020 §9.2.5.1).
fn duration_field(duration: Span) -> [u8; 2] {
    (duration.nanos().div_ceil(1000).min(MAX_DURATION) as u16).to_le_bytes()
}

/// Returns the Sequence Control field, or the Block Ack Starting Sequence Control field.
fn sequence_control(sequence: u64, fragment: u16) -> [u8; 2] {
    ((sequence as u16) << 4 | fragment & 0xF).to_le_bytes()
}
