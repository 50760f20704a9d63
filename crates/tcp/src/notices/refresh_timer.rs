use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Restarts the running retransmission timer on each EBSN, and does nothing else (Kounavis 1996 §3).
#[derive(Clone, Copy, Debug, Default)]
pub struct RefreshTimer;

impl NoticePolicy for RefreshTimer {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> Reaction {
        if notice.kind == NoticeKind::Ebsn { Reaction::RestartTimer } else { Reaction::Ignore }
    }

    fn knows_eln(&self) -> bool {
        false
    }
}
