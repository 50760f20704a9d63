use super::Protocol;
use crate::grammar::key::Variant;
use airhop_net::plan::RoutingPlan;

pub(super) static KIND: Protocol = Protocol {
    variant: Variant::new("static", "static shortest routes, which never break", &[]),
    is_on_demand: false,
    fill: |_| {},
    plan: |_| Some(RoutingPlan::Static),
};
