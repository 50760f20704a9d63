//! Sender driven by a script: ACKs at given times, and the segments that the sender sends in response.

use super::{at, byte, label, segment, sender};
use airhop_base::{
    Body, Eln, Flags, FlowId, Naks, NodeId, Notice, NoticeKind, Packet, RareOptions, Sack, SegmentArrival,
    TCP_IP_HEADER_BYTES,
};
use airhop_base::{SackBlock, Segment, Span, Time, Timestamps};
use airhop_tcp::{Config, Sender};

/// Scripted sender with unlimited data. Each step returns the segments that the sender then sends.
pub struct Script {
    pub sender: Sender,
    now: Time,
    window: u64,
}

impl Script {
    /// Creates a sender of `scheme` with unlimited data at time zero, before its first transmission.
    pub fn new(scheme: &str, config: Config) -> Self {
        Script::by(sender(scheme, &[], &config), &config, 1_000_000_000)
    }

    /// Creates a sender that has exactly `segments` full segments to send.
    pub fn of(scheme: &str, config: Config, segments: u64) -> Self {
        Script::by(sender(scheme, &[], &config), &config, byte(segments + 1) - 1)
    }

    /// Creates a script of this sender, with `bytes` to send.
    pub fn by(sender: Sender, config: &Config, bytes: u64) -> Self {
        let mut script = Script { sender, now: Time::ZERO, window: config.receive_window };
        script.sender.supply_data(bytes);
        script
    }

    /// Advances the time to `ms` milliseconds. No timer may expire before.
    pub fn at(&mut self, ms: u64) -> &mut Self {
        self.until(at(ms))
    }

    /// Advances the time to `us` microseconds. No timer may expire before.
    pub fn at_us(&mut self, us: u64) -> &mut Self {
        self.until(Time::ZERO + Span::from_micros(us))
    }

    /// Advances the time by `ms` milliseconds. No timer may expire before.
    pub fn after(&mut self, ms: u64) -> &mut Self {
        self.until(self.now + Span::from_millis(ms))
    }

    fn until(&mut self, then: Time) -> &mut Self {
        assert!(then >= self.now, "a script runs forward");
        let due = self.sender.poll_timeout();
        assert!(due.is_none_or(|d| d > then), "the timer was due at {due:?}, before {then}");
        self.now = then;
        self
    }

    /// Returns the segments that the sender sends now, as text; empty if none.
    pub fn sent(&mut self) -> String {
        let mut sent = Vec::new();
        while let Some(p) = self.sender.poll_transmit(self.now) {
            sent.push(label(segment(&p), self.sender.last_transmission_cause()));
        }
        sent.join(" ")
    }

    /// Returns the first data that the sender sends, after the handshake if the configuration has a
    /// handshake.
    pub fn opening(&mut self) -> String {
        match self.sent().as_str() {
            "SYN" => self.syn_ack().trim_start_matches("ACK ").into(),
            data => data.into(),
        }
    }

    /// Returns the segments that the sender sends now, as packets.
    pub fn packets(&mut self) -> Vec<Packet> {
        std::iter::from_fn(|| self.sender.poll_transmit(self.now)).collect()
    }

    /// Returns the segments that the sender sends now.
    pub fn segments(&mut self) -> Vec<Segment> {
        self.packets().iter().map(|p| segment(p).clone()).collect()
    }

    /// Delivers an ACK that expects segment `n`.
    pub fn ack(&mut self, n: u64) -> String {
        self.sack(n, &[])
    }

    /// Delivers an ACK that expects segment `n`, with SACK blocks; each block is a pair of its first and last
    /// segment.
    pub fn sack(&mut self, n: u64, runs: &[(u64, u64)]) -> String {
        let runs: Vec<(u64, u64)> = runs.iter().map(|&(first, last)| (byte(first), byte(last + 1))).collect();
        self.sack_bytes(byte(n), &runs)
    }

    /// Delivers an ACK that expects byte `ack`, with SACK blocks `[start, end)`.
    pub fn sack_bytes(&mut self, ack: u64, runs: &[(u64, u64)]) -> String {
        let sack = sack(runs);
        self.segment(
            Segment { ack, ..self.pure_ack() }.with_rare_options(RareOptions { sack, ..RareOptions::NONE }),
        )
    }

