//! States of an endpoint while its connection closes.

use crate::{Receiver, Sender};

/// State of an endpoint of an open or closing connection (RFC 9293 §3.3.2), derived from the states of sender
/// and receiver.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Neither endpoint has sent a FIN.
    Established,
    /// FIN sent but not acknowledged; no FIN received.
    FinWait1,
    /// FIN acknowledged; no FIN received.
    FinWait2,
    /// FIN received before this endpoint's own FIN was acknowledged (simultaneous close).
    Closing,
    /// Both FINs are acknowledged, and this endpoint closed first or at the same time. The endpoint waits
    /// until old segments have left the network (RFC 9293 §3.6.1).
    TimeWait,
    /// FIN received; no FIN sent.
    CloseWait,
    /// FIN sent after the peer's FIN, but not yet acknowledged.
    LastAck,
    /// Both FINs are acknowledged, and the peer closed first.
    Closed,
}

impl ConnectionState {
    /// Computes the state of an endpoint from the sender and the receiver. `is_first` is true if the local
    /// application closed before the peer's FIN arrived.
    pub fn from_endpoint(sender: &Sender, receiver: &Receiver, is_first: bool) -> Self {
        let own = sender.is_closed().then(|| sender.is_fin_acknowledged());
        match (own, receiver.has_ended(), is_first) {
            (None, false, _) => Self::Established,
            (Some(false), false, _) => Self::FinWait1,
            (Some(true), false, _) => Self::FinWait2,
            (Some(false), true, true) => Self::Closing,
            (Some(true), true, true) => Self::TimeWait,
            (None, true, _) => Self::CloseWait,
            (Some(false), true, false) => Self::LastAck,
            (Some(true), true, false) => Self::Closed,
        }
    }
}
