//! `[[wlan]]`: 802.11 channels with their stations.

use super::layout::MAX_STATIONS;
use super::link::{Context, DROP_TAIL, ERRORS_KEY, LinkType, NAME};
use super::{errors, layout, phy, propagation, queue, routing, rules};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::Without::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, Kind, OFF, key};
use crate::grammar::problem::Problems;
use crate::grammar::words::of_word;
use airhop_base::Span;
use airhop_net::links::WlanPlan;
use airhop_net::plan::{Draws, Plan};
use airhop_net::routing::{Hop, Joins, Stations};
use airhop_radio::cell::{Access, AckTimeout, CellPlan, CellRules, LinkErrors, Receiving, Station};

pub(super) static TYPE: LinkType = LinkType {
    list: "wlan",
    most: u16::MAX as usize,
    nodes: &["stations", "layout"],
    resolve,
    resolve_crossed: |_, _, _, _| {},
    // Places that are drawn are all equal until then: there will be a path, or the run reports that there is none.
    joins: |w, _, node| {
        let stations = layout::stations(w).unwrap_or_default();
        let places = stations.iter().map(|(name, place)| (node(name), *place)).collect();
        Some(Joins::Stations(Stations { places, reach: propagation::reach(w) }))
    },
    crossed_by: Hop::cell,
    time_for: |world, hop, bytes| {
        let cell = &world.links.wlans[usize::from(hop.cell()?)].cell;
        Some((cell.exchange_time(bytes) + cell.mean_backoff(), Span::ZERO))
    },
    plan,
};

const ACCESS: [(&str, Access); 2] = [("basic", Access::Basic), ("rts-cts", Access::RtsCts)];

