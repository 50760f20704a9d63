use super::whole;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Signal, Window};
use crate::space::Space;

/// Linux 2.6's window with appropriate byte counting (RFC 3465), as ns-2's Agent/TCP/Linux has it: whole segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Segments acknowledged since the window last grew.
    acked: f64,
    /// Slow start's part of a segment, and Veno's ACKs of congestion avoidance.
    pub count: f64,
}

impl Counted {
    /// Takes in an ACK, in whatever state: what a recovery has acknowledged counts when it is over, and may be worth more than one segment.
    pub fn observe(&mut self, a: &Ack, s: &Space) {
        self.acked += a.acked.div_ceil(s.mss) as f64; // the first, of a byte, is a segment
    }

    /// One more for each ACK up to ssthresh, that included; above it one more for as many acknowledged segments as the window holds.
    pub fn grow(&mut self, w: &mut Window) {
        if w.cwnd > w.ssthresh {
            if self.acked >= w.cwnd {
                self.acked -= w.cwnd;
                w.cwnd += 1.0;
            }
        } else if self.acked >= 1.0 {
            self.acked = 0.0;
            self.count += w.cwnd;
            while self.count >= w.cwnd {
                self.count -= w.cwnd;
                w.cwnd += 1.0;
            }
        }
    }

    /// A loss leaves ssthresh and, unless the timer told of it, the window.
    pub fn cut(&mut self, w: &mut Window, ssthresh: f64, window: f64, signal: Signal) {
        *self = Counted::default();
        w.ssthresh = whole(ssthresh).max(2.0);
        w.cwnd = if signal == Signal::Timeout { 1.0 } else { whole(window) };
    }
}

/// Linux 2.6's Reno, as ns-2's Agent/TCP/Linux has it.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountedReno(Counted);

impl CongestionControl for CountedReno {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &Space) {
        self.0.grow(w);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &Space) -> Judged {
        // tcp_reno_min_cwnd(): half of ssthresh, from which the end of the recovery raises it to ssthresh.
        let ssthresh = whole(w.cwnd / 2.0).max(2.0);
        self.0.cut(w, ssthresh, ssthresh / 2.0, l.signal);
        Judged::Congestion
    }

    fn observe(&mut self, a: &Ack, s: &Space) {
        self.0.observe(a, s);
    }
}
