//! Data frame on the air.

use airhop_base::Span;

/// Data frame to be transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataFrame {
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Length of the headers at the start, bytes.
    pub header: u32,
    /// Time on the air.
    pub airtime: Span,
}
