//! Medium access.

pub(crate) mod dcf;
pub(crate) mod deadlines;
