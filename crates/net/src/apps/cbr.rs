//! Application that sends datagrams at a constant rate.

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, TransportProtocol};
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

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        Box::new(Source { interval: self.rate.time_for_bytes(opening.datagram_bytes), due: Time::ZERO })
    }

    fn mean_rate_bps(&self) -> f64 {
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
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        self.on_timeout(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        io.send(AppFlow::PLANNED);
        self.due = now + self.interval;
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
}
