use super::floor_segments;
use crate::seams::{Ack, CongestionControl, CongestionSignal, Loss, LossClass, Window};
use crate::sender_state::SenderState;

/// Congestion window of Linux 2.6 with appropriate byte counting (RFC 3465), as in ns-2's Agent/TCP/Linux.
/// The window is an integer number of segments.
#[derive(Clone, Copy, Debug, Default)]
pub struct WholeSegmentAbc {
    /// Number of segments acknowledged since the last window growth.
    acked: f64,
    /// Number of segments counted in slow start but not yet used for growth. In Veno's congestion avoidance,
    /// the number of ACKs counted towards the next growth.
    pub pending_segments: f64,
}

impl WholeSegmentAbc {
    /// Counts the segments of an ACK in every state. Segments acknowledged during a recovery therefore
    /// increase the window after the recovery.
    pub fn count_acked_segments(&mut self, a: &Ack, s: &SenderState) {
        // the first ACK acknowledges one byte, and counts as a segment
        self.acked += a.acked_bytes.div_ceil(s.mss) as f64;
    }

    /// Increases the window by one segment: per ACK up to ssthresh, and per window of acknowledged segments
    /// above ssthresh.
    pub fn grow(&mut self, w: &mut Window) {
        if w.cwnd > w.ssthresh {
            if self.acked >= w.cwnd {
                self.acked -= w.cwnd;
                w.cwnd += 1.0;
            }
        } else if self.acked >= 1.0 {
            self.acked = 0.0;
            self.pending_segments += w.cwnd;
            while self.pending_segments >= w.cwnd {
                self.pending_segments -= w.cwnd;
                w.cwnd += 1.0;
            }
        }
    }

    /// Sets ssthresh and window after a loss. After a timeout, the window is one segment.
    pub fn reduce_window(&mut self, w: &mut Window, ssthresh: f64, window: f64, signal: CongestionSignal) {
        *self = WholeSegmentAbc::default();
        w.ssthresh = floor_segments(ssthresh).max(2.0);
        w.cwnd = if signal == CongestionSignal::Timeout { 1.0 } else { floor_segments(window) };
    }
}

/// Linux 2.6's Reno as implemented in ns-2's Agent/TCP/Linux.
#[derive(Clone, Copy, Debug, Default)]
pub struct Ns2LinuxReno(WholeSegmentAbc);

impl CongestionControl for Ns2LinuxReno {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, _: &SenderState) {
        self.0.grow(w);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, _: &SenderState) -> LossClass {
        // tcp_reno_min_cwnd(): the window during recovery is half of ssthresh; the end of the recovery sets
        // the window to ssthresh.
        let ssthresh = floor_segments(w.cwnd / 2.0).max(2.0);
        self.0.reduce_window(w, ssthresh, ssthresh / 2.0, l.signal);
        LossClass::Congestion
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.0.count_acked_segments(a, s);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Time;

    /// Acknowledges these numbers of segments outside recovery. Returns the window after each ACK.
    fn grown(counted: &mut WholeSegmentAbc, mut w: Window, acked: &[u64]) -> Vec<f64> {
        let s = SenderState::new(&Preset::Ns2.config(1000));
        let mut on_ack = |&segments: &u64| {
            counted.count_acked_segments(&Ack::with_acked_bytes(Time::ZERO, segments * 1000), &s);
            counted.grow(&mut w);
            w.cwnd
        };
        acked.iter().map(&mut on_ack).collect()
    }

    // Linux 2.6, tcp_slow_start(): the window grows by one segment per ACK, for any number of acknowledged
    // segments (RFC 3465 §2.3 with L = 1), up to and including ssthresh.
    #[test]
    fn slow_start_adds_one_segment_per_ack() {
        let w = Window { cwnd: 4.0, ssthresh: 6.0 };
        assert_eq!(grown(&mut WholeSegmentAbc::default(), w, &[1, 2, 4, 1]), [5.0, 6.0, 7.0, 7.0]);
    }

    // RFC 3465 §2.1: a window of acknowledged segments increases the window by one segment, and the remainder
    // counts for the next growth. Two ACKs of 4 segments make 8, and a window of 6 leaves a remainder of 2.
    #[test]
    fn avoidance_adds_one_segment_per_acknowledged_window() {
        let w = Window { cwnd: 6.0, ssthresh: 5.0 };
        assert_eq!(grown(&mut WholeSegmentAbc::default(), w, &[4, 4, 4, 1]), [6.0, 7.0, 7.0, 8.0]);
    }

    // tcp_ack() counts acknowledged segments in every state. During recovery 12 segments were counted without
    // growth of the window. With the next ACK the count is 13 segments; 5 of them increase the window from 5
    // to 6. With the second ACK the remainder is 9; 6 of them increase the window to 7. After the third ACK 4
    // remain, fewer than the window of 7.
    #[test]
    fn acks_during_recovery_grow_the_window_after_its_end() {
        let mut counted = WholeSegmentAbc::default();
        counted.count_acked_segments(
            &Ack::with_acked_bytes(Time::ZERO, 12_000),
            &SenderState::new(&Preset::Ns2.config(1000)),
        );
        let w = Window { cwnd: 5.0, ssthresh: 4.0 };
        assert_eq!(grown(&mut counted, w, &[1, 1, 1]), [6.0, 7.0, 7.0]);
    }

    // A loss resets the count. Windows are integers, ssthresh is at least two, and a timeout leaves one
    // segment.
    #[test]
    fn a_loss_resets_the_count_of_acknowledged_segments() {
        for (signal, cwnd) in [(CongestionSignal::Duplicates, 3.0), (CongestionSignal::Timeout, 1.0)] {
            let mut counted = WholeSegmentAbc { acked: 9.0, pending_segments: 1.0 };
            let mut w = Window { cwnd: 10.0, ssthresh: 5.0 };
            counted.reduce_window(&mut w, 1.5, 3.9, signal);
            assert_eq!((w.cwnd, w.ssthresh, counted.acked, counted.pending_segments), (cwnd, 2.0, 0.0, 0.0));
        }
    }
}
