use super::drawn::{self, SIZE_KIND, TIME_KIND};
use super::{App, TCP};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required, Value};
use crate::grammar::key::{Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_net::apps::{AppPlan, ConnectionReuse, Distribution, RequestArrivals, RequestResponsePlan};
use std::sync::Arc;

pub(super) static KIND: App = App {
    variant: Variant {
        example: r#"request = "200 B", response = "10 kB", rate = 5"#,
        ..Variant::new(
            "request-response",
            "requests of `to`, each answered by `from`: a flow of requests (named after the flow, with the suffix \"requests\") beside \
             the flow of responses (TCP)",
            &KEYS,
        )
    },
    transport: TCP,
    check,
    plan,
};

const REUSED: &str = "reused";
const NEW: &str = "new";
const POISSON: &str = "poisson";
const CONSTANT: &str = "constant";

static KEYS: [Key; 6] = [
    key("request", SIZE_KIND, Required, "size of a request"),
    key("response", SIZE_KIND, Required, "size of a response"),
    key(
        "arrivals",
        ValueKind::Word(|| vec![POISSON, CONSTANT]),
        Nothing("Poisson arrivals, if `rate` is set"),
        "open loop: requests arrive as a Poisson process, or with constant gaps of 1 / rate",
    ),
    key(
        "rate",
        ValueKind::Number { least: 1e-6, most: 1e6 },
        Nothing("none; a closed loop with `think`"),
        "open loop: mean number of requests per second",
    ),
    key(
        "think",
        TIME_KIND,
        Nothing("none; an open loop with `rate`"),
        "closed loop: time from a response to the next request; the first request is sent at the start",
    ),
    key(
        "connections",
        ValueKind::Word(|| vec![REUSED, NEW]),
        Value(r#""reused""#),
        "connection of a request: reused = one connection for all requests, on which one request is outstanding and later \
         requests wait; new = a separate connection, which `from` closes after the response. The report has one line for the \
         responses of all connections, and one line for their requests; at most 1000 connections are open at a time, and later \
         requests wait",
    ),
];

/// Checks that exactly one key determines the times of the requests, and that the files of sizes are valid.
fn check(_: &Fields, app: &Fields, problems: &mut Problems) {
    drawn::check(app, &["request", "response"], problems);
    if app.is_absent("rate") && app.is_absent("think") {
        let what = "is missing; expected a `rate` of requests, such as 5 per second, or a time to `think`, such as \"1 s\"";
        problems.add(&app.at, app.path_of("rate"), what);
    }
    for key in ["rate", "arrivals"] {
        if app.get("think").is_some() && app.get(key).is_some() {
            let what = "is for an open loop, and `think` for a closed loop; expected only one of them";
            problems.add(app.position_of(key), app.path_of(key), what);
        }
    }
}

fn plan(app: &Fields) -> Option<Arc<dyn AppPlan>> {
    let arrivals = match (app.number("rate"), app.word("arrivals")) {
        (Some(rate), Some(CONSTANT)) => RequestArrivals::Open(Distribution::Constant(1.0 / rate)),
        (Some(rate), _) => RequestArrivals::Open(Distribution::Exponential { mean: 1.0 / rate }),
        (None, _) => RequestArrivals::Closed(drawn::plan(app, "think")?),
    };
    let (request, response) = (drawn::plan(app, "request")?, drawn::plan(app, "response")?);
    let connections =
        if app.word("connections") == Some(NEW) { ConnectionReuse::New } else { ConnectionReuse::Reused };
    Some(Arc::new(RequestResponsePlan {
        request_size: request,
        response_size: response,
        arrivals,
        connections,
    }))
}
