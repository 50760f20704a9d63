//! Detection of reordering on the path, as in Linux: there it decides which ACKs grow the window.

use super::Sender;

impl Sender {
    /// Detects reordering from an ACK before which `high_sack` was the end of the highest SACKed segment: a segment that was sent once arrived
    /// behind it, and more than DupThresh segments behind the foremost (Linux, tcp_check_sack_reordering()). Linux resets this at a timeout with
    /// as much SACKed and no recovery (tcp_enter_loss()), which RACK's timer forestalls here.
    pub(super) fn note_reordering(&mut self, high_sack: u64) {
        let s = &mut self.state;
        if high_sack == 0 || !self.stack.looks_for_reordering() {
            return;
        }
        let late = s.board.arrived().iter().filter(|e| !e.again && !e.arrived && e.start < high_sack);
        if let Some(first) = late.map(|e| e.start).min() {
            s.reorders |= s.board.high_sack().max(s.una) > first + u64::from(s.dupthresh) * s.mss;
        }
    }
}
