//! Ground truth: knowledge of an observer of the whole network, with which the behaviour of senders and
//! notices is compared.

pub(crate) mod lateness;
pub(crate) mod loss_ledger;
pub(crate) mod oracle;
pub(crate) mod spurious;
