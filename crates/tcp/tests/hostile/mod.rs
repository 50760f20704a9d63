//! A sender and a receiver with hostile input: segments, notices and timer calls in any order, valid and
//! forged. The laws below hold for any input. Random tests and the fuzzer use this harness.

mod bytes;
pub mod script;

use airhop_base::{
    Body, Ecn, Eln, Flags, FlowId, NodeId, Packet, SackBlock, Segment, TCP_IP_HEADER_BYTES, Time, Timestamps,
};
use airhop_tcp::{Receiver, Sender, SenderState};
use script::{Data, Event, Setup};
use std::collections::BTreeMap;

/// Maximum number of timer calls at one time: one call each for the retransmission timer, the timer of the
/// recovery, and pacing.
const ALARMS_AT_ONCE: usize = 64;
/// Maximum number of consecutive timer calls without an arrival.
const ALARMS: usize = 2000;
/// Maximum number of transmissions of a byte at one time. The second transmission is the rescue
/// retransmission of RFC 6675 §4 (4): no event between two packets of the same time could show a loss.
const TWICE: u32 = 2;
/// Maximum number of packets in flight in one direction; further packets are lost.
const UNDER_WAY: usize = 512;
/// Number of ACKs within which a sender must finish if its peer acknowledges all data.
const PATIENCE: usize = 20_000;

/// Runs the script. Afterwards the peer acknowledges all data: no forged input may stop a sender forever.
pub fn run(setup: &Setup, events: &[Event]) {
    let mut ends = Ends::new(setup);
    for event in events {
        ends.meet(event);
        ends.settle();
    }
    ends.end();
}

/// Sender and receiver, and observations of their segments.
struct Ends {
    now: Time,
    sender: Sender,
    receiver: Receiver,
    /// Data in flight to the receiver.
    data: Vec<Packet>,
    /// ACKs in flight to the sender.
    acks: Vec<Packet>,
    /// Right edge of the largest offered window.
    edge: u64,
    una: u64,
    max_sent: u64,
    timestamps: bool,
    came: Came,
    /// Number of the first FIN at or above the data delivered before.
    fin: Option<u64>,
    /// Acknowledgement number and window edge of the last ACK.
    last_ack: (u64, u64),
    sack_blocks: usize,
}

impl Ends {
    fn new(setup: &Setup) -> Self {
        let Setup { scheme, params, config } = setup;
        let (near, far) = (NodeId(0), NodeId(1));
        let sender =
            Sender::new(FlowId(0), near, far, config, scheme.features, (scheme.build)(params, config));
        let state = sender.state().clone();
        Ends {
            now: Time::ZERO,
            receiver: Receiver::new(FlowId(0), far, near, config, scheme.features),
            data: Vec::new(),
            acks: Vec::new(),
            edge: state.right_edge,
            una: state.una,
            max_sent: state.sent_end,
            timestamps: config.timestamps,
            came: Came::default(),
            fin: None,
            last_ack: (0, 0),
            sack_blocks: usize::from(config.sack_blocks),
            sender,
        }
    }

    fn meet(&mut self, event: &Event) {
        match event {
            Event::Supply(bytes) => self.sender.supply_data(*bytes),
            Event::Wait(span) => self.pass_until(self.now + *span),
            Event::Alarm => {
                self.sender.on_timeout(self.now);
                self.receiver.on_timeout(self.now);
            }
            Event::Answer(answer) => {
                let segment = answer.segment(self.sender.state());
                self.answer(Packet::new(
                    FlowId(0),
                    NodeId(1),
                    NodeId(0),
                    TCP_IP_HEADER_BYTES,
                    Body::Tcp(segment),
                ));
            }
            Event::Notice(notice) => self.sender.on_notice(self.now, notice.resolve(self.sender.state())),
            Event::Carry { nth, fate } => self.carry(*nth, *fate),
            Event::CarryBack { nth, eln, nak, again } => self.carry_back(*nth, *eln, *nak, *again),
            Event::Data(data) => {
                let segment = data.segment(self.receiver.rcv_nxt());
                let packet =
                    Packet::new(FlowId(0), NodeId(0), NodeId(1), TCP_IP_HEADER_BYTES, Body::Tcp(segment));
                self.arrive(&Packet { ecn: data.ecn, has_payload_errors: data.damaged, ..packet });
            }
            Event::Truth(truth) => self.sender.on_path_truth(truth),
            Event::Seed(seed) => self.sender.set_seed(*seed),
        }
    }

    /// Delivers a segment in flight to the receiver, or loses it.
    fn carry(&mut self, nth: usize, fate: Data) {
        if self.data.is_empty() {
            return;
        }
        let packet = self.data.remove(nth % self.data.len());
        match fate {
            Data::Arrives => self.arrive(&packet),
            Data::Lost => {}
            Data::Marked => self.arrive(&Packet { ecn: Ecn::Ce, ..packet }),
            Data::Damaged => self.arrive(&Packet { has_payload_errors: true, ..packet }),
            Data::Twice => {
                self.arrive(&packet);
                self.data.push(packet);
            }
        }
    }

