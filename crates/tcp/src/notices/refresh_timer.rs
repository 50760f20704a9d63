use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to an EBSN: the sender restarts a running retransmission timer and changes no other state
/// (Kounavis 1996 §3).
#[derive(Clone, Copy, Debug, Default)]
pub struct RestartTimerOnEbsn;

impl NoticePolicy for RestartTimerOnEbsn {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> Reaction {
        if notice.kind == NoticeKind::Ebsn { Reaction::RestartTimer } else { Reaction::Ignore }
    }

    fn knows_eln(&self) -> bool {
        false
    }
}
