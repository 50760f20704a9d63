//! What the live side needs of a world.

use airhop_base::{Departure, NodeId, Time};

/// A simulated network that datagrams enter and leave. Time is the world's own, since its beginning.
pub trait Outside {
    /// When something happens next; `None` if nothing ever does unless a datagram enters.
    fn next_event(&mut self) -> Option<Time>;

    /// All events up to and including `t` happen.
    ///
    /// # Errors
    /// [`Stopped`]: the world goes no further.
    fn advance(&mut self, t: Time) -> Result<(), Stopped>;

    /// A datagram from the outside enters at `node`. All events up to `t` happen before.
    ///
    /// # Errors
    /// [`Stopped`]: the world goes no further.
    fn admit(&mut self, t: Time, node: NodeId, datagram: &[u8]) -> Result<(), Stopped>;

    /// Appends what has left the network since the last call, in the order of time.
    fn departures(&mut self, into: &mut Vec<Departure>);
}

/// The world goes no further: a scheme failed, or somebody asked it to stop. It knows the reason itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the simulation stopped")]
pub struct Stopped;
