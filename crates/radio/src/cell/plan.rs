//! `CellPlan`: timing, rates, rules, places and errors that a cell is built from.

use super::frames::Lengths;
use crate::address::Station;
use crate::errors::ErrorPlan;
use crate::phy::{ACK_BYTES, CTS_BYTES, MAC_BYTES, Phy, RTS_BYTES};
use airhop_base::{Rate, Span};

/// Everything that a cell is built from.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// Its index among the cells of the world.
    pub index: u16,
    /// Its name, the root of the names of its random streams.
    pub name: String,
    /// Timing of the standard.
    pub phy: Phy,
    /// Data rate.
    pub rate: Rate,
    /// Rate of RTS, CTS and ACK frames.
    pub control_rate: Rate,
    /// Basic access or RTS/CTS.
    pub access: Access,
    /// Transmissions of a data frame at most, the first included.
    pub attempts: u32,
    /// Pause before each of them but the first, for link layers whose ARQ is slow. The packets behind wait.
    pub retry_delay: Span,
    /// Bytes that the MAC and LLC add to an IP packet in a data frame (24 + 8 + 4 by default).
    pub overhead: u32,
    /// dot11FragmentationThreshold: the longest data frame, bytes, header and FCS included; a packet whose frame would be longer goes in
    /// fragments, but for those that [`Outgoing::fragments`](super::Outgoing::fragments) cuts. `None`: no packet does.
    pub fragmentation: Option<u32>,
    /// Those of the standard, or ns-2's.
    pub rules: CellRules,
    /// Name and position (metres) of every station.
    pub stations: Vec<(String, [f64; 2])>,
    /// Receive and sense range in metres; without it all hear all.
    pub range: Option<Range>,
    /// The error model of each direction that has one.
    pub errors: Vec<LinkErrors>,
}

impl CellPlan {
    /// A cell without stations and errors, in which all hear all: frames of all kinds at this rate, basic access, seven attempts at once
    /// (dot11ShortRetryLimit), and the standard's rules.
    pub fn new(name: &str, phy: Phy, rate: Rate) -> CellPlan {
        CellPlan {
            index: 0,
            name: name.to_string(),
            phy,
            rate,
            control_rate: rate,
            access: Access::Basic,
            attempts: 7,
            retry_delay: Span::ZERO,
            overhead: 36,
            fragmentation: None,
            rules: CellRules::IEEE,
            stations: Vec::new(),
            range: None,
            errors: Vec::new(),
        }
    }

    /// The mean backoff before a frame's first attempt: uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
    pub fn mean_backoff(&self) -> Span {
        self.phy.slot * u64::from(self.phy.cw_min) / 2
    }

    /// From the end of the backoff of an IP packet of `bytes` until it is received: RTS, CTS and two SIFS if they are used, and the data
    /// frame, or all fragments with a link ACK and two SIFS between them.
    pub fn frame_time(&self, bytes: u32) -> Span {
        let control = |bytes| self.phy.airtime(bytes, self.control_rate) + self.phy.sifs;
        let reservation = match self.access {
            Access::Basic => Span::ZERO,
            Access::RtsCts => control(RTS_BYTES) + control(CTS_BYTES),
        };
        let threshold = self.fragmentation.unwrap_or(u32::MAX);
        let lengths = Lengths::new(bytes + self.overhead, self.overhead.min(MAC_BYTES), threshold);
        let airtime = |bytes| self.phy.airtime(bytes, self.rate);
        let others = airtime(lengths.each) + self.link_ack_time() + self.phy.sifs;
        reservation + others * u64::from(lengths.count - 1) + airtime(lengths.last)
    }

    /// From when a frame is received until its link ACK is: SIFS, ACK.
    pub fn link_ack_time(&self) -> Span {
        self.phy.sifs + self.phy.airtime(ACK_BYTES, self.control_rate)
    }

    /// How long a cell is taken by an IP packet of `bytes`, its backoff left out: DIFS, the frame, the link ACK.
    pub fn exchange_time(&self, bytes: u32) -> Span {
        self.phy.difs() + self.frame_time(bytes) + self.link_ack_time()
    }

