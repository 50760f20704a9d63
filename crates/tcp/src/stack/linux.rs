//! The rules of Linux 6.

use super::{Pause, Stack};
use crate::control::whole;
use crate::seams::Window;

/// Linux 6.
#[derive(Debug)]
pub(super) struct Linux;

impl Stack for Linux {
    /// Not until all that was sent before the reduction is acknowledged, and a segment more (TCP_CA_CWR in tcp_cong_control() and
    /// tcp_fastretrans_alert()).
    fn may_grow(&self, _: bool, is_reducing: bool) -> bool {
        !is_reducing
    }

    /// tcp_cong_control().
    fn grows_after_repairs(&self) -> bool {
        true
    }

    /// tcp_try_to_open(): as soon as what a loss reduced is acknowledged, but after a mark not before the answer to CWR may have come.
    fn answers_echo(&self, una: u64, last: u64, marked: u64) -> bool {
        una >= last && una > marked
    }

    /// tcp_enter_cwr().
    fn cuts_window_of_one(&self) -> bool {
        true
    }

    /// tcp_enter_loss().
    fn adds_flight_after_timeout(&self) -> bool {
        true
    }

    /// Until something beyond is acknowledged (TCP_CA_CWR).
    fn is_reduced(&self, _: u64, una: u64, reduced_until: u64) -> bool {
        una <= reduced_until
    }

    /// tcp_slow_start_after_idle_check() and tcp_cwnd_restart(): halved for each timeout that the pause took, down to the initial window;
    /// ssthresh remembers three quarters. Not where the control sets rate and window itself.
    fn after_pause(&self, w: &mut Window, pause: &Pause) {
        if pause.is_paced {
            return;
        }
        let cwnd = whole(w.cwnd);
        w.ssthresh = w.ssthresh.max(whole(cwnd / 2.0) + whole(cwnd / 4.0));
        let least = pause.initial_window.min(cwnd);
        let (mut left, mut passed) = (cwnd, pause.timeout);
        while passed < pause.lasted && left > least {
            left = whole(left / 2.0);
            passed = passed + pause.timeout;
        }
        w.cwnd = left.max(least);
    }

    /// tcp_current_ssthresh(): ssthresh is three quarters of the window, or more. tcp_init_undo(), tcp_enter_loss(): the window is a whole number,
    /// and its count of ACKs begins anew.
    fn restored(&self, before: Window) -> Window {
        let cwnd = whole(before.cwnd);
        Window { cwnd, ssthresh: before.ssthresh.max(whole(cwnd / 2.0) + whole(cwnd / 4.0)) }
    }

    /// tcp_try_undo_partial().
    fn undoes_late(&self) -> bool {
        true
    }

    fn looks_for_reordering(&self) -> bool {
        true
    }

    /// tcp_xmit_probe_skb(): at one that was acknowledged.
    fn probe_at(&self, una: u64) -> Option<u64> {
        Some(una - 1)
    }

    /// tcp_ack_probe().
    fn counts_from_answers(&self) -> bool {
        true
    }
}
