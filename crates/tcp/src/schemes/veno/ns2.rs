use crate::control::{WholeSegmentAbc, whole};
use crate::estimators::least;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Signal, Window};
use crate::sender_state::SenderState;
use airhop_base::Span;

/// Veno as ns-2.35's linux-veno has it, the port of Linux 2.6.22's module: it goes by the latest round trip, as it forgets the smallest of
/// the round on every ACK, and counts the queue in half segments, rounded up.
#[derive(Debug)]
pub(super) struct Ns2 {
    beta: f64,
    window: WholeSegmentAbc,
    base: Option<Span>,
    /// The last ACK's round trip.
    latest: Option<Span>,
    samples: u64,
    /// Half segments queued when the window last had an occasion to grow.
    queued: f64,
    /// Congested: the next full count grows the window.
    grows: bool,
    /// End of the data outstanding at the last timeout; Reno's rules until it is acknowledged.
    recovery_point: u64,
}

/// With fewer samples it is Reno.
const ENOUGH: u64 = 3;

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
        let Some(base) = self.base.filter(|_| s.una >= self.recovery_point && self.samples >= ENOUGH) else {
            return self.window.grow(w);
        };
        let micros = |span: Span| (span.nanos() / 1000 + 1) as f64;
        let fits = self.latest.map_or(0.0, |latest| (2.0 * w.cwnd * micros(base) / micros(latest)).floor());
        self.queued = 2.0 * w.cwnd - fits;
        if w.cwnd <= w.ssthresh {
            self.window.grow(w);
        } else if self.window.count < w.cwnd {
            self.window.count += 1.0;
        } else {
            // One more for cwnd + 1 ACKs, or for twice as many.
            let is_congested = self.is_congested();
            self.window.count = 0.0;
            w.cwnd += f64::from(self.grows || !is_congested);
            self.grows ^= is_congested;
        }
        w.cwnd = w.cwnd.max(2.0);
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged {
        let is_congested = self.is_congested();
        let left = if is_congested { w.cwnd / 2.0 } else { w.cwnd * 4.0 / 5.0 };
        let left = whole(left).max(2.0);
        self.window.cut(w, left, left, l.signal);
        if l.signal == Signal::Timeout {
            self.recovery_point = s.max_sent;
        }
        if is_congested || l.signal == Signal::Timeout { Judged::Congestion } else { Judged::Wireless }
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.window.observe(a, s);
        if a.acked == 0 {
            return;
        }
        // That of the newest segment that is acknowledged cumulatively, also where the ACK reports a later one.
        self.latest = s.board.sent_once(s.una.saturating_sub(s.mss).max(1)).map(|at| a.now - at);
        if let Some(latest) = self.latest {
            self.base = least(self.base, latest);
            self.samples += 1;
        }
    }
}
