//! `[[wlan]]`: 802.11 channels with their stations.

mod aggregation;
mod edca;
mod generation;
mod keys;
mod mode;

use super::layout::MAX_STATIONS;
use super::link::{HopServiceTime, LinkContext, LinkType};
use super::{errors, layout, phy, propagation, queue, routing, rules};
use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::DISABLED_THRESHOLD;
use crate::grammar::problem::Problems;
use crate::grammar::words::value_of_word;
use airhop_base::Span;
use airhop_net::links::WlanPlan;
use airhop_net::plan::{Plan, RandomDraws};
use airhop_net::routing::{CellStations, Hop, LinkNodes};
use airhop_radio::cell::{AccessMethod, CellPlan, LinkErrors, StationIndex};
use airhop_radio::phy::{MAC_OVERHEAD_BYTES, PpduFormat, QOS_MAC_OVERHEAD_BYTES};

pub(in crate::tables) use keys::WLAN_KEYS;
pub(crate) use mode::format;

pub(in crate::tables) static LINK_TYPE: LinkType = LinkType {
    list_key: "wlan",
    max_links: u16::MAX as usize,
    node_keys: &["stations", "layout"],
    resolve,
    resolve_for_packet_size: |_, _, _, _| {},
    // Positions that each replication draws are not known here and count as equal. Either the draw finds
    // connected positions, or the run reports that there are none.
    resolve_nodes: |w, _, node| {
        let stations = layout::stations(w).unwrap_or_default();
        let places = stations.iter().map(|(name, place)| (node(name), *place)).collect();
        Some(LinkNodes::Stations(CellStations {
            positions: places,
            receive_range_m: propagation::receive_range_metres(w),
        }))
    },
    link_index: Hop::cell,
    hop_time: |world, hop, bytes| {
        let cell = &world.links.wlans[usize::from(hop.cell()?)].cell;
        let alone = cell.exchange_time(bytes) + cell.mean_backoff();
        Some(HopServiceTime { medium_time: cell.saturated_packet_time(bytes), delivery_delay: alone })
    },
    plan,
};

/// Length of LLC and SNAP before each packet, in bytes.
const LLC_BYTES: u32 = 8;

const ACCESS_METHOD_WORDS: [(&str, AccessMethod); 2] =
    [("basic", AccessMethod::Basic), ("rts-cts", AccessMethod::RtsCts)];

fn resolve(wlan: &mut Fields, duration: Option<Span>, problems: &mut Problems) {
    queue::resolve(wlan, problems);
    set_defaults(wlan);
    check_layout(wlan, problems);
    routing::set_defaults(wlan);
    check(wlan, duration, problems);
}

fn set_defaults(wlan: &mut Fields) {
    match format(wlan) {
        Some(format) => {
            generation::clear_dcf_defaults(wlan);
            mode::set_defaults(wlan, format);
            edca::set_defaults(wlan);
            aggregation::set_defaults(wlan, format);
            wlan.set_default("overhead", Val::Bytes((QOS_MAC_OVERHEAD_BYTES + LLC_BYTES).into()));
        }
        None => set_dcf_defaults(wlan),
    }
    propagation::set_defaults(wlan, mode::band(wlan));
    if let Some(format) = format(wlan) {
        let power = wlan.table("propagation").and_then(|propagation| propagation.power("power"));
        errors::set_defaults(
            wlan,
            &errors::CellProperties { mode: mode::plan(wlan, format), power_dbm: power },
        );
    }
}

fn set_dcf_defaults(wlan: &mut Fields) {
    rules::set_defaults(wlan);
    phy::set_defaults(wlan);
    wlan.set_default("overhead", Val::Bytes((MAC_OVERHEAD_BYTES + LLC_BYTES).into()));
    match wlan.word("access") {
        Some("basic") => wlan.set_default("attempts", Val::Count(7)), // dot11ShortRetryLimit
        Some(_) => wlan.set_default("attempts", Val::Count(4)),       // dot11LongRetryLimit
        None => {}
    }
}

/// Checks the layout of a wlan. An invalid layout leaves the stations unknown.
fn check_layout(wlan: &mut Fields, problems: &mut Problems) {
    let before = problems.len();
    layout::check_wlan(wlan, problems);
    if let Some(layout) = wlan.table("layout") {
        layout::check(layout, propagation::receive_range_metres(wlan), problems);
    }
    wlan.is_valid &= problems.len() == before;
}

