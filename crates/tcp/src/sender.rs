//! The mechanism of a sender: sequence space, timer, RTT measurement. No policy.

use crate::Config;
use crate::config::HalveFrom;
use crate::rto;
use crate::seams::{
    Ack, Advance, Cause, CongestionControl, Detect, Loss, Next, NoticePolicy, Parts, Reaction, Recovery,
    RtoPolicy, Signal, Window,
};
use crate::space::Space;
use airhop_base::{
    Body, Flags, FlowId, HEADER_BYTES, NodeId, Notice, NoticeKind, Packet, Sack, Segment, Span, Time,
    Timestamps,
};

/// Longest time that an ERSN suspends congestion control for a segment (schemes.md 3.6.8).
const LONGEST_HOLD: Span = Span::from_secs(60);

/// The sending end of a TCP connection. Gets time as an argument; touches no socket, clock or simulator.
#[derive(Debug)]
pub struct Sender {
    flow: FlowId,
    local: NodeId,
    remote: NodeId,
    config: Config,
    connection: Connection,
    space: Space,
    window: Window,
    control: Box<dyn CongestionControl>,
    recovery: Box<dyn Recovery>,
    notices: Box<dyn NoticePolicy>,
    rto: Box<dyn RtoPolicy>,
    /// When the retransmission timer expires.
    deadline: Option<Time>,
    /// The segment being timed, without timestamps: first byte after it, and when it was sent.
    timed: Option<(u64, Time)>,
    /// Segments below this were timed already and are not timed again.
    timed_up_to: u64,
    /// The last timestamp received, to be echoed.
    recent_timestamp: u32,
    frozen: Option<Frozen>,
    /// The oldest segment at the last timeout.
    timed_out: Option<u64>,
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

/// What a disconnection froze (Yun 2009 §4.2: "freezes all the TCP-related parameters").
#[derive(Debug)]
struct Frozen {
    window: Window,
    rto: Box<dyn RtoPolicy>,
    probes: u32,
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
    /// Notices received, in the order of [`NoticeKind::ALL`].
    pub notices: [u64; 5],
}

impl Sender {
    /// A sender on `local` for the receiver on `remote`.
    pub fn new(flow: FlowId, local: NodeId, remote: NodeId, config: &Config, parts: Parts) -> Self {
        Sender {
            flow,
            local,
            remote,
            config: *config,
            connection: Connection::Closed,
            space: Space::new(config),
            window: Window { cwnd: config.initial_window, ssthresh: config.initial_ssthresh },
            control: parts.control,
            recovery: parts.recovery,
            notices: parts.notices,
            rto: rto::build(&config.rto),
            deadline: None,
            timed: None,
            timed_up_to: 0,
            recent_timestamp: 0,
            frozen: None,
            timed_out: None,
            counters: Counters::default(),
            last_cause: Cause::New,
        }
    }

    /// The application hands over `bytes` more bytes; the first call opens the connection.
    pub fn supply(&mut self, bytes: u64) {
        self.space.supplied = self.space.supplied.saturating_add(bytes);
        if self.connection == Connection::Closed {
            self.connection =
                if self.config.handshake { Connection::SynDue } else { Connection::Established };
        }
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
        if segment.ack > self.space.max_sent {
            return; // RFC 9293 §3.10.7.4: an ACK of something never sent
        }
        let edge = segment.ack.saturating_add(segment.window);
        let is_update = edge > self.space.right_edge;
        self.space.right_edge = self.space.right_edge.max(edge);
        let opens = self.connection == Connection::SynSent && segment.flags.syn;
        if opens {
            self.connection = Connection::AckDue;
        }
        if segment.ack > self.space.una {
            self.on_advance(now, segment);
            if opens && self.timed_out == Some(0) {
                self.after_a_lost_syn();
            }
        } else if segment.ack == self.space.una
            && segment.len == 0
            && !segment.flags.syn
            && !is_update // RFC 5681 §2: a duplicate ACK leaves the window as it was
            && self.space.is_outstanding()
        {
            self.on_duplicate(now, segment);
        }
    }

    /// The SYN or the SYN-ACK was lost.
    fn after_a_lost_syn(&mut self) {
        self.window.cwnd = 1.0; // RFC 5681 §3.1
        self.rto.on_slow_handshake(); // RFC 6298 §5.7
    }

