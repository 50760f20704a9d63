//! Check for services of flows that a link on their path cannot provide.

use super::topology::{Link, Topology};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::problem::Problems;
use crate::tables::wlan;
use airhop_net::services::{self, Kind, LinkService};

/// Wlan of 802.11n, ac or ax.
pub(super) struct Modern {
    link: Link,
    name: String,
    standard: &'static str,
}

impl Modern {
    /// Returns the wlans of a scenario that are 802.11n, ac or ax.
    pub(super) fn all(root: &Fields) -> Vec<Modern> {
        let one = |(link, table): (Link, &Fields)| {
            if !table.takes("standard") {
                return None;
            }
            let standard = wlan::format(table)?.name();
            Some(Modern { link, name: table.text("name")?.to_string(), standard })
        };
        Link::all(root).filter_map(one).collect()
    }

    /// True if a flow crosses this wlan.
    fn is_crossed_by(&self, flow: &Fields, topology: &Topology) -> bool {
        match (flow.text("from"), flow.text("to")) {
            (Some(from), Some(to)) => topology.way(from, to).unwrap_or_default().contains(&self.link),
            _ => {
                let between = flow.table("between").and_then(|between| between.text("wlan"));
                between == Some(&self.name)
            }
        }
    }
}

/// Reports services that use a part of a damaged frame, for a flow over a wlan of 802.11n, ac or ax. The FCS
/// of an MPDU covers the whole MPDU, and a BlockAck reports only MPDUs with a correct FCS (IEEE 802.11-2020
/// §9.7.3, §10.25.6).
pub(super) fn check(flow: &Fields, wlans: &[Modern], topology: &Topology, problems: &mut Problems) {
    let Some(crossed) = wlans.iter().find(|wlan| wlan.is_crossed_by(flow, topology)) else { return };
    for name in flow.words("services").unwrap_or_default() {
        let kind = services::find(name).map(|service| &service.kind);
        if !matches!(kind, Some(Kind::ByLinks(LinkService::DamagedFrames | LinkService::Fragments))) {
            continue;
        }
        let Modern { name: wlan, standard, .. } = crossed;
        let why = format!(
            "wlan \"{wlan}\" of {standard}, on its path, cannot provide \"{name}\": each MPDU has its own FCS, and no part of a \
             damaged MPDU is usable"
        );
        let (key, what) = match flow.get("scheme") {
            Some(Val::Scheme(scheme, _)) if !flow.is_given("services") => (
                "scheme",
                format!("{why}; expected another scheme than \"{}\", or services = []", scheme.name),
            ),
            _ => ("services", format!("{why}; leave it out")),
        };
        problems.add(flow.at(key), flow.path_of(key), what);
    }
}
