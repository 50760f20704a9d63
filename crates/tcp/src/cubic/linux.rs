use super::CubicConstants;
use crate::control::floor_segments;
use crate::seams::Window;
use airhop_base::{Span, Time};

/// CUBIC's congestion avoidance as in Linux 6 (net/ipv4/tcp_cubic.c).
///
/// The law is that of RFC 9438, but the window, the target and W_est are whole numbers of segments, and time
/// advances in kernel ticks. The target is rounded up, so a small window below the plateau is up to one
/// segment ahead of the cubic. Counts have 64 bits, because the cubic exceeds 32 bits an hour after the
/// plateau.
#[derive(Debug)]
pub(super) struct LinuxCubic {
    constants: CubicConstants,
    /// W_max; `None` before the first loss and after a timeout.
    w_max: Option<u64>,
    epoch: Option<Epoch>,
    /// Delivered segments per segment of window growth.
    per_segment: u64,
    /// Delivered segments not yet used for window growth (snd_cwnd_cnt).
    credit: u64,
}

/// Epoch: one uninterrupted stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
struct Epoch {
    start: Tick,
    /// Time from the start of the epoch to the plateau, in 1/1024 s.
    k: u64,
    plateau: u64,
    /// W_est in segments: window of a Reno sender with the same losses.
    friendly: u64,
    /// Delivered segments not yet used for the growth of W_est.
    delivered: u64,
    /// Window and time of the last update of the growth.
    computed: (u64, Tick),
}

/// Number of kernel ticks (jiffies) since the beginning of the connection.
type Tick = u64;

/// CONFIG_HZ: ticks per second of the reference kernel and of most distributions.
const HZ: u64 = 250;
/// Maximum number of delivered segments per segment of growth while W_max is unknown. The window then grows
/// by at least one twentieth per round trip.
const MAX_SEGMENTS_PER_INCREASE: u64 = 20;

fn tick(now: Time) -> Tick {
    now.nanos() / (1_000_000_000 / HZ)
}

/// Converts ticks to units of 1/1024 s, as Linux does.
fn ticks_to_1024ths(ticks: Tick) -> u64 {
    ticks * 1024 / HZ
}

/// Converts a fraction to a multiple of 1/1024.
fn fraction_to_1024ths(share: f64) -> u64 {
    (share * 1024.0).round() as u64
}

impl LinuxCubic {
    pub fn new(constants: CubicConstants) -> Self {
        LinuxCubic { constants, w_max: None, epoch: None, per_segment: 0, credit: 0 }
    }

    /// Processes an ACK of `delivered` segments in congestion avoidance. `least_rtt` is the minimum RTT.
    pub fn on_avoidance_ack(&mut self, w: &mut Window, delivered: u32, now: Time, least_rtt: Option<Span>) {
        let (cwnd, delivered) = (u64::from(floor_segments(w.cwnd) as u32), u64::from(delivered));
        self.update_growth(cwnd, delivered, tick(now), least_rtt);
        w.cwnd += self.growth_of_delivered(delivered) as f64;
    }

    /// Returns the window growth in segments for `delivered` segments (tcp_cong_avoid_ai()).
    fn growth_of_delivered(&mut self, delivered: u64) -> u64 {
        // tcp_cong_avoid_ai(): "If credits accumulated at a higher w, apply them gently now."
        let gently = self.credit >= self.per_segment;
        if gently {
            self.credit = 0;
        }
        self.credit += delivered;
        let grown = self.credit / self.per_segment;
        self.credit %= self.per_segment;
        grown + u64::from(gently)
    }

    /// Recomputes the number of delivered segments per segment of growth (bictcp_update()).
    fn update_growth(&mut self, cwnd: u64, delivered: u64, now: Tick, least_rtt: Option<Span>) {
        let CubicConstants { beta, c, .. } = self.constants;
        let begins = self.epoch.is_none();
        let w_max = self.w_max;
        let epoch = self.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, w_max, c));
        epoch.delivered += delivered;
        let (window, at) = epoch.computed;
        if !begins && window == cwnd && now - at <= HZ / 32 {
            return;
        }
        if begins || now != at {
            epoch.computed = (cwnd, now);
            self.per_segment = epoch.segments_per_increase(cwnd, now, least_rtt, c);
            if w_max.is_none() {
                self.per_segment = self.per_segment.min(MAX_SEGMENTS_PER_INCREASE);
            }
        }
        if let Some(friendly) = cwnd.checked_div(epoch.advance_w_est(cwnd, beta)) {
            self.per_segment = self.per_segment.min(friendly);
        }
        self.per_segment = self.per_segment.max(2);
    }

    /// Reduces the window for a loss or a mark. Returns ssthresh in segments.
    pub fn on_loss(&mut self, cwnd: u32) -> f64 {
        let CubicConstants { beta, fast_convergence, .. } = self.constants;
        let cwnd = u64::from(cwnd);
        self.epoch = None;
        self.credit = 0;
        self.w_max = Some(match self.w_max {
            Some(last) if fast_convergence && cwnd < last => cwnd * (1024 + fraction_to_1024ths(beta)) / 2048,
            _ => cwnd,
        });
        (cwnd * fraction_to_1024ths(beta) / 1024).max(2) as f64
    }

    /// Resets the state at a retransmission timeout (bictcp_reset()).
    pub fn on_timeout(&mut self) {
        *self = LinuxCubic::new(self.constants);
    }

    /// Shifts the start of the epoch by `span`, the duration of an idle period (cubictcp_cwnd_event()).
    pub fn shift_epoch(&mut self, now: Time, span: Span) {
        if let Some(epoch) = &mut self.epoch {
            epoch.start = tick(now).min(epoch.start + span.nanos() / (1_000_000_000 / HZ));
        }
    }

    /// True if RTT samples are used. Samples in the first second of an epoch, just after a recovery, are
    /// ignored.
    pub fn takes_samples(&self, now: Time) -> bool {
        self.epoch.is_none_or(|epoch| tick(now) - epoch.start >= HZ)
    }
}

