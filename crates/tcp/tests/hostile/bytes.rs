//! Values derived from a fuzzer's bytes, as in the harness for packet captures.

use airhop_base::Span;

/// Remaining bytes of the input; zeros after its end.
pub struct Bytes<'a>(pub &'a [u8]);

impl Bytes<'_> {
    pub fn next(&mut self) -> u8 {
        let (first, rest) = self.0.split_first().unwrap_or((&0, &[]));
        self.0 = rest;
        *first
    }

    pub fn flag(&mut self) -> bool {
        self.next() & 1 == 1
    }

    pub fn word(&mut self) -> u64 {
        (0..8).fold(0, |word, _| word << 8 | u64::from(self.next()))
    }

    pub fn one_of<T: Copy>(&mut self, of: &[T]) -> T {
        of[usize::from(self.next()) % of.len()]
    }

    pub fn maybe<T>(&mut self, get: impl FnOnce(&mut Self) -> T) -> Option<T> {
        self.flag().then(|| get(self))
    }

    /// Returns a span from a nanosecond to a minute; short and long spans have equal probability.
    pub fn span(&mut self) -> Span {
        let (digits, fraction) = (self.next() % 36, self.next());
        Span::from_nanos((1 << digits) + (u64::from(fraction) << digits >> 8))
    }
}
