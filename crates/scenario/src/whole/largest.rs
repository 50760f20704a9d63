//! Length of the largest packet on each link.

use crate::grammar::fields::Fields;
use crate::tables::LINK_TYPES;
use crate::tables::tcp;
use crate::whole::topology::{Link, Topology};
use airhop_base::{TCP_IP_HEADER_BYTES, UDP_IP_HEADER_BYTES};

/// Length in bytes of the largest IP packet that a flow sends over each link. The key `fer` refers to a frame
/// with this packet. Timeouts of link recovery also depend on the length.
pub(crate) struct MaxPacketBytes {
    /// Lengths by index of the link's type and index of the link. `None` if no flow crosses the link.
    bytes: Vec<Vec<Option<u32>>>,
}

impl MaxPacketBytes {
    /// Computes the length of the largest packet on each link. Invalid flows are skipped.
    pub(crate) fn new(root: &Fields, topology: &Topology) -> Self {
        let mut bytes: Vec<_> =
            LINK_TYPES.iter().map(|ty| vec![None; root.tables(ty.list_key).len()]).collect();
        for flow in root.tables("flow") {
            let Some(datagram) = datagram_bytes(flow) else { continue };
            for Link { type_index: of, index } in flow_links(root, flow, topology) {
                bytes[of][index] = bytes[of][index].max(Some(datagram));
            }
        }
        MaxPacketBytes { bytes }
    }

    /// Returns the length of the largest packet on a link in bytes. If no flow crosses the link, a segment of
    /// default size is assumed.
    pub(crate) fn for_link(&self, link: Link) -> u32 {
        self.bytes[link.type_index][link.index].unwrap_or(1000 + TCP_IP_HEADER_BYTES)
    }
}

/// Returns the length in bytes of the IP packet with a full segment of a flow.
fn datagram_bytes(flow: &Fields) -> Option<u32> {
    let segment = u32::try_from(flow.bytes("segment")?).ok()?;
    match flow.word("transport")? {
        "tcp" => tcp::datagram_bytes(flow.table("tcp")?, segment),
        "udp" => Some(segment + UDP_IP_HEADER_BYTES),
        _ => None,
    }
}

/// Returns the links that a flow crosses. A flow between random stations stays in their wlan.
fn flow_links(root: &Fields, flow: &Fields, topology: &Topology) -> Vec<Link> {
    match (flow.text("from"), flow.text("to")) {
        (Some(from), Some(to)) => topology.links(from, to).unwrap_or_default(),
        _ => {
            let between = flow.table("between").and_then(|between| between.text("wlan"));
            let is_between = |(_, link): &(Link, &Fields)| between.is_some() && link.text("name") == between;
            Link::all(root).find(is_between).map(|(link, _)| link).into_iter().collect()
        }
    }
}
