//! TCP receiver: reassembles data, and determines content and time of ACKs.
//!
//! The receiver performs no I/O: segments are inputs, ACKs are outputs, and time is an argument. The
//! application reads data at once, so the advertised window never shrinks. If the application reads later,
//! the caller sets the right edge of the window.

mod echo;
mod echo_clock;
mod handshake;
mod stream;

use crate::ReceiverFeatures;
use crate::config::{Config, DelayedAck};
use crate::estimators::ContentionLimit;
use crate::quick_acks::QuickAcks;
use crate::schemes::EctPackets;
use airhop_base::{
    Body, Ecn, Eln, Flags, FlowId, MAX_OPTION_BYTES, NodeId, Notice, Options, Packet, RareOptions, SackBlock,
    Segment, SegmentArrival, Span, TCP_IP_HEADER_BYTES, Time, Timestamps,
};
use echo::MarkEcho;
use echo_clock::TimestampEcho;
use handshake::SynAckTiming;
use std::collections::VecDeque;
use stream::ReceivedRanges;

/// Sequence number of the first data byte; an endpoint's SYN has number 0.
const FIRST_BYTE: u64 = 1;

/// Value of [`Receiver::fin`] until a FIN arrives.
const NO_FIN: u64 = u64::MAX;

/// TCP receiver.
#[derive(Debug)]
pub struct Receiver {
    flow: FlowId,
    me: NodeId,
    peer: NodeId,
    window: u64,
    /// Right edge of the window. With `None`, the window ends `window` bytes above the in-order data.
    edge: Option<u64>,
    /// Limit of the advertised window in TCP Contention Control. The limit depends on the contention time of
    /// data.
    contention: Option<ContentionLimit>,
    features: ReceiverFeatures,
    sack_blocks: usize,
    dsack: bool,
    delayed_ack: Option<DelayedAck>,
    quick_acks: QuickAcks,
    /// True if a segment with PSH is acknowledged at once, because the application has then read all data
    /// (Linux 6.6, tcp_measure_rcv_mss() and tcp_cleanup_rbuf()).
    heeds_push: bool,
    mss: u32,
    stream: ReceivedRanges,
    /// Sequence number of the peer's FIN; [`NO_FIN`] before its arrival.
    fin: u64,
    clock: Option<TimestampEcho>,
    /// True if the receiver is ready to use ECN.
    is_ecn_capable: bool,
    /// Echo of ECN marks; `None` if the connection does not use ECN.
    echo: Option<Box<dyn MarkEcho>>,
    /// Types of packets that the receiver sends ECN-capable.
    extent: EctPackets,
    /// Last segment that arrived; `None` if ACKs do not contain its number.
    arrival: Option<SegmentArrival>,
    /// Last damaged segment; `None` if its ELN is not repeated.
    damaged: Option<u64>,
    /// Number of new bytes not yet acknowledged. `ack_due` is the deadline of their ACK.
    unacked: u64,
    ack_due: Option<Time>,
    /// True if the host has further segments, which TCP processes at the same instant.
    more: bool,
    /// True if a segment with PSH requires an ACK.
    is_pushed: bool,
    /// ACKs ready to be sent, in the order of the segments that caused them.
    ready: VecDeque<Packet>,
    /// Options of ACKs that arrived at the sender, at most [`MAX_SPARE_OPTIONS`]. Later ACKs reuse this memory.
    spare: Vec<Options>,
    duplicates: u64,
    handshake: SynAckTiming,
}

/// Maximum number of options kept for reuse by later ACKs.
const MAX_SPARE_OPTIONS: usize = 256;

