use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Period after an ELN in which duplicate ACKs for the named segment are ignored.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DuplicateIgnorePeriod {
    /// One smoothed RTT. In this time, the duplicate ACKs for segments sent before the retransmission arrive.
    OneRtt,
    /// Until the segment is acknowledged or the retransmission timer expires.
    UntilRto,
}

/// Reaction to an ELN: the sender retransmits the named segment and ignores duplicate ACKs for segments sent
/// before the retransmission (HACK-fixed of Yun 2009, reconstructed).
#[derive(Clone, Debug)]
pub struct IgnoreDuplicatesAfterEln {
    lasts: DuplicateIgnorePeriod,
    /// Unacknowledged segments named by an ELN: first byte, and time of the last retransmission.
    answered: Vec<(u64, Time)>,
}

impl IgnoreDuplicatesAfterEln {
    /// Creates the policy. Duplicate ACKs are ignored for the period `lasts`.
    pub fn new(lasts: DuplicateIgnorePeriod) -> Self {
        IgnoreDuplicatesAfterEln { lasts, answered: Vec::new() }
    }
}

impl NoticePolicy for IgnoreDuplicatesAfterEln {
    fn on_notice(&mut self, now: Time, notice: &Notice, s: &SenderState) -> NoticeReaction {
        if notice.kind != NoticeKind::Eln {
            return NoticeReaction::Ignore;
        }
        self.answered.retain(|&(seq, _)| seq >= s.una && seq != notice.seq);
        self.answered.push((notice.seq, now));
        NoticeReaction::Retransmit
    }

    fn explains_duplicate(&self, now: Time, s: &SenderState) -> bool {
        self.answered.iter().any(|&(seq, at)| {
            let is_young =
                self.lasts == DuplicateIgnorePeriod::UntilRto || s.srtt.is_none_or(|srtt| now - at <= srtt);
            seq == s.una && is_young
        })
    }

    fn on_timeout(&mut self) {
        self.answered.clear();
    }
}
