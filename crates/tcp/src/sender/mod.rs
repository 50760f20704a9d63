//! The mechanism of a sender: sequence space, timer, RTT measurement. No policy.

mod expected_delay;
mod notices;
mod pacing;
mod rates;
mod timeout;
mod transmit;
mod undo;

use crate::config::{HalveFrom, RtoKind, Validation};
use crate::control::whole;
use crate::estimators::{ContentionLimit, DeliveryRate};
use crate::rto;
use crate::scoreboard::{Scoreboard, duplicate};
use crate::seams::{
    Ack, Advance, Cause, CongestionControl, Detect, Judged, Loss, LossClassification, NoticePolicy, Parts,
    Recovery, RtoPolicy, Signal, Truth, Window,
};
use crate::sender_state::SenderState;
use crate::{Config, Echo, ReceiverFeatures};
use airhop_base::{Body, Eln, FlowId, NodeId, Notice, NoticeKind, Packet, RareOptions, Segment, Span, Time};
use expected_delay::ExpectedDelay;
use notices::Frozen;
use pacing::Pacing;
use std::collections::VecDeque;
use timeout::Running;
use undo::Reduction;

/// The sending end of a TCP connection. Gets time as an argument; touches no socket, clock or simulator.
#[derive(Debug)]
pub struct Sender {
    flow: FlowId,
    local: NodeId,
    remote: NodeId,
    config: Config,
    features: ReceiverFeatures,
    connection: Connection,
    state: SenderState,
    window: Window,
    control: Box<dyn CongestionControl>,
    recovery: Box<dyn Recovery>,
    notices: Box<dyn NoticePolicy>,
    rto: Box<dyn RtoPolicy>,
    /// What base stations said of delays to come.
    expected: ExpectedDelay,
    /// The retransmission timer, if it runs.
    timer: Option<Running>,
    /// The segment being timed, without timestamps: first byte after it, and when it was sent.
    timed: Option<(u64, Time)>,
    /// Segments below this were timed already and are not timed again.
    timed_up_to: u64,
    /// The last timestamp received, to be echoed.
    recent_timestamp: u32,
    frozen: Option<Frozen>,
    /// The oldest segment at the last timeout.
    timed_out: Option<u64>,
    reduction: Option<Reduction>,
    pacing: Pacing,
    /// RFC 3168 §6.1.2: once per window of data. Echoes are heeded again when this is acknowledged.
    echo_point: u64,
    /// The next new segment says that the window was reduced because of an echo.
    cwr_due: bool,
    /// For schemes that ask for it.
    delivery: Option<Box<DeliveryRate>>,
    classifications: VecDeque<LossClassification>,
    counters: Counters,
    last_cause: Cause,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Connection {
    /// The application has not started.
    Closed,
    /// The SYN is to be sent.
    SynDue,
    /// The SYN is out.
    SynSent,
    /// The ACK of the SYN-ACK is due.
    AckDue,
    /// Data may flow.
    Established,
}

/// What a sender counts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Counters {
    /// Data segments handed to IP, retransmissions included.
    pub sent_segments: u64,
    /// Of these, those that begin below the highest byte sent before.
    pub retransmissions: u64,
    /// Expiries of the retransmission timer that cut the window.
    pub timeouts: u64,
    /// Entries into fast recovery (or fast retransmit, for Tahoe).
    pub fast_recoveries: u64,
    /// Reductions of the window, for whatever reason.
    pub window_cuts: u64,
    /// Of these, those that were undone: nothing had been lost.
    pub undone: u64,
    /// Notices received, in the order of [`NoticeKind::ALL`].
    pub notices: [u64; 5],
}

