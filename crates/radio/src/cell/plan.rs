//! `CellPlan`: timing, rates, rules, positions and errors of a cell.

use crate::address::Station;
use crate::errors::ErrorPlan;
use crate::phy::{Phy, TxMode};
use airhop_base::{Rate, Span};

/// Specification of a cell.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// Index among the cells of the world.
    pub index: u16,
    /// Name, the root of the names of its random streams.
    pub name: String,
    /// Timing of the 802.11 standard.
    pub phy: Phy,
    /// Data rate of 802.11, b and g.
    pub rate: Rate,
    /// Rate of RTS, CTS and ACK frames; with [`CellPlan::ht`], only of RTS and group-addressed frames.
    pub control_rate: Rate,
    /// Additions of 802.11n, ac and ax; `None`: the DCF of 802.11, b and g.
    pub ht: Option<HtPlan>,
    /// Basic access or RTS/CTS.
    pub access: Access,
    /// Maximum number of transmissions of a data frame, the first included.
    pub attempts: u32,
    /// Pause before each retransmission, for link layers with a slow ARQ. Later packets wait during the
    /// pause.
    pub retry_delay: Span,
    /// Bytes that the MAC and LLC add to an IP packet in a data frame (24 + 8 + 4 by default).
    pub overhead: u32,
    /// dot11FragmentationThreshold: length of the longest data frame, bytes, header and FCS included; a
    /// packet whose frame would be longer is fragmented, unless
    /// [`Outgoing::fragments`](super::Outgoing::fragments) sets its fragments. `None`: no fragmentation.
    pub fragmentation: Option<u32>,
    /// Rules on which IEEE 802.11 and ns-2 differ.
    pub rules: CellRules,
    /// Name and position (metres) of every station.
    pub stations: Vec<(String, [f64; 2])>,
    /// Receive and sense range in metres; `None`: each station receives all others.
    pub range: Option<Range>,
    /// Error model of each direction that has one.
    pub errors: Vec<LinkErrors>,
}

impl CellPlan {
    /// Creates a cell without stations and errors, in which each station receives all others: all frames at
    /// `rate`, basic access, seven attempts without pauses (dot11ShortRetryLimit), and the standard's rules.
    pub fn new(name: &str, phy: Phy, rate: Rate) -> CellPlan {
        CellPlan {
            index: 0,
            name: name.to_string(),
            phy,
            rate,
            control_rate: rate,
            ht: None,
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

    /// True if stations send A-MPDUs under Block Ack.
    pub fn aggregates(&self) -> bool {
        self.ht.is_some_and(|ht| ht.ampdu.is_some())
    }

    /// Returns the interframe space before a backoff: DIFS, or AIFS (IEEE 802.11-2020 §10.23.2.4).
    pub fn ifs(&self) -> Span {
        let slots = self.ht.as_ref().map_or(2, |ht| u64::from(ht.aifsn));
        self.phy.sifs + self.phy.slot * slots
    }

    /// Returns the mean backoff before a frame's first attempt: uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
    pub fn mean_backoff(&self) -> Span {
        self.phy.slot * u64::from(self.phy.cw_min) / 2
    }

    /// Returns the errors from one station to another: the most specific matching entry, the last one among
    /// equally specific ones.
    pub fn errors_between(&self, from: usize, to: usize) -> Option<&ErrorPlan> {
        let matches = |end: Option<Station>, station: usize| end.is_none_or(|s| usize::from(s) == station);
        let specific = |e: &&LinkErrors| u8::from(e.from.is_some()) + u8::from(e.to.is_some());
        let all = self.errors.iter().filter(|e| matches(e.from, from) && matches(e.to, to));
        all.max_by_key(specific).map(|entry| &entry.model).filter(|model| **model != ErrorPlan::Clean)
    }
}

/// Additions of 802.11n and later standards to a cell, for traffic of one access category.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtPlan {
    /// Mode of PPDUs with data to a single station.
    pub mode: TxMode,
    /// AIFSN: number of slots of AIFS after SIFS; 3 for best effort (IEEE 802.11-2020 Table 9-155).
    pub aifsn: u8,
    /// True if stations wait EIFS after a failed reception. False: never, as in ns-3 after a collision of
    /// equal powers.
    pub eifs: bool,
    /// Aggregation under a Block Ack agreement; `None`: one MPDU per PPDU, each with an ACK.
    pub ampdu: Option<AmpduPlan>,
}

/// Aggregation of a cell: A-MPDUs under Block Ack (IEEE 802.11-2020 §10.12, §10.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduPlan {
    /// Largest A-MPDU, bytes.
    pub bytes: u32,
    /// Longest A-MSDU, bytes; 0: every MPDU has a single MSDU.
    pub amsdu: u32,
    /// Block Ack window, MPDUs: 64, or 256 with 802.11ax.
    pub window: u32,
    /// Reaction of an originator to a missing BlockAck.
    pub lost_block_ack: LostBlockAck,
    /// Limit of the retransmissions of an MPDU.
    pub retries: Retries,
}

