//! Ranges of a wlan's frames, from the key `range` or computed from the powers in `propagation`.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use airhop_net::routing::are_in_range;
use airhop_radio::cell::RadioRange;
use airhop_radio::phy::Band;
use airhop_radio::propagation::{PathLossModel, ratio_from_db};

const FREE_SPACE: &str = "free-space";
const TWO_RAY: &str = "two-ray";
/// Antenna height in ns-2, in metres.
const ANTENNA_HEIGHT_METRES: f64 = 1.5;

/// Sets the carrier frequency and the antenna height. `band` is the band of 802.11n, ac or ax.
pub(crate) fn set_defaults(wlan: &mut Fields, band: Option<Band>) {
    let Some(Val::Table(propagation)) = wlan.get_mut("propagation") else { return };
    let frequency = match band {
        Some(Band::Ghz5) => 5_000_000_000,
        Some(Band::Ghz2_4) | None => 2_400_000_000,
    };
    propagation.set_default("frequency", Val::Frequency(frequency));
    if propagation.word("model") == Some(TWO_RAY) {
        propagation.set_default("height", Val::Metres(ANTENNA_HEIGHT_METRES));
    }
}

/// Reports ranges and powers that contradict each other, and stations out of range of all other stations.
pub(crate) fn check(wlan: &Fields, problems: &mut Problems) {
    let before = problems.len();
    if let (Some(range), Some(_)) = (wlan.table("range"), wlan.table("propagation")) {
        let what = "expected either `range` (metres) or `propagation` (powers), got both";
        problems.add(&range.at, range.path.as_str(), what);
    }
    wlan.table("range").into_iter().for_each(|range| check_range(range, problems));
    wlan.table("propagation").into_iter().for_each(|propagation| check_propagation(propagation, problems));
    let Some(range) = radio_range(wlan).filter(|_| problems.len() == before) else { return };
    let receive = match wlan.table("propagation").and_then(|p| p.power("receive")) {
        Some(power) => {
            format!("{:.1} m, where the received power is receive = \"{power} dBm\"", range.receive_metres)
        }
        None => format!("receive = \"{} m\"", range.receive_metres),
    };
    for (name, nearest) in out_of_range_stations(wlan) {
        let what = format!(
            "out of range of all other stations: expected another station within {receive}, got the nearest at {nearest:.1} m"
        );
        problems.add(wlan.position_of("stations"), format!("{}.{name}", wlan.path_of("stations")), what);
    }
}

fn check_range(range: &Fields, problems: &mut Problems) {
    if let (Some(receive), Some(sense)) = (range.metres("receive"), range.metres("sense"))
        && sense < receive
    {
        let what = format!("expected at least receive = \"{receive} m\", got \"{sense} m\"");
        problems.add(range.position_of("sense"), range.path_of("sense"), what);
    }
}

fn check_propagation(propagation: &Fields, problems: &mut Problems) {
    if propagation.word("model").is_some_and(|model| model != TWO_RAY) && propagation.get("height").is_some()
    {
        let what = "free space has no ground; only model \"two-ray\" has `height`";
        problems.add(propagation.position_of("height"), propagation.path_of("height"), what);
    }
    let Some(plan) = plan(propagation) else { return };
    if plan.sense_threshold_dbm > plan.receive_threshold_dbm {
        let what = format!(
            "expected at most receive = \"{} dBm\", got \"{} dBm\"",
            plan.receive_threshold_dbm, plan.sense_threshold_dbm
        );
        problems.add(propagation.position_of("sense"), propagation.path_of("sense"), what);
    }
    if plan.receive_threshold_dbm > plan.max_received_dbm() {
        let what = format!(
            "expected at most {:.1} dBm, the received power at 1 m, got \"{} dBm\"",
            plan.max_received_dbm(),
            plan.receive_threshold_dbm
        );
        problems.add(propagation.position_of("receive"), propagation.path_of("receive"), what);
    }
}

