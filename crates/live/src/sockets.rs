//! What the kernel of a real host says of its TCP connections (TCP_INFO of tcp(7)), sampled.

use airhop_base::{NodeId, Time};
use std::net::SocketAddr;

/// The state of a connection's sender.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SocketInfo {
    /// The sender's address and port.
    pub local: SocketAddr,
    /// Those of its peer.
    pub peer: SocketAddr,
    /// The name of its congestion control.
    pub control: String,
    /// `TCP_CA_Open` 0, `TCP_CA_Disorder` 1, `TCP_CA_CWR` 2, `TCP_CA_Recovery` 3, `TCP_CA_Loss` 4.
    pub ca_state: u8,
    /// Congestion window, segments.
    pub cwnd: u32,
    /// Slow start threshold, segments; `None` if there was no loss yet.
    pub ssthresh: Option<u32>,
    /// Smoothed round-trip time, microseconds.
    pub srtt_us: u32,
    /// Segments that were sent again, all in all.
    pub retransmits: u32,
}

impl SocketInfo {
    /// The name of the flow of its data in a run document.
    pub fn flow(&self) -> String {
        format!("tcp {} > {}", self.local, self.peer)
    }
}

/// A sample.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Sampled {
    /// When the kernel was asked.
    pub at: Time,
    /// At which node.
    pub node: NodeId,
    /// What it said.
    pub info: SocketInfo,
}