    /// What the channel does from one station to another, if anything: the most specific entry, the last of equally specific ones.
    pub fn errors_between(&self, from: usize, to: usize) -> Option<&ErrorPlan> {
        let matches = |end: Option<Station>, station: usize| end.is_none_or(|s| usize::from(s) == station);
        let specific = |e: &&LinkErrors| u8::from(e.from.is_some()) + u8::from(e.to.is_some());
        let all = self.errors.iter().filter(|e| matches(e.from, from) && matches(e.to, to));
        all.max_by_key(specific).map(|entry| &entry.model).filter(|model| **model != ErrorPlan::Clean)
    }
}

/// Channel access (IEEE 802.11-2016 §10.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Data and ACK.
    Basic,
    /// RTS, CTS, data, ACK.
    RtsCts,
}

/// Where IEEE 802.11 and ns-2 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRules {
    /// True: a packet that finds the medium idle for DIFS and no backoff pending goes out at once (IEEE 802.11-2016
    /// §10.3.4.2). False: a backoff always precedes it, as in ns-2.
    pub immediate_access: bool,
    /// When a frame without an answer has failed.
    pub ack_timeout: AckTimeout,
    /// What overlapping signals do to each other.
    pub receiving: Receiving,
}

impl CellRules {
    /// IEEE 802.11-2016.
    pub const IEEE: CellRules =
        CellRules { immediate_access: true, ack_timeout: AckTimeout::Ieee, receiving: Receiving::Sinr };

    /// ns-2.35.
    pub const NS2: CellRules =
        CellRules { immediate_access: false, ack_timeout: AckTimeout::Ns2, receiving: Receiving::Lock };

    /// The presets by name.
    pub const PRESETS: [(&str, CellRules); 2] = [("802.11", Self::IEEE), ("ns2", Self::NS2)];
}

/// When a frame without an answer has failed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimeout {
    /// AckTimeout and CTSTimeout: SIFS, slot and aRxPHYStartDelay after its end, if no frame began to be received by then; otherwise at
    /// the end of that frame. DIFS elapses meanwhile (IEEE 802.11-2016 §10.3.2.7, §10.3.2.9).
    Ieee,
    /// SIFS, the whole answer and a slot after its end. DIFS follows.
    Ns2,
}

impl AckTimeout {
    /// The rules by name.
    pub const ALL: [(&str, AckTimeout); 2] = [("802.11", Self::Ieee), ("ns2", Self::Ns2)];
}

/// What overlapping signals do to each other at a receiver. In both it is [`Range::capture`] that a frame has to be above, and a receiver
/// that follows a frame it can decode follows it to its end, whatever comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiving {
    /// A frame survives if it is above the sum of all other signals, earlier and later ones. A receiver leaves a signal from beyond
    /// the receive range for one that it can decode, and of two that begin together it follows the stronger.
    Sinr,
    /// The receiver follows the first signal after silence, decodable or not, and no later one (ns-2). That is above each later signal
    /// on its own, or lost.
    Lock,
}

impl Receiving {
    /// The rules by name.
    pub const ALL: [(&str, Receiving); 2] = [("sinr", Self::Sinr), ("lock", Self::Lock)];
}

/// How far signals reach, and how their power falls on the way.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Frames can be received up to here, metres.
    pub receive: f64,
    /// The medium is sensed busy up to here, metres.
    pub sense: f64,
    /// A signal survives others that it is so many times as strong as: [`Receiving`]. A ratio of powers, at least 1.
    pub capture: f64,
    /// Power falls with the square of the distance up to here, metres, and with its fourth power beyond. Infinite in free space.
    pub crossover: f64,
}

/// Errors on the directed link from one station to another; `None` stands for every station.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    /// The sending station.
    pub from: Option<Station>,
    /// The receiving station.
    pub to: Option<Station>,
    /// The model.
    pub model: ErrorPlan,
}
