use airhop_base::{SplitMix64, uniform_from_bits};

/// Random numbers of one flow, for BBR's random choices.
#[derive(Debug, Default)]
pub struct BbrRandom(SplitMix64);

impl BbrRandom {
    /// Creates the generator for a seed.
    pub fn new(seed: u32) -> Self {
        BbrRandom(SplitMix64::new(seed.into()))
    }

    /// Returns a number below `n`.
    pub fn next_below(&mut self, n: u64) -> usize {
        (((self.0.draw() >> 32) * n) >> 32) as usize
    }

    /// Returns a number from 0 to 1.
    pub fn next_unit_f64(&mut self) -> f64 {
        uniform_from_bits(self.0.draw())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // Flows with different seeds draw different sequences. Every number occurs, with about equal frequency.
    #[test]
    fn each_seed_draws_its_own_sequence() {
        let mut counts = [0; 7];
        let mut sum = 0.0;
        for seed in 0..7000 {
            let mut draw = BbrRandom::new(seed);
            counts[draw.next_below(7)] += 1;
            sum += draw.next_unit_f64();
        }
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
        assert!((sum / 7000.0 - 0.5).abs() < 0.02, "{sum}");
    }
}
