//! `app = { … }`: the application of a flow. An application is a file here, with its keys and its plan, and a word in the list.

mod bulk;
mod cbr;
mod pareto_on_off;
mod transfer;

use crate::grammar::fields::Fields;
use crate::grammar::key::{Choice, Variant};
use crate::grammar::problem::{Problems, one_of};
use airhop_net::plan::AppPlan;

/// An application as a file declares it.
struct App {
    variant: Variant,
    /// The transport that it needs.
    transport: &'static str,
    /// Refuses values that do not fit its flow.
    check: fn(&Fields, &Fields, &mut Problems),
    plan: fn(&Fields) -> Option<AppPlan>,
}

super::kinds! {
    /// The applications.
    APP, "app", App:
    bulk, transfer, cbr, pareto_on_off
}

const TCP: &str = "tcp";
const UDP: &str = "udp";

/// Accepts an application that fits any flow of its transport.
fn fits(_: &Fields, _: &Fields, _: &mut Problems) {}

/// Refuses an application that needs another transport, or does not fit its flow.
pub(super) fn check(flow: &Fields, problems: &mut Problems) {
    let Some(app) = flow.table("app") else { return };
    let Some(declared) = declared(app) else { return };
    match flow.word("transport") {
        Some(transport) if transport != declared.transport => {
            let known = KINDS.iter().filter(|app| app.transport == transport).map(|app| app.variant.kind);
            let needs = if declared.transport == TCP { "TCP" } else { "transport = \"udp\"" };
            let takes = transport.to_uppercase();
            let what =
                format!("{takes} takes {}; \"{}\" needs {needs}", one_of(known), declared.variant.kind);
            problems.add(flow.at("app"), format!("{}.kind", app.path), what);
        }
        _ => (declared.check)(flow, app, problems),
    }
}

/// Returns the plan of an application.
pub(super) fn plan(app: &Fields) -> Option<AppPlan> {
    (declared(app)?.plan)(app)
}