impl Sender {
    /// A sender on `local` for the receiver on `remote`, of a scheme with these policies that asks for so much.
    pub fn new(
        flow: FlowId,
        local: NodeId,
        remote: NodeId,
        config: &Config,
        features: ReceiverFeatures,
        parts: Parts,
    ) -> Self {
        let mut state = SenderState::new(config);
        let parts = crate::notices::choose(config.notices, parts);
        state.opens_small = !config.handshake && parts.recovery.times_every_ack();
        if features.contention {
            state.right_edge = 1 + ContentionLimit::new(config.mss, config.receive_window).window();
        }
        Sender {
            flow,
            local,
            remote,
            config: *config,
            features,
            connection: Connection::Closed,
            state,
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            control: parts.control,
            recovery: parts.recovery,
            notices: parts.notices,
            rto: rto::build(&config.rto),
            expected: ExpectedDelay::default(),
            timer: None,
            timed: None,
            timed_up_to: 0,
            recent_timestamp: 0,
            frozen: None,
            timed_out: None,
            reduction: None,
            pacing: Pacing::default(),
            echo_point: 0,
            cwr_due: false,
            delivery: features.delivery_rate.then(Box::default),
            classifications: VecDeque::new(),
            counters: Counters::default(),
            last_cause: Cause::New,
        }
    }

    /// The application hands over `bytes` more bytes; the first call opens the connection.
    pub fn supply(&mut self, bytes: u64) {
        self.state.supplied = self.state.supplied.saturating_add(bytes);
        if self.connection == Connection::Closed {
            self.connection =
                if self.config.handshake { Connection::SynDue } else { Connection::Established };
        }
    }

    /// The window that the receiver will advertise at first, if it is not the configured one; before anything is sent.
    pub fn expect_window(&mut self, bytes: u64) {
        self.state.right_edge = 1 + bytes;
    }

    /// A segment arrived.
    pub fn on_segment(&mut self, now: Time, p: &Packet) {
        let Body::Tcp(segment) = &p.body else { return };
        if let Some(ts) = segment.timestamps {
            self.recent_timestamp = ts.value;
        }
        if segment.flags.ack && self.connection != Connection::Closed {
            self.on_acknowledgement(now, segment);
        }
    }

    fn on_acknowledgement(&mut self, now: Time, segment: &Segment) {
        if segment.ack > self.state.max_sent {
            return; // RFC 9293 §3.10.7.4: an ACK of something never sent
        }
        let answers_syn = segment.flags.syn && segment.ack > 0;
        if self.connection == Connection::SynSent && !answers_syn {
            return; // RFC 9293 §3.10.7.3: nothing else opens the connection, or acknowledges its SYN
        }
        let edge = segment.ack.saturating_add(segment.window);
        let is_update = edge > self.state.right_edge;
        self.state.right_edge = self.state.right_edge.max(edge);
        let opens = self.connection == Connection::SynSent;
        if opens {
            self.connection = Connection::AckDue;
        }
        let earlier = self.look();
        self.reconsider(segment); // before it can cause a reduction of its own
        let acked = self.take_in(now, segment);
        let advances = acked > 0;
        if advances {
            self.on_advance(now, segment, acked, opens);
            if opens && self.timed_out == Some(0) {
                self.after_a_lost_syn();
            }
        }
        // NAKs go after the cumulative ACK (needs no repair) and before duplicate detection.
        if self.notices.knows_nak() {
            self.heed_naks(now, segment);
        }
        if !advances && !segment.flags.syn {
            // RFC 5681 §2: it repeats the last ACK, window and all. RFC 6675 §2: or its SACK blocks report what none has, "even if it … changes
            // the advertised window".
            let repeats = segment.ack == self.state.una && !is_update && segment.len == 0;
            let reports = self.state.board.newly_sacked() > 0;
            if (repeats && self.state.is_outstanding()) || reports {
                self.on_duplicate(now, segment);
            } else if repeats || duplicate(segment.ack, &segment.options.sack).is_some() {
                let ack = seen(now, segment, 0, None, &self.state.board);
                self.recovery.note(&mut self.state, &ack); // a D-SACK may come late
            }
        }
        if let Some(earlier) = earlier {
            self.tell_of_delivery(now, segment, earlier);
        }
        if let Some(seq) = segment.lost().filter(|_| self.notices.knows_eln()) {
            let end = self.state.segment_end(seq);
            self.on_notice(now, Notice::about(NoticeKind::Eln, seq, end));
        }
    }

