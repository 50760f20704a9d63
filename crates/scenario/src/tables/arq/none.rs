use super::LinkRecovery;
use crate::grammar::key::Variant;
use airhop_radio::arq::ArqPlan;

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new("none", "no recovery: each frame is sent once, and there are no link ACKs", &[]),
    window: None,
    plan: |_| Some(ArqPlan::None),
};
