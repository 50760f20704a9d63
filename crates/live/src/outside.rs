//! The interface between real packets and a simulated world.

use airhop_base::{Departure, NodeId, Time};

/// A simulated network that datagrams enter and leave. Times are simulated, from the start of the simulation.
pub trait Outside {
    /// Returns the time of the next event; `None` if no event will happen unless a datagram enters.
    fn next_event(&mut self) -> Option<Time>;

    /// Handles all events up to and including `t`.
    ///
    /// # Errors
    /// Returns [`Stopped`] if the world cannot continue.
    fn advance(&mut self, t: Time) -> Result<(), Stopped>;

    /// Admits a datagram of a real host at `node`, after all events up to `t`.
    ///
    /// # Errors
    /// Returns [`Stopped`] if the world cannot continue.
    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), Stopped>;

    /// Appends the datagrams that have left the network since the last call, in the order of time.
    fn departures(&mut self, into: &mut Vec<Departure>);
}

/// The world has stopped, because a scheme failed or a stop was requested. The world has the reason.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the simulation stopped")]
pub struct Stopped;
