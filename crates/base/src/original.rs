//! Bytes of a real host's IP datagram, carried through the simulated network.

use crate::{NodeId, Time};
use std::fmt;
use std::sync::Arc;

/// Datagram as sent by a real host: the whole datagram, or a prefix. [`crate::Packet::bytes`] is the full
/// length. Copies of a packet share the bytes. Changed headers are written when the datagram leaves the
/// network.
#[derive(Clone, PartialEq, Eq)]
pub struct OriginalDatagram {
    datagram: Arc<[u8]>,
    option_bytes: u8,
}

impl OriginalDatagram {
    /// Creates the datagram. `option_bytes` is the length of the TCP options, or zero for other protocols.
    pub fn new(datagram: Arc<[u8]>, option_bytes: u8) -> Self {
        OriginalDatagram { datagram, option_bytes }
    }

    /// Returns the bytes from the IP header on.
    pub fn datagram(&self) -> &Arc<[u8]> {
        &self.datagram
    }

    /// Returns the length of the TCP options in bytes, including padding.
    pub fn option_bytes(&self) -> u32 {
        self.option_bytes.into()
    }
}

impl fmt::Debug for OriginalDatagram {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} real bytes", self.datagram.len())
    }
}

/// Datagram that has left the network towards its destination host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepartedDatagram {
    /// Time at which the datagram left the network.
    pub departed_at: Time,
    /// Node at which the datagram left.
    pub node: NodeId,
    /// Bytes of the datagram; a prefix if only a prefix entered the network.
    pub datagram: Arc<[u8]>,
}
