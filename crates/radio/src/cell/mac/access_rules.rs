//! Rules of channel access.
use crate::cell::plan::AckTimeout;
use airhop_base::Span;

/// Rules of a cell's channel access.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub slot: Span,
    /// Interframe space before a backoff: DIFS, or AIFS.
    pub ifs: Span,
    pub eifs: Span,
    pub cw_min: u32,
    pub cw_max: u32,
    pub countdown: Countdown,
    /// Delay of the link layer before it retransmits a data frame.
    pub retry_delay: Span,
    /// True if a packet that arrives while the medium is idle is sent without a backoff.
    pub immediate_access: bool,
    pub ack_timeout: AckTimeout,
}

/// Rule for a backoff that a busy medium interrupts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Countdown {
    /// DCF: the backoff decreases at the end of each idle slot (IEEE 802.11-2016 §10.3.4.3).
    IdleSlots,
    /// EDCA: at each slot boundary after AIFS a queue transmits or decreases its backoff, even if another
    /// station begins to transmit at this boundary (IEEE 802.11-2020 §10.23.2.4).
    Boundaries,
}
