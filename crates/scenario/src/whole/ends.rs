//! The ends of flows: nodes that exist, differ and reach each other.

use super::topology::{Link, Topology};
use crate::grammar::fields::Fields;
use crate::grammar::problem::{Problems, did_you_mean, some_of};
use crate::tables::layout;
use crate::tables::wlan::is_on_demand;

/// Checks the ends of a flow. `on_demand`: see [`on_demand`].
pub(super) fn check(
    flow: &Fields,
    on_demand: &[(String, Vec<String>)],
    topology: &Topology,
    links_sound: bool,
    problems: &mut Problems,
) {
    check_nodes(flow, topology, links_sound, problems);
    check_through_traffic(flow, on_demand, topology, problems);
}

/// Refuses a flow without ends.
fn check_missing_ends(flow: &Fields, problems: &mut Problems) {
    if flow.get("between").is_some() || !flow.misses("between") {
        return;
    }
    for (key, what) in [("from", "sending"), ("to", "receiving")] {
        if flow.misses(key) {
            let what = format!(
                "is missing: the {what} node, such as \"s\"; or `between`, such as {{ wlan = \"cell\" }}, for two stations at random"
            );
            problems.add(&flow.at, flow.path_of(key), what);
        }
    }
}

/// Checks that the ends of a flow exist, differ and, if all links could be read, reach each other.
fn check_nodes(flow: &Fields, topology: &Topology, links_sound: bool, problems: &mut Problems) {
    check_missing_ends(flow, problems);
    let (from, to) = (flow.text("from"), flow.text("to"));
    let mut known = true;
    for (key, node) in [("from", from), ("to", to)] {
        let Some(node) = node else { continue };
        if node.contains('*') {
            known = false; // and told with the table's name
        } else if links_sound && !topology.nodes.contains(node) {
            known = false;
            let hint = did_you_mean(node, topology.nodes.iter().map(String::as_str));
            let nodes = some_of(topology.nodes.iter().map(String::as_str));
            let what = format!("no link has a node \"{node}\"; expected one of {nodes}{hint}");
            problems.add(flow.at(key), flow.path_of(key), what);
        }
    }
    let (Some(from), Some(to)) = (from, to) else { return };
    if from == to {
        let what = format!("expected another node than the sender, got \"{to}\" for both");
        problems.add(flow.at("to"), flow.path_of("to"), what);
    } else if links_sound && known && topology.way(from, to).is_none() {
        let what = format!(
            "unreachable: no links lead from \"{from}\" to \"{to}\"; expected a way of wired links, radio links and stations in range"
        );
        problems.add(flow.at("to"), flow.path_of("to"), what);
    }
}

/// Refuses a flow that crosses a wlan with routes found on demand, and does not begin and end there: its routers know no other nodes.
fn check_through_traffic(
    flow: &Fields,
    wlans: &[(String, Vec<String>)],
    topology: &Topology,
    problems: &mut Problems,
) {
    let (Some(from), Some(to)) = (flow.text("from"), flow.text("to")) else { return };
    for link in topology.way(from, to).unwrap_or_default() {
        let Link::Wlan(i) = link else { continue };
        let Some((wlan, stations)) = wlans.get(i).filter(|(_, stations)| !stations.is_empty()) else {
            continue;
        };
        for (key, node) in [("from", from), ("to", to)] {
            if !stations.iter().any(|station| station == node) {
                let what = format!(
                    "expected a station of wlan \"{wlan}\", which the flow crosses and which finds its routes on demand, got \"{node}\""
                );
                problems.add(flow.at(key), flow.path_of(key), what);
                return;
            }
        }
    }
}

/// For each wlan its name and, if it finds its routes on demand, its stations.
pub(super) fn on_demand(wlans: &[Fields]) -> Vec<(String, Vec<String>)> {
    let stations = |wlan: &Fields| {
        let stations = Some(wlan).filter(|wlan| is_on_demand(wlan)).and_then(layout::stations);
        stations.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
    };
    wlans.iter().map(|wlan| (wlan.text("name").unwrap_or_default().to_string(), stations(wlan))).collect()
}
