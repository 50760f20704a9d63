//! Conversion of a checked scenario into the plan of a world.

use super::between;
use super::largest::MaxPacketBytes;
use super::topology::{Link, Topology};
use crate::grammar::fields::Fields;
use crate::tables::LINK_TYPES;
use crate::tables::link::LinkContext;
use crate::tables::{flow, layout};
use airhop_base::NodeId;
use airhop_net::links::Links;
use airhop_net::plan::Plan;

/// Returns the plan of a checked scenario; `None` if a value is missing, which [`super::resolve`] has already
/// reported.
pub(super) fn plan(root: &Fields) -> Option<Plan> {
    let topology = Topology::new(root);
    let largest = MaxPacketBytes::new(root, &topology);
    let duration = root.span("duration")?;
    let node = |name: &str| topology.node_id(name);
    let pairs = |wlan: &str| between::drawn_flows(root, wlan);
    let flow = |table: &Fields| flow::plan(table, flow_endpoints(root, table, &topology)?);
    let mut plan = Plan {
        name: root.text("name")?.to_string(),
        duration,
        warmup: root.span("warmup")?,
        nodes: topology.nodes.iter().cloned().collect(),
        links: Links::default(),
        flows: root.tables("flow").iter().map(flow).collect::<Option<_>>()?,
    };
    for (link, table) in Link::all(root) {
        let context = LinkContext {
            index: u16::try_from(link.index).ok()?,
            duration,
            max_packet_bytes: largest.for_link(link),
            node_id: &node,
            drawn_flows: &pairs,
        };
        (LINK_TYPES[link.type_index].plan)(table, context, &mut plan)?;
    }
    Some(plan)
}

/// Returns the endpoints of a flow. A flow between random stations has two stations of the wlan as
/// placeholders.
fn flow_endpoints(root: &Fields, flow: &Fields, topology: &Topology) -> Option<[NodeId; 2]> {
    let Some(between) = flow.table("between") else {
        return Some([topology.node_id(flow.text("from")?)?, topology.node_id(flow.text("to")?)?]);
    };
    let wlan = root.tables("wlan").iter().find(|wlan| wlan.text("name") == between.text("wlan"))?;
    let mut names = layout::stations(wlan)?.into_iter().map(|(name, _)| name);
    Some([topology.node_id(&names.next()?)?, topology.node_id(&names.next()?)?])
}
