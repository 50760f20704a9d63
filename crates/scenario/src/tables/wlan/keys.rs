//! Keys of `[[wlan]]`.

use super::ACCESS;
use super::aggregation::{AGGREGATION, LOST_BLOCK_ACK};
use super::edca::{EIFS, TXOP};
use super::mode::{BANDS, RATE, WIDTHS};
use crate::grammar::key::Without::{Derived, Nothing, Required, Value};
use crate::grammar::key::{Key, Kind, key};
use crate::tables::link::{DROP_TAIL, ERRORS_KEY, NAME};
use crate::tables::{layout, phy, propagation, queue, routing};
use airhop_radio::cell::{AckTimeout, CellRules, Receiving};

/// `[[wlan]]`.
pub(in crate::tables) static WLAN: [Key; 29] = [
    NAME,
    key(
        "standard",
        Kind::Standard,
        Required,
        "timing and frames: 802.11 (FHSS), 802.11b (long preamble), 802.11g (no b stations); 802.11n (HT), 802.11ac (VHT) and 802.11ax (HE, one \
         user at a time) with A-MPDU, Block Ack and EDCA",
    ),
    key(
        "band",
        Kind::Word(|| BANDS.map(|(word, _)| word).to_vec()),
        Derived("5 GHz with 802.11n, ac and ax; the others have their own"),
        "frequency band of 802.11n and ax; 802.11ac has 5 GHz only. It decides SIFS (10 or 16 µs) and, at 2.4 GHz, a signal extension of \
         6 µs; slots are short (9 µs)",
    ),
    key(
        "width",
        Kind::Word(|| WIDTHS.map(|(word, _)| word).to_vec()),
        Derived("20 MHz with 802.11n and at 2.4 GHz, 80 MHz with 802.11ac and ax"),
        "channel width of 802.11n (20, 40 MHz), ac and ax (20 to 160 MHz; ax at 2.4 GHz up to 40 MHz)",
    ),
    key(
        "guard_interval",
        Kind::Span { least_ns: 1 },
        Derived("800 ns with 802.11n, ac and ax"),
        "guard interval of data symbols: 400 or 800 ns with 802.11n and ac, 800, 1600 or 3200 ns with 802.11ax (IEEE 802.11-2020 \
         §19.3.6, §21.3.8; 802.11ax-2021 §27.3.11)",
    ),
    key(
        "preset",
        Kind::Word(|| CellRules::PRESETS.map(|(name, _)| name).to_vec()),
        Value(r#""802.11""#),
        "source of the next three keys: IEEE 802.11-2016; ns2 = ns-2.35, with which the papers' figures were made",
    ),
    key(
        "immediate_access",
        Kind::Flag,
        Derived("true; false with preset = \"ns2\""),
        "true: a packet that finds the medium idle goes out without a backoff, after DIFS (IEEE 802.11-2016 §10.3.4.2), also where only the \
         station's own ACK is in between; false: a backoff before every packet",
    ),
    key(
        "ack_timeout",
        Kind::Word(|| AckTimeout::ALL.map(|(name, _)| name).to_vec()),
        Derived("as `preset`"),
        "timeout of a frame without an answer: 802.11 = SIFS, slot and aRxPHYStartDelay after it, or at the end of a reception under way by \
         then, while DIFS elapses (IEEE 802.11-2016 §10.3.2.9); ns2 = SIFS, the whole answer and a slot after it, and DIFS follows",
    ),
    key(
        "receiver",
        Kind::Word(|| Receiving::ALL.map(|(name, _)| name).to_vec()),
        Derived("sinr; lock with preset = \"ns2\""),
        "interference rule: sinr = a frame is received if it is stronger by `capture` than the sum of all other signals, earlier or later; \
         lock = the receiver follows the first signal after silence, decodable or not, and receives it if it is stronger by `capture` than \
         each later one",
    ),
    key(
        "phy",
        Kind::Section(&phy::PHY),
        Value("{}"),
        "timing in place of the standard's; DIFS and EIFS follow from it",
    ),
    key(
        "rate",
        Kind::RateOrTable(&RATE),
        Required,
        "rate of data frames: with 802.11, b and g one of the standard's, with 802.11n, ac and ax MCS and spatial streams",
    ),
    key(
        "control_rate",
        Kind::Rate,
        Derived(
            "the fastest mandatory rate of the standard that is not above `rate`; 24 Mbit/s with 802.11n, ac and ax",
        ),
        "rate of RTS, CTS and ACK frames (IEEE 802.11-2016 §10.7.6.5); with 802.11n, ac and ax a basic rate (6, 12, 24 Mbit/s) for RTS and \
         broadcasts, while Ack and BlockAck have the highest basic rate that is not above the MCS's reference rate (IEEE 802.11-2020 §10.6.6.5)",
    ),
    key(
        "access",
        Kind::Word(|| ACCESS.map(|(word, _)| word).to_vec()),
        Value(r#""basic""#),
        "channel access: data and ACK, or RTS and CTS before them (IEEE 802.11-2016 §10.3.2)",
    ),
    key(
        "attempts",
        Kind::Count { least: 1, most: 255 },
        Derived(
            "7 with basic access, 4 with RTS/CTS (dot11ShortRetryLimit, dot11LongRetryLimit); 7 with 802.11n, ac and ax without \
             aggregation, and with it `lifetime` instead",
        ),
        "maximum number of transmissions of a data frame, the first included; with RTS/CTS a packet is also discarded after 7 RTS frames in \
         a row without a CTS (dot11ShortRetryLimit, IEEE 802.11-2016 §10.3.4.4). Under Block Ack, of an MPDU, in place of `lifetime`",
    ),
    key(
        "aggregation",
        Kind::Section(&AGGREGATION),
        Derived("as long as the standard allows, with 802.11n, ac and ax"),
        "A-MPDUs of 802.11n, ac and ax under a Block Ack agreement (IEEE 802.11-2020 §10.12, §10.25)",
    ),
    key(
        "lost_block_ack",
        Kind::Word(|| LOST_BLOCK_ACK.map(|(word, _)| word).to_vec()),
        Derived("resend"),
        "next step after an A-MPDU that no BlockAck answered: resend = all its MPDUs are sent again, as most drivers do; request = a \
         BlockAckReq asks first, as in ns-3",
    ),
    key(
        "lifetime",
        Kind::Span { least_ns: 1_000_000 },
        Derived("500 ms under Block Ack, unless `attempts` counts"),
        "time from the arrival of an MPDU at the MAC after which it is discarded, under Block Ack (dot11EDCATableMSDULifetime, IEEE \
         802.11-2020 §10.25); transmissions are not counted then",
    ),
    key(
        "txop",
        Kind::Section(&TXOP),
        Derived("no limits above 0"),
        "TXOP limits of 802.11n, ac and ax by access category (IEEE 802.11-2020 Table 9-155); 0 = one frame exchange per channel access",
    ),
    key(
        "eifs",
        Kind::Word(|| EIFS.map(|(word, _)| word).to_vec()),
        Derived("always"),
        "EIFS of 802.11n, ac and ax: always = stations wait for it after a frame that they could not decode (IEEE 802.11-2020 §10.3.2.3.7); \
         never = nobody does, as in ns-3 after a collision of equal powers",
    ),
    key(
        "retry_delay",
        Kind::Span { least_ns: 0 },
        Value(r#""0 s""#),
        "pause before each retransmission, for slow link-layer ARQ (80 to 100 ms in UMTS, Yun 2009 §2.2); packets behind it wait",
    ),
    key(
        "overhead",
        Kind::Bytes { least: 0, most: 1000 },
        Derived("36 B; 38 B with 802.11n, ac and ax"),
        "overhead of a data frame over its IP packet: MAC header 24 (with QoS 26), LLC and SNAP 8, FCS 4",
    ),
    key(
        "fragmentation",
        Kind::Threshold { least: 256, most: 11_500 },
        Value(r#""off""#),
        "length of the longest data frame, MAC header and FCS included (dot11FragmentationThreshold, IEEE 802.11-2016 §10.5): a longer one \
         is sent in fragments a SIFS apart, each with an ACK and `attempts` of its own, for 512 TU at most; the service `fragments` cuts \
         its data by itself",
    ),
    key(
        "stations",
        Kind::Stations,
        Nothing("none; `layout` places the stations"),
        "position of each station, metres",
    ),
    layout::LAYOUT_KEY,
    key(
        "range",
        Kind::Section(&propagation::RANGE),
        Nothing("none; all stations hear each other"),
        "ranges of frames by distance",
    ),
    key(
        "propagation",
        Kind::Section(&propagation::PROPAGATION),
        Nothing("none; `range` sets the ranges"),
        "ranges of frames from their power, instead of `range`",
    ),
    key(
        "routing",
        Kind::Choice(&routing::ROUTING),
        Value(r#"{ kind = "static" }"#),
        "routing between stations",
    ),
    key(
        "queue",
        Kind::Choice(&queue::QUEUE),
        DROP_TAIL,
        "queue of each station; 50 packets as in Yun 2009 §5.1",
    ),
    Key {
        about: "error model of the channel; a list has one for each direction; with 802.11n, ac and ax it decides each MPDU with data on its own, \
                and spares control frames",
        ..ERRORS_KEY
    },
];