impl Epoch {
    fn new(now: Tick, cwnd: u64, w_max: Option<u64>, c: f64) -> Self {
        let plateau = w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
        let k = libm::cbrt((plateau - cwnd) as f64 * 1024.0 / fraction_to_1024ths(c) as f64);
        Epoch {
            start: now,
            k: (k * 1024.0) as u64,
            plateau,
            friendly: cwnd,
            delivered: 0,
            computed: (cwnd, now),
        }
    }

    /// Returns the number of delivered segments per segment of growth that makes the window follow the cubic.
    fn segments_per_increase(&self, cwnd: u64, now: Tick, least_rtt: Option<Span>, c: f64) -> u64 {
        let ahead = least_rtt.map_or(0, |rtt| rtt.nanos().div_ceil(1_000_000_000 / HZ));
        let t = ticks_to_1024ths(now - self.start + ahead);
        let from_plateau = t.abs_diff(self.k) as f64 / 1024.0;
        let distance =
            (fraction_to_1024ths(c) as f64 / 1024.0 * from_plateau * from_plateau * from_plateau) as u64;
        let target = match t < self.k {
            true => self.plateau.saturating_sub(distance),
            false => self.plateau.saturating_add(distance),
        };
        if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd }
    }

    /// Increases W_est by one segment per (1 + beta) / 3 (1 - beta) windows. Returns the excess of W_est over
    /// `cwnd` in segments.
    fn advance_w_est(&mut self, cwnd: u64, beta: f64) -> u64 {
        let beta = fraction_to_1024ths(beta);
        let scale = 8 * (1024 + beta) / 3 / (1024 - beta);
        let step = ((cwnd * scale) >> 3).max(1);
        let steps = self.delivered.saturating_sub(1) / step; // "while (ack_cnt > delta)"
        self.delivered -= steps * step;
        self.friendly += steps;
        self.friendly.saturating_sub(cwnd)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // tcp_cubic.c, bictcp_recalc_ssthresh() with beta 717: 100 * 717 / 1024 = 70. If the window at the loss
    // is below the last W_max, the new W_max is (1 + beta) / 2 of the window, 80 * (1024 + 717) / 2048 = 68.
    // Otherwise the new W_max is the window.
    #[test]
    fn fast_convergence_uses_whole_segments_in_linux() {
        let mut law = LinuxCubic::new(CubicConstants { beta: 0.7, c: 0.4, fast_convergence: true });
        for (cwnd, ssthresh, w_max) in [(100, 70.0, 100), (80, 56.0, 68), (90, 63.0, 90)] {
            assert_eq!(law.on_loss(cwnd), ssthresh);
            assert_eq!(law.w_max, Some(w_max), "after a loss at {cwnd}");
        }
    }

    // bictcp_acked(): "Discard delay samples right after fast recovery". RTT samples are discarded for one
    // second, counted from the first ACK of congestion avoidance.
    #[test]
    fn rtt_samples_are_discarded_for_one_second() {
        let mut law = LinuxCubic::new(CubicConstants { beta: 0.7, c: 0.4, fast_convergence: true });
        let ms = |ms| Time::ZERO + Span::from_millis(ms);
        assert!(law.takes_samples(ms(20_000)));
        law.epoch = Some(Epoch::new(tick(ms(20_000)), 70, Some(100), 0.4));
        assert!(!law.takes_samples(ms(20_996)) && law.takes_samples(ms(21_000)));
    }

    // bictcp_update(): the target is the value of the cubic one round trip later. c is 410 / 1024, so K =
    // cbrt(30 * 1024 / 410) = 4.2158 s. One second after the start, and 100 ms ahead, 3.1162 s are left to
    // the plateau: 410 / 1024 * 3.1162^3 = 12.1, and 70 / (100 - 12 - 70) = 3. As long after the plateau, the
    // count is 70 / (100 + 12 - 70) = 1. If the window exceeds the target, the count is 100 windows.
    #[test]
    fn the_cubic_target_is_one_round_trip_ahead() {
        let epoch = Epoch::new(5000, 70, Some(100), 0.4);
        assert_eq!(epoch.k, 4316);
        let pace = |cwnd, ms| {
            epoch.segments_per_increase(cwnd, 5000 + ms * HZ / 1000, Some(Span::from_millis(100)), 0.4)
        };
        assert_eq!((pace(70, 1000), pace(70, 7232), pace(88, 1000)), (3, 1, 8800));
    }

    // Far from its plateau the cubic is steep: 0.4 (2400 s)^3 = 5.5 * 10^9 segments exceed 32 bits. A target
    // of 32 bits would wrap to a value below the window, and the window would stop growing.
    #[test]
    fn the_cubic_target_does_not_overflow_after_an_hour() {
        let epoch = Epoch::new(0, 70, Some(100), 0.4);
        let paces = [600, 2400, 3600, 1 << 40]
            .map(|seconds| epoch.segments_per_increase(1000, seconds * HZ, None, 0.4));
        assert_eq!(paces, [0; 4]);
    }
}