    /// The SYN or the SYN-ACK was lost: a window of one (RFC 5681 §3.1) and a timeout of 3 s (RFC 6298 §5.7). Linux, tcp_init_transfer() and
    /// tcp_init_metrics(): the one only after a second SYN was lost, as its first timeout is one second now and no longer three, and the other
    /// only if timestamps gave no round trip.
    fn after_a_lost_syn(&mut self) {
        let lost = self.state.board.next_order() - 2; // nothing but SYNs went out so far, and the last one arrived
        let is_linux = self.config.rto.kind == RtoKind::Linux;
        if !is_linux || lost > 1 {
            self.window.cwnd = 1.0;
        }
        if !is_linux || self.rto.srtt().is_none() {
            self.rto.on_slow_handshake();
        }
    }

    /// Takes in what an ACK says of arrivals, whatever else it is; once, and before any policy learns of it. Returns the bytes that it
    /// acknowledges for the first time.
    fn take_in(&mut self, now: Time, segment: &Segment) -> u64 {
        let s = &mut self.state;
        let acked = segment.ack.saturating_sub(s.una);
        s.una += acked;
        s.nxt = s.nxt.max(s.una);
        s.board.on_ack(now, s.una, s.nxt, &segment.options.sack);
        acked
    }

    fn on_advance(&mut self, now: Time, segment: &Segment, acked: u64, opens: bool) {
        let rtt = self.measure(now, segment);
        if let Some(frozen) = self.frozen.take() {
            self.window = frozen.window;
            self.rto = frozen.rto;
        }
        self.notices.on_progress(true);
        let ack = seen(now, segment, acked, rtt, &self.state.board);
        self.control.observe(&ack, &self.state);
        let advance = match opens {
            true => Advance::Over, // the ACK of a SYN neither grows the window nor repairs anything
            false => self.recovery.on_advance(&mut self.state, &mut self.window, &ack),
        };
        let restart = match advance {
            Advance::Open => {
                self.grow(&ack);
                true
            }
            Advance::Over => true,
            Advance::Partial { restart } => restart,
            Advance::Lost(seq) => {
                self.act_on(now, Detect::Lost(seq));
                true
            }
            Advance::Repaired(seq) => {
                let judged = self.cut(now, Signal::Duplicates);
                self.reduction = None; // the probe has shown that it was not for nothing
                self.classifications.push_back(LossClassification { seq, judged });
                true
            }
            Advance::Spurious => {
                self.undo();
                true
            }
        };
        self.heed_echo(now, &ack);
        if !self.state.is_outstanding() {
            self.timer = None;
        } else if restart || self.timer.is_none() {
            self.restart_timer(now);
        }
    }

    /// An ACK outside recovery moves the window, up as far as what was used of it permits.
    fn grow(&mut self, ack: &Ack) {
        let before = self.window;
        self.control.on_ack(&mut self.window, ack, &self.state);
        if self.config.validation == Validation::Never || self.window.cwnd <= before.cwnd {
            return;
        }
        // A control that spaces a window over the round trip fills it only as that ends.
        let is_spaced = self.control.pacing_rate(&before, &self.state).is_some();
        let by = if is_spaced { Validation::Half } else { self.config.validation };
        if !self.state.usage.permits_growth(by, &before) {
            self.window.cwnd = before.cwnd;
        }
    }

    fn on_duplicate(&mut self, now: Time, segment: &Segment) {
        if self.recovery.times_every_ack() {
            self.measure(now, segment);
            self.restart_timer(now);
        }
        let ack = seen(now, segment, 0, None, &self.state.board);
        self.control.observe(&ack, &self.state);
        let has_eln = segment.options.eln.is_some() && self.notices.knows_eln();
        if !matches!(segment.options.eln, Some(Eln::Segment(_))) {
            self.notices.on_progress(false); // what came damaged is no progress
        }
        // Balakrishnan and Katz 1998, Balan et al. 2001: an ACK with an ELN never counts as a duplicate.
        if has_eln || self.notices.explains(now, &self.state) {
            self.recovery.note(&mut self.state, &ack);
        } else {
            let detect = self.recovery.on_duplicate(&mut self.state, &ack);
            self.act_on(now, detect);
        }
        self.heed_echo(now, &ack);
    }

