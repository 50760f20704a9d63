//! Points in time, durations and rates, exact to the nanosecond.
//!
//! The types are integers, not floats. A sum of link times must not depend on the order of addition. With
//! floats two runs would differ in their last bits, and rounding would decide the order of simultaneous
//! events.

use std::fmt;
use std::ops::{Add, AddAssign, Div, Mul, Sub};

const NANOS_PER_SEC: u64 = 1_000_000_000;

/// Point in time, in nanoseconds since the simulation began.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Time(u64);

impl Time {
    /// The beginning of the simulation.
    pub const ZERO: Time = Time(0);
    /// Time later than every event.
    pub const MAX: Time = Time(u64::MAX);

    /// Creates the time `ns` nanoseconds after the start of the simulation.
    pub const fn from_nanos(ns: u64) -> Self {
        Time(ns)
    }

    /// Returns the nanoseconds since the start of the simulation.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the seconds since the start of the simulation.
    pub fn secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC as f64
    }

    /// Returns the time elapsed since `earlier`, or zero if `earlier` is after `self`.
    pub const fn since(self, earlier: Time) -> Span {
        Span(self.0.saturating_sub(earlier.0))
    }
}

impl Add<Span> for Time {
    type Output = Time;
    fn add(self, d: Span) -> Time {
        Time(self.0.saturating_add(d.0))
    }
}

impl AddAssign<Span> for Time {
    fn add_assign(&mut self, d: Span) {
        *self = *self + d;
    }
}

impl Sub for Time {
    type Output = Span;
    /// Returns the time from `earlier` to `self`. Debug builds panic if `earlier` is after `self`.
    fn sub(self, earlier: Time) -> Span {
        debug_assert!(self >= earlier, "{self} is before {earlier}");
        self.since(earlier)
    }
}

impl fmt::Display for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:.9} s", self.secs_f64())
    }
}

impl fmt::Debug for Time {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Duration, in nanoseconds. Never negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct Span(u64);

impl Span {
    /// Zero duration.
    pub const ZERO: Span = Span(0);

    /// Creates a duration of `ns` nanoseconds.
    pub const fn from_nanos(ns: u64) -> Self {
        Span(ns)
    }

    /// Creates a duration of `us` microseconds.
    pub const fn from_micros(us: u64) -> Self {
        Span(us * 1_000)
    }

    /// Creates a duration of `ms` milliseconds.
    pub const fn from_millis(ms: u64) -> Self {
        Span(ms * 1_000_000)
    }

    /// Creates a duration of `s` seconds.
    pub const fn from_secs(s: u64) -> Self {
        Span(s * NANOS_PER_SEC)
    }

    /// Converts seconds to a duration, rounded to the nearest nanosecond. Negative values and NaN become
    /// zero.
    pub fn from_secs_f64(s: f64) -> Self {
        Span((s * NANOS_PER_SEC as f64 + 0.5) as u64)
    }

    /// Returns the duration in nanoseconds.
    pub const fn nanos(self) -> u64 {
        self.0
    }

    /// Returns the duration in seconds.
    pub fn secs_f64(self) -> f64 {
        self.0 as f64 / NANOS_PER_SEC as f64
    }

    /// Returns the duration in milliseconds.
    pub fn millis_f64(self) -> f64 {
        self.0 as f64 / 1e6
    }

    /// Returns `self - other`, or zero if `other` is longer.
    pub const fn saturating_sub(self, other: Span) -> Span {
        Span(self.0.saturating_sub(other.0))
    }

    /// Returns the number of times that `part` fits into the duration; zero if `part` is zero.
    pub const fn whole_multiples(self, part: Span) -> u64 {
        match self.0.checked_div(part.0) {
            Some(n) => n,
            None => 0,
        }
    }
}

impl Add for Span {
    type Output = Span;
    fn add(self, d: Span) -> Span {
        Span(self.0.saturating_add(d.0))
    }
}

impl Sub for Span {
    type Output = Span;
    /// Subtracts. Debug builds panic if the result is negative.
    fn sub(self, d: Span) -> Span {
        debug_assert!(self >= d, "{self} is shorter than {d}");
        self.saturating_sub(d)
    }
}

impl Mul<u64> for Span {
    type Output = Span;
    fn mul(self, n: u64) -> Span {
        Span(self.0.saturating_mul(n))
    }
}

impl Div<u64> for Span {
    type Output = Span;
    fn div(self, n: u64) -> Span {
        Span(self.0 / n)
    }
}

impl fmt::Debug for Span {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Data rate in integer bits per second. Never zero.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Rate(u64);

impl Rate {
    /// Creates a rate of `bps` bits per second.
    ///
    /// # Panics
    /// If `bps` is zero.
    pub const fn from_bps(bps: u64) -> Self {
        assert!(bps > 0, "a rate of zero");
        Rate(bps)
    }

    /// Converts a rate in bits per second, rounded down, but at least 1 bit/s.
    pub const fn from_bps_f64(bps: f64) -> Self {
        let whole = bps as u64;
        Rate(if whole > 0 { whole } else { 1 })
    }

    /// Returns the rate in bits per second.
    pub const fn bps(self) -> u64 {
        self.0
    }

    /// Returns the transmission time of `bits` at this rate, rounded up to a nanosecond.
    pub const fn time_for_bits(self, bits: u64) -> Span {
        // 2^64 / 1e9 = 18e9 bits: more than any frame, so u64 suffices; u128 prevents wrapping for invalid
        // inputs.
        if bits < u64::MAX / NANOS_PER_SEC {
            Span((bits * NANOS_PER_SEC).div_ceil(self.0))
        } else {
            let t = (bits as u128 * NANOS_PER_SEC as u128).div_ceil(self.0 as u128);
            Span(if t > u64::MAX as u128 { u64::MAX } else { t as u64 })
        }
    }

    /// Returns the transmission time of `bytes` bytes at this rate, rounded up to a nanosecond.
    pub const fn time_for_bytes(self, bytes: u32) -> Span {
        self.time_for_bits(bytes as u64 * 8)
    }
}

impl fmt::Debug for Rate {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn serialisation_is_rounded_up() {
        // A 1074-byte frame at 11 Mbit/s lasts 781.0909… µs.
        assert_eq!(Rate::from_bps(11_000_000).time_for_bytes(1074), Span::from_nanos(781_091));
        assert_eq!(Rate::from_bps(10_000_000).time_for_bytes(1040), Span::from_micros(832));
    }

    // The quotient of a window and an RTT is always a positive rate: with a rate of zero no segment would be
    // sent.
    #[test]
    fn a_computed_rate_is_never_zero() {
        let computed = [0.0, 0.9, 1.9, 1e30].map(|bps| Rate::from_bps_f64(bps).bps());
        assert_eq!(computed, [1, 1, 1, u64::MAX]);
    }

    #[test]
    fn huge_quantities_saturate() {
        assert_eq!(Rate::from_bps(1).time_for_bits(u64::MAX), Span::from_nanos(u64::MAX));
        assert_eq!(Time::MAX + Span::from_secs(1), Time::MAX);
        assert_eq!(Span::from_secs_f64(-1.0), Span::ZERO);
    }
}
