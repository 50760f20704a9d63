use super::{ACK_KEY, ATTEMPTS_KEY, LinkRecovery, rules, timeout_key};
use crate::grammar::key::{Key, Variant};
use airhop_radio::arq::{ArqPlan, RetransmissionGroup};

const TIMEOUT_KEY: Key = timeout_key(
    "sum of the durations of the frame, of one frame in the other direction that the link ACK may have to wait for, and of the link ACK, \
     plus the round-trip propagation delay; each frame has the length of the largest frame of all flows that cross the link",
);

pub(super) static KIND: LinkRecovery = LinkRecovery {
    variant: Variant::new(
        "stop-and-wait",
        "stop-and-wait: a frame is sent when its predecessor is acknowledged",
        &[TIMEOUT_KEY, ATTEMPTS_KEY, ACK_KEY],
    ),
    window: Some(|_| Some(1)),
    plan: |arq| Some(ArqPlan::GoBackN { group: RetransmissionGroup::Sliding, rules: rules(arq)? }),
};
