//! Plan of a cell: timing, rates, rules, positions and error models.

use crate::address::StationIndex;
use crate::errors::ErrorPlan;
use crate::phy::{Phy, TxMode};
use airhop_base::{AccessCategory, Rate, Span};

/// Plan of a cell.
#[derive(Clone, Debug)]
pub struct CellPlan {
    /// Index among the cells of the world.
    pub index: u16,
    /// Name of the cell. The names of the cell's random streams begin with it.
    pub name: String,
    /// Timing of the 802.11 standard.
    pub phy: Phy,
    /// Data rate of 802.11, 802.11b and 802.11g.
    pub data_rate: Rate,
    /// Rate of RTS, CTS and ACK frames; with [`CellPlan::ht`], only of RTS and group-addressed frames.
    pub control_rate: Rate,
    /// Parameters of 802.11n, ac and ax; `None`: the DCF of 802.11, 802.11b or 802.11g.
    pub ht: Option<HtPlan>,
    /// Basic access or RTS/CTS.
    pub access_method: AccessMethod,
    /// Maximum number of transmissions of a data frame, including the first.
    pub max_attempts: u32,
    /// Delay before each retransmission, for link layers with a slow ARQ. The station's later packets wait
    /// during the delay.
    pub retry_delay: Span,
    /// Bytes that MAC and LLC add to an IP packet in a data frame; 24 + 8 + 4 by default.
    pub overhead_bytes: u32,
    /// dot11FragmentationThreshold: maximum length of a data frame, bytes, including header and FCS. A packet
    /// with a longer frame is fragmented by this threshold, or by
    /// [`OutgoingPacket::fragments`](super::OutgoingPacket::fragmentation) if that is set. `None`: no fragmentation.
    pub fragmentation_threshold: Option<u32>,
    /// Rules in which IEEE 802.11 and ns-2 differ.
    pub rules: CellRules,
    /// Name and position (metres) of each station.
    pub stations: Vec<(String, [f64; 2])>,
    /// Receive and sense range, metres; `None`: each station receives all other stations.
    pub range: Option<RadioRange>,
    /// Error models, with the directions to which they apply.
    pub errors: Vec<LinkErrors>,
}

impl CellPlan {
    /// Creates a cell without stations and errors. Each station receives all others. All frames are sent at
    /// `rate`, with basic access and the standard's rules. A frame has seven attempts without retry delay
    /// (dot11ShortRetryLimit).
    pub fn new(name: &str, phy: Phy, rate: Rate) -> CellPlan {
        CellPlan {
            index: 0,
            name: name.to_string(),
            phy,
            data_rate: rate,
            control_rate: rate,
            ht: None,
            access_method: AccessMethod::Basic,
            max_attempts: 7,
            retry_delay: Span::ZERO,
            overhead_bytes: 36,
            fragmentation_threshold: None,
            rules: CellRules::IEEE,
            stations: Vec::new(),
            range: None,
            errors: Vec::new(),
        }
    }

    /// True if stations send A-MPDUs with Block Ack.
    pub fn has_ampdu(&self) -> bool {
        self.ht.is_some_and(|ht| ht.ampdu.is_some())
    }

    /// Returns the interframe space before a backoff: DIFS, or AIFS of best effort (IEEE 802.11-2020
    /// §10.23.2.4).
    pub fn ifs(&self) -> Span {
        self.ifs_of(AccessCategory::Be)
    }

    /// Returns the interframe space before a backoff: DIFS, or AIFS of an access category.
    pub fn ifs_of(&self, category: AccessCategory) -> Span {
        let slots = if self.ht.is_some() { aifsn(category) } else { 2 };
        self.phy.sifs + self.phy.slot * slots
    }

    /// Returns the mean backoff before the first attempt of a frame. With EDCA, the access category is best
    /// effort. The backoff is uniform in {0, …, CWmin} slots (IEEE 802.11-2016 §10.3.3).
    pub fn mean_backoff(&self) -> Span {
        self.phy.slot * u64::from(self.phy.cw_min) / 2
    }

