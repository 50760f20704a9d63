//! Transfer of finite size.

use super::{App, AppFlow, AppPlan, Carrier, Io, Opening};
use airhop_base::Time;

/// Finite transfer (TCP only).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Transfer {
    /// Size of the transfer, bytes.
    pub bytes: u64,
}

impl AppPlan for Transfer {
    fn carrier(&self) -> Carrier {
        Carrier::Tcp
    }

    fn open(&self, _: &Opening) -> Box<dyn App> {
        Box::new(*self)
    }
}

impl App for Transfer {
    fn on_start(&mut self, _: Time, io: &mut Io) {
        io.expect(AppFlow::PLANNED, self.bytes);
        io.write(AppFlow::PLANNED, self.bytes);
    }

    fn on_delivered(&mut self, _: Time, _: AppFlow, _: u64, io: &mut Io) {
        io.finish();
    }
}
