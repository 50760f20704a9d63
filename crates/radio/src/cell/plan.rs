//! `CellPlan`: timing, rates, rules, places and errors that a cell is built from.

use super::frames::Lengths;
use crate::address::Station;
use crate::errors::ErrorPlan;
use crate::phy::{ACK_BYTES, CTS_BYTES, MAC_BYTES, Phy, RTS_BYTES};
use airhop_base::{Rate, Span};

/// Specification of a cell.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// Index among the cells of the world.
    pub index: u16,
    /// Name, the root of the names of its random streams.
    pub name: String,
    /// Timing of the standard.
    pub phy: Phy,
    /// Data rate.
    pub rate: Rate,
    /// Rate of RTS, CTS and ACK frames.
    pub control_rate: Rate,
    /// Basic access or RTS/CTS.
    pub access: Access,
    /// Maximum number of transmissions of a data frame, the first included.
    pub attempts: u32,
    /// Pause before each retransmission, for link layers with a slow ARQ. The packets behind wait.
    pub retry_delay: Span,
    /// Bytes that the MAC and LLC add to an IP packet in a data frame (24 + 8 + 4 by default).
    pub overhead: u32,
    /// dot11FragmentationThreshold: length of the longest data frame, bytes, header and FCS included; a packet whose frame would be longer
    /// is fragmented, unless [`Outgoing::fragments`](super::Outgoing::fragments) cuts it. `None`: no fragmentation.
    pub fragmentation: Option<u32>,
    /// Rules of the standard, or of ns-2.
    pub rules: CellRules,
    /// Name and position (metres) of every station.
    pub stations: Vec<(String, [f64; 2])>,
    /// Receive and sense range in metres; `None`: all stations hear each other.
    pub range: Option<Range>,
    /// Error model of each direction that has one.
    pub errors: Vec<LinkErrors>,
}

impl CellPlan {
    /// Creates a cell without stations and errors, in which all stations hear each other: all frames at this rate, basic access, seven
    /// attempts without pauses (dot11ShortRetryLimit), and the standard's rules.
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

    /// Returns the mean backoff before a frame's first attempt: uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
    pub fn mean_backoff(&self) -> Span {
        self.phy.slot * u64::from(self.phy.cw_min) / 2
    }

    /// Returns the time from the end of the backoff of an IP packet of `bytes` until its reception: RTS, CTS and two SIFS if they are used,
    /// and the data frame, or all fragments with a link ACK and two SIFS between them.
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

    /// Returns the time from the reception of a frame until that of its link ACK: SIFS, ACK.
    pub fn link_ack_time(&self) -> Span {
        self.phy.sifs + self.phy.airtime(ACK_BYTES, self.control_rate)
    }

    /// Returns the time for which an IP packet of `bytes` occupies a cell, without its backoff: DIFS, the frame, the link ACK.
    pub fn exchange_time(&self, bytes: u32) -> Span {
        self.phy.difs() + self.frame_time(bytes) + self.link_ack_time()
    }

    /// Returns the errors from one station to another, if any: the most specific entry, the last of equally specific ones.
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

/// Rules in which IEEE 802.11 and ns-2 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRules {
    /// True: a packet that finds the medium idle for DIFS and no backoff pending goes out at once (IEEE 802.11-2016
    /// §10.3.4.2). False: a backoff always precedes it, as in ns-2.
    pub immediate_access: bool,
    /// Timeout of a frame without an answer.
    pub ack_timeout: AckTimeout,
    /// Interference rule of receivers.
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

/// Timeout of a frame without an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimeout {
    /// AckTimeout and CTSTimeout: SIFS, slot and aRxPHYStartDelay after the end of the frame, if no reception began by then; otherwise at
    /// the end of that reception. DIFS elapses meanwhile (IEEE 802.11-2016 §10.3.2.7, §10.3.2.9).
    Ieee,
    /// SIFS, the whole answer and a slot after the end of the frame. DIFS follows.
    Ns2,
}

impl AckTimeout {
    /// The rules by name.
    pub const ALL: [(&str, AckTimeout); 2] = [("802.11", Self::Ieee), ("ns2", Self::Ns2)];
}

/// Interference rule of a receiver. Under both a frame needs a ratio of [`Range::capture`], and a receiver that follows a decodable frame
/// follows it to its end, whatever comes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiving {
    /// SINR: a frame survives if it is above the sum of all other signals, earlier and later ones. A receiver leaves a signal from beyond
    /// the receive range for a decodable one, and follows the stronger of two that begin together.
    Sinr,
    /// Lock: the receiver follows the first signal after silence, decodable or not, and no later one (ns-2). That signal survives if it is
    /// above each later signal on its own.
    Lock,
}

impl Receiving {
    /// The rules by name.
    pub const ALL: [(&str, Receiving); 2] = [("sinr", Self::Sinr), ("lock", Self::Lock)];
}

/// Ranges of signals, and the fall of their power with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Receive range, metres: limit within which frames can be decoded.
    pub receive: f64,
    /// Sense range, metres: limit within which the medium is sensed busy.
    pub sense: f64,
    /// Capture ratio, a ratio of powers, at least 1: a signal survives interference that is weaker by this factor; see [`Receiving`].
    pub capture: f64,
    /// Crossover distance, metres: power falls with the square of the distance up to it, and with its fourth power beyond. Infinite in free
    /// space.
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
