//! Requests and responses: waiting, rounds of slow start, and the measures of completion.

use crate::common::{hosts, run};
use airhop_base::{NodeId, Span, Time};
use airhop_net::apps::{ConnectionReuse, Distribution, RequestArrivals, RequestResponsePlan};
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_net::{BuildError, CompletionSummary, FlowReport, World};
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Config, IdleRestartWindow, Preset};
use std::sync::Arc;

const MS: fn(u64) -> Span = Span::from_millis;
const HEADER: f64 = 40.0;
const REQUEST: f64 = 200.0;

/// Returns a plan in which b sends requests to a, over a link without losses and with a large queue.
fn requests(config: Config, delay: Span, response: Distribution, arrivals: RequestArrivals) -> Plan {
    let app = RequestResponsePlan {
        request_size: Distribution::Constant(REQUEST),
        response_size: response,
        arrivals,
        connections: ConnectionReuse::Reused,
    };
    Plan {
        links: Links { wired: vec![hosts::wire(10, delay, 100_000, ErrorPlan::Clean)], ..Links::default() },
        ..hosts::hosts(Span::from_secs(100), hosts::tcp("newreno", config), Arc::new(app))
    }
}

/// Returns the configuration of a connection whose window never limits a response: no slow start, no restart
/// after idle periods, an ACK for each segment.
fn unlimited() -> Config {
    let initial_window = 10_000.0;
    Config {
        initial_window,
        receive_window: 1 << 30,
        idle_restart_window: IdleRestartWindow::Keep,
        ..Preset::Ns2.config(1000)
    }
}

/// Returns the time to transmit `bytes` bytes at 10 Mbit/s, seconds.
fn at_10_mbps(bytes: f64) -> f64 {
    bytes * 8.0 / 10e6
}

fn completion(flow: &FlowReport) -> CompletionSummary {
    flow.completion_ms.expect("requests have a completion")
}

fn mean_s(completion: &CompletionSummary) -> f64 {
    completion.times.expect("some requests completed").mean_ms / 1e3
}

// M/G/1: one request is outstanding at a time, and later ones wait. The service time is the sum of a round
// trip and of the serialisation times of the request, of its ACK, which is sent before the response, and of
// the response. The mean wait is λ E[S²] / 2 (1 - ρ) (Pollaczek-Khinchine). The sizes of responses are
// exponential, rounded up to whole segments on the wire. At the highest load, 70 000 requests in 10 runs of
// 100 s, the mean has a standard error of 0.7 %; the tolerance is 3 %.
#[test]
fn open_loop_requests_wait_as_in_mg1() {
    let mean_bytes = 5000.0;
    let delay = MS(1);
    let fixed = 2.0 * delay.secs_f64() + at_10_mbps(REQUEST + 2.0 * HEADER);
    let service = |bytes: f64| fixed + at_10_mbps(bytes + HEADER * (bytes / 1000.0).ceil());
    let quantiles = (0..100_000).map(|i| -mean_bytes * (1.0 - (f64::from(i) + 0.5) / 1e5).ln());
    let (mut first, mut second) = (0.0, 0.0);
    for bytes in quantiles {
        let s = service(bytes.round().max(1.0));
        first += s / 1e5;
        second += s * s / 1e5;
    }
    for load in [0.2, 0.5] {
        let rate = load / first;
        let arrivals = RequestArrivals::Open(Distribution::Exponential { mean: 1.0 / rate });
        let response = Distribution::Exponential { mean: mean_bytes };
        let plan = requests(unlimited(), delay, response, arrivals);
        let found = (1..=10).map(|seed| mean_s(&completion(&run(&plan, seed).flows[0]))).sum::<f64>() / 10.0;
        let expected = first + rate * second / (2.0 * (1.0 - load));
        assert!((found / expected - 1.0).abs() < 0.03, "load {load}: {found} s, expected {expected} s");
    }
}

