//! Interface between real packets and a simulated world.

use airhop_base::{DepartedDatagram, NodeId, Time};

/// Simulated network that datagrams enter and leave. All times count from the start of the simulation.
pub trait SimulatedNetwork {
    /// Returns the time of the next event; `None` if no event is scheduled.
    fn next_event(&mut self) -> Option<Time>;

    /// Handles all events with times up to `t`, including those at `t`.
    ///
    /// # Errors
    /// Returns [`WorldStopped`] if the world cannot continue.
    fn advance(&mut self, t: Time) -> Result<(), WorldStopped>;

    /// Admits a datagram of a real host at `node`, after handling all events up to `t`.
    ///
    /// # Errors
    /// Returns [`WorldStopped`] if the world cannot continue.
    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), WorldStopped>;

    /// Appends the datagrams that have left the network since the previous call, in chronological order.
    fn take_departures(&mut self, into: &mut Vec<DepartedDatagram>);
}

/// Error: the world has stopped, because a scheme failed or a stop was requested. The world records the
/// reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the simulation stopped")]
pub struct WorldStopped;
