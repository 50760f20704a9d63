//! Wireless channel and its link layers.
//!
//! * [`phy`]: timing of 802.11, b and g; PPDUs of 802.11n, ac and ax.
//! * [`propagation`]: path loss with distance.
//! * [`errors`]: error models of the channel.
//! * [`layer`]: contract of the link layers with the world.
//! * [`cell`]: one 802.11 channel: the medium, and the channel access of every station on it.
//! * [`link`]: a point-to-point radio link, and [`arq`], its recovery.
//! * [`link_rate`]: rate of a transmitter; [`link_schedule`]: links that change during a run.

mod address;
pub mod arq;
mod buffer;
pub mod cell;
pub mod errors;
pub mod layer;
pub mod link;
pub mod link_rate;
pub mod link_schedule;
pub mod phy;
pub mod propagation;
mod tag;

pub use tag::PacketTag;

// The unit tests share the harness of the integration tests, which refers to this crate by its
// name.
#[cfg(test)]
extern crate self as airhop_radio;
#[cfg(test)]
mod tests;
