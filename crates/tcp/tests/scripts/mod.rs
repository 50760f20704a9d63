//! Scripts of segments, ordered by their sources.

mod esack;
mod marks;
mod nagle;
mod notice_aware;
mod ns2_agent;
mod packet;
mod packets;
mod persist;
mod probe;
mod rack;
mod record;
mod reordering;
mod undo;
mod westwood_vt;
mod window;