impl Receiver {
    /// Creates the receiver of `flow` at node `me` for the sender at node `peer`. `features` are the features
    /// that the sender's scheme requests.
    pub fn new(flow: FlowId, me: NodeId, peer: NodeId, config: &Config, features: ReceiverFeatures) -> Self {
        let expected = if config.handshake { 0 } else { FIRST_BYTE };
        let is_ecn_capable = features.uses_ecn(config);
        let contention =
            features.contention_time.then(|| ContentionLimit::new(config.mss, config.receive_window));
        Receiver {
            flow,
            me,
            peer,
            window: config.receive_window,
            edge: contention.as_ref().map(|limit| FIRST_BYTE + limit.window_bytes()),
            contention,
            features,
            sack_blocks: if features.uses_sack(config) { usize::from(config.sack_blocks) } else { 0 },
            dsack: config.dsack,
            delayed_ack: config.delayed_ack.filter(|_| !features.prompt_acks),
            quick_acks: QuickAcks::new(config),
            heeds_push: config.push,
            mss: config.mss,
            stream: ReceivedRanges::new(expected),
            fin: NO_FIN,
            clock: config.timestamps.then(|| TimestampEcho::new(expected)),
            is_ecn_capable,
            // Without a handshake both endpoints use their configuration.
            extent: features.ect_packets(config),
            echo: (is_ecn_capable && !config.handshake).then(|| echo::build(features.echo_mode)),
            arrival: None,
            damaged: None,
            unacked: 0,
            ack_due: None,
            more: false,
            is_pushed: false,
            ready: VecDeque::new(),
            spare: Vec::new(),
            duplicates: 0,
            handshake: SynAckTiming::Unknown,
        }
    }

    /// Returns the number of payload bytes delivered to the application so far, in order and without
    /// duplicates.
    pub fn delivered_bytes(&self) -> u64 {
        self.stream.rcv_nxt.min(self.fin).saturating_sub(FIRST_BYTE)
    }

    /// True once the peer's FIN and all data before it have arrived.
    pub fn has_ended(&self) -> bool {
        self.stream.rcv_nxt > self.fin
    }

    /// Returns the number of data segments whose bytes had all arrived before.
    pub fn duplicate_segments(&self) -> u64 {
        self.duplicates
    }

    /// Returns the right edge of the window, i.e. the first byte not accepted (RCV.NXT + RCV.WND); `None`
    /// without a fixed edge.
    pub fn window_right_edge(&self) -> Option<u64> {
        self.edge
    }

    /// Returns the next sequence number expected (RCV.NXT); zero before the SYN.
    pub fn rcv_nxt(&self) -> u64 {
        self.stream.rcv_nxt
    }

    /// Processes an arriving packet. Pure ACKs are not acknowledged.
    pub fn on_segment(&mut self, now: Time, p: &Packet) {
        let Some(s) = p.segment() else { return };
        if s.flags.syn {
            return self.on_syn(now, s);
        }
        if self.stream.rcv_nxt < FIRST_BYTE {
            return; // no SYN has arrived
        }
        if let SynAckTiming::Answered { at, again } = self.handshake {
            self.on_syn_acknowledged(now, s, at, again);
        }
        match (self.is_acceptable(s), p.has_payload_errors) {
            (false, _) => self.acknowledge(now, None),
            (true, _) if !s.has_data_or_fin() => {}
            (true, true) => self.on_damaged_segment(now, s),
            (true, false) => self.on_data(now, s, p.ecn),
        }
    }

    /// True if the segment is acceptable. An unacceptable segment is acknowledged and dropped (RFC 9293
    /// §3.10.7.4). Examples are a zero-window probe (an octet above the window) and an empty segment at an
    /// acknowledged sequence number. Duplicate data is acceptable, so that the ACK reports the duplicate.
    fn is_acceptable(&self, s: &Segment) -> bool {
        if s.len == 0 { s.seq >= self.stream.rcv_nxt } else { self.edge.is_none_or(|edge| s.end() <= edge) }
    }

