//! Window reductions after signs of congestion.

use super::Sender;
use super::order::ControlCall;
use crate::config::HalveFrom;
use crate::control::floor_segments;
use crate::seams::{CongestionSignal, Loss, LossClass, RepairKind};
use airhop_base::Time;

impl Sender {
    /// Reduces the window after a sign of congestion. Returns the scheme's classification of the sign.
    pub(super) fn reduce_window(&mut self, now: Time, signal: CongestionSignal) -> LossClass {
        let base = self.reduction_base(signal == CongestionSignal::Timeout);
        self.reduce_window_from_base(now, signal, base)
    }

    /// Reduces the window after a sign of congestion. `base` is the flight or window to reduce, in segments.
    /// If `base` is `None`, ssthresh does not change. Returns the scheme's classification of the sign.
    pub(super) fn reduce_window_from_base(
        &mut self,
        now: Time,
        signal: CongestionSignal,
        base: Option<f64>,
    ) -> LossClass {
        let halve_from = self.config.halve_from;
        let half = base.map_or(self.window.ssthresh, |base| halve_from.halve(base));
        let loss = Loss {
            now,
            signal,
            halving_base: base,
            halved_base: half.max(2.0),
            halved_cwnd: half.max(halve_from.least_window()),
        };
        let before = self.window;
        match signal {
            CongestionSignal::Echo => self.reduction = None, // a mark is never spurious (Linux, tcp_enter_cwr())
            CongestionSignal::Duplicates | CongestionSignal::Timeout => self.save_window(before),
        }
        self.order.record_call(if signal == CongestionSignal::Echo {
            ControlCall::Heard
        } else {
            ControlCall::Lost
        });
        let judged = self.control.on_loss(&mut self.window, &loss, &self.state);
        let is_cut = judged == LossClass::Congestion || self.window.cwnd < before.cwnd;
        if is_cut && halve_from == HalveFrom::WholeCwnd {
            self.window.round_down(); // `ssthresh` returns a number of packets, and snd_cwnd_cnt is set to 0
        }
        self.counters.window_reductions += u64::from(is_cut);
        // RFC 3168 §6.1.2: CWR follows a reduction "for any reason", as in ns-2's slowdown() and Linux,
        // tcp_ecn_queue_cwr().
        self.cwr_due |= is_cut && self.marking.reacts_to_echoes();
        // RFC 3168 §6.1.2: no further reduction for the same window of data, by any signal.
        self.echo_point = self.state.sent_end;
        self.reduced_until = if signal == CongestionSignal::Echo { self.state.sent_end } else { 0 };
        judged
    }

    /// Returns the scheme's classification of a loss in a window of data that an ECN mark has already
    /// reduced.
    pub(super) fn classify_marked_loss(&mut self, now: Time) -> LossClass {
        self.echo_point = self.state.sent_end;
        self.order.record_call(ControlCall::Lost);
        self.control.on_marked_loss(&mut self.window, now, &self.state)
    }

    /// True if an ECN mark has already reduced the window for the window of data with the lost segment at
    /// `seq` (RFC 3168 §6.1.2).
    pub(super) fn is_reduced_by_mark(&self, seq: u64) -> bool {
        self.stack.is_reduced_by_mark(seq, self.state.una, self.reduced_until)
    }

    /// True from a reduction for an echoed ECN mark until the data outstanding at that time is acknowledged.
    /// False during loss repair (Linux, TCP_CA_CWR).
    pub fn is_in_cwr(&self) -> bool {
        self.state.una <= self.reduced_until && self.recovery.repair_kind() == RepairKind::Nothing
    }

    /// Returns the flight or window that a loss halves, in segments; `None` if ssthresh does not change.
    pub(super) fn reduction_base(&self, is_timeout: bool) -> Option<f64> {
        let s = &self.state;
        let segments = |bytes: u64| bytes as f64 / s.mss as f64;
        match self.config.halve_from {
            // RFC 5681 §3.1: a repeated timeout of the same segment does not change ssthresh.
            HalveFrom::Flight | HalveFrom::Pipe if is_timeout && s.timed_out_una == Some(s.una) => None,
            HalveFrom::Flight if is_timeout => Some(segments(s.nxt - s.una)),
            // RFC 5681 §3.2 step 2: segments that limited transmit sent beyond the congestion window do not
            // count.
            HalveFrom::Flight => Some(segments(s.nxt - s.una).min(self.window.cwnd)),
            HalveFrom::Pipe => Some(segments(self.recovery.in_flight(s))),
            // ns-2, TcpAgent::windowd(): the smaller of cwnd and the receiver's window.
            HalveFrom::Cwnd => Some(self.window.cwnd.min(segments(s.right_edge - s.una))),
            HalveFrom::WholeCwnd if is_timeout && self.keeps_ssthresh_at_timeout() => None,
            HalveFrom::WholeCwnd => Some(floor_segments(self.window.cwnd)),
        }
    }
}

impl HalveFrom {
    /// Returns half of `base` in segments, rounded as this stack does.
    fn halve(self, base: f64) -> f64 {
        if self == HalveFrom::WholeCwnd { floor_segments(base / 2.0) } else { base / 2.0 }
    }

    /// Returns the minimum window after a halving, in segments. In ns-2 the minimum of two segments applies
    /// only to ssthresh.
    fn least_window(self) -> f64 {
        if self == HalveFrom::Cwnd { 1.0 } else { 2.0 }
    }
}