    /// Delivers an ACK in flight to the sender, with the bits and options that nodes on the path may add.
    fn carry_back(&mut self, nth: usize, eln: Option<Eln>, nak: Option<u64>, again: bool) {
        if self.acks.is_empty() {
            return;
        }
        let mut packet = self.acks.remove(nth % self.acks.len());
        if again {
            self.acks.push(packet.clone());
        }
        let Body::Tcp(segment) = &mut packet.body else { unreachable!("a receiver sends segments") };
        segment.options.eln = eln.or(segment.options.eln);
        nak.into_iter().for_each(|seq| segment.options.naks.insert(seq));
        self.answer(packet);
    }

    /// Delivers a segment to the sender.
    fn answer(&mut self, packet: Packet) {
        let segment = packet.segment().expect("a segment");
        if segment.flags.ack && segment.ack <= self.sender.state().sent_end {
            self.edge = self.edge.max(segment.ack.saturating_add(segment.window));
        }
        self.sender.on_segment(self.now, &packet);
    }

    /// Delivers a segment to the receiver.
    fn arrive(&mut self, packet: &Packet) {
        let s = packet.segment().expect("a segment");
        let is_heard = self.receiver.rcv_nxt() > 0 && !s.flags.syn && !packet.has_payload_errors;
        // RFC 9293 §3.10.7.4: a segment that ends beyond the window is acknowledged and dropped.
        let is_within = self.receiver.window_right_edge().is_none_or(|edge| s.end() <= edge);
        // A FIN without data at an acknowledged number is also not acceptable.
        let is_new = s.len > 0 || s.seq >= self.receiver.rcv_nxt();
        if is_heard && is_within && s.has_data_or_fin() && is_new {
            self.came_in(s);
        }
        self.receiver.on_segment(self.now, packet);
    }

    /// Records the data of a segment, and its FIN. No data follows a FIN.
    fn came_in(&mut self, s: &Segment) {
        let text = s.seq + u64::from(s.len);
        if s.flags.fin && text > self.came.in_order() {
            self.fin = self.fin.or(Some(text));
        }
        let end = if s.flags.fin && self.fin == Some(text) { text + 1 } else { text };
        let end = self.fin.map_or(end, |fin| end.min(fin + 1));
        if s.seq < end {
            self.came.insert(s.seq, end);
        }
    }

    /// Advances the time to `end`, and calls timers when they are due.
    fn pass_until(&mut self, end: Time) {
        for _ in 0..ALARMS {
            let due = [self.sender.poll_timeout(), self.receiver.poll_timeout()];
            let Some(due) = due.into_iter().flatten().min().filter(|&due| due <= end) else { break };
            self.now = self.now.max(due);
            self.settle();
        }
        let due = [self.sender.poll_timeout(), self.receiver.poll_timeout()].into_iter().flatten().min();
        self.now = self.now.max(due.map_or(end, |due| due.min(end)));
    }

    /// Calls all due timers, and collects all packets that may be sent.
    fn settle(&mut self) {
        for _ in 0..ALARMS_AT_ONCE {
            self.send();
            self.check();
            let is_due = |due: Option<Time>| due.is_some_and(|due| due <= self.now);
            match (is_due(self.sender.poll_timeout()), is_due(self.receiver.poll_timeout())) {
                (true, _) => self.sender.on_timeout(self.now),
                (false, true) => self.receiver.on_timeout(self.now),
                (false, false) => return,
            }
        }
        panic!("timer expiries without end at {}", self.now);
    }

    fn send(&mut self) {
        let mut sent: BTreeMap<u64, u32> = BTreeMap::new();
        loop {
            let before = self.sender.state().clone();
            let Some(packet) = self.sender.poll_transmit(self.now) else { break };
            let segment = packet.segment().expect("a sender sends segments");
            self.check_sent(&before, segment, &packet);
            let times = sent.entry(segment.seq).or_default();
            *times += 1;
            assert!(*times <= TWICE, "byte {} goes out again and again at {}", segment.seq, self.now);
            if self.data.len() < UNDER_WAY {
                self.data.push(packet);
            }
        }
        while let Some(packet) = self.receiver.poll_transmit(self.now) {
            self.check_ack(packet.segment().expect("a receiver sends segments"), &packet);
            if self.acks.len() < UNDER_WAY {
                self.acks.push(packet);
            }
        }
    }

    fn check_sent(&self, before: &SenderState, s: &Segment, packet: &Packet) {
        assert_eq!(packet.bytes, TCP_IP_HEADER_BYTES + s.option_bytes() + s.len);
        assert_eq!(s.timestamps.is_some(), self.timestamps);
        assert!(u64::from(s.len) <= before.mss, "{s:?} is longer than {}", before.mss);
        if s.len > 0 {
            assert!(s.seq >= 1 && s.seq <= before.sent_end, "{s:?} leaves a gap behind {}", before.sent_end);
            let probe = u64::from(s.len == 1); // RFC 9293 §3.8.6.1: one octet beyond a closed window
            assert!(s.end() <= self.edge.saturating_add(probe), "{s:?} exceeds the window, {}", self.edge);
            assert!(
                s.end() <= before.supplied_end,
                "{s:?} exceeds the data of the application, {}",
                before.supplied_end
            );
            assert!(s.end() > before.una, "{s:?} was acknowledged, {}", before.una);
        }
    }

