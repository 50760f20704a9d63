use super::RoutingProtocol;
use crate::grammar::key::Variant;
use airhop_net::plan::RoutingPlan;

pub(super) static KIND: RoutingProtocol = RoutingProtocol {
    variant: Variant::new("static", "static shortest routes, which never break", &[]),
    is_on_demand: false,
    set_defaults: |_| {},
    plan: |_| Some(RoutingPlan::Static),
};
