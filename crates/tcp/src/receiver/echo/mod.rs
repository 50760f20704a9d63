//! The echo of marks by a receiver to the sender. Each kind is a file beside this one.

mod dctcp;
mod each_mark;
mod rfc3168;

use crate::Echo;
use airhop_base::{Ecn, Segment};
use dctcp::Dctcp;
use each_mark::EachMark;
use rfc3168::Rfc3168;
use std::fmt::Debug;

/// The echo of a connection that agreed on ECN. Accurate ECN (RFC 9768) would be one more.
pub(super) trait MarkEcho: Debug + Send {
    /// True if a data segment with this codepoint ends a run: the data before it needs an ACK of its own, sent before
    /// [`MarkEcho::on_data`].
    fn ends_run(&self, _ecn: Ecn) -> bool {
        false
    }

    /// A data segment arrived. Returns true if the echo changed, so that an ACK is due at once.
    fn on_data(&mut self, ecn: Ecn, cwr: bool) -> bool;

    /// Writes the echo into the header of an ACK that is about to be sent.
    fn fill(&mut self, ack: &mut Segment);
}

/// Returns the echo of this kind, before any mark.
pub(super) fn build(kind: Echo) -> Box<dyn MarkEcho> {
    match kind {
        Echo::AsConfigured => Box::new(Rfc3168::default()),
        Echo::EachMark => Box::new(EachMark::default()),
        Echo::EachByte => Box::new(Dctcp::default()),
    }
}