/// Reaction to a missing BlockAck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostBlockAck {
    /// All MPDUs of the A-MPDU count as failed and are retransmitted, as in most drivers.
    #[default]
    Resend,
    /// A BlockAckReq is sent first, as in ns-3; only the MPDUs that its answer does not show are
    /// retransmitted.
    Request,
}

/// Limit of the retries of an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Retries {
    /// Lifetime of an MPDU since its arrival in the MAC (dot11EDCATableMSDULifetime, IEEE 802.11-2020
    /// §10.25). Attempts are not limited.
    Lifetime(Span),
    /// Maximum number of transmissions of an MPDU, the first included, as in drivers. The lifetime is not
    /// limited.
    Attempts(u32),
}

impl Default for Retries {
    /// Returns the standard's lifetime, 500 ms.
    fn default() -> Self {
        Retries::Lifetime(Span::from_millis(500))
    }
}

/// Channel access (IEEE 802.11-2016 §10.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Basic access: data and ACK.
    Basic,
    /// RTS, CTS, data, ACK.
    RtsCts,
}

/// Rules in which IEEE 802.11 and ns-2 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRules {
    /// True: a packet that finds the medium idle for DIFS and no backoff pending is sent at once (IEEE
    /// 802.11-2016 §10.3.4.2). False: a backoff precedes every packet, as in ns-2.
    pub immediate_access: bool,
    /// Timeout of a frame without an answer.
    pub ack_timeout: AckTimeout,
    /// Interference rule of receivers.
    pub receiving: Receiving,
}

impl CellRules {
    /// Rules of IEEE 802.11-2016.
    pub const IEEE: CellRules =
        CellRules { immediate_access: true, ack_timeout: AckTimeout::Ieee, receiving: Receiving::Sinr };

    /// ns-2.35.
    pub const NS2: CellRules =
        CellRules { immediate_access: false, ack_timeout: AckTimeout::Ns2, receiving: Receiving::Lock };

    /// Presets of rules by name.
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
    /// Timeout rules by name.
    pub const ALL: [(&str, AckTimeout); 2] = [("802.11", Self::Ieee), ("ns2", Self::Ns2)];
}

/// Interference rule of a receiver. Under both rules a frame needs a power ratio of [`Range::capture`], and a
/// receiver that is locked on a decodable frame stays locked until the frame's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Receiving {
    /// SINR: a receiver decodes a frame whose power exceeds the sum of all overlapping signals by the capture
    /// ratio. The receiver switches from a signal from beyond the receive range to a decodable one, and locks
    /// on the stronger of two signals that begin together.
    Sinr,
    /// Lock: the receiver locks on the first signal after an idle medium, decodable or not, and on no later
    /// one (ns-2). The receiver decodes that signal if its power exceeds each later signal by the capture
    /// ratio.
    Lock,
}

impl Receiving {
    /// Interference rules by name.
    pub const ALL: [(&str, Receiving); 2] = [("sinr", Self::Sinr), ("lock", Self::Lock)];
}

/// Ranges of signals, and the decrease of power with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Range {
    /// Receive range, metres: limit within which frames can be decoded.
    pub receive: f64,
    /// Sense range, metres: limit within which the medium is sensed busy.
    pub sense: f64,
    /// Capture ratio, a ratio of powers, at least 1: a signal survives interference that is weaker by this
    /// factor or more; see [`Receiving`].
    pub capture: f64,
    /// Crossover distance, metres: received power is proportional to d⁻² up to this distance, and to d⁻⁴
    /// beyond. Infinite in free space.
    pub crossover: f64,
}

/// Errors on the directed link from one station to another; `None` matches every station.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    /// Sending station; `None`: every station.
    pub from: Option<Station>,
    /// Receiving station; `None`: every station.
    pub to: Option<Station>,
    /// The model.
    pub model: ErrorPlan,
}
