//! Sizes of the largest packets that cross each link.

use crate::grammar::fields::Fields;
use crate::tables::LINKS;
use crate::tables::tcp;
use crate::whole::topology::{Link, Topology};
use airhop_base::{HEADER_BYTES, UDP_HEADER_BYTES};

/// Largest IP packet that a flow sends over each link, bytes. `fer` refers to a frame of this size, and it
/// determines the timeouts of link recovery.
pub(crate) struct Largest {
    /// Sizes by the index of the link's type, then by the number of the link.
    bytes: Vec<Vec<Option<u32>>>,
}

impl Largest {
    /// Computes the sizes for a scenario; invalid flows are ignored.
    pub(crate) fn new(root: &Fields, topology: &Topology) -> Self {
        let mut bytes: Vec<_> = LINKS.iter().map(|ty| vec![None; root.tables(ty.list).len()]).collect();
        for flow in root.tables("flow") {
            let Some(datagram) = datagram_bytes(flow) else { continue };
            for Link { of, index } in way(root, flow, topology) {
                bytes[of][index] = bytes[of][index].max(Some(datagram));
            }
        }
        Largest { bytes }
    }

    /// Returns the size for a link. For a link that no flow crosses, it is the size of the default segment.
    pub(crate) fn of(&self, link: Link) -> u32 {
        self.bytes[link.of][link.index].unwrap_or(1000 + HEADER_BYTES)
    }
}

/// Returns the length of the IP packet of a flow's full segment, bytes.
fn datagram_bytes(flow: &Fields) -> Option<u32> {
    let segment = u32::try_from(flow.bytes("segment")?).ok()?;
    match flow.word("transport")? {
        "tcp" => tcp::datagram_bytes(flow.table("tcp")?, segment),
        "udp" => Some(segment + UDP_HEADER_BYTES),
        _ => None,
    }
}

/// Returns the links that a flow crosses. A flow between random stations does not leave their wlan.
fn way(root: &Fields, flow: &Fields, topology: &Topology) -> Vec<Link> {
    match (flow.text("from"), flow.text("to")) {
        (Some(from), Some(to)) => topology.way(from, to).unwrap_or_default(),
        _ => {
            let between = flow.table("between").and_then(|between| between.text("wlan"));
            let is_between = |(_, link): &(Link, &Fields)| between.is_some() && link.text("name") == between;
            Link::all(root).find(is_between).map(|(link, _)| link).into_iter().collect()
        }
    }
}
