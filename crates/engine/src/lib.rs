//! Discrete-event engine, independent of networks.
//!
//! * [`EventQueue`]: pending events of a world; simultaneous events are popped in the order of scheduling.
//! * [`QueueRecording`]: recorded operations on an event queue, for replay on a separate queue.
//! * [`Timers`]: deadlines that move often and rarely expire.
//! * [`Arena`]: slab of values; ids cannot be copied, so each value is removed exactly once.
//! * [`RandomStreams`]: named random streams.
//! * [`Fingerprint`]: hash of all events of a run.

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
pub use schedule::QueueRecording;
pub use streams::{IndexedRandom, RandomStream, RandomStreams};
pub use timers::{Timer, TimerId, Timers};
