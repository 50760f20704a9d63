//! EDCA of a wlan of 802.11n, ac or ax.

use super::aggregation;
use super::mode;
use crate::grammar::fields::Fields;
use crate::grammar::key::Without::Nothing;
use crate::grammar::key::{Key, Kind, key};
use crate::grammar::problem::Problems;
use crate::grammar::words::{of_word, word_of};
use airhop_base::Span;
use airhop_radio::cell::{Categories, HtPlan};
use airhop_radio::phy::Format;

/// Words of `eifs`; true if stations wait for EIFS.
pub(super) const EIFS: [(&str, bool); 2] = [("always", true), ("never", false)];

const fn limit(category: &'static str, about: &'static str) -> Key {
    key(category, Kind::Span { least_ns: 0 }, Nothing("0 s"), about)
}

/// Keys of `wlan.txop`.
pub(super) static TXOP: [Key; 4] = [
    limit("BE", "TXOP limit of best effort; limits above 0 are not modelled yet"),
    limit("BK", "TXOP limit of background; limits above 0 are not modelled yet"),
    limit("VI", "TXOP limit of video; limits above 0 are not modelled yet"),
    limit("VO", "TXOP limit of voice; limits above 0 are not modelled yet"),
];

/// Fills in the defaults of a wlan of 802.11n, ac or ax.
pub(super) fn fill(wlan: &mut Fields) {
    wlan.fill("eifs", word_of(&EIFS, &true));
}

/// Reports TXOP limits, which Airhop does not model.
pub(super) fn check(wlan: &Fields, problems: &mut Problems) {
    let Some(txop) = wlan.table("txop") else { return };
    for Key { name, .. } in &TXOP {
        let Some(limit) = txop.span(name).filter(|limit| *limit > Span::ZERO) else { continue };
        let what = format!(
            "a TXOP limit above 0 is not modelled yet: expected \"0 s\", one frame exchange per channel access, got \"{limit}\""
        );
        problems.add(txop.at(name), txop.path_of(name), what);
    }
}

/// Returns the parameters that 802.11n, ac and ax add to a checked wlan.
pub(super) fn plan(wlan: &Fields, format: Format) -> Option<HtPlan> {
    Some(HtPlan {
        mode: mode::plan(wlan, format)?,
        categories: Categories::default(), // the flows determine the others
        eifs: of_word(&EIFS, wlan.word("eifs")?)?,
        ampdu: aggregation::plan(wlan, format)?,
    })
}
