//! Explicit notifications from the network to a TCP sender.

use crate::{HEADER_BYTES, NodeId, Span, Time};

/// Explicit notification from the network to a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice {
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// First byte of the segment that the notice is about.
    pub seq: u64,
    /// First byte after that segment.
    pub end: u64,
    /// Expected extra delay; only RTTN carries one (Kounavis 1996).
    pub delay: Span,
    /// Source of its packet: the node that made it, or, of a notice in the form of an ACK, the receiver of the flow.
    pub origin: NodeId,
    /// Time of its making. An observer's knowledge, not on the wire.
    pub made: Time,
}

impl Notice {
    /// Creates a notice about the segment `[seq, end)`; its sender fills in `origin` and `made`.
    pub const fn about(kind: NoticeKind, seq: u64, end: u64) -> Self {
        Notice { kind, seq, end, delay: Span::ZERO, origin: NodeId::BROADCAST, made: Time::ZERO }
    }

    /// Returns the length of the IP datagram that carries it, bytes: that of a pure ACK, and for a NAK an option of 12.
    pub const fn bytes(&self) -> u32 {
        match self.kind {
            NoticeKind::Nak => HEADER_BYTES + 12,
            _ => HEADER_BYTES,
        }
    }
}

/// Kinds of explicit notification.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum NoticeKind {
    /// Explicit Retransmission Start Notification: the link layer began to retransmit this segment (Yun 2009, §3.1).
    Ersn,
    /// Explicit Loss Notification: the link layer discarded this segment (Yun 2009, §3.1).
    Eln,
    /// Explicit Bad State Notification (Bakshi et al. 1997; Kounavis 1996).
    Ebsn,
    /// Round Trip Time Notification (Kounavis 1996).
    Rttn,
    /// Negative acknowledgement of a segment that a MAC dropped (Cheng & Lin 2008).
    Nak,
}

impl NoticeKind {
    /// All kinds, in the order of the results.
    pub const ALL: [NoticeKind; 5] =
        [NoticeKind::Eln, NoticeKind::Ersn, NoticeKind::Ebsn, NoticeKind::Rttn, NoticeKind::Nak];

    /// Returns its place in [`NoticeKind::ALL`].
    pub fn index(self) -> usize {
        NoticeKind::ALL.iter().position(|&kind| kind == self).expect("ALL has every kind")
    }

    /// True if the notice is about the one segment that it names, and so void once that has arrived. EBSN and RTTN are about the link,
    /// whichever segment they quote (Kounavis 1996 §3, §4).
    pub const fn names_segment(self) -> bool {
        matches!(self, NoticeKind::Eln | NoticeKind::Ersn | NoticeKind::Nak)
    }

    /// Returns the name in results and traces.
    pub const fn name(self) -> &'static str {
        match self {
            NoticeKind::Ersn => "ersn",
            NoticeKind::Eln => "eln",
            NoticeKind::Ebsn => "ebsn",
            NoticeKind::Rttn => "rttn",
            NoticeKind::Nak => "nak",
        }
    }
}
