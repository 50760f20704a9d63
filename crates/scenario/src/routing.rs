//! Routing between the keys of `routing = { … }` and [`RoutingPlan`].

use crate::fields::{Fields, Val};
use crate::layout;
use crate::problem::Problems;
use crate::topology::{Link, Topology};
use airhop_net::plan::{AodvPlan, RoutingPlan};

/// Fills what the file leaves to the preset.
pub(crate) fn fill(wlan: &mut Fields) {
    let Some(Val::Table(routing)) = wlan.get_mut("routing") else { return };
    if routing.kind != Some("aodv") {
        return;
    }
    let Some(preset) = preset(routing) else { return };
    for (name, val) in values(&preset) {
        routing.fill(name, val);
    }
}

fn preset(routing: &Fields) -> Option<AodvPlan> {
    let word = routing.word("preset")?;
    AodvPlan::PRESETS.into_iter().find(|(name, _)| *name == word).map(|(_, plan)| plan)
}

/// The keys whose default the preset has, with its value; what [`plan`] reads.
pub(crate) fn values(p: &AodvPlan) -> [(&'static str, Val); 8] {
    [
        ("active_route", Val::Span(p.active_route)),
        ("own_route", Val::Span(p.own_route)),
        ("hop_time", Val::Span(p.hop_time)),
        ("diameter", Val::Count(p.diameter.into())),
        ("retries", Val::Count(p.retries.into())),
        ("buffer", Val::Count(p.buffer_packets as u64)),
        ("jitter", Val::Span(p.jitter)),
        ("repair", Val::Flag(p.repairs)),
    ]
}

/// The plan of a wlan's routing.
pub(crate) fn plan(routing: &Fields) -> Option<RoutingPlan> {
    match routing.kind? {
        "static" => Some(RoutingPlan::Static),
        "aodv" => Some(RoutingPlan::Aodv(aodv(routing)?)),
        _ => None,
    }
}

fn aodv(routing: &Fields) -> Option<AodvPlan> {
    let preset = preset(routing)?;
    let diameter = u8::try_from(routing.count("diameter")?).ok()?;
    Some(AodvPlan {
        active_route: routing.span("active_route")?,
        own_route: routing.span("own_route")?,
        hop_time: routing.span("hop_time")?,
        diameter,
        ttl_start: preset.ttl_start.min(diameter),
        ttl_threshold: preset.ttl_threshold.min(diameter),
        retries: u32::try_from(routing.count("retries")?).ok()?,
        buffer_packets: usize::try_from(routing.count("buffer")?).ok()?,
        jitter: routing.span("jitter")?,
        repairs: routing.flag("repair")?,
        ..preset
    })
}

/// Refuses a flow that crosses a wlan with routes found on demand, and does not begin and end there: its routers know no other nodes.
pub(crate) fn check_through_traffic(
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
pub(crate) fn on_demand(wlans: &[Fields]) -> Vec<(String, Vec<String>)> {
    let is_on_demand =
        |wlan: &&Fields| wlan.table("routing").is_some_and(|routing| routing.kind == Some("aodv"));
    let stations = |wlan: &Fields| {
        let stations = Some(wlan).filter(is_on_demand).and_then(layout::stations);
        stations.unwrap_or_default().into_iter().map(|(name, _)| name).collect()
    };
    wlans.iter().map(|wlan| (wlan.text("name").unwrap_or_default().to_string(), stations(wlan))).collect()
}
