//! Ground truth: the knowledge of an observer of the whole network, with which senders and notices are
//! compared.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
