//! Notice policies: a sender's reactions to explicit notices (ELN, ERSN, EBSN, RTTN, NAK).

mod answer;
mod answer_naks;
mod eln_filter;
mod expect_delay;
mod once_per_loss;
mod refresh_timer;
mod shield;

use crate::config::NoticeHandling;
use crate::recovery::NoticeAwareRecovery;
use crate::seams::{NoticePolicy, NoticeReaction, SenderPolicies};
use crate::sender_state::SenderState;
use airhop_base::{Notice, Time};
pub use answer::RetransmitOnEln;
pub use answer_naks::RetransmitOnNak;
pub use eln_filter::ElnFilter;
pub use expect_delay::ExtendRtoOnRttn;
pub use once_per_loss::RetransmitOncePerLoss;
pub use refresh_timer::RestartTimerOnEbsn;
pub use shield::{DuplicateIgnorePeriod, IgnoreDuplicatesAfterEln};

/// Number of probing timeouts until a frozen sender returns to the ordinary rules. Without a limit, as in Yun
/// 2009, a connection to a departed station would never end. The number is Airhop's choice.
pub const MAX_FROZEN_PROBES: u32 = 12;

/// Returns the policies of a scheme with the configured notice policy.
pub(crate) fn apply_notice_policy(notices: NoticeHandling, scheme: SenderPolicies) -> SenderPolicies {
    let policy: Box<dyn NoticePolicy> = match notices {
        NoticeHandling::Scheme => return scheme,
        NoticeHandling::Ignored => return SenderPolicies { notices: Box::new(IgnoreNotices), ..scheme },
        NoticeHandling::Eln => Box::new(RetransmitOncePerLoss::default()),
        NoticeHandling::Elsn => Box::new(ElnFilter::new(MAX_NOISE_ELNS)),
    };
    SenderPolicies {
        notices: policy,
        recovery: Box::new(NoticeAwareRecovery::new(scheme.recovery)),
        ..scheme
    }
}

/// Default number of consecutive ELNs that count as channel noise, from the example of Yun 2009 §4.2.
const MAX_NOISE_ELNS: u32 = 2;

/// Notice policy that ignores all notices.
#[derive(Clone, Copy, Debug, Default)]
pub struct IgnoreNotices;

impl NoticePolicy for IgnoreNotices {
    fn on_notice(&mut self, _: Time, _: &Notice, _: &SenderState) -> NoticeReaction {
        NoticeReaction::Ignore
    }

    fn handles_eln(&self) -> bool {
        false
    }
}
