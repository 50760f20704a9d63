//! `Stack`: rules of a sender that are neither parameters nor rules of another policy.
//!
//! The trait contains all remaining differences between the text of the RFCs, Linux and ns-2's agents;
//! `docs/presets.md` lists these differences.

mod linux;
mod ns2;
mod rfc;

use crate::rto::RtoPolicy;
use crate::seams::{Agent, Window};
use crate::{Config, Preset};
use airhop_base::Time;
use std::fmt::Debug;

/// Rules of a sender's TCP. The default methods implement the RFCs' rules; other stacks override them.
pub trait Stack: Debug + Sync {
    /// True if the first segment of a connection without a handshake is one octet.
    fn opens_small(&self) -> bool {
        false
    }

    /// True if the sender times one segment per round trip. `timestamps`: the connection uses timestamps.
    fn times_segments(&self, timestamps: bool) -> bool {
        !timestamps
    }

    /// Adds the RTT sample of a segment sent at `sent` and acknowledged now. `is_timed`: the segment is the
    /// timed segment.
    fn on_rtt(&self, rto: &mut dyn RtoPolicy, sent: Time, now: Time, is_timed: bool) {
        let _ = is_timed;
        rto.on_rtt(sent, now);
    }

    /// True if duplicate ACKs yield RTT samples and restart the retransmission timer.
    fn times_duplicates(&self) -> bool {
        false
    }

    /// True if a fast retransmission backs off the retransmission timer.
    fn backs_off_for_repairs(&self) -> bool {
        false
    }

    /// True if an ACK may increase the window although the ACK echoes a mark (`ece`), or although a reduction
    /// for a mark is in effect (`is_reducing`). A reduction is in effect until data sent after it is
    /// acknowledged. RFC 3168 §6.1.2: "The sender SHOULD NOT increase the congestion window in response to
    /// the receipt of an ECN-Echo ACK packet".
    fn may_grow(&self, ece: bool, is_reducing: bool) -> bool {
        let _ = is_reducing;
        !ece
    }

    /// True if an ACK increases the window by its delivered data although it ends a fast recovery, or proves a
    /// timeout spurious.
    fn grows_after_repairs(&self) -> bool {
        false
    }

    /// True if an echoed mark may reduce the window when all data below `una` is acknowledged. `last`: end of
    /// the window of data of the last reduction; `marked`: end of the window of data of the last reduction
    /// for a mark. RFC 3168 §6.1.2: the window is reduced "at most once per window of data", so an echo above
    /// that end reports another mark.
    fn answers_echo(&self, una: u64, last: u64, marked: u64) -> bool {
        let _ = marked;
        una > last
    }

    /// True if an echoed mark reduces a window of one segment like any other window. If false, the echo
    /// restarts the retransmission timer: "the TCP sender … SHOULD reset the retransmit timer on receiving
    /// the ECN-Echo packet when the congestion window is one" (RFC 3168 §6.1.2).
    fn cuts_window_of_one(&self) -> bool {
        false
    }

    /// True if the window after a timeout is one segment plus the flight that is not marked lost (RFC 8985
    /// §6.3); false if it is one segment (RFC 5681 §3.1).
    fn adds_flight_after_timeout(&self) -> bool {
        false
    }

    /// True if a mark has already reduced the window for the window of data that contains the lost segment at
    /// `seq`. The window is then not reduced again (RFC 3168 §6.1.2). `reduced_until`: first unsent byte at
    /// that reduction; `una`: lowest unacknowledged byte.
    fn is_reduced(&self, seq: u64, una: u64, reduced_until: u64) -> bool {
        let _ = una;
        seq < reduced_until
    }

    /// Returns the window to restore after a spurious reduction (RFC 4015 §4). `before`: window before the
    /// reduction.
    fn restored(&self, before: Window) -> Window {
        before
    }

    /// True if a timestamp does not undo a reduction while the ACK is below the recovery point and a
    /// retransmission is in flight.
    fn delays_timestamp_undo(&self) -> bool {
        false
    }

    /// True if the sender detects reordering.
    fn looks_for_reordering(&self) -> bool {
        false
    }

    /// Returns the sequence number of a zero-window probe without data; `None`: the probe is an octet of new
    /// data, which "must regularly" be sent (RFC 9293 §3.8.6.1). `una`: lowest unacknowledged byte.
    fn probe_at(&self, una: u64) -> Option<u64> {
        let _ = una;
        None
    }

    /// True if the interval to the next zero-window probe starts at the ACK of the last probe.
    fn counts_from_answers(&self) -> bool {
        false
    }
}

/// Returns the stack of a connection: the stack of the ns-2 agent to which its recovery belongs, or else the
/// stack of the preset.
pub fn of(c: &Config, agent: Agent) -> &'static dyn Stack {
    match (agent, c.stack) {
        (Agent::Ns2Vegas, _) => &ns2::Vegas,
        (Agent::Ns2Linux, _) => &ns2::Linux,
        (Agent::Common, Preset::Ns2) => &ns2::Common,
        (Agent::Common, Preset::Rfc) => &rfc::Rfc,
        (Agent::Common, Preset::Linux) => &linux::Linux,
    }
}
