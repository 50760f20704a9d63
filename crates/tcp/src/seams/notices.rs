//! `NoticePolicy`: the sender's reaction to ELN, ERSN, EBSN, RTTN and NAK.

use super::{ConnectionEnds, RunState};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Packet, Time};
use std::fmt::Debug;

/// Sender's reaction to explicit notices.
pub trait NoticePolicy: Debug + Send {
    /// Returns the reaction to a notice about a missing segment or about the link.
    /// [`NoticeKind::concerns_one_segment`](airhop_base::NoticeKind) separates the two.
    fn on_notice(&mut self, now: Time, n: &Notice, s: &SenderState) -> NoticeReaction;

    /// Adds the connection to the run's shared state, before any other call.
    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds) {
        let _ = (run, ends);
    }

    /// True if the policy reads packets at the interface. [`NoticePolicy::consumes_packet`] then receives every
    /// arriving packet of the connection before TCP does. Notices are ordinary packets that resemble ACKs,
    /// and TCP would process them as ACKs. Called once.
    fn reads_interface(&self) -> bool {
        false
    }

    /// True if the policy consumes the arriving packet. TCP does not process a consumed packet.
    fn consumes_packet(&mut self, now: Time, packet: &Packet) -> bool {
        let _ = (now, packet);
        false
    }

    /// True if the policy processes ELNs in ACKs. Otherwise TCP treats an ACK with an ELN as an ordinary ACK.
    fn handles_eln(&self) -> bool {
        true
    }

    /// True if the policy processes NAKs in ACKs.
    fn handles_nak(&self) -> bool {
        false
    }

    /// True if an earlier notice explains a duplicate ACK that arrives now. Such a duplicate ACK is no sign
    /// of congestion.
    fn explains_duplicate(&self, now: Time, s: &SenderState) -> bool {
        let _ = (now, s);
        false
    }

    /// Handles newly acknowledged data. `advanced` is true for a cumulative ACK, false for SACK.
    fn on_progress(&mut self, advanced: bool) {
        let _ = advanced;
    }

    /// Handles a timeout. Not called while the sender is frozen.
    fn on_timeout(&mut self) {}

    /// Returns the number of unanswered probes after which a frozen sender resumes normal operation.
    fn max_frozen_probes(&self) -> u32 {
        0
    }
}

/// Reaction of a sender to a notice.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NoticeReaction {
    /// Drop the notice.
    Ignore,
    /// Retransmit the segment at once and restart the timer. Congestion control is not involved.
    Retransmit,
    /// Suspend congestion control for this segment temporarily, and restart the timer.
    Hold,
    /// Freeze: keep all parameters and send no new data until a new ACK arrives.
    Freeze {
        /// True if the sender retransmits this segment.
        retransmit: bool,
    },
    /// Restart a running timer with the timeout a + 4v of the present estimates, without backoff. Later
    /// timers use the backoff again (Kounavis 1996 §3). No other effect.
    RestartTimer,
    /// Add the announced delay to all timeouts for 60 s (RTTN). Delays announced by other base stations add
    /// up. The running timer is extended, never shortened.
    Expect,
}
