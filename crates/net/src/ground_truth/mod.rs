//! Ground truth is what only an observer of the whole network knows; senders and notices are held against it.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
