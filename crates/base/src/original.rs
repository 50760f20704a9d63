//! Bytes of a real IP datagram on its way through simulated links, and at its departure.

use crate::{NodeId, Time};
use std::fmt;
use std::sync::Arc;

/// Datagram as a real host sent it: all of it, or the kept prefix ([`crate::Packet::bytes`] is its whole length). Copies of a packet share
/// it; the network's changes of its headers are written at its departure.
#[derive(Clone, PartialEq, Eq)]
pub struct Original {
    datagram: Arc<[u8]>,
    option_bytes: u8,
}

impl Original {
    /// Creates the datagram, with the bytes of options in its TCP header; zero for other protocols.
    pub fn new(datagram: Arc<[u8]>, option_bytes: u8) -> Self {
        Original { datagram, option_bytes }
    }

    /// Returns the bytes, from the IP header on.
    pub fn datagram(&self) -> &Arc<[u8]> {
        &self.datagram
    }

    /// Returns the bytes of TCP options, padding included.
    pub fn option_bytes(&self) -> u32 {
        self.option_bytes.into()
    }
}

impl fmt::Debug for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} real bytes", self.datagram.len())
    }
}

/// Datagram that has reached the node in front of its destination host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Time at which it left the network.
    pub at: Time,
    /// Node by which it left.
    pub node: NodeId,
    /// Bytes of the datagram, as many as had entered.
    pub datagram: Arc<[u8]>,
}
