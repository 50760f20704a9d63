//! Web pages: connections, dependencies between objects, and visits, compared with numbers of round trips.

use crate::common::{hosts, run};
use airhop_base::Span;
use airhop_net::FlowReport;
use airhop_net::apps::{Distribution, PageObject, WebPage, WebPlan};
use airhop_net::links::Links;
use airhop_net::plan::Plan;
use airhop_radio::errors::ErrorPlan;
use airhop_tcp::{Config, Preset};
use std::sync::Arc;

/// Round trip, seconds.
const ROUND_TRIP: f64 = 0.1;

/// Returns a plan in which b visits a page on a over a fast link, with a pause of one second between visits.
fn visits(objects: Vec<PageObject>) -> Plan {
    let page = Arc::new(WebPage::new(objects).expect("a page with an end"));
    let web = WebPlan {
        page,
        request_size: Distribution::Constant(700.0),
        think_time: Distribution::Constant(1.0),
    };
    let config = Config { handshake: true, ..Preset::Ns2.config(1000) };
    let wire = hosts::wire(100, Span::from_millis(50), 100_000, ErrorPlan::Clean);
    Plan {
        links: Links { wired: vec![wire], ..Links::default() },
        ..hosts::hosts(Span::from_secs(30), hosts::tcp("newreno", config), Arc::new(web))
    }
}

fn object(after: &[usize]) -> PageObject {
    PageObject { bytes: 900, dependencies: after.into() }
}

/// Returns the objects of a page: a document, and `number` objects to which it refers.
fn with_others(number: usize) -> Vec<PageObject> {
    std::iter::once(object(&[])).chain((0..number).map(|_| object(&[0]))).collect()
}

/// Returns the mean load time of the page in round trips, and the number of connections per visit.
fn loaded(flow: &FlowReport) -> (f64, f64) {
    let completion = flow.completion_ms.expect("pages have a completion");
    let mean = completion.times.expect("pages completed").mean_ms;
    let opened = flow.connections.expect("connections of its own").opened;
    (mean / 1e3 / ROUND_TRIP, opened as f64 / (completion.count + completion.unfinished) as f64)
}

// The document takes two round trips, for handshake and request. After that its connection fetches one object
// per round trip; up to five more connections do the same, after one round trip for their handshakes. Of n
// objects, 1 has arrived one round trip after the document, 7 after two, and 13 after three. The tolerance of
// 5 % is for serialisation times.
#[test]
fn a_page_is_fetched_over_up_to_six_connections() {
    for (others, rounds, connections) in [
        (0, 2.0, 1.0),
        (1, 3.0, 1.0),
        (2, 4.0, 2.0),
        (7, 4.0, 6.0),
        (8, 5.0, 6.0),
        (13, 5.0, 6.0),
        (14, 6.0, 6.0),
    ] {
        let (found, opened) = loaded(&run(&visits(with_others(others)), 1).flows[0]);
        assert!((found / rounds - 1.0).abs() < 0.05, "{others}: {found} round trips, expected {rounds}");
        assert_eq!(opened, connections, "{others}");
    }
}

// An object is requested when the objects on which it depends have arrived, on a connection that is already
// open.
#[test]
fn a_web_object_is_requested_after_its_dependencies() {
    let chain = vec![object(&[]), object(&[0]), object(&[1]), object(&[1, 2])];
    let (found, opened) = loaded(&run(&visits(chain), 1).flows[0]);
    assert!((found / 5.0 - 1.0).abs() < 0.05, "{found} round trips, expected 5");
    assert_eq!(opened, 1.0);
}

// A visit takes the load time of the page and the think time. The connections close after the page, so each
// visit opens new ones.
#[test]
fn each_page_visit_opens_new_connections() {
    let report = run(&visits(with_others(8)), 1);
    let [pages, requests] = &report.flows[..] else { panic!("{} lines", report.flows.len()) };
    let (completion, connections) = (pages.completion_ms.unwrap(), pages.connections.unwrap());
    let (page, _) = loaded(pages);
    let expected = 30.0 / (page * ROUND_TRIP + 1.0);
    assert!((completion.count as f64 - expected).abs() <= 1.0, "{completion:?}, expected {expected}");
    assert_eq!(connections.opened - connections.closed, if completion.unfinished > 0 { 6 } else { 0 });
    let objects = pages.delivered_bytes / 900;
    assert!((9 * completion.count..=9 * (completion.count + 1)).contains(&objects), "{objects} objects");
    assert!((objects..=objects + 6).contains(&(requests.delivered_bytes / 700)), "one request each");
}

// A page is loaded completely even if any packet may be lost.
#[test]
fn web_pages_complete_on_a_lossy_path() {
    let mut plan = visits(with_others(20));
    plan.links.wired[0].errors = [ErrorPlan::Loss(0.05), ErrorPlan::Loss(0.05)];
    plan.duration = Span::from_secs(200);
    let report = run(&plan, 1);
    let completion = report.flows[0].completion_ms.unwrap();
    assert!(completion.count > 20 && completion.unfinished <= 1, "{completion:?}");
}
