//! Restart of the window after an idle period, because the old window says little about the present state of
//! the path.

use super::Sender;
use crate::stack::Pause;
use airhop_base::Time;

impl Sender {
    /// Applies the stack's restart rule (RFC 5681 §4.1) before a transmission with no data outstanding, after
    /// an idle period longer than a retransmission timeout.
    pub(super) fn restart_after_idle(&mut self, now: Time) {
        let Some(last) = self.last_sent else { return };
        let (lasted, timeout) = (now - last, self.rto.timeout());
        if lasted <= timeout || self.state.supplied <= self.state.nxt {
            return;
        }
        let (initial_window, is_paced) = (self.config.initial_window, self.features.paces);
        self.stack.after_pause(&mut self.window, &Pause { lasted, timeout, initial_window, is_paced });
        self.last_sent = None; // once a pause
    }
}