    /// Reports a segment with damaged data and intact headers. An ACK of the data before the segment is sent
    /// at once (HACK's special ACK). No effect if the segment has already arrived intact.
    #[cold]
    fn on_damaged_segment(&mut self, now: Time, s: &Segment) {
        if self.stream.has_byte(s.seq) {
            return;
        }
        self.damaged = self.features.eln_repeated.then_some(s.seq);
        let ack = self.build_ack(now, Some(Eln::Segment(s.seq)), None, None); // no data arrived
        self.unacked = 0;
        self.ack_due = None;
        self.is_pushed = false;
        self.queue_ack(ack);
    }

    /// Returns the ACK fields of a data segment in the other direction: acknowledgement, window, echoed
    /// timestamp and ECE (RFC 9293 §3.8.6.3, RFC 7323 §4.3, RFC 3168 §6.1.3). A pending ACK then counts as
    /// sent.
    pub fn piggyback_ack(&mut self, now: Time) -> Segment {
        let mut header = self.segment(now, None, None);
        if let Some(echo) = &mut self.echo {
            header.flags = echo.set_echo_flags(header.flags);
        }
        self.note_ack(&header);
        header
    }

    /// Records that this host sends data in the other direction. Data within 40 ms of an arrival counts as an
    /// answer. ACKs are then delayed until the next answer (Linux, pingpong mode). No effect without
    /// [`Config::quick_acks`] and [`Config::push`].
    pub fn on_data_sent(&mut self, now: Time) {
        self.quick_acks.on_data_sent(now);
    }

    /// Records that the next segment is the peer's FIN. The ACK of the FIN waits for this host's answer, as
    /// after [`Self::on_data_sent`].
    pub fn expect_fin(&mut self) {
        self.quick_acks.on_fin();
    }

    /// Sets whether TCP processes more segments at the same instant after the next segment. If so, the ACK of
    /// in-order data waits for the last segment, because the window does not advance before the process reads
    /// the data (Linux 6.6, __tcp_ack_snd_check(), tcp_cleanup_rbuf()).
    pub fn set_more_segments(&mut self, more: bool) {
        self.more = more;
    }

    /// Sets the right edge of the window that the next ACKs advertise. The edge must never decrease.
    pub fn set_window_right_edge(&mut self, edge: u64) {
        self.edge = Some(edge);
    }

    /// Queues an ACK that advertises the window.
    pub fn queue_window_update(&mut self, now: Time) {
        self.acknowledge(now, None);
    }

    /// No effect: a receiver ignores notices.
    pub fn on_notice(&mut self, _now: Time, _n: Notice) {}

    /// Queues the delayed ACK if it is due. Must be called at the time that [`Self::poll_timeout`] returns.
    pub fn on_timeout(&mut self, now: Time) {
        if self.ack_due.is_some_and(|due| due <= now) {
            self.quick_acks.on_timeout();
            self.acknowledge(now, None);
        }
    }

    /// Returns the next packet to send; `None` if there is none.
    pub fn poll_transmit(&mut self, _now: Time) -> Option<Packet> {
        self.ready.pop_front()
    }

    #[inline(always)] // the packet is built in the caller's memory, without a copy
    fn queue_ack(&mut self, ack: Segment) {
        let least = if ack.flags.syn { EctPackets::Handshake } else { EctPackets::All };
        let may_be_marked = self.echo.is_some() && self.extent >= least;
        let ecn = if may_be_marked { Ecn::Ect0 } else { Ecn::NotEct };
        let bytes = TCP_IP_HEADER_BYTES + ack.option_bytes();
        let mut packet = Packet::new(self.flow, self.me, self.peer, bytes, Body::Tcp(ack));
        packet.ecn = ecn;
        self.ready.push_back(packet);
    }

    /// Returns the time of the next [`Self::on_timeout`]; `None` if no ACK is delayed.
    pub fn poll_timeout(&self) -> Option<Time> {
        self.ack_due
    }

