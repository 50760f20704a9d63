//! Scripts of senders that process notices, or that retransmit in the order of sending.

mod esack;
mod lhp;
mod listeners;
mod notice_aware;
mod tcp_cl;
mod timers;
