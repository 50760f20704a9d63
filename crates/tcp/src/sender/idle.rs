//! The window after a pause: what it was says little of the path now.

use super::Sender;
use crate::Preset;
use crate::control::whole;
use airhop_base::{Span, Time};

impl Sender {
    /// Something is to be sent, and nothing is outstanding: a pause of more than a retransmission timeout takes the window back to the initial
    /// one, "RW = min(IW, cwnd)" (RFC 5681 §4.1), and leaves ssthresh. Linux halves it for each timeout that the pause took, down to the
    /// initial one, and remembers three quarters of it in ssthresh (tcp_slow_start_after_idle_check(), tcp_cwnd_restart()); not where the
    /// control sets rate and window itself. ns-2 keeps it.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.last_sent else { return };
        let (pause, timeout) = (now - last, self.rto.timeout());
        if pause <= timeout || self.state.supplied <= self.state.nxt {
            return;
        }
        let w = &mut self.window;
        match self.config.stack {
            Preset::Ns2 => {}
            Preset::Rfc => w.cwnd = w.cwnd.min(self.config.initial_window),
            Preset::Linux if self.features.paces => {}
            Preset::Linux => {
                let cwnd = whole(w.cwnd);
                w.ssthresh = w.ssthresh.max(whole(cwnd / 2.0) + whole(cwnd / 4.0));
                w.cwnd = halved(cwnd, self.config.initial_window, pause, timeout);
            }
        }
        self.last_sent = None; // once a pause
    }
}

/// `cwnd`, halved for each whole `timeout` of a `pause`, but not below `least`.
fn halved(cwnd: f64, least: f64, pause: Span, timeout: Span) -> f64 {
    let least = least.min(cwnd);
    let mut left = cwnd;
    let mut passed = timeout;
    while passed < pause && left > least {
        left = whole(left / 2.0);
        passed = passed + timeout;
    }
    left.max(least)
}
