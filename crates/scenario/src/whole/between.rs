//! Flows between random stations of a wlan. Checks that the wlan has enough pairs of stations.

use crate::grammar::fields::Fields;
use crate::grammar::problem::{Problems, did_you_mean, format_list};
use crate::tables::layout;
use crate::tables::propagation::receive_range_metres;
use airhop_base::FlowId;
use airhop_net::placement::{Position, pairs_at_distance};
use airhop_net::plan::DrawnFlow;

/// Returns the flows that request two random stations of the wlan with this name.
pub(crate) fn drawn_flows(root: &Fields, wlan: &str) -> Vec<DrawnFlow> {
    let pair = |(i, flow): (usize, &Fields)| {
        let between = flow.table("between").filter(|between| between.text("wlan") == Some(wlan))?;
        Some(DrawnFlow { flow: FlowId(u16::try_from(i).ok()?), hops: hops(between) })
    };
    root.tables("flow").iter().enumerate().filter_map(pair).collect()
}

fn hops(between: &Fields) -> Option<u32> {
    between.count("hops").and_then(|hops| u32::try_from(hops).ok())
}

/// Checks every table `flow.between`.
pub(crate) fn check(root: &Fields, links_sound: bool, problems: &mut Problems) {
    let wlans = root.tables("wlan");
    for flow in root.tables("flow") {
        let Some(between) = flow.table("between") else { continue };
        if flow.get("from").is_some() || flow.get("to").is_some() {
            let what = "draws both ends of the flow: leave out `from` and `to`, or leave out `between`";
            problems.add(flow.position_of("between"), &between.path, what);
        }
        let Some(name) = between.text("wlan").filter(|name| links_sound && !name.contains('*')) else {
            continue;
        };
        if wlans.iter().all(|wlan| wlan.text("name") != Some(name)) {
            let known = || wlans.iter().filter_map(|wlan| wlan.text("name"));
            let hint = did_you_mean(name, known());
            let what =
                format!("no [[wlan]] is called \"{name}\"; expected one of {}{hint}", format_list(known()));
            problems.add(between.position_of("wlan"), between.path_of("wlan"), what);
        }
    }
    if links_sound {
        wlans.iter().for_each(|wlan| check_pairs(root, wlan, problems));
    }
}

/// Reports an error if the flows of a wlan request more pairs of stations than the wlan has. If each
/// replication draws the positions, the number of pairs is limited only by the number of stations.
fn check_pairs(root: &Fields, wlan: &Fields, problems: &mut Problems) {
    let (Some(name), Some(stations)) = (wlan.text("name"), layout::stations(wlan)) else { return };
    let wanted = drawn_flows(root, name);
    let places: Vec<Position> = stations.into_iter().map(|(_, place)| place).collect();
    let mut kinds: Vec<Option<u32>> = wanted.iter().map(|pair| pair.hops).collect();
    kinds.sort_unstable();
    kinds.dedup();
    for hops in kinds {
        let asks = |pair: &&DrawnFlow| hops.is_none() || pair.hops == hops;
        let flows = wanted.iter().filter(asks).count();
        let most = match layout::wlan_area(wlan) {
            None => pairs_at_distance(&places, receive_range_metres(wlan), hops).len(),
            Some(_) if hops.is_some_and(|hops| hops as usize >= places.len()) => 0,
            Some(_) => places.len() * (places.len() - 1),
        };
        let first = wanted.iter().find(|pair| pair.hops == hops);
        let flow = first.and_then(|pair| root.tables("flow")[usize::from(pair.flow.0)].table("between"));
        let Some(between) = flow.filter(|_| flows > most) else { continue };
        let apart = match hops {
            Some(1) => "1 hop apart".to_string(),
            Some(hops) => format!("{hops} hops apart"),
            None => "that reach each other".to_string(),
        };
        let what = match most {
            0 => format!("wlan \"{name}\" can have no two stations {apart}"),
            _ => format!(
                "expected at most {most} flows: wlan \"{name}\" has no more pairs of stations {apart}, and all flows have \
                 different pairs; got {flows}"
            ),
        };
        problems.add(between.position_of("hops"), between.path_of("hops"), what);
    }
}
