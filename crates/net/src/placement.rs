//! Random placement of a wlan's stations and flow endpoints, drawn for each replication before the run.
//!
//! Positions are drawn from the random stream `<wlan>.layout`, x before y, station after station. The
//! endpoints of a flow are drawn from `<flow>.between`. The draws do not depend on the scheme, so all schemes
//! run on the same network. An additional flow does not change the endpoints of earlier flows, unless the
//! first positions become unacceptable.

use crate::build_error::{BuildError, MAX_PLACEMENTS};
use crate::links::WlanPlan;
use crate::plan::{Area, DrawnFlow, Plan};
use crate::routing::are_in_range;
use airhop_engine::{RandomStream, RandomStreams};
use airhop_radio::cell::StationIndex;
use std::borrow::Cow;
use std::collections::{HashSet, VecDeque};

/// Position of a station, x and y in metres.
pub type Position = [f64; 2];

/// Returns the plan of one replication with all random choices made. Returns `plan` itself if there are no
/// random choices.
///
/// # Errors
/// [`BuildError::Disconnected`] or [`BuildError::NoPairs`] if no draw fulfils the conditions of the plan.
pub(crate) fn draw_plan<'a>(plan: &'a Plan, streams: &RandomStreams) -> Result<Cow<'a, Plan>, BuildError> {
    if plan.links.wlans.iter().all(|w| w.draws.area.is_none() && w.draws.drawn_flows.is_empty()) {
        return Ok(Cow::Borrowed(plan));
    }
    let mut drawn = plan.clone();
    for wlan in &mut drawn.links.wlans {
        let name = |pair: &DrawnFlow| plan.flows[usize::from(pair.flow.0)].name.as_str();
        let mut available = draw_positions(wlan, streams, name)?;
        for (pair, [from, to]) in draw_pairs(&mut available, &wlan.draws.drawn_flows, streams, name) {
            let flow = &mut drawn.flows[usize::from(pair.flow.0)];
            (flow.from, flow.to) = (wlan.nodes[usize::from(from)], wlan.nodes[usize::from(to)]);
        }
    }
    Ok(Cow::Owned(drawn))
}

/// Draws the positions of a wlan's stations unless they are fixed. Also returns the pairs of stations that
/// are available to the wlan's flows.
fn draw_positions<'a>(
    wlan: &mut WlanPlan,
    streams: &RandomStreams,
    name: impl Fn(&DrawnFlow) -> &'a str,
) -> Result<Vec<StationPairs>, BuildError> {
    let (cell, wanted) = (&mut wlan.cell, &wlan.draws.drawn_flows);
    let reach = cell.range.map(|range| range.receive_metres);
    let refuse = |short: TooFewPairs| BuildError::NoPairs {
        wlan: cell.name.clone(),
        flow: wanted.iter().find(|pair| pair.hops == short.hops).map(&name).unwrap_or_default().to_string(),
        hops: short.hops,
        flows: short.flows,
        pairs: short.pairs,
        drawn: wlan.draws.area.is_some(),
    };
    let Some(area) = wlan.draws.area else {
        let places: Vec<Position> = cell.stations.iter().map(|(_, place)| *place).collect();
        return available_pairs(wanted, &places, reach).map_err(refuse);
    };
    // Pairs are computed only for positions that are connected.
    let mut found = Err(BuildError::Disconnected { wlan: cell.name.clone() });
    let places = draw_placement(&cell.name, &area, cell.stations.len(), reach, streams, |places| {
        found = available_pairs(wanted, places, reach).map_err(refuse);
        found.is_ok()
    });
    for ((_, place), drawn) in cell.stations.iter_mut().zip(places.unwrap_or_default()) {
        *place = drawn;
    }
    found
}

/// Draws positions for the stations of `wlan` until `fits` accepts them. If `area` requires it, the stations
/// must also be connected. `None` after [`MAX_PLACEMENTS`] unsuccessful draws.
pub fn draw_placement(
    wlan: &str,
    area: &Area,
    stations: usize,
    reach: Option<f64>,
    streams: &RandomStreams,
    mut fits: impl FnMut(&[Position]) -> bool,
) -> Option<Vec<Position>> {
    let mut stream = streams.stream(&format!("{wlan}.layout"));
    let mut draws = (0..MAX_PLACEMENTS)
        .map(|_| (0..stations).map(|_| area.draw_position(&mut stream)).collect::<Vec<_>>());
    draws.find(|places| (!area.must_be_connected || are_connected(places, reach)) && fits(places))
}

impl Area {
    fn draw_position(&self, stream: &mut RandomStream) -> Position {
        [self.width, self.height].map(|side| side * stream.uniform())
    }
}

