//! Additive increase, multiplicative decrease: the basis of most schemes.

mod counted;

pub use counted::{Ns2LinuxReno, WholeSegmentAbc};

use crate::config::WindowGrowth;
use crate::seams::{Ack, CongestionControl, CongestionSignal, Loss, LossClass, Window};
use crate::sender_state::SenderState;

/// Reno's congestion control: slow start, congestion avoidance, and a window halved after a loss (RFC 5681
/// §3.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        increase_window(w, 1.0, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        w.ssthresh = l.halved_base;
        w.cwnd = match l.signal {
            CongestionSignal::Duplicates | CongestionSignal::Echo => l.halved_cwnd,
            CongestionSignal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
        };
        LossClass::Congestion
    }
}

/// Increases the window for an ACK: in slow start, then additively by `alpha` segments per window.
pub(crate) fn increase_window(w: &mut Window, alpha: f64, a: &Ack, s: &SenderState) {
    match s.growth {
        // ns-2, which computed the papers' figures: one segment per ACK in slow start, then `alpha` segments
        // per window.
        WindowGrowth::PerAck => w.cwnd += if w.in_slow_start() { 1.0 } else { alpha / w.cwnd },
        WindowGrowth::PerByte => increase_by_delivered(w, alpha, a.growth_bytes as f64 / s.mss as f64),
    }
}

/// Increases the window for `segments` delivered segments (RFC 3465 §2.1 and §2.2, without a limit in slow
/// start, as in Linux). In congestion avoidance, the window grows by `alpha` segments per delivered window,
/// rounded down to whole segments.
fn increase_by_delivered(w: &mut Window, alpha: f64, segments: f64) {
    let exponential = segments.min((w.ssthresh - w.cwnd).max(0.0));
    w.cwnd += exponential;
    w.cwnd += alpha * (segments - exponential) / floor_segments(w.cwnd);
}

/// Sets ssthresh to the fraction `kept` of the quantity that RFC 5681 §3.1 halves.
pub(crate) fn decrease_window(w: &mut Window, kept: f64, l: &Loss) {
    set_reduced_window(w, l.halving_base.map(|base| base * kept), l.signal);
}

/// Sets ssthresh and window to `left` segments. With `None`, ssthresh does not change (repeated timeout).
pub(crate) fn set_reduced_window(w: &mut Window, left: Option<f64>, signal: CongestionSignal) {
    w.ssthresh = left.map_or(w.ssthresh, |left| left.max(2.0));
    w.cwnd = match signal {
        CongestionSignal::Duplicates => w.ssthresh,
        CongestionSignal::Echo => left.unwrap_or(w.ssthresh).max(1.0),
        CongestionSignal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
    };
}

/// Rounds `segments` down to an integer. A tolerance absorbs the rounding errors of many small increments.
pub(crate) fn floor_segments(segments: f64) -> f64 {
    (segments + 1e-6).floor()
}
