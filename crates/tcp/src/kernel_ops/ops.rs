use super::samples::{AckSample, RateSample};
use super::sock::{CaState, Sock};
use crate::seams::{ConnectionEnds, NoticePolicy, RunState};
use std::error::Error;
use std::fmt::Debug;

/// Error raised by a callback.
pub type CallbackError = Box<dyn Error + Send + Sync>;

/// Set of the callbacks that a congestion control implements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callbacks(u16);

impl Callbacks {
    /// Set without optional callbacks: every congestion control has `ssthresh` and `undo_cwnd`.
    pub const NONE: Callbacks = Callbacks(0);
    /// `cong_avoid`
    pub const CONG_AVOID: Callbacks = Callbacks(1);
    /// `set_state`
    pub const SET_STATE: Callbacks = Callbacks(1 << 1);
    /// `cwnd_event`
    pub const CWND_EVENT: Callbacks = Callbacks(1 << 2);
    /// `in_ack_event`
    pub const IN_ACK_EVENT: Callbacks = Callbacks(1 << 3);
    /// `pkts_acked`
    pub const PKTS_ACKED: Callbacks = Callbacks(1 << 4);
    /// `min_tso_segs`
    pub const MIN_TSO_SEGS: Callbacks = Callbacks(1 << 5);
    /// `cong_control`
    pub const CONG_CONTROL: Callbacks = Callbacks(1 << 6);
    /// `init`
    pub const INIT: Callbacks = Callbacks(1 << 7);

    /// Returns the union of both sets.
    pub const fn union(self, other: Callbacks) -> Callbacks {
        Callbacks(self.0 | other.0)
    }

    /// True if the set contains all callbacks of `other`.
    pub const fn contains(self, other: Callbacks) -> bool {
        self.0 & other.0 == other.0
    }
}

/// `enum tcp_ca_event`, with the kernel's values. ECN events occur only at receivers and are left out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaEvent {
    /// `CA_EVENT_TX_START`: the sender transmits while no data is in flight.
    TxStart = 0,
    /// `CA_EVENT_CWND_RESTART`: the sender transmits after an idle period longer than the RTO. The event
    /// precedes the window reduction. No such event occurs with `cong_control`.
    CwndRestart = 1,
    /// `CA_EVENT_COMPLETE_CWR`: a window reduction has ended.
    CompleteCwr = 2,
    /// `CA_EVENT_LOSS`: the retransmission timer expired outside a reduction.
    Loss = 3,
}

/// Congestion control with the interface of Linux (`struct tcp_congestion_ops`). Each connection has a
/// separate instance.
///
/// Only the callbacks in [`TcpCongestionOps::callbacks`] are called. An error ends the run.
pub trait TcpCongestionOps: Debug + Send {
    /// Returns the set of implemented callbacks. Called once.
    fn callbacks(&self) -> Callbacks;

    /// Returns the policy for notices that arrive at the network interface; `None` if the BPF object has no
    /// program for notices. Called once.
    fn notice_policy(&self) -> Option<Box<dyn NoticePolicy>> {
        None
    }

    /// Adds the connection to `run`. Connections of a run may share state. Called after
    /// [`TcpCongestionOps::on_seed`] and before all other callbacks. [`Sock::identity`] identifies the
    /// connection.
    fn on_join(&mut self, run: &mut RunState, ends: &ConnectionEnds, sk: &mut Sock) {
        let _ = (run, ends, sk);
    }

    /// Sets the seed of the connection's random numbers. The seed depends on the flow and the replication.
    /// Called before all other callbacks except [`TcpCongestionOps::callbacks`] and [`TcpCongestionOps::notice_policy`],
    /// in particular before [`TcpCongestionOps::on_join`].
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// Initialises the congestion control of an established connection. `pkts_acked` and `in_ack_event` are
    /// called before, for the ACK of the SYN.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails, as do all callbacks.
    fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
        let _ = sk;
        Ok(())
    }

    /// Returns ssthresh in packets after a loss or a mark.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError>;

    /// Increases the window for an ACK of all data below `ack`, with `acked` newly delivered packets.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        let _ = (sk, ack, acked);
        Ok(())
    }

    /// Handles the change to the state `new`. During the call, [`Sock::ca_state`] is still the old state.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        let _ = (sk, new);
        Ok(())
    }

    /// Handles an event.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        let _ = (sk, event);
        Ok(())
    }

    /// Handles an ACK with flags of `enum tcp_ca_ack_event_flags`.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        let _ = (sk, flags);
        Ok(())
    }

    /// Handles the removal of acknowledged segments from the retransmission queue.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        let _ = (sk, sample);
        Ok(())
    }

    /// Returns the window in packets after a spurious reduction.
    ///
    /// # Errors
    /// Returns an error if the program fails.
    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError>;

    /// Sets window and pacing rate after an ACK, in place of PRR and `cong_avoid`. `flag` has properties of
    /// the ACK since Linux 6.10 (`FLAG_*` of net/ipv4/tcp_input.c).
    ///
    /// # Errors
    /// Returns an error if the program fails.
    fn cong_control(
        &mut self,
        sk: &mut Sock,
        ack: u32,
        flag: u32,
        rs: &RateSample,
    ) -> Result<(), CallbackError> {
        let _ = (sk, ack, flag, rs);
        Ok(())
    }

    /// Returns the minimum number of segments in a burst.
    ///
    /// # Errors
    ///
    /// Returns an error if the program fails.
    fn min_tso_segs(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        let _ = sk;
        Ok(2)
    }
}
