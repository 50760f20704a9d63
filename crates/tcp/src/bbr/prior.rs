use crate::seams::Window;

/// Window in segments to restore after loss recovery or after ProbeRTT (BBRSaveCwnd and BBRRestoreCwnd: v1
/// §4.2.3.4; §5.6.4.4).
#[derive(Debug, Default)]
pub struct PriorCwnd(f64);

impl PriorCwnd {
    /// Saves the window before a reduction. If another reduction is already in effect (`is_usual` is false),
    /// a larger saved window is kept.
    pub fn save(&mut self, w: &Window, is_usual: bool) {
        self.0 = if is_usual { w.cwnd } else { self.0.max(w.cwnd) };
    }

    /// Restores the window after the reduction.
    pub fn restore(&self, w: &mut Window) {
        w.cwnd = w.cwnd.max(self.0);
    }
}