/// Returns the ranges of a wlan's frames; `None` if the ranges are unlimited or a value is missing.
pub(crate) fn radio_range(wlan: &Fields) -> Option<RadioRange> {
    if let Some(propagation) = wlan.table("propagation") {
        return plan(propagation).map(|plan| plan.range());
    }
    let range = wlan.table("range")?;
    let (receive, sense) = (range.metres("receive")?, range.metres("sense")?);
    Some(RadioRange { capture_ratio: capture_ratio(range)?, ..RadioRange::free_space(receive, sense) })
}

fn plan(propagation: &Fields) -> Option<PathLossModel> {
    Some(PathLossModel {
        power_dbm: propagation.power("power")?,
        receive_threshold_dbm: propagation.power("receive")?,
        sense_threshold_dbm: propagation.power("sense")?,
        frequency_hz: propagation.frequency("frequency")? as f64,
        height_metres: match propagation.word("model")? {
            FREE_SPACE => None,
            TWO_RAY => Some(propagation.metres("height")?),
            _ => return None,
        },
        capture_ratio: capture_ratio(propagation)?,
    })
}

/// Returns the capture ratio as a linear ratio of powers.
fn capture_ratio(table: &Fields) -> Option<f64> {
    table.ratio("capture").map(ratio_from_db)
}

/// Returns the receive range of a wlan in metres; `None` if it is unlimited.
pub(crate) fn receive_range_metres(wlan: &Fields) -> Option<f64> {
    radio_range(wlan).map(|range| range.receive_metres)
}

/// Returns the stations that are out of range of all other stations of the wlan. Each entry has the distance
/// in metres to the nearest station.
fn out_of_range_stations(wlan: &Fields) -> Vec<(String, f64)> {
    let (Some(stations), Some(reach)) = (wlan.stations("stations"), receive_range_metres(wlan)) else {
        return Vec::new();
    };
    let mut out_of_range_stations = Vec::new();
    for (i, (name, here)) in stations.iter().enumerate() {
        let others = || stations.iter().enumerate().filter(|(j, _)| *j != i).map(|(_, (_, there))| *there);
        if others().next().is_some() && !others().any(|there| are_in_range(*here, there, reach)) {
            let distance = |there: [f64; 2]| (here[0] - there[0]).hypot(here[1] - there[1]);
            out_of_range_stations.push((name.clone(), others().map(distance).fold(f64::INFINITY, f64::min)));
        }
    }
    out_of_range_stations
}

const CAPTURE: Key = key(
    "capture",
    ValueKind::Ratio,
    Value(r#""10 dB""#),
    "capture ratio: minimum ratio of a received signal to the interference; `receiver` selects whether the interference is the sum of the \
     other signals or each of them (ns-2 CPThresh_)",
);

/// Keys of `[wlan.range]`.
pub(super) static RANGE_KEYS: [Key; 3] = [
    key("receive", ValueKind::Metres, Required, "receive range: frames can be decoded up to this distance"),
    key(
        "sense",
        ValueKind::Metres,
        Required,
        "sense range: the medium is busy up to this distance; at least `receive`",
    ),
    CAPTURE,
];

/// Keys of `[wlan.propagation]`.
pub(super) static PROPAGATION_KEYS: [Key; 7] = [
    key(
        "model",
        ValueKind::Word(|| vec![FREE_SPACE, TWO_RAY]),
        Required,
        "path-loss model: free space (Friis 1946), or two-ray ground reflection as in ns-2: free space up to the distance 4 pi h² / \
         wavelength, and a gain of h⁴ / d⁴ beyond",
    ),
    key("power", ValueKind::Power, Required, "transmitted power; antennas have no gain"),
    key(
        "receive",
        ValueKind::Power,
        Required,
        "receive threshold: minimum power of a decodable frame (ns-2 RXThresh_)",
    ),
    key(
        "sense",
        ValueKind::Power,
        Required,
        "carrier-sense threshold: minimum power that makes the medium busy; at most `receive` (ns-2 CSThresh_)",
    ),
    key(
        "frequency",
        ValueKind::Frequency,
        Derived("2.4 GHz, the band of 802.11, b and g; `band` of 802.11n, ac and ax"),
        "carrier frequency",
    ),
    key(
        "height",
        ValueKind::Metres,
        Derived("1.5 m with two-ray (ns-2's antennas), none in free space"),
        "antenna height above ground, equal for all stations",
    ),
    CAPTURE,
];
