//! Quantities with units, as written in scenario files and on command lines: `"10 ms"`, `"5.5 Mbit/s"`,
//! `"1000 B"`.
//!
//! A number without a unit is an error, because a rate of `10` may be misread by a factor of a thousand.

use crate::{Rate, Span};
use std::borrow::Cow;
use std::fmt;

/// Units of time, with their lengths in seconds. The micro sign is U+00B5; [`normalise_typography`] replaces the Greek
/// letter U+03BC.
const SPAN_UNITS: [(&str, f64); 5] = [("ns", 1e-9), ("us", 1e-6), ("µs", 1e-6), ("ms", 1e-3), ("s", 1.0)];
const RATE_UNITS: [(&str, f64); 4] = [("bit/s", 1.0), ("kbit/s", 1e3), ("Mbit/s", 1e6), ("Gbit/s", 1e9)];
const BYTE_UNITS: [(&str, f64); 3] = [("B", 1.0), ("kB", 1e3), ("MB", 1e6)];
const LENGTH_UNITS: [(&str, f64); 2] = [("m", 1.0), ("km", 1e3)];
const FREQUENCY_UNITS: [(&str, f64); 4] = [("Hz", 1.0), ("kHz", 1e3), ("MHz", 1e6), ("GHz", 1e9)];
const POWER_UNITS: [(&str, f64); 1] = [("dBm", 1.0)];
const RATIO_UNITS: [(&str, f64); 1] = [("dB", 1.0)];

/// Error message for an invalid quantity, with the expected form and an example.
pub type QuantityError = String;

/// Parses a duration such as `"10 ms"`. Zero is allowed.
///
/// # Errors
/// If the number or the unit is missing, unknown, negative or not finite.
pub fn parse_span(text: &str) -> Result<Span, QuantityError> {
    let s = parse_quantity(text, &SPAN_UNITS, "a duration", "10 ms")?;
    if s * 1e9 >= u64::MAX as f64 / 4.0 {
        return Err(format!("a duration of {s} s exceeds the maximum of Airhop (146 years)"));
    }
    Ok(Span::from_secs_f64(s))
}

/// Parses a data rate such as `"10 Mbit/s"`, at least 1 bit/s.
///
/// # Errors
/// If the number or the unit is missing, unknown, zero, negative or not finite.
pub fn parse_rate(text: &str) -> Result<Rate, QuantityError> {
    let r = parse_quantity(text, &RATE_UNITS, "a data rate", "10 Mbit/s")?;
    if !(1.0..=1e13).contains(&r.round()) {
        return Err(format!("expected a data rate from 1 bit/s to 10000 Gbit/s, got \"{}\"", text.trim()));
    }
    Ok(Rate::from_bps(r.round() as u64))
}

/// Parses a number of bytes such as `"1000 B"`.
///
/// # Errors
/// If the number or the unit is missing, unknown, negative, not whole, or over 4 GB.
pub fn parse_bytes(text: &str) -> Result<u32, QuantityError> {
    let b = parse_quantity(text, &BYTE_UNITS, "a size in bytes", "1000 B")?;
    if b.fract() != 0.0 || b > f64::from(u32::MAX) {
        return Err(format!("expected whole bytes up to 4 GB, got \"{}\"", text.trim()));
    }
    Ok(b as u32)
}

/// Parses a distance in metres such as `"40 m"`.
///
/// # Errors
/// If the number or the unit is missing, unknown, negative or not finite.
pub fn parse_metres(text: &str) -> Result<f64, QuantityError> {
    parse_quantity(text, &LENGTH_UNITS, "a distance", "40 m")
}

/// Parses a frequency such as `"2.4 GHz"`, in Hz, at least 1.
///
/// # Errors
/// If the number or the unit is missing, unknown, zero, negative or not finite.
pub fn parse_frequency(text: &str) -> Result<u64, QuantityError> {
    let f = parse_quantity(text, &FREQUENCY_UNITS, "a frequency", "2.4 GHz")?.round();
    if !(1.0..=1e15).contains(&f) {
        return Err(format!("expected a frequency from 1 Hz to 1000000 GHz, got \"{}\"", text.trim()));
    }
    Ok(f as u64)
}

/// Parses a power such as `"24.5 dBm"`, from -300 to 300 dBm.
///
/// # Errors
/// If the number or the unit is missing or unknown, or if the power is out of range.
pub fn parse_power(text: &str) -> Result<f64, QuantityError> {
    let dbm = parse_signed(text, &POWER_UNITS, "a power", "24.5 dBm")?;
    match dbm.abs() <= 300.0 {
        true => Ok(dbm),
        false => Err(format!("expected a power from -300 dBm to 300 dBm, got \"{}\"", text.trim())),
    }
}

