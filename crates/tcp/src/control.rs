//! Additive increase, multiplicative decrease: the control that most schemes are built on.

use crate::seams::{Ack, CongestionControl, Judged, Loss, Signal, Window};
use crate::space::Space;

/// Slow start and congestion avoidance by ACK counting, and a halving per loss (RFC 5681 §3.1).
#[derive(Clone, Copy, Debug, Default)]
pub struct Reno;

impl CongestionControl for Reno {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &Space) {
        // One segment per ACK, then one per window: what ns-2 does, and what the papers' figures come from.
        w.cwnd += if w.in_slow_start() { 1.0 } else { 1.0 / w.cwnd };
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &Space) -> Judged {
        w.ssthresh = l.half;
        w.cwnd = match l.signal {
            Signal::Duplicates | Signal::Echo => l.window,
            Signal::Timeout => 1.0, // RFC 5681 §3.1: the loss window
        };
        Judged::Congestion
    }
}