    /// Recovery begins if a loss was found.
    fn act_on(&mut self, now: Time, mut detect: Detect) {
        match detect {
            Detect::Probe => self.restart_timer(now),
            Detect::Spurious => self.undo(),
            Detect::Nothing | Detect::Lost(_) => {}
        }
        while let (Detect::Lost(seq), None) = (detect, &self.frozen) {
            self.counters.fast_recoveries += 1;
            let judged = self.cut(now, Signal::Duplicates);
            self.classifications.push_back(LossClassification { seq, judged });
            self.recovery.enter(&mut self.state, &mut self.window, seq);
            self.timed = None; // Karn: a retransmission follows
            if self.recovery.backs_off() {
                self.rto.on_backoff();
            }
            self.restart_timer(now);
            detect = self.recovery.next_loss();
        }
    }

    /// RFC 3168 §6.1.2: an echoed mark is answered like a loss, once per window of data, and nothing is sent again.
    fn heed_echo(&mut self, now: Time, ack: &Ack) {
        let heeds_itself = self.features.echo == Echo::EachMark;
        if !ack.ece || heeds_itself || self.state.una <= self.echo_point || self.frozen.is_some() {
            return;
        }
        self.cwr_due = true;
        if self.window.cwnd > 1.0 {
            self.cut(now, Signal::Echo);
        } else {
            // "the TCP sender … SHOULD reset the retransmit timer", which then allows the next segment.
            self.echo_point = self.state.max_sent;
            self.restart_timer(now);
        }
    }

    /// A round-trip sample from this ACK of new data, if it gives a valid one; the estimator learns of it.
    fn measure(&mut self, now: Time, segment: &Segment) -> Option<Span> {
        let timed = self.timed.take_if(|(end, _)| segment.ack >= *end);
        let recorded = self.state.board.longest_rtt().filter(|_| self.config.rto.kind == RtoKind::Linux);
        let sent = if let Some(rtt) = recorded {
            Time::from_nanos((now - Time::ZERO).nanos() - rtt.nanos())
        } else if let Some(ts) = segment.timestamps.filter(|_| self.config.timestamps) {
            // RFC 7323 §4.1: valid even for retransmitted segments.
            let age = clock(now).wrapping_sub(ts.echo);
            Time::from_nanos(now.nanos().saturating_sub(u64::from(age) * 1_000_000))
        } else {
            timed?.1
        };
        if self.frozen.is_none() {
            if self.recovery.times_every_ack() {
                self.rto.on_rtt_of_each_ack(sent, now, timed.is_some());
            } else {
                self.rto.on_rtt(sent, now);
            }
            self.state.srtt = self.rto.srtt();
        }
        Some(now - sent)
    }

    /// Has the window moved for a sign of congestion. Returns what the scheme takes it for.
    fn cut(&mut self, now: Time, signal: Signal) -> Judged {
        let base = self.to_reduce(signal == Signal::Timeout);
        let half = base.map_or(self.window.ssthresh, |base| match self.config.halve_from {
            HalveFrom::WholeCwnd => whole(base / 2.0),
            HalveFrom::Flight | HalveFrom::Pipe | HalveFrom::Cwnd => base / 2.0,
        });
        let least = if self.config.halve_from == HalveFrom::Cwnd { 1.0 } else { 2.0 };
        let loss = Loss { now, signal, base, half: half.max(2.0), window: half.max(least) };
        let before = self.window;
        if signal != Signal::Echo {
            self.remember(before);
        }
        let judged = self.control.on_loss(&mut self.window, &loss, &self.state);
        let is_cut = judged == Judged::Congestion || self.window.cwnd < before.cwnd;
        self.counters.window_cuts += u64::from(is_cut);
        // RFC 3168 §6.1.2: no second reduction for the same window of data, whatever told of it.
        self.echo_point = self.state.max_sent;
        judged
    }

