//! How far the frames of a wlan reach: as its `range` says, or by the power of its `propagation`.

use crate::fields::{Fields, Val};
use crate::problem::Problems;
use crate::topology::lonely;
use airhop_radio::cell::Range;
use airhop_radio::propagation::{Propagation, ratio};

const FREE_SPACE: &str = "free-space";
const TWO_RAY: &str = "two-ray";
/// ns-2's antennas.
const HEIGHT: f64 = 1.5;

/// Fills in the height of antennas over ground.
pub(crate) fn fill(wlan: &mut Fields) {
    if let Some(Val::Table(propagation)) = wlan.get_mut("propagation")
        && propagation.word("model") == Some(TWO_RAY)
    {
        propagation.fill("height", Val::Metres(HEIGHT));
    }
}

/// Refuses ranges and powers that contradict each other, and stations that nobody hears.
pub(crate) fn check(wlan: &Fields, problems: &mut Problems) {
    let before = problems.len();
    if let (Some(range), Some(_)) = (wlan.table("range"), wlan.table("propagation")) {
        let what = "expected either `range` (metres) or `propagation` (powers), got both";
        problems.add(&range.at, range.path.as_str(), what);
    }
    wlan.table("range").into_iter().for_each(|range| check_range(range, problems));
    wlan.table("propagation").into_iter().for_each(|propagation| check_propagation(propagation, problems));
    let Some(range) = range(wlan).filter(|_| problems.len() == before) else { return };
    let receive = match wlan.table("propagation").and_then(|p| p.power("receive")) {
        Some(power) => format!("{:.1} m, where receive = \"{power} dBm\" is left", range.receive),
        None => format!("receive = \"{} m\"", range.receive),
    };
    for (name, nearest) in lonely(wlan) {
        let what = format!(
            "out of everyone's range: expected another station within {receive}, the nearest is at {nearest:.1} m"
        );
        problems.add(wlan.at("stations"), format!("{}.{name}", wlan.path_of("stations")), what);
    }
}

fn check_range(range: &Fields, problems: &mut Problems) {
    if let (Some(receive), Some(sense)) = (range.metres("receive"), range.metres("sense"))
        && sense < receive
    {
        let what = format!("expected at least receive = \"{receive} m\", got \"{sense} m\"");
        problems.add(range.at("sense"), range.path_of("sense"), what);
    }
}

fn check_propagation(propagation: &Fields, problems: &mut Problems) {
    if propagation.word("model").is_some_and(|model| model != TWO_RAY) && propagation.get("height").is_some()
    {
        let what = "there is no ground in free space; model \"two-ray\" has `height`";
        problems.add(propagation.at("height"), propagation.path_of("height"), what);
    }
    let Some(plan) = plan(propagation) else { return };
    if plan.sense > plan.receive {
        let what = format!("expected at most receive = \"{} dBm\", got \"{} dBm\"", plan.receive, plan.sense);
        problems.add(propagation.at("sense"), propagation.path_of("sense"), what);
    }
    if plan.receive > plan.nearest() {
        let what = format!(
            "expected at most the {:.1} dBm that are left at 1 m, got \"{} dBm\"",
            plan.nearest(),
            plan.receive
        );
        problems.add(propagation.at("receive"), propagation.path_of("receive"), what);
    }
}

/// How far the frames of a wlan reach; `None` if all stations hear each other, or a value is missing.
pub(crate) fn range(wlan: &Fields) -> Option<Range> {
    if let Some(propagation) = wlan.table("propagation") {
        return plan(propagation).map(|plan| plan.range());
    }
    let range = wlan.table("range")?;
    let (receive, sense) = (range.metres("receive")?, range.metres("sense")?);
    Some(Range { capture: capture(range)?, ..Range::free_space(receive, sense) })
}

fn plan(propagation: &Fields) -> Option<Propagation> {
    Some(Propagation {
        power: propagation.power("power")?,
        receive: propagation.power("receive")?,
        sense: propagation.power("sense")?,
        frequency: propagation.frequency("frequency")? as f64,
        height: match propagation.word("model")? {
            FREE_SPACE => None,
            TWO_RAY => Some(propagation.metres("height")?),
            _ => return None,
        },
        capture: capture(propagation)?,
    })
}

/// The ratio of powers.
fn capture(table: &Fields) -> Option<f64> {
    table.ratio("capture").map(ratio)
}
