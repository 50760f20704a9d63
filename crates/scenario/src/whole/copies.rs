//! Copies: tables and stations with a `*` in their name are repeated. The numbers 1, 2, … replace the `*`.
//!
//! A copy keeps the path of the original, such as `flow.ftp*`. Messages and `--set` use this path.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::problem::Problems;
use crate::tables::LINK_TYPES;
use crate::tables::layout;
use crate::tables::layout::MAX_STATIONS;
use airhop_base::Span;
use std::collections::HashSet;
use std::ops::RangeInclusive;

/// Returns the lists of repeatable tables, each with the keys that may name nodes of a link.
fn repeatable_lists() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    LINK_TYPES.iter().map(|ty| (ty.list_key, ty.node_keys)).chain([("flow", &[][..])])
}

/// Repeats tables and stations `copies` times. After this call no name contains a `*`, and the key `copies`
/// has no value.
pub(crate) fn expand_copies(root: &mut Fields, problems: &mut Problems) {
    let Some(mut copies) = root.count("copies") else { return };
    if let Some(what) = find_excess_copies(root, copies) {
        problems.add(root.position_of("copies"), "copies", what);
        copies = 1; // too many copies are a problem already reported; one copy is checked
    }
    let mut any = false;
    for (list, nodes) in repeatable_lists() {
        let Some(Val::Tables(tables)) = root.get_mut(list) else { continue };
        for mut table in std::mem::take(tables) {
            any |= first_starred_name(&Val::Table(table.clone())).is_some();
            check_names(&mut table, list, nodes, problems);
            match table.text("name").is_some_and(|name| name.contains('*')) {
                true if list == "flow" => tables.extend((1..=copies).map(|number| copy_flow(&table, number))),
                true => tables.extend((1..=copies).map(|number| copy_table(&table, number))),
                false if list == "flow" => {
                    check_stagger(&table, problems);
                    tables.push(table);
                }
                false if list == "wlan" => {
                    repeat_stations(&mut table, copies);
                    tables.push(table);
                }
                false => tables.push(table),
            }
        }
        for table in tables {
            nodes.iter().for_each(|nodes| check_nodes(table, nodes, problems));
            if list == "flow" {
                table.remove_default("stagger");
            }
        }
    }
    if copies > 1 && !any && problems.len() == 0 {
        let what =
            format!("{copies} copies of nothing: expected a \"*\" in the name of a table or of a station");
        problems.add(root.position_of("copies"), "copies", what);
    }
    root.remove_default("copies");
}

/// Returns the first kind of object with too many copies; `None` if all copies are possible. Each table is
/// checked separately.
fn find_excess_copies(root: &Fields, copies: u64) -> Option<String> {
    let most = u64::from(u16::MAX);
    let is_starred = |name: &str| name.contains('*');
    for (list, _) in repeatable_lists() {
        let many = root.tables(list).iter().map(|table| match table.text("name").is_some_and(is_starred) {
            true => copies,
            false => 1,
        });
        let many: u64 = many.sum();
        if many > most {
            return Some(format!(
                "expected at most {most} [[{list}]] with all copies, got {many} with {copies} copies"
            ));
        }
    }
    for wlan in root.tables("wlan") {
        let stations = layout::stations(wlan).unwrap_or_default();
        if wlan.text("name").is_some_and(is_starred) {
            let many = copies * stations.len() as u64;
            if many > most {
                return Some(format!(
                    "expected at most {most} nodes with all copies, got {many} stations with {copies} copies"
                ));
            }
            continue;
        }
        let starred = stations.iter().filter(|(name, _)| is_starred(name)).count() as u64;
        let many = stations.len() as u64 - starred + copies * starred;
        if starred > 0 && many > MAX_STATIONS {
            return Some(format!(
                "expected at most {MAX_STATIONS} stations in a wlan, got {many} with {copies} copies"
            ));
        }
    }
    None
}

/// Reports the key `stagger` in a flow without copies.
fn check_stagger(flow: &Fields, problems: &mut Problems) {
    if let (Some(stagger), Some(name)) = (flow.span("stagger"), flow.text("name"))
        && stagger > Span::ZERO
    {
        let what = format!(
            "expected a \"*\" also in the name, such as \"{name}*\": `stagger` is the interval between the starts of a flow's copies"
        );
        problems.add(flow.position_of("stagger"), flow.path_of("stagger"), what);
    }
}

