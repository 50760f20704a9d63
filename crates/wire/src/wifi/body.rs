//! Frame body of a Data frame: an MSDU, or several MSDUs as an A-MSDU.

use super::frames::FrameAddresses;
use airhop_base::Fragment;

/// Header length of an A-MSDU subframe in bytes: DA, SA, length (IEEE 802.11-2020 §9.3.2.2.2).
const SUBFRAME_HEADER: usize = 14;
/// LLC and SNAP before the type (IEEE 802.2; RFC 1042).
const LLC_SNAP: [u8; 6] = [0xAA, 0xAA, 3, 0, 0, 0];
/// EtherTypes of IPv4 and IPv6.
const IP_TYPES: [[u8; 2]; 2] = [[0x08, 0x00], [0x86, 0xDD]];

/// Frame body, built by appending MSDUs.
#[derive(Debug, Default)]
pub struct FrameBody {
    /// A-MSDU subframes. A single MSDU is also stored as a subframe.
    subframes: Vec<u8>,
    /// Number of MSDUs.
    count: u32,
}

impl FrameBody {
    /// Removes all MSDUs.
    pub fn clear(&mut self) {
        self.subframes.clear();
        self.count = 0;
    }

    /// Appends the MSDU with an IP datagram of `length` bytes. If `datagram` is shorter, zeros follow.
    pub fn push(&mut self, addresses: &FrameAddresses, datagram: &[u8], length: usize) {
        // All subframes but the last are padded.
        self.subframes.resize(self.subframes.len().next_multiple_of(4), 0);
        let msdu = LLC_SNAP.len() + IP_TYPES[0].len() + length;
        let is_ipv6 = datagram.first().is_some_and(|first| first >> 4 == 6);
        self.subframes.extend_from_slice(&addresses.receiver);
        self.subframes.extend_from_slice(&addresses.transmitter);
        self.subframes.extend_from_slice(&(msdu as u16).to_be_bytes());
        self.subframes.extend_from_slice(&LLC_SNAP);
        self.subframes.extend_from_slice(&IP_TYPES[usize::from(is_ipv6)]);
        let end = self.subframes.len() + length;
        self.subframes.extend_from_slice(&datagram[..datagram.len().min(length)]);
        self.subframes.resize(end, 0);
        self.count += 1;
    }

    /// True if the body is an A-MSDU.
    pub fn is_amsdu(&self) -> bool {
        self.count > 1
    }

    /// Returns the bytes of the frame body that belong to this fragment.
    pub fn fragment_bytes(&self, fragment: &Fragment) -> &[u8] {
        let header = if self.is_amsdu() { 0 } else { SUBFRAME_HEADER };
        let body = self.subframes.get(header..).unwrap_or_default();
        let start = body.len().min(fragment.offset as usize);
        let end = if fragment.is_last { body.len() } else { start + fragment.bytes as usize };
        &body[start..end.min(body.len())]
    }
}
