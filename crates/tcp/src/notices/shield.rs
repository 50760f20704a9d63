use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Time for which an ELN explains the duplicate ACKs for its segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// One smoothed round-trip time: what was sent before the retransmission has caused its duplicates by then.
    OneRtt,
    /// Until the segment is acknowledged or the retransmission timer expires.
    UntilRto,
}

/// Answers every ELN, and takes the duplicate ACKs that follow for what they are: caused by segments that were sent before the
/// retransmission. So they count for nothing (Yun 2009's HACK-fixed, reconstructed).
#[derive(Clone, Debug)]
pub struct Shield {
    lasts: Lasts,
    /// First byte and time of the last retransmission of each segment that an ELN named and that is not acknowledged.
    answered: Vec<(u64, Time)>,
}

impl Shield {
    /// A shield that lasts so long.
    pub fn new(lasts: Lasts) -> Self {
        Shield { lasts, answered: Vec::new() }
    }
}

impl NoticePolicy for Shield {
    fn on_notice(&mut self, now: Time, notice: &Notice, s: &SenderState) -> Reaction {
        if notice.kind != NoticeKind::Eln {
            return Reaction::Ignore;
        }
        self.answered.retain(|&(seq, _)| seq >= s.una && seq != notice.seq);
        self.answered.push((notice.seq, now));
        Reaction::Retransmit
    }

    fn explains(&self, now: Time, s: &SenderState) -> bool {
        self.answered.iter().any(|&(seq, at)| {
            let is_young = self.lasts == Lasts::UntilRto || s.srtt.is_none_or(|srtt| now - at <= srtt);
            seq == s.una && is_young
        })
    }

    fn on_timeout(&mut self) {
        self.answered.clear();
    }
}
