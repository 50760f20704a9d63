//! DCTCP's echo of ECN marks: ECE only on ACKs of marked bytes, independently of CWR (RFC 8257 §3.2).

use super::MarkEcho;
use airhop_base::{Ecn, Flags};

#[derive(Debug, Default)]
pub(super) struct Dctcp {
    /// DCTCP.CE: true if the last segment was marked.
    is_marked: bool,
}

impl MarkEcho for Dctcp {
    /// True if DCTCP.CE changes: "Send an immediate ACK" with the old value. The ACKs thus report each byte
    /// as marked or unmarked.
    fn ends_run(&self, ecn: Ecn) -> bool {
        (ecn == Ecn::Ce) != self.is_marked
    }

    fn on_data(&mut self, ecn: Ecn, _cwr: bool) -> bool {
        let ends_run = self.ends_run(ecn);
        self.is_marked ^= ends_run;
        ends_run
    }

    fn fill(&mut self, flags: Flags) -> Flags {
        Flags { ece: self.is_marked, ..flags }
    }
}
