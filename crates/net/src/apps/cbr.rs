//! Application that sends datagrams at a constant rate.

use super::{App, AppFlow, AppPlan, Io, Opening, TransportProtocol};
use airhop_base::{Rate, Span, Time};

/// Datagrams with a constant bit rate of payload (UDP only).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Cbr {
    /// Payload rate.
    pub rate: Rate,
}

impl AppPlan for Cbr {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Udp
    }

    fn open(&self, opening: &Opening) -> Box<dyn App> {
        Box::new(Source { interval: self.rate.time_for(opening.datagram), due: Time::ZERO })
    }

    fn mean_rate(&self) -> f64 {
        self.rate.bps() as f64
    }
}

/// Source of one datagram per interval.
#[derive(Debug)]
struct Source {
    interval: Span,
    /// Time of the next datagram.
    due: Time,
}

impl App for Source {
    fn on_start(&mut self, now: Time, io: &mut Io) {
        self.on_due(now, io);
    }

    fn on_due(&mut self, now: Time, io: &mut Io) {
        io.send(AppFlow::PLANNED);
        self.due = now + self.interval;
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
}
