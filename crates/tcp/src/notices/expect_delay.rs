use crate::seams::{NoticePolicy, NoticeReaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to an RTTN: the sender extends its timeout by the announced delay (Kounavis 1996 §4,
/// reconstructed).
#[derive(Clone, Copy, Debug, Default)]
pub struct ExtendRtoOnRttn;

impl NoticePolicy for ExtendRtoOnRttn {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> NoticeReaction {
        if notice.kind == NoticeKind::Rttn { NoticeReaction::Expect } else { NoticeReaction::Ignore }
    }

    fn handles_eln(&self) -> bool {
        false
    }
}