    fn on_advance(&mut self, now: Time, segment: &Segment) {
        let acked = segment.ack - self.space.una;
        self.space.una = segment.ack;
        self.space.nxt = self.space.nxt.max(segment.ack);
        let rtt = self.measure(now, segment);
        if let Some(frozen) = self.frozen.take() {
            self.window = frozen.window;
            self.rto = frozen.rto;
        }
        self.notices.on_progress(true);
        let ack = Ack { now, acked, sack: segment.sack, rtt };
        let restart = match self.recovery.on_advance(&mut self.space, &mut self.window, &ack) {
            Advance::Open => {
                // Congestion window validation (RFC 7661) is not modelled: sources here are greedy or end.
                if !(segment.flags.syn && acked == 1) {
                    self.control.on_ack(&mut self.window, &ack, &self.space);
                }
                true
            }
            Advance::Over => true,
            Advance::Partial { restart } => restart,
        };
        if !self.space.is_outstanding() {
            self.deadline = None;
        } else if restart || self.deadline.is_none() {
            self.restart_timer(now);
        }
    }

    fn on_duplicate(&mut self, now: Time, segment: &Segment) {
        let ack = Ack { now, acked: 0, sack: segment.sack, rtt: None };
        self.notices.on_progress(false);
        let detect = self.recovery.on_duplicate(&mut self.space, &ack);
        if let (Detect::Lost(seq), None) = (detect, &self.frozen) {
            self.counters.fast_recoveries += 1;
            self.cut(now, Signal::Duplicates);
            self.recovery.enter(&mut self.space, &mut self.window, seq);
            self.timed = None; // Karn: a retransmission follows
            self.restart_timer(now);
        }
    }

    /// A round-trip sample from this ACK of new data, if it gives a valid one; the estimator learns of it.
    fn measure(&mut self, now: Time, segment: &Segment) -> Option<Span> {
        let sent = if let Some(ts) = segment.timestamps.filter(|_| self.config.timestamps) {
            // RFC 7323 §4.1: valid even for retransmitted segments.
            let age = clock(now).wrapping_sub(ts.echo);
            Time::from_nanos(now.nanos().saturating_sub(u64::from(age) * 1_000_000))
        } else {
            let (end, sent) = self.timed?;
            if segment.ack < end {
                return None;
            }
            self.timed = None;
            sent
        };
        if self.frozen.is_none() {
            self.rto.on_rtt(sent, now);
            self.space.srtt = self.rto.srtt();
        }
        Some(now - sent)
    }

    fn cut(&mut self, now: Time, signal: Signal) {
        let half = match self.config.halve_from {
            HalveFrom::Flight => self.half_of_the_flight(signal),
            HalveFrom::Cwnd => self.window.cwnd / 2.0,
        };
        self.counters.window_cuts += 1;
        let least = if self.config.halve_from == HalveFrom::Cwnd { 1.0 } else { 2.0 };
        let loss = Loss { now, signal, half: half.max(2.0), window: half.max(least) };
        self.control.on_loss(&mut self.window, &loss, &self.space);
    }

    /// Half of FlightSize in segments (RFC 5681 §3.1, equation 4).
    fn half_of_the_flight(&self, signal: Signal) -> f64 {
        let s = &self.space;
        match signal {
            // RFC 5681 §3.2 step 2: what limited transmit sent beyond the window does not count.
            Signal::Duplicates => ((s.nxt - s.una) as f64 / s.mss as f64).min(self.window.cwnd) / 2.0,
            // RFC 5681 §3.1: if this segment timed out before, the threshold stays.
            Signal::Timeout if self.timed_out == Some(s.una) => self.window.ssthresh,
            Signal::Timeout => self.recovery.in_flight(s) as f64 / s.mss as f64 / 2.0,
        }
    }

    /// A notice arrived, as a packet or as a call from the link layer of this station.
    pub fn on_notice(&mut self, now: Time, n: Notice) {
        self.counters.notices[NoticeKind::ALL.iter().position(|&k| k == n.kind).unwrap_or(0)] += 1;
        if self.connection != Connection::Established || !self.recovery.is_missing(&self.space, n.seq) {
            return;
        }
        match self.notices.on_notice(now, &n, &self.space) {
            Reaction::Ignore => return,
            Reaction::Retransmit => self.recovery.retransmit(&mut self.space, n.seq),
            Reaction::Hold => {
                let hold = (self.rto.timeout() * 2).min(LONGEST_HOLD);
                self.recovery.hold(n.seq, now + hold);
            }
            Reaction::Freeze { retransmit } => {
                if self.frozen.is_none() {
                    self.frozen = Some(Frozen { window: self.window, rto: self.rto.snapshot(), probes: 0 });
                }
                if retransmit {
                    self.recovery.retransmit(&mut self.space, n.seq);
                } else {
                    self.recovery.mark_lost(&mut self.space, n.seq);
                }
            }
        }
        self.restart_timer(now);
    }

