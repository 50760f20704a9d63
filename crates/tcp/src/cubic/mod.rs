//! CUBIC's window (RFC 9438). After a loss, the window grows back to its previous size along a cubic function
//! of time, independently of the RTT.

mod linux;
mod rfc;
#[cfg(test)]
mod tests;

use crate::config::Growth;
use crate::control::{floor_segments, set_reduced_window};
use crate::estimators::min_with_sample;
use crate::seams::{Ack, CongestionControl, Loss, LossClass, NextSegment, Signal, Window};
use crate::sender_state::SenderState;
use crate::slow_start::{SlowStart, SlowStartAck};
use airhop_base::{Span, Time};
use linux::LinuxCubic;
use rfc::Rfc9438Cubic;

/// Versions of CUBIC.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Version {
    /// RFC 9438.
    Rfc,
    /// Linux 6, with whole segments and ticks. Three rules differ from RFC 9438. The target is the cubic one
    /// minimum RTT ahead instead of one smoothed RTT. While W_max is unknown, the window grows by at least
    /// one twentieth per round trip. W_est always grows with alpha, even after W_est has reached cwnd_prior.
    Linux,
}

/// Constants of CUBIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
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
    law: Law,
    slow_start: SlowStart,
    /// RTT sample of the current ACK; `None` if the ACK yields no sample.
    rtt: Option<Span>,
    least_rtt: Option<Span>,
    /// Time of the last ACK that left no data outstanding; `None` after the next transmission.
    idle_since: Option<Time>,
    last_sent: Time,
}

#[derive(Debug)]
enum Law {
    Rfc(Rfc9438Cubic),
    Linux(LinuxCubic),
}

impl Cubic {
    /// Creates the congestion control of a new connection.
    pub fn new(form: Version, constants: Constants, slow_start: SlowStart) -> Self {
        let law = match form {
            Version::Rfc => Law::Rfc(Rfc9438Cubic::new(constants)),
            Version::Linux => Law::Linux(LinuxCubic::new(constants)),
        };
        Cubic { law, slow_start, rtt: None, least_rtt: None, idle_since: None, last_sent: Time::ZERO }
    }

    /// Handles the first transmission after an idle period that began at `since`.
    pub fn resume(&mut self, now: Time, since: Time) {
        match &mut self.law {
            Law::Rfc(law) => law.shift_epoch(now, now.since(since)),
            Law::Linux(law) => law.shift_epoch(now, now.since(since)),
        }
    }

    /// Increases the window for an ACK in congestion avoidance. `delivered` is the number of newly delivered
    /// segments, and `counted` the number of segments that count for growth.
    fn avoid(&mut self, w: &mut Window, delivered: f64, counted: f64, now: Time, s: &SenderState) {
        match &mut self.law {
            Law::Rfc(law) => law.on_avoidance_ack(w, delivered, counted, now, s.srtt),
            Law::Linux(law) => {
                law.on_avoidance_ack(w, floor_segments(counted.ceil()) as u32, now, self.least_rtt)
            }
        }
    }

    /// Increases the window for `segments` segments in slow start. Returns the fraction of the segments left
    /// for congestion avoidance.
    fn start(&mut self, w: &mut Window, segments: f64, now: Time, s: &SenderState) -> f64 {
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

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> LossClass {
        let is_timeout = l.signal == Signal::Timeout;
        self.slow_start.on_loss(is_timeout, l.now, s.sent_end);
        let left = match &mut self.law {
            Law::Rfc(law) => law.on_loss(w.cwnd, l.base, is_timeout, s),
            Law::Linux(law) => {
                let left = l.base.map(|base| law.on_loss(floor_segments(base) as u32));
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
    fn on_spurious(&mut self, w: &mut Window, before: &Window, _: &SenderState) {
        w.restore(before);
        if let Law::Rfc(law) = &mut self.law {
            law.on_spurious();
        }
    }

    /// Excludes idle periods from the epoch. RFC 9438 §5.8: "t MUST NOT include these periods", that is,
    /// periods in which the application limits the sender. Linux excludes only periods without outstanding
    /// data, measured from the last transmission (cubictcp_cwnd_event() at CA_EVENT_TX_START).
    fn on_sent(&mut self, now: Time, _: &NextSegment) {
        if let Some(since) = self.idle_since.take() {
            match &mut self.law {
                Law::Rfc(law) => law.shift_epoch(now, now - since),
                Law::Linux(law) => law.shift_epoch(now, now - self.last_sent),
            }
        }
        self.last_sent = now;
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.idle_since = (!s.has_outstanding_data()).then_some(a.now);
        self.rtt = a.newest_rtt;
        if let Law::Linux(law) = &self.law
            && !law.takes_samples(a.now)
        {
            self.rtt = None;
        }
        if let Some(rtt) = self.rtt {
            self.least_rtt = min_with_sample(self.least_rtt, rtt);
        }
    }
}
