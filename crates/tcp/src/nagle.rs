//! Nagle's algorithm: the segment that is not full waits for acknowledgements.

use crate::{Config, Preset};

/// Condition for sending a segment of less than MSS that ends the application's data (RFC 9293 §3.7.4, RFC 1122 §4.2.3.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nagle {
    /// True if such a segment waits; else it leaves at once (TCP_NODELAY).
    pub is_on: bool,
    awaited: Awaited,
    /// First byte after the last segment that was not full; zero before there is one.
    small_end: u64,
}

#[derive(Clone, Copy, Debug)]
enum Awaited {
    /// RFC 9293 §3.7.4: "If there is unacknowledged data …, then the sending TCP endpoint buffers all user data …, until the outstanding data
    /// have been acknowledged or until the TCP endpoint can send a full-sized segment".
    Outstanding,
    /// The last segment that was not full: Minshall's variant, as in Linux (tcp_nagle_check(), tcp_minshall_check()).
    Small,
}

impl Nagle {
    /// The rule of a connection's stack, and whether it is on.
    pub fn new(c: &Config) -> Self {
        let awaited = match c.stack {
            Preset::Linux => Awaited::Small,
            Preset::Rfc | Preset::Ns2 => Awaited::Outstanding,
        };
        Nagle { is_on: c.nagle, awaited, small_end: 0 }
    }

    /// True if a segment of new data that is not full waits now; `una` is the lowest byte not acknowledged, `max_sent` the first never sent.
    pub fn holds(self, una: u64, max_sent: u64) -> bool {
        let awaited = match self.awaited {
            Awaited::Outstanding => max_sent,
            Awaited::Small => self.small_end,
        };
        self.is_on && una < awaited
    }

    /// A segment of new data that is not full is sent; `end` is the first byte after it.
    pub fn on_small(&mut self, end: u64) {
        self.small_end = end;
    }
}