/// True if steps of at most `reach` metres connect all positions. Most placements of a sparse network are
/// rejected quickly.
pub fn are_connected(places: &[Position], reach: Option<f64>) -> bool {
    let Some(reach) = reach else { return true };
    let mut apart: Vec<Position> = places.to_vec();
    let mut frontier: Vec<Position> = apart.pop().into_iter().collect();
    while let Some(here) = frontier.pop() {
        frontier.extend(apart.extract_if(.., |there| are_in_range(here, *there, reach)));
    }
    apart.is_empty()
}

/// Returns every pair (from, to) of positions whose shortest path has `hops` steps of at most `reach` metres.
/// If `hops` is `None`, any number of steps is accepted. The two directions of a path are separate pairs.
pub fn pairs_at_distance(
    places: &[Position],
    reach: Option<f64>,
    hops: Option<u32>,
) -> Vec<[StationIndex; 2]> {
    let hears =
        |a: usize, b: usize| a != b && reach.is_none_or(|reach| are_in_range(places[a], places[b], reach));
    let all = 0..places.len();
    let neighbours: Vec<Vec<usize>> =
        all.clone().map(|a| all.clone().filter(|&b| hears(a, b)).collect()).collect();
    let from_each = all.flat_map(|from| {
        let distances = hop_distances(&neighbours, from, hops.unwrap_or(u32::MAX));
        let fits = |&(_, distance): &(usize, Option<u32>)| match hops {
            Some(hops) => distance == Some(hops),
            None => distance.is_some_and(|distance| distance > 0),
        };
        let ends = distances.into_iter().enumerate().filter(fits);
        ends.map(|(to, _)| [from as StationIndex, to as StationIndex]).collect::<Vec<_>>()
    });
    from_each.collect()
}

/// Returns the number of steps from `from` to each position; `None` above `most`.
fn hop_distances(neighbours: &[Vec<usize>], from: usize, most: u32) -> Vec<Option<u32>> {
    let mut distances = vec![None; neighbours.len()];
    distances[from] = Some(0);
    let mut unseen = neighbours.len() - 1;
    let mut frontier = VecDeque::from([(from, 0)]);
    while let Some((here, distance)) = frontier.pop_front()
        && unseen > 0
        && distance < most
    {
        for &there in &neighbours[here] {
            if distances[there].is_none() {
                distances[there] = Some(distance + 1);
                frontier.push_back((there, distance + 1));
                unseen -= 1;
            }
        }
    }
    distances
}

/// Pairs of stations for flows that request the same number of hops.
struct StationPairs {
    hops: Option<u32>,
    pairs: Vec<[StationIndex; 2]>,
}

/// Error: too few pairs have the requested number of hops.
struct TooFewPairs {
    hops: Option<u32>,
    flows: usize,
    pairs: usize,
}

/// Returns the available pairs for each requested number of hops. The last element is for flows that accept
/// any number of hops. These flows draw from the pairs that the other flows leave.
fn available_pairs(
    wanted: &[DrawnFlow],
    places: &[Position],
    reach: Option<f64>,
) -> Result<Vec<StationPairs>, TooFewPairs> {
    let mut kinds: Vec<Option<u32>> = wanted.iter().map(|pair| pair.hops).collect();
    kinds.sort_by_key(|hops| (hops.is_none(), *hops));
    kinds.dedup();
    let of_hops = |hops: Option<u32>| {
        let pairs = pairs_at_distance(places, reach, hops);
        let flows = wanted.iter().filter(|pair| hops.is_none() || pair.hops == hops).count();
        if pairs.len() < flows {
            return Err(TooFewPairs { hops, flows, pairs: pairs.len() });
        }
        Ok(StationPairs { hops, pairs })
    };
    kinds.into_iter().map(of_hops).collect()
}

/// Draws a pair of stations for each flow; no pair is drawn twice.
fn draw_pairs<'a, 'b>(
    available: &mut [StationPairs],
    wanted: &'b [DrawnFlow],
    streams: &RandomStreams,
    name: impl Fn(&DrawnFlow) -> &'a str,
) -> Vec<(&'b DrawnFlow, [StationIndex; 2])> {
    let mut drawn = Vec::with_capacity(wanted.len());
    let mut taken = HashSet::new();
    for part in available {
        part.pairs.retain(|pair| !taken.contains(pair));
        for pair in wanted.iter().filter(|pair| pair.hops == part.hops) {
            let mut stream = streams.stream(&format!("{}.between", name(pair)));
            let ends = part.pairs.swap_remove(stream.uniform_below(part.pairs.len() as u32) as usize);
            taken.insert(ends);
            drawn.push((pair, ends));
        }
    }
    drawn
}
