//! `StackRules`: sender rules that are neither parameters nor part of another policy.
//!
//! The trait contains all remaining differences between the RFCs, Linux and ns-2's agents. `docs/presets.md`
//! lists the differences.

mod linux;
mod ns2;
mod rfc;

use crate::rto::RtoPolicy;
use crate::seams::{Ns2Agent, Window};
use crate::{Config, Preset};
use airhop_base::Time;
use std::fmt::Debug;

/// TCP rules of a sender. The default methods implement the RFCs. Other stacks override them.
pub trait StackRules: Debug + Sync {
    /// True if the first segment of a connection without a handshake is one octet.
    fn opens_with_one_byte(&self) -> bool {
        false
    }

    /// True if the sender times one segment per round trip. `timestamps` is true if the connection uses
    /// timestamps.
    fn times_single_segment(&self, timestamps: bool) -> bool {
        !timestamps
    }

    /// Adds the RTT sample of a segment sent at `sent` and acknowledged at `now`. `is_timed` is true for the
    /// segment that the sender times.
    fn add_rtt_sample(&self, rto: &mut dyn RtoPolicy, sent: Time, now: Time, is_timed: bool) {
        let _ = is_timed;
        rto.on_rtt(sent, now);
    }

    /// True if duplicate ACKs yield RTT samples and restart the retransmission timer.
    fn samples_duplicate_acks(&self) -> bool {
        false
    }

    /// True if a fast retransmission backs off the retransmission timer.
    fn backs_off_on_retransmit(&self) -> bool {
        false
    }

    /// True if an ACK may increase the window despite an echoed ECN mark (`ece`) or a reduction for a mark
    /// (`is_reducing`). A reduction lasts until data sent after the reduction is acknowledged. RFC 3168
    /// §6.1.2: "The sender SHOULD NOT increase the congestion window in response to the receipt of an
    /// ECN-Echo ACK packet".
    fn may_grow_window(&self, ece: bool, is_reducing: bool) -> bool {
        let _ = is_reducing;
        !ece
    }

    /// True if the window grows by the delivered data of an ACK that ends a fast recovery or proves a timeout
    /// spurious.
    fn grows_at_recovery_end(&self) -> bool {
        false
    }

    /// True if an echoed ECN mark may reduce the window when all data below `una` is acknowledged. The window
    /// is reduced "at most once per window of data" (RFC 3168 §6.1.2). `last` is the end of the window of
    /// data at the last reduction. `marked` is that end at the last reduction for an ECN mark.
    fn may_reduce_on_echo(&self, una: u64, last: u64, marked: u64) -> bool {
        let _ = marked;
        una > last
    }

    /// True if an echoed ECN mark reduces a window of one segment like any other window. Otherwise the echo
    /// restarts the retransmission timer: "the TCP sender … SHOULD reset the retransmit timer on receiving
    /// the ECN-Echo packet when the congestion window is one" (RFC 3168 §6.1.2).
    fn reduces_window_of_one(&self) -> bool {
        false
    }

    /// True if the window after a timeout is one segment plus the flight not marked lost (RFC 8985 §6.3).
    /// False if the window is one segment (RFC 5681 §3.1).
    fn adds_flight_after_timeout(&self) -> bool {
        false
    }

    /// True if an ECN mark has already reduced the window for the window of data with the lost segment at
    /// `seq`. The window is then not reduced again (RFC 3168 §6.1.2). `reduced_until` is the first unsent
    /// byte at that reduction.
    fn is_reduced_by_mark(&self, seq: u64, una: u64, reduced_until: u64) -> bool {
        let _ = una;
        seq < reduced_until
    }

    /// Returns the window to restore after a spurious reduction (RFC 4015 §4). `before` is the window before
    /// the reduction.
    fn window_to_restore(&self, before: Window) -> Window {
        before
    }

    /// True if a timestamp does not undo a reduction until the recovery point is acknowledged or no
    /// retransmission is in flight.
    fn delays_timestamp_undo(&self) -> bool {
        false
    }

    /// True if the sender detects reordering.
    fn detects_reordering(&self) -> bool {
        false
    }

    /// Returns the sequence number of a zero-window probe without data. `None` if the probe is an octet of
    /// new data, as "must regularly" be sent (RFC 9293 §3.8.6.1). `una` is the lowest unacknowledged byte.
    fn dataless_probe_seq(&self, una: u64) -> Option<u64> {
        let _ = una;
        None
    }

    /// True if the interval to the next zero-window probe starts at the ACK of the last probe.
    fn restarts_persist_on_ack(&self) -> bool {
        false
    }
}

/// Returns the stack of a connection. An ns-2 agent has its own stack; otherwise the preset selects the
/// stack.
pub fn stack_for(c: &Config, agent: Ns2Agent) -> &'static dyn StackRules {
    match (agent, c.stack) {
        (Ns2Agent::Ns2Vegas, _) => &ns2::Vegas,
        (Ns2Agent::Ns2Linux, _) => &ns2::Linux,
        (Ns2Agent::Common, Preset::Ns2) => &ns2::Common,
        (Ns2Agent::Common, Preset::Rfc) => &rfc::Rfc,
        (Ns2Agent::Common, Preset::Linux) => &linux::Linux,
    }
}
