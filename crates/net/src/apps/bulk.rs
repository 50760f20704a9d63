//! Application that always has data to send.

use super::{App, AppFlow, AppPlan, ENDLESS, Io, Opening, TransportProtocol};
use airhop_base::Time;

/// Bulk source: always has data to send, like FTP of an endless file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Bulk;

impl AppPlan for Bulk {
    fn transport(&self) -> TransportProtocol {
        TransportProtocol::Tcp
    }

    fn open(&self, _: &Opening) -> Box<dyn App> {
        Box::new(Bulk)
    }
}

impl App for Bulk {
    fn on_start(&mut self, _: Time, io: &mut Io) {
        io.write(AppFlow::PLANNED, ENDLESS);
    }
}
