//! Ground truth: facts that only an observer of the whole network can know. Reactions of senders and effects
//! of notices are compared with them.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
