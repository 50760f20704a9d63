//! Explicit notifications from the network to a TCP sender.

use crate::{NodeId, Span, TCP_IP_HEADER_BYTES, Time};

/// Explicit notification from the network to a TCP sender.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Notice {
    /// Kind of the notice.
    pub kind: NoticeKind,
    /// First byte of the segment that the notice names.
    pub seq: u64,
    /// Length of the segment in bytes.
    pub len: u32,
    /// Bitmap of further segments of the same length. Bit i is the segment that starts i + 1 lengths after
    /// the first. Only ERSN, ELN and NAK notices about the MPDUs of one PPDU set bits. The bitmap is an
    /// extension by Airhop: the notices in the papers name one segment.
    pub further_segments: u64,
    /// Expected additional delay; only in an RTTN (Kounavis 1996).
    pub additional_delay: Span,
    /// Node that created the notice, or the flow's receiver if the notice has the form of an ACK.
    pub origin: NodeId,
    /// Creation time, for measurements only; not on the wire.
    pub created: Time,
}

impl Notice {
    /// Creates a notice about the segment `[seq, end)`. The sender of the notice sets `origin` and `created`.
    pub const fn with_segment(kind: NoticeKind, seq: u64, end: u64) -> Self {
        let len = end.saturating_sub(seq);
        let len = if len > u32::MAX as u64 { u32::MAX } else { len as u32 };
        Notice {
            kind,
            seq,
            len,
            further_segments: 0,
            additional_delay: Span::ZERO,
            origin: NodeId::BROADCAST,
            created: Time::ZERO,
        }
    }

    /// Returns the first byte after the segment, or after the first of several segments.
    pub const fn end(&self) -> u64 {
        self.seq.saturating_add(self.len as u64)
    }

    /// Returns the length of the notice's IP datagram in bytes: a pure ACK plus an option, if any. The option
    /// takes 12 bytes for a NAK or for several segments, and 20 bytes for a NAK about several segments.
    pub const fn datagram_bytes(&self) -> u32 {
        match (self.kind, self.further_segments) {
            (NoticeKind::Nak, 0) => TCP_IP_HEADER_BYTES + 12,
            (NoticeKind::Nak, _) => TCP_IP_HEADER_BYTES + 20,
            (_, 0) => TCP_IP_HEADER_BYTES,
            (_, _) => TCP_IP_HEADER_BYTES + 12,
        }
    }

    /// Adds the segment of a notice about one segment. Returns false and changes nothing if one notice cannot
    /// name both segments. The notices may differ only in the segment. The segments must have equal lengths,
    /// and the added segment must start 1 to 64 whole lengths after the first.
    pub fn try_merge(&mut self, other: &Notice) -> bool {
        let (len, behind) = (u64::from(self.len), other.seq.saturating_sub(self.seq));
        let is_alike = Notice { seq: self.seq, ..*other } == Notice { further_segments: 0, ..*self };
        if !self.kind.is_segment_specific()
            || !is_alike
            || len == 0
            || behind == 0
            || !behind.is_multiple_of(len)
        {
            return false;
        }
        let place = behind / len - 1;
        self.further_segments |= if place < 64 { 1 << place } else { 0 };
        place < 64
    }

    /// Returns a notice for each named segment, in the order of sequence numbers.
    pub fn split_by_segment(self) -> impl Iterator<Item = Notice> {
        let further = (0..64).filter(move |place| self.further_segments >> place & 1 == 1);
        let behind = further.map(move |place| u64::from(self.len) * (place + 1));
        let seqs = std::iter::once(0).chain(behind).map(move |behind| self.seq.saturating_add(behind));
        seqs.map(move |seq| Notice { seq, further_segments: 0, ..self })
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
        NoticeKind::ALL.iter().position(|&kind| kind == self).expect("ALL contains every kind")
    }

    /// True if the notice is void once the named segment has arrived. EBSN and RTTN concern the link, not the
    /// segment (Kounavis 1996 §3, §4).
    pub const fn is_segment_specific(self) -> bool {
        matches!(self, NoticeKind::Eln | NoticeKind::Ersn | NoticeKind::Nak)
    }

    /// Returns the name used in results and traces.
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

#[cfg(test)]
mod tests {
    use super::*;

    fn eln(seq: u64, end: u64) -> Notice {
        Notice::with_segment(NoticeKind::Eln, seq, end)
    }

    /// A notice is about exactly the segments that were added.
    #[test]
    fn a_notice_names_exactly_the_segments_added_to_it() {
        let mut notice = eln(1001, 2001);
        assert_eq!((notice.datagram_bytes(), notice.split_by_segment().count()), (40, 1));
        let more = [2001, 5001, 65_001];
        assert!(more.iter().all(|seq| notice.try_merge(&eln(*seq, seq + 1000))));
        let of = [1001, 2001, 5001, 65_001].map(|seq| eln(seq, seq + 1000));
        assert_eq!(notice.split_by_segment().collect::<Vec<_>>(), of);
        assert_eq!(notice.datagram_bytes(), 52);
        let nak = Notice { kind: NoticeKind::Nak, ..notice };
        assert_eq!((nak.datagram_bytes(), Notice { further_segments: 0, ..nak }.datagram_bytes()), (60, 52));
    }

    #[test]
    fn incompatible_notices_are_not_merged() {
        let notice = eln(1001, 2001);
        let others = [
            eln(1001, 2001),     // the same
            eln(1, 1001),        // before it
            eln(2001, 2501),     // shorter
            eln(2501, 3501),     // between two places
            eln(66_001, 67_001), // beyond the bitmap
            Notice::with_segment(NoticeKind::Ersn, 2001, 3001),
            Notice { origin: NodeId(3), ..eln(2001, 3001) },
            Notice { further_segments: 1, ..eln(2001, 3001) },
        ];
        for other in others {
            let mut both = notice;
            assert!(!both.try_merge(&other), "{other:?}");
            assert_eq!(both, notice);
        }
        let mut empty = eln(1, 1);
        assert!(!empty.try_merge(&eln(2, 2)));
        let mut of_link = Notice::with_segment(NoticeKind::Ebsn, 1, 1001);
        assert!(!of_link.try_merge(&Notice::with_segment(NoticeKind::Ebsn, 1001, 2001)));
    }
}