    /// Delivers an ACK that expects segment `n` and reports a second arrival of segment `again` (D-SACK).
    pub fn dsack(&mut self, n: u64, again: u64) -> String {
        self.sack(n, &[(again, again)])
    }

    /// Delivers an ACK that expects segment `n` and echoes the timestamp of `ms` milliseconds.
    pub fn echo(&mut self, n: u64, ms: u32) -> String {
        let timestamps = Some(Timestamps { tsval: 0, tsecr: ms });
        self.segment(Segment { ack: byte(n), timestamps, ..self.pure_ack() })
    }

    /// Delivers an ACK that expects segment `n` and echoes an ECN mark.
    pub fn ece(&mut self, n: u64) -> String {
        let flags = Flags { ack: true, ece: true, ..Flags::default() };
        self.segment(Segment { ack: byte(n), flags, ..self.pure_ack() })
    }

    /// Delivers an ACK that expects segment `n` and carries NAKs for these segments.
    pub fn nak(&mut self, n: u64, dropped: &[u64]) -> String {
        let naks: Naks = dropped.iter().map(|&n| byte(n)).collect();
        self.segment(
            Segment { ack: byte(n), ..self.pure_ack() }
                .with_rare_options(RareOptions { naks, ..RareOptions::NONE }),
        )
    }

    /// Delivers an ACK that expects segment `n` and contains the number of the segment `trigger` that caused
    /// it (SMART).
    pub fn smart(&mut self, n: u64, trigger: u64) -> String {
        let arrival = Some(SegmentArrival { seq: byte(trigger), at: self.now });
        let options = RareOptions { arrival, ..RareOptions::NONE };
        self.segment(Segment { ack: byte(n), ..self.pure_ack() }.with_rare_options(options))
    }

    /// Delivers the same duplicate ACK `times` times.
    pub fn acks(&mut self, n: u64, times: u32) -> String {
        let sent: Vec<String> = (0..times).map(|_| self.ack(n)).filter(|s| !s.is_empty()).collect();
        sent.join(" ")
    }

    /// Sets the window that ACKs advertise from now on.
    pub fn open_window(&mut self, window: u64) {
        self.window = window;
    }

    /// Delivers an ACK that expects segment `n` and advertises `window` bytes.
    pub fn update(&mut self, n: u64, window: u64) -> String {
        self.open_window(window);
        self.ack(n)
    }

    /// Delivers the receiver's SYN-ACK.
    pub fn syn_ack(&mut self) -> String {
        self.open();
        self.sent()
    }

    /// Delivers the receiver's SYN-ACK, which echoes the timestamp of the SYN of 100 ms ago.
    pub fn syn_ack_of_now(&mut self) {
        let flags = Flags { syn: true, ack: true, ..Flags::default() };
        let sent = self.now.nanos() / 1_000_000 - 100;
        let timestamps = Some(Timestamps { tsval: 0, tsecr: sent as u32 });
        self.arrives(Segment { seq: 0, ack: 1, flags, timestamps, ..self.pure_ack() });
    }

    /// Delivers the receiver's SYN-ACK.
    pub fn open(&mut self) {
        let flags = Flags { syn: true, ack: true, ..Flags::default() };
        self.arrives(Segment { seq: 0, ack: 1, flags, ..self.pure_ack() });
    }

    /// Returns a segment without data that acknowledges no new data and announces the current window.
    pub fn pure_ack(&self) -> Segment {
        let flags = Flags { ack: true, ..Flags::default() };
        Segment { seq: 1, window: self.window, flags, ..Segment::default() }
    }

    fn segment(&mut self, segment: Segment) -> String {
        self.arrives(segment);
        self.sent()
    }

    /// Delivers a segment, without polling the sender for its response.
    pub fn arrives(&mut self, segment: Segment) {
        let (flow, src, dst) = (FlowId(0), NodeId(1), NodeId(0));
        let bytes = TCP_IP_HEADER_BYTES + segment.option_bytes();
        self.sender.on_segment(self.now, &Packet::new(flow, src, dst, bytes, Body::Tcp(segment)));
    }

