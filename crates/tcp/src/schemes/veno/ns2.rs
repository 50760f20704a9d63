use crate::control::{WholeSegmentAbc, floor_segments};
use crate::estimators::min_with_sample;
use crate::seams::{Ack, CongestionControl, LossClass, Loss, CongestionSignal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

/// Veno of ns-2.35's linux-veno, a port of Linux 2.6.22's module. Every ACK resets the round's minimum RTT,
/// so in effect the latest RTT is used. The queue is counted in half segments, rounded up.
#[derive(Debug)]
pub(super) struct Ns2 {
    beta: f64,
    window: WholeSegmentAbc,
    base: Option<Span>,
    /// RTT sample of the last ACK; `None` if the ACK yielded no sample.
    latest: Option<Span>,
    samples: u64,
    /// Number of queued half segments when the window last had a chance to grow.
    queued: f64,
    /// True if the window grows when the ACK count is next complete. Used under congestion.
    grows: bool,
    /// First unsent byte at the last timeout. Reno's rules apply until all data below this byte is
    /// acknowledged.
    recovery_point: u64,
}

/// Minimum number of RTT samples. With fewer samples, Reno's rules apply.
const MIN_RTT_SAMPLES: u64 = 3;

impl Ns2 {
    pub fn new(beta: f64) -> Self {
        Ns2 {
            beta,
            window: WholeSegmentAbc::default(),
            base: None,
            latest: None,
            samples: 0,
            queued: 0.0,
            grows: true,
            recovery_point: 0,
        }
    }

    fn is_congested(&self) -> bool {
        self.queued >= 2.0 * self.beta
    }
}

impl CongestionControl for Ns2 {
    fn on_ack(&mut self, w: &mut Window, _: &Ack, s: &SenderState) {
        let Some(base) = self.base.filter(|_| s.una >= self.recovery_point && self.samples >= MIN_RTT_SAMPLES) else {
            return self.window.grow(w);
        };
        let micros = |span: Span| (span.nanos() / 1000 + 1) as f64;
        let fits = self.latest.map_or(0.0, |latest| (2.0 * w.cwnd * micros(base) / micros(latest)).floor());
        self.queued = 2.0 * w.cwnd - fits;
        if w.cwnd <= w.ssthresh {
            self.window.grow(w);
        } else if self.window.pending_segments < w.cwnd {
            self.window.pending_segments += 1.0;
        } else {
            // The window grows by one segment per cwnd + 1 ACKs; under congestion, per twice this number.
            let is_congested = self.is_congested();
            self.window.pending_segments = 0.0;
            w.cwnd += f64::from(self.grows || !is_congested);
            self.grows ^= is_congested;
        }
        w.cwnd = w.cwnd.max(2.0);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let is_congested = self.is_congested();
        let left = if is_congested { w.cwnd / 2.0 } else { w.cwnd * 4.0 / 5.0 };
        let left = floor_segments(left).max(2.0);
        self.window.reduce_window(w, left, left, l.signal);
        if l.signal == CongestionSignal::Timeout {
            self.recovery_point = s.sent_end;
        }
        if is_congested || l.signal == CongestionSignal::Timeout { LossClass::Congestion } else { LossClass::Wireless }
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.window.count_acked_segments(a, s);
        if a.acked_bytes == 0 {
            return;
        }
        // The RTT is that of the newest cumulatively acknowledged segment, even if the ACK SACKs a later
        // segment.
        self.latest = s.scoreboard.single_transmission_time(s.una.saturating_sub(s.mss).max(1)).map(|at| a.now - at);
        if let Some(latest) = self.latest {
            self.base = min_with_sample(self.base, latest);
            self.samples += 1;
        }
    }
}
