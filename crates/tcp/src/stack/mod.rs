//! `Stack`: the rules of a sender's TCP that neither its parameters nor its other policies have.
//!
//! Where the text of the RFCs, Linux and ns-2's agents part, a sender asks here, and nowhere else; `docs/presets.md` has the list.

mod linux;
mod ns2;
mod rfc;

use crate::rto::RtoPolicy;
use crate::seams::{Agent, Window};
use crate::{Config, Preset};
use airhop_base::{Span, Time};
use std::fmt::Debug;

/// The rules of a sender's TCP: those of the RFCs, but for the methods that another stack has of its own.
pub trait Stack: Debug + Sync {
    /// True if the first segment of a connection without a handshake is one octet.
    fn opens_small(&self) -> bool {
        false
    }

    /// True if a segment is timed at a time, where timestamps are as given.
    fn times_segments(&self, timestamps: bool) -> bool {
        !timestamps
    }

    /// A segment sent at `sent` was acknowledged; `is_timed` if it is the one that was timed.
    fn on_rtt(&self, rto: &mut dyn RtoPolicy, sent: Time, now: Time, is_timed: bool) {
        let _ = is_timed;
        rto.on_rtt(sent, now);
    }

    /// True if duplicate ACKs give samples of the round trip and restart the retransmission timer.
    fn times_duplicates(&self) -> bool {
        false
    }

    /// True if a fast retransmission backs the retransmission timer off.
    fn backs_off_for_repairs(&self) -> bool {
        false
    }

    /// True if an ACK may grow the window, which echoes a mark (`ece`) or acknowledges nothing beyond what had been sent when one reduced it
    /// (`is_reducing`). RFC 3168 §6.1.2: "The sender SHOULD NOT increase the congestion window in response to the receipt of an ECN-Echo ACK
    /// packet".
    fn may_grow(&self, ece: bool, is_reducing: bool) -> bool {
        let _ = is_reducing;
        !ece
    }

    /// True if the ACK that ends a fast recovery, or shows a timeout to be spurious, grows the window by the data that it delivers.
    fn grows_after_repairs(&self) -> bool {
        false
    }

    /// True if an echoed mark may reduce the window when everything below `una` is acknowledged: the last reduction was of the window of data
    /// below `last`, and the last one for a mark of that below `marked`. RFC 3168 §6.1.2: "at most once per window of data", so that an ACK of
    /// something beyond tells of another mark.
    fn answers_echo(&self, una: u64, last: u64, marked: u64) -> bool {
        let _ = marked;
        una > last
    }

    /// True if an echoed mark cuts a window of one segment as any other; else it restarts the retransmission timer: "the TCP sender … SHOULD
    /// reset the retransmit timer on receiving the ECN-Echo packet when the congestion window is one" (RFC 3168 §6.1.2).
    fn cuts_window_of_one(&self) -> bool {
        false
    }

    /// True if the window after a timeout is a segment beside those that are not taken for lost (RFC 8985 §6.3); else one segment (RFC 5681
    /// §3.1).
    fn adds_flight_after_timeout(&self) -> bool {
        false
    }

    /// True if the loss of the segment at `seq` is of a window of data that a mark has reduced, for which the window is not reduced again (RFC
    /// 3168 §6.1.2): it was sent before `reduced_until`, the first byte that had not been sent then; `una` is the lowest byte not acknowledged.
    fn is_reduced(&self, seq: u64, una: u64, reduced_until: u64) -> bool {
        let _ = una;
        seq < reduced_until
    }

    /// Data is to be sent after a pause of more than a retransmission timeout: "RW = min(IW, cwnd)" (RFC 5681 §4.1).
    fn after_pause(&self, w: &mut Window, pause: &Pause) {
        w.cwnd = w.cwnd.min(pause.initial_window);
    }

    /// Returns the window that comes back with a reduction that was for nothing, given that before the reduction (RFC 4015 §4).
    fn restored(&self, before: Window) -> Window {
        before
    }

    /// True if a timestamp below the recovery point undoes no reduction while a retransmission is under way.
    fn undoes_late(&self) -> bool {
        false
    }

    /// True if the sender finds out whether the path reorders.
    fn looks_for_reordering(&self) -> bool {
        false
    }

    /// Returns the number at which a segment without data asks whether a closed window has opened; none: an octet of new data asks, and "must
    /// regularly" (RFC 9293 §3.8.6.1). `una` is the lowest byte not acknowledged.
    fn probe_at(&self, una: u64) -> Option<u64> {
        let _ = una;
        None
    }

    /// True if the time to the next such probe counts from the answer to the last.
    fn counts_from_answers(&self) -> bool {
        false
    }
}

/// A pause of a sender.
#[derive(Clone, Copy, Debug)]
pub struct Pause {
    /// Since data was last sent.
    pub lasted: Span,
    /// The retransmission timeout.
    pub timeout: Span,
    /// The initial congestion window, segments.
    pub initial_window: f64,
    /// The congestion control names a rate of its own.
    pub is_paced: bool,
}

/// Returns the stack of a connection, or of the agent that its recovery is of.
pub fn of(c: &Config, agent: Agent) -> &'static dyn Stack {
    match (agent, c.stack) {
        (Agent::Ns2Vegas, _) => &ns2::Vegas,
        (Agent::Ns2Linux, _) => &ns2::Linux,
        (Agent::Common, Preset::Ns2) => &ns2::Common,
        (Agent::Common, Preset::Rfc) => &rfc::Rfc,
        (Agent::Common, Preset::Linux) => &linux::Linux,
    }
}
