//! Rules of Linux 6.

use super::StackRules;
use crate::control::floor_segments;
use crate::seams::Window;

/// Linux 6.
#[derive(Debug)]
pub(super) struct Linux;

impl StackRules for Linux {
    /// False until all data sent before the reduction, and one more segment, are acknowledged (TCP_CA_CWR in
    /// tcp_cong_control() and tcp_fastretrans_alert()).
    fn may_grow_window(&self, _: bool, is_reducing: bool) -> bool {
        !is_reducing
    }

    /// True, as in tcp_cong_control().
    fn grows_at_recovery_end(&self) -> bool {
        true
    }

    /// Implements tcp_try_to_open(). An echo counts again once all data sent before the last reduction is
    /// acknowledged. If an ECN mark caused the reduction, later data must be acknowledged too.
    fn may_reduce_on_echo(&self, una: u64, last: u64, marked: u64) -> bool {
        una >= last && una > marked
    }

    /// True, as in tcp_enter_cwr().
    fn reduces_window_of_one(&self) -> bool {
        true
    }

    /// True, as in tcp_enter_loss().
    fn adds_flight_after_timeout(&self) -> bool {
        true
    }

    /// True until data above `reduced_until` is acknowledged (TCP_CA_CWR).
    fn is_reduced_by_mark(&self, _: u64, una: u64, reduced_until: u64) -> bool {
        una <= reduced_until
    }

    /// Restores ssthresh to at least three quarters of the window (tcp_current_ssthresh()). The window
    /// becomes an integer, and the count of acknowledged segments restarts (tcp_init_undo(),
    /// tcp_enter_loss()).
    fn window_to_restore(&self, before: Window) -> Window {
        let cwnd = floor_segments(before.cwnd);
        Window {
            cwnd,
            ssthresh: before.ssthresh.max(floor_segments(cwnd / 2.0) + floor_segments(cwnd / 4.0)),
        }
    }

    /// True, as in tcp_try_undo_partial().
    fn delays_timestamp_undo(&self) -> bool {
        true
    }

    fn detects_reordering(&self) -> bool {
        true
    }

    /// Returns an acknowledged sequence number, as in tcp_xmit_probe_skb().
    fn dataless_probe_seq(&self, una: u64) -> Option<u64> {
        Some(una - 1)
    }

    /// True, as in tcp_ack_probe().
    fn restarts_persist_on_ack(&self) -> bool {
        true
    }
}
