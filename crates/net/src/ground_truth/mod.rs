//! Ground truth: facts that only an observer of the whole network can know. Used to assess reactions of
//! senders and effects of notices.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
