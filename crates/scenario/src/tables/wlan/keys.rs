//! Keys of `[[wlan]]`.

use super::ACCESS_METHOD_WORDS;
use super::aggregation::{AGGREGATION_KEYS, LOST_BLOCK_ACK_WORDS};
use super::edca::{EIFS_WORDS, NAV_WORDS, TXOP_KEYS};
use super::mode::{BAND_WORDS, RATE_KEYS, WIDTH_WORDS};
use crate::grammar::key::OmittedValue::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, ValueKind, key};
use crate::tables::link::{DROP_TAIL, ERRORS_KEY, NAME_KEY};
use crate::tables::{layout, phy, propagation, queue, routing};
use airhop_radio::cell::{AckTimeout, CellRules, InterferenceRule};

/// Keys of `[[wlan]]`.
pub(in crate::tables) static WLAN_KEYS: [Key; 30] = [
    NAME_KEY,
    key(
        "standard",
        ValueKind::Standard,
        Required,
        "PHY and MAC: 802.11 (FHSS), 802.11b (long preamble), 802.11g (without 802.11b stations); 802.11n (HT), 802.11ac (VHT) and \
         802.11ax (HE, one user at a time) with A-MPDU, Block Ack and EDCA",
    ),
    key(
        "band",
        ValueKind::Word(|| BAND_WORDS.map(|(word, _)| word).to_vec()),
        Derived("5 GHz with 802.11n, ac and ax; none with 802.11, b and g"),
        "frequency band of 802.11n and ax (802.11ac has 5 GHz only): SIFS is 16 µs at 5 GHz, and 10 µs with a signal extension of 6 µs at \
         2.4 GHz; slots are short (9 µs)",
    ),
    key(
        "width",
        ValueKind::Word(|| WIDTH_WORDS.map(|(word, _)| word).to_vec()),
        Derived("20 MHz with 802.11n and at 2.4 GHz, 80 MHz with 802.11ac and ax"),
        "channel width of 802.11n (20, 40 MHz), ac and ax (20 to 160 MHz; ax at 2.4 GHz up to 40 MHz)",
    ),
    key(
        "guard_interval",
        ValueKind::Span { least_ns: 1 },
        Derived("800 ns with 802.11n, ac and ax"),
        "guard interval of data symbols: 400 or 800 ns with 802.11n and ac, 800, 1600 or 3200 ns with 802.11ax (IEEE 802.11-2020 \
         §19.3.6, §21.3.8; 802.11ax-2021 §27.3.11)",
    ),
    key(
        "preset",
        ValueKind::Word(|| CellRules::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""802.11""#),
        "source of the defaults of `immediate_access`, `ack_timeout` and `receiver`: 802.11 = IEEE 802.11-2016; ns2 = ns-2.35, the \
         simulator of the papers' figures",
    ),
    key(
        "immediate_access",
        ValueKind::Flag,
        Derived("true; false with preset = \"ns2\""),
        "channel access at an idle medium: true = a packet that arrives at an idle medium is sent after DIFS without a backoff (IEEE \
         802.11-2016 §10.3.4.2), even if the station itself sent a link ACK within that DIFS; false = a backoff precedes every packet",
    ),
    key(
        "ack_timeout",
        ValueKind::Word(|| AckTimeout::ALL.map(|(name, _)| name).to_vec()),
        Derived("as `preset`"),
        "ACK timeout, from the end of the frame: 802.11 = SIFS, slot and aRxPHYStartDelay, or the end of a reception that began \
         within this time; \
         DIFS elapses within the timeout (IEEE 802.11-2016 §10.3.2.9). ns2 = SIFS, the duration of the response and a slot; DIFS follows \
         the timeout",
    ),
    key(
        "receiver",
        ValueKind::Word(|| InterferenceRule::ALL.map(|(name, _)| name).to_vec()),
        Derived("sinr; lock with preset = \"ns2\""),
        "interference rule: sinr = a receiver decodes a frame whose power exceeds the sum of all overlapping signals by \
         `capture`; lock = a receiver locks on the first signal after an idle medium, decodable or not, and decodes this signal \
         if its power exceeds each later signal by `capture`",
    ),
    key(
        "phy",
        ValueKind::Section(&phy::PHY_KEYS),
        Value("{}"),
        "PHY parameters that replace those of the standard; DIFS and EIFS follow from them",
    ),
    key(
        "rate",
        ValueKind::RateOrTable(&RATE_KEYS),
        Required,
        "rate of data frames: a rate of the standard with 802.11, b and g; MCS and number of spatial streams with 802.11n, ac and ax",
    ),
    key(
        "control_rate",
        ValueKind::Rate,
        Derived(
            "the fastest mandatory rate of the standard that is not above `rate`; 24 Mbit/s with 802.11n, ac and ax",
        ),
        "rate of RTS, CTS and ACK frames (IEEE 802.11-2016 §10.7.6.5); with 802.11n, ac and ax a basic rate (6, 12, 24 Mbit/s) \
         for RTS and broadcasts, while Ack and BlockAck are sent at the highest basic rate that is not above the MCS's \
         reference rate (IEEE 802.11-2020 §10.6.6.5)",
    ),
    key(
        "access",
        ValueKind::Word(|| ACCESS_METHOD_WORDS.map(|(word, _)| word).to_vec()),
        Value(r#""basic""#),
        "access method: basic = data and ACK; rts-cts = RTS, CTS, data and ACK (IEEE 802.11-2016 §10.3.2)",
    ),
    key(
        "attempts",
        ValueKind::Count { least: 1, most: 255 },
        Derived(
            "7 with basic access, 4 with RTS/CTS (dot11ShortRetryLimit, dot11LongRetryLimit); with 802.11n, ac and ax 7 without \
             aggregation, and `lifetime` instead of a limit with aggregation",
        ),
        "attempt limit: maximum number of transmissions of a data frame, the first included. With RTS/CTS a packet is also discarded after \
         7 RTS frames in a row without a CTS (dot11ShortRetryLimit, IEEE 802.11-2016 §10.3.4.4). Under Block Ack, the limit applies to \
         each MPDU and replaces `lifetime`",
    ),
    key(
        "aggregation",
        ValueKind::Section(&AGGREGATION_KEYS),
        Derived("with 802.11n, ac and ax: A-MPDUs up to the limits of the standard"),
        "A-MPDUs of 802.11n, ac and ax under a Block Ack agreement (IEEE 802.11-2020 §10.12, §10.25)",
    ),
    key(
        "lost_block_ack",
        ValueKind::Word(|| LOST_BLOCK_ACK_WORDS.map(|(word, _)| word).to_vec()),
        Derived("resend"),
        "reaction of the originator to a missing BlockAck: resend = it retransmits all MPDUs of the A-MPDU, as most drivers do; request = \
         it first sends a BlockAckReq, as in ns-3",
    ),
    key(
        "lifetime",
        ValueKind::Span { least_ns: 1_000_000 },
        Derived("500 ms under Block Ack without `attempts`"),
        "lifetime of an MPDU under Block Ack: time from the MPDU's arrival at the MAC to its discard (dot11EDCATableMSDULifetime, IEEE \
         802.11-2020 §10.25), without an attempt limit",
    ),
    key(
        "txop",
        ValueKind::Section(&TXOP_KEYS),
        Derived("all limits are 0"),
        "TXOP limits of 802.11n, ac and ax by access category: after a channel access a station sends further exchanges, a SIFS apart, \
         while they end before the limit, with RTS and CTS once per receiver (IEEE 802.11-2020 §10.23.2.9); the first exchange exceeds \
         the limit if a single MPDU does not fit; 0 = one frame exchange per channel access. Table 9-155 has 2.528 ms for BE and BK, \
         4.096 ms for VI, and 2.080 ms for VO; most access points have 0 for BE and BK",
    ),
    key(
        "nav",
        ValueKind::Word(|| NAV_WORDS.map(|(word, _)| word).to_vec()),
        Derived("response"),
        "end of the reservation of the medium by the Duration field of a frame (NAV) in a TXOP with a limit: response = the end of its \
         response; limit = the end of the TXOP limit (IEEE 802.11-2020 §9.2.5.2), as in ns-3. After its last exchange the holder then \
         sends a CF-End a SIFS later, if the rest is longer than this frame; other stations do not use a shorter rest (§10.23.2.10)",
    ),
    key(
        "eifs",
        ValueKind::Word(|| EIFS_WORDS.map(|(word, _)| word).to_vec()),
        Derived("always"),
        "EIFS of 802.11n, ac and ax: always = a station defers for EIFS after a frame that it could not decode (IEEE 802.11-2020 \
         §10.3.2.3.7); never = for DIFS or AIFS instead, as in ns-3 after a collision of equal powers",
    ),
    key(
        "retry_delay",
        ValueKind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "delay of each retransmission, as in a slow link-layer ARQ (80 to 100 ms in UMTS, Yun 2009 §2.2); later packets wait for the \
         retransmission",
    ),
    key(
        "overhead",
        ValueKind::Bytes { least: 0, most: 1000 },
        Derived("36 B; 38 B with 802.11n, ac and ax"),
        "bytes of headers and trailer that a data frame adds to its IP packet: MAC header 24 (with QoS 26), LLC and SNAP 8, FCS 4",
    ),
    key(
        "fragmentation",
        ValueKind::Threshold { least: 256, most: 11_500 },
        Value(r#""off""#),
        "fragmentation threshold: length of the longest data frame, MAC header and FCS included (dot11FragmentationThreshold, IEEE \
         802.11-2016 §10.5). A longer frame is sent in fragments a SIFS apart; each fragment has a link ACK and up to `attempts` \
         transmissions, for 512 TU at most. The service `fragments` fragments its data independently of this key",
    ),
    key(
        "stations",
        ValueKind::Stations,
        Nothing("none; `layout` places the stations"),
        "position of each station, metres",
    ),
    layout::LAYOUT_KEY,
    key(
        "range",
        ValueKind::Section(&propagation::RANGE_KEYS),
        Nothing("none; each station receives all others"),
        "receive and sense range as distances",
    ),
    key(
        "propagation",
        ValueKind::Section(&propagation::PROPAGATION_KEYS),
        Nothing("none; `range` sets the ranges"),
        "propagation model, whose received power determines the ranges, instead of `range`",
    ),
    key(
        "routing",
        ValueKind::Choice(&routing::ROUTING),
        Value(r#"{ kind = "static" }"#),
        "routing between stations",
    ),
    key(
        "queue",
        ValueKind::Choice(&queue::QUEUE),
        DROP_TAIL,
        "queue of each station; 50 packets as in Yun 2009 §5.1",
    ),
    Key {
        about: "error model of the channel; a list has a model for each direction. With 802.11n, ac and ax the model decides each data \
        MPDU independently, and control frames have no errors",
        ..ERRORS_KEY
    },
];
