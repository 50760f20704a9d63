//! Checks of flows.

use crate::fields::{Fields, Val};
use crate::problem::{At, Problems, did_you_mean, one_of, some_of};
use crate::tcp;
use crate::topology::Topology;
use airhop_base::Span;
use airhop_net::services;
use airhop_tcp::{Notices, Scheme};

/// Applications that send datagrams; the others need TCP.
const DATAGRAM_APPS: [&str; 2] = ["cbr", "pareto-on-off"];

/// The words of `notices`.
pub(crate) const NOTICES: [(&str, Notices); 4] = [
    ("scheme", Notices::Scheme),
    ("ignored", Notices::Ignored),
    ("eln", Notices::Eln),
    ("elsn", Notices::Elsn),
];

/// Fills the defaults that follow from the transport and the preset.
pub(crate) fn fill(flow: &mut Fields) {
    match flow.word("transport") {
        Some("tcp") => {
            if flow.lacks("app") {
                let bulk = Fields::new(flow.path_of("app"), At::Default, Some("bulk"), &[]);
                flow.fill("app", Val::Table(bulk));
            }
            if let Some(Val::Scheme(scheme, _)) = flow.get("scheme") {
                let services = served_by(scheme, flow.word("notices"));
                flow.fill("services", Val::Words(services));
            }
            let mss = flow.bytes("segment").and_then(|bytes| u32::try_from(bytes).ok());
            if let (Some(Val::Table(tcp)), Some(mss)) = (flow.get_mut("tcp"), mss) {
                tcp::fill(tcp, mss);
            }
        }
        Some(_) if flow.table("tcp").is_some_and(|tcp| tcp.at == At::Default) => flow.clear("tcp"),
        _ => {}
    }
}

