//! Endpoints of flows. The nodes must exist, differ, and reach each other.

use super::topology::{Link, Topology};
use crate::grammar::fields::Fields;
use crate::grammar::problem::{Problems, did_you_mean, format_list};
use crate::tables::layout;
use crate::tables::wlan::is_on_demand;

/// Checks the ends of a flow.
pub(super) fn check(
    flow: &Fields,
    on_demand: &[OnDemandWlan],
    topology: &Topology,
    links_sound: bool,
    problems: &mut Problems,
) {
    check_nodes(flow, topology, links_sound, problems);
    check_through_traffic(flow, on_demand, topology, problems);
}

/// Reports a flow without ends.
fn check_missing_ends(flow: &Fields, problems: &mut Problems) {
    if flow.get("between").is_some() || !flow.is_missing_not_misspelt("between") {
        return;
    }
    for (key, what) in [("from", "sending"), ("to", "receiving")] {
        if flow.is_missing_not_misspelt(key) {
            let what = format!(
                "is missing: the {what} node, such as \"s\"; or `between`, such as {{ wlan = \"cell\" }}, for two stations at random"
            );
            problems.add(&flow.at, flow.path_of(key), what);
        }
    }
}

/// Checks that the endpoints of a flow exist and differ. If all links are valid, also checks that the
/// endpoints reach each other.
fn check_nodes(flow: &Fields, topology: &Topology, links_sound: bool, problems: &mut Problems) {
    check_missing_ends(flow, problems);
    let (from, to) = (flow.text("from"), flow.text("to"));
    let mut known = true;
    for (key, node) in [("from", from), ("to", to)] {
        let Some(node) = node else { continue };
        if node.contains('*') {
            known = false; // the problem is reported with the name of the table
        } else if links_sound && !topology.nodes.contains(node) {
            known = false;
            let hint = did_you_mean(node, topology.nodes.iter().map(String::as_str));
            let nodes = format_list(topology.nodes.iter().map(String::as_str));
            let what = format!("no link has a node \"{node}\"; expected one of {nodes}{hint}");
            problems.add(flow.position_of(key), flow.path_of(key), what);
        }
    }
    let (Some(from), Some(to)) = (from, to) else { return };
    if from == to {
        let what = format!("expected another node than the sender, got \"{to}\" for both");
        problems.add(flow.position_of("to"), flow.path_of("to"), what);
    } else if links_sound && known && topology.links(from, to).is_none() {
        let what = format!(
            "unreachable: no links lead from \"{from}\" to \"{to}\"; expected a path of wired links, radio links and stations in range"
        );
        problems.add(flow.position_of("to"), flow.path_of("to"), what);
    }
}

/// Reports a flow through a wlan with on-demand routing that begins or ends outside the wlan. On-demand
/// routers know only the stations of the wlan.
fn check_through_traffic(
    flow: &Fields,
    wlans: &[OnDemandWlan],
    topology: &Topology,
    problems: &mut Problems,
) {
    let (Some(from), Some(to)) = (flow.text("from"), flow.text("to")) else { return };
    for link in topology.links(from, to).unwrap_or_default() {
        let Some(wlan) = wlans.iter().find(|wlan| wlan.link == link) else { continue };
        for (key, node) in [("from", from), ("to", to)] {
            if !wlan.stations.iter().any(|station| station == node) {
                let what = format!(
                    "expected a station of wlan \"{}\", which the flow crosses and whose routing is on demand, got \"{node}\"",
                    wlan.name
                );
                problems.add(flow.position_of(key), flow.path_of(key), what);
                return;
            }
        }
    }
}

/// Wlan with on-demand routing.
pub(super) struct OnDemandWlan {
    link: Link,
    name: String,
    stations: Vec<String>,
}

impl OnDemandWlan {
    /// Returns the wlans of a scenario that have on-demand routing.
    pub(super) fn all(root: &Fields) -> Vec<OnDemandWlan> {
        let wlans = Link::all(root).filter(|(_, table)| is_on_demand(table));
        let one = |(link, wlan): (Link, &Fields)| {
            let names = layout::stations(wlan)?.into_iter().map(|(name, _)| name);
            let stations: Vec<_> = names.collect();
            let name = wlan.text("name").unwrap_or_default().to_string();
            (!stations.is_empty()).then_some(OnDemandWlan { link, name, stations })
        };
        wlans.filter_map(one).collect()
    }
}
