//! Numbers of connections that an application opens and closes.

/// Connections of an application.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ConnectionCounts {
    /// Number of connections opened.
    pub opened: u64,
    /// Number of connections that both sides closed, with both FINs acknowledged.
    pub closed: u64,
    /// Number of endpoints in TIME-WAIT at the end of the run. A new connection on the same ports ends the
    /// TIME-WAIT (RFC 1122 §4.2.2.13).
    pub time_wait: u64,
}

impl ConnectionCounts {
    /// Keys in the run document, each with the name of its count.
    pub(super) const KEYS: [(&'static str, &'static str); 3] = [
        ("opened", "Connections opened"),
        ("closed", "Connections closed"),
        ("time_wait", "Connections in TIME-WAIT"),
    ];

    /// Returns the counts, in the order of the keys.
    pub(super) fn counts(&self) -> [u64; 3] {
        [self.opened, self.closed, self.time_wait]
    }

    /// Subtracts the counts of `earlier`. The number in TIME-WAIT remains the value at the end of the run.
    pub(super) fn leave_out(&mut self, earlier: &ConnectionCounts) {
        self.opened -= earlier.opened;
        self.closed -= earlier.closed;
    }
}
