//! TCP sender without its policies: sequence space, timers, RTT measurement.

mod acks;
mod expected_delay;
mod idle;
mod marks;
mod notices;
mod order;
mod pacing;
mod persist;
mod rates;
mod reduction;
mod reordering;
mod timeout;
mod transmit;
mod undo;

use crate::estimators::{ContentionLimit, DeliveryRateEstimator};
use crate::seams::{
    CongestionControl, ConnectionEnds, LossClassification, NoticePolicy, PathTruth, Recovery, RepairKind,
    RtoPolicy, RunState, SenderPolicies, TransmissionCause, Window,
};
use crate::sender_state::SenderState;
use crate::stack::{self, StackRules};
use crate::{Config, ReceiverFeatures, rto};
use airhop_base::{Body, FlowId, NodeId, Packet, Span, Time};
use expected_delay::DelayAnnouncements;
use marks::EcnState;
use notices::FrozenState;
use order::CallOrder;
use pacing::PacingSchedule;
use persist::PersistTimer;
use std::collections::VecDeque;
use std::ops::AddAssign;
use timeout::RetransmissionTimer;
use undo::WindowReduction;

/// Sender of a TCP connection. The caller passes the time. The sender uses no socket, clock or simulator.
#[derive(Debug)]
pub struct Sender {
    flow: FlowId,
    local: NodeId,
    remote: NodeId,
    config: Config,
    features: ReceiverFeatures,
    connection: HandshakeState,
    /// Sequence number of the FIN; [`NO_FIN`] until the application closes its side.
    fin: u64,
    state: SenderState,
    window: Window,
    control: Box<dyn CongestionControl>,
    /// Checks the order of calls to the congestion control, in debug builds.
    order: CallOrder,
    recovery: Box<dyn Recovery>,
    notices: Box<dyn NoticePolicy>,
    /// True if the notice policy reads packets at the interface.
    listens: bool,
    rto: Box<dyn RtoPolicy>,
    stack: &'static dyn StackRules,
    /// Additional delays that base stations have announced.
    expected: DelayAnnouncements,
    /// Retransmission timer; `None` while stopped.
    timer: Option<RetransmissionTimer>,
    /// Persist timer; `None` while stopped. Never runs together with the retransmission timer.
    persist: Option<PersistTimer>,
    /// Segment timed for RTT without timestamps: first byte after the segment, and transmission time.
    timed: Option<(u64, Time)>,
    /// First byte not yet timed. Segments below this byte are not timed again.
    timed_up_to: u64,
    /// Timestamp of the last received segment. The next segment echoes it.
    recent_timestamp: u32,
    frozen: Option<FrozenState>,
    reduction: Option<WindowReduction>,
    pacing: PacingSchedule,
    marking: EcnState,
    /// Sequence number from which an ECN echo may reduce the window again. Limits reductions to one per
    /// window of data (RFC 3168 §6.1.2).
    echo_point: u64,
    /// Linux' TCP_CA_CWR: first unsent byte at a reduction for an ECN mark. Zero before such a reduction, and
    /// after any other reduction.
    reduced_until: u64,
    /// True if the next new segment carries CWR, after a window reduction for an ECN echo.
    cwr_due: bool,
    /// Delivery-rate estimator, for schemes that use delivery reports.
    delivery: Option<Box<DeliveryRateEstimator>>,
    classifications: VecDeque<LossClassification>,
    counters: Counters,
    /// RTT sample of the last ACK. The caller reads it once.
    round_trip: Option<Span>,
    last_cause: TransmissionCause,
    /// Time of the last data transmission; `None` once the restart rule has been applied to the following
    /// idle period.
    last_sent: Option<Time>,
}

/// Sequence number of the FIN while the side is open.
const NO_FIN: u64 = u64::MAX;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum HandshakeState {
    /// The application has not started.
    Closed,
    /// The SYN is to be sent.
    SynDue,
    /// The SYN was sent, and no SYN-ACK has arrived.
    SynSent,
    /// The ACK of the SYN-ACK is due.
    AckDue,
    /// Data may be sent.
    Established,
}

