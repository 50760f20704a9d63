use super::whole;
use crate::seams::{Ack, CongestionControl, Loss, LossClass, Signal, Window};
use crate::sender_state::SenderState;

/// Congestion window of Linux 2.6 with appropriate byte counting (RFC 3465), an integer number of segments,
/// as in ns-2's Agent/TCP/Linux.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeSegmentAbc {
    /// Segments acknowledged since the window last grew.
    acked: f64,
    /// Fraction of a segment from slow start, and Veno's count of ACKs in congestion avoidance.
    pub count: f64,
}

impl WholeSegmentAbc {
    /// Counts an ACK in every state. Bytes acknowledged during a recovery count after it, and may exceed a
    /// segment.
    pub fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.acked += a.acked.div_ceil(s.mss) as f64; // the first, of a byte, is a segment
    }

    /// Grows the window by one segment per ACK up to and including ssthresh; above ssthresh by one segment
    /// per window of acknowledged segments.
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

    /// Sets ssthresh after a loss, and the window unless the loss was detected by the timer.
    pub fn cut(&mut self, w: &mut Window, ssthresh: f64, window: f64, signal: Signal) {
        *self = WholeSegmentAbc::default();
        w.ssthresh = whole(ssthresh).max(2.0);
        w.cwnd = if signal == Signal::Timeout { 1.0 } else { whole(window) };
    }
}

/// Linux 2.6's Reno in the form of ns-2's Agent/TCP/Linux.
#[derive(Clone, Copy, Debug, Default)]
pub struct CountedReno(WholeSegmentAbc);

impl CongestionControl for CountedReno {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        self.0.grow(w);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        // tcp_reno_min_cwnd(): half of ssthresh; the end of the recovery raises the window to ssthresh.
        let ssthresh = whole(w.cwnd / 2.0).max(2.0);
        self.0.cut(w, ssthresh, ssthresh / 2.0, l.signal);
        LossClass::Congestion
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

    /// Returns the window after ACKs of these numbers of segments, outside recovery.
    fn grown(counted: &mut WholeSegmentAbc, mut w: Window, acked: &[u64]) -> Vec<f64> {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let mut on_ack = |&segments: &u64| {
            counted.observe(&Ack::of(Time::ZERO, segments * 1000), &s);
            counted.grow(&mut w);
            w.cwnd
        };
        acked.iter().map(&mut on_ack).collect()
    }

    // Linux 2.6, tcp_slow_start(): one segment per ACK, whatever amount it acknowledges (RFC 3465 §2.3 with L
    // = 1), up to and including ssthresh.
    #[test]
    fn slow_start() {
        let w = Window { cwnd: 4.0, ssthresh: 6.0 };
        assert_eq!(grown(&mut WholeSegmentAbc::default(), w, &[1, 2, 4, 1]), [5.0, 6.0, 7.0, 7.0]);
    }

    // RFC 3465 §2.1: a window of acknowledged segments adds one segment, and the remainder is kept: 4 and 4
    // acknowledged segments make 8; with a window of 6, 2 of them remain.
    #[test]
    fn avoidance() {
        let w = Window { cwnd: 6.0, ssthresh: 5.0 };
        assert_eq!(grown(&mut WholeSegmentAbc::default(), w, &[4, 4, 4, 1]), [6.0, 7.0, 7.0, 8.0]);
    }

    // tcp_ack() counts acknowledged segments in every state. Twelve segments were counted during recovery,
    // without growth. The next ACK makes 13: the window grows from 5 to 6, for 5 of them. The second ACK
    // makes the remainder 9: the window grows to 7, for 6 of them. The third leaves 4, fewer than 7.
    #[test]
    fn acks_of_a_recovery_count_at_its_end() {
        let mut counted = WholeSegmentAbc::default();
        counted.observe(&Ack::of(Time::ZERO, 12_000), &SenderState::new(&Preset::Ns2.config(1000)));
        let w = Window { cwnd: 5.0, ssthresh: 4.0 };
        assert_eq!(grown(&mut counted, w, &[1, 1, 1]), [6.0, 7.0, 7.0]);
    }

    // A loss resets the count. Windows are integers, ssthresh is at least two, and a timeout leaves one
    // segment.
    #[test]
    fn a_loss_resets_the_count() {
        for (signal, cwnd) in [(Signal::Duplicates, 3.0), (Signal::Timeout, 1.0)] {
            let mut counted = WholeSegmentAbc { acked: 9.0, count: 1.0 };
            let mut w = Window { cwnd: 10.0, ssthresh: 5.0 };
            counted.cut(&mut w, 1.5, 3.9, signal);
            assert_eq!((w.cwnd, w.ssthresh, counted.acked, counted.count), (cwnd, 2.0, 0.0, 0.0));
        }
    }
}
