//! Ground truth: information of an observer of the whole network, with which reactions of senders and effects
//! of notices are compared.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
