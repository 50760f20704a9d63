use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to a NAK (Cheng & Lin 2008). On each NAK, the sender retransmits the named segment and changes no
/// other state. "record the NAK sequence number, and then retransmit the corrupted packet": the recovery
/// stores the number.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetransmitOnNak;

impl NoticePolicy for RetransmitOnNak {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> NoticeReaction {
        if notice.kind == NoticeKind::Nak { NoticeReaction::Retransmit } else { NoticeReaction::Ignore }
    }

    fn handles_eln(&self) -> bool {
        false
    }

    fn handles_nak(&self) -> bool {
        true
    }
}
