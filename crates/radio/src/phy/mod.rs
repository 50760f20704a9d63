//! Physical layers of 802.11.
//!
//! * [`Phy`]: interframe spaces, slots and contention windows; airtimes of 802.11, 802.11b and 802.11g
//!   frames, and of the control frames of later standards.
//! * [`PpduFormat`]: PPDU formats of 802.11n, ac and ax. Scenario files name a standard ([`Phy::find`]), not a
//!   format.
//! * [`TxMode`]: format, MCS, spatial streams, channel width and guard interval of a PPDU; its airtime.
//! * [`ampdu`], [`amsdu`]: aggregation of MPDUs in a PPDU, and of MSDUs in an MPDU.

pub mod ampdu;
pub mod amsdu;
mod format;
mod legacy;
mod mode;
mod settings;
mod symbol;

pub use ampdu::{DELIMITER_BYTES, Psdu, PsduLimits, QOS_MAC_OVERHEAD_BYTES};
pub use format::{
    BASIC_RATES, BLOCK_ACK_REQ_BYTES, Band, CF_END_BYTES, MAX_PPDU_TIME, PpduFormat, block_ack_bytes,
};
pub use legacy::{
    ACK_BYTES, CTS_BYTES, Coding, DATA_OVERHEAD_BYTES, LLC_BYTES, MAC_OVERHEAD_BYTES, Phy, RTS_BYTES,
};
pub use mode::TxMode;
pub use settings::{ModeError, TxSettings};
pub use symbol::Modulation;
