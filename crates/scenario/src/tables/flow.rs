//! `[[flow]]`: a sender and a receiver. Keys, checks, plan, and defaults that depend on the transport
//! protocol.

use super::layout::MAX_STATIONS;
use super::link::NAME_KEY;
use super::{app, tcp};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::{Problems, SourcePosition};
use crate::grammar::words::value_of_word;
use airhop_base::{AccessCategory, NodeId, Span, Time};
use airhop_net::plan::{FlowClass, FlowPlan, Transport};
use airhop_net::services;
use airhop_tcp::{Config, NoticeHandling, Scheme};

/// Words of the key `notices`.
const NOTICE_WORDS: [(&str, NoticeHandling); 4] = [
    ("scheme", NoticeHandling::Scheme),
    ("ignored", NoticeHandling::Ignored),
    ("eln", NoticeHandling::Eln),
    ("elsn", NoticeHandling::Elsn),
];

/// Words of the key `access_category`.
fn category_words() -> Vec<(&'static str, AccessCategory)> {
    AccessCategory::ALL.map(|category| (category.name(), category)).to_vec()
}

/// Sets the defaults that depend on the transport protocol and the preset.
pub(crate) fn set_defaults(flow: &mut Fields) {
    match flow.word("transport") {
        Some("tcp") => {
            if flow.is_absent("app") {
                let bulk = Fields::new(flow.path_of("app"), SourcePosition::Default, Some("bulk"), &[]);
                flow.set_default("app", Val::Table(bulk));
            }
            if let Some(Val::Scheme(scheme, _)) = flow.get("scheme") {
                let services = default_services(scheme, flow.word("notices"));
                let is_of_linux = scheme.features.needs_linux_state;
                flow.set_default("services", Val::Words(services));
                if let (true, Some(Val::Table(tcp))) = (is_of_linux, flow.get_mut("tcp")) {
                    tcp.replace_default("preset", Val::Word("linux"));
                }
            }
            let mss = flow.bytes("segment").and_then(|bytes| u32::try_from(bytes).ok());
            if let (Some(Val::Table(tcp)), Some(mss)) = (flow.get_mut("tcp"), mss) {
                tcp::set_defaults(tcp, mss);
            }
        }
        Some(_) => set_udp_defaults(flow),
        None => {}
    }
}

fn set_udp_defaults(flow: &mut Fields) {
    if flow.table("tcp").is_some_and(|tcp| tcp.at == SourcePosition::Default) {
        flow.remove_default("tcp");
    }
    if let Some(datagram) = flow.table("app").and_then(app::datagram_bytes) {
        flow.replace_default("segment", Val::Bytes(datagram));
    }
}

/// Returns the default services of a flow: the services that the scheme needs. A value of the key `notices`
/// replaces the scheme's own kind of notices.
fn default_services(scheme: &Scheme, notices: Option<&'static str>) -> Vec<&'static str> {
    let Some(notices) = notices.filter(|word| ["eln", "elsn"].contains(word)) else {
        return scheme.network_requirements.to_vec();
    };
    let is_other = |name: &&str| services::find(name).is_some_and(|service| !service.notifies_of_losses);
    scheme.network_requirements.iter().copied().filter(is_other).chain([notices]).collect()
}

/// Checks the keys of a flow against each other, for a run of this duration.
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
        problems.add(flow.position_of("start"), flow.path_of("start"), what);
    }
}

