//! What ends do, segment for segment and over whole paths.
//!
//! One program for all of them: linking dominates the build of tests.

mod common;
mod connection;
mod deliveries;
mod esack;
mod fuzzed;
mod hostile;
mod laws;
mod lhp;
mod notice_aware_scripts;
mod notices_unheard;
mod ns2_agent_scripts;
mod pacing;
mod packet_scripts;
mod rack_scripts;
mod record_scripts;
mod rounds;
mod rounds_adaptive;
mod rounds_bbr;
mod rounds_bbr3;
mod rounds_delay;
mod rounds_discriminators;
mod rounds_estimators;
mod rounds_notices;
mod slow_start;
mod tcp_cl;
mod timer_notices;
mod undo_scripts;
mod window_scripts;
