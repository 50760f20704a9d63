//! Events that a cell schedules.

/// Event of a cell in the world's event queue.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellEvent {
    /// Index of the cell: [`CellPlan::index`](super::CellPlan::index).
    pub cell: u16,
    /// Event within the cell.
    pub kind: AirEvent,
}

/// Events within a cell.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AirEvent {
    /// Earliest deadline of any station: end of a backoff, or timeout of a response.
    Due,
    /// Start of a response (CTS, Ack or BlockAck), one SIFS after the end of the frame that requires it. The
    /// number is the response's slot in the medium.
    Start(u16),
    /// End of the transmission in this slot of the medium.
    End(u16),
}