fn check_tcp(flow: &Fields, problems: &mut Problems) {
    if flow.is_absent("scheme") {
        let what = "is missing: a TCP flow needs a scheme, such as \"reno\" (`airhop schemes` lists them)";
        problems.add(&flow.at, flow.path_of("scheme"), what);
    }
    app::check(flow, problems);
    if let Some(tcp) = flow.table("tcp") {
        tcp::check(tcp, problems);
        if let (Some(Val::Scheme(scheme, _)), Some(preset)) = (flow.get("scheme"), tcp.word("preset"))
            && scheme.features.needs_linux_state
            && preset != "linux"
        {
            let name = scheme.name;
            let what = format!("expected \"linux\", which \"{name}\" requires, got \"{preset}\"");
            problems.add(tcp.position_of("preset"), tcp.path_of("preset"), &what);
        }
        // With a receive window below one segment the sender would wait forever: it never splits a segment to
        // fit a window (RFC 9293 §3.8.6.2.1).
        if let (Some(window), Some(segment)) = (tcp.bytes("receive_window"), flow.bytes("segment"))
            && window < segment
        {
            let what = format!("expected at least one segment, \"{segment} B\", got \"{window} B\"");
            problems.add(tcp.position_of("receive_window"), tcp.path_of("receive_window"), what);
        }
    }
}

fn check_udp(flow: &Fields, problems: &mut Problems) {
    if flow.get("scheme").is_some() {
        problems.add(
            flow.position_of("scheme"),
            flow.path_of("scheme"),
            "a UDP flow has no scheme; leave it out",
        );
    }
    if flow.get("services").is_some() {
        problems.add(
            flow.position_of("services"),
            flow.path_of("services"),
            "only TCP flows have services; leave it out",
        );
    }
    if flow.get("notices").is_some() {
        problems.add(
            flow.position_of("notices"),
            flow.path_of("notices"),
            "a UDP flow does not react to notices; leave it out",
        );
    }
    if let Some(tcp) = flow.table("tcp") {
        problems.add(&tcp.at, &tcp.path, "a UDP flow has no TCP parameters; leave them out");
    }
    app::check(flow, problems);
    if flow.is_absent("app") {
        let what =
            "is missing: a UDP flow needs an application, such as { kind = \"cbr\", rate = \"1 Mbit/s\" }";
        problems.add(&flow.at, flow.path_of("app"), what);
    }
}

/// Returns the plan of a flow between two nodes.
pub(crate) fn plan(f: &Fields, [from, to]: [NodeId; 2]) -> Option<FlowPlan> {
    let segment = u32::try_from(f.bytes("segment")?).ok()?;
    let transport = match f.word("transport")? {
        "tcp" => {
            let Val::Scheme(scheme, params) = f.get("scheme")? else { return None };
            let config =
                Config { notice_reaction: notices(f)?, ..tcp::connection_config(f.table("tcp")?, segment)? };
            Transport::Tcp { scheme, params: params.clone(), config }
        }
        "udp" => Transport::Udp { bytes: segment },
        _ => return None,
    };
    Some(FlowPlan {
        name: f.text("name")?.to_string(),
        from,
        to,
        transport,
        app: app::plan(f.table("app")?)?,
        start: Time::ZERO + f.span("start")?,
        access_category: access_category(f)?,
        services: f
            .words("services")
            .unwrap_or_default()
            .iter()
            .map(|name| services::find(name))
            .collect::<Option<_>>()?,
        class: match f.text("class") {
            Some(name) => FlowClass::Named(name.into()),
            None => FlowClass::OfKind(f.table("app")?.kind?),
        },
    })
}

/// Reads the sender's reaction to explicit notices; `None` for the reaction that the scheme specifies.
fn notices(f: &Fields) -> Option<NoticeHandling> {
    match f.word("notices") {
        Some(word) => value_of_word(&NOTICE_WORDS, word),
        None => Some(NoticeHandling::Scheme),
    }
}

/// Reads the access category of the flow; best effort by default.
fn access_category(f: &Fields) -> Option<AccessCategory> {
    match f.word("access_category") {
        Some(word) => value_of_word(&category_words(), word),
        None => Some(AccessCategory::Be),
    }
}