/// Counters of a sender.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data segments passed to IP, including retransmissions.
    pub sent_segments: u64,
    /// Data segments that begin below the highest byte sent so far.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer that reduced the window.
    pub timeouts: u64,
    /// Entries into fast recovery. For Tahoe, entries into fast retransmit.
    pub fast_recoveries: u64,
    /// Window reductions for any cause.
    pub window_reductions: u64,
    /// Window reductions undone as spurious.
    pub undone_reductions: u64,
    /// Notices received, in the order of [`NoticeKind::ALL`](airhop_base::NoticeKind::ALL).
    pub notices: [u64; 5],
    /// Data segments sent with ECT(0).
    pub ect_segments: u64,
    /// ACKs with ECE, without SYN-ACKs.
    pub ecn_echoes: u64,
}

impl AddAssign for Counters {
    /// Adds the counters of another connection.
    fn add_assign(&mut self, other: Counters) {
        self.sent_segments += other.sent_segments;
        self.retransmissions += other.retransmissions;
        self.timeouts += other.timeouts;
        self.fast_recoveries += other.fast_recoveries;
        self.window_reductions += other.window_reductions;
        self.undone_reductions += other.undone_reductions;
        self.notices.iter_mut().zip(other.notices).for_each(|(count, more)| *count += more);
        self.ect_segments += other.ect_segments;
        self.ecn_echoes += other.ecn_echoes;
    }
}

impl Sender {
    /// Creates a sender at node `local` for the receiver at node `remote`. The scheme provides `features` and
    /// `parts`.
    pub fn new(
        flow: FlowId,
        local: NodeId,
        remote: NodeId,
        config: &Config,
        features: ReceiverFeatures,
        parts: SenderPolicies,
    ) -> Self {
        let mut state = SenderState::new(config);
        let parts = crate::notices::apply_notice_policy(config.notice_reaction, parts);
        let stack = stack::stack_for(config, parts.recovery.ns2_agent());
        state.opens_with_one_byte = !config.handshake && stack.opens_with_one_byte();
        if features.contention_time {
            state.right_edge = 1 + ContentionLimit::new(config.mss, config.receive_window).window_bytes();
        }
        Sender {
            flow,
            local,
            remote,
            config: *config,
            features,
            connection: HandshakeState::Closed,
            fin: NO_FIN,
            state,
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            control: parts.control,
            order: CallOrder::default(),
            recovery: parts.recovery,
            listens: parts.notices.reads_interface(),
            notices: parts.notices,
            rto: rto::build(&config.rto),
            stack,
            expected: DelayAnnouncements::default(),
            timer: None,
            persist: None,
            timed: None,
            timed_up_to: 0,
            recent_timestamp: 0,
            frozen: None,
            reduction: None,
            pacing: PacingSchedule::default(),
            marking: EcnState::new(config, &features),
            echo_point: 0,
            reduced_until: 0,
            cwr_due: false,
            delivery: features.delivery_rate.then(Box::default),
            classifications: VecDeque::new(),
            counters: Counters::default(),
            round_trip: None,
            last_cause: TransmissionCause::New,
            last_sent: None,
        }
    }

    /// Adds `bytes` bytes of application data. The first call opens the connection.
    ///
    /// # Panics
    /// In debug builds, if the application has closed its side.
    pub fn supply_data(&mut self, bytes: u64) {
        debug_assert!(self.fin == NO_FIN, "RFC 9293 §3.10.2: connection closing");
        self.state.supplied_end = self.state.supplied_end.saturating_add(bytes);
        if self.connection == HandshakeState::Closed {
            self.connection =
                if self.config.handshake { HandshakeState::SynDue } else { HandshakeState::Established };
        }
    }

    /// Closes this side of the connection. A FIN follows the data supplied so far (RFC 9293 §3.10.4). The FIN
    /// has one sequence number (§3.4), so recoveries treat the FIN as one byte. CLOSE implies PUSH (§3.6), so
    /// partial segments are sent without waiting. No effect if the side is already closed.
    pub fn close(&mut self) {
        if self.fin == NO_FIN {
            let fin = self.state.supplied_end;
            self.set_nagle(false);
            self.supply_data(1);
            self.fin = fin;
        }
    }

    /// True once the application has closed this side.
    pub fn is_closed(&self) -> bool {
        self.fin != NO_FIN
    }

    /// True once the peer has acknowledged the FIN.
    pub fn is_fin_acknowledged(&self) -> bool {
        self.state.una > self.fin
    }

