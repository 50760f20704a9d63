//! Hints about links: a loss rate above that of real links of this type, and a frame window too small to fill
//! the link.

use super::{Occurrence, ScenarioView, format_rate};
use crate::tables::LINK_TYPES;
use crate::whole::topology::Link;
use airhop_base::{Rate, Span};
use airhop_net::links::RadioLinkPlan;
use airhop_radio::arq::{ArqPlan, ArqRules, MAX_SELECTIVE_REPEAT_WINDOW, derived_timeout};
use airhop_radio::cell::AccessMethod;
use airhop_radio::link::RadioPlan;

/// Highest rate of a radio link without HARQ: 2 Mbit/s in UMTS R99 (3GPP TS 25.101). HSDPA introduced HARQ
/// (3GPP TS 25.308), and LTE and NR kept HARQ.
const MAX_RATE_WITHOUT_HARQ: Rate = Rate::from_bps(2_000_000);

/// Keys with the recovery of each direction.
const ARQ: [&str; 2] = ["arq", "arq_back"];

/// Finds fast and lossy radio links without link-layer recovery.
pub(super) fn links_without_recovery(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    each_radio(look, |frame, radio| {
        let link = &radio.link;
        let loses = |end: &usize| {
            let is_fast = link.rates[*end].typical_rate() > MAX_RATE_WITHOUT_HARQ;
            is_fast && link.arq[*end] == ArqPlan::None && link.errors[*end].may_lose_frames()
        };
        let Some(end) = (0..2).find(loses) else { return Vec::new() };
        let window = frames_per_round_trip(radio, end, frame, 6).min(MAX_SELECTIVE_REPEAT_WINDOW.into());
        let text = "has no ARQ, so TCP meets every loss; links of more than 2 Mbit/s retransmit frames (HARQ in HSPA, LTE and NR), and most schemes then have similar results"
            .to_string();
        vec![(text, Some(format!("arq={{ kind = \"selective-repeat\", window = {window} }}")))]
    })
}

/// Finds radio links whose frame window is smaller than the bandwidth-delay product of the link.
pub(super) fn short_arq_windows(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    each_radio(look, |frame, radio| {
        // The hints of both directions are often equal; then only one direction is checked.
        let link = &radio.link;
        let differs = link.arq[1] != link.arq[0] || link.rates[1] != link.rates[0];
        let ends = if differs { 0..2 } else { 0..1 };
        ends.filter_map(|end| short_arq_window(radio, end, frame)).collect()
    })
}

fn short_arq_window(radio: &RadioLinkPlan, end: usize, frame: u32) -> Option<(String, Option<String>)> {
    let (rules, selective) = match &radio.link.arq[end] {
        ArqPlan::None | ArqPlan::Rlp(_) => return None,
        ArqPlan::GoBackN { rules, .. } => (rules, false),
        ArqPlan::SelectiveRepeat { rules, .. } => (rules, true),
    };
    let ArqRules { window, ack_bytes, .. } = *rules;
    let held = frames_per_round_trip(radio, end, frame, ack_bytes);
    if u64::from(window) >= held {
        return None;
    }
    let (rate, round) = (radio.link.rates[end].typical_rate(), round_trip(radio, end, frame, ack_bytes));
    let most = f64::from(window) * f64::from(frame) * 8.0 / round.secs_f64();
    let mut text = format!(
        "can carry at most {} of its {}: its ARQ has {window} frame{} in flight, and the bandwidth-delay product at a round \
         trip of {:.3} ms is {held} frames",
        format_rate(most),
        format_rate(rate.bps() as f64),
        if window == 1 { "" } else { "s" },
        round.secs_f64() * 1e3,
    );
    let key = ARQ[end];
    let set = match held <= u64::from(MAX_SELECTIVE_REPEAT_WINDOW) {
        true if selective => Some(format!("{key}.window={held}")),
        true => Some(format!("{key}={{ kind = \"selective-repeat\", window = {held} }}")),
        false => {
            text.push_str(&format!(
                "; selective repeat has at most {MAX_SELECTIVE_REPEAT_WINDOW} frames in flight: set only the delay of the air here, and \
                 the remaining delay in a [[wired]] link"
            ));
            None
        }
    };
    Some((text, set))
}

/// Finds wlans in which every frame is sent only once.
pub(super) fn single_attempt_wlans(look: &ScenarioView<'_>) -> Vec<Occurrence> {
    let once = look
        .plan
        .links
        .wlans
        .iter()
        .zip(look.root.tables("wlan"))
        .filter(|(plan, _)| plan.cell.max_attempts == 1);
    once.map(|(plan, table)| {
        // Usual number of attempts: the defaults of dot11ShortRetryLimit and dot11LongRetryLimit (IEEE
        // 802.11-2016 §10.3.4.4).
        let (usual, limit) = match plan.cell.access_method {
            AccessMethod::RtsCts if plan.cell.ht.is_none() => (4, "dot11LongRetryLimit"),
            AccessMethod::Basic | AccessMethod::RtsCts => (7, "dot11ShortRetryLimit"),
        };
        Occurrence {
            about: format!("wlan.{}", plan.cell.name),
            text: format!(
                "sends each frame once (attempts = 1), so TCP meets every loss; 802.11 sends up to {usual} times ({limit}), and \
                 most schemes then have similar results"
            ),
            set: Some((table.path.clone(), format!("attempts={usual}"))),
        }
    })
    .collect()
}

/// Calls `found` for each radio link with the length of the longest data frame in bytes.
fn each_radio(
    look: &ScenarioView<'_>,
    found: impl Fn(u32, &RadioLinkPlan) -> Vec<(String, Option<String>)>,
) -> Vec<Occurrence> {
    let mut all = Vec::new();
    let tables = Link::all(look.root).filter(|(link, _)| LINK_TYPES[link.type_index].list_key == "radio");
    for (radio, (link, table)) in look.plan.links.radios.iter().zip(tables) {
        let frame = look.largest.for_link(link) + radio.link.overhead_bytes;
        all.extend(found(frame, radio).into_iter().map(|(text, change)| Occurrence {
            about: format!("radio.{}", radio.link.name),
            text,
            set: change.map(|change| (table.path.clone(), change)),
        }));
    }
    all
}

/// Returns the time from the start of a frame sent by this end to the end of the link ACK.
fn round_trip(radio: &RadioLinkPlan, end: usize, frame: u32, ack: u32) -> Span {
    let RadioPlan { rates: pace, delay, .. } = &radio.link;
    derived_timeout([&pace[end], &pace[1 - end]], delay[0] + delay[1], 1, frame, ack, 0)
}

/// Returns the number of frames that this end can send during a round trip of the link layer.
fn frames_per_round_trip(radio: &RadioLinkPlan, end: usize, frame: u32, ack: u32) -> u64 {
    let one = radio.link.rates[end].serialisation_time(frame).nanos().max(1);
    round_trip(radio, end, frame, ack).nanos().div_ceil(one)
}
