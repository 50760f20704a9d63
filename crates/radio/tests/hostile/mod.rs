//! Properties of any text that is read as a recorded channel, a recorded link or a quantity. Random tests and
//! the fuzzer use them.

use airhop_base::{Span, Time, units};
use airhop_radio::errors::{FadeRecord, LineError};
use airhop_radio::link_rate::{DeliveryTrace, LinkRate};
use std::fmt::Debug;
use std::sync::Arc;

/// Lengths of the packets that are sent one after another over a recorded link, bytes.
const PACKETS: [u32; 6] = [1, 40, 1504, 1505, 65_535, 752];

/// Reads `text` in each format. If it is refused, the error names the line; if it is accepted, its canonical
/// form reads back to the same value.
pub fn read(text: &str) {
    match FadeRecord::parse(text) {
        Ok(record) => assert_eq!(FadeRecord::parse(&record.to_csv()), Ok(record)),
        Err(why) => says_where(text, &why),
    }
    match DeliveryTrace::parse(text) {
        Ok(deliveries) => plays(deliveries),
        Err(why) => says_where(text, &why),
    }
    reads_back(units::parse_span(text), |span| units::parse_span(&units::format_span(*span)));
    reads_back(units::parse_rate(text), |rate| units::parse_rate(&units::format_rate(*rate)));
    reads_back(units::parse_frequency(text), |hz| units::parse_frequency(&units::format_frequency(*hz)));
    reads_back(units::parse_bytes(text), |bytes| units::parse_bytes(&format!("{bytes} B")));
    reads_back(units::parse_metres(text), |metres| units::parse_metres(&format!("{metres} m")));
    reads_back(units::parse_power(text), |dbm| units::parse_power(&format!("{dbm} dBm")));
    reads_back(units::parse_ratio(text), |db| units::parse_ratio(&format!("{db} dB")));
}

fn says_where(text: &str, why: &LineError) {
    let lines = text.lines().count().max(1);
    assert!((1..=lines).contains(&why.line), "line {} of {lines}", why.line);
    assert!(!why.message.is_empty());
}

/// Checks that packets are sent in order, and that each takes more than zero time.
fn plays(deliveries: DeliveryTrace) {
    let plan = LinkRate::Deliveries(Arc::new(deliveries));
    assert!(plan.serialisation_time(1500) > Span::ZERO);
    let mut pace = plan.idle_transmitter(0);
    let mut now = Time::ZERO;
    for bytes in PACKETS {
        let end = pace.transmission_end(now, bytes);
        assert!(end >= now, "{bytes} B leave at {end}, before {now}");
        now = end;
    }
    assert!(now > Time::ZERO, "71 kB leave at once");
    let later = pace.transmission_end(now + Span::from_secs(1_000_000), 1);
    assert!(later > now);
}

fn reads_back<T: PartialEq + Debug>(read: Result<T, String>, again: impl Fn(&T) -> Result<T, String>) {
    match read {
        Ok(value) => assert_eq!(again(&value), Ok(value)),
        Err(refusal) => assert!(!refusal.is_empty()),
    }
}
