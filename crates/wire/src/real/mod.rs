//! Datagrams of real hosts: parsing of the fields that the simulation needs, and writing of the bytes at
//! departure.
//!
//! [`crate::encode`] and [`crate::decode`] use Airhop's own addresses; real hosts have any address. [`read_headers`]
//! parses a real host's IPv4 or IPv6 datagram. A [`ObservedConnection`] converts the TCP header into an
//! [`airhop_base::Segment`] with offsets that never wrap. [`rewrite_datagram`] writes the network's changes (CE
//! marks, ELN, NAKs) into a copy of the bytes. All other fields stay unchanged: unknown options, reserved
//! bits, urgent data, valid and invalid checksums.
//!
//! [`build_notice`] builds a notice to a sender. [`complete_checksum`] and [`segment_datagram`] perform work that a host
//! leaves to its network card.
//!
//! The module does no I/O, and no input makes it panic.

mod checksum;
mod connection;
mod headers;
mod notice;
mod offload;
mod quote;
mod read;
mod verify;
mod write;

pub use connection::{ObservedConnection, StreamDirection};
pub use notice::{NoticeError, QuotedSegment, build_notice};
pub use offload::{OffloadError, complete_checksum, segment_datagram};
pub use read::{HeaderFields, ParsedSack, ParsedTcp, header_bytes, read_headers};
pub use verify::verify_checksums;
pub use write::{has_eln, read_naks, rewrite_datagram};

/// Reason why bytes are not a readable datagram.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum HeaderError {
    /// The first four bits are neither 4 (RFC 791 §3.1) nor 6 (RFC 8200 §3).
    #[error("IP version {0}, where 4 or 6 is expected: does something stand before the IP header?")]
    Version(u8),
    /// The bytes end within a header.
    #[error("{has} bytes, where the {what} goes on to byte {needs}: keep at least the headers of a datagram")]
    Cut {
        /// Name of the header.
        what: &'static str,
        /// Number of bytes needed.
        needs: usize,
        /// Number of bytes present.
        has: usize,
    },
    /// A header is inconsistent, or extends beyond the length in the IP header.
    #[error("malformed {0}: a length in it is not possible")]
    Malformed(&'static str),
}
