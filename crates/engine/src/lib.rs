//! A discrete-event engine that knows nothing of networks.
//!
//! * [`EventQueue`]: the one queue of a world; ties leave in the order in which they came.
//! * [`Schedule`]: operations of a world on its queue, to be replayed on a bare one.
//! * [`Timers`]: deadlines that move often and fire rarely.
//! * [`Arena`]: values with ids that cannot be copied, so that each is taken out exactly once.
//! * [`Streams`]: randomness by name.
//! * [`Fingerprint`]: a rolling hash of a trajectory.

mod arena;
mod fingerprint;
mod queue;
mod schedule;
mod streams;
mod timers;

pub use arena::{Arena, Id};
pub use fingerprint::{Fingerprint, name_hash};
pub use queue::EventQueue;
pub use schedule::Schedule;
pub use streams::{Indexed, Stream, Streams};
pub use timers::{TimerId, Timers};
