//! Bytes of a real IP datagram, carried through simulated links until its departure.

use crate::{NodeId, Time};
use std::fmt;
use std::sync::Arc;

/// Datagram as sent by a real host: all bytes, or a prefix ([`crate::Packet::bytes`] is the full length).
/// Copies of a packet share the bytes; the network's changes to the headers are written at the departure.
#[derive(Clone, PartialEq, Eq)]
pub struct Original {
    datagram: Arc<[u8]>,
    option_bytes: u8,
}

impl Original {
    /// Creates the datagram; `option_bytes`: length of the options in its TCP header, zero for other
    /// protocols.
    pub fn new(datagram: Arc<[u8]>, option_bytes: u8) -> Self {
        Original { datagram, option_bytes }
    }

    /// Returns the bytes from the IP header on.
    pub fn datagram(&self) -> &Arc<[u8]> {
        &self.datagram
    }

    /// Returns the length of the TCP options, including padding, bytes.
    pub fn option_bytes(&self) -> u32 {
        self.option_bytes.into()
    }
}

impl fmt::Debug for Original {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} real bytes", self.datagram.len())
    }
}

/// Datagram that has left the network towards its destination host.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Departure {
    /// Time at which the datagram left the network.
    pub at: Time,
    /// Node at which the datagram left.
    pub node: NodeId,
    /// Bytes of the datagram, as many as had entered.
    pub datagram: Arc<[u8]>,
}
