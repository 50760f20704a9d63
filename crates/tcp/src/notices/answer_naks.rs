use crate::seams::{NoticePolicy, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, NoticeKind, Time};

/// Reaction to a NAK (Cheng & Lin 2008). On each NAK, the sender retransmits the named segment and changes no
/// other state. "record the NAK sequence number, and then retransmit the corrupted packet": the recovery
/// stores the number.
#[derive(Clone, Copy, Debug, Default)]
pub struct RetransmitOnNak;

impl NoticePolicy for RetransmitOnNak {
    fn on_notice(&mut self, _: Time, notice: &Notice, _: &SenderState) -> Reaction {
        if notice.kind == NoticeKind::Nak { Reaction::Retransmit } else { Reaction::Ignore }
    }

    fn knows_eln(&self) -> bool {
        false
    }

    fn knows_nak(&self) -> bool {
        true
    }
}