    fn on_data(&mut self, now: Time, s: &Segment, ecn: Ecn) {
        if self.unacked > 0 && self.echo.as_ref().is_some_and(|echo| echo.is_codepoint_change(ecn)) {
            self.acknowledge(now, None);
        }
        self.note_timestamp(s);
        self.arrival = self.features.arrival_report.then_some(SegmentArrival { seq: s.seq, at: now });
        let ecn_news = self.echo.as_mut().is_some_and(|echo| echo.on_data(ecn, s.flags.cwr));
        let had_gap = self.stream.has_gap();
        let Some(block) = self.sequence_range(s) else { return self.acknowledge(now, None) };
        let change = self.stream.insert(block);
        self.duplicates += u64::from(change.duplicate == Some(block));
        self.damaged = self.damaged.filter(|&seq| !self.stream.has_byte(seq));
        self.limit_by_contention(now, s, change.advanced_bytes);
        self.unacked += change.advanced_bytes;
        // RFC 5681 §4.2: out-of-order data, and data that fills all or part of a gap, is acknowledged at
        // once. RFC 9293 §3.10.7.4: a duplicate is acknowledged at once.
        let in_order = !had_gap && change.duplicate.is_none() && change.advanced_bytes > 0;
        let is_quick = self.quick_acks.on_data(now, change.advanced_bytes > 0, change.duplicate.is_some());
        self.is_pushed |= self.heeds_push && s.flags.psh && self.quick_acks.on_push();
        // RFC 9293 §3.10.7.4, eighth: the FIN is acknowledged at once.
        let is_delayed = in_order && !ecn_news && !is_quick && !s.flags.fin;
        match self.delayed_ack {
            Some(delay) if is_delayed && (self.more || !self.requires_ack(delay.segments)) => {
                self.ack_due.get_or_insert(now + delay.timeout);
            }
            _ => self.acknowledge(now, change.duplicate.filter(|_| self.dsack)),
        }
    }

    /// Returns the sequence numbers of the segment's data and FIN. Numbers above an earlier FIN are left out
    /// (RFC 9293 §3.10.7.4, seventh: "ignore the segment text"). A FIN below already delivered data is
    /// ignored.
    #[inline]
    fn sequence_range(&mut self, s: &Segment) -> Option<SackBlock> {
        let text = s.seq + u64::from(s.len);
        if !s.flags.fin && self.fin == NO_FIN {
            return Some(SackBlock { start: s.seq, end: text });
        }
        if s.flags.fin && self.fin == NO_FIN && text >= self.stream.rcv_nxt {
            self.fin = text;
        }
        let is_last = s.flags.fin && text == self.fin;
        let end = (text + u64::from(is_last)).min(self.fin.saturating_add(1));
        (s.seq < end).then_some(SackBlock { start: s.seq, end })
    }

    /// Limits the window by contention. The edge never decreases (RFC 9293 §3.8.6.2.1), so a smaller limit
    /// takes effect as data arrives. The edge advances with in-order data only, so a duplicate ACK leaves the
    /// window unchanged (RFC 5681 §2).
    #[inline]
    fn limit_by_contention(&mut self, now: Time, s: &Segment, advance: u64) {
        if self.contention.is_some() {
            self.update_contention(now, s, advance);
        }
    }

    #[cold]
    fn update_contention(&mut self, now: Time, s: &Segment, advance: u64) {
        let Some(limit) = &mut self.contention else { return };
        limit.on_data(now, s.options.contention_time.unwrap_or(Span::ZERO), advance);
        if advance > 0 {
            self.edge = self.edge.max(Some(self.stream.rcv_nxt + limit.window_bytes()));
        }
    }

    /// True if an ACK is due: after a segment with PSH, or after `segments` full segments of new data (RFC
    /// 9293 §3.8.6.3: "at least every second full-sized segment or 2*RMSS bytes of new data").
    fn requires_ack(&self, segments: u32) -> bool {
        self.is_pushed || self.unacked >= u64::from(segments) * u64::from(self.mss)
    }

