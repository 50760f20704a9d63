//! `struct __sk_buff`: a packet as seen by a tc program.

use crate::memory::{AddressSpace, READ, WRITE};

/// Size of the structure in bytes.
const SK_BUFF_BYTES: usize = 192;
/// Offset of the member `len` in bytes (the kernel's user-space interface, linux/bpf.h).
const LEN_OFFSET: usize = 0;
const MARK_OFFSET: usize = 8;
const PROTOCOL_OFFSET: usize = 16;
const PRIORITY_OFFSET: usize = 32;
const TC_INDEX_OFFSET: usize = 44;
const CB_OFFSET: usize = 48;
const TC_CLASSID_OFFSET: usize = 72;
const DATA_OFFSET: usize = 76;
const DATA_END_OFFSET: usize = 80;

/// Verdict on a packet.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// `TC_ACT_OK` or an equivalent: the packet is passed on.
    Pass,
    /// `TC_ACT_SHOT` or an equivalent: the packet is dropped.
    Drop,
}

impl Verdict {
    /// Converts a program's result to a verdict. The error is the number of an action that Airhop does not
    /// simulate (redirection).
    pub(crate) fn from_action(action: i32) -> Result<Verdict, i32> {
        match action {
            -1 | 0 | 1 | 3 => Ok(Verdict::Pass), // TC_ACT_UNSPEC, OK, RECLASSIFY, PIPE
            2 | 4 | 5 | 8 => Ok(Verdict::Drop),  // TC_ACT_SHOT, STOLEN, QUEUED, TRAP
            other => Err(other),
        }
    }
}

/// `struct __sk_buff`, and the packet bytes that a program can read and write.
#[derive(Clone, Debug)]
pub(crate) struct SocketBuffer {
    pub bytes: [u8; SK_BUFF_BYTES],
    pub rights: [u8; SK_BUFF_BYTES],
}

impl SocketBuffer {
    /// Creates a buffer without a packet.
    pub(crate) fn new() -> SocketBuffer {
        let mut rights = [0; SK_BUFF_BYTES];
        for offset in [LEN_OFFSET, PROTOCOL_OFFSET, DATA_OFFSET, DATA_END_OFFSET] {
            rights[offset..offset + 4].fill(READ);
        }
        for (offset, words) in [
            (MARK_OFFSET, 1),
            (PRIORITY_OFFSET, 1),
            (TC_INDEX_OFFSET, 1),
            (CB_OFFSET, 5),
            (TC_CLASSID_OFFSET, 1),
        ] {
            rights[offset..offset + 4 * words].fill(READ | WRITE);
        }
        SocketBuffer { bytes: [0; SK_BUFF_BYTES], rights }
    }

    /// Sets the packet. `packet` begins with the IP header, as on a TUN device.
    pub(crate) fn set_packet(&mut self, packet: &[u8]) {
        let ethertype: u16 = if packet.first().is_some_and(|byte| byte >> 4 == 6) { 0x86dd } else { 0x0800 };
        let length = packet.len() as u32;
        self.bytes.fill(0);
        let mut set =
            |offset: usize, value: u32| self.bytes[offset..offset + 4].copy_from_slice(&value.to_le_bytes());
        set(LEN_OFFSET, length);
        set(PROTOCOL_OFFSET, ethertype.to_be().into());
        set(DATA_OFFSET, AddressSpace::Packet.address(0) as u32);
        set(DATA_END_OFFSET, AddressSpace::Packet.address(length) as u32);
    }
}
