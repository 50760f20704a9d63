use super::whole;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Signal, Window};
use crate::sender_state::SenderState;

/// Linux 2.6's window with appropriate byte counting (RFC 3465), as ns-2's Agent/TCP/Linux has it: whole segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct Counted {
    /// Segments acknowledged since the window last grew.
    acked: f64,
    /// Slow start's part of a segment, and Veno's ACKs of congestion avoidance.
    pub count: f64,
}

impl Counted {
    /// Counts an ACK, in whatever state: bytes acknowledged during a recovery count when it is over, and may be worth more than one segment.
    pub fn observe(&mut self, a: &Ack, s: &SenderState) {
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
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        self.0.grow(w);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> Judged {
        // tcp_reno_min_cwnd(): half of ssthresh, from which the end of the recovery raises it to ssthresh.
        let ssthresh = whole(w.cwnd / 2.0).max(2.0);
        self.0.cut(w, ssthresh, ssthresh / 2.0, l.signal);
        Judged::Congestion
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.0.observe(a, s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;

    /// A window after an ACK of so many segments each, outside recovery.
    fn grown(counted: &mut Counted, mut w: Window, acked: &[u64]) -> Vec<f64> {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let mut on_ack = |&segments: &u64| {
            counted.observe(&Ack::of(Time::ZERO, segments * 1000), &s);
            counted.grow(&mut w);
            w.cwnd
        };
        acked.iter().map(&mut on_ack).collect()
    }

    // Linux 2.6, tcp_slow_start(): one more for an ACK, whatever it acknowledges (RFC 3465 §2.3 with L = 1), up to ssthresh and at it.
    #[test]
    fn slow_start() {
        let w = Window { cwnd: 4.0, ssthresh: 6.0 };
        assert_eq!(grown(&mut Counted::default(), w, &[1, 2, 4, 1]), [5.0, 6.0, 7.0, 7.0]);
    }

    // RFC 3465 §2.1: a window's worth of segments is a segment more, and what is beyond is kept: 4 of 6 and 4 make 8, of which 2 are left.
    #[test]
    fn avoidance() {
        let w = Window { cwnd: 6.0, ssthresh: 5.0 };
        assert_eq!(grown(&mut Counted::default(), w, &[4, 4, 4, 1]), [6.0, 7.0, 7.0, 8.0]);
    }

    // tcp_ack() counts in every state, and what was counted without growing makes the window grow with the next ACKs, by one each: 12 and one
    // are 13, of which 5, 6 and, with two more, not yet 7 are taken.
    #[test]
    fn what_a_recovery_acknowledged_counts_when_it_is_over() {
        let mut counted = Counted::default();
        counted.observe(&Ack::of(Time::ZERO, 12_000), &SenderState::new(&Preset::Ns2.config(1000)));
        let w = Window { cwnd: 5.0, ssthresh: 4.0 };
        assert_eq!(grown(&mut counted, w, &[1, 1, 1]), [6.0, 7.0, 7.0]);
    }

    // A loss begins the count anew. Windows are whole, ssthresh is two at least, and the timer leaves one segment.
    #[test]
    fn a_loss() {
        for (signal, cwnd) in [(Signal::Duplicates, 3.0), (Signal::Timeout, 1.0)] {
            let mut counted = Counted { acked: 9.0, count: 1.0 };
            let mut w = Window { cwnd: 10.0, ssthresh: 5.0 };
            counted.cut(&mut w, 1.5, 3.9, signal);
            assert_eq!((w.cwnd, w.ssthresh, counted.acked, counted.count), (cwnd, 2.0, 0.0, 0.0));
        }
    }
}
