//! `routing = { … }`: routing between the stations of a wlan. Each protocol has an entry in the list, and a
//! file in this folder with its keys and its plan.

mod aodv;
mod static_routes;

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::{Choice, Variant};
use airhop_net::plan::RoutingPlan;

/// Declaration of a routing protocol.
struct RoutingProtocol {
    variant: Variant,
    /// True if routes are discovered on demand; the path of a flow is then not known in advance.
    is_on_demand: bool,
    /// Function that sets the defaults of a preset.
    set_defaults: fn(&mut Fields),
    plan: fn(&Fields) -> Option<RoutingPlan>,
}

super::kinds! {
    /// List of the routing protocols.
    ROUTING, "routing", RoutingProtocol:
    static_routes, aodv
}

/// Sets the defaults of the preset for the routing of a wlan.
pub(super) fn set_defaults(wlan: &mut Fields) {
    let Some(Val::Table(routing)) = wlan.get_mut("routing") else { return };
    if let Some(protocol) = declared(routing) {
        (protocol.set_defaults)(routing);
    }
}

/// True if the stations of a wlan discover routes on demand.
pub(super) fn is_on_demand(wlan: &Fields) -> bool {
    wlan.table("routing").and_then(declared).is_some_and(|protocol| protocol.is_on_demand)
}

/// Returns the plan of a wlan's routing.
pub(super) fn plan(wlan: &Fields) -> Option<RoutingPlan> {
    let routing = wlan.table("routing")?;
    (declared(routing)?.plan)(routing)
}
