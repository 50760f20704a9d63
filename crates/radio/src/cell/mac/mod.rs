//! Medium access control.

pub(crate) mod access_rules;
pub(crate) mod aggregator;
pub(crate) mod block_ack;
mod carrier_sense;
pub(crate) mod channel_access;
mod contention;
pub(crate) mod data_frame;
pub(crate) mod deadlines;
pub(crate) mod fragments;
pub(crate) mod lhp;
pub(crate) mod mpdu;
mod msdus;
pub(crate) mod service;
pub(crate) mod stop_and_wait;
pub(crate) mod threshold;
pub(crate) mod turns;
