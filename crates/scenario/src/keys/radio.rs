//! The radio of a wlan: what stands in place of the standard's numbers, and how far frames reach.

use super::Without::{Derived, Required, Value};
use super::{Key, Kind, key};

/// The largest contention window (IEEE 802.11-2016, dot11EDCATableCWmax).
const MAX_WINDOW: u64 = 65_535;

/// `[wlan.phy]`.
pub(super) static PHY: [Key; 4] = [
    key(
        "header",
        Kind::Span { least_ns: 0 },
        Derived("that of the standard"),
        "PLCP preamble and header, before every frame whatever its rate",
    ),
    key(
        "cw_min",
        Kind::Count { least: 0, most: MAX_WINDOW },
        Derived("that of the standard"),
        "smallest contention window: a backoff is uniform in {0, …, CW} slots (IEEE 802.11-2016 §10.3.3)",
    ),
    key(
        "cw_max",
        Kind::Count { least: 0, most: MAX_WINDOW },
        Derived("that of the standard"),
        "largest contention window, at least `cw_min`",
    ),
    key(
        "coding",
        Kind::Word(|| vec!["serial", "ofdm"]),
        Derived("that of the standard"),
        "bits of a frame one after the other, or in OFDM symbols of 4 µs with a signal extension of 6 µs (802.11g only); ns-2 has no symbols",
    ),
];

const CAPTURE: Key = key(
    "capture",
    Kind::Ratio,
    Value(r#""10 dB""#),
    "a signal survives others that it is so much stronger than: their sum, or each, as `receiver` says (ns-2 CPThresh_)",
);

/// `[wlan.range]`.
pub(super) static RANGE: [Key; 3] = [
    key("receive", Kind::Metres, Required, "frames can be received up to here"),
    key("sense", Kind::Metres, Required, "the medium is sensed busy up to here; at least `receive`"),
    CAPTURE,
];

/// `[wlan.propagation]`.
pub(super) static PROPAGATION: [Key; 7] = [
    key(
        "model",
        Kind::Word(|| vec!["free-space", "two-ray"]),
        Required,
        "free space (Friis 1946), or ground that reflects: as in ns-2, free space up to 4 pi h² / wavelength and h⁴ / d⁴ beyond",
    ),
    key("power", Kind::Power, Required, "transmitted; antennas have no gain"),
    key("receive", Kind::Power, Required, "frames can be received from here on (ns-2 RXThresh_)"),
    key(
        "sense",
        Kind::Power,
        Required,
        "the medium is sensed busy from here on; at most `receive` (ns-2 CSThresh_)",
    ),
    key(
        "frequency",
        Kind::Frequency,
        Value(r#""2.4 GHz""#),
        "of the carrier; the band of all three standards",
    ),
    key(
        "height",
        Kind::Metres,
        Derived("1.5 m with two-ray (ns-2's antennas), none in free space"),
        "of all antennas over the ground",
    ),
    CAPTURE,
];
