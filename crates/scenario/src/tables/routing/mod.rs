//! `routing = { … }`: how the stations of a wlan find routes to each other. A protocol is a file here, with its keys and its plan, and
//! a word in the list.

mod aodv;
mod static_routes;

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::{Choice, Variant};
use airhop_net::plan::RoutingPlan;

/// A routing protocol as a file declares it.
struct Protocol {
    variant: Variant,
    /// True if routes are found on demand, so that the path of a flow is not known in advance.
    is_on_demand: bool,
    /// Fills the defaults of a preset.
    fill: fn(&mut Fields),
    plan: fn(&Fields) -> Option<RoutingPlan>,
}

super::kinds! {
    /// The routing protocols.
    ROUTING, "routing", Protocol:
    static_routes, aodv
}

/// Fills the defaults of the preset.
pub(super) fn fill(wlan: &mut Fields) {
    let Some(Val::Table(routing)) = wlan.get_mut("routing") else { return };
    if let Some(protocol) = declared(routing) {
        (protocol.fill)(routing);
    }
}

/// True if the stations of a wlan find their routes when they need them.
pub(super) fn is_on_demand(wlan: &Fields) -> bool {
    wlan.table("routing").and_then(declared).is_some_and(|protocol| protocol.is_on_demand)
}

/// Returns the plan of a wlan's routing.
pub(super) fn plan(wlan: &Fields) -> Option<RoutingPlan> {
    let routing = wlan.table("routing")?;
    (declared(routing)?.plan)(routing)
}
