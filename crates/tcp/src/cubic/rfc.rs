use super::CubicConstants;
use crate::seams::Window;
use crate::sender_state::SenderState;
use airhop_base::{Span, Time};

/// CUBIC's congestion avoidance as in RFC 9438.
#[derive(Debug)]
pub(super) struct Rfc9438Cubic {
    constants: CubicConstants,
    pub state: CubicState,
    /// State before the last loss.
    before: CubicState,
    /// First unsent byte at the last loss. A loss of data below this byte belongs to the same window of data.
    point: u64,
}

/// CUBIC's state, without the window, that a loss changes.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct CubicState {
    /// W_max; `None` before the first loss and after a timeout. The next epoch then begins at the plateau
    /// (§4.8).
    pub w_max: Option<f64>,
    /// cwnd_prior (§4.1.2); `None` if slow start ended without a loss.
    prior: Option<f64>,
    /// Current epoch of congestion avoidance; `None` before its start.
    pub epoch: Option<Epoch>,
}

/// Epoch: one uninterrupted stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub(super) struct Epoch {
    start: Time,
    /// Time from the start of the epoch to the plateau, in seconds.
    pub k: f64,
    /// Window at the plateau: the larger of W_max and the window at the start of the epoch.
    pub plateau: f64,
    /// W_est in segments: window of a Reno sender with the same losses.
    friendly: f64,
}

impl Epoch {
    /// Creates an epoch that begins with the window `cwnd` (§4.2, equation 2; §4.8 without a W_max).
    pub fn new(start: Time, cwnd: f64, w_max: Option<f64>, c: f64) -> Self {
        let plateau = w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
        Epoch { start, k: libm::cbrt((plateau - cwnd) / c), plateau, friendly: cwnd }
    }

    /// Returns W_cubic `t` seconds after the start of the epoch (§4.2, equation 1).
    pub fn w_cubic(&self, t: f64, c: f64) -> f64 {
        let d = t - self.k;
        c * d * d * d + self.plateau
    }
}

impl Rfc9438Cubic {
    pub fn new(constants: CubicConstants) -> Self {
        Rfc9438Cubic { constants, state: CubicState::default(), before: CubicState::default(), point: 0 }
    }

    /// Increases the window for an ACK (§4.2 to §4.5). `delivered` is the number of newly delivered segments,
    /// and `counted` the number of segments that count for growth.
    pub fn on_avoidance_ack(
        &mut self,
        w: &mut Window,
        delivered: f64,
        counted: f64,
        now: Time,
        srtt: Option<Span>,
    ) {
        let CubicConstants { c, beta, .. } = self.constants;
        let memory = &mut self.state;
        let cwnd = w.cwnd;
        let epoch = memory.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, memory.w_max, c));
        // §4.3: once W_est has reached the window before the loss, it grows as fast as Reno's window.
        let is_back = memory.prior.is_none_or(|prior| epoch.friendly >= prior);
        epoch.friendly += if is_back { 1.0 } else { alpha(beta) } * delivered / cwnd;

        let t = now.since(epoch.start).secs_f64();
        if epoch.w_cubic(t, c) < epoch.friendly {
            w.cwnd = cwnd.max(epoch.friendly);
            return;
        }
        // §4.2: the target is the cubic one round trip later, at most 1.5 times the present window.
        let target = epoch.w_cubic(t + srtt.map_or(0.0, Span::secs_f64), c).clamp(cwnd, 1.5 * cwnd);
        w.cwnd += (target - cwnd) / cwnd * counted;
    }

    /// Updates W_max and cwnd_prior for a loss or a mark at the window `cwnd` (§4.6 to §4.8). Returns the new
    /// ssthresh, beta × `reduced_from`; `None` if ssthresh does not change.
    pub fn on_loss(
        &mut self,
        cwnd: f64,
        reduced_from: Option<f64>,
        is_timeout: bool,
        s: &SenderState,
    ) -> Option<f64> {
        let CubicConstants { beta, fast_convergence, .. } = self.constants;
        if s.una >= self.point {
            self.before = self.state;
        }
        self.point = s.sent_end;
        let w_max = match self.state.w_max {
            Some(last) if fast_convergence && cwnd < last => cwnd * (1.0 + beta) / 2.0,
            _ => cwnd,
        };
        // §4.1.2: cwnd_prior is the window "at the time of setting ssthresh most recently".
        let prior = if reduced_from.is_some() { Some(cwnd) } else { self.state.prior };
        self.state = CubicState { w_max: (!is_timeout).then_some(w_max), prior, epoch: None };
        reduced_from.map(|window| window * beta)
    }

    /// Shifts the start of the epoch by the duration of a period without data in flight (§5.8).
    pub fn shift_epoch(&mut self, now: Time, span: Span) {
        if let Some(epoch) = &mut self.state.epoch {
            epoch.start = now.min(epoch.start + span);
        }
    }

    /// Restores the state before a spurious loss (§4.9.2).
    pub fn on_spurious(&mut self) {
        self.state = self.before;
    }
}

/// Returns alpha, the additive increase for a mean window equal to Reno's at this beta (§4.3, equation 4).
pub(super) fn alpha(beta: f64) -> f64 {
    3.0 * (1.0 - beta) / (1.0 + beta)
}
