//! Events at the ends, decoded from bytes: every byte string is a script, and similar strings are similar
//! scripts.

use super::bytes::Bytes;
use airhop_base::{
    Ecn, Eln, Flags, NodeId, Notice, NoticeKind, RareOptions, Rate, Sack, SackBlock, Segment, SegmentArrival,
    Span, Time, Timestamps,
};
use airhop_tcp::seams::PathTruth;
use airhop_tcp::{
    Config, CwndValidation, DelayedAck, HalveFrom, LossDetection, NoticeHandling, Params, Preset, RtoKind,
    SCHEMES, SackRecovery, Scheme, SenderState, WindowGrowth,
};

/// Maximum number of segments that a script supplies in one write.
const PIECE: u64 = 40;
/// Maximum number of events of a script.
const LONGEST: usize = 500;
/// Maximum length of the stream, bytes.
const FAR: u64 = 1 << 60;

/// Set-up of the two ends.
#[derive(Debug)]
pub struct Setup {
    pub scheme: &'static Scheme,
    pub params: Params,
    pub config: Config,
}

/// Event at the ends.
#[derive(Clone, Debug)]
pub enum Event {
    /// Write of this many bytes by the application.
    Supply(u64),
    /// Passage of time; timers are called when they are due.
    Wait(Span),
    /// Timer calls before they are due.
    Alarm,
    /// Arrival of a forged segment at the sender.
    Answer(Answer),
    /// Arrival of a notice at the sender.
    Notice(Hint),
    /// Outcome for a segment in flight.
    Carry { nth: usize, fate: Data },
    /// Arrival of an ACK in flight at the sender; if `again`, a second arrival.
    CarryBack { nth: usize, eln: Option<Eln>, nak: Option<u64>, again: bool },
    /// Arrival of a forged segment at the receiver.
    Data(Forged),
    /// Report of the path's state by the simulator (oracle).
    Truth(PathTruth),
    /// Random number for the scheme's draws.
    Seed(u32),
}

/// Outcome of a segment.
#[derive(Clone, Copy, Debug)]
pub enum Data {
    Arrives,
    Lost,
    Marked,
    Damaged,
    Twice,
}

/// Position in the sequence space.
#[derive(Clone, Copy, Debug)]
pub enum Place {
    /// Offset in segments and bytes from the oldest unacknowledged (or expected) byte.
    Una(i64, i64),
    /// Offset in segments and bytes from the first byte never sent.
    Max(i64, i64),
    /// This byte.
    Byte(u64),
}

impl Place {
    fn resolve(self, s: &SenderState) -> u64 {
        let mss = s.mss as i64;
        match self {
            Place::Una(segments, bytes) => s.una.saturating_add_signed(segments * mss + bytes),
            Place::Max(segments, bytes) => s.sent_end.saturating_add_signed(segments * mss + bytes),
            Place::Byte(byte) => byte,
        }
    }
}

/// Segment to the sender. Its positions are resolved at its arrival.
#[derive(Clone, Debug)]
pub struct Answer {
    pub flags: Flags,
    pub len: u32,
    pub ack: Place,
    pub window: u64,
    pub sack: Vec<(Place, Place)>,
    pub timestamps: Option<Timestamps>,
    pub eln: Option<Option<Place>>,
    pub arrival: Option<(Place, Time)>,
    pub naks: Vec<Place>,
}

impl Answer {
    pub fn segment(&self, s: &SenderState) -> Segment {
        let mut sack = Sack::EMPTY;
        for (start, end) in &self.sack {
            sack.push(SackBlock { start: start.resolve(s), end: end.resolve(s) });
        }
        let segment = Segment {
            seq: 1,
            len: self.len,
            ack: self.ack.resolve(s),
            window: self.window,
            flags: self.flags,
            timestamps: self.timestamps,
            ..Segment::default()
        };
        segment.with_rare_options(RareOptions {
            sack,
            eln: self.eln.map(|place| place.map_or(Eln::Next, |place| Eln::Segment(place.resolve(s)))),
            arrival: self.arrival.map(|(place, at)| SegmentArrival { seq: place.resolve(s), at }),
            naks: self.naks.iter().map(|place| place.resolve(s)).collect(),
            contention_time: None,
            original: None,
        })
    }
}

/// Notice to the sender.
#[derive(Clone, Debug)]
pub struct Hint {
    pub kind: NoticeKind,
    pub about: Place,
    pub delay: Span,
    pub origin: NodeId,
}

impl Hint {
    pub fn resolve(&self, s: &SenderState) -> Notice {
        let seq = self.about.resolve(s);
        Notice {
            additional_delay: self.delay,
            origin: self.origin,
            ..Notice::with_segment(self.kind, seq, s.segment_end(seq))
        }
    }
}

