//! Medium access.

mod carrier_sense;
pub(crate) mod channel_access;
pub(crate) mod contention;
pub(crate) mod data_frame;
pub(crate) mod deadlines;
pub(crate) mod fragments;
pub(crate) mod lhp;
pub(crate) mod service;
pub(crate) mod stop_and_wait;
pub(crate) mod threshold;
pub(crate) mod turns;