/// What the network does for a flow of this scheme, if it does not say so itself: other notices come in the place of the scheme's.
fn served_by(scheme: &Scheme, notices: Option<&'static str>) -> Vec<&'static str> {
    let Some(notices) = notices.filter(|word| ["eln", "elsn"].contains(word)) else {
        return scheme.needs.to_vec();
    };
    let is_other = |name: &&str| services::find(name).is_some_and(|service| !service.tells_of_losses);
    scheme.needs.iter().copied().filter(is_other).chain([notices]).collect()
}

/// Checks what a flow says of itself.
pub(crate) fn check(flow: &Fields, duration: Option<Span>, problems: &mut Problems) {
    match flow.word("transport") {
        Some("tcp") => check_tcp(flow, problems),
        Some("udp") => check_udp(flow, problems),
        _ => {}
    }
    if let (Some(start), Some(duration)) = (flow.span("start"), duration)
        && start >= duration
    {
        let what =
            format!("expected a start before the end of the run, duration = \"{duration}\", got \"{start}\"");
        problems.add(flow.at("start"), flow.path_of("start"), what);
    }
}

fn check_tcp(flow: &Fields, problems: &mut Problems) {
    if flow.lacks("scheme") {
        let what = "is missing: a TCP flow needs a scheme, such as \"reno\" (`airhop schemes` lists them)";
        problems.add(&flow.at, flow.path_of("scheme"), what);
    }
    if let Some((app, kind)) = app(flow).filter(|(_, kind)| DATAGRAM_APPS.contains(kind)) {
        let what = format!("TCP takes \"bulk\" or \"transfer\"; \"{kind}\" needs transport = \"udp\"");
        problems.add(flow.at("app"), format!("{}.kind", app.path), what);
    }
    if let Some(tcp) = flow.table("tcp") {
        tcp::check(tcp, problems);
        // A sender never splits a segment to fit a window (RFC 9293 §3.8.6.2.1): it would wait for ever.
        if let (Some(window), Some(segment)) = (tcp.bytes("receive_window"), flow.bytes("segment"))
            && window < segment
        {
            let what = format!("expected at least one segment, \"{segment} B\", got \"{window} B\"");
            problems.add(tcp.at("receive_window"), tcp.path_of("receive_window"), what);
        }
    }
}

fn check_udp(flow: &Fields, problems: &mut Problems) {
    if flow.get("scheme").is_some() {
        problems.add(flow.at("scheme"), flow.path_of("scheme"), "a UDP flow has no scheme; leave it out");
    }
    if flow.get("services").is_some() {
        problems.add(
            flow.at("services"),
            flow.path_of("services"),
            "only TCP flows have services; leave it out",
        );
    }
    if flow.get("notices").is_some() {
        problems.add(
            flow.at("notices"),
            flow.path_of("notices"),
            "a UDP flow heeds no notices; leave it out",
        );
    }
    if let Some(tcp) = flow.table("tcp") {
        problems.add(&tcp.at, &tcp.path, "a UDP flow has no TCP parameters; leave them out");
    }
    match app(flow) {
        Some((app, "pareto-on-off")) => check_bursts(flow, app, problems),
        Some((app, kind)) if !DATAGRAM_APPS.contains(&kind) => {
            let what = format!("UDP takes {}; \"{kind}\" needs TCP", one_of(DATAGRAM_APPS));
            problems.add(flow.at("app"), format!("{}.kind", app.path), what);
        }
        Some(_) => {}
        None if flow.lacks("app") => {
            let what = "is missing: a UDP flow needs one, such as { kind = \"cbr\", rate = \"1 Mbit/s\" }";
            problems.add(&flow.at, flow.path_of("app"), what);
        }
        None => {}
    }
}

/// A burst shorter than the time of a datagram is none.
fn check_bursts(flow: &Fields, app: &Fields, problems: &mut Problems) {
    let bytes = flow.bytes("segment").and_then(|bytes| u32::try_from(bytes).ok());
    let (Some(bytes), Some(peak), Some(on)) = (bytes, app.rate("peak"), app.span("on")) else { return };
    let interval = peak.time_for(bytes);
    if on < interval {
        let what = format!(
            "expected at least the time of a datagram at the peak rate, \"{interval}\", got \"{on}\""
        );
        problems.add(app.at("on"), app.path_of("on"), what);
    }
}

/// The application of a flow, and its kind.
fn app(flow: &Fields) -> Option<(&Fields, &'static str)> {
    let app = flow.table("app")?;
    Some((app, app.kind?))
}

/// Refuses a flow without ends.
fn check_missing_ends(flow: &Fields, problems: &mut Problems) {
    if flow.get("between").is_some() || !flow.misses("between") {
        return;
    }
    for (key, what) in [("from", "sending"), ("to", "receiving")] {
        if flow.misses(key) {
            let what = format!(
                "is missing: the {what} node, such as \"s\"; or `between`, such as {{ wlan = \"cell\" }}, for two stations at random"
            );
            problems.add(&flow.at, flow.path_of(key), what);
        }
    }
}

/// Checks that the ends of a flow exist, differ and, if all links could be read, reach each other.
pub(crate) fn check_ends(flow: &Fields, topology: &Topology, links_sound: bool, problems: &mut Problems) {
    check_missing_ends(flow, problems);
    let (from, to) = (flow.text("from"), flow.text("to"));
    let mut known = true;
    for (key, node) in [("from", from), ("to", to)] {
        let Some(node) = node else { continue };
        if node.contains('*') {
            known = false; // and told with the table's name
        } else if links_sound && !topology.nodes.contains(node) {
            known = false;
            let hint = did_you_mean(node, topology.nodes.iter().map(String::as_str));
            let nodes = some_of(topology.nodes.iter().map(String::as_str));
            let what = format!("no link has a node \"{node}\"; expected one of {nodes}{hint}");
            problems.add(flow.at(key), flow.path_of(key), what);
        }
    }
    let (Some(from), Some(to)) = (from, to) else { return };
    if from == to {
        let what = format!("expected another node than the sender, got \"{to}\" for both");
        problems.add(flow.at("to"), flow.path_of("to"), what);
    } else if links_sound && known && topology.way(from, to).is_none() {
        let what = format!(
            "unreachable: no links lead from \"{from}\" to \"{to}\"; expected a way of wired links, radio links and stations in range"
        );
        problems.add(flow.at("to"), flow.path_of("to"), what);
    }
}
