use crate::name_hash;
use airhop_base::{split_mix, uniform_from_bits};
use rand_core::{RngCore, SeedableRng};
use rand_xoshiro::Xoshiro256PlusPlus;

/// Source of all random numbers of a run. A stream depends only on seed, replication and name. The order of
/// construction and the scheme under test have no effect. Every scheme therefore meets the same channel, and
/// an unrelated node in the scenario changes no other stream.
#[derive(Clone, Copy, Debug)]
pub struct RandomStreams {
    seed: u64,
    replication: u64,
}

impl RandomStreams {
    /// Creates the streams of a replication, with this seed.
    pub fn new(seed: u64, replication: u64) -> Self {
        RandomStreams { seed, replication }
    }

    /// Returns the stream with this name, for numbers in sequence.
    pub fn stream(&self, name: &str) -> RandomStream {
        RandomStream(Xoshiro256PlusPlus::seed_from_u64(self.key(name)))
    }

    /// Returns the stream with this name for access by index. The number at an index does not depend on
    /// earlier calls.
    pub fn indexed_stream(&self, name: &str) -> IndexedRandom {
        IndexedRandom(self.key(name))
    }

    fn key(&self, name: &str) -> u64 {
        split_mix(split_mix(split_mix(self.seed) ^ self.replication) ^ name_hash(name))
    }
}

/// Sequence of random numbers (Xoshiro256++). Every variate is computed by inversion from exactly one number.
#[derive(Clone, Debug)]
pub struct RandomStream(Xoshiro256PlusPlus);

impl RandomStream {
    /// Draws a number uniform in [0, 1), a multiple of 2^-53.
    pub fn uniform(&mut self) -> f64 {
        uniform_from_bits(self.0.next_u64())
    }

    /// Draws an integer from 0 to `n` - 1 with equal probability, with a bias below `n` / 2^64. Returns zero
    /// if `n` is zero.
    pub fn uniform_below(&mut self, n: u32) -> u32 {
        ((u128::from(self.0.next_u64()) * u128::from(n)) >> 64) as u32
    }

    /// Draws a boolean that is true with probability `p`.
    pub fn random_bool(&mut self, p: f64) -> bool {
        self.uniform() < p
    }
}

/// Random numbers by index (a SplitMix64 counter), in any order.
#[derive(Clone, Copy, Debug)]
pub struct IndexedRandom(u64);

impl IndexedRandom {
    /// Returns the uniform number at `index`, in [0, 1).
    pub fn uniform(&self, index: u64) -> f64 {
        uniform_from_bits(split_mix(self.0 ^ split_mix(index)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_random_stream_is_determined_by_its_name() {
        let s = RandomStreams::new(1, 0);
        let first = |s: RandomStreams, name: &str| s.stream(name).uniform();
        assert_eq!(first(s, "a"), first(s, "a"));
        assert_ne!(first(s, "a"), first(s, "b"));
        assert_ne!(first(s, "a"), first(RandomStreams::new(2, 0), "a"));
        assert_ne!(first(s, "a"), first(RandomStreams::new(1, 1), "a"));
        assert_ne!(first(RandomStreams::new(0, 1), "a"), first(RandomStreams::new(1, 0), "a"));
    }

    #[test]
    fn neighbouring_seeds_are_uncorrelated() {
        // In ns-2's generator the first draws for the seeds 1001, 1002, … are 0.3346, 0.3350, … The mean of
        // 4000 first draws has a standard deviation of 0.289 / sqrt(4000) = 0.0046; the tolerance is five
        // standard deviations.
        let draws: Vec<f64> = (0..4000).map(|i| RandomStreams::new(i, 0).stream("x").uniform()).collect();
        let mean = draws.iter().sum::<f64>() / 4000.0;
        assert!((mean - 0.5).abs() < 0.023, "{mean}");
        let lag = draws.windows(2).map(|w| (w[0] - 0.5) * (w[1] - 0.5)).sum::<f64>() / 3999.0 * 12.0;
        assert!(lag.abs() < 5.0 / 4000_f64.sqrt(), "{lag}");
    }

    #[test]
    fn random_draws_are_uniform() {
        // Chi-square test of 64 000 draws from 32 backoff slots: 31 degrees of freedom, 99.99 % quantile 70.
        let mut s = RandomStreams::new(7, 3).stream("backoff");
        let mut n = [0_f64; 32];
        (0..64_000).for_each(|_| n[s.uniform_below(32) as usize] += 1.0);
        let chi2: f64 = n.iter().map(|c| (c - 2000.0).powi(2) / 2000.0).sum();
        assert!(chi2 < 70.0, "{chi2}");
        let by_index = RandomStreams::new(7, 3).indexed_stream("loss");
        let hits = (0..100_000).filter(|&i| by_index.uniform(i) < 0.01).count() as f64;
        assert!((hits - 1000.0).abs() < 5.0 * 31.5, "{hits}");
        assert_eq!(by_index.uniform(5), by_index.uniform(5));
    }
}
