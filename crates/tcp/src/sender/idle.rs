//! Restart of the window after an idle period, when the previous window may no longer suit the path.

use super::Sender;
use crate::config::IdleRestartWindow;
use crate::seams::{IdlePeriod, Window};
use airhop_base::{Span, Time};

/// Time for which a sender keeps an unused window (RFC 7661 §4.4.3).
const NON_VALIDATED: Span = Span::from_secs(300);

impl Sender {
    /// Applies the configured restart rule before the first transmission after an idle period. An idle period
    /// lasts longer than the RTO and has no outstanding data at its end.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.last_sent else { return };
        let (lasted, timeout) = (now - last, self.rto.timeout());
        if lasted <= timeout || self.state.supplied_end <= self.state.nxt {
            return;
        }
        let idle = IdlePeriod { duration: lasted, timeout, initial_window: self.config.initial_window };
        match self.config.idle_restart_window {
            IdleRestartWindow::Keep => {}
            IdleRestartWindow::Initial => self.window.cwnd = self.window.cwnd.min(idle.initial_window),
            // tcp_slow_start_after_idle_check(): the congestion control itself sets rate and window
            IdleRestartWindow::Halve if self.features.paces => {}
            IdleRestartWindow::Halve => self.control.on_idle(&mut self.window, now, &idle, &self.state),
            IdleRestartWindow::Decay => decay_window(&mut self.window, &idle),
        }
        self.last_sent = None; // once per idle period
    }
}

/// RFC 7661 §4.4.3: after each five minutes "ssthresh = max(ssthresh, 3*cwnd/4)", and the window is "max(1/2*cwnd, IW)".
fn decay_window(w: &mut Window, idle: &IdlePeriod) {
    for _ in 0..idle.duration.whole_multiples(NON_VALIDATED) {
        if w.cwnd <= idle.initial_window {
            break;
        }
        w.ssthresh = w.ssthresh.max(w.cwnd * 0.75);
        w.cwnd = (w.cwnd / 2.0).max(idle.initial_window);
    }
}
