//! CUBIC's window (RFC 9438): after a loss it returns to where the loss was along a cubic of time, whatever the round trip is.

use crate::config::Growth;
use crate::control::whole;
use crate::meters::SendTimes;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Next, Signal, Window};
use crate::slow_start::{Sample, SlowStart};
use crate::space::Space;
use airhop_base::{Span, Time};

/// Two forms of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// RFC 9438.
    Rfc,
    /// Linux 6: the window is cut to whole segments. Growth is aimed at one smallest round trip ahead, not a smoothed one; it is a
    /// twentieth of the window a round trip at least while no loss has shown a W_max; the Reno-friendly estimate never grows faster
    /// than with alpha.
    Linux,
}

/// What CUBIC can be given.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// What is left of the window after a loss (RFC 9438 §4.6).
    pub beta: f64,
    /// C, segments per second cubed (§4.1).
    pub c: f64,
    /// §4.7.
    pub fast_convergence: bool,
    /// Which law.
    pub form: Form,
}

/// The control of the scheme.
#[derive(Debug)]
pub(crate) struct Cubic {
    constants: Constants,
    slow_start: SlowStart,
    times: SendTimes,
    /// The round trip that the ACK under way gave.
    rtt: Option<Span>,
    least_rtt: Option<Span>,
    memory: Memory,
    /// What it was before the last loss.
    before: Memory,
    /// First byte that had not been sent then: a second loss below is of the same window of data.
    point: u64,
}

/// What a loss changes, beside the window.
#[derive(Clone, Copy, Debug, Default)]
struct Memory {
    /// W_max; none before the first loss and after a timeout, when the next epoch begins at its plateau (§4.8).
    w_max: Option<f64>,
    /// cwnd_prior (§4.1.2); none before a loss: slow start ended by itself.
    prior: Option<f64>,
    /// This stage of congestion avoidance, once it has begun.
    epoch: Option<Epoch>,
}

/// A stage of congestion avoidance.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Epoch {
    start: Time,
    /// Seconds to the plateau.
    k: f64,
    /// The window at the plateau: W_max, if the window has not passed that.
    plateau: f64,
    /// W_est.
    friendly: f64,
}

impl Epoch {
    /// Begins at `cwnd` (§4.2, equation 2; §4.8 without a W_max).
    fn new(start: Time, cwnd: f64, w_max: Option<f64>, c: f64) -> Self {
        let plateau = w_max.map_or(cwnd, |w_max| w_max.max(cwnd));
        Epoch { start, k: libm::cbrt((plateau - cwnd) / c), plateau, friendly: cwnd }
    }

    /// W_cubic, `t` seconds after the beginning (§4.2, equation 1).
    fn at(&self, t: f64, c: f64) -> f64 {
        let d = t - self.k;
        c * d * d * d + self.plateau
    }
}

impl Cubic {
    /// Ready for a new connection.
    pub fn new(constants: Constants, slow_start: SlowStart) -> Self {
        Cubic {
            constants,
            slow_start,
            times: SendTimes::default(),
            rtt: None,
            least_rtt: None,
            memory: Memory::default(),
            before: Memory::default(),
            point: 0,
        }
    }

    /// Congestion avoidance (§4.2 to §4.5): an ACK that shows `delivered` segments to have arrived and counts for `counted`.
    fn avoid(&mut self, w: &mut Window, delivered: f64, counted: f64, now: Time, s: &Space) {
        let Constants { c, form, .. } = self.constants;
        let memory = &mut self.memory;
        let cwnd = w.cwnd;
        let epoch = memory.epoch.get_or_insert_with(|| Epoch::new(now, cwnd, memory.w_max, c));
        // §4.3: Reno's pace from where the window was before.
        let is_back = form == Form::Rfc && memory.prior.is_none_or(|prior| epoch.friendly >= prior);
        let alpha = if is_back { 1.0 } else { alpha(self.constants.beta) };
        epoch.friendly += alpha * delivered / cwnd;

        let t = now.since(epoch.start).secs_f64();
        let ahead = match form {
            Form::Rfc => s.srtt,
            Form::Linux => self.least_rtt,
        };
        // §4.2: the window of a round trip later, at most half again as large.
        let target = epoch.at(t + ahead.map_or(0.0, Span::secs_f64), c).clamp(cwnd, 1.5 * cwnd);
        let mut step = (target - cwnd) / cwnd;
        if form == Form::Linux && memory.w_max.is_none() {
            step = step.max(1.0 / 20.0);
        }
        if form == Form::Linux || epoch.at(t, c) >= epoch.friendly {
            w.cwnd += step * counted;
        }
        if form == Form::Linux || epoch.at(t, c) < epoch.friendly {
            w.cwnd = w.cwnd.max(epoch.friendly);
        }
    }

