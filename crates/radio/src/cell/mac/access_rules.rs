//! Rules and parameters of channel access.
use crate::cell::plan::{AckTimeout, CellPlan};
use airhop_base::{AccessCategory, Span};

/// Rules of a cell's channel access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct AccessRules {
    pub slot: Span,
    pub countdown: Countdown,
    /// Delay before each retransmission of a data frame, for link layers with a slow ARQ.
    pub retry_delay: Span,
    /// True if an arriving packet is sent without a backoff on an idle medium.
    pub immediate_access: bool,
    pub ack_timeout: AckTimeout,
}

/// Contention parameters of a DCF station, or of an EDCA function.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ContentionParameters {
    /// Access category; best effort with DCF.
    pub category: AccessCategory,
    /// Interframe space before a backoff: DIFS, or AIFS.
    pub ifs: Span,
    pub eifs: Span,
    pub cw_min: u32,
    pub cw_max: u32,
    /// TXOP limit; 0: one frame exchange per channel access.
    pub txop_limit: Span,
}

/// Rule for counting a backoff down when the medium becomes busy.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Countdown {
    /// DCF: the backoff decreases at the end of each idle slot (IEEE 802.11-2016 §10.3.4.3).
    IdleSlots,
    /// EDCA: at each slot boundary after AIFS a queue transmits or decreases its backoff. The boundary counts
    /// even if another station begins to transmit at this time (IEEE 802.11-2020 §10.23.2.4).
    Boundaries,
}

impl AccessRules {
    pub fn new(plan: &CellPlan) -> AccessRules {
        AccessRules {
            slot: plan.phy.slot,
            countdown: if plan.ht.is_some() { Countdown::Boundaries } else { Countdown::IdleSlots },
            retry_delay: plan.retry_delay,
            immediate_access: plan.rules.immediate_access,
            ack_timeout: plan.rules.ack_timeout,
        }
    }
}

impl ContentionParameters {
    /// Returns the parameters of an access category, or of DCF.
    pub fn new(plan: &CellPlan, category: AccessCategory) -> ContentionParameters {
        let (phy, ifs) = (plan.phy, plan.ifs_of(category));
        let eifs = phy.eifs() - phy.difs() + ifs; // IEEE 802.11-2020 §10.3.2.3.7
        let waits_eifs = plan.ht.is_none_or(|ht| ht.has_eifs);
        let [cw_min, cw_max] = contention_windows(category, phy.cw_min, phy.cw_max);
        let txop = plan.ht.map_or(Span::ZERO, |ht| ht.txop_limits[category as usize]);
        ContentionParameters {
            category,
            ifs,
            eifs: if waits_eifs { eifs } else { ifs },
            cw_min,
            cw_max,
            txop_limit: txop,
        }
    }
}

/// Returns CWmin and CWmax of an access category, from aCWmin and aCWmax of the PHY (IEEE 802.11-2020 Table
/// 9-155).
fn contention_windows(category: AccessCategory, least: u32, most: u32) -> [u32; 2] {
    match category {
        AccessCategory::Bk | AccessCategory::Be => [least, most],
        AccessCategory::Vi => [least.div_ceil(2) - 1, least],
        AccessCategory::Vo => [least.div_ceil(4) - 1, least.div_ceil(2) - 1],
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// IEEE 802.11-2020 Table 9-155, with aCWmin 15 and aCWmax 1023 of OFDM.
    #[test]
    fn contention_windows_match_the_edca_parameter_set() {
        let windows = AccessCategory::ALL.map(|category| contention_windows(category, 15, 1023));
        assert_eq!(windows, [[15, 1023], [15, 1023], [7, 15], [3, 7]]);
    }
}
