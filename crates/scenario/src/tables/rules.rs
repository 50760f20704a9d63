//! Rules of a wlan in which ns-2 deviates from the standard.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::words::{of_word, word_of};
use airhop_radio::cell::{AckTimeout, CellRules, Receiving};

/// Sets the defaults of the preset.
pub(crate) fn fill(wlan: &mut Fields) {
    let Some(preset) = wlan.word("preset").and_then(|word| of_word(&CellRules::PRESETS, word)) else {
        return;
    };
    wlan.fill("immediate_access", Val::Flag(preset.immediate_access));
    wlan.fill("ack_timeout", word_of(&AckTimeout::ALL, &preset.ack_timeout));
    wlan.fill("receiver", word_of(&Receiving::ALL, &preset.receiving));
}

/// Returns the rules of a wlan; `None` if a value is missing.
pub(crate) fn plan(wlan: &Fields) -> Option<CellRules> {
    Some(CellRules {
        immediate_access: wlan.flag("immediate_access")?,
        ack_timeout: of_word(&AckTimeout::ALL, wlan.word("ack_timeout")?)?,
        receiving: of_word(&Receiving::ALL, wlan.word("receiver")?)?,
    })
}
