use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Period after an ELN in which duplicate ACKs for the named segment are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Lasts {
    /// One smoothed RTT, in which the duplicate ACKs of segments sent before the retransmission arrive.
    OneRtt,
    /// Until the segment is acknowledged or the retransmission timer expires.
    UntilRto,
}

/// Reaction to an ELN: the sender retransmits the named segment. Duplicate ACKs caused by segments sent
/// before the retransmission are ignored (HACK-fixed of Yun 2009, reconstructed).
#[derive(Clone, Debug)]
pub struct IgnoreDuplicatesAfterEln {
    lasts: Lasts,
    /// First byte of each unacknowledged segment named by an ELN, and the time of its last retransmission.
    answered: Vec<(u64, Time)>,
}

impl IgnoreDuplicatesAfterEln {
    /// Creates the policy. `lasts`: period in which duplicate ACKs are ignored.
    pub fn new(lasts: Lasts) -> Self {
        IgnoreDuplicatesAfterEln { lasts, answered: Vec::new() }
    }
}

impl NoticePolicy for IgnoreDuplicatesAfterEln {
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
