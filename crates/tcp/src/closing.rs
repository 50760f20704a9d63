//! States of an end while a connection closes.

use crate::{Receiver, Sender};

/// State of an end of an open or closing connection (RFC 9293 §3.3.2), as its sender and receiver show.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ConnectionState {
    /// Neither side is closed.
    Established,
    /// The FIN of this side, the first, is not acknowledged.
    FinWait1,
    /// The FIN of this side is acknowledged; the peer's side is open.
    FinWait2,
    /// Both sides were closed at once, and the FIN of this one is not acknowledged.
    Closing,
    /// Old segments are waited out by this side, the first to close (RFC 9293 §3.6.1).
    TimeWait,
    /// The peer has closed its side, and this one is open.
    CloseWait,
    /// The FIN of this side, after the peer's, is not acknowledged.
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
