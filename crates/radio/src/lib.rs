//! The wireless channel and its link layers.
//!
//! * [`phy`]: timing tables of 802.11, b and g.
//! * [`propagation`]: how signals lose their power with distance.
//! * [`errors`]: what the channel does to frames.
//! * [`cell`]: one 802.11 channel: the medium, and a DCF for every station on it.
//! * [`link`]: a radio link between two stations alone, and [`arq`], its recovery.
//! * [`pace`]: how fast a transmitter sends; [`link_schedule`]: links that change in the course of a run.
//!
//! Inside a cell, `medium` knows who hears whom and what overlapping signals do to each other, `mac::dcf` is the channel access of
//! one station, and `exchange` plays the frame sequences between them.

pub mod arq;
pub mod cell;
pub mod errors;
mod exchange;
pub mod link;
pub mod link_schedule;
mod mac;
mod medium;
pub mod pace;
pub mod phy;
pub mod propagation;

// The harness of the integration tests, which the unit tests share, calls the crate by its name.
#[cfg(test)]
extern crate self as airhop_radio;
#[cfg(test)]
mod broadcast_tests;
#[cfg(test)]
mod channel_tests;
#[cfg(test)]
mod ieee_tests;
#[cfg(test)]
mod lhp_tests;
#[cfg(test)]
mod tests;
