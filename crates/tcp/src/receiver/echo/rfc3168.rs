//! ECE on every ACK from the first mark until the sender's CWR (RFC 3168 §6.1.3).

use super::MarkEcho;
use airhop_base::{Ecn, Flags};

#[derive(Debug, Default)]
pub(super) struct Rfc3168 {
    /// True from a mark until the next CWR.
    echoes: bool,
}

impl MarkEcho for Rfc3168 {
    /// Starts the echo at a mark and ends it at CWR. A segment with both restarts the echo.
    fn on_data(&mut self, ecn: Ecn, cwr: bool) -> bool {
        let echoes = (self.echoes && !cwr) || ecn == Ecn::Ce;
        std::mem::replace(&mut self.echoes, echoes) != echoes
    }

    fn set_echo_flags(&mut self, flags: Flags) -> Flags {
        Flags { ece: self.echoes, ..flags }
    }
}
