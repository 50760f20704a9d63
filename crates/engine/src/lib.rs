//! Discrete-event engine, independent of networks.
//!
//! * [`EventQueue`]: event queue of a world; simultaneous events are popped in the order of scheduling.
//! * [`Schedule`]: recorded operations of a world on its queue, for a replay on a separate queue.
//! * [`Timers`]: deadlines that move often and rarely expire.
//! * [`Arena`]: values with ids that cannot be copied, which ensures that each value is removed exactly once.
//! * [`Streams`]: named random streams.
//! * [`Fingerprint`]: a rolling hash of a trajectory.

mod arena;
mod fingerprint;
mod queue;
mod ring;
mod schedule;
mod streams;
mod timers;

pub use arena::{Arena, Id};
pub use fingerprint::{Fingerprint, name_hash};
pub use queue::EventQueue;
pub use ring::Ring;
pub use schedule::Schedule;
pub use streams::{Indexed, Stream, Streams};
pub use timers::{Timer, TimerId, Timers};