/// `[[wlan]]`.
pub(super) static WLAN: [Key; 21] = [
    NAME,
    key(
        "standard",
        Kind::Standard,
        Required,
        "timing table: 802.11 (FHSS), 802.11b (long preamble), 802.11g (no b stations)",
    ),
    key(
        "preset",
        Kind::Word(|| CellRules::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""802.11""#),
        "source of the next three keys: IEEE 802.11-2016; ns2 = ns-2.35, with which the papers' figures were made",
    ),
    key(
        "immediate_access",
        Kind::Flag,
        Derived("true; false with preset = \"ns2\""),
        "true: a packet that finds the medium idle goes out without a backoff, after DIFS (IEEE 802.11-2016 §10.3.4.2), also where only the \
         station's own ACK is in between; false: a backoff before every packet",
    ),
    key(
        "ack_timeout",
        Kind::Word(|| AckTimeout::ALL.map(|(name, _)| name).to_vec()),
        Derived("as `preset`"),
        "timeout of a frame without an answer: 802.11 = SIFS, slot and aRxPHYStartDelay after it, or at the end of a reception under way by \
         then, while DIFS elapses (IEEE 802.11-2016 §10.3.2.9); ns2 = SIFS, the whole answer and a slot after it, and DIFS follows",
    ),
    key(
        "receiver",
        Kind::Word(|| Receiving::ALL.map(|(name, _)| name).to_vec()),
        Derived("sinr; lock with preset = \"ns2\""),
        "interference rule: sinr = a frame is received if it is stronger by `capture` than the sum of all other signals, earlier or later; \
         lock = the receiver follows the first signal after silence, decodable or not, and receives it if it is stronger by `capture` than \
         each later one",
    ),
    key(
        "phy",
        Kind::Section(&phy::PHY),
        Value("{}"),
        "timing in place of the standard's; DIFS and EIFS follow from it",
    ),
    key("rate", Kind::Rate, Required, "rate of data frames, one of the standard's"),
    key(
        "control_rate",
        Kind::Rate,
        Derived("the fastest mandatory rate of the standard that is not above `rate`"),
        "rate of RTS, CTS and ACK frames (IEEE 802.11-2016 §10.7.6.5)",
    ),
    key(
        "access",
        Kind::Word(|| ACCESS.map(|(word, _)| word).to_vec()),
        Value(r#""basic""#),
        "channel access: data and ACK, or RTS and CTS before them (IEEE 802.11-2016 §10.3.2)",
    ),
    key(
        "attempts",
        Kind::Count { least: 1, most: 255 },
        Derived("7 with basic access, 4 with RTS/CTS (dot11ShortRetryLimit, dot11LongRetryLimit)"),
        "maximum number of transmissions of a data frame, the first included; with RTS/CTS a packet is also discarded after 7 RTS frames in \
         a row without a CTS (dot11ShortRetryLimit, IEEE 802.11-2016 §10.3.4.4)",
    ),
    key(
        "retry_delay",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "pause before each retransmission, for slow link-layer ARQ (80 to 100 ms in UMTS, Yun 2009 §2.2); packets behind it wait",
    ),
    key(
        "overhead",
        Kind::Bytes { least: 0, most: 1000 },
        Value(r#""36 B""#),
        "overhead of a data frame over its IP packet: MAC header 24, LLC and SNAP 8, FCS 4",
    ),
    key(
        "fragmentation",
        Kind::Threshold { least: 256, most: 11_500 },
        Value(r#""off""#),
        "length of the longest data frame, MAC header and FCS included (dot11FragmentationThreshold, IEEE 802.11-2016 §10.5): a longer one \
         is sent in fragments a SIFS apart, each with an ACK and `attempts` of its own, for 512 TU at most; the service `fragments` cuts \
         its data by itself",
    ),
    key("stations", Kind::Stations, Nothing("`layout` makes them"), "position of each station, metres"),
    layout::LAYOUT_KEY,
    key(
        "range",
        Kind::Section(&propagation::RANGE),
        Nothing("all stations hear each other"),
        "ranges of frames by distance",
    ),
    key(
        "propagation",
        Kind::Section(&propagation::PROPAGATION),
        Nothing("`range` has the ranges"),
        "ranges of frames from their power, instead of `range`",
    ),
    key(
        "routing",
        Kind::Choice(&routing::ROUTING),
        Value(r#"{ kind = "static" }"#),
        "routing between stations",
    ),
    key(
        "queue",
        Kind::Choice(&queue::QUEUE),
        DROP_TAIL,
        "queue of each station; 50 packets as in Yun 2009 §5.1",
    ),
    ERRORS_KEY,
];

fn resolve(wlan: &mut Fields, duration: Option<Span>, problems: &mut Problems) {
    queue::resolve(wlan, problems);
    fill(wlan);
    check_layout(wlan, problems);
    routing::fill(wlan);
    check(wlan, duration, problems);
}

fn fill(wlan: &mut Fields) {
    rules::fill(wlan);
    phy::fill(wlan);
    propagation::fill(wlan);
    match wlan.word("access") {
        Some("basic") => wlan.fill("attempts", Val::Count(7)), // dot11ShortRetryLimit
        Some(_) => wlan.fill("attempts", Val::Count(4)),       // dot11LongRetryLimit
        None => {}
    }
}

/// Checks the layout. A refused layout leaves the stations unknown.
fn check_layout(wlan: &mut Fields, problems: &mut Problems) {
    let before = problems.len();
    layout::check_wlan(wlan, problems);
    if let Some(layout) = wlan.table("layout") {
        layout::check(layout, propagation::reach(wlan), problems);
    }
    wlan.sound &= problems.len() == before;
}

fn check(wlan: &Fields, duration: Option<Span>, problems: &mut Problems) {
    phy::check(wlan, problems);
    let given = wlan.stations("stations");
    if let Some(stations) = given.filter(|s| !(2..=MAX_STATIONS).contains(&(s.len() as u64))) {
        let what = format!("expected 2 to {MAX_STATIONS} stations, got {}", stations.len());
        problems.add(wlan.at("stations"), wlan.path_of("stations"), what);
    }
    propagation::check(wlan, problems);
    let names: Vec<String> =
        layout::stations(wlan).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
    errors::check(wlan, &names, true, duration, problems);
}

/// True for a wlan with routes on demand, in which the path of a flow is not known in advance.
pub(crate) fn is_on_demand(link: &Fields) -> bool {
    link.takes("routing") && routing::is_on_demand(link)
}

fn plan(w: &Fields, context: Context<'_>, world: &mut Plan) -> Option<()> {
    let stations = layout::stations(w)?;
    let overhead = u32::try_from(w.bytes("overhead")?).ok()?;
    let station = |name: &Option<String>| match name {
        None => Some(None),
        Some(name) => Some(Some(Station::try_from(stations.iter().position(|(s, _)| s == name)?).ok()?)),
    };
    let link_errors = |model: &Fields| {
        let direction = model.direction("direction").cloned().unwrap_or_default();
        Some(LinkErrors {
            from: station(&direction.from)?,
            to: station(&direction.to)?,
            model: errors::plan(model, context.largest + overhead)?,
        })
    };
    let cell = CellPlan {
        ht: None,
        index: context.index,
        name: w.text("name")?.to_string(),
        phy: phy::plan(w)?,
        rate: w.rate("rate")?,
        control_rate: w.rate("control_rate")?,
        access: of_word(&ACCESS, w.word("access")?)?,
        attempts: u32::try_from(w.count("attempts")?).ok()?,
        retry_delay: w.span("retry_delay")?,
        overhead,
        fragmentation: w
            .bytes("fragmentation")
            .filter(|most| *most != OFF)
            .and_then(|most| u32::try_from(most).ok()),
        rules: rules::plan(w)?,
        stations: stations.clone(),
        range: propagation::range(w),
        errors: w.tables("errors").iter().map(link_errors).collect::<Option<_>>()?,
    };
    let nodes = stations.iter().map(|(name, _)| (context.node)(name)).collect::<Option<_>>()?;
    let draws = Draws { area: layout::area(w), pairs: (context.pairs)(w.text("name")?) };
    world.links.wlans.push(WlanPlan {
        cell,
        nodes,
        queue: queue::plan(w.table("queue")?)?,
        routing: routing::plan(w)?,
        draws,
    });
    Some(())
}
