//! Echoes of ECN marks by a receiver to the sender. Each kind has a separate file.

mod dctcp;
mod each_mark;
mod rfc3168;

use crate::EchoMode;
use airhop_base::{Ecn, Flags};
use dctcp::Dctcp;
use each_mark::EachMark;
use rfc3168::Rfc3168;
use std::fmt::Debug;

/// Echo of ECN marks on a connection that uses ECN. Accurate ECN (RFC 9768) is not implemented.
pub(super) trait MarkEcho: Debug + Send {
    /// True if a data segment with this codepoint ends a run of segments with equal codepoints. The run then
    /// needs a separate ACK, sent before [`MarkEcho::on_data`].
    fn is_codepoint_change(&self, _ecn: Ecn) -> bool {
        false
    }

    /// Processes an arriving data segment. Returns true if the echo changed, so that an ACK is due at once.
    fn on_data(&mut self, ecn: Ecn, cwr: bool) -> bool;

    /// Adds the echo to the flags of the next ACK.
    fn set_echo_flags(&mut self, flags: Flags) -> Flags;
}

/// Creates the echo of this kind.
pub(super) fn build(kind: EchoMode) -> Box<dyn MarkEcho> {
    match kind {
        EchoMode::AsConfigured => Box::new(Rfc3168::default()),
        EchoMode::EachMark => Box::new(EachMark::default()),
        EchoMode::EachByte => Box::new(Dctcp::default()),
    }
}
