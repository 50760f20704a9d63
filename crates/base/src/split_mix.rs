//! SplitMix64 (Steele, Lea and Flood 2014).

/// Increment of the generator's state: 2⁶⁴ divided by the golden ratio, rounded to an odd number.
const GAMMA: u64 = 0x9e37_79b9_7f4a_7c15;

/// Returns the output of one step of SplitMix64 from the state `x`.
#[inline]
pub fn split_mix(x: u64) -> u64 {
    let mut z = x.wrapping_add(GAMMA);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

/// Converts the 53 high bits of a random number to a number in [0, 1).
#[inline]
pub fn uniform_from_bits(bits: u64) -> f64 {
    (bits >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
}

/// SplitMix64 generator.
#[derive(Clone, Copy, Debug, Default)]
pub struct SplitMix64(u64);

impl SplitMix64 {
    /// Creates the generator with this seed.
    pub fn new(seed: u64) -> Self {
        SplitMix64(seed)
    }

    /// Returns the next number.
    #[inline]
    pub fn draw(&mut self) -> u64 {
        let number = split_mix(self.0);
        self.0 = self.0.wrapping_add(GAMMA);
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // First numbers of SplitMix64 from 0 and from 1234567, as in its public reference code (Vigna).
    #[test]
    fn splitmix64_returns_the_reference_sequence() {
        let first = |seed| {
            let mut numbers = SplitMix64::new(seed);
            [numbers.draw(), numbers.draw(), numbers.draw()]
        };
        assert_eq!(first(0), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(
            first(1_234_567),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    #[test]
    fn the_unit_interval_is_half_open() {
        assert_eq!(uniform_from_bits(0), 0.0);
        assert!(uniform_from_bits(u64::MAX) < 1.0);
    }
}