    /// Slow start, by an ACK that counts for `segments`; returns the share of it that is left for congestion avoidance.
    fn start(&mut self, w: &mut Window, segments: f64, now: Time, s: &Space) -> f64 {
        let (una, nxt) = (s.una, s.max_sent);
        let sample = Sample { now, una, nxt, rtt: self.rtt, least_rtt: self.least_rtt };
        let growth = self.slow_start.on_ack(w, segments, &sample);
        let used = growth.min((w.ssthresh - w.cwnd).max(0.0));
        w.cwnd += used;
        1.0 - used / growth
    }
}

/// §4.3, equation 4: with it, and with beta, additive increase has Reno's mean window.
fn alpha(beta: f64) -> f64 {
    3.0 * (1.0 - beta) / (1.0 + beta)
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &Space) {
        let delivered = a.delivered as f64 / s.mss as f64;
        let counted = match s.growth {
            Growth::PerAck => 1.0,
            Growth::PerByte => delivered,
        };
        if !w.in_slow_start() {
            return self.avoid(w, delivered, counted, a.now, s);
        }
        let left = self.start(w, counted, a.now, s);
        if left > 0.0 {
            self.avoid(w, left * delivered, left * counted, a.now, s);
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &Space) -> Judged {
        let Constants { beta, fast_convergence, form, .. } = self.constants;
        if s.una >= self.point {
            self.before = self.memory;
        }
        self.point = s.max_sent;
        let is_timeout = l.signal == Signal::Timeout;
        // §4.6, §4.7
        let w_max = match self.memory.w_max {
            Some(last) if fast_convergence && w.cwnd < last => w.cwnd * (1.0 + beta) / 2.0,
            _ => w.cwnd,
        };
        self.memory = Memory { w_max: (!is_timeout).then_some(w_max), prior: Some(w.cwnd), epoch: None };
        self.slow_start.on_loss(is_timeout);
        let left = l.base.map(|base| match form {
            Form::Rfc => base * beta,
            Form::Linux => whole(base * beta),
        });
        w.ssthresh = left.map_or(w.ssthresh, |left| left.max(2.0));
        w.cwnd = match l.signal {
            Signal::Duplicates => w.ssthresh,
            Signal::Echo => left.unwrap_or(w.ssthresh).max(1.0),
            Signal::Timeout => 1.0,
        };
        Judged::Congestion
    }

    /// §4.9: as if it had not been; Linux gives the window back, no more.
    fn on_spurious(&mut self, w: &mut Window, before: &Window, _: &Space) {
        w.cwnd = w.cwnd.max(before.cwnd);
        w.ssthresh = w.ssthresh.max(before.ssthresh);
        if self.constants.form == Form::Rfc {
            self.memory = self.before;
        }
    }

    fn observe(&mut self, a: &Ack, s: &Space) {
        self.rtt = self.times.on_ack(a.now, s.una);
        if let Some(rtt) = self.rtt {
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
    }

    fn on_sent(&mut self, now: Time, sent: &Next) {
        self.times.on_sent(now, sent.start, sent.end);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Preset;
    use airhop_base::Sack;

    const MSS: u64 = 1000;
    /// alpha of beta 0.7: 0.9 / 1.7.
    const ALPHA: f64 = 9.0 / 17.0;

    fn space(srtt_ms: u64) -> Space {
        Space { srtt: Some(Span::from_millis(srtt_ms)), ..Space::new(&Preset::Rfc.config(MSS as u32)) }
    }

    fn cubic(form: Form, beta: f64, fast_convergence: bool) -> Cubic {
        Cubic::new(Constants { beta, c: 0.4, fast_convergence, form }, SlowStart::Standard)
    }

    /// An ACK of one segment.
    fn ack(ms: u64) -> Ack {
        Ack {
            now: Time::ZERO + Span::from_millis(ms),
            acked: MSS,
            delivered: MSS,
            sack: Sack::EMPTY,
            rtt: None,
            ece: false,
            arrival: None,
        }
    }

    /// A loss with all of `cwnd` in flight.
    fn lose(control: &mut Cubic, cwnd: f64, signal: Signal) -> Window {
        let mut w = Window { cwnd, ssthresh: 2.0 };
        let loss = Loss { now: Time::ZERO, signal, base: Some(cwnd), half: cwnd / 2.0, window: cwnd / 2.0 };
        assert_eq!(control.on_loss(&mut w, &loss, &space(100)), Judged::Congestion);
        w
    }

    fn is_close(a: f64, b: f64) {
        assert!((a - b).abs() < 1e-9, "{a}, not {b}");
    }

    // RFC 9438 §4.2, equations 1 and 2: K = cbrt((100 - 50) / 0.4) = 5 s; W(t) = 0.4 (t - 5)^3 + 100.
    #[test]
    fn the_cubic() {
        let epoch = Epoch::new(Time::ZERO, 50.0, Some(100.0), 0.4);
        is_close(epoch.k, 5.0);
        for (t, segments) in
            [(0.0, 50.0), (1.0, 74.4), (3.0, 96.8), (5.0, 100.0), (7.0, 103.2), (10.0, 150.0)]
        {
            is_close(epoch.at(t, 0.4), segments);
        }
        // Beyond W_max, or without one, it begins at the plateau.
        for w_max in [None, Some(40.0)] {
            let epoch = Epoch::new(Time::ZERO, 50.0, w_max, 0.4);
            is_close(epoch.at(0.0, 0.4), 50.0);
            is_close(epoch.at(2.0, 0.4), 53.2);
        }
    }

    // §4.2 and §4.4: with beta 0.5 a loss at 100 leaves 50, K = 5 s. Half a second later the window aims at that of a round trip ahead,
    // W(0.6) = 100 - 0.4 * 4.4^3 = 65.9264, above W_est; at most at half again as much.
    #[test]
    fn growth_aims_a_round_trip_ahead() {
        let mut control = cubic(Form::Rfc, 0.5, true);
        let mut w = lose(&mut control, 100.0, Signal::Duplicates);
        is_close(w.cwnd, 50.0);
        let s = space(100);
        control.on_ack(&mut w, &ack(0), &s); // the epoch begins; W(0) = 50 is below W_est
        is_close(w.cwnd, 50.0 + 1.0 / 50.0);
        let cwnd = w.cwnd;
        control.on_ack(&mut w, &ack(500), &s);
        is_close(w.cwnd, cwnd + (65.9264 - cwnd) / cwnd);
        let cwnd = w.cwnd;
        control.on_ack(&mut w, &ack(60_000), &s);
        is_close(w.cwnd, cwnd + 0.5);
    }

    // §4.3: 3 (1 - beta) / (1 + beta) segments a window from 7 on, where a loss at 10 left it, until W_est is there again; then one.
    #[test]
    fn friendly_to_reno() {
        let mut control = cubic(Form::Rfc, 0.7, true);
        let mut w = lose(&mut control, 10.0, Signal::Duplicates);
        let s = space(1);
        for _ in 0..1000 {
            let cwnd = w.cwnd;
            control.on_ack(&mut w, &ack(0), &s);
            is_close(w.cwnd - cwnd, if cwnd < 10.0 { ALPHA } else { 1.0 } / cwnd);
        }
        assert!(w.cwnd > 40.0);
        is_close(alpha(0.5), 1.0); // Reno
    }

    // What is left of an ACK when slow start ends counts for congestion avoidance: half a segment of one window's share.
    #[test]
    fn slow_start_ends_within_an_ack() {
        let mut w = Window { cwnd: 9.5, ssthresh: 10.0 };
        cubic(Form::Rfc, 0.7, true).on_ack(&mut w, &ack(0), &space(100));
        is_close(w.cwnd, 10.0 + 0.5 / 10.0);
    }

    // §4.7: below the last W_max, only to (1 + beta) / 2 of the window.
    #[test]
    fn fast_convergence() {
        for (on, second) in [(true, 59.5), (false, 70.0)] {
            let mut control = cubic(Form::Rfc, 0.7, on);
            lose(&mut control, 100.0, Signal::Duplicates);
            lose(&mut control, 70.0, Signal::Duplicates);
            is_close(control.memory.w_max.expect("a loss"), second);
            lose(&mut control, 80.0, Signal::Duplicates);
            is_close(control.memory.w_max.expect("a loss"), 80.0);
        }
    }

    // §4.6: ssthresh 2 at least, and so the window after a loss, but not after a mark. §4.8: after a timeout ssthresh is the same, the
    // window 1, and the next stage begins at its plateau; if the segment had timed out before ssthresh stays (RFC 5681 §3.1).
    #[test]
    fn what_is_left() {
        let left = |cwnd, signal| lose(&mut cubic(Form::Rfc, 0.7, true), cwnd, signal);
        assert_eq!(left(2.0, Signal::Duplicates), Window { cwnd: 2.0, ssthresh: 2.0 });
        assert_eq!(left(2.0, Signal::Echo), Window { cwnd: 1.4, ssthresh: 2.0 });
        assert_eq!(left(20.0, Signal::Timeout), Window { cwnd: 1.0, ssthresh: 14.0 });
        let mut control = cubic(Form::Rfc, 0.7, true);
        let mut w = lose(&mut control, 20.0, Signal::Timeout);
        let again = Loss { now: Time::ZERO, signal: Signal::Timeout, base: None, half: 14.0, window: 14.0 };
        control.on_loss(&mut w, &again, &space(100));
        assert_eq!(w, Window { cwnd: 1.0, ssthresh: 14.0 });
        for _ in 0..14 {
            control.on_ack(&mut w, &ack(0), &space(100));
        }
        let epoch = control.memory.epoch.expect("past ssthresh");
        is_close(epoch.k, 0.0);
        is_close(epoch.plateau, 14.0);
    }

    // §4.9.2: all of it is as before; a timeout after the loss was of the same window of data.
    #[test]
    fn a_loss_that_was_none() {
        let s = Space { una: 1, max_sent: 90_001, ..space(100) };
        for form in [Form::Rfc, Form::Linux] {
            let mut control = cubic(form, 0.7, true);
            let mut w = lose(&mut control, 100.0, Signal::Duplicates);
            control.on_ack(&mut w, &ack(0), &s);
            let before = w;
            let loss = |signal| Loss { now: Time::ZERO, signal, base: Some(70.0), half: 35.0, window: 35.0 };
            control.on_loss(&mut w, &loss(Signal::Duplicates), &s);
            control.on_loss(&mut w, &loss(Signal::Timeout), &s);
            control.on_spurious(&mut w, &before, &s);
            assert_eq!(w, before);
            assert_eq!(control.memory.epoch.is_some(), form == Form::Rfc);
            assert_eq!(control.memory.w_max, (form == Form::Rfc).then_some(100.0));
        }
    }

    // Linux: whole windows, a twentieth of the window a round trip while no loss has shown a W_max, and alpha for ever.
    #[test]
    fn the_form_of_linux() {
        let mut control = cubic(Form::Linux, 0.7, true);
        let mut w = Window { cwnd: 154.0, ssthresh: 154.0 };
        control.on_ack(&mut w, &ack(0), &space(60));
        is_close(w.cwnd, 154.05);
        assert_eq!(lose(&mut control, 158.0, Signal::Duplicates), Window { cwnd: 110.0, ssthresh: 110.0 });
        let mut w = lose(&mut control, 10.0, Signal::Duplicates);
        for _ in 0..100 {
            let cwnd = w.cwnd;
            control.on_ack(&mut w, &ack(0), &space(60));
            is_close(w.cwnd - cwnd, ALPHA / cwnd);
        }
        assert!(w.cwnd > 11.0);
    }
}