/// Segment to the receiver.
#[derive(Clone, Debug)]
pub struct Forged {
    pub flags: Flags,
    /// Offset from the expected byte.
    pub from_expected: i64,
    pub len: u32,
    pub timestamps: Option<Timestamps>,
    pub contention: Option<Span>,
    pub ecn: Ecn,
    pub damaged: bool,
}

impl Forged {
    pub fn segment(&self, expected: u64) -> Segment {
        let segment = Segment {
            seq: expected.saturating_add_signed(self.from_expected).clamp(1, FAR),
            len: self.len,
            flags: self.flags,
            timestamps: self.timestamps,
            ..Segment::default()
        };
        segment.with_rare_options(RareOptions { contention_time: self.contention, ..RareOptions::NONE })
    }
}

/// Decodes the script from bytes.
pub fn read(bytes: &[u8]) -> (Setup, Vec<Event>) {
    let mut bytes = Bytes(bytes);
    let setup = bytes.setup();
    let mss = u64::from(setup.config.mss);
    let mut events =
        vec![Event::Seed(bytes.next().into()), Event::Supply(u64::from(bytes.next()) % PIECE * mss + 1)];
    while !bytes.0.is_empty() && events.len() < LONGEST {
        events.push(bytes.event(mss));
    }
    (setup, events)
}