/// Reports copies that would share a node or a name. Each copy needs a separate name and separate nodes.
fn check_names(table: &mut Fields, list: &str, nodes: &[&str], problems: &mut Problems) {
    let Some(name) = table.text("name") else { return };
    if !name.contains('*') {
        // The stations of a wlan are repeated inside the wlan, so they need no `*` in its name.
        let node = if list == "wlan" { None } else { first_starred_name(&Val::Table(table.clone())) };
        if let Some(node) = node {
            let what = format!(
                "expected a \"*\" also in the name, such as \"{name}*\": \"{node}\" is a separate node for each copy of the table"
            );
            report_invalid(table, "name", what, problems);
        }
        return;
    }
    let same = |key: &&&str| table.get(key).is_some_and(|val| first_starred_name(val).is_none());
    if let Some(key) = nodes.iter().find(same) {
        let what = "expected a \"*\" also in the name of a node: of several links between the same nodes only one is used";
        report_invalid(table, key, what.to_string(), problems);
    }
}

/// Reports a link that would connect a node with itself after copying.
fn check_nodes(link: &mut Fields, nodes: &str, problems: &mut Problems) {
    let names: Vec<&String> = match link.get(nodes) {
        Some(Val::Ends(ends)) => ends.iter().collect(),
        Some(Val::Stations(stations)) => stations.iter().map(|(name, _)| name).collect(),
        _ => return,
    };
    let mut seen = HashSet::new();
    if let Some(twice) = names.into_iter().find(|name| !seen.insert(*name)) {
        let what =
            format!("expected different nodes, but two of them are named \"{twice}\" in one of the copies");
        report_invalid(link, nodes, what, problems);
    }
}

fn report_invalid(table: &mut Fields, key: &str, what: String, problems: &mut Problems) {
    problems.add(table.position_of(key), table.path_of(key), what);
    table.is_valid = false;
}

/// Repeats the stations of a wlan that is not repeated. Error models whose direction names a repeated station
/// are also repeated.
fn repeat_stations(wlan: &mut Fields, copies: u64) {
    for val in wlan.values_mut() {
        match val {
            Val::Stations(stations) => {
                let all = stations.iter().flat_map(|(name, place)| {
                    copy_numbers(name.contains('*'), copies)
                        .map(|number| (replace_star(name, number), *place))
                });
                *stations = all.collect();
            }
            Val::Tables(models) => {
                let all = models.iter().flat_map(|model| {
                    let many = first_starred_name(&Val::Table(model.clone())).is_some();
                    copy_numbers(many, copies).map(|number| copy_table(model, number))
                });
                *models = all.collect();
            }
            _ => {}
        }
    }
}

fn copy_numbers(many: bool, copies: u64) -> RangeInclusive<u64> {
    1..=if many { copies } else { 1 }
}

fn replace_star(name: &str, number: u64) -> String {
    name.replace('*', &number.to_string())
}

fn copy_table(table: &Fields, number: u64) -> Fields {
    let mut copy = table.clone();
    for val in copy.values_mut() {
        for_each_name(val, &mut |name| *name = replace_star(name, number));
    }
    copy
}

/// Returns a copy of a flow. The first copy starts at the start time of the flow. Each further copy starts
/// `stagger` after the previous copy.
fn copy_flow(flow: &Fields, number: u64) -> Fields {
    let mut copy = copy_table(flow, number);
    if let (Some(start), Some(stagger)) = (flow.span("start"), flow.span("stagger"))
        && stagger > Span::ZERO
    {
        copy.set("start", Val::Span(start + stagger * (number - 1)), flow.position_of("stagger").clone());
    }
    copy
}

/// Returns the first name in a value that contains a `*`; `None` if there is none.
fn first_starred_name(val: &Val) -> Option<String> {
    let mut found = None;
    for_each_name(&mut val.clone(), &mut |name| {
        if found.is_none() && name.contains('*') {
            found = Some(name.clone());
        }
    });
    found
}

/// Calls `see` for every name of a table or node in a value.
fn for_each_name(val: &mut Val, see: &mut dyn FnMut(&mut String)) {
    match val {
        Val::Text(name) => see(name),
        Val::Ends(ends) => ends.iter_mut().for_each(see),
        Val::Stations(stations) => stations.iter_mut().for_each(|(name, _)| see(name)),
        Val::Direction(direction) => {
            [&mut direction.from, &mut direction.to].into_iter().flatten().for_each(see);
        }
        Val::EachWay(ways) => {
            for way in ways {
                [&mut way.direction.from, &mut way.direction.to].into_iter().flatten().for_each(&mut *see);
            }
        }
        Val::Table(table) => table.values_mut().for_each(|val| for_each_name(val, see)),
        Val::Tables(tables) => {
            tables.iter_mut().flat_map(Fields::values_mut).for_each(|val| for_each_name(val, see));
        }
        _ => {}
    }
}
