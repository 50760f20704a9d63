//! Cache of loss probabilities by frame length.

/// Number of cached frame lengths. A link has few: data, TCP ACKs with 0 to 3 SACK blocks, RTS, CTS, ACK.
const MAX_CACHED_LENGTHS: usize = 16;

/// Loss probabilities by frame length, so that an exponential is computed once for each length and not for
/// each frame.
#[derive(Debug)]
pub(super) struct LossCache {
    known: Vec<(u64, f64)>,
    /// Index of the entry of `known` that a new entry replaces when the cache is full.
    oldest: usize,
}

impl Default for LossCache {
    fn default() -> Self {
        LossCache { known: Vec::with_capacity(MAX_CACHED_LENGTHS), oldest: 0 }
    }
}

impl LossCache {
    /// Returns the loss probability of a frame of `bits` bits. `compute` is called only for a new length.
    #[inline]
    pub fn get_or_compute(&mut self, bits: u64, compute: impl FnOnce() -> f64) -> f64 {
        match self.find(bits) {
            Some(p) => p,
            None => self.add(bits, compute),
        }
    }

    /// Returns the cached loss probability of a frame of `bits` bits; `None` for a new length.
    #[inline]
    pub fn find(&self, bits: u64) -> Option<f64> {
        self.known.iter().find(|(b, _)| *b == bits).map(|&(_, p)| p)
    }

    /// Computes and stores the loss probability of a new length.
    #[cold]
    #[inline(never)]
    fn add(&mut self, bits: u64, compute: impl FnOnce() -> f64) -> f64 {
        let p = compute();
        if self.known.len() < MAX_CACHED_LENGTHS {
            self.known.push((bits, p));
        } else {
            self.known[self.oldest] = (bits, p);
            self.oldest = (self.oldest + 1) % MAX_CACHED_LENGTHS;
        }
        p
    }
}
