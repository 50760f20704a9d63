//! The bytes of a real IP datagram on its way through simulated links, and as it leaves them.

use crate::{NodeId, Time};
use std::fmt;
use std::sync::Arc;

/// A datagram as a real host sent it: all of it, or as much of its beginning as was kept ([`crate::Packet::bytes`] is its whole length).
/// Copies of a packet share it; what the network changes in its headers is written when it leaves.
#[derive(Clone, PartialEq, Eq)]
pub struct Original {
    datagram: Arc<[u8]>,
    option_bytes: u8,
}

impl Original {
    /// A datagram whose TCP header has so many bytes of options; zero for other protocols.
    pub fn new(datagram: Arc<[u8]>, option_bytes: u8) -> Self {
        Original { datagram, option_bytes }
    }

    /// The bytes, from the IP header on.
    pub fn datagram(&self) -> &Arc<[u8]> {
        &self.datagram
    }

    /// Bytes of TCP options, padding included.
    pub fn option_bytes(&self) -> u32 {
        self.option_bytes.into()
    }
}

impl fmt::Debug for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} real bytes", self.datagram.len())
    }
}

/// A datagram that has reached the node behind which the host is that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// When it left the network.
    pub at: Time,
    /// Where.
    pub node: NodeId,
    /// The whole of it, or as much as had entered.
    pub datagram: Arc<[u8]>,
}
