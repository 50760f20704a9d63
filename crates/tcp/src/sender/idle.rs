//! Restart of the window after an idle period, because the old window says little about the present state of
//! the path.

use super::Sender;
use crate::config::AfterPause;
use crate::control::whole;
use crate::seams::Window;
use airhop_base::{Span, Time};

/// Time for which a sender keeps a window that it does not use (RFC 7661 §4.4.3).
const NON_VALIDATED: Span = Span::from_secs(300);

/// Idle period of a sender.
#[derive(Clone, Copy, Debug)]
struct Pause {
    /// Time since the last data transmission.
    lasted: Span,
    /// The retransmission timeout.
    timeout: Span,
    /// The initial congestion window, segments.
    initial_window: f64,
}

impl Sender {
    /// Applies the configured restart rule before a transmission with no data outstanding, after an idle period
    /// longer than a retransmission timeout.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.last_sent else { return };
        let (lasted, timeout) = (now - last, self.rto.timeout());
        if lasted <= timeout || self.state.supplied <= self.state.nxt {
            return;
        }
        let pause = Pause { lasted, timeout, initial_window: self.config.initial_window };
        match self.config.after_pause {
            AfterPause::Keep => {}
            AfterPause::Initial => self.window.cwnd = self.window.cwnd.min(pause.initial_window),
            AfterPause::Halve if self.features.paces => {} // tcp_slow_start_after_idle_check(): the control sets rate and window itself
            AfterPause::Halve => halve(&mut self.window, &pause),
            AfterPause::Decay => decay(&mut self.window, &pause),
        }
        self.last_sent = None; // once a pause
    }
}

/// Linux, tcp_cwnd_restart(): the window is halved for each timeout that the pause took, down to the initial window; ssthresh keeps three quarters.
fn halve(w: &mut Window, pause: &Pause) {
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

/// RFC 7661 §4.4.3: after each five minutes "ssthresh = max(ssthresh, 3*cwnd/4)", and the window is "max(1/2*cwnd, IW)".
fn decay(w: &mut Window, pause: &Pause) {
    for _ in 0..pause.lasted.whole(NON_VALIDATED) {
        if w.cwnd <= pause.initial_window {
            break;
        }
        w.ssthresh = w.ssthresh.max(w.cwnd * 0.75);
        w.cwnd = (w.cwnd / 2.0).max(pause.initial_window);
    }
}
