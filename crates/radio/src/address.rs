//! Addresses in link layers: stations of a cell, ends of a radio link.

/// Station of a cell: index into [`CellPlan::stations`](crate::cell::CellPlan::stations).
pub type StationIndex = u16;

/// Broadcast address. A frame to this address is sent once, at the control rate, without RTS or ACK (IEEE
/// 802.11-2016 §10.3.6).
pub const BROADCAST: StationIndex = StationIndex::MAX;

/// End of a radio link: 0 or 1, an index into [`RadioPlan::remove_signal`](crate::link::RadioPlan::ends). A packet or
/// frame is labelled with the end that sends it.
pub type LinkEnd = u8;
