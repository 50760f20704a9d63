use crate::seams::{NoticePolicy, Reaction};
use airhop_base::{Notice, NoticeKind};

/// ELN filtering (Yun 2009 §4.2): up to `n` losses in a row are channel noise; more are a disconnection, in which the sender
/// freezes and answers every other ELN only, so that what circulates halves every round trip.
#[derive(Clone, Copy, Debug)]
pub struct ElnFilter {
    n: u32,
    /// ELNs since the last progress.
    consecutive: u32,
    frozen: bool,
    /// While frozen: the next ELN is the one to answer.
    answer_next: bool,
}

/// How many timeouts a frozen sender probes through before the ordinary rules return. Yun 2009 does not say; without an end
/// a connection to a station that left would never give up (schemes.md 3.6.6).
const PATIENCE: u32 = 12;

impl ElnFilter {
    /// A filter that takes up to `n` consecutive ELNs for channel noise.
    pub fn new(n: u32) -> Self {
        ElnFilter { n, consecutive: 0, frozen: false, answer_next: false }
    }
}

impl NoticePolicy for ElnFilter {
    fn on_notice(&mut self, notice: &Notice) -> Reaction {
        match notice.kind {
            NoticeKind::Eln => {
                self.consecutive += 1;
                if self.consecutive <= self.n && !self.frozen {
                    return Reaction::Retransmit;
                }
                // The ELN that freezes is skipped, the next one answered, and so on: the 2nd, 4th, 6th …
                self.frozen = true;
                let retransmit = self.answer_next;
                self.answer_next = !self.answer_next;
                Reaction::Freeze { retransmit }
            }
            NoticeKind::Ersn => Reaction::Hold,
            NoticeKind::Ebsn | NoticeKind::Rttn | NoticeKind::Nak => Reaction::Ignore,
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
        *self = ElnFilter::new(self.n);
    }

    fn patience(&self) -> u32 {
        PATIENCE
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use airhop_base::Span;

    #[test]
    fn noise_is_answered_and_a_disconnection_every_other_time() {
        // Yun 2009 §4.2 with N = 2, the paper's example.
        let eln = Notice { kind: NoticeKind::Eln, seq: 1, end: 2, delay: Span::ZERO };
        let mut f = ElnFilter::new(2);
        let skip = Reaction::Freeze { retransmit: false };
        let answer = Reaction::Freeze { retransmit: true };
        let seen: Vec<_> = (0..6).map(|_| f.on_notice(&eln)).collect();
        assert_eq!(seen, [Reaction::Retransmit, Reaction::Retransmit, skip, answer, skip, answer]);
        f.on_progress(false);
        assert_eq!(f.on_notice(&eln), skip, "only a new ACK ends it (§4.2, last sentence)");
        f.on_progress(true);
        assert_eq!(f.on_notice(&eln), Reaction::Retransmit);
    }
}