    /// Returns the error model from one station to another. The most specific matching entry applies, and
    /// among equally specific entries the last. `None` if no entry matches, or if the model loses no frame.
    pub fn errors_between(&self, from: usize, to: usize) -> Option<&ErrorPlan> {
        let matches =
            |end: Option<StationIndex>, station: usize| end.is_none_or(|s| usize::from(s) == station);
        let specific = |e: &&LinkErrors| u8::from(e.from.is_some()) + u8::from(e.to.is_some());
        let all = self.errors.iter().filter(|e| matches(e.from, from) && matches(e.to, to));
        all.max_by_key(specific).map(|entry| &entry.model).filter(|model| **model != ErrorPlan::Clean)
    }
}

/// Returns AIFSN, the number of slots of AIFS after SIFS (IEEE 802.11-2020 Table 9-155).
const fn aifsn(category: AccessCategory) -> u64 {
    match category {
        AccessCategory::Bk => 7,
        AccessCategory::Be => 3,
        AccessCategory::Vi | AccessCategory::Vo => 2,
    }
}

/// Parameters of a cell with 802.11n, ac or ax.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct HtPlan {
    /// Transmission mode of PPDUs with data for a single station.
    pub mode: TxMode,
    /// Access categories in use.
    pub categories: AccessCategorySet,
    /// TXOP limit of each access category, indexed by category; 0: one frame exchange per channel access (IEEE
    /// 802.11-2020 §10.23.2.9).
    pub txop_limits: [Span; AccessCategory::ALL.len()],
    /// End of the reservation (NAV) by frames in a TXOP with a limit.
    pub nav_rule: NavRule,
    /// True if stations wait EIFS after a failed reception; false if they never do, as in ns-3 after a
    /// collision of equal powers.
    pub has_eifs: bool,
    /// Aggregation with a Block Ack agreement; `None`: one MPDU per PPDU, each with an ACK.
    pub ampdu: Option<AmpduPlan>,
}

/// End of the reservation of the medium (NAV) by frames of a TXOP with a limit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum NavRule {
    /// The reservation lasts until the end of the response to the frame.
    #[default]
    Response,
    /// The reservation lasts until the limit of the TXOP (IEEE 802.11-2020 §9.2.5.2), as in ns-3. A holder
    /// that finishes early frees the medium by a CF-End, if the CF-End fits into the rest of the TXOP
    /// (§10.23.2.10).
    Limit,
}

/// Set of access categories. Best effort is always included.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct AccessCategorySet([bool; AccessCategory::ALL.len()]);

impl AccessCategorySet {
    /// Adds a category.
    pub fn insert(&mut self, category: AccessCategory) {
        self.0[category as usize] = true;
    }

    /// Returns the categories: first best effort, then the others.
    pub fn iter(self) -> impl Iterator<Item = AccessCategory> {
        let is_other =
            move |category: &AccessCategory| *category != AccessCategory::Be && self.0[*category as usize];
        std::iter::once(AccessCategory::Be).chain(AccessCategory::ALL.into_iter().filter(is_other))
    }
}

impl FromIterator<AccessCategory> for AccessCategorySet {
    fn from_iter<I: IntoIterator<Item = AccessCategory>>(categories: I) -> Self {
        let mut set = AccessCategorySet::default();
        categories.into_iter().for_each(|category| set.insert(category));
        set
    }
}

/// Aggregation of a cell: A-MPDUs with Block Ack (IEEE 802.11-2020 §10.12, §10.25).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AmpduPlan {
    /// Maximum length of an A-MPDU, bytes.
    pub max_ampdu_bytes: u32,
    /// Maximum length of an A-MSDU, bytes; 0: every MPDU contains a single MSDU.
    pub max_amsdu_bytes: u32,
    /// Block Ack window, MPDUs: 64, or 256 with 802.11ax.
    pub block_ack_window: u32,
    /// Reaction of an originator to a missing BlockAck.
    pub lost_block_ack: LostBlockAck,
    /// Limit of the retransmissions of an MPDU.
    pub retry_limit: RetryLimit,
}

/// Reaction to a missing BlockAck.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LostBlockAck {
    /// All MPDUs of the A-MPDU count as failed and are retransmitted, as in most drivers.
    #[default]
    Resend,
    /// The originator first sends a BlockAckReq, as in ns-3. Only the MPDUs that the BlockAck does not
    /// acknowledge are retransmitted.
    Request,
}

/// Limit of the retransmissions of an MPDU.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RetryLimit {
    /// Lifetime of an MPDU from its arrival in the MAC (dot11EDCATableMSDULifetime, IEEE 802.11-2020 §10.25).
    /// Attempts are not limited.
    Lifetime(Span),
    /// Maximum number of transmissions of an MPDU, including the first, as in drivers. The lifetime is not
    /// limited.
    Attempts(u32),
}

