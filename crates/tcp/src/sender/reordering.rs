//! Detection of reordering on the path. As in Linux, reordering decides which ACKs increase the window.

use super::Sender;

impl Sender {
    /// Detects reordering from an ACK. `high_sack` is the end of the highest SACKed segment before the ACK.
    /// The path reorders if a segment sent once arrives more than DupThresh segments behind the highest
    /// SACKed segment (Linux, tcp_check_sack_reordering()). Linux can also reset the degree of reordering at
    /// a timeout outside recovery (tcp_enter_loss()). Here RACK's timer expires before such a timeout.
    #[inline]
    pub(super) fn detect_reordering(&mut self, high_sack: u64) {
        if high_sack != 0 && self.stack.detects_reordering() {
            self.detect_late_arrivals(high_sack);
        }
    }

    #[inline(never)]
    fn detect_late_arrivals(&mut self, high_sack: u64) {
        let s = &mut self.state;
        let late = s
            .scoreboard
            .newly_arrived()
            .iter()
            .filter(|e| !e.ever_retransmitted && !e.arrived && e.start < high_sack);
        if let Some(first) = late.map(|e| e.start).min() {
            s.has_reordering |= s.scoreboard.high_sack().max(s.una) > first + u64::from(s.dupthresh) * s.mss;
        }
    }
}
