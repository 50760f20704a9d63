//! What single keys cannot say: names that occur twice, links that do not exist, rates that a standard lacks; and the
//! defaults that follow from other keys.

use crate::arq;
use crate::between;
use crate::changes;
use crate::errors;
use crate::fields::{Direction, Fields, Val};
use crate::flow;
use crate::keys::{ALL, MAX_STATIONS};
use crate::largest::Largest;
use crate::layout;
use crate::pace;
use crate::phy;
use crate::preset;
use crate::problem::{Problems, did_you_mean, some_of};
use crate::propagation;
use crate::queue;
use crate::routing;
use crate::topology::{Link, Topology, reach};
use airhop_base::Span;
use std::collections::{HashMap, HashSet};

/// Checks the whole scenario, and fills the defaults that follow from other keys.
pub(crate) fn resolve(root: &mut Fields, problems: &mut Problems) {
    names(&["wired", "wlan", "radio"], root, problems);
    names(&["flow"], root, problems);
    for list in ["wired", "wlan", "radio"] {
        if let Some(Val::Tables(links)) = root.get_mut(list) {
            links.iter_mut().for_each(|link| queue::resolve(link, problems));
        }
    }
    let duration = root.span("duration");
    for link in root.tables("wired").iter().chain(root.tables("radio")) {
        pace::check(link, problems);
        changes::check(link, duration, problems);
        let ends = link.ends("ends").map_or(Vec::new(), |ends| ends.to_vec());
        check_errors(link, &ends, false, duration, problems);
    }
    if let Some(Val::Tables(wlans)) = root.get_mut("wlan") {
        for wlan in wlans {
            fill_wlan(wlan);
            check_layout(wlan, problems);
            routing::fill(wlan);
            check_wlan(wlan, duration, problems);
        }
    }
    let mut links = ["wired", "wlan", "radio"].into_iter().flat_map(|list| root.tables(list));
    // If a link was refused, nobody can say which nodes there are.
    let no_link = |key: &String| ["name", "duration", "warmup", "flow"].contains(&key.as_str());
    let mut links_sound = links.all(|link| link.sound) && root.refused().iter().all(no_link);
    let topology = Topology::new(root);
    links_sound &= counts(root, &topology, problems);
    check_warmup(root, problems);
    between::check(root, links_sound, problems);
    let on_demand = routing::on_demand(root.tables("wlan"));
    if let Some(Val::Tables(flows)) = root.get_mut("flow") {
        for f in flows {
            flow::fill(f);
            flow::check(f, duration, problems);
            flow::check_ends(f, &topology, links_sound, problems);
            routing::check_through_traffic(f, &on_demand, &topology, problems);
        }
    }
    resolve_recovery(root, &topology, links_sound, problems);
}

/// Fills and checks the link recovery of radio links. Its timeouts depend on what crosses them: with a flow or a link refused, nobody
/// can say which are too short.
fn resolve_recovery(root: &mut Fields, topology: &Topology, links_sound: bool, problems: &mut Problems) {
    let largest = Largest::new(root, topology);
    let all_sound = links_sound && root.tables("flow").iter().all(|flow| flow.sound);
    let Some(Val::Tables(radios)) = root.get_mut("radio") else { return };
    for (i, radio) in radios.iter_mut().enumerate() {
        let largest = largest.of(Link::Radio(i));
        if all_sound {
            arq::check(radio, largest, problems);
        }
        arq::fill(radio, largest);
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

fn fill_wlan(wlan: &mut Fields) {
    preset::fill(wlan);
    phy::fill(wlan);
    propagation::fill(wlan);
    match wlan.word("access") {
        Some("basic") => wlan.fill("attempts", Val::Count(7)), // dot11ShortRetryLimit
        Some(_) => wlan.fill("attempts", Val::Count(4)),       // dot11LongRetryLimit
        None => {}
    }
}

/// A layout that was refused says nothing about which stations there are.
fn check_layout(wlan: &mut Fields, problems: &mut Problems) {
    let before = problems.len();
    layout::check_wlan(wlan, problems);
    if let Some(layout) = wlan.table("layout") {
        layout::check(layout, reach(wlan), problems);
    }
    wlan.sound &= problems.len() == before;
}

fn check_wlan(wlan: &Fields, duration: Option<Span>, problems: &mut Problems) {
    phy::check(wlan, problems);
    let given = wlan.stations("stations");
    if let Some(stations) = given.filter(|s| !(2..=MAX_STATIONS).contains(&(s.len() as u64))) {
        let what = format!("expected 2 to {MAX_STATIONS} stations, got {}", stations.len());
        problems.add(wlan.at("stations"), wlan.path_of("stations"), what);
    }
    propagation::check(wlan, problems);
    let names: Vec<String> =
        layout::stations(wlan).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
    check_errors(wlan, &names, true, duration, problems);
}

/// Checks the error models of a link between `nodes`, in a run of this duration; `any`: a direction may be from or to all of them.
fn check_errors(link: &Fields, nodes: &[String], any: bool, duration: Option<Span>, problems: &mut Problems) {
    let mut directions = HashSet::new();
    for model in link.tables("errors") {
        errors::check(model, duration, problems);
        let direction = model.direction("direction").cloned().unwrap_or_default();
        if !nodes.is_empty() {
            check_direction(model, &direction, nodes, any, problems);
        }
        if !directions.insert(direction) {
            let what = "expected one error model for a direction, but one above has the same";
            problems.add(model.at("direction"), model.path_of("direction"), what);
        }
    }
}

fn check_direction(
    model: &Fields,
    direction: &Direction,
    nodes: &[String],
    any: bool,
    problems: &mut Problems,
) {
    let path = model.path_of("direction");
    let at = model.at("direction");
    for end in [&direction.from, &direction.to].into_iter().flatten().filter(|end| !nodes.contains(end)) {
        let hint = did_you_mean(end, nodes.iter().map(String::as_str));
        let known = some_of(nodes.iter().map(String::as_str));
        problems.add(at, &path, format!("\"{end}\" is not on this link; expected two of {known}{hint}"));
    }
    let given = model.direction("direction").is_some();
    if given && direction.from == direction.to {
        problems.add(at, &path, "expected two different nodes");
    } else if given && !any && (direction.from.is_none() || direction.to.is_none()) {
        problems.add(at, &path, "\"*\" is for wlans; this link has two ends: name them");
    }
}
