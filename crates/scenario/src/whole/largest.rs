//! The largest packets that cross each link.

use crate::grammar::fields::Fields;
use crate::tables::tcp;
use crate::whole::topology::{Link, Topology};
use airhop_base::{HEADER_BYTES, UDP_HEADER_BYTES};

/// The largest IP datagram that a flow sends over each link, bytes: what `fer` is about, and what timeouts of link recovery are
/// made for.
pub(crate) struct Largest {
    wired: Vec<Option<u32>>,
    wlans: Vec<Option<u32>>,
    radios: Vec<Option<u32>>,
}

impl Largest {
    /// Those of a scenario; a flow that could not be read is left out.
    pub(crate) fn new(root: &Fields, topology: &Topology) -> Self {
        let none = |list| vec![None; root.tables(list).len()];
        let mut all = Largest { wired: none("wired"), wlans: none("wlan"), radios: none("radio") };
        for flow in root.tables("flow") {
            let Some(bytes) = datagram_bytes(flow) else { continue };
            for link in way(root, flow, topology) {
                let slot = match link {
                    Link::Wired(i) => &mut all.wired[i],
                    Link::Wlan(i) => &mut all.wlans[i],
                    Link::Radio(i) => &mut all.radios[i],
                };
                *slot = (*slot).max(Some(bytes));
            }
        }
        all
    }

    /// That of a link; of one that no flow crosses, that of the default segment.
    pub(crate) fn of(&self, link: Link) -> u32 {
        let largest = match link {
            Link::Wired(i) => self.wired[i],
            Link::Wlan(i) => self.wlans[i],
            Link::Radio(i) => self.radios[i],
        };
        largest.unwrap_or(1000 + HEADER_BYTES)
    }
}

/// The IP datagram of a full segment of a flow, bytes.
fn datagram_bytes(flow: &Fields) -> Option<u32> {
    let segment = u32::try_from(flow.bytes("segment")?).ok()?;
    match flow.word("transport")? {
        "tcp" => tcp::datagram_bytes(flow.table("tcp")?, segment),
        "udp" => Some(segment + UDP_HEADER_BYTES),
        _ => None,
    }
}

/// The links that a flow crosses. One between stations that are drawn stays in their wlan.
fn way(root: &Fields, flow: &Fields, topology: &Topology) -> Vec<Link> {
    let between = flow.table("between").and_then(|between| between.text("wlan"));
    match (flow.text("from"), flow.text("to")) {
        (Some(from), Some(to)) => topology.way(from, to).unwrap_or_default(),
        _ => {
            let wlan = root.tables("wlan").iter().position(|wlan| wlan.text("name") == between);
            wlan.map(Link::Wlan).into_iter().collect()
        }
    }
}
