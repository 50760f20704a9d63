//! Medium access.

pub(crate) mod data_frame;
pub(crate) mod dcf;
pub(crate) mod deadlines;
pub(crate) mod fragments;
pub(crate) mod lhp;
pub(crate) mod service;
pub(crate) mod threshold;
pub(crate) mod turns;