impl Bytes<'_> {
    fn small(&mut self) -> i64 {
        i64::from(self.next() as i8)
    }

    fn setup(&mut self) -> Setup {
        let scheme = SCHEMES[usize::from(self.next()) % SCHEMES.len()];
        let mut params = Params::defaults(scheme);
        for p in scheme.params {
            let (least, most) = p.range;
            let value = match self.next() {
                0..=127 => p.default,
                byte if p.choices.is_empty() => least + (most - least) * f64::from(byte - 128) / 127.0,
                byte => f64::from(byte).rem_euclid(p.choices.len() as f64),
            };
            params.set(scheme, p.name, value).expect("in its range");
        }
        Setup { scheme, params, config: self.config() }
    }

    fn config(&mut self) -> Config {
        let base = self.one_of(&Preset::ALL).1;
        let mss = self.one_of(&[1000, 1460, 536, 1, 7, 65_000]);
        let config = base.config(mss);
        if !self.flag() {
            return config;
        }
        let seconds = [0, 1, 2, 4].map(|n| Span::from_millis(n * 100));
        Config {
            linear_syn_timeouts: config.linear_syn_timeouts,
            handshake: self.flag(),
            initial_window: self.one_of(&[1.0, 2.0, 3.5, 10.0, 100.0]),
            initial_ssthresh: self.one_of(&[f64::INFINITY, 1.0, 2.0, 8.0]),
            receive_window: self.one_of(&[1 << 24, 1, 2, 10]) * u64::from(mss),
            dupthresh: self.one_of(&[3, 1, 2, 255]),
            limited_transmit: self.flag(),
            timestamps: self.flag(),
            sack_blocks: self.one_of(&[3, 1, 2, 4]),
            dsack: self.flag(),
            delayed_ack: self
                .maybe(|b| DelayedAck { segments: b.one_of(&[2, 1, 255]), timeout: b.one_of(&seconds[1..]) }),
            quick_acks: self.one_of(&[0, 1, 16]),
            rto: airhop_tcp::RtoConfig {
                kind: self.one_of(&[RtoKind::Rfc6298, RtoKind::Ns2, RtoKind::SingleGain, RtoKind::Linux]),
                ..config.rto
            },
            halve_from: self.one_of(&[
                HalveFrom::Flight,
                HalveFrom::Pipe,
                HalveFrom::Cwnd,
                HalveFrom::WholeCwnd,
            ]),
            exit_to_flight: self.flag(),
            ecn: self.flag(),
            sack_recovery: self.one_of(&[
                SackRecovery::Rfc6675,
                SackRecovery::Pipe,
                SackRecovery::RateHalving,
            ]),
            loss_detection: self.one_of(&[
                LossDetection::Duplicates,
                LossDetection::Rfc6675,
                LossDetection::Rack,
            ]),
            growth: self.one_of(&[WindowGrowth::PerAck, WindowGrowth::PerByte]),
            cwnd_validation: self.one_of(&[
                CwndValidation::Never,
                CwndValidation::Half,
                CwndValidation::Full,
            ]),
            idle_restart_window: config.idle_restart_window,
            push: self.flag(),
            nagle: self.flag(),
            turnaround: None,
            prr: self.flag(),
            tlp: self.flag(),
            frto: self.flag(),
            notice_reaction: self.one_of(&[
                NoticeHandling::Scheme,
                NoticeHandling::Ignored,
                NoticeHandling::Eln,
                NoticeHandling::Elsn,
            ]),
            undo: self.flag(),
            pacing: self.flag(),
            stack: base,
            mss,
        }
    }

    fn event(&mut self, mss: u64) -> Event {
        match self.next() % 18 {
            0..=3 => Event::Carry {
                nth: self.next().into(),
                fate: self.one_of(&[
                    Data::Arrives,
                    Data::Arrives,
                    Data::Lost,
                    Data::Marked,
                    Data::Damaged,
                    Data::Twice,
                ]),
            },
            4..=6 => Event::CarryBack { nth: self.next().into(), eln: None, nak: None, again: false },
            7 => Event::CarryBack {
                nth: self.next().into(),
                eln: self.maybe(|b| b.maybe(Bytes::byte).map_or(Eln::Next, Eln::Segment)),
                nak: self.maybe(Bytes::byte),
                again: self.flag(),
            },
            8 | 9 => Event::Wait(self.span()),
            10 | 11 => Event::Answer(self.answer()),
            12 => Event::Notice(Hint {
                kind: self.one_of(&NoticeKind::ALL),
                about: self.place(),
                delay: self.span(),
                origin: NodeId(u16::from(self.next() % 4)),
            }),
            13 => Event::Data(self.forged(mss)),
            14 => Event::Supply(u64::from(self.next()) % PIECE * mss + u64::from(self.next())),
            15 => Event::Alarm,
            16 => {
                let bps = 1 + self.word() % (1 << 40);
                let [rate, whole] = [bps, 2 * bps].map(Rate::from_bps);
                Event::Truth(PathTruth { share_rate: rate, bottleneck_rate: whole, base_rtt: self.span() })
            }
            _ => Event::Seed(self.word() as u32),
        }
    }

    fn place(&mut self) -> Place {
        match self.next() % 8 {
            0..=2 => Place::Una(self.small(), 0),
            3 | 4 => Place::Max(self.small(), 0),
            5 => Place::Una(self.small(), self.small()),
            6 => Place::Max(self.small(), self.small()),
            _ => Place::Byte(self.byte()),
        }
    }

    /// Returns a byte of the stream, near or far.
    fn byte(&mut self) -> u64 {
        match self.next() % 4 {
            0 => self.next().into(),
            1 => u64::from(self.next()) << 8 | u64::from(self.next()),
            2 => self.word(),
            _ => u64::MAX,
        }
    }

    fn flags(&mut self) -> Flags {
        let bits = self.next();
        let [syn, ack, fin, ece, cwr] = [1, 2, 4, 8, 16].map(|bit| bits & bit != 0);
        // Few segments have flags that a sender ignores.
        Flags {
            syn: syn && bits & 32 != 0,
            ack: ack || bits & 64 == 0,
            fin: fin && bits & 128 != 0,
            psh: bits & 3 == 3,
            ece,
            cwr,
        }
    }

    fn timestamps(&mut self) -> Timestamps {
        Timestamps { tsval: self.word() as u32, tsecr: self.one_of(&[0, 1, 100, 1000, u32::MAX, 1 << 31]) }
    }

    fn answer(&mut self) -> Answer {
        Answer {
            flags: self.flags(),
            len: self.one_of(&[0, 0, 0, 1, 1000]),
            ack: self.place(),
            window: self.one_of(&[1 << 40, 0, 1, 5000, u64::MAX]),
            sack: (0..self.next() % 5).map(|_| (self.place(), self.place())).collect(),
            timestamps: self.maybe(Bytes::timestamps),
            eln: self.maybe(|b| b.maybe(Bytes::place)),
            arrival: self.maybe(|b| (b.place(), Time::ZERO + b.span())),
            naks: (0..self.next() % 5).map(|_| self.place()).collect(),
        }
    }

    fn forged(&mut self, mss: u64) -> Forged {
        let segments = self.small() * mss as i64;
        Forged {
            flags: self.flags(),
            from_expected: match self.next() % 4 {
                0 | 1 => segments,
                2 => segments + self.small(),
                _ => self.word() as i64,
            },
            len: match self.next() % 4 {
                0 | 1 => mss as u32,
                2 => self.next().into(),
                _ => self.one_of(&[1, 65_000, 1 << 20]),
            },
            timestamps: self.maybe(Bytes::timestamps),
            contention: self.maybe(Bytes::span),
            ecn: self.one_of(&[Ecn::NotEct, Ecn::Ect0, Ecn::Ce]),
            damaged: self.flag(),
        }
    }
}
