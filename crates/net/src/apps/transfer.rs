//! Application that sends a given number of bytes.

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, TransportProtocol};
use airhop_base::Time;

/// Transfer of a finite size (TCP only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TransferPlan {
    /// Size of the transfer in bytes.
    pub bytes: u64,
}

impl AppPlan for TransferPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn create_app(&self, _: &AppSetup) -> Box<dyn App> {
        Box::new(RunningTransfer { bytes: self.bytes, since: None })
    }
}

/// Transfer in progress.
#[derive(Debug)]
struct RunningTransfer {
    bytes: u64,
    /// Start time of the transfer; `None` before the start and after the completion.
    since: Option<Time>,
}

impl App for RunningTransfer {
    fn on_start(&mut self, now: Time, io: &mut AppContext) {
        self.since = Some(now);
        io.notify_on_delivery(AppFlow::PLANNED, self.bytes);
        io.write(AppFlow::PLANNED, self.bytes);
    }

    fn on_delivered(&mut self, _: Time, _: AppFlow, io: &mut AppContext) {
        if let Some(since) = self.since.take() {
            io.record_completion(since);
            io.record_finish();
        }
    }

    fn unfinished_count(&self) -> Option<u64> {
        Some(u64::from(self.since.is_some()))
    }
}
