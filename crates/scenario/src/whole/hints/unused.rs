//! Hints about tables without effect: links and stations outside all paths, and services that cannot act on
//! the path of their flow.

use super::{Occurrence, ScenarioView};
use crate::grammar::fields::Fields;
use crate::tables::LINK_TYPES;
use crate::tables::wlan::is_on_demand;
use crate::whole::topology::Link;
use airhop_net::plan::FlowPlan;
use airhop_net::routing::Hop;
use airhop_net::services::{LinkService, Service, ServiceKind};
use std::collections::HashSet;

/// Finds links and positioned stations that are not on the path of any flow in the file.
pub(super) fn unused_links(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let met = UsedLinksAndNodes::new(look);
    let unused = |(link, table): (Link, &Fields)| {
        let name = table.text("name")?;
        let text = match met.links.contains(&(link.type_index, link.index)) {
            false => "is unused: no flow of the file crosses it".to_string(),
            true => {
                let idle = met.idle_stations(table);
                if idle.is_empty() {
                    return None;
                }
                format!("has unused stations, which no flow of the file crosses: {}", idle.join(", "))
            }
        };
        Some(Occurrence {
            about: format!("{}.{name}", LINK_TYPES[link.type_index].list_key),
            text,
            set: None,
        })
    };
    Link::all(look.root).filter_map(unused).collect()
}

/// Finds services that have no effect on the path of the flow.
pub(super) fn idle_services(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let of_flow = |(plan, table): (&FlowPlan, &Fields)| {
        let hops = flow_hops(look, table);
        let idle = plan
            .services
            .iter()
            .filter(|service| !has_effect(service, hops.as_deref()))
            .map(|service| service.name);
        let caught = |service| Occurrence {
            about: format!("flow.{}", plan.name),
            text: format!("has no wireless link on its path, which service \"{service}\" needs"),
            set: None,
        };
        idle.map(caught).collect::<Vec<_>>()
    };
    look.plan.flows.iter().zip(look.root.tables("flow")).flat_map(of_flow).collect()
}

/// Returns the hops of a flow's data; `None` if the endpoints are random stations.
fn flow_hops(look: &ScenarioView<'_>, flow: &Fields) -> Option<Vec<Hop>> {
    look.topology.hops(flow.text("from")?, flow.text("to")?)
}

/// True if a service acts on these hops. `None` stands for a flow between random stations, where all hops are
/// wireless.
fn has_effect(service: &Service, hops: Option<&[Hop]>) -> bool {
    let any = |is: fn(&Hop) -> bool| hops.is_none_or(|hops| hops.iter().any(is));
    match service.kind {
        ServiceKind::AtLink(_) | ServiceKind::AtStations(_) | ServiceKind::BesideAir(_) => {
            any(|hop| hop.is_wireless())
        }
        ServiceKind::AtBase(_) | ServiceKind::Proxy(_) => {
            let is_base = |pair: &[Hop]| pair[0].is_wireless() != pair[1].is_wireless();
            hops.is_some_and(|hops| hops.windows(2).any(is_base))
        }
        ServiceKind::ByLinks(LinkService::Fragments | LinkService::Contention) => {
            any(|hop| hop.cell().is_some())
        }
        ServiceKind::ByLinks(LinkService::DamagedFrames) | ServiceKind::Queue(_) | ServiceKind::Oracle => {
            true
        }
    }
}

/// Links and nodes on the paths of the flows in the file.
struct UsedLinksAndNodes {
    /// Pairs of link type index and link index.
    links: HashSet<(usize, usize)>,
    nodes: HashSet<String>,
}

impl UsedLinksAndNodes {
    fn new(look: &ScenarioView<'_>) -> UsedLinksAndNodes {
        let mut met = UsedLinksAndNodes { links: HashSet::new(), nodes: HashSet::new() };
        for flow in look.root.tables("flow") {
            match (flow.text("from"), flow.text("to")) {
                (Some(from), Some(to)) => {
                    [(from, to), (to, from)].into_iter().for_each(|(a, b)| met.add_route(look, a, b))
                }
                _ => met.add_drawn_flow(look, flow),
            }
        }
        met
    }

    fn add_route(&mut self, look: &ScenarioView<'_>, from: &str, to: &str) {
        self.nodes.extend([from, to].map(String::from));
        for hop in look.topology.hops(from, to).unwrap_or_default() {
            self.links.extend(Link::from_hop(hop).map(|link| (link.type_index, link.index)));
            self.nodes.extend(look.topology.receiving_node(hop).map(String::from));
        }
    }

    /// Adds the wlan of a flow between two random stations. The path of such a flow stays inside the wlan.
    fn add_drawn_flow(&mut self, look: &ScenarioView<'_>, flow: &Fields) {
        let wlan = flow.table("between").and_then(|between| between.text("wlan"));
        let of_it = Link::all(look.root).filter(|(_, table)| wlan.is_some() && table.text("name") == wlan);
        for (link, table) in of_it {
            self.links.insert((link.type_index, link.index));
            self.nodes
                .extend(table.stations("stations").unwrap_or_default().iter().map(|(name, _)| name.clone()));
        }
    }

    /// Returns the stations in a table that are on no flow's path. Stations of a layout, and stations that
    /// on-demand routes may use, are excepted.
    fn idle_stations(&self, table: &Fields) -> Vec<String> {
        if !table.may_have_key("stations") || is_on_demand(table) {
            return Vec::new();
        }
        let names = table.stations("stations").unwrap_or_default().iter().map(|(name, _)| name);
        names.filter(|name| !self.nodes.contains(*name)).cloned().collect()
    }
}