    fn check_ack(&mut self, s: &Segment, packet: &Packet) {
        assert_eq!(packet.bytes, TCP_IP_HEADER_BYTES + s.option_bytes());
        assert!(s.option_bytes() <= 40, "RFC 9293 §3.1: no room for the options of {s:?}");
        let (ack, edge) = self.last_ack;
        assert!(s.ack >= ack && s.ack <= self.receiver.rcv_nxt(), "{s:?} after {ack}");
        // RFC 9293 §3.8.6.2.1: the window does not shrink.
        assert!(s.ack + s.window >= edge, "{s:?} shrinks the window offered up to {edge}");
        self.last_ack = (s.ack, s.ack + s.window);
        let sack = s.options.sack;
        assert!(sack.len() <= self.sack_blocks);
        let is_duplicate = |i: usize, block: &SackBlock| i == 0 && self.came.holds(block);
        for (i, block) in sack.blocks().iter().enumerate() {
            assert!(block.start < block.end, "{sack:?}");
            assert!(self.came.holds(block), "{block:?} did not arrive");
            // RFC 2018 §3: blocks are isolated from the acknowledged data. Exception: the first block may be
            // a D-SACK (RFC 2883).
            assert!(block.start > s.ack || is_duplicate(i, block), "{sack:?} below {}", s.ack);
        }
    }

    fn check(&mut self) {
        let s = self.sender.state();
        assert!(s.una <= s.nxt && s.nxt <= s.sent_end && s.sent_end <= s.supplied_end.max(1), "{s:?}");
        assert!(s.una >= self.una && s.sent_end >= self.max_sent, "{s:?} fell behind");
        (self.una, self.max_sent) = (s.una, s.sent_end);
        let w = self.sender.window();
        assert!(w.cwnd >= 1.0 && w.cwnd.is_finite() && w.ssthresh >= 1.0, "{w:?}");
        let flight = self.sender.in_flight();
        assert!(flight <= 2 * (s.sent_end - s.una) + s.mss, "{flight} in flight of {s:?}");
        assert!(!s.has_outstanding_data() || self.sender.poll_timeout().is_some(), "no timer for {s:?}");
        let c = self.sender.counters();
        assert!(
            c.retransmissions <= c.sent_segments && c.undone_reductions <= c.fast_recoveries + c.timeouts,
            "{c:?}"
        );
        while self.sender.poll_classification().is_some() {}
        let data = self.came.in_order().min(self.fin.map_or(u64::MAX, |fin| fin - 1));
        assert_eq!(
            self.receiver.delivered_bytes(),
            data,
            "delivered data differs from the data that arrived in order"
        );
    }

    /// Checks that the sender finishes its data if the peer acknowledges all data and advertises a large
    /// window.
    fn end(&mut self) {
        for _ in 0..PATIENCE {
            let s = self.sender.state().clone();
            if s.una == s.supplied_end {
                return;
            }
            let before = self.max_sent;
            let flags = Flags { ack: true, syn: s.una == 0, ..Flags::default() };
            let clock = (self.now.nanos() / 1_000_000) as u32;
            let timestamps = self.timestamps.then_some(Timestamps { tsval: clock, tsecr: clock });
            let ack = Segment { ack: s.sent_end, window: 1 << 30, flags, timestamps, ..Segment::default() };
            self.answer(Packet::new(FlowId(0), NodeId(1), NodeId(0), TCP_IP_HEADER_BYTES, Body::Tcp(ack)));
            self.settle();
            if self.max_sent == before && self.una < self.sender.state().supplied_end {
                let due = self.sender.poll_timeout();
                let due = due.unwrap_or_else(|| panic!("no packet is in flight, and no timer runs: {s:?}"));
                self.now = self.now.max(due);
                self.settle();
            }
        }
        panic!("the sender does not finish: {:?}", self.sender);
    }
}

/// Data that reached the receiver, as ranges by their first bytes, computed independently of the receiver.
#[derive(Default)]
struct Came(BTreeMap<u64, u64>);

impl Came {
    fn insert(&mut self, mut start: u64, mut end: u64) {
        let touching: Vec<u64> =
            self.0.range(..=end).rev().take_while(|(_, e)| **e >= start).map(|(s, _)| *s).collect();
        for s in touching {
            let e = self.0.remove(&s).expect("the segment has arrived");
            (start, end) = (start.min(s), end.max(e));
        }
        self.0.insert(start, end);
    }

    fn holds(&self, block: &SackBlock) -> bool {
        self.0.range(..=block.start).next_back().is_some_and(|(_, end)| *end >= block.end)
    }

    /// Returns the number of contiguous bytes from the first byte on.
    fn in_order(&self) -> u64 {
        let first = self.0.range(..=1).next_back().map_or(1, |(_, end)| *end);
        first.max(1) - 1
    }
}
