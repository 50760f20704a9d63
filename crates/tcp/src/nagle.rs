//! Nagle's algorithm: a partial segment waits until data is acknowledged.

use crate::{Config, Preset};

/// Rule for sending a partial segment: the last data of the application, if shorter than the MSS (RFC 9293
/// §3.7.4, RFC 1122 §4.2.3.4).
#[derive(Clone, Copy, Debug)]
pub(crate) struct Nagle {
    /// True if partial segments wait. With TCP_NODELAY (false), partial segments are sent at once.
    pub is_enabled: bool,
    awaited: NagleVariant,
    /// First byte after the last partial segment; zero before the first partial segment.
    small_end: u64,
}

#[derive(Clone, Copy, Debug)]
enum NagleVariant {
    /// A partial segment waits until all outstanding data is acknowledged. RFC 9293 §3.7.4: "If there is
    /// unacknowledged data …, then the sending TCP endpoint buffers all user data …, until the outstanding
    /// data have been acknowledged or until the TCP endpoint can send a full-sized segment".
    Outstanding,
    /// A partial segment waits until the previous partial segment is acknowledged: Minshall's variant, as in
    /// Linux (tcp_nagle_check(), tcp_minshall_check()).
    Small,
}

impl Nagle {
    /// Creates Nagle's algorithm in the variant of the connection's stack. `c.nagle` enables the algorithm.
    pub fn new(c: &Config) -> Self {
        let awaited = match c.stack {
            Preset::Linux => NagleVariant::Small,
            Preset::Rfc | Preset::Ns2 => NagleVariant::Outstanding,
        };
        Nagle { is_enabled: c.nagle, awaited, small_end: 0 }
    }

    /// True if a partial segment of new data must wait. `una` is the lowest unacknowledged byte, and
    /// `max_sent` the first byte never sent.
    pub fn is_partial_segment_held(self, una: u64, max_sent: u64) -> bool {
        let awaited = match self.awaited {
            NagleVariant::Outstanding => max_sent,
            NagleVariant::Small => self.small_end,
        };
        self.is_enabled && una < awaited
    }

    /// Records the transmission of a partial segment of new data. `end` is the first byte after the segment.
    pub fn on_partial_segment(&mut self, end: u64) {
        self.small_end = end;
    }
}
