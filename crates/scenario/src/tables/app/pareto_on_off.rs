use super::{App, UDP};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::{AppPlan, ParetoOnOffPlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"peak = "1 Mbit/s""#,
        ..Variant::new(
            "pareto-on-off",
            "on-off source: constant bit rate in on periods; the lengths of on and off periods have Pareto distributions, as in ns-2 (UDP)",
            &KEYS,
        )
    },
    transport: UDP,
    check: check_bursts,
    plan,
};

static KEYS: [Key; 4] = [
    key("peak", ValueKind::Rate, Required, "payload rate in on periods"),
    key(
        "on",
        ValueKind::Span { least_ns: 1 },
        Value(r#""500 ms""#),
        "mean length of on periods, at least the interval between two datagrams (ns-2 burst_time_)",
    ),
    key(
        "off",
        ValueKind::Span { least_ns: 0 },
        Value(r#""500 ms""#),
        "mean length of off periods (ns-2 idle_time_)",
    ),
    key(
        "shape",
        ValueKind::Number { least: 1.01, most: 100.0 },
        Value("1.5"),
        "shape of the Pareto distribution of both periods: P(X > x) is proportional to x^-shape (ns-2 shape_)",
    ),
];

/// Checks that the mean burst is at least as long as the interval between two datagrams at the peak rate.
fn check_bursts(flow: &Fields, app: &Fields, problems: &mut Problems) {
    let bytes = flow.bytes("segment").and_then(|bytes| u32::try_from(bytes).ok());
    let (Some(bytes), Some(peak), Some(on)) = (bytes, app.rate("peak"), app.span("on")) else { return };
    let interval = peak.time_for_bytes(bytes);
    if on < interval {
        let what = format!(
            "expected at least the interval between two datagrams at the peak rate, \"{interval}\", got \"{on}\""
        );
        problems.add(app.position_of("on"), app.path_of("on"), what);
    }
}

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    Some(Arc::new(ParetoOnOffPlan {
        peak_rate: app.rate("peak")?,
        mean_on_time: app.span("on")?,
        mean_off_time: app.span("off")?,
        shape: app.number("shape")?,
    }))
}
