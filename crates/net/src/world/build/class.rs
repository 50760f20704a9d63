//! Names of classes of flows.

use crate::plan::{FlowClass, FlowPlan};
use crate::routing::Hop;
use airhop_base::NodeId;
use std::sync::Arc;

/// Returns the name of a flow's class. `protocol`: protocol of a flow of real hosts, used instead of the
/// application's kind. Both directions of a conversation belong to one class.
pub(super) fn class_name(f: &FlowPlan, protocol: Option<&'static str>, path: &[(NodeId, Hop)]) -> Arc<str> {
    let kind = match &f.class {
        FlowClass::Named(name) => return name.clone(),
        FlowClass::OfKind(kind) => protocol.unwrap_or(kind),
    };
    match direction(path).filter(|_| protocol.is_some() || !f.app.is_conversation()) {
        Some(direction) => format!("{kind} {direction}").into(),
        None => kind.into(),
    }
}

/// Returns the direction of data over the wireless link: "down" from the wired network, or "up" to the wired
/// network. `None` if both endpoints are wireless or both are wired.
fn direction(path: &[(NodeId, Hop)]) -> Option<&'static str> {
    let is_wireless = |end: Option<&(NodeId, Hop)>| end.is_some_and(|(_, hop)| hop.is_wireless());
    match (is_wireless(path.first()), is_wireless(path.last())) {
        (false, true) => Some("down"),
        (true, false) => Some("up"),
        _ => None,
    }
}
