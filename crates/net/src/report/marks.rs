//! ECN counts (RFC 3168) of a flow.

/// ECN counts of a flow.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EcnCounts {
    /// Number of data segments (or datagrams) that the sender sent with ECT(0).
    pub ect0: u64,
    /// Number of data segments (or datagrams) that the sender sent with ECT(1).
    pub ect1: u64,
    /// Number of packets of the flow, including ACKs, that queues marked CE.
    pub ce: u64,
    /// Number of ACKs with ECE that reached the sender, without SYN-ACKs.
    pub ece: u64,
}

impl EcnCounts {
    /// Keys in the run document, each with the name of its count.
    pub(super) const KEYS: [(&'static str, &'static str); 4] = [
        ("ect0", "Segments sent with ECT(0)"),
        ("ect1", "Segments sent with ECT(1)"),
        ("ce", "Packets marked CE"),
        ("ece", "ACKs with ECE"),
    ];

    /// Returns the counts, in the order of the keys.
    pub(super) fn counts(&self) -> [u64; 4] {
        [self.ect0, self.ect1, self.ce, self.ece]
    }

    /// Subtracts the counts of `earlier`.
    pub(super) fn leave_out(&mut self, earlier: &EcnCounts) {
        self.ect0 -= earlier.ect0;
        self.ect1 -= earlier.ect1;
        self.ce -= earlier.ce;
        self.ece -= earlier.ece;
    }
}
