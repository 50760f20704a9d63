//! Additive increase, multiplicative decrease: the control that most schemes are built on.

mod counted;

pub use counted::{CountedReno, WholeSegmentAbc};

use crate::config::Growth;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Signal, Window};
use crate::sender_state::SenderState;

/// Slow start and congestion avoidance, and a halving per loss (RFC 5681 §3.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        increase(w, 1.0, a, s);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> Judged {
        w.ssthresh = l.half;
        w.cwnd = match l.signal {
            Signal::Duplicates | Signal::Echo => l.window,
            Signal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
        };
        Judged::Congestion
    }
}

/// Slow start, then additive increase by `alpha` segments per window.
pub(crate) fn increase(w: &mut Window, alpha: f64, a: &Ack, s: &SenderState) {
    match s.growth {
        // One segment per ACK, then one per window, as in ns-2, the source of the papers' figures.
        Growth::PerAck => w.cwnd += if w.in_slow_start() { 1.0 } else { alpha / w.cwnd },
        Growth::PerByte => grow(w, alpha, a.counted as f64 / s.mss as f64),
    }
}

/// RFC 3465 §2.1 and §2.2, without a limit in slow start, as Linux has it: `segments` were delivered. The window counts in whole
/// segments: `alpha` more for as many as it holds.
fn grow(w: &mut Window, alpha: f64, segments: f64) {
    let exponential = segments.min((w.ssthresh - w.cwnd).max(0.0));
    w.cwnd += exponential;
    w.cwnd += alpha * (segments - exponential) / whole(w.cwnd);
}

/// Multiplicative decrease to the share `kept` (RFC 5681 §3.1 with another factor than 1/2).
pub(crate) fn decrease(w: &mut Window, kept: f64, l: &Loss) {
    leave(w, l.base.map(|base| base * kept), l.signal);
}

/// Applies a reduction that leaves `left` segments; `None` is a timeout that leaves ssthresh unchanged.
pub(crate) fn leave(w: &mut Window, left: Option<f64>, signal: Signal) {
    w.ssthresh = left.map_or(w.ssthresh, |left| left.max(2.0));
    w.cwnd = match signal {
        Signal::Duplicates => w.ssthresh,
        Signal::Echo => left.unwrap_or(w.ssthresh).max(1.0),
        Signal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
    };
}

/// `segments` without its fraction, which many small increments may have left a hair below the next whole number.
pub(crate) fn whole(segments: f64) -> f64 {
    (segments + 1e-6).floor()
}
