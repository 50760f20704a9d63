use super::MAX_FROZEN_PROBES;
use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// ELN filtering (Yun 2009 §4.2). Up to `n` consecutive losses count as channel noise, more losses as a
/// disconnection. During a disconnection, the sender freezes and reacts only to every second ELN. The number
/// of retransmissions thus halves every round trip.
#[derive(Clone, Copy, Debug)]
pub struct ElnFilter {
    n: u32,
    /// Reaction to an ERSN.
    on_ersn: NoticeReaction,
    /// Number of ELNs since the last acknowledgement of data.
    consecutive: u32,
    frozen: bool,
    /// True if the frozen sender answers the next ELN by a retransmission.
    answer_next: bool,
}

impl ElnFilter {
    /// Creates a filter that treats up to `n` consecutive ELNs as channel noise.
    pub fn new(n: u32) -> Self {
        ElnFilter { n, on_ersn: NoticeReaction::Hold, consecutive: 0, frozen: false, answer_next: false }
    }

    /// Creates a filter that ignores ERSNs, to measure the benefit of ERSN (Yun 2009 §5).
    pub fn without_ersn(n: u32) -> Self {
        ElnFilter { on_ersn: NoticeReaction::Ignore, ..ElnFilter::new(n) }
    }
}

impl NoticePolicy for ElnFilter {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> NoticeReaction {
        match notice.kind {
            NoticeKind::Eln => {
                self.consecutive += 1;
                if self.consecutive <= self.n && !self.frozen {
                    return NoticeReaction::Retransmit;
                }
                // The sender ignores the ELN at which it freezes, and then retransmits for every second ELN:
                // the 2nd, 4th, 6th …
                self.frozen = true;
                let retransmit = self.answer_next;
                self.answer_next = !self.answer_next;
                NoticeReaction::Freeze { retransmit }
            }
            NoticeKind::Ersn => self.on_ersn,
            NoticeKind::Ebsn | NoticeKind::Rttn | NoticeKind::Nak => NoticeReaction::Ignore,
        }
    }

    fn on_progress(&mut self, advanced: bool) {
        self.consecutive = 0;
        if advanced {
            self.frozen = false;
            self.answer_next = false;
        }
    }

    fn on_timeout(&mut self) {
        *self = ElnFilter { on_ersn: self.on_ersn, ..ElnFilter::new(self.n) };
    }

    fn max_frozen_probes(&self) -> u32 {
        MAX_FROZEN_PROBES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;

    #[test]
    fn during_a_disconnection_every_other_eln_retransmits() {
        // Yun 2009 §4.2 with N = 2, the paper's example.
        let eln = Notice::with_segment(NoticeKind::Eln, 1, 2);
        let mut f = ElnFilter::new(2);
        let skip = NoticeReaction::Freeze { retransmit: false };
        let answer = NoticeReaction::Freeze { retransmit: true };
        let state = SenderState::new(&Preset::Ns2.config(1000));
        let hear = |f: &mut ElnFilter| f.on_notice(Time::ZERO, &eln, &state);
        let seen: Vec<_> = (0..6).map(|_| hear(&mut f)).collect();
        assert_eq!(
            seen,
            [NoticeReaction::Retransmit, NoticeReaction::Retransmit, skip, answer, skip, answer]
        );
        f.on_progress(false);
        assert_eq!(hear(&mut f), skip, "only a new ACK ends it (§4.2, last sentence)");
        f.on_progress(true);
        assert_eq!(hear(&mut f), NoticeReaction::Retransmit);
    }

    // Yun 2009 §5 compares senders with and without ERSN. A sender without ERSN ignores ERSNs after a timeout
    // too.
    #[test]
    fn a_sender_without_ersn_ignores_ersns() {
        let ersn = Notice::with_segment(NoticeKind::Ersn, 1, 2);
        let state = SenderState::new(&Preset::Ns2.config(1000));
        for (mut f, worth) in
            [(ElnFilter::new(2), NoticeReaction::Hold), (ElnFilter::without_ersn(2), NoticeReaction::Ignore)]
        {
            assert_eq!(f.on_notice(Time::ZERO, &ersn, &state), worth);
            f.on_timeout();
            assert_eq!(f.on_notice(Time::ZERO, &ersn, &state), worth);
        }
    }
}
