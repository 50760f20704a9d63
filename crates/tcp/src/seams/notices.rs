//! `NoticePolicy`: how the sender reacts to ELN, ERSN, EBSN, RTTN and NAK.

use super::{Connected, Run};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Packet, Time};
use std::fmt::Debug;

/// Policy of a sender for explicit notifications.
pub trait NoticePolicy: Debug + Send {
    /// A notice: about a segment that is missing, or about the link ([`NoticeKind::names_segment`](airhop_base::NoticeKind)).
    fn on_notice(&mut self, now: Time, n: &Notice, s: &SenderState) -> Reaction;

    /// The connection is one of this run, before anything else happens.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// True if it stands on the interface: every packet of the connection that arrives is shown to [`NoticePolicy::takes`], and notices are
    /// packets as any other, which a TCP takes for the ACKs that they look like. Asked once.
    fn is_on_interface(&self) -> bool {
        false
    }

    /// True if nobody else is to see a packet that arrives.
    fn takes(&mut self, now: Time, packet: &Packet) -> bool {
        let _ = (now, packet);
        false
    }

    /// True if it knows what an ELN in an ACK is. To all others such an ACK is one like any other.
    fn knows_eln(&self) -> bool {
        true
    }

    /// True if it knows what NAKs in an ACK are.
    fn knows_nak(&self) -> bool {
        false
    }

    /// True if a duplicate ACK that arrives now is explained by an earlier notice, and so is no sign of congestion.
    fn explains(&self, now: Time, s: &SenderState) -> bool {
        let _ = (now, s);
        false
    }

    /// The connection made progress: something new was acknowledged, cumulatively (`advanced`) or selectively.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// The retransmission timer expired, and its ordinary rules apply.
    fn on_timeout(&mut self) {}

    /// Repeated timeouts while frozen: how many probes may go unanswered before the ordinary rules return.
    fn patience(&self) -> u32 {
        0
    }
}

/// Reaction of a sender to a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    Ignore,
    /// Retransmit at once, without congestion control; the timer restarts.
    Retransmit,
    /// No congestion control for this segment for a while; the timer restarts.
    Hold,
    /// Keep all parameters as they are until a new ACK comes, and send no new data. Retransmit this segment, or not.
    Freeze {
        /// True if this segment is retransmitted.
        retransmit: bool,
    },
    /// Restart the timer, if it runs, with a + 4v: the estimates as they are, no backoff now, and the backoff kept for later timers (Kounavis
    /// 1996 §3). Nothing else changes.
    RestartTimer,
    /// For the next 60 s timeouts allow for the delay that the notice tells of, on top of that of other base stations. The running
    /// timer is put off, never brought forward (RTTN).
    Expect,
}