// The first request of a connection takes the handshake, half a round trip for the request, and slow start.
// With an initial window of 2 and an ACK for each segment, n rounds send 2 (2^n - 1) segments; the last round
// sends 2^n of them at the rate of the link. The tolerance is 5 %.
#[test]
fn the_first_response_takes_handshake_and_slow_start() {
    for (delay_ms, n) in [(20, 1), (50, 3), (50, 5)] {
        let segments = 2 * ((1_u32 << n) - 1);
        let config = Config { handshake: true, initial_window: 2.0, ..Preset::Ns2.config(1000) };
        let response = Distribution::Constant(1000.0 * f64::from(segments));
        let arrivals = RequestArrivals::Closed(Distribution::Constant(1e5));
        let report = run(&requests(config, MS(delay_ms), response, arrivals), 1);
        let round_trip = 2.0 * delay_ms as f64 / 1e3 + at_10_mbps(1000.0 + 2.0 * HEADER);
        let set_up = 2.0 * delay_ms as f64 / 1e3 + at_10_mbps(2.0 * HEADER);
        let request = delay_ms as f64 / 1e3 + at_10_mbps(REQUEST + HEADER);
        let last = at_10_mbps((1000.0 + HEADER) * f64::from(1 << n)) + delay_ms as f64 / 1e3;
        let expected = set_up + request + f64::from(n - 1) * round_trip + last;
        let found = completion(&report.flows[0]);
        assert_eq!((found.count, found.unfinished), (1, 0));
        let found = mean_s(&found);
        assert!((found / expected - 1.0).abs() < 0.05, "{n} rounds: {found} s, expected {expected} s");
    }
}

// In a closed loop each cycle is a response time followed by a think time.
#[test]
fn a_closed_loop_alternates_response_and_think_time() {
    let arrivals = RequestArrivals::Closed(Distribution::Constant(0.1));
    let plan = requests(unlimited(), MS(10), Distribution::Constant(10_000.0), arrivals);
    let found = completion(&run(&plan, 1).flows[0]);
    let cycles = 100.0 / (mean_s(&found) + 0.1);
    assert!((found.count as f64 - cycles).abs() <= 1.0, "{} requests, expected {cycles}", found.count);
    assert!(found.unfinished <= 1);
}

// Arrivals at constant intervals: 20 requests per second for 100 s. No request waits, so all completion times
// are equal, except that of the first request, which opens the connection.
#[test]
fn constant_request_arrivals_have_their_rate() {
    let arrivals = RequestArrivals::Open(Distribution::Constant(0.05));
    let plan = requests(unlimited(), MS(10), Distribution::Constant(10_000.0), arrivals);
    let found = completion(&run(&plan, 1).flows[0]);
    assert_eq!(found.count + found.unfinished, 2000);
    let times = found.times.expect("requests completed");
    assert!((times.p50_ms / times.mean_ms - 1.0).abs() < 0.01, "{times:?}");
}

// If requests arrive faster than the link can carry the responses, the number of unfinished requests is the
// number of arrivals less the number of responses carried.
#[test]
fn requests_beyond_the_link_rate_stay_unfinished() {
    let arrivals = RequestArrivals::Open(Distribution::Constant(0.01));
    let plan = requests(unlimited(), MS(1), Distribution::Constant(25_000.0), arrivals);
    let report = run(&plan, 1);
    let found = completion(&report.flows[0]);
    assert_eq!(found.count + found.unfinished, 10_000);
    assert_eq!(report.flows[0].delivered_bytes / 25_000, found.count);
    assert!(found.unfinished > 5000 && found.count > 4000, "{found:?}");
}

