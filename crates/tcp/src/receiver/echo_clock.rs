//! Timestamp that a receiver's ACKs echo (RFC 7323 §4.3).

/// State of the Timestamps option.
#[derive(Debug)]
pub(super) struct TimestampEcho {
    /// TS.Recent; `None` until a SYN or a segment in order has arrived.
    recent: Option<u32>,
    /// Timestamp of the first segment that arrived; `None` before. Without a handshake, this segment replaces
    /// the SYN, whose timestamp initialises TS.Recent (RFC 7323 appendix D).
    first: Option<u32>,
    /// Last.ACK.sent.
    last_ack: u64,
}

impl TimestampEcho {
    /// Creates the state of a receiver that expects sequence number `expected`.
    pub fn new(expected: u64) -> Self {
        TimestampEcho { recent: None, first: None, last_ack: expected }
    }

    /// Records the timestamp of a segment. The timestamp becomes TS.Recent if it is not older and if the
    /// segment begins at or below the last acknowledgement sent (RFC 7323 §4.3 (2)). A delayed ACK or a hole
    /// therefore never shortens an RTT sample.
    pub fn on_segment(&mut self, seq: u64, value: u32) {
        self.first.get_or_insert(value);
        let is_newer = self.recent.is_none_or(|recent| value.wrapping_sub(recent) < 1 << 31);
        if seq <= self.last_ack && is_newer {
            self.recent = Some(value);
        }
    }

    /// Records an acknowledgement number that the receiver sent.
    pub fn on_ack(&mut self, ack: u64) {
        self.last_ack = ack;
    }

    /// Returns the timestamp that the next ACK echoes; 0 if no segment has arrived.
    pub fn timestamp_to_echo(&self) -> u32 {
        self.recent.or(self.first).unwrap_or(0)
    }
}
