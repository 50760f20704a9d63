//! Aggregation of 802.11n, ac and ax, and limits of retransmissions.

use crate::grammar::fields::{Fields, Val};
use crate::grammar::key::OmittedValue::{Derived, Value};
use crate::grammar::key::{Key, MAX_COUNT, ValueKind, key};
use crate::grammar::problem::{Problems, SourcePosition};
use crate::grammar::words::{value_of_word, word_of};
use airhop_base::Span;
use airhop_radio::cell::{AmpduPlan, LostBlockAck, RetryLimit};
use airhop_radio::phy::{PpduFormat, amsdu};

pub(super) const LOST_BLOCK_ACK_WORDS: [(&str, LostBlockAck); 2] =
    [("resend", LostBlockAck::Resend), ("request", LostBlockAck::Request)];

/// Default lifetime of an MPDU: dot11EDCATableMSDULifetime.
const DEFAULT_MPDU_LIFETIME: Span = Span::from_millis(500);
/// Default number of attempts: dot11ShortRetryLimit.
const DEFAULT_ATTEMPTS: u64 = 7;

/// Keys of `wlan.aggregation`.
pub(super) static AGGREGATION_KEYS: [Key; 3] = [
    key(
        "bytes",
        ValueKind::CountOrMax { most: PpduFormat::He.max_psdu_bytes() as u64 },
        Value(r#""max""#),
        "longest A-MPDU, bytes; max = the longest PSDU of the standard (65535 with 802.11n, 1048575 with 802.11ac, 6500631 with 802.11ax); \
         0 = no aggregation: each PPDU contains one MPDU, and the response is an Ack. The duration of a PPDU is at most 5.484 ms in any \
         case",
    ),
    key(
        "amsdu",
        ValueKind::CountOrMax { most: amsdu::max_amsdu_bytes(PpduFormat::He) as u64 },
        Value("0"),
        "longest A-MSDU, bytes: an A-MSDU carries several packets for one receiver in one MPDU, each with a subframe header of 14 bytes, \
         and the packets share loss and retransmission (IEEE 802.11-2020 §9.3.2.2.2, §10.11). Packets join an MPDU until it is full or \
         sent. max = the longest A-MSDU in an A-MPDU (4065 with 802.11n, whose receivers announce 3839 or 7935; 11424 with 802.11ac and \
         ax); 0 = no A-MSDUs. `bytes` and the PPDU duration limit A-MSDUs, too",
    ),
    key(
        "frames",
        ValueKind::Count { least: 1, most: 256 },
        Derived("64; 256 with 802.11ax"),
        "Block Ack window, MPDUs: largest number of MPDUs in an A-MPDU, and largest range of sequence numbers from the oldest \
         unacknowledged MPDU (at most 64; 256 with 802.11ax); without effect if `bytes` is 0",
    ),
];

/// Returns the maximum Block Ack window of a format in MPDUs.
fn max_window(format: PpduFormat) -> u64 {
    match format {
        PpduFormat::Ht | PpduFormat::Vht => 64,
        PpduFormat::He => 256,
    }
}

/// Sets the defaults of a wlan of this format.
pub(super) fn set_defaults(wlan: &mut Fields, format: PpduFormat) {
    if wlan.is_absent("aggregation") {
        let mut table =
            Fields::new(wlan.path_of("aggregation"), SourcePosition::Default, None, &AGGREGATION_KEYS);
        table.set_default("bytes", Val::Count(MAX_COUNT));
        table.set_default("amsdu", Val::Count(0));
        wlan.set_default("aggregation", Val::Table(table));
    }
    let Some(Val::Table(table)) = wlan.get_mut("aggregation") else { return };
    let Some(bytes) = table.count("bytes") else { return };
    if bytes == 0 {
        return wlan.set_default("attempts", Val::Count(DEFAULT_ATTEMPTS));
    }
    if table.is_absent("frames") {
        table.set_default("frames", Val::Count(max_window(format)));
    }
    wlan.set_default("lost_block_ack", word_of(&LOST_BLOCK_ACK_WORDS, &LostBlockAck::Resend));
    if wlan.is_absent("attempts") {
        wlan.set_default("lifetime", Val::Span(DEFAULT_MPDU_LIFETIME));
    }
}

/// Reports an A-MPDU or a window above the limit of the standard, and keys that have no effect.
pub(super) fn check(wlan: &Fields, format: PpduFormat, problems: &mut Problems) {
    let Some(table) = wlan.table("aggregation") else { return };
    let mut add = |table: &Fields, name: &str, what: String| {
        problems.add(table.position_of(name), table.path_of(name), what);
    };
    let most = max_window(format);
    if let Some(frames) = table.count("frames").filter(|frames| *frames > most) {
        add(table, "frames", format!("expected at most {most} MPDUs with {}, got {frames}", format.name()));
    }
    let (bytes, longest) = (table.count("bytes"), u64::from(format.max_psdu_bytes()));
    if let Some(bytes) = bytes.filter(|bytes| *bytes != MAX_COUNT && *bytes > longest) {
        let name = format.name();
        add(table, "bytes", format!("expected at most {longest} bytes with {name}, or \"max\", got {bytes}"));
    }
    let (amsdu, longest) = (table.count("amsdu"), u64::from(amsdu::max_amsdu_bytes(format)));
    if let Some(amsdu) = amsdu.filter(|amsdu| *amsdu != MAX_COUNT && *amsdu > longest) {
        let name = format.name();
        let what =
            format!("expected at most {longest} bytes in an A-MPDU of {name}, or \"max\", got {amsdu}");
        add(table, "amsdu", what);
    }
    if bytes == Some(0) {
        if amsdu.is_some_and(|amsdu| amsdu > 0) {
            let what =
                "expected 0, because A-MSDUs are sent in A-MPDUs, which aggregation.bytes = 0 disables";
            add(table, "amsdu", what.to_string());
        }
        for name in ["lost_block_ack", "lifetime"].into_iter().filter(|name| wlan.is_given(name)) {
            let what = "belongs to Block Ack, which aggregation.bytes = 0 disables; leave it out".to_string();
            add(wlan, name, what);
        }
        return;
    }
    if wlan.is_given("attempts") && wlan.is_given("lifetime") {
        let what = "expected either `lifetime` or `attempts`, which replaces it, got both";
        add(wlan, "attempts", what.to_string());
    }
}

/// Returns the aggregation of a checked wlan; `Some(None)` without aggregation, `None` if a value is missing.
pub(super) fn plan(wlan: &Fields, format: PpduFormat) -> Option<Option<AmpduPlan>> {
    let table = wlan.table("aggregation")?;
    let longest = u64::from(format.max_psdu_bytes());
    let bytes = u32::try_from(table.count("bytes")?.min(longest)).ok()?;
    if bytes == 0 {
        return Some(None);
    }
    Some(Some(AmpduPlan {
        max_ampdu_bytes: bytes,
        max_amsdu_bytes: u32::try_from(table.count("amsdu")?.min(amsdu::max_amsdu_bytes(format).into()))
            .ok()?,
        block_ack_window: u32::try_from(table.count("frames")?).ok()?,
        lost_block_ack: value_of_word(&LOST_BLOCK_ACK_WORDS, wlan.word("lost_block_ack")?)?,
        retry_limit: match wlan.count("attempts") {
            Some(attempts) => RetryLimit::Attempts(u32::try_from(attempts).ok()?),
            None => RetryLimit::Lifetime(wlan.span("lifetime")?),
        },
    }))
}