// Completions before the end of the warm-up do not count; later ones do, also of requests that were waiting
// then.
#[test]
fn request_completions_exclude_the_warm_up() {
    let arrivals = RequestArrivals::Open(Distribution::Constant(0.05));
    let mut plan = requests(unlimited(), MS(10), Distribution::Constant(10_000.0), arrivals);
    let all = completion(&run(&plan, 1).flows[0]);
    plan.warmup = Span::from_secs(40);
    let rest = completion(&run(&plan, 1).flows[0]);
    assert!(rest.count.abs_diff(all.count - 800) <= 1, "{} of {}", rest.count, all.count);
    assert_eq!(rest.unfinished, all.unfinished);
}

// The connection has two flows: the flow of the responses, which is in the plan, and the flow of the
// requests, which opens when the application starts.
#[test]
fn requests_are_a_flow_separate_from_the_responses() {
    let arrivals = RequestArrivals::Open(Distribution::Constant(0.1));
    let mut plan = requests(unlimited(), MS(10), Distribution::Constant(10_000.0), arrivals);
    plan.flows[0].start = Time::ZERO + Span::from_secs(50);
    let report = run(&plan, 1);
    let [responses, requests] = &report.flows[..] else { panic!("{} flows", report.flows.len()) };
    assert_eq!(
        (requests.name.as_str(), requests.from.as_str(), requests.to.as_str()),
        ("f requests", "b", "a")
    );
    assert_eq!(requests.completion_ms, None, "the completions belong to the flow of the plan");
    let count = completion(responses).count;
    let asked = requests.delivered_bytes / 200;
    assert!((count..=count + completion(responses).unfinished).contains(&asked), "{asked} requests arrived");
    assert_eq!(responses.delivered_bytes / 10_000, count);
    assert_eq!(plan.flows[0].from, NodeId(0));
}

// Arrival times and sizes have random streams of their own, so they do not depend on the link.
#[test]
fn request_times_and_sizes_do_not_depend_on_the_link() {
    let arrivals = RequestArrivals::Open(Distribution::Exponential { mean: 0.02 });
    let response = Distribution::Lognormal { median: 3000.0, sigma: 1.0 };
    let near = requests(unlimited(), MS(1), response.clone(), arrivals.clone());
    let far = requests(unlimited(), MS(50), response, arrivals);
    let arrived = |plan: &Plan| {
        let found = completion(&run(plan, 1).flows[0]);
        found.count + found.unfinished
    };
    assert_eq!(arrived(&near), arrived(&far));
}

// A run has at most 16 000 flows, with those that open during the run. A plan with 8 001 connections of two
// flows each is refused.
#[test]
fn more_than_8000_request_connections_are_refused() {
    let arrivals = RequestArrivals::Closed(Distribution::Constant(1.0));
    let mut plan = requests(unlimited(), MS(1), Distribution::Constant(1.0), arrivals);
    plan.flows = vec![plan.flows[0].clone(); 8001];
    assert_eq!(World::new(&plan, 1, 0, None).err(), Some(BuildError::TooManyFlows { flow: "f".into() }));
}

// The first sample of the server is the round trip of its SYN-ACK, which sets its timeout before the first
// response (RFC 6298 §2.2). Therefore no response times out, although the round trip of 1.2 s exceeds the
// initial timeout of 1 s.
#[test]
fn a_server_samples_the_rtt_of_its_syn_ack() {
    for connections in [ConnectionReuse::Reused, ConnectionReuse::New] {
        let app = RequestResponsePlan {
            request_size: Distribution::Constant(REQUEST),
            response_size: Distribution::Constant(1000.0),
            arrivals: RequestArrivals::Closed(Distribution::Constant(10.0)),
            connections,
        };
        let wired = vec![hosts::wire(10, MS(600), 100, ErrorPlan::Clean)];
        let config = Preset::Rfc.config(1000);
        let plan = Plan {
            links: Links { wired, ..Links::default() },
            ..hosts::hosts(Span::from_secs(60), hosts::tcp("newreno", config), Arc::new(app))
        };
        let report = run(&plan, 1);
        assert_eq!(report.flows[0].timeouts, 0, "{connections:?}");
        assert!(completion(&report.flows[0]).count > 3);
    }
}
