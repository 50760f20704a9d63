//! What single keys cannot say: names that occur twice, links that do not exist, rates that a standard lacks; and the
//! defaults that follow from other keys.

use super::largest::Largest;
use super::topology::{Link, Topology};
use super::{between, ends};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::ALL;
use crate::grammar::problem::Problems;
use crate::tables::{flow, radio, resolve_queue, wired, wlan};
use std::collections::HashMap;

/// Checks the whole scenario, and fills the defaults that follow from other keys.
pub(crate) fn resolve(root: &mut Fields, problems: &mut Problems) {
    names(&["wired", "wlan", "radio"], root, problems);
    names(&["flow"], root, problems);
    for list in ["wired", "wlan", "radio"] {
        if let Some(Val::Tables(links)) = root.get_mut(list) {
            links.iter_mut().for_each(|link| resolve_queue(link, problems));
        }
    }
    let duration = root.span("duration");
    for link in root.tables("wired").iter().chain(root.tables("radio")) {
        wired::check(link, duration, problems);
    }
    if let Some(Val::Tables(wlans)) = root.get_mut("wlan") {
        wlans.iter_mut().for_each(|one| wlan::resolve(one, duration, problems));
    }
    let mut links = ["wired", "wlan", "radio"].into_iter().flat_map(|list| root.tables(list));
    // If a link was refused, nobody can say which nodes there are.
    let no_link = |key: &String| ["name", "duration", "warmup", "flow"].contains(&key.as_str());
    let mut links_sound = links.all(|link| link.sound) && root.refused().iter().all(no_link);
    let topology = Topology::new(root);
    links_sound &= counts(root, &topology, problems);
    check_warmup(root, problems);
    between::check(root, links_sound, problems);
    let on_demand = ends::on_demand(root.tables("wlan"));
    if let Some(Val::Tables(flows)) = root.get_mut("flow") {
        for f in flows {
            flow::fill(f);
            flow::check(f, duration, problems);
            ends::check(f, &on_demand, &topology, links_sound, problems);
        }
    }
    resolve_recovery(root, &topology, links_sound, problems);
}

fn resolve_recovery(root: &mut Fields, topology: &Topology, links_sound: bool, problems: &mut Problems) {
    let largest = Largest::new(root, topology);
    let all_sound = links_sound && root.tables("flow").iter().all(|flow| flow.sound);
    let Some(Val::Tables(radios)) = root.get_mut("radio") else { return };
    for (i, link) in radios.iter_mut().enumerate() {
        radio::resolve_recovery(link, largest.of(Link::Radio(i)), all_sound, problems);
    }
}

fn check_warmup(root: &Fields, problems: &mut Problems) {
    if let (Some(warmup), Some(duration)) = (root.span("warmup"), root.span("duration"))
        && warmup >= duration
    {
        let what = format!("expected less than the whole run, duration = \"{duration}\", got \"{warmup}\"");
        problems.add(root.at("warmup"), "warmup", what);
    }
}

/// Refuses names that two tables of these lists share.
fn names(lists: &[&str], root: &Fields, problems: &mut Problems) {
    let mut first: HashMap<&str, &str> = HashMap::new();
    for &list in lists {
        for table in root.tables(list) {
            let Some(name) = table.text("name") else { continue };
            if name == ALL {
                let what = format!("\"{ALL}\" stands for every [[{list}]] in --set; give it another name");
                problems.add(table.at("name"), table.path_of("name"), what);
            }
            if let Some(other) = first.insert(name, list) {
                let what =
                    format!("expected a name of its own, but a [[{other}]] above is called \"{name}\" too");
                problems.add(table.at("name"), table.path_of("name"), what);
            }
        }
    }
}

/// True if all fit: node, link and flow numbers are 16 bits, and each wired link takes two of them.
fn counts(root: &Fields, topology: &Topology, problems: &mut Problems) -> bool {
    let before = problems.len();
    let limits = [
        ("wired", root.tables("wired").len(), usize::from(u16::MAX) / 2),
        ("wlan", root.tables("wlan").len(), usize::from(u16::MAX)),
        ("radio", root.tables("radio").len(), usize::from(u16::MAX)),
        ("flow", root.tables("flow").len(), usize::from(u16::MAX)),
    ];
    for (what, count, most) in limits.into_iter().filter(|(_, count, most)| count > most) {
        problems.add(root.at(what), what, format!("expected at most {most} of them, got {count}"));
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
