use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Retransmits the segment named by an ELN, on each ELN, and does nothing else: the common reaction (Yun 2009
/// §2.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Answer;

impl NoticePolicy for Answer {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> Reaction {
        if notice.kind == NoticeKind::Eln { Reaction::Retransmit } else { Reaction::Ignore }
    }
}
