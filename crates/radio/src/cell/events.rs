//! Events that a cell schedules.

/// Event of a cell, to be wrapped into the world's event type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Index of the cell: [`CellPlan::index`](super::CellPlan::index).
    pub cell: u16,
    /// Event within the cell.
    pub what: AirEvent,
}

/// Kinds of event in a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// Earliest deadline among the stations: the end of a backoff, or the timeout of an answer.
    Due,
    /// Start of a response (CTS, Ack or BlockAck), one SIFS after the end of the frame that requires it; the
    /// number is its slot in the medium.
    Start(u16),
    /// End of a transmission, by its slot in the medium.
    End(u16),
}
