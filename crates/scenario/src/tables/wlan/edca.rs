//! EDCA of a wlan of 802.11n, ac or ax.

use super::aggregation;
use super::mode;
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::Nothing;
use crate::grammar::key::{Key, ValueKind, key};
use crate::grammar::problem::Problems;
use crate::grammar::words::{value_of_word, word_of};
use airhop_base::{AccessCategory, Span};
use airhop_radio::cell::{AccessCategorySet, HtPlan, NavRule};
use airhop_radio::phy::PpduFormat;

/// Words of the key `eifs`, each with a boolean that is true if stations wait EIFS.
pub(super) const EIFS_WORDS: [(&str, bool); 2] = [("always", true), ("never", false)];

pub(super) const NAV_WORDS: [(&str, NavRule); 2] =
    [("response", NavRule::Response), ("limit", NavRule::Limit)];

/// Largest TXOP limit: a number of 16 bits, in units of 32 µs (IEEE 802.11-2020 §9.4.2.28).
const MAX_TXOP: Span = Span::from_micros(32 * 0xFFFF);

const fn txop_limit_key(category: &'static str, about: &'static str) -> Key {
    key(category, ValueKind::Span { least_ns: 0 }, Nothing("0 s"), about)
}

/// Keys of `wlan.txop`.
pub(super) static TXOP_KEYS: [Key; 4] = [
    txop_limit_key("BE", "TXOP limit of best effort"),
    txop_limit_key("BK", "TXOP limit of background"),
    txop_limit_key("VI", "TXOP limit of video; 4.096 ms in Table 9-155"),
    txop_limit_key("VO", "TXOP limit of voice; 2.080 ms in Table 9-155"),
];

/// Sets the defaults of a wlan of 802.11n, ac or ax.
pub(super) fn set_defaults(wlan: &mut Fields) {
    wlan.set_default("eifs", word_of(&EIFS_WORDS, &true));
    wlan.set_default("nav", word_of(&NAV_WORDS, &NavRule::Response));
}

/// Reports TXOP limits outside the range of the standard. Also reports a NAV for the whole TXOP limit in a
/// cell without TXOP limits.
pub(super) fn check(wlan: &Fields, problems: &mut Problems) {
    let has_limit = |txop: &Fields| {
        TXOP_KEYS.iter().any(|key| txop.span(key.name).is_some_and(|limit| limit > Span::ZERO))
    };
    let reserves_limit =
        wlan.word("nav").and_then(|word| value_of_word(&NAV_WORDS, word)) == Some(NavRule::Limit);
    if reserves_limit && !wlan.table("txop").is_some_and(has_limit) {
        let what = "expected \"response\", because no limit of `txop` is above 0";
        problems.add(wlan.position_of("nav"), wlan.path_of("nav"), what.to_string());
    }
    let Some(txop) = wlan.table("txop") else { return };
    for Key { name, .. } in &TXOP_KEYS {
        let Some(limit) = txop.span(name).filter(|limit| *limit > MAX_TXOP) else { continue };
        let what = format!("expected at most \"{MAX_TXOP}\", 65535 units of 32 µs, got \"{limit}\"");
        problems.add(txop.position_of(name), txop.path_of(name), what);
    }
}

/// Returns the parameters that only 802.11n, ac and ax have, for a checked wlan.
pub(super) fn plan(wlan: &Fields, format: PpduFormat) -> Option<HtPlan> {
    let limit = |category: AccessCategory| wlan.table("txop")?.span(category.name());
    Some(HtPlan {
        mode: mode::plan(wlan, format)?,
        categories: AccessCategorySet::default(), // the access categories of the flows are added later
        txop_limits: AccessCategory::ALL.map(|category| limit(category).unwrap_or(Span::ZERO)),
        nav_rule: value_of_word(&NAV_WORDS, wlan.word("nav")?)?,
        has_eifs: value_of_word(&EIFS_WORDS, wlan.word("eifs")?)?,
        ampdu: aggregation::plan(wlan, format)?,
    })
}
