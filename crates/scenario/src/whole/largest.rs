//! The largest packets that cross each link.

use crate::grammar::fields::Fields;
use crate::tables::LINKS;
use crate::tables::tcp;
use crate::whole::topology::{Link, Topology};
use airhop_base::{HEADER_BYTES, UDP_HEADER_BYTES};

/// Largest IP datagram that a flow sends over each link, bytes: the frame to which `fer` refers, and for which timeouts
/// of link recovery are derived.
pub(crate) struct Largest {
    /// By the place of the link's type, then by its number.
    bytes: Vec<Vec<Option<u32>>>,
}

impl Largest {
    /// Computes those of a scenario; a flow that could not be read is left out.
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

    /// Returns the size for a link; for a link that no flow crosses, that of the default segment.
    pub(crate) fn of(&self, link: Link) -> u32 {
        self.bytes[link.of][link.index].unwrap_or(1000 + HEADER_BYTES)
    }
}

/// Returns the length of the IP datagram of a flow's full segment, bytes.
fn datagram_bytes(flow: &Fields) -> Option<u32> {
    let segment = u32::try_from(flow.bytes("segment")?).ok()?;
    match flow.word("transport")? {
        "tcp" => tcp::datagram_bytes(flow.table("tcp")?, segment),
        "udp" => Some(segment + UDP_HEADER_BYTES),
        _ => None,
    }
}

/// Returns the links that a flow crosses. One between stations that are drawn stays in their wlan.
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
