//! Scripts of senders that hear notices, or that repair in the order of sending.

mod esack;
mod lhp;
mod listeners;
mod notice_aware;
mod tcp_cl;
mod timers;