    fn note_timestamp(&mut self, s: &Segment) {
        if let (Some(clock), Some(ts)) = (&mut self.clock, s.timestamps) {
            clock.on_segment(s.seq, ts.tsval);
        }
    }

    /// Queues an ACK of all data received so far.
    fn acknowledge(&mut self, now: Time, duplicate: Option<SackBlock>) {
        let ack = self.build_ack(now, self.eln(), self.arrival, duplicate);
        self.note_ack(&ack);
        self.queue_ack(ack);
    }

    /// Records that all data received so far is acknowledged.
    #[inline(always)]
    fn note_ack(&mut self, ack: &Segment) {
        if let Some(clock) = &mut self.clock {
            clock.on_ack(ack.ack);
        }
        self.unacked = 0;
        self.ack_due = None;
        self.is_pushed = false;
        self.quick_acks.on_ack();
    }

    fn eln(&self) -> Option<Eln> {
        self.damaged.map(Eln::Segment)
    }

    #[inline(always)]
    fn build_ack(
        &mut self,
        now: Time,
        eln: Option<Eln>,
        arrival: Option<SegmentArrival>,
        duplicate: Option<SackBlock>,
    ) -> Segment {
        let mut ack = self.segment(now, eln, arrival);
        if let Some(echo) = &mut self.echo {
            ack.flags = echo.set_echo_flags(ack.flags);
        }
        let has_runs = duplicate.is_some() || self.stream.has_gap();
        if self.sack_blocks > 0 && has_runs {
            ack.options = self.add_sack_blocks(ack.option_bytes(), ack.options, duplicate);
        }
        ack
    }

    /// Adds as many SACK blocks as fit to the options of an ACK: four in 40 bytes, or three with timestamps
    /// (RFC 2018 §3). `bytes` is the length of the options so far.
    #[inline(never)]
    fn add_sack_blocks(&mut self, bytes: u32, mut options: Options, duplicate: Option<SackBlock>) -> Options {
        let room = (MAX_OPTION_BYTES - bytes).saturating_sub(4) / 8;
        if room == 0 {
            return options;
        }
        let sack = self.stream.report_sack(self.sack_blocks.min(room as usize), duplicate);
        if options.is_allocated() {
            options.sack = sack;
            return options;
        }
        let spare = self.spare.pop().unwrap_or_default();
        spare.with_values(RareOptions { sack, ..RareOptions::NONE })
    }

    /// Stores the options of an ACK that has arrived at the sender. A later ACK reuses this memory.
    pub fn recycle_options(&mut self, options: Options) {
        if self.spare.len() < MAX_SPARE_OPTIONS {
            self.spare.push(options);
        }
    }

    #[inline(always)]
    fn segment(&self, now: Time, eln: Option<Eln>, arrival: Option<SegmentArrival>) -> Segment {
        Segment {
            seq: FIRST_BYTE,
            len: 0,
            ack: self.stream.rcv_nxt,
            window: self.edge.map_or(self.window, |edge| edge - self.stream.rcv_nxt),
            flags: Flags { ack: true, ..Flags::default() },
            timestamps: self
                .clock
                .as_ref()
                .map(|clock| Timestamps { tsval: timestamp(now), tsecr: clock.timestamp_to_echo() }),
            has_header_checksum: false,
            sack_permitted: false,
            sent: now,
            options: match (eln, arrival) {
                (None, None) => Options::NONE, // most ACKs have neither SACK blocks nor timestamps
                _ => RareOptions { eln, arrival, ..RareOptions::NONE }.into(),
            },
        }
    }
}

/// Returns the timestamp clock: milliseconds, modulo 2^32 (RFC 7323 §5.4).
fn timestamp(now: Time) -> u32 {
    now.since(Time::ZERO).whole_multiples(Span::from_millis(1)) as u32
}

#[cfg(test)]
mod tests;