fn check(wlan: &Fields, duration: Option<Span>, problems: &mut Problems) {
    generation::check(wlan, problems);
    match format(wlan) {
        Some(format) => {
            mode::check(wlan, format, problems);
            edca::check(wlan, problems);
            aggregation::check(wlan, format, problems);
        }
        None => {
            mode::check_absent(wlan, problems);
            phy::check(wlan, problems);
            errors::reject_cell_models(wlan, problems);
        }
    }
    let given = wlan.stations("stations");
    if let Some(stations) = given.filter(|s| !(2..=MAX_STATIONS).contains(&(s.len() as u64))) {
        let what = format!("expected 2 to {MAX_STATIONS} stations, got {}", stations.len());
        problems.add(wlan.position_of("stations"), wlan.path_of("stations"), what);
    }
    propagation::check(wlan, problems);
    let names: Vec<String> =
        layout::stations(wlan).unwrap_or_default().into_iter().map(|(name, _)| name).collect();
    errors::check(wlan, &names, true, duration, problems);
}

/// True if the stations of a wlan discover routes on demand. The path of a flow is then not known in advance.
pub(crate) fn is_on_demand(link: &Fields) -> bool {
    link.may_have_key("routing") && routing::is_on_demand(link)
}

fn plan(w: &Fields, context: LinkContext<'_>, world: &mut Plan) -> Option<()> {
    let stations = layout::stations(w)?;
    let overhead = u32::try_from(w.bytes("overhead")?).ok()?;
    let station = |name: &Option<String>| match name {
        None => Some(None),
        Some(name) => Some(Some(StationIndex::try_from(stations.iter().position(|(s, _)| s == name)?).ok()?)),
    };
    let channel = errors::LinkProperties {
        max_frame_bytes: context.max_packet_bytes + overhead,
        modes: format(w).and_then(|format| Some((mode::plan(w, format)?, w.rate("control_rate")?))),
    };
    let link_errors = |model: &Fields| {
        let direction = model.direction("direction").cloned().unwrap_or_default();
        Some(LinkErrors {
            from: station(&direction.from)?,
            to: station(&direction.to)?,
            model: match format(w) {
                Some(_) => errors::plan(model, &channel)?.limited_to_data(),
                None => errors::plan(model, &channel)?,
            },
        })
    };
    let link_layer = match format(w) {
        Some(format) => ht_cell_plan(w, format)?,
        None => dcf_cell_plan(w)?,
    };
    let cell = CellPlan {
        index: context.index,
        access_method: value_of_word(&ACCESS_METHOD_WORDS, w.word("access")?)?,
        overhead_bytes: overhead,
        stations: stations.clone(),
        range: propagation::radio_range(w),
        errors: w.tables("errors").iter().map(link_errors).collect::<Option<_>>()?,
        ..link_layer
    };
    let nodes = stations.iter().map(|(name, _)| (context.node_id)(name)).collect::<Option<_>>()?;
    let draws =
        RandomDraws { area: layout::wlan_area(w), drawn_flows: (context.drawn_flows)(w.text("name")?) };
    world.links.wlans.push(WlanPlan {
        cell,
        nodes,
        queue: queue::plan(w.table("queue")?)?,
        routing: routing::plan(w)?,
        draws,
    });
    Some(())
}

/// Returns the cell plan of an 802.11, 802.11b or 802.11g wlan.
fn dcf_cell_plan(w: &Fields) -> Option<CellPlan> {
    Some(CellPlan {
        control_rate: w.rate("control_rate")?,
        max_attempts: attempts(w)?,
        retry_delay: w.span("retry_delay")?,
        fragmentation_threshold: w
            .bytes("fragmentation")
            .filter(|most| *most != DISABLED_THRESHOLD)
            .and_then(|most| u32::try_from(most).ok()),
        rules: rules::plan(w)?,
        ..CellPlan::new(w.text("name")?, phy::plan(w)?, w.rate("rate")?)
    })
}

/// Returns the cell plan of an 802.11n, ac or ax wlan.
fn ht_cell_plan(w: &Fields, format: PpduFormat) -> Option<CellPlan> {
    let cell = CellPlan::new(w.text("name")?, format.phy(mode::band(w)?)?, w.rate("control_rate")?);
    let attempts = attempts(w).unwrap_or(cell.max_attempts); // Block Ack may have a lifetime instead
    Some(CellPlan { max_attempts: attempts, ht: Some(edca::plan(w, format)?), ..cell })
}

fn attempts(w: &Fields) -> Option<u32> {
    w.count("attempts").and_then(|attempts| u32::try_from(attempts).ok())
}
