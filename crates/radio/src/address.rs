//! Addresses of the link layers: the stations of a cell, the ends of a radio link.

/// Station of a cell, by its position in [`CellPlan::stations`](crate::cell::CellPlan::stations).
pub type Station = u16;

/// Broadcast address. A frame to it is sent once, at the control rate, without an RTS and without an ACK (IEEE 802.11-2016 §10.3.6).
pub const BROADCAST: Station = Station::MAX;

/// End of a radio link: 0 or 1, its position in [`RadioPlan::ends`](crate::link::RadioPlan::ends). With a packet or a frame, the end that
/// sends it.
pub type End = u8;
