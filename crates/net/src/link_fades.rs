//! Fades of the links of a plan. Fades depend on the channel and not on the traffic, and need no run to be
//! computed.

use crate::build_error::BuildError;
use crate::placement;
use crate::plan::Plan;
use airhop_base::Time;
use airhop_engine::RandomStreams;
use airhop_radio::errors::ErrorPlan;
use airhop_trace::Recorder;

/// Bad periods of a directed link.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LinkFades {
    /// Name of the link or of the wlan.
    pub network: String,
    /// Name of the sending node.
    pub from: String,
    /// Name of the receiving node.
    pub to: String,
    /// Bad periods, each [begin, end), in chronological order; no two of them touch.
    pub bad_periods: Vec<[Time; 2]>,
}

/// Returns the bad periods up to `until` of each directed link with fades or outages in real time. Wired and
/// radio links come first, then the links between stations of a wlan.
///
/// # Errors
/// [`BuildError`] if the random placement of the replication fails.
pub fn compute_fades(
    plan: &Plan,
    seed: u64,
    replication: u64,
    until: Time,
) -> Result<Vec<LinkFades>, BuildError> {
    let streams = RandomStreams::new(seed, replication);
    let plan = &*placement::draw_plan(plan, &streams)?;
    Ok(fades_of_links(plan, &streams, until).collect())
}

/// Writes the bad periods of a whole run into a trace. `plan`: plan of the replication.
pub(crate) fn record_fades(plan: &Plan, streams: &RandomStreams, recorder: &mut Recorder) {
    for link in fades_of_links(plan, streams, Time::ZERO + plan.duration) {
        let place = recorder.intern_place(&format!("{}->{}", link.from, link.to));
        link.bad_periods.into_iter().for_each(|times| recorder.record_fade(place, times));
    }
}

fn fades_of_links<'a>(
    plan: &'a Plan,
    streams: &'a RandomStreams,
    until: Time,
) -> impl Iterator<Item = LinkFades> + 'a {
    directed_links(plan).filter_map(move |(network, from, to, errors)| {
        let bad = errors.bad_periods(streams, network, from, to, until)?;
        Some(LinkFades {
            network: network.to_string(),
            from: from.to_string(),
            to: to.to_string(),
            bad_periods: bad,
        })
    })
}

/// Returns each directed link with an error model: its network, sending node, receiving node and error model.
fn directed_links(plan: &Plan) -> impl Iterator<Item = (&str, &str, &str, &ErrorPlan)> {
    plan.links.iter().flat_map(|(_, link)| {
        let name = |i: usize| plan.nodes[usize::from(link.nodes()[i].0)].as_str();
        link.errors().into_iter().map(move |(from, to, errors)| (link.name(), name(from), name(to), errors))
    })
}
