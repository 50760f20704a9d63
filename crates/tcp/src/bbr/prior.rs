use crate::seams::Window;

/// The window to come back to after a recovery, or after the round trip was probed, segments (BBRSaveCwnd and BBRRestoreCwnd: v1
/// §4.2.3.4; §5.6.4.4).
#[derive(Debug, Default)]
pub struct PriorCwnd(f64);

impl PriorCwnd {
    /// The window is to be reduced. `is_usual`: nothing has reduced it so far.
    pub fn save(&mut self, w: &Window, is_usual: bool) {
        self.0 = if is_usual { w.cwnd } else { self.0.max(w.cwnd) };
    }

    /// Restores the window after the reduction.
    pub fn restore(&self, w: &mut Window) {
        w.cwnd = w.cwnd.max(self.0);
    }
}
