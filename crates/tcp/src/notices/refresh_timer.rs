use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to an EBSN: the sender restarts a running retransmission timer and changes no other state
/// (Kounavis 1996 §3).
#[derive(Clone, Copy, Debug, Default)]
pub struct RestartTimerOnEbsn;

impl NoticePolicy for RestartTimerOnEbsn {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> NoticeReaction {
        if notice.kind == NoticeKind::Ebsn { NoticeReaction::RestartTimer } else { NoticeReaction::Ignore }
    }

    fn handles_eln(&self) -> bool {
        false
    }
}
