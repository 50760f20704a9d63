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
    fn is_codepoint_change(&self, ecn: Ecn) -> bool {
        (ecn == Ecn::Ce) != self.is_marked
    }

    fn on_data(&mut self, ecn: Ecn, _cwr: bool) -> bool {
        let ends_run = self.is_codepoint_change(ecn);
        self.is_marked ^= ends_run;
        ends_run
    }

    fn set_echo_flags(&mut self, flags: Flags) -> Flags {
        Flags { ece: self.is_marked, ..flags }
    }
}
