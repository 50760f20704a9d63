//! Restart of the window after a pause: the former window is little evidence of the path's state now.

use super::Sender;
use crate::stack::Pause;
use airhop_base::Time;

impl Sender {
    /// Applies the stack's restart rule before a transmission with nothing outstanding, after a pause of more than a retransmission timeout (RFC
    /// 5681 §4.1).
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
