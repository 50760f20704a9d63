//! Rules of ns-2.35's agents.

use super::StackRules;
use crate::rto::RtoPolicy;
use airhop_base::Time;

/// Agent/TCP and agents derived from it.
#[derive(Debug)]
pub(super) struct Common;

/// Agent/TCP/Vegas. Its own recv_newack_helper() ignores ECN marks. A fast retransmission backs off the timer
/// like a timeout.
#[derive(Debug)]
pub(super) struct Vegas;

/// Agent/TCP/Linux. Every ACK restarts the retransmission timer and, with timestamps, yields an RTT sample.
/// Duplicate ACKs echo the timestamp of the last in-order segment, so the timeout grows until a
/// retransmission arrives. The first packet is only a header.
#[derive(Debug)]
pub(super) struct Linux;

/// True if a reduction is still in effect in an ns-2 agent. The next reduction requires an ACK of data above
/// `reduced_until` (RenoTcpAgent::dupack_action()).
fn is_reduction_active(una: u64, reduced_until: u64) -> bool {
    una <= reduced_until
}

impl StackRules for Common {
    // As in the RFC, an ACK that echoes a mark does not increase the window (TcpAgent::recv_newack_helper()).

    fn is_reduced_by_mark(&self, _: u64, una: u64, reduced_until: u64) -> bool {
        is_reduction_active(una, reduced_until)
    }
}

impl StackRules for Vegas {
    fn backs_off_on_retransmit(&self) -> bool {
        true
    }

    fn may_grow_window(&self, _: bool, _: bool) -> bool {
        true
    }

    fn is_reduced_by_mark(&self, _: u64, una: u64, reduced_until: u64) -> bool {
        is_reduction_active(una, reduced_until)
    }
}

impl StackRules for Linux {
    fn opens_with_one_byte(&self) -> bool {
        true
    }

    /// True, even with timestamps. The ACK of the timed segment ends the backoff.
    fn times_single_segment(&self, _: bool) -> bool {
        true
    }

    fn add_rtt_sample(&self, rto: &mut dyn RtoPolicy, sent: Time, now: Time, is_timed: bool) {
        rto.on_rtt_of_each_ack(sent, now, is_timed);
    }

    fn samples_duplicate_acks(&self) -> bool {
        true
    }

    /// Follows Linux: false while a reduction is in effect.
    fn may_grow_window(&self, _: bool, is_reducing: bool) -> bool {
        !is_reducing
    }

    fn is_reduced_by_mark(&self, _: u64, una: u64, reduced_until: u64) -> bool {
        is_reduction_active(una, reduced_until)
    }
}