    /// What a loss reduces, in segments; none if ssthresh is to stay as it is.
    fn to_reduce(&self, is_timeout: bool) -> Option<f64> {
        let s = &self.state;
        let segments = |bytes: u64| bytes as f64 / s.mss as f64;
        match self.config.halve_from {
            // RFC 5681 §3.1: if this segment timed out before, the threshold stays.
            HalveFrom::Flight | HalveFrom::Pipe if is_timeout && self.timed_out == Some(s.una) => None,
            HalveFrom::Flight if is_timeout => Some(segments(s.nxt - s.una)),
            // RFC 5681 §3.2 step 2: what limited transmit sent beyond the window does not count.
            HalveFrom::Flight => Some(segments(s.nxt - s.una).min(self.window.cwnd)),
            HalveFrom::Pipe => Some(segments(self.recovery.in_flight(s))),
            // ns-2, TcpAgent::windowd(): what the receiver accepts is the window if it is smaller.
            HalveFrom::Cwnd => Some(self.window.cwnd.min(segments(s.right_edge - s.una))),
            HalveFrom::WholeCwnd if is_timeout && self.is_cut() => None,
            HalveFrom::WholeCwnd => Some(whole(self.window.cwnd)),
        }
    }

    /// The simulator tells how the path is.
    pub fn on_truth(&mut self, truth: &Truth) {
        self.control.on_truth(truth);
    }

    /// A random number for what the scheme draws: one of the flow and the replication, whatever else there is.
    pub fn seed(&mut self, seed: u32) {
        self.control.on_seed(seed);
    }

    /// When the retransmission timer expires, if it runs.
    pub fn expiry(&self) -> Option<Time> {
        self.timer.map(|timer| timer.expires)
    }

    /// When [`Sender::on_timeout`] is to be called.
    pub fn poll_timeout(&self) -> Option<Time> {
        sooner(sooner(self.expiry(), self.recovery.deadline()), self.pacing.due)
    }

    /// The next loss that was judged since this was last asked.
    pub fn poll_classification(&mut self) -> Option<LossClassification> {
        self.classifications.pop_front()
    }

    /// What was counted so far.
    pub fn counters(&self) -> &Counters {
        &self.counters
    }

    /// Why the last data segment was sent.
    pub fn last_cause(&self) -> Cause {
        self.last_cause
    }

    /// The window now.
    pub fn window(&self) -> Window {
        self.window
    }

    /// The sequence space now.
    pub fn state(&self) -> &SenderState {
        &self.state
    }

    /// Bytes taken to be in the network.
    pub fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.state)
    }

    /// The smoothed round-trip time, once there was a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rto.srtt()
    }

    /// The timeout of a retransmission timer that is started now: with backoff, and with what base stations said of delays.
    pub fn rto(&self, now: Time) -> Span {
        self.expected.sum(now).map_or_else(|| self.rto.timeout(), |extra| self.rto.timeout_expecting(extra))
    }

    /// True while a disconnection keeps the parameters frozen.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }
}

/// The earlier of two instants, of which there may be none.
#[inline]
fn sooner(a: Option<Time>, b: Option<Time>) -> Option<Time> {
    match (a, b) {
        (Some(a), Some(b)) => Some(a.min(b)),
        (one, None) | (None, one) => one,
    }
}

/// An ACK as policies see it, when `board` has taken it in.
fn seen(now: Time, segment: &Segment, acked: u64, rtt: Option<Span>, board: &Scoreboard) -> Ack {
    let ece = segment.flags.ece && !segment.flags.syn; // RFC 3168 §6.1.1: on a SYN-ACK it only says that marks are understood
    let RareOptions { sack, arrival, .. } = *segment.options;
    let sample = board.rtt().filter(|_| !segment.flags.syn);
    Ack { now, acked, delivered: board.delivered(), sack, rtt, sample, ece, arrival }
}

/// The timestamp clock: milliseconds, modulo 2^32 (RFC 7323 §5.4).
fn clock(now: Time) -> u32 {
    (now.nanos() / 1_000_000) as u32
}
