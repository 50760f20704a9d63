//! `app = { … }`: application of a flow. Each application has an entry in the list, and a file in this folder
//! with its keys and its plan.

mod bulk;
mod call;
mod cbr;
mod drawn;
mod empirical;
mod game;
mod pareto_on_off;
mod request_response;
mod transfer;
mod video;
mod web;

use crate::grammar::fields::Fields;
use crate::grammar::key::{Choice, Variant};
use crate::grammar::problem::{Problems, format_alternatives};
use airhop_net::apps::AppPlan;
use std::sync::Arc;

/// Declaration of an application.
struct App {
    variant: Variant,
    /// Transport protocol required by the application.
    transport: &'static str,
    /// Function that checks that the values of the application fit the flow.
    check: fn(&Fields, &Fields, &mut Problems),
    plan: fn(&Fields) -> Option<Arc<dyn AppPlan>>,
}

super::kinds! {
    /// List of the applications.
    APP, "app", App:
    bulk, transfer, cbr, pareto_on_off, request_response, web, call, game, video
}

/// Maximum payload of a segment or datagram in bytes.
pub(super) const MAX_DATAGRAM_BYTES: u64 = 65_000;

const TCP: &str = "tcp";
const UDP: &str = "udp";

/// Accepts any values: the application fits every flow with the right transport protocol.
fn accept_any_values(_: &Fields, _: &Fields, _: &mut Problems) {}

/// Reports an error if the application does not fit the flow or the flow's transport protocol.
pub(super) fn check(flow: &Fields, problems: &mut Problems) {
    let Some(app) = flow.table("app") else { return };
    let Some(declared) = declared(app) else { return };
    match flow.word("transport") {
        Some(transport) if transport != declared.transport => {
            let known = KINDS.iter().filter(|app| app.transport == transport).map(|app| app.variant.kind);
            let needs = if declared.transport == TCP { "TCP" } else { "transport = \"udp\"" };
            let takes = transport.to_uppercase();
            let what = format!(
                "{takes} takes {}; \"{}\" needs {needs}",
                format_alternatives(known),
                declared.variant.kind
            );
            problems.add(flow.position_of("app"), format!("{}.kind", app.path), what);
        }
        _ => {
            check_datagram(flow, app, problems);
            (declared.check)(flow, app, problems);
        }
    }
}

/// Reports an error if the application's datagram size is too large or differs from the flow's datagram size.
fn check_datagram(flow: &Fields, app: &Fields, problems: &mut Problems) {
    let Some(expected) = datagram_bytes(app) else { return };
    if expected > MAX_DATAGRAM_BYTES {
        let what = format!("makes packets of {expected} B; expected at most \"{MAX_DATAGRAM_BYTES} B\"");
        problems.add(&app.at, &app.path, what);
    } else if let Some(given) = flow.bytes("segment").filter(|&given| given != expected) {
        let what = format!(
            "expected \"{expected} B\", which its application determines, got \"{given} B\"; leave it out"
        );
        problems.add(flow.position_of("segment"), flow.path_of("segment"), what);
    }
}

/// Returns the UDP payload of a datagram in bytes; `None` if the application does not determine the size.
pub(super) fn datagram_bytes(app: &Fields) -> Option<u64> {
    plan(app)?.datagram_bytes().map(u64::from)
}

/// Returns the plan of an application.
pub(super) fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    (declared(app)?.plan)(app)
}
