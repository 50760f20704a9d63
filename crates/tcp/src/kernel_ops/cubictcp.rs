//! The kernel's own CUBIC: the exported functions `cubictcp_*` that other congestion controls call. The
//! implementation is [`CubicVersion::Linux`] with HyStart, in the kernel's units.

use crate::config::WindowGrowth;
use crate::cubic::{Cubic, CubicConstants, CubicVersion};
use crate::seams::{Ack, CongestionControl, CongestionSignal, Loss, Window};
use crate::sender_state::SenderState;
use crate::slow_start::SlowStartMethod;
use crate::{Config, Preset};
use airhop_base::{Sack, Span, Time};

/// Linux' constants: beta 717/1024, C 410/1024, and fast convergence.
const CONSTANTS: CubicConstants = CubicConstants { beta: 0.7, c: 0.4, fast_convergence: true };

/// State of the connection at a call, in the kernel's units.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SockSnapshot {
    /// Current time.
    pub now: Time,
    /// Lowest unacknowledged byte, modulo 2^32.
    pub snd_una: u32,
    /// Next byte to send, modulo 2^32.
    pub snd_nxt: u32,
    /// Time of the last data transmission in jiffies.
    pub lsndtime: u32,
    /// True if segments are paced.
    pub is_paced: bool,
}

/// CUBIC of one connection.
#[derive(Debug)]
pub struct CubicTcp {
    cubic: Cubic,
    state: SenderState,
}

impl CubicTcp {
    /// Creates the state (`cubictcp_init()`).
    pub fn new(at: &SockSnapshot) -> CubicTcp {
        let config = Config { growth: WindowGrowth::PerByte, ..Preset::Linux.config(1) };
        let cubic = Cubic::new(CubicVersion::Linux, CONSTANTS, SlowStartMethod::hystart(at.is_paced));
        let mut state = SenderState::new(&config);
        state.una = at.snd_una.into();
        CubicTcp { cubic, state }
    }

    /// Processes an RTT sample in µs; negative without a sample (`cubictcp_acked()`).
    pub fn acked(&mut self, at: &SockSnapshot, rtt_us: i32) {
        let sample = u64::try_from(rtt_us).ok().map(|us| Span::from_micros(us.max(1)));
        let ack = self.ack(at, 0, sample);
        self.cubic.observe_ack(&ack, &self.state);
    }

    /// Returns window and ssthresh in packets after an ACK, for a fully used window
    /// (`cubictcp_cong_avoid()`).
    pub fn cong_avoid(&mut self, at: &SockSnapshot, [cwnd, ssthresh]: [u32; 2], acked: u32) -> [u32; 2] {
        let mut w = Window { cwnd: cwnd.into(), ssthresh: ssthresh.into() };
        let ack = self.ack(at, acked.into(), None);
        self.cubic.on_ack(&mut w, &ack, &self.state);
        [w.cwnd as u32, w.ssthresh as u32]
    }

    /// Returns ssthresh in packets after a loss (`cubictcp_recalc_ssthresh()`).
    pub fn ssthresh(&mut self, at: &SockSnapshot, cwnd: u32) -> u32 {
        self.reduce_for_loss(at, Some(cwnd.into()), CongestionSignal::Duplicates)
    }

    /// Resets the state at a timeout (`cubictcp_state()`).
    pub fn on_timeout(&mut self, at: &SockSnapshot) {
        self.reduce_for_loss(at, None, CongestionSignal::Timeout);
    }

    /// Handles the first transmission after an idle period (`cubictcp_cwnd_event()`).
    pub fn on_tx_start(&mut self, at: &SockSnapshot) {
        self.cubic.resume(at.now, Time::ZERO + Span::from_millis(at.lsndtime.into()));
    }

    fn reduce_for_loss(&mut self, at: &SockSnapshot, base: Option<f64>, signal: CongestionSignal) -> u32 {
        self.extend_numbers(at);
        let cwnd = base.unwrap_or(2.0);
        let mut w = Window { cwnd, ssthresh: cwnd };
        let half = (cwnd / 2.0).max(2.0);
        self.cubic.on_loss(
            &mut w,
            &Loss { now: at.now, signal, halving_base: base, halved_base: half, halved_cwnd: half },
            &self.state,
        );
        w.ssthresh as u32
    }

    /// Returns an ACK of `packets` packets of one byte each.
    fn ack(&mut self, at: &SockSnapshot, packets: u64, sample: Option<Span>) -> Ack<'static> {
        self.extend_numbers(at);
        Ack {
            now: at.now,
            acked_bytes: packets,
            growth_bytes: packets,
            delivered_bytes: packets,
            sack: &Sack::EMPTY,
            timer_rtt: None,
            newest_rtt: sample,
            ece: false,
            arrival: None,
        }
    }

    /// Extends the modulo-2^32 sequence numbers to 64 bits.
    fn extend_numbers(&mut self, at: &SockSnapshot) {
        let s = &mut self.state;
        s.una += u64::from(at.snd_una.wrapping_sub(s.una as u32));
        s.sent_end = s.una + u64::from(at.snd_nxt.wrapping_sub(at.snd_una));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64, snd_una: u32, snd_nxt: u32) -> SockSnapshot {
        SockSnapshot {
            now: Time::ZERO + Span::from_millis(ms),
            snd_una,
            snd_nxt,
            lsndtime: 0,
            is_paced: true,
        }
    }

    // Linux, bictcp_recalc_ssthresh() with 717 of 1024: 100 * 717 / 1024 = 70. In slow start the window grows
    // by one segment per acknowledged segment. RFC 9438 §4.2, in integer segments and a round trip of 0.1 s
    // ahead: the target is 98 after cbrt(30 / 0.4) - cbrt(2 / 0.4) - 0.1 = 2.4 s. The target is 100 after
    // cbrt(30 / 0.4) - cbrt(1 / 0.4) - 0.1 = 2.8 s. The window exceeds the target by at most two segments, so
    // it reaches 100 between these times.
    #[test]
    fn kernel_cubic_returns_to_w_max_after_a_loss() {
        let mut cubic = CubicTcp::new(&at(0, u32::MAX - 1, u32::MAX - 1));
        cubic.acked(&at(100, 8, 20), 100_000);
        assert_eq!(cubic.cong_avoid(&at(100, 8, 20), [10, 1000], 4), [14, 1000]);
        assert_eq!(cubic.ssthresh(&at(200, 20, 120), 100), 70);
        let mut window = [70, 70];
        let mut back = None;
        for round in 0..60_u32 {
            let moment = at(300 + 100 * u64::from(round), 120 + 100 * round, 220 + 100 * round);
            for _ in 0..window[0] {
                window = cubic.cong_avoid(&moment, window, 1);
            }
            back = back.or((window[0] >= 100).then_some(round));
        }
        assert!(back.is_some_and(|round| (24..=28).contains(&round)), "{back:?}");
    }
}
