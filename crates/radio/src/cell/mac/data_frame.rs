//! Data frame on the air.

use airhop_base::Span;

/// Data frame, as it goes on the air.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataFrame {
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Header bytes at the start.
    pub header: u32,
    /// Time on the air.
    pub airtime: Span,
}
