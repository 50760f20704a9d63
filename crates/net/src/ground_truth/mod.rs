//! Ground truth: what only an observer of the whole network knows, and what it says of senders and notices.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