/// Keys of `[[flow]]`.
pub(super) static FLOW_KEYS: [Key; 15] = [
    NAME_KEY,
    key("from", ValueKind::Name, Nothing("none; drawn by `between`"), "sending node"),
    key("to", ValueKind::Name, Nothing("none; drawn by `between`"), "receiving node"),
    key(
        "between",
        ValueKind::Section(&BETWEEN_KEYS),
        Nothing("none; `from` and `to` name the ends"),
        "two stations as ends, drawn for each seed and replication, equal for every scheme; no two flows have the same pair of ends",
    ),
    key("transport", ValueKind::Word(|| vec!["tcp", "udp"]), Value(r#""tcp""#), "transport protocol"),
    key(
        "scheme",
        ValueKind::Scheme,
        Nothing("required for TCP; a UDP flow has none"),
        "scheme of the sender: a name of `airhop schemes`, or { name = \"…\", parameter = … }",
    ),
    key(
        "notices",
        ValueKind::Word(|| NOTICE_WORDS.map(|(word, _)| word).to_vec()),
        Nothing("`scheme`: the reaction of the scheme"),
        "reaction of the sender to explicit notifications (notices); window law and loss recovery remain those of the scheme. scheme = \
         reaction of the scheme; ignored = no reaction; eln = one retransmission of the segment that an ELN (explicit loss notification) \
         names, without a window reduction, as in scheme \"eln\"; elsn = reaction of LL-ELSN to ELN and ERSN (explicit retransmission \
         start notification), as in scheme \"ll-elsn\"",
    ),
    key(
        "services",
        ValueKind::Words(services::names),
        Derived(
            "services that the scheme needs; with notices = \"eln\" or \"elsn\", that service replaces the loss notifications of the \
             scheme",
        ),
        "services of the network for the flow, in place of the services that the scheme needs (Yun 2009 §5.3 combines each sender with \
         each notification)",
    ),
    key(
        "segment",
        ValueKind::Bytes { least: 1, most: app::MAX_DATAGRAM_BYTES },
        Value(r#""1000 B""#),
        "TCP payload of a full segment, or UDP payload of a datagram (Yun 2009 §5.1); a call or game determines its packets itself",
    ),
    key(
        "app",
        ValueKind::Choice(&app::APP),
        Derived("bulk for TCP; required for UDP"),
        "application of the sender",
    ),
    key(
        "class",
        ValueKind::Name,
        Nothing(
            "kind of the application and, if a wireless link is on the path, the direction of the data, as in \"bulk down\"; the class \
             of a call or game contains both directions",
        ),
        "class of the flow; results are summarised by class",
    ),
    key(
        "access_category",
        ValueKind::Word(|| AccessCategory::ALL.map(AccessCategory::name).to_vec()),
        Derived("BE"),
        "access category of the flow's packets, in both directions, in cells of 802.11n, ac and ax: BK = background, BE = best effort, VI \
         = video, VO = voice (IEEE 802.11-2020 Table 9-155: AIFSN 7, 3, 2, 2; CWmin 15, 15, 7, 3; CWmax 1023, 1023, 15, 7). A station has \
         a queue and a backoff for each category; if two backoffs end at the same time, the higher category transmits, and the lower one \
         acts as after a collision. Not for flows without such a cell on their path",
    ),
    key("start", ValueKind::Span { least_ns: 0 }, Value(r#""0 s""#), "start time"),
    key(
        "stagger",
        ValueKind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "interval between the start times of successive copies of the flow; requires a `*` in `name`",
    ),
    key("tcp", ValueKind::Section(&tcp::TCP_KEYS), Value("{}"), "TCP parameters of both ends"),
];

/// Keys of `flow.between`.
static BETWEEN_KEYS: [Key; 2] = [
    key("wlan", ValueKind::Name, Required, "wlan of the stations"),
    key(
        "hops",
        ValueKind::Count { least: 1, most: MAX_STATIONS - 1 },
        Nothing("any number"),
        "number of hops of the shortest path between the two stations in this wlan",
    ),
];
