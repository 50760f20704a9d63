use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Common reaction to an ELN (Yun 2009 §2.1). On each ELN, the sender retransmits the named segment and
/// changes no other state.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetransmitOnEln;

impl NoticePolicy for RetransmitOnEln {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> NoticeReaction {
        if notice.kind == NoticeKind::Eln { NoticeReaction::Retransmit } else { NoticeReaction::Ignore }
    }
}
