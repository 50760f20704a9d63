//! Data frame to be transmitted.

use airhop_base::Span;

/// Lengths and airtime of a data frame to be transmitted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct DataFrame {
    /// Length of the MAC frame, bytes.
    pub bytes: u32,
    /// Length of the headers at the start of the frame, bytes.
    pub header_bytes: u32,
    /// Airtime of the frame.
    pub airtime: Span,
}
