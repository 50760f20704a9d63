//! CUBIC's window (RFC 9438). After a loss, the window grows back to its previous size along a cubic function
//! of time, independently of the RTT.

mod linux;
mod rfc;
#[cfg(test)]
mod tests;

use crate::config::WindowGrowth;
use crate::control::{floor_segments, set_reduced_window};
use crate::estimators::min_with_sample;
use crate::seams::{Ack, CongestionControl, CongestionSignal, Loss, LossClass, NextSegment, Window};
use crate::sender_state::SenderState;
use crate::slow_start::{SlowStartAck, SlowStartMethod};
use airhop_base::{Span, Time};
use linux::LinuxCubic;
use rfc::Rfc9438Cubic;

/// Versions of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum CubicVersion {
    /// RFC 9438.
    Rfc,
    /// Linux 6, with whole segments and ticks. Three rules differ from RFC 9438. The target is the cubic one
    /// minimum RTT ahead instead of one smoothed RTT. While W_max is unknown, the window grows by at least
    /// one twentieth per round trip. W_est always grows with alpha, even after W_est has reached cwnd_prior.
    Linux,
}

/// Constants of CUBIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct CubicConstants {
    /// Factor by which a loss reduces the window (RFC 9438 §4.6).
    pub beta: f64,
    /// C in segments per second cubed (§4.1).
    pub c: f64,
    /// True if fast convergence is used (§4.7).
    pub fast_convergence: bool,
}

/// CUBIC congestion control.
#[derive(Debug)]
pub(crate) struct Cubic {
    law: CubicVariant,
    slow_start: SlowStartMethod,
    /// RTT sample of the current ACK; `None` if the ACK yields no sample.
    rtt: Option<Span>,
    least_rtt: Option<Span>,
    /// Time of the last ACK that left no data outstanding; `None` after the next transmission.
    idle_since: Option<Time>,
    last_sent: Time,
}

#[derive(Debug)]
enum CubicVariant {
    Rfc(Rfc9438Cubic),
    Linux(LinuxCubic),
}

impl Cubic {
    /// Creates the congestion control of a new connection.
    pub fn new(form: CubicVersion, constants: CubicConstants, slow_start: SlowStartMethod) -> Self {
        let law = match form {
            CubicVersion::Rfc => CubicVariant::Rfc(Rfc9438Cubic::new(constants)),
            CubicVersion::Linux => CubicVariant::Linux(LinuxCubic::new(constants)),
        };
        Cubic { law, slow_start, rtt: None, least_rtt: None, idle_since: None, last_sent: Time::ZERO }
    }

    /// Handles the first transmission after an idle period that began at `since`.
    pub fn resume(&mut self, now: Time, since: Time) {
        match &mut self.law {
            CubicVariant::Rfc(law) => law.shift_epoch(now, now.since(since)),
            CubicVariant::Linux(law) => law.shift_epoch(now, now.since(since)),
        }
    }

    /// Increases the window for an ACK in congestion avoidance. `delivered` is the number of newly delivered
    /// segments, and `counted` the number of segments that count for growth.
    fn on_avoidance_ack(&mut self, w: &mut Window, delivered: f64, counted: f64, now: Time, s: &SenderState) {
        match &mut self.law {
            CubicVariant::Rfc(law) => law.on_avoidance_ack(w, delivered, counted, now, s.srtt),
            CubicVariant::Linux(law) => {
                law.on_avoidance_ack(w, floor_segments(counted.ceil()) as u32, now, self.least_rtt)
            }
        }
    }

    /// Increases the window for `segments` segments in slow start. Returns the fraction of the segments left
    /// for congestion avoidance.
    fn on_slow_start_ack(&mut self, w: &mut Window, segments: f64, now: Time, s: &SenderState) -> f64 {
        let (una, nxt) = (s.una, s.sent_end);
        let sample = SlowStartAck { now, una, nxt, rtt: self.rtt, min_rtt: self.least_rtt };
        let growth = self.slow_start.on_ack(w, segments, &sample);
        let used = growth.min((w.ssthresh - w.cwnd).max(0.0));
        w.cwnd += used;
        1.0 - used / growth
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let delivered = a.growth_bytes as f64 / s.mss as f64;
        let counted = match s.growth {
            WindowGrowth::PerAck => 1.0,
            WindowGrowth::PerByte => delivered,
        };
        if !w.in_slow_start() {
            return self.on_avoidance_ack(w, delivered, counted, a.now, s);
        }
        let left = self.on_slow_start_ack(w, counted, a.now, s);
        if left > 0.0 {
            self.on_avoidance_ack(w, left * delivered, left * counted, a.now, s);
        }
    }

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let is_timeout = l.signal == CongestionSignal::Timeout;
        self.slow_start.on_loss(is_timeout, l.now, s.sent_end);
        let left = match &mut self.law {
            CubicVariant::Rfc(law) => law.on_loss(w.cwnd, l.halving_base, is_timeout, s),
            CubicVariant::Linux(law) => {
                let left = l.halving_base.map(|base| law.on_loss(floor_segments(base) as u32));
                if is_timeout {
                    law.on_timeout();
                    self.least_rtt = None;
                }
                left
            }
        };
        set_reduced_window(w, left, l.signal); // §4.6; a repeated timeout does not change ssthresh (RFC 5681 §3.1)
        LossClass::Congestion
    }

    /// Restores the state before the loss (§4.9). The Linux version restores only the window.
    fn on_spurious_reduction(&mut self, w: &mut Window, before: &Window, _: &SenderState) {
        w.restore(before);
        if let CubicVariant::Rfc(law) = &mut self.law {
            law.on_spurious();
        }
    }

    /// Excludes idle periods from the epoch. RFC 9438 §5.8: "t MUST NOT include these periods", that is,
    /// periods in which the application limits the sender. Linux excludes only periods without outstanding
    /// data, measured from the last transmission (cubictcp_cwnd_event() at CA_EVENT_TX_START).
    fn on_sent(&mut self, now: Time, _: &NextSegment) {
        if let Some(since) = self.idle_since.take() {
            match &mut self.law {
                CubicVariant::Rfc(law) => law.shift_epoch(now, now - since),
                CubicVariant::Linux(law) => law.shift_epoch(now, now - self.last_sent),
            }
        }
        self.last_sent = now;
    }

    fn observe_ack(&mut self, a: &Ack, s: &SenderState) {
        self.idle_since = (!s.has_outstanding_data()).then_some(a.now);
        self.rtt = a.newest_rtt;
        if let CubicVariant::Linux(law) = &self.law
            && !law.takes_samples(a.now)
        {
            self.rtt = None;
        }
        if let Some(rtt) = self.rtt {
            self.least_rtt = min_with_sample(self.least_rtt, rtt);
        }
    }
}
