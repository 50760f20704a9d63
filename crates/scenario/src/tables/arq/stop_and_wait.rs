use super::{ACK, ATTEMPTS, LinkRecovery, TIMEOUT, rules};
use crate::grammar::key::Variant;
use airhop_radio::arq::{ArqPlan, Group};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "stop-and-wait",
        "stop-and-wait: a frame is sent when its predecessor is acknowledged",
        &[TIMEOUT, ATTEMPTS, ACK],
    ),
    window: Some(|_| Some(1)),
    plan: |arq| Some(ArqPlan::GoBackN { group: Group::Sliding, rules: rules(arq)? }),
};