    /// Turns Nagle's algorithm on or off, like the socket option TCP_NODELAY. Without Nagle's algorithm, the
    /// next [`Sender::poll_transmit`] returns a waiting partial segment.
    pub fn set_nagle(&mut self, is_on: bool) {
        self.state.nagle.is_enabled = is_on;
    }

    /// Sets the receiver's initial advertised window, if it differs from the configured window. Must be
    /// called before the first transmission.
    pub fn set_initial_receive_window(&mut self, bytes: u64) {
        self.state.right_edge = 1 + bytes;
    }

    /// Processes a segment that arrived.
    pub fn on_segment(&mut self, now: Time, p: &Packet) {
        let Body::Tcp(segment) = &p.body else { return };
        if self.listens && self.notices.consumes_packet(now, p) {
            return;
        }
        if let Some(ts) = segment.timestamps {
            self.recent_timestamp = ts.tsval;
        }
        self.counters.ecn_echoes += u64::from(segment.is_ecn_echo());
        if segment.flags.syn && segment.ack > 0 && self.connection == HandshakeState::SynSent {
            self.marking.on_syn_ack(segment.flags);
        }
        if segment.flags.ack && self.connection != HandshakeState::Closed {
            self.on_acknowledgement(now, segment);
        }
    }

    /// Passes the simulator's own knowledge of the path to the congestion control.
    pub fn on_path_truth(&mut self, truth: &PathTruth) {
        self.control.on_path_truth(truth);
    }

    /// Adds this connection to the shared state of `run`. Must be called after [`Sender::set_seed`] and before
    /// all other methods.
    pub fn join_run(&mut self, run: &mut RunState) {
        let ends = ConnectionEnds { flow: self.flow, local: self.local, remote: self.remote };
        self.control.on_join(run, &ends);
        self.notices.on_join(run, &ends);
    }

    /// Seeds the scheme's random numbers. `seed` is derived from flow and replication.
    pub fn set_seed(&mut self, seed: u32) {
        self.control.on_seed(seed);
    }

    /// Returns the expiry of the retransmission timer; `None` while stopped.
    pub fn rto_expiry(&self) -> Option<Time> {
        self.timer.map(|timer| timer.expires)
    }

    /// Returns the time when [`Sender::on_timeout`] is due; `None` if no timer runs.
    pub fn poll_timeout(&self) -> Option<Time> {
        let timer = earlier_time(self.rto_expiry(), self.persist.map(|persist| persist.next_probe));
        earlier_time(earlier_time(timer, self.recovery.deadline()), self.pacing.next_poll)
    }

    /// Returns the RTT of the newest segment that the last ACK reports and that was sent once (Karn's rule).
    /// Each sample is returned once.
    pub fn poll_rtt(&mut self) -> Option<Span> {
        self.round_trip.take()
    }

    /// Returns the next loss classification. Each classification is returned once.
    pub fn poll_classification(&mut self) -> Option<LossClassification> {
        self.classifications.pop_front()
    }

    /// Returns the counters.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Returns the cause of the last transmission of a data segment.
    pub fn last_transmission_cause(&self) -> TransmissionCause {
        self.last_cause
    }

    /// Returns the congestion window and ssthresh.
    pub fn window(&self) -> Window {
        self.window
    }

    /// Returns the state that policies read.
    pub fn state(&self) -> &SenderState {
        &self.state
    }

    /// Returns the estimated flight in bytes.
    pub fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.state)
    }

    /// Returns the kind of loss repair in progress.
    pub fn repair_kind(&self) -> RepairKind {
        self.recovery.repair_kind()
    }

    /// Returns the smoothed RTT; `None` before the first sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rto.srtt()
    }

    /// Returns the timeout of a retransmission timer that starts now. Includes the backoff and the delays
    /// announced by base stations.
    pub fn rto(&self, now: Time) -> Span {
        self.expected
            .total_delay(now)
            .map_or_else(|| self.rto.timeout(), |extra| self.rto.timeout_with_extra_delay(extra))
    }

    /// True while a disconnection freezes the sender.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }
}

/// Returns the earlier of two optional times.
#[inline]
fn earlier_time(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

/// Returns the timestamp clock in milliseconds, modulo 2^32 (RFC 7323 §5.4).
fn timestamp_clock(now: Time) -> u32 {
    (now.nanos() / 1_000_000) as u32
}
