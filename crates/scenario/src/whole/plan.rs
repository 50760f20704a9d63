//! From a checked scenario to the plan of a world.

use super::between;
use super::largest::Largest;
use super::topology::{Link, Topology};
use crate::grammar::fields::Fields;
use crate::tables::{Context, flow, layout, radio, wired, wlan};
use airhop_base::NodeId;
use airhop_net::plan::Plan;

/// The plan of a resolved scenario. `None` if a value is missing, which [`super::resolve`] has then complained about.
pub(super) fn plan(root: &Fields) -> Option<Plan> {
    let topology = Topology::new(root);
    let largest = Largest::new(root, &topology);
    let duration = root.span("duration")?;
    let node = |name: &str| topology.id(name);
    let context = |index: usize, link| {
        let index = u16::try_from(index).ok()?;
        Some(Context { index, duration, largest: largest.of(link), node: &node })
    };
    let wired = |(i, table): (usize, &Fields)| wired::plan(table, &context(i, Link::Wired(i))?);
    let wlan = |(i, table): (usize, &Fields)| {
        let pairs = between::wanted(root, table.text("name")?);
        wlan::plan(table, &context(i, Link::Wlan(i))?, pairs)
    };
    let radio = |(i, table): (usize, &Fields)| radio::plan(table, &context(i, Link::Radio(i))?);
    let flow = |table: &Fields| flow::plan(table, ends(root, table, &topology)?);
    Some(Plan {
        name: root.text("name")?.to_string(),
        duration,
        warmup: root.span("warmup")?,
        nodes: topology.nodes.iter().cloned().collect(),
        wired: root.tables("wired").iter().enumerate().map(wired).collect::<Option<_>>()?,
        wlans: root.tables("wlan").iter().enumerate().map(wlan).collect::<Option<_>>()?,
        radios: root.tables("radio").iter().enumerate().map(radio).collect::<Option<_>>()?,
        flows: root.tables("flow").iter().map(flow).collect::<Option<_>>()?,
    })
}

/// The ends of a flow; two stations of their wlan in the place of those that will be drawn.
fn ends(root: &Fields, flow: &Fields, topology: &Topology) -> Option<[NodeId; 2]> {
    let Some(between) = flow.table("between") else {
        return Some([topology.id(flow.text("from")?)?, topology.id(flow.text("to")?)?]);
    };
    let wlan = root.tables("wlan").iter().find(|wlan| wlan.text("name") == between.text("wlan"))?;
    let mut names = layout::stations(wlan)?.into_iter().map(|(name, _)| name);
    Some([topology.id(&names.next()?)?, topology.id(&names.next()?)?])
}