/// Parses a ratio of powers such as `"10 dB"`, in dB, from 0 to 300.
///
/// # Errors
/// If the number or the unit is missing or unknown, or if the ratio is out of range.
pub fn parse_ratio(text: &str) -> Result<f64, QuantityError> {
    let db = parse_quantity(text, &RATIO_UNITS, "a ratio of powers", "10 dB")?;
    match db <= 300.0 {
        true => Ok(db),
        false => Err(format!("expected a ratio of powers up to 300 dB, got \"{}\"", text.trim())),
    }
}

fn parse_quantity(
    text: &str,
    units: &[(&str, f64)],
    what: &str,
    example: &str,
) -> Result<f64, QuantityError> {
    let value = parse_signed(text, units, what, example)?;
    if value < 0.0 || !value.is_finite() {
        let wanted = if value < 0.0 { "is not negative" } else { "a computer can count" };
        return Err(format!("expected {what} that {wanted}, got \"{}\"", text.trim()));
    }
    Ok(value)
}

/// Parses a quantity that may be negative or not finite.
fn parse_signed(text: &str, units: &[(&str, f64)], what: &str, example: &str) -> Result<f64, QuantityError> {
    let plain = normalise_typography(text);
    let text = plain.trim();
    let split = text.find(|c: char| c.is_alphabetic() && !matches!(c, 'e' | 'E')).unwrap_or(text.len());
    let (number, unit) = (text[..split].trim(), text[split..].trim());
    let expected = || {
        let names: Vec<&str> = units.iter().map(|u| u.0).collect();
        format!("expected {what} with a unit ({}), such as \"{example}\"", names.join(", "))
    };
    let value: f64 = number.parse().map_err(|_| format!("{}, got \"{text}\"", expected()))?;
    if unit.is_empty() {
        return Err(format!("{}, got \"{text}\" without a unit", expected()));
    }
    let Some(&(_, scale)) = units.iter().find(|u| u.0 == unit) else {
        let near = units.iter().find(|u| u.0.eq_ignore_ascii_case(unit)).map(|u| u.0).or(match unit {
            "bps" => Some("bit/s"),
            "kbps" | "kb/s" => Some("kbit/s"),
            "Mbps" | "Mb/s" => Some("Mbit/s"),
            "Gbps" | "Gb/s" => Some("Gbit/s"),
            "sec" | "seconds" => Some("s"),
            _ => None,
        });
        let hint = near.map(|n| format!("; did you mean \"{number} {n}\"?")).unwrap_or_default();
        return Err(format!("{}, got the unit \"{unit}\"{hint}", expected()));
    };
    Ok(value * scale)
}

/// Replaces typographic characters from word processors and PDF files. The minus sign U+2212 becomes a
/// hyphen, and the Greek letter U+03BC becomes the micro sign U+00B5.
fn normalise_typography(text: &str) -> Cow<'_, str> {
    let stands_for = |c| match c {
        '\u{2212}' => '-',
        '\u{3bc}' => '\u{b5}',
        c => c,
    };
    match text.chars().any(|c| stands_for(c) != c) {
        true => text.chars().map(stands_for).collect(),
        false => Cow::Borrowed(text),
    }
}

/// Formats a duration so that [`parse_span`] reads the same value.
pub fn format_span(d: Span) -> String {
    let ns = d.nanos();
    let (unit, scale) = match ns {
        0 => ("s", 1_000_000_000),
        _ if ns >= 1_000_000_000 => ("s", 1_000_000_000),
        _ if ns >= 1_000_000 => ("ms", 1_000_000),
        _ if ns >= 1_000 => ("us", 1_000),
        _ => ("ns", 1),
    };
    format!("{} {unit}", format_decimal(ns, scale))
}

/// Formats a rate so that [`parse_rate`] reads the same value.
pub fn format_rate(r: Rate) -> String {
    let bps = r.bps();
    let (unit, scale) = match bps {
        _ if bps >= 1_000_000_000 => ("Gbit/s", 1_000_000_000),
        _ if bps >= 1_000_000 => ("Mbit/s", 1_000_000),
        _ if bps >= 1_000 => ("kbit/s", 1_000),
        _ => ("bit/s", 1),
    };
    format!("{} {unit}", format_decimal(bps, scale))
}

impl fmt::Display for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_span(*self))
    }
}

impl fmt::Display for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&format_rate(*self))
    }
}

/// Formats a frequency in Hz so that [`parse_frequency`] reads the same value.
pub fn format_frequency(hz: u64) -> String {
    let (unit, scale) = match hz {
        _ if hz >= 1_000_000_000 => ("GHz", 1_000_000_000),
        _ if hz >= 1_000_000 => ("MHz", 1_000_000),
        _ if hz >= 1_000 => ("kHz", 1_000),
        _ => ("Hz", 1),
    };
    format!("{} {unit}", format_decimal(hz, scale))
}

