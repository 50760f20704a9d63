//! Rules of a wlan in which ns-2 deviates from the standard.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::words::{value_of_word, word_of};
use airhop_radio::cell::{AckTimeout, CellRules, InterferenceRule};

/// Sets the defaults of the preset.
pub(crate) fn set_defaults(wlan: &mut Fields) {
    let Some(preset) = wlan.word("preset").and_then(|word| value_of_word(&CellRules::PRESETS, word)) else {
        return;
    };
    wlan.set_default("immediate_access", Val::Flag(preset.immediate_access));
    wlan.set_default("ack_timeout", word_of(&AckTimeout::ALL, &preset.ack_timeout));
    wlan.set_default("receiver", word_of(&InterferenceRule::ALL, &preset.interference_rule));
}

/// Returns the rules of a wlan; `None` if a value is missing.
pub(crate) fn plan(wlan: &Fields) -> Option<CellRules> {
    Some(CellRules {
        immediate_access: wlan.flag("immediate_access")?,
        ack_timeout: value_of_word(&AckTimeout::ALL, wlan.word("ack_timeout")?)?,
        interference_rule: value_of_word(&InterferenceRule::ALL, wlan.word("receiver")?)?,
    })
}