impl Default for RetryLimit {
    /// Returns the standard's lifetime, 500 ms.
    fn default() -> Self {
        RetryLimit::Lifetime(Span::from_millis(500))
    }
}

/// Channel access (IEEE 802.11-2016 §10.3.2).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AccessMethod {
    /// Basic access: data and ACK.
    Basic,
    /// RTS, CTS, data, ACK.
    RtsCts,
}

/// Rules in which IEEE 802.11 and ns-2 differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CellRules {
    /// True: a packet is sent at once if the medium is idle for DIFS and no backoff waits (IEEE 802.11-2016
    /// §10.3.4.2). False: a backoff precedes every packet, as in ns-2.
    pub immediate_access: bool,
    /// Timeout of a frame without a response.
    pub ack_timeout: AckTimeout,
    /// Interference rule of receivers.
    pub interference_rule: InterferenceRule,
}

impl CellRules {
    /// Rules of IEEE 802.11-2016.
    pub const IEEE: CellRules = CellRules {
        immediate_access: true,
        ack_timeout: AckTimeout::Ieee,
        interference_rule: InterferenceRule::Sinr,
    };

    /// Rules of ns-2.35.
    pub const NS2: CellRules = CellRules {
        immediate_access: false,
        ack_timeout: AckTimeout::Ns2,
        interference_rule: InterferenceRule::Lock,
    };

    /// Presets of rules, with their names.
    pub const PRESETS: [(&str, CellRules); 2] = [("802.11", Self::IEEE), ("ns2", Self::NS2)];
}

/// Timeout of a frame without a response.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AckTimeout {
    /// AckTimeout and CTSTimeout: SIFS plus slot plus aRxPHYStartDelay, counted from the end of the frame. If
    /// a reception begins within this time, the timeout lasts until the reception ends. DIFS elapses during
    /// the timeout (IEEE 802.11-2016 §10.3.2.7, §10.3.2.9).
    Ieee,
    /// SIFS plus the whole response plus a slot, counted from the end of the frame. A DIFS follows the
    /// timeout.
    Ns2,
}

impl AckTimeout {
    /// Timeout rules, with their names.
    pub const ALL: [(&str, AckTimeout); 2] = [("802.11", Self::Ieee), ("ns2", Self::Ns2)];
}

/// Interference rule of a receiver. With both rules a frame needs a power ratio of [`RadioRange::capture_ratio`] to be
/// decoded. A receiver that is locked on a decodable frame stays locked until the frame's end.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterferenceRule {
    /// SINR: a receiver decodes a frame if its power exceeds the sum of all overlapping signals by the
    /// capture ratio. A receiver that is locked on a signal from beyond the receive range switches to a
    /// decodable signal. If two signals begin at the same time, the receiver locks on the stronger.
    Sinr,
    /// Lock, as in ns-2: the receiver locks on the first signal after an idle medium, decodable or not, and
    /// ignores later signals. The first signal is decoded if its power exceeds each later signal by the
    /// capture ratio.
    Lock,
}

impl InterferenceRule {
    /// Interference rules, with their names.
    pub const ALL: [(&str, InterferenceRule); 2] = [("sinr", Self::Sinr), ("lock", Self::Lock)];
}

/// Ranges of signals, and the decrease of power with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RadioRange {
    /// Receive range, metres: maximum distance at which a station decodes frames.
    pub receive_metres: f64,
    /// Sense range, metres: maximum distance at which a station senses the medium as busy.
    pub sense_metres: f64,
    /// Capture ratio of powers, at least 1. A frame is decoded if its power exceeds the interference by at
    /// least this factor; see [`InterferenceRule`].
    pub capture_ratio: f64,
    /// Crossover distance, metres: received power is proportional to d⁻² up to this distance, and to d⁻⁴
    /// beyond it. Infinite in free space.
    pub crossover_metres: f64,
}

/// Error model of the directed links from one station to another.
#[derive(Clone, Debug)]
pub struct LinkErrors {
    /// Sending station; `None` for every station.
    pub from: Option<StationIndex>,
    /// Receiving station; `None` for every station.
    pub to: Option<StationIndex>,
    /// Error model.
    pub model: ErrorPlan,
}
