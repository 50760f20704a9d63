//! Scripts of segments, ordered by their sources.

mod agreement;
mod marks;
mod nagle;
mod notices;
mod ns2_agent;
mod pacing;
mod packet;
mod packets;
mod persist;
mod probe;
mod rack;
mod record;
mod reordering;
mod transcripts;
mod undo;
mod westwood_vt;
mod window;
