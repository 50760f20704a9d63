use super::{ACK, ATTEMPTS, LinkRecovery, TIMEOUT, rules};
use crate::grammar::key::Variant;
use airhop_radio::arq::{ArqPlan, Group};

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "stop-and-wait",
        "a frame goes when the one before has its ACK",
        &[TIMEOUT, ATTEMPTS, ACK],
    ),
    window: Some(|_| Some(1)),
    plan: |arq| Some(ArqPlan::GoBackN { group: Group::Sliding, rules: rules(arq)? }),
};
