//! `NoticePolicy`: how the sender reacts to ELN, ERSN, EBSN, RTTN and NAK.

use super::{Connected, Run};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Packet, Time};
use std::fmt::Debug;

/// Policy of a sender for explicit notifications.
pub trait NoticePolicy: Debug + Send {
    /// Returns the reaction to a notice: about a segment that is missing, or about the link
    /// ([`NoticeKind::names_segment`](airhop_base::NoticeKind)).
    fn on_notice(&mut self, now: Time, n: &Notice, s: &SenderState) -> Reaction;

    /// Joins the connections of this run, before anything else happens.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// True if the policy reads packets on the interface: every packet of the connection that arrives goes to [`NoticePolicy::takes`] first, and
    /// notices are ordinary packets, which a TCP would take for the ACKs that they resemble. Asked once.
    fn is_on_interface(&self) -> bool {
        false
    }

    /// True if the policy drops a packet that arrives.
    fn takes(&mut self, now: Time, packet: &Packet) -> bool {
        let _ = (now, packet);
        false
    }

    /// True if the policy supports ELNs in ACKs. For all others such an ACK is an ordinary one.
    fn knows_eln(&self) -> bool {
        true
    }

    /// True if the policy supports NAKs in ACKs.
    fn knows_nak(&self) -> bool {
        false
    }

    /// True if a duplicate ACK that arrives now is explained by an earlier notice, and so is no sign of congestion.
    fn explains(&self, now: Time, s: &SenderState) -> bool {
        let _ = (now, s);
        false
    }

    /// Observes progress: new data was acknowledged, cumulatively (`advanced`) or selectively.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// Observes an expiry of the retransmission timer to which the ordinary rules apply.
    fn on_timeout(&mut self) {}

    /// Returns the number of probes that may go unanswered while frozen before the ordinary rules return.
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
    /// For the next 60 s timeouts allow for the delay in the notice, on top of that of other base stations. The running timer is extended, never
    /// shortened (RTTN).
    Expect,
}
