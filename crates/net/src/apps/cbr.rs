//! Application that sends datagrams at a constant rate.

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, TransportProtocol};
use airhop_base::{Rate, Span, Time};

/// Datagrams with a constant bit rate of payload (UDP only).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CbrPlan {
    /// Payload rate.
    pub rate: Rate,
}

impl AppPlan for CbrPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Udp
    }

    fn create_app(&self, opening: &AppSetup) -> Box<dyn App> {
        Box::new(CbrSource { interval: self.rate.time_for_bytes(opening.datagram_bytes), due: Time::ZERO })
    }

    fn mean_rate_bps(&self) -> f64 {
        self.rate.bps() as f64
    }
}

/// Source of one datagram per interval.
#[derive(Debug)]
struct CbrSource {
    interval: Span,
    /// Time of the next datagram.
    due: Time,
}

impl App for CbrSource {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        self.on_timeout(now, io);
    }

    fn on_timeout(&mut self, now: Time, io: &mut AppContext) {
        io.send_datagram(AppFlow::PLANNED);
        self.due = now + self.interval;
    }

    fn poll_timeout(&self) -> Option<Time> {
        Some(self.due)
    }
}