/// Formats `value / scale` in decimal, exactly, without trailing zeros.
fn format_decimal(value: u64, scale: u64) -> String {
    let (whole, part) = (value / scale, value % scale);
    if part == 0 {
        return whole.to_string();
    }
    let digits = scale.ilog10() as usize;
    format!("{whole}.{part:0digits$}").trim_end_matches('0').to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_quantity_without_a_known_unit_is_refused() {
        assert_eq!(parse_span("10 ms"), Ok(Span::from_millis(10)));
        assert_eq!(parse_span("1e-3 s"), Ok(Span::from_millis(1)));
        assert_eq!(parse_rate("5.5 Mbit/s"), Ok(Rate::from_bps(5_500_000)));
        assert_eq!(parse_bytes("1000 B"), Ok(1000));
        assert_eq!(parse_metres("40m"), Ok(40.0));
        assert_eq!(parse_power("-56.12 dBm"), Ok(-56.12));
        assert_eq!(parse_ratio("10 dB"), Ok(10.0));
        assert_eq!(parse_frequency("2.4 GHz"), Ok(2_400_000_000));
        assert!(parse_power("24.5 dB").unwrap_err().contains("expected a power with a unit (dBm)"));
        for bad in ["0 Hz", "-1 GHz", "1e7 GHz"] {
            assert!(parse_frequency(bad).is_err(), "{bad}");
        }
        for bad in ["-301 dBm", "inf dBm", "nan dBm", "10"] {
            assert!(parse_power(bad).is_err(), "{bad}");
        }
        assert!(parse_ratio("-1 dB").unwrap_err().contains("not negative"));
        assert!(parse_ratio("301 dB").is_err());
        assert!(parse_span("10").unwrap_err().contains("without a unit"));
        assert!(parse_rate("10 Mbps").unwrap_err().contains("did you mean \"10 Mbit/s\""));
        for bad in ["", "ms", "-1 ms", "inf s", "nan s", "1e300 s", "1..2 s"] {
            assert!(parse_span(bad).is_err(), "{bad}");
        }
        for bad in ["0 bit/s", "-1 Mbit/s", "0.1 bit/s", "1e20 Gbit/s"] {
            assert!(parse_rate(bad).is_err(), "{bad}");
        }
        assert!(parse_bytes("0.5 B").is_err());
        // Numbers beyond the range of f64, as written or after multiplication by the unit.
        assert!(parse_span("1e400 s").unwrap_err().contains("can count"));
        assert!(parse_metres("1e308 km").unwrap_err().contains("can count"));
        assert!(parse_metres("-1e400 m").unwrap_err().contains("not negative"));
    }

    /// Typographic characters are read as keyboard characters: the Greek letter mu, spaces of other widths,
    /// and the minus sign.
    #[test]
    fn typographic_characters_are_read_as_keyboard_characters() {
        for micro in ["10 us", "10 \u{b5}s", "10 \u{3bc}s", "10\u{3bc}s"] {
            assert_eq!(parse_span(micro), Ok(Span::from_micros(10)), "{micro}");
        }
        for space in ['\u{a0}', '\u{2007}', '\u{2009}', '\u{202f}', '\u{3000}'] {
            assert_eq!(
                parse_span(&format!("{space}10{space}ms{space}")),
                Ok(Span::from_millis(10)),
                "{space:?}"
            );
        }
        assert_eq!(parse_power("\u{2212}56.12 dBm"), Ok(-56.12));
        assert_eq!(parse_span("1e\u{2212}3 s"), Ok(Span::from_millis(1)));
        assert!(parse_ratio("\u{2212}1 dB").unwrap_err().contains("not negative"));
        assert_eq!(parse_span("1\u{ff10} ms").ok(), None, "a full-width digit is not a digit");
    }

    #[test]
    fn a_printed_quantity_parses_to_the_same_value() {
        for ns in [0, 1, 999, 1_000, 20_000, 781_091, 10_000_000, 1_500_000_000, 200_000_000_000] {
            let d = Span::from_nanos(ns);
            assert_eq!(parse_span(&format_span(d)), Ok(d));
        }
        for hz in [1, 999, 914_000_000, 2_400_000_000, 2_412_000_001] {
            assert_eq!(parse_frequency(&format_frequency(hz)), Ok(hz));
        }
        for bps in [1, 19_200, 5_500_000, 11_000_000, 1_000_000_000] {
            let r = Rate::from_bps(bps);
            assert_eq!(parse_rate(&format_rate(r)), Ok(r));
        }
    }
}
