//! Notice policies: a sender's reactions to explicit notices (ELN, ERSN, EBSN, RTTN, NAK).

mod answer;
mod answer_naks;
mod eln_filter;
mod expect_delay;
mod once_per_loss;
mod refresh_timer;
mod shield;

use crate::config::Notices;
use crate::recovery::NoticeAware;
use crate::seams::{NoticePolicy, Parts, Reaction};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Time};
pub use answer::Answer;
pub use answer_naks::AnswerNaks;
pub use eln_filter::ElnFilter;
pub use expect_delay::ExpectDelay;
pub use once_per_loss::OncePerLoss;
pub use refresh_timer::RefreshTimer;
pub use shield::{IgnoreDuplicatesAfterEln, Lasts};

/// Number of probing timeouts until a frozen sender returns to the ordinary rules. Without a limit, as in Yun
/// 2009, a connection to a departed station would never end. The number is Airhop's choice.
pub const PATIENCE: u32 = 12;

/// Returns the policies of a scheme with the configured notice policy.
pub(crate) fn choose(notices: Notices, scheme: Parts) -> Parts {
    let policy: Box<dyn NoticePolicy> = match notices {
        Notices::Scheme => return scheme,
        Notices::Ignored => return Parts { notices: Box::new(IgnoreNotices), ..scheme },
        Notices::Eln => Box::new(OncePerLoss::default()),
        Notices::Elsn => Box::new(ElnFilter::new(NOISE)),
    };
    Parts { notices: policy, recovery: Box::new(NoticeAware::new(scheme.recovery)), ..scheme }
}

/// Default number of consecutive ELNs that count as channel noise, from the example of Yun 2009 §4.2.
const NOISE: u32 = 2;

/// Notice policy that ignores all notices.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreNotices;

impl NoticePolicy for IgnoreNotices {
    fn on_notice(&mut self, _: Time, _: &Notice, _: &SenderState) -> Reaction {
        Reaction::Ignore
    }

    fn knows_eln(&self) -> bool {
        false
    }
}
