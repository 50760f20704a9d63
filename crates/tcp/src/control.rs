//! Additive increase, multiplicative decrease: the congestion control on which most schemes build.

mod counted;

pub use counted::{CountedReno, WholeSegmentAbc};

use crate::config::Growth;
use crate::seams::{Ack, CongestionControl, Loss, LossClass, Signal, Window};
use crate::sender_state::SenderState;

/// Slow start, congestion avoidance, and a halving per loss (RFC 5681 §3.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        increase(w, 1.0, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        w.ssthresh = l.half;
        w.cwnd = match l.signal {
            Signal::Duplicates | Signal::Echo => l.window,
            Signal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
        };
        LossClass::Congestion
    }
}

/// Grows the window: slow start, then additive increase by `alpha` segments per window.
pub(crate) fn increase(w: &mut Window, alpha: f64, a: &Ack, s: &SenderState) {
    match s.growth {
        // One segment per ACK, then one segment per window, as in ns-2, which computed the papers' figures.
        Growth::PerAck => w.cwnd += if w.in_slow_start() { 1.0 } else { alpha / w.cwnd },
        Growth::PerByte => grow(w, alpha, a.counted as f64 / s.mss as f64),
    }
}

/// Grows the window for `segments` delivered segments (RFC 3465 §2.1 and §2.2, without a limit in slow start,
/// as in Linux). In congestion avoidance an integer number of segments counts as the window, which grows by
/// `alpha` segments for each window delivered.
fn grow(w: &mut Window, alpha: f64, segments: f64) {
    let exponential = segments.min((w.ssthresh - w.cwnd).max(0.0));
    w.cwnd += exponential;
    w.cwnd += alpha * (segments - exponential) / whole(w.cwnd);
}

/// Multiplicative decrease to the fraction `kept` (RFC 5681 §3.1 with another factor than 1/2).
pub(crate) fn decrease(w: &mut Window, kept: f64, l: &Loss) {
    leave(w, l.base.map(|base| base * kept), l.signal);
}

/// Applies a reduction to `left` segments; `None`: a timeout that leaves ssthresh unchanged.
pub(crate) fn leave(w: &mut Window, left: Option<f64>, signal: Signal) {
    w.ssthresh = left.map_or(w.ssthresh, |left| left.max(2.0));
    w.cwnd = match signal {
        Signal::Duplicates => w.ssthresh,
        Signal::Echo => left.unwrap_or(w.ssthresh).max(1.0),
        Signal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
    };
}

/// Returns `segments` rounded down to an integer, with a tolerance for rounding errors of many small
/// increments.
pub(crate) fn whole(segments: f64) -> f64 {
    (segments + 1e-6).floor()
}
