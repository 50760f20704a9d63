//! Events that a cell schedules.

/// Event of a cell, which the world's event type contains.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Index of the cell: [`CellPlan::index`](super::CellPlan::index).
    pub cell: u16,
    /// Event within the cell.
    pub what: AirEvent,
}

/// Events within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// Earliest deadline of all stations: the end of a backoff, or the timeout of a response.
    Due,
    /// Start of a response (CTS, Ack or BlockAck), one SIFS after the end of the frame that requires it. The
    /// number is its slot in the medium.
    Start(u16),
    /// End of the transmission in this slot of the medium.
    End(u16),
}
