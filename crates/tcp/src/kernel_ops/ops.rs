use super::sock::{CaState, Sock};
use crate::seams::{Connected, NoticePolicy, Run};
use std::error::Error;
use std::fmt::Debug;

/// Error of a callback that could not run to its end.
pub type CallbackError = Box<dyn Error + Send + Sync>;

/// Set of the callbacks that a control has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Callbacks(u16);

impl Callbacks {
    /// None but those that every control has: `ssthresh` and `undo_cwnd`.
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

    /// Both.
    pub const fn and(self, other: Callbacks) -> Callbacks {
        Callbacks(self.0 | other.0)
    }

    /// True if all of `other` are among them.
    pub const fn contains(self, other: Callbacks) -> bool {
        self.0 & other.0 == other.0
    }
}

/// `enum tcp_ca_event`, by the kernel's numbers, as far as a sender has them: those of ECN are a receiver's.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u32)]
pub enum CaEvent {
    /// `CA_EVENT_TX_START`: a segment leaves, and nothing was in flight.
    TxStart = 0,
    /// `CA_EVENT_COMPLETE_CWR`: a reduction of the window is over.
    CompleteCwr = 2,
    /// `CA_EVENT_LOSS`: the retransmission timer expired, and no reduction was under way.
    Loss = 3,
}

/// `struct ack_sample`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AckSample {
    /// Packets that are acknowledged cumulatively for the first time.
    pub pkts_acked: u32,
    /// Round trip of the last of them that was sent once, µs; -1 without one.
    pub rtt_us: i32,
    /// Bytes in flight before the ACK; a kernel has those from when the newest packet was sent that it shows to have arrived.
    pub in_flight: u32,
}

/// `struct rate_sample` (draft-cheng-iccrg-delivery-rate-estimation §3.3).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RateSample {
    /// `tp->delivered` when the segment was sent that the sample is taken from.
    pub prior_delivered: u32,
    /// Packets delivered over the interval; -1 if the sample is not valid.
    pub delivered: i32,
    /// The longer of sending and acknowledging, µs; -1 if the sample is not valid.
    pub interval_us: i64,
    /// Round trip of the newest packet delivered that was sent once, µs; -1 without one.
    pub rtt_us: i64,
    /// Packets newly marked lost by this ACK.
    pub losses: i32,
    /// Packets newly delivered by this ACK, SACKed ones included.
    pub acked_sacked: u32,
    /// Packets in flight before this ACK.
    pub prior_in_flight: u32,
    /// The application was the limit when that segment was sent.
    pub is_app_limited: bool,
    /// The receiver may have delayed the ACK: it is of a single segment that is not full.
    pub is_ack_delayed: bool,
}

/// A congestion control as Linux calls it (`struct tcp_congestion_ops`). One is made for each connection.
///
/// A callback that is not among [`TcpCongestionOps::has`] is never called. An error ends the run.
pub trait TcpCongestionOps: Debug + Send {
    /// Returns the callbacks that it has; asked once.
    fn has(&self) -> Callbacks;

    /// Returns the policy for notices on the interface, if the control has such a program; called once.
    fn listener(&self) -> Option<Box<dyn NoticePolicy>> {
        None
    }

    /// Adds the connection to `run`, whose connections may share state, before any other call. [`Sock::identity`]
    /// distinguishes it from the others.
    fn on_join(&mut self, run: &mut Run, ends: &Connected, sk: &mut Sock) {
        let _ = (run, ends, sk);
    }

    /// A random number, of this connection and replication alone, before anything is called.
    fn on_seed(&mut self, seed: u32) {
        let _ = seed;
    }

    /// The connection is established.
    ///
    /// # Errors
    /// The program's fault, as for all callbacks.
    fn init(&mut self, sk: &mut Sock) -> Result<(), CallbackError> {
        let _ = sk;
        Ok(())
    }

    /// Returns the threshold, packets, that a loss or a mark leaves.
    ///
    /// # Errors
    /// The program's fault.
    fn ssthresh(&mut self, sk: &mut Sock) -> Result<u32, CallbackError>;

    /// The ACK acknowledges data up to `ack`, `acked` packets are newly delivered, and the window may grow.
    ///
    /// # Errors
    /// The program's fault.
    fn cong_avoid(&mut self, sk: &mut Sock, ack: u32, acked: u32) -> Result<(), CallbackError> {
        let _ = (sk, ack, acked);
        Ok(())
    }

    /// The state is about to be `new`; [`Sock::ca_state`] is still the old one.
    ///
    /// # Errors
    /// The program's fault.
    fn set_state(&mut self, sk: &mut Sock, new: CaState) -> Result<(), CallbackError> {
        let _ = (sk, new);
        Ok(())
    }

    /// Something happened.
    ///
    /// # Errors
    /// The program's fault.
    fn cwnd_event(&mut self, sk: &mut Sock, event: CaEvent) -> Result<(), CallbackError> {
        let _ = (sk, event);
        Ok(())
    }

    /// An ACK came; `flags` are `enum tcp_ca_ack_event_flags`.
    ///
    /// # Errors
    /// The program's fault.
    fn in_ack_event(&mut self, sk: &mut Sock, flags: u32) -> Result<(), CallbackError> {
        let _ = (sk, flags);
        Ok(())
    }

    /// Runs after the acknowledged segments have left the retransmission queue.
    ///
    /// # Errors
    /// The program's fault.
    fn pkts_acked(&mut self, sk: &mut Sock, sample: &AckSample) -> Result<(), CallbackError> {
        let _ = (sk, sample);
        Ok(())
    }

    /// Returns the window after a spurious reduction, packets.
    ///
    /// # Errors
    /// The program's fault.
    fn undo_cwnd(&mut self, sk: &mut Sock) -> Result<u32, CallbackError>;

    /// Sets window and pacing rate after an ACK, in place of PRR and `cong_avoid`; `flag`: properties of the ACK
    /// (`FLAG_*` of net/ipv4/tcp_input.c), since Linux 6.10.
    ///
    /// # Errors
    /// The program's fault.
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

    /// Segments of a burst at least.
    ///
    /// # Errors
    /// The program's fault.
    fn min_tso_segs(&mut self, sk: &mut Sock) -> Result<u32, CallbackError> {
        let _ = sk;
        Ok(2)
    }
}
