//! Explicit notifications from the network to a TCP sender.

use crate::{HEADER_BYTES, NodeId, Span, Time};

/// Explicit notification from the network to a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice {
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// First byte of the segment concerned.
    pub seq: u64,
    /// First byte after that segment.
    pub end: u64,
    /// Expected additional delay; only in an RTTN (Kounavis 1996).
    pub delay: Span,
    /// Source of the notice's packet: the node that created the notice, or the receiver of the flow if the
    /// notice has the form of an ACK.
    pub origin: NodeId,
    /// Creation time, known only to an observer and not on the wire.
    pub made: Time,
}

impl Notice {
    /// Creates a notice about the segment `[seq, end)`; its sender sets `origin` and `made`.
    pub const fn about(kind: NoticeKind, seq: u64, end: u64) -> Self {
        Notice { kind, seq, end, delay: Span::ZERO, origin: NodeId::BROADCAST, made: Time::ZERO }
    }

    /// Returns the length of the notice's IP datagram, bytes: that of a pure ACK; a NAK has an option of 12
    /// bytes in addition.
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

    /// Returns the index of the kind in [`NoticeKind::ALL`].
    pub fn index(self) -> usize {
        NoticeKind::ALL.iter().position(|&kind| kind == self).expect("ALL has every kind")
    }

    /// True if the notice concerns only the segment that it names, and is void after its arrival. EBSN and
    /// RTTN concern the link, whichever segment they quote (Kounavis 1996 §3, §4).
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