    /// Delivers an ACK as [`Script::sack`], with the ELN bit set by a base station.
    pub fn marked(&mut self, n: u64, runs: &[(u64, u64)]) -> String {
        let runs: Vec<(u64, u64)> = runs.iter().map(|&(first, last)| (byte(first), byte(last + 1))).collect();
        let options = RareOptions { sack: sack(&runs), eln: Some(Eln::Next), ..RareOptions::NONE };
        self.segment(Segment { ack: byte(n), ..self.pure_ack() }.with_rare_options(options))
    }

    /// Delivers an ELN about segment `n`.
    pub fn eln(&mut self, n: u64) -> String {
        self.notice(NoticeKind::Eln, n)
    }

    /// Delivers an ERSN about segment `n`.
    pub fn ersn(&mut self, n: u64) -> String {
        self.notice(NoticeKind::Ersn, n)
    }

    /// Delivers a NAK about segment `n` in a separate packet or as a function call.
    pub fn told(&mut self, n: u64) -> String {
        self.notice(NoticeKind::Nak, n)
    }

    /// Delivers an EBSN that quotes segment `n`.
    pub fn ebsn(&mut self, n: u64) -> String {
        self.notice(NoticeKind::Ebsn, n)
    }

    /// Delivers an RTTN from base station `origin` that announces an additional delay, ms.
    pub fn rttn(&mut self, origin: u16, delay: u64) -> String {
        let (origin, delay) = (NodeId(origin), Span::from_millis(delay));
        self.hear(Notice {
            origin,
            additional_delay: delay,
            ..Notice::with_segment(NoticeKind::Rttn, byte(1), byte(2))
        })
    }

    fn notice(&mut self, kind: NoticeKind, n: u64) -> String {
        self.hear(Notice::with_segment(kind, byte(n), byte(n + 1)))
    }

    fn hear(&mut self, notice: Notice) -> String {
        self.sender.on_notice(self.now, notice);
        self.sent()
    }

    /// Waits for the timer. Returns its expiry in milliseconds, and the segments sent then.
    pub fn expire(&mut self) -> (f64, String) {
        (self.wait_for_the_timer(), self.sent())
    }

    /// Waits for the timer. Returns its expiry in milliseconds, without polling the sender.
    pub fn wait_for_the_timer(&mut self) -> f64 {
        self.now = self.sender.poll_timeout().expect("a timer that runs");
        self.sender.on_timeout(self.now);
        self.now.secs_f64() * 1e3
    }

    /// Returns the expiry of the timer in milliseconds; `None` if no timer runs.
    pub fn due(&self) -> Option<f64> {
        self.sender.poll_timeout().map(|t| t.secs_f64() * 1e3)
    }

    /// Returns the timeout of a timer started now.
    pub fn rto(&self) -> Span {
        self.sender.rto(self.now)
    }

    /// Returns (cwnd, ssthresh) in segments.
    pub fn window(&self) -> (f64, f64) {
        (self.sender.window().cwnd, self.sender.window().ssthresh)
    }

    /// Returns the number of window reductions so far.
    pub fn cuts(&self) -> u64 {
        self.sender.counters().window_reductions
    }
}

/// Returns a script of Reno in congestion avoidance: ten segments are sent at 0 ms; the first is acknowledged
/// after 100 ms, which releases the eleventh. The window is 10.1.
pub fn ten(config: Config) -> Script {
    ten_of("reno", config)
}

/// Returns a script as [`ten`] for `scheme`, whose window may be slightly larger.
pub fn ten_of(scheme: &str, config: Config) -> Script {
    let mut s = Script::new(scheme, Config { initial_window: 10.0, initial_ssthresh: 5.0, ..config });
    assert_eq!(s.opening(), "1 2 3 4 5 6 7 8 9 10", "{scheme}");
    assert_eq!(s.at(100).ack(2), "11", "{scheme}");
    s
}

fn sack(runs: &[(u64, u64)]) -> Sack {
    let mut sack = Sack::EMPTY;
    runs.iter().for_each(|&(start, end)| sack.push(SackBlock { start, end }));
    sack
}
