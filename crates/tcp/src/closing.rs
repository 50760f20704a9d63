//! States of an end while a connection closes.

use crate::{Receiver, Sender};

/// State of an end of an open or closing connection (RFC 9293 §3.3.2), as its sender and receiver show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Neither side is closed.
    Established,
    /// FIN sent, not acknowledged; the peer's side is open.
    FinWait1,
    /// FIN acknowledged; the peer's side is open.
    FinWait2,
    /// Both sides closed at once; the FIN of this one is not acknowledged.
    Closing,
    /// Wait for old segments to leave the network, at the end that closed first (RFC 9293 §3.6.1).
    TimeWait,
    /// FIN of the peer received; this side is open.
    CloseWait,
    /// FIN sent after that of the peer, not acknowledged.
    LastAck,
    /// Both sides are closed, the peer's first.
    Closed,
}

impl ConnectionState {
    /// Returns the state of the end with this sender and this receiver. `is_first`: the application closed this
    /// side before the peer's FIN arrived.
    pub fn of(sender: &Sender, receiver: &Receiver, is_first: bool) -> Self {
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
