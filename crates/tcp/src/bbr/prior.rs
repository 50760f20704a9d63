use crate::seams::Window;

/// Window to restore after loss recovery or after the probe for the minimum RTT, segments (BBRSaveCwnd and
/// BBRRestoreCwnd: v1 §4.2.3.4; §5.6.4.4).
#[derive(Debug, Default)]
pub struct PriorCwnd(f64);

impl PriorCwnd {
    /// Saves the window before a reduction. `is_usual`: true if no other reduction is in effect. If another
    /// reduction is in effect, a larger saved window stays.
    pub fn save(&mut self, w: &Window, is_usual: bool) {
        self.0 = if is_usual { w.cwnd } else { self.0.max(w.cwnd) };
    }

    /// Restores the window after the reduction.
    pub fn restore(&self, w: &mut Window) {
        w.cwnd = w.cwnd.max(self.0);
    }
}
