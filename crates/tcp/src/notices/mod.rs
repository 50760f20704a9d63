//! What a sender makes of explicit notifications.

mod eln_filter;

use crate::seams::{NoticePolicy, Reaction};
use airhop_base::Notice;
pub use eln_filter::ElnFilter;

/// Deaf to notices: every sender that was not made for them.
#[derive(Clone, Copy, Debug, Default)]
pub struct Deaf;

impl NoticePolicy for Deaf {
    fn on_notice(&mut self, _: &Notice) -> Reaction {
        Reaction::Ignore
    }
}
