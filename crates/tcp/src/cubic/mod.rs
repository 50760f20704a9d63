//! CUBIC's window (RFC 9438): after a loss it returns to where the loss was along a cubic of time, whatever the round trip is.

mod linux;
mod rfc;
#[cfg(test)]
mod tests;

use crate::config::Growth;
use crate::control::{leave, whole};
use crate::estimators::least;
use crate::seams::{Ack, CongestionControl, Judged, Loss, Next, Signal, Window};
use crate::sender_state::SenderState;
use crate::slow_start::{Sample, SlowStart};
use airhop_base::{Span, Time};
use linux::Linux;
use rfc::Rfc;

/// Two forms of the law.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Form {
    /// RFC 9438.
    Rfc,
    /// Linux 6: in whole segments and ticks. Growth is aimed at one smallest round trip ahead, not a smoothed one; it is a twentieth of
    /// the window a round trip at least while no loss has shown a W_max; the Reno-friendly estimate never grows faster than with alpha.
    Linux,
}

/// Constants of CUBIC.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Constants {
    /// Share of the window that is left after a loss (RFC 9438 §4.6).
    pub beta: f64,
    /// C, segments per second cubed (§4.1).
    pub c: f64,
    /// §4.7.
    pub fast_convergence: bool,
}

/// The control of the scheme.
#[derive(Debug)]
pub(crate) struct Cubic {
    law: Law,
    slow_start: SlowStart,
    /// RTT sample of the present ACK.
    rtt: Option<Span>,
    least_rtt: Option<Span>,
    /// Time of the last ACK that left nothing outstanding, if nothing has been sent since.
    idle_since: Option<Time>,
    last_sent: Time,
}

#[derive(Debug)]
enum Law {
    Rfc(Rfc),
    Linux(Linux),
}

impl Cubic {
    /// Ready for a new connection.
    pub fn new(form: Form, constants: Constants, slow_start: SlowStart) -> Self {
        let law = match form {
            Form::Rfc => Law::Rfc(Rfc::new(constants)),
            Form::Linux => Law::Linux(Linux::new(constants)),
        };
        Cubic { law, slow_start, rtt: None, least_rtt: None, idle_since: None, last_sent: Time::ZERO }
    }

    /// Data are sent after a pause that began at `since`.
    pub fn resume(&mut self, now: Time, since: Time) {
        match &mut self.law {
            Law::Rfc(law) => law.pause(now, now.since(since)),
            Law::Linux(law) => law.pause(now, now.since(since)),
        }
    }

    /// Congestion avoidance: an ACK that shows `delivered` segments to have arrived and counts for `counted`.
    fn avoid(&mut self, w: &mut Window, delivered: f64, counted: f64, now: Time, s: &SenderState) {
        match &mut self.law {
            Law::Rfc(law) => law.avoid(w, delivered, counted, now, s.srtt),
            Law::Linux(law) => law.avoid(w, whole(counted.ceil()) as u32, now, self.least_rtt),
        }
    }

    /// Slow start, by an ACK that counts for `segments`; returns the share of it that is left for congestion avoidance.
    fn start(&mut self, w: &mut Window, segments: f64, now: Time, s: &SenderState) -> f64 {
        let (una, nxt) = (s.una, s.max_sent);
        let sample = Sample { now, una, nxt, rtt: self.rtt, least_rtt: self.least_rtt };
        let growth = self.slow_start.on_ack(w, segments, &sample);
        let used = growth.min((w.ssthresh - w.cwnd).max(0.0));
        w.cwnd += used;
        1.0 - used / growth
    }
}

impl CongestionControl for Cubic {
    fn on_ack(&mut self, w: &mut Window, a: &Ack, s: &SenderState) {
        let delivered = a.counted as f64 / s.mss as f64;
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

    fn on_loss(&mut self, w: &mut Window, l: &Loss, s: &SenderState) -> Judged {
        let is_timeout = l.signal == Signal::Timeout;
        self.slow_start.on_loss(is_timeout, l.now, s.max_sent);
        let left = match &mut self.law {
            Law::Rfc(law) => law.on_loss(w.cwnd, l.base, is_timeout, s),
            Law::Linux(law) => {
                let left = l.base.map(|base| law.on_loss(whole(base) as u32));
                if is_timeout {
                    law.on_timeout();
                    self.least_rtt = None;
                }
                left
            }
        };
        leave(w, left, l.signal); // §4.6; after a repeated timeout ssthresh stays (RFC 5681 §3.1)
        Judged::Congestion
    }

    /// §4.9: as if it had not been; Linux gives the window back, no more.
    fn on_spurious(&mut self, w: &mut Window, before: &Window, _: &SenderState) {
        w.restore(before);
        if let Law::Rfc(law) = &mut self.law {
            law.on_spurious();
        }
    }

    /// RFC 9438 §5.8, of times in which the application limits: "t MUST NOT include these periods". The implementation
    /// excludes pauses without outstanding data, as Linux does, from the last segment on (cubictcp_cwnd_event() at
    /// CA_EVENT_TX_START).
    fn on_sent(&mut self, now: Time, _: &Next) {
        if let Some(since) = self.idle_since.take() {
            match &mut self.law {
                Law::Rfc(law) => law.pause(now, now - since),
                Law::Linux(law) => law.pause(now, now - self.last_sent),
            }
        }
        self.last_sent = now;
    }

    fn observe(&mut self, a: &Ack, s: &SenderState) {
        self.idle_since = (!s.is_outstanding()).then_some(a.now);
        self.rtt = a.sample;
        if let Law::Linux(law) = &self.law
            && !law.takes_samples(a.now)
        {
            self.rtt = None;
        }
        if let Some(rtt) = self.rtt {
            self.least_rtt = least(self.least_rtt, rtt);
        }
    }
}