    /// The time that [`Sender::poll_timeout`] named has come.
    pub fn on_timeout(&mut self, now: Time) {
        if self.deadline.is_none_or(|d| now < d) {
            return;
        }
        if self.connection == Connection::SynSent {
            self.connection = Connection::SynDue;
            self.timed_out = Some(0);
            self.rto.on_backoff();
            self.deadline = None;
            return;
        }
        self.timed = None; // Karn: what follows are retransmissions
        if self.frozen.is_none() && self.recovery.is_held(&self.space, now) {
            self.restart_timer(now);
            return;
        }
        if self.probe_while_frozen() {
            self.restart_timer(now);
            return;
        }
        self.notices.on_timeout();
        self.counters.timeouts += 1;
        self.cut(now, Signal::Timeout);
        self.timed_out = Some(self.space.una);
        self.recovery.on_timeout(&mut self.space);
        self.rto.on_backoff();
        self.restart_timer(now);
    }

    /// A frozen sender asks with its oldest segment whether the receiver is back, until its patience ends.
    fn probe_while_frozen(&mut self) -> bool {
        let Some(frozen) = &mut self.frozen else { return false };
        frozen.probes += 1;
        if frozen.probes > self.notices.patience() {
            self.frozen = None;
            return false;
        }
        let una = self.space.una;
        self.recovery.retransmit(&mut self.space, una);
        true
    }

    fn restart_timer(&mut self, now: Time) {
        self.deadline = Some(now + self.rto.timeout());
    }

    /// When [`Sender::on_timeout`] is to be called.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.deadline
    }

    /// The next packet to send, if there is one now.
    pub fn poll_transmit(&mut self, now: Time) -> Option<Packet> {
        match self.connection {
            Connection::Closed | Connection::SynSent => None,
            Connection::SynDue => {
                self.connection = Connection::SynSent;
                self.space.nxt = 1;
                self.space.max_sent = 1;
                self.restart_timer(now);
                // Karn's rule: the answer to a SYN that was sent twice is ambiguous.
                self.timed = (!self.config.timestamps && self.timed_out.is_none()).then_some((1, now));
                Some(self.packet(now, 0, 0, Flags { syn: true, ..Flags::default() }))
            }
            Connection::AckDue => {
                self.connection = Connection::Established;
                Some(self.packet(now, 1, 0, Flags { ack: true, ..Flags::default() }))
            }
            Connection::Established => self.next_data(now),
        }
    }

    fn next_data(&mut self, now: Time) -> Option<Packet> {
        let next = self.recovery.next(&self.space, &self.window)?;
        if self.frozen.is_some() && next.cause != Cause::Notice {
            return None; // Yun 2009 §4.2: nothing but every other ELN is answered
        }
        Some(self.transmit(now, next))
    }

    fn transmit(&mut self, now: Time, next: Next) -> Packet {
        let s = &mut self.space;
        let again = next.start < s.max_sent;
        self.counters.sent_segments += 1;
        self.counters.retransmissions += u64::from(again);
        if next.start == s.nxt {
            s.nxt = next.end;
        }
        s.max_sent = s.max_sent.max(next.end);
        if again {
            // Karn's rule: an ACK of a segment that was sent twice is ambiguous.
            self.timed = self.timed.filter(|&(end, _)| end <= next.start || next.end < end);
        } else if self.timed.is_none() && next.start >= self.timed_up_to && !self.config.timestamps {
            self.timed = Some((next.end, now));
            self.timed_up_to = next.end;
        }
        if self.deadline.is_none() {
            self.restart_timer(now);
        }
        self.recovery.on_sent(&next);
        self.last_cause = next.cause;
        self.packet(now, next.start, (next.end - next.start) as u32, Flags { ack: true, ..Flags::default() })
    }

    fn packet(&self, now: Time, seq: u64, len: u32, flags: Flags) -> Packet {
        let segment = Segment {
            seq,
            len,
            ack: u64::from(flags.ack),
            window: self.config.receive_window,
            flags,
            sack: Sack::EMPTY,
            timestamps: self
                .config
                .timestamps
                .then(|| Timestamps { value: clock(now), echo: self.recent_timestamp }),
        };
        Packet {
            flow: self.flow,
            src: self.local,
            dst: self.remote,
            bytes: HEADER_BYTES + segment.option_bytes() + len,
            ecn: airhop_base::Ecn::NotEct,
            body: Body::Tcp(segment),
        }
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
    pub fn space(&self) -> &Space {
        &self.space
    }

    /// Bytes taken to be in the network.
    pub fn in_flight(&self) -> u64 {
        self.recovery.in_flight(&self.space)
    }

    /// The smoothed round-trip time, once there was a sample.
    pub fn srtt(&self) -> Option<Span> {
        self.rto.srtt()
    }

    /// The retransmission timeout now, with backoff.
    pub fn rto(&self) -> Span {
        self.rto.timeout()
    }

    /// True while a disconnection keeps the parameters frozen.
    pub fn is_frozen(&self) -> bool {
        self.frozen.is_some()
    }
}

/// The timestamp clock: milliseconds, modulo 2^32 (RFC 7323 §5.4).
fn clock(now: Time) -> u32 {
    (now.nanos() / 1_000_000) as u32
}
