//! `NoticePolicy`: policy that determines the sender's reaction to ELN, ERSN, EBSN, RTTN and NAK.

use super::{Connected, Run};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Packet, Time};
use std::fmt::Debug;

/// Policy that determines the sender's reaction to explicit notices.
pub trait NoticePolicy: Debug + Send {
    /// Returns the reaction to a notice about a missing segment or about the link
    /// ([`NoticeKind::concerns_one_segment`](airhop_base::NoticeKind)).
    fn on_notice(&mut self, now: Time, n: &Notice, s: &SenderState) -> Reaction;

    /// Adds the connection to the run's shared state, before any other call.
    fn on_join(&mut self, run: &mut Run, ends: &Connected) {
        let _ = (run, ends);
    }

    /// True if the policy reads packets at the interface: it receives every arriving packet of the connection
    /// in [`NoticePolicy::takes`] before TCP does. Notices are then ordinary packets, and TCP would process
    /// them as ACKs, which they resemble. Called once.
    fn is_on_interface(&self) -> bool {
        false
    }

    /// True if the policy consumes an arriving packet, which TCP then does not process.
    fn takes(&mut self, now: Time, packet: &Packet) -> bool {
        let _ = (now, packet);
        false
    }

    /// True if the policy processes ELNs in ACKs; if not, TCP processes an ACK with an ELN as an ordinary
    /// ACK.
    fn knows_eln(&self) -> bool {
        true
    }

    /// True if the policy processes NAKs in ACKs.
    fn knows_nak(&self) -> bool {
        false
    }

    /// True if an earlier notice explains a duplicate ACK that arrives now. The duplicate ACK is then no sign
    /// of congestion.
    fn explains(&self, now: Time, s: &SenderState) -> bool {
        let _ = (now, s);
        false
    }

    /// Handles the acknowledgement of new data, cumulative (`advanced`) or selective.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// Handles a timeout of a sender that is not frozen.
    fn on_timeout(&mut self) {}

    /// Returns the number of unanswered probes after which a frozen sender follows the ordinary rules again.
    fn patience(&self) -> u32 {
        0
    }
}

/// Reaction of a sender to a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaction {
    /// Drop the notice.
    Ignore,
    /// Retransmit the segment at once, without congestion control, and restart the timer.
    Retransmit,
    /// Suspend congestion control for this segment temporarily, and restart the timer.
    Hold,
    /// Freeze: keep all parameters and send no new data until a new ACK arrives.
    Freeze {
        /// True if the sender retransmits this segment.
        retransmit: bool,
    },
    /// Restart the timer, if it runs, with the timeout a + 4v of the present estimates, without backoff.
    /// Later timers use the backoff again (Kounavis 1996 §3). No other effect.
    RestartTimer,
    /// Add the announced delay to all timeouts for 60 s, in addition to delays announced by other base
    /// stations. The running timer is extended, never shortened (RTTN).
    Expect,
}
