//! `NoticePolicy`: the sender's reaction to ELN, ERSN, EBSN, RTTN and NAK.

use super::{Connected, Run};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Packet, Time};
use std::fmt::Debug;

/// Policy of a sender for explicit notices.
pub trait NoticePolicy: Debug + Send {
    /// Returns the reaction to a notice about a missing segment or about the link
    /// ([`NoticeKind::names_segment`](airhop_base::NoticeKind)).
    fn on_notice(&mut self, now: Time, n: &Notice, s: &SenderState) -> Reaction;

    /// Joins the connections of this run, before any other call.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// True if the policy reads packets on the interface: every arriving packet of the connection is passed
    /// to [`NoticePolicy::takes`] first, and notices are ordinary packets, which TCP would process as the
    /// ACKs that they resemble. Called once.
    fn is_on_interface(&self) -> bool {
        false
    }

    /// True if the policy drops an arriving packet.
    fn takes(&mut self, now: Time, packet: &Packet) -> bool {
        let _ = (now, packet);
        false
    }

    /// True if the policy processes ELNs in ACKs; otherwise such an ACK is an ordinary ACK.
    fn knows_eln(&self) -> bool {
        true
    }

    /// True if the policy processes NAKs in ACKs.
    fn knows_nak(&self) -> bool {
        false
    }

    /// True if an earlier notice explains a duplicate ACK that arrives now, which then is no sign of
    /// congestion.
    fn explains(&self, now: Time, s: &SenderState) -> bool {
        let _ = (now, s);
        false
    }

    /// Observes that new data was acknowledged, cumulatively (`advanced`) or selectively.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// Observes a timeout outside of freezing.
    fn on_timeout(&mut self) {}

    /// Returns the number of unanswered probes after which a frozen sender returns to ordinary operation.
    fn patience(&self) -> u32 {
        0
    }
}

/// Reaction of a sender to a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Nothing.
    Ignore,
    /// Retransmit the segment at once, without congestion control, and restart the timer.
    Retransmit,
    /// Suspend congestion control for this segment for a while, and restart the timer.
    Hold,
    /// Freeze: keep all parameters until a new ACK arrives, and send no new data.
    Freeze {
        /// True if this segment is retransmitted.
        retransmit: bool,
    },
    /// Restart the timer, if it runs, with a + 4v: the present estimates without backoff; the backoff is kept
    /// for later timers (Kounavis 1996 §3). No other effect.
    RestartTimer,
    /// Add the delay in the notice to timeouts for 60 s, on top of those of other base stations. The running
    /// timer is extended, never shortened (RTTN).
    Expect,
}
