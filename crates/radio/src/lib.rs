//! The wireless channel and its link layers.
//!
//! * [`phy`]: timing tables of 802.11, b and g.
//! * [`propagation`]: how signals lose their power with distance.
//! * [`errors`]: what the channel does to frames.
//! * [`cell`]: one 802.11 channel: the medium, and a DCF for every station on it.
//! * [`link`]: a radio link between two stations alone, and [`arq`], its recovery.
//! * [`pace`]: how fast a transmitter sends; [`link_schedule`]: links that change in the course of a run.

mod address;
pub mod arq;
pub mod cell;
pub mod errors;
pub mod link;
pub mod link_schedule;
pub mod pace;
pub mod phy;
pub mod propagation;
mod tag;

pub use tag::Tag;

// The harness of the integration tests, which the unit tests share, calls the crate by its name.
#[cfg(test)]
extern crate self as airhop_radio;
#[cfg(test)]
mod tests;
