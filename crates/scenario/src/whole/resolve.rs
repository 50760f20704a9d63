//! Checks across keys (duplicate names, missing links, rates that a standard lacks), and defaults that depend
//! on other keys.

use super::between;
use super::ends::{self, OnDemandWlan};
use super::largest::MaxPacketBytes;
use super::parallel;
use super::services::{self, Wlan};
use super::topology::{Link, Topology};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::ALL_TABLES;
use crate::grammar::problem::Problems;
use crate::tables::LINK_TYPES;
use crate::tables::flow;
use std::collections::HashMap;

/// Checks the whole scenario, and sets the defaults that depend on other keys.
pub(crate) fn resolve(root: &mut Fields, problems: &mut Problems) {
    check_unique_names(&LINK_TYPES.map(|ty| ty.list_key), root, problems);
    check_unique_names(&["flow"], root, problems);
    let duration = root.span("duration");
    for ty in LINK_TYPES {
        if let Some(Val::Tables(links)) = root.get_mut(ty.list_key) {
            links.iter_mut().for_each(|link| (ty.resolve)(link, duration, problems));
        }
    }
    // If a link is invalid, not all nodes are known.
    let no_link = |key: &String| ["name", "duration", "warmup", "flow"].contains(&key.as_str());
    let mut links_sound =
        Link::all(root).all(|(_, link)| link.is_valid) && root.refused_keys().iter().all(no_link);
    let topology = Topology::new(root);
    links_sound &= check_counts(root, &topology, problems);
    parallel::check(root, &topology, problems);
    check_warmup(root, problems);
    between::check(root, links_sound, problems);
    let (on_demand, wlans) = (OnDemandWlan::all(root), Wlan::all(root));
    if let Some(Val::Tables(flows)) = root.get_mut("flow") {
        for f in flows {
            flow::set_defaults(f);
            flow::check(f, duration, problems);
            ends::check(f, &on_demand, &topology, links_sound, problems);
            services::check(f, &wlans, &topology, problems);
            if links_sound {
                services::check_category(f, &wlans, &topology, problems);
            }
        }
    }
    resolve_for_packet_size(root, &topology, links_sound, problems);
}

/// Sets and checks the link values that depend on the flows over the link.
fn resolve_for_packet_size(
    root: &mut Fields,
    topology: &Topology,
    links_sound: bool,
    problems: &mut Problems,
) {
    let largest = MaxPacketBytes::new(root, topology);
    let all_sound = links_sound && root.tables("flow").iter().all(|flow| flow.is_valid);
    for (of, ty) in LINK_TYPES.iter().enumerate() {
        let Some(Val::Tables(links)) = root.get_mut(ty.list_key) else { continue };
        for (index, link) in links.iter_mut().enumerate() {
            (ty.resolve_for_packet_size)(
                link,
                largest.for_link(Link { type_index: of, index }),
                all_sound,
                problems,
            );
        }
    }
}

fn check_warmup(root: &Fields, problems: &mut Problems) {
    if let (Some(warmup), Some(duration)) = (root.span("warmup"), root.span("duration"))
        && warmup >= duration
    {
        let what = format!("expected less than the whole run, duration = \"{duration}\", got \"{warmup}\"");
        problems.add(root.position_of("warmup"), "warmup", what);
    }
}

/// Reports names that several tables in these lists have.
fn check_unique_names(lists: &[&str], root: &Fields, problems: &mut Problems) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for &list in lists {
        for table in root.tables(list) {
            let Some(name) = table.text("name") else { continue };
            if name == ALL_TABLES {
                let what = format!("\"{ALL_TABLES}\" means every [[{list}]] in --set; expected another name");
                problems.add(table.position_of("name"), table.path_of("name"), what);
            }
            if let Some(other) = first.insert(name, list) {
                let what =
                    format!("expected a unique name, but a [[{other}]] above is also called \"{name}\"");
                problems.add(table.position_of("name"), table.path_of("name"), what);
            }
        }
    }
}

/// True if the numbers of nodes, links and flows fit into 16 bits. Reports a problem otherwise.
fn check_counts(root: &Fields, topology: &Topology, problems: &mut Problems) -> bool {
    let before = problems.len();
    let lists =
        LINK_TYPES.iter().map(|ty| (ty.list_key, ty.max_links)).chain([("flow", usize::from(u16::MAX))]);
    for (what, most) in lists {
        let count = root.tables(what).len();
        if count > most {
            problems.add(
                root.position_of(what),
                what,
                format!("expected at most {most} tables, got {count}"),
            );
        }
    }
    if topology.nodes.len() > usize::from(u16::MAX) {
        problems.add(
            &root.at,
            "",
            format!("expected at most {} nodes, got {}", u16::MAX, topology.nodes.len()),
        );
    }
    problems.len() == before
}
