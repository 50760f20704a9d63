//! IEEE 802.11 frames as a monitor captures them: a [radiotap](https://www.radiotap.org) header, the MAC frame
//! and its FCS (link type 127).
//!
//! Stations form an independent network, so neither ToDS nor FromDS is set, and address 3 is the BSSID. The
//! simulator has no channel numbers: a cell at 2.4 GHz is on channel 1, and a cell at 5 GHz on channel 36.

mod body;
mod fcs;
mod frames;
mod radiotap;

pub use body::FrameBody;
pub use fcs::append_fcs;
pub use frames::{ControlFrame, DataHeader, FrameAddresses, MacAddress, tid};
pub use radiotap::{AmpduPosition, PpduMode, Radiotap, RadiotapChannel, RadiotapPpdu};
