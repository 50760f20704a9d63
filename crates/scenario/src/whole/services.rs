//! Checks of flows against the wlans on the path: services that a wlan cannot provide, and access categories
//! without effect.

use super::topology::{Link, Topology};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::problem::{Problems, format_alternatives};
use crate::tables::wlan;
use airhop_net::services::{self, LinkService, ServiceKind};
use airhop_radio::phy::PpduFormat;

/// Wlan of a scenario.
pub(super) struct Wlan {
    link: Link,
    name: String,
    standard: &'static str,
    /// True for 802.11n, ac and ax.
    is_modern: bool,
}

impl Wlan {
    /// Returns the wlans of a scenario.
    pub(super) fn all(root: &Fields) -> Vec<Wlan> {
        let one = |(link, table): (Link, &Fields)| {
            if !table.may_have_key("standard") {
                return None;
            }
            let (name, standard) = (table.text("name")?.to_string(), table.word("standard")?);
            Some(Wlan { link, name, standard, is_modern: wlan::format(table).is_some() })
        };
        Link::all(root).filter_map(one).collect()
    }

    /// True if the flow crosses this wlan.
    fn is_crossed_by(&self, flow: &Fields, topology: &Topology) -> bool {
        match (flow.text("from"), flow.text("to")) {
            (Some(from), Some(to)) => topology.links(from, to).unwrap_or_default().contains(&self.link),
            _ => {
                let between = flow.table("between").and_then(|between| between.text("wlan"));
                between == Some(&self.name)
            }
        }
    }
}

/// Reports services that use part of a damaged frame, for flows over an 802.11n, ac or ax wlan. There the FCS
/// covers the whole MPDU, and a BlockAck reports only MPDUs with a correct FCS (IEEE 802.11-2020 §9.7.3,
/// §10.25.6).
pub(super) fn check(flow: &Fields, wlans: &[Wlan], topology: &Topology, problems: &mut Problems) {
    let mut modern = wlans.iter().filter(|wlan| wlan.is_modern);
    let Some(crossed) = modern.find(|wlan| wlan.is_crossed_by(flow, topology)) else { return };
    for name in flow.words("services").unwrap_or_default() {
        let kind = services::find(name).map(|service| &service.kind);
        if !matches!(kind, Some(ServiceKind::ByLinks(LinkService::DamagedFrames | LinkService::Fragments))) {
            continue;
        }
        let Wlan { name: wlan, standard, .. } = crossed;
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
        problems.add(flow.position_of(key), flow.path_of(key), what);
    }
}

/// Reports the access category of a flow that crosses no wlan of 802.11n, ac or ax. Other links have a single
/// queue for all packets, so the category would have no effect.
pub(super) fn check_category(flow: &Fields, wlans: &[Wlan], topology: &Topology, problems: &mut Problems) {
    let mut crossed = wlans.iter().filter(|wlan| wlan.is_crossed_by(flow, topology)).peekable();
    if !flow.is_given("access_category") {
        return;
    }
    let why = match crossed.peek() {
        Some(Wlan { name, standard, .. }) => {
            format!(
                "wlan \"{name}\" of {standard}, on its path, has no EDCA and therefore no access categories"
            )
        }
        None => {
            let modern = format_alternatives(PpduFormat::ALL.map(PpduFormat::name));
            format!("no wlan of {modern} is on its path, and other links have no access categories")
        }
    };
    if !crossed.any(|wlan| wlan.is_modern) {
        let what = format!("{why}; leave it out");
        problems.add(flow.position_of("access_category"), flow.path_of("access_category"), what);
    }
}
