//! Jersey's echo of ECN marks: ECE on one ACK per mark, independently of CWR (Xu, Tian and Ansari 2004).

use super::MarkEcho;
use airhop_base::{Ecn, Flags};

#[derive(Debug, Default)]
pub(super) struct EachMark {
    /// True if a mark arrived since the last ACK.
    is_due: bool,
}

impl MarkEcho for EachMark {
    fn on_data(&mut self, ecn: Ecn, _cwr: bool) -> bool {
        let is_new = ecn == Ecn::Ce && !self.is_due;
        self.is_due |= is_new;
        is_new
    }

    fn set_echo_flags(&mut self, flags: Flags) -> Flags {
        Flags { ece: std::mem::take(&mut self.is_due), ..flags }
    }
}
