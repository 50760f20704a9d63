//! Application that sends a given number of bytes.

use super::{App, AppFlow, AppPlan, Io, Opening, TransportProtocol};
use airhop_base::Time;

/// Transfer of a finite size (TCP only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Size of the transfer in bytes.
    pub bytes: u64,
}

impl AppPlan for Transfer {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn open(&self, _: &Opening) -> Box<dyn App> {
        Box::new(Running { bytes: self.bytes, since: None })
    }
}

/// Transfer in progress.
#[derive(Debug)]
struct Running {
    bytes: u64,
    /// Start time of the transfer; `None` before the start and after the completion.
    since: Option<Time>,
}

impl App for Running {
    fn on_start(&mut self, now: Time, io: &mut Io) {
        self.since = Some(now);
        io.expect(AppFlow::PLANNED, self.bytes);
        io.write(AppFlow::PLANNED, self.bytes);
    }

    fn on_delivered(&mut self, _: Time, _: AppFlow, io: &mut Io) {
        if let Some(since) = self.since.take() {
            io.complete(since);
            io.finish();
        }
    }

    fn unfinished(&self) -> Option<u64> {
        Some(u64::from(self.since.is_some()))
    }
}
