//! Settings of a PPDU of 802.11n, ac or ax, and their ranges.
use super::format::{Band, PpduFormat};
use airhop_base::Span;
use std::fmt;

/// Settings of a transmission, chosen by a station or a scenario file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct TxSettings {
    /// Format of the PPDU.
    pub format: PpduFormat,
    /// Frequency band. The channel widths and the signal extension depend on it.
    pub band: Band,
    /// Modulation and coding scheme per spatial stream: from 0 to 7 (HT), 9 (VHT) or 11 (HE).
    pub mcs: u8,
    /// Number of spatial streams, at least 1.
    pub streams: u8,
    /// Channel width in MHz.
    pub width_mhz: u32,
    /// Guard interval of the data symbols.
    pub guard_interval: Span,
}

impl TxSettings {
    /// Checks that every setting is within the format's range.
    pub(super) fn check(&self) -> Result<(), ModeError> {
        let TxSettings { format, band, mcs, streams, width_mhz, guard_interval: guard } = *self;
        if format.phy(band).is_none() {
            return Err(ModeError::Band { format, band });
        }
        if mcs > format.max_mcs() {
            return Err(ModeError::Mcs { format, mcs });
        }
        if !(1..=format.max_streams()).contains(&streams) {
            return Err(ModeError::Streams { format, streams });
        }
        if !format.widths_mhz(band).contains(&width_mhz) {
            return Err(ModeError::Width { format, band, width_mhz });
        }
        if !format.guard_intervals().contains(&guard) {
            return Err(ModeError::Guard { format, guard });
        }
        Ok(())
    }
}

/// Error of a transmission mode that does not exist. The message names the setting and its value, and lists
/// the values of the standard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ModeError {
    /// The standard does not use this band.
    Band {
        /// Format of the PPDU.
        format: PpduFormat,
        /// The band.
        band: Band,
    },
    /// The format has no such MCS.
    Mcs {
        /// Format of the PPDU.
        format: PpduFormat,
        /// The MCS.
        mcs: u8,
    },
    /// Zero streams, or too many for the format.
    Streams {
        /// Format of the PPDU.
        format: PpduFormat,
        /// Number of spatial streams.
        streams: u8,
    },
    /// The format has no such channel width in this band.
    Width {
        /// Format of the PPDU.
        format: PpduFormat,
        /// The band.
        band: Band,
        /// Channel width in MHz.
        width_mhz: u32,
    },
    /// The format has no such guard interval.
    Guard {
        /// Format of the PPDU.
        format: PpduFormat,
        /// The guard interval.
        guard: Span,
    },
    /// The format's tables exclude this MCS for this width and number of streams, because the data bits
    /// cannot be divided equally among the encoders (IEEE 802.11-2020 §21.5).
    LeftOut {
        /// Format of the PPDU.
        format: PpduFormat,
        /// The MCS.
        mcs: u8,
        /// Number of spatial streams.
        streams: u8,
        /// Channel width in MHz.
        width_mhz: u32,
    },
}

impl fmt::Display for ModeError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let in_band =
            |format: PpduFormat, band: Band| format!("{} in the {} band", format.name(), band.name());
        match *self {
            ModeError::Band { format, band } => {
                write!(f, "the {} band: expected 5 GHz for {}", band.name(), format.name())
            }
            ModeError::Mcs { format, mcs } => {
                write!(f, "MCS {mcs}: expected 0 to {} for {}", format.max_mcs(), format.name())
            }
            ModeError::Streams { format, streams } => {
                write!(
                    f,
                    "{streams} spatial streams: expected 1 to {} for {}",
                    format.max_streams(),
                    format.name()
                )
            }
            ModeError::Width { format, band, width_mhz } => {
                let widths = one_of(format.widths_mhz(band).iter().map(|mhz| format!("{mhz} MHz")));
                write!(f, "a width of {width_mhz} MHz: expected {widths} for {}", in_band(format, band))
            }
            ModeError::Guard { format, guard } => {
                let guards =
                    one_of(format.guard_intervals().iter().map(|guard| format!("{} ns", guard.nanos())));
                write!(f, "a guard interval of {} ns: expected {guards} for {}", guard.nanos(), format.name())
            }
            ModeError::LeftOut { format, mcs, streams, width_mhz } => {
                let others =
                    (0..=format.max_mcs()).filter(|other| *other != mcs).map(|other| other.to_string());
                let (others, name) = (one_of(others), format.name());
                write!(
                    f,
                    "MCS {mcs}: expected {others} for {name} at {width_mhz} MHz with spatial streams: {streams}"
                )
            }
        }
    }
}

impl std::error::Error for ModeError {}

/// Formats the values as a list: "a, b or c".
fn one_of(values: impl Iterator<Item = String>) -> String {
    let values: Vec<String> = values.collect();
    match values.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, others)) => format!("{} or {last}", others.join(", ")),
        None => String::new(),
    }
}
