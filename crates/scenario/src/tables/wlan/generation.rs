//! Keys that exist only for the DCF of 802.11, 802.11b and 802.11g, and keys that exist only for 802.11n, ac
//! and ax. A key without effect is an error.

use super::mode::format;
use crate::grammar::fields::Fields;
use crate::grammar::problem::{Problems, format_alternatives};
use airhop_radio::phy::PpduFormat;

/// Keys that exist only for the DCF. The second text is the reason why 802.11n, ac and ax lack the key.
const DCF_ONLY_KEYS: [(&str, &str); 7] = [
    ("preset", "its rules are those of IEEE 802.11-2020; ns-2 does not model this standard"),
    ("immediate_access", "EDCA has its own rule (IEEE 802.11-2020 §10.23.2.4)"),
    ("ack_timeout", "its timeout is that of IEEE 802.11-2020 §10.3.2.11"),
    ("receiver", "its receivers use the sum of the interference, as \"sinr\" does"),
    ("phy", "its timing follows from `standard`, `band`, `width` and `guard_interval`"),
    ("retry_delay", "a slow ARQ retransmits single frames, and Block Ack retransmits MPDUs of an aggregate"),
    ("fragmentation", "MPDUs of an A-MPDU are never fragments (IEEE 802.11-2020 §10.12.1)"),
];

/// Keys that exist only for 802.11n, ac and ax.
const HT_ONLY_KEYS: [&str; 9] =
    ["band", "width", "guard_interval", "aggregation", "lost_block_ack", "lifetime", "txop", "nav", "eifs"];

/// Removes the defaults of the DCF's keys from a wlan of 802.11n, ac or ax.
pub(super) fn clear_dcf_defaults(wlan: &mut Fields) {
    for (name, _) in DCF_ONLY_KEYS {
        if !wlan.is_given(name) {
            wlan.remove_default(name);
        }
    }
}

/// Reports keys that do not exist for the standard of a wlan.
pub(super) fn check(wlan: &Fields, problems: &mut Problems) {
    let Some(standard) = wlan.word("standard") else { return };
    let mut refuse = |name: &str, why: &str| {
        if wlan.is_given(name) {
            let what = format!("{standard} has no such key: {why}; leave it out");
            problems.add(wlan.position_of(name), wlan.path_of(name), what);
        }
    };
    match format(wlan) {
        Some(_) => DCF_ONLY_KEYS.iter().for_each(|(name, why)| refuse(name, why)),
        None => {
            let why = format!("it belongs to {}", format_alternatives(PpduFormat::ALL.map(PpduFormat::name)));
            HT_ONLY_KEYS.iter().for_each(|name| refuse(name, &why));
        }
    }
}
