use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to the first ELN for a segment only. Used in networks where every duplicate ACK repeats the ELN
/// until the segment arrives. A repeated ELN looks like an ELN for a second loss, so a timeout repairs the
/// second loss (ns-2's `eln_rxmit_thresh_` of 1 and `eln_last_rxmit_`).
#[derive(Clone, Debug, Default)]
pub struct RetransmitOncePerLoss {
    /// First bytes of unacknowledged segments that were retransmitted for an ELN.
    answered: Vec<u64>,
}

impl NoticePolicy for RetransmitOncePerLoss {
    fn on_notice(&mut self, _: Time, notice: &Notice, s: &SenderState) -> NoticeReaction {
        if notice.kind != NoticeKind::Eln {
            return NoticeReaction::Ignore;
        }
        self.answered.retain(|&seq| seq >= s.una);
        if self.answered.contains(&notice.seq) {
            return NoticeReaction::Ignore;
        }
        self.answered.push(notice.seq);
        NoticeReaction::Retransmit
    }

    fn on_timeout(&mut self) {
        self.answered.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    // ns-2's eln_last_rxmit_: the sender answers another ELN for the segment only after the segment was
    // acknowledged or the timer expired.
    #[test]
    fn a_repeated_eln_retransmits_only_after_a_timeout() {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let mut policy = RetransmitOncePerLoss::default();
        let hear = |policy: &mut RetransmitOncePerLoss, seq| {
            policy.on_notice(Time::ZERO, &Notice::with_segment(NoticeKind::Eln, seq, seq + 1), &s)
        };
        assert_eq!(hear(&mut policy, 1001), NoticeReaction::Retransmit);
        assert_eq!(hear(&mut policy, 1001), NoticeReaction::Ignore);
        assert_eq!(hear(&mut policy, 2001), NoticeReaction::Retransmit);
        policy.on_timeout();
        assert_eq!(hear(&mut policy, 1001), NoticeReaction::Retransmit);
    }
}
