//! Application that always has data to send.

use super::{App, AppContext, AppFlow, AppPlan, AppSetup, ENDLESS_BYTES, TransportProtocol};
use airhop_base::Time;

/// Bulk source: always has data to send, like FTP of an endless file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct BulkPlan;

impl AppPlan for BulkPlan {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn create_app(&self, _: &AppSetup) -> Box<dyn App> {
        Box::new(BulkPlan)
    }
}

impl App for BulkPlan {
    fn on_start(&mut self, _: Time, io: &mut AppContext) {
        io.write(AppFlow::PLANNED, ENDLESS_BYTES);
    }
}
