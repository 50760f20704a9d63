/// Random numbers of one flow: SplitMix64 (Steele, Lea and Flood 2014).
#[derive(Debug, Default)]
pub struct Draw(u64);

impl Draw {
    /// Those that begin with `seed`.
    pub fn new(seed: u32) -> Self {
        Draw(seed.into())
    }

    /// A number below `n`.
    pub fn below(&mut self, n: u64) -> usize {
        (((self.next() >> 32) * n) >> 32) as usize
    }

    /// A number from 0 to 1.
    pub fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The first numbers of SplitMix64 from 0 and from 1234567, as its public reference code (Vigna) gives them.
    #[test]
    fn splitmix64() {
        let first = |seed| {
            let mut draw = Draw::new(seed);
            [draw.next(), draw.next(), draw.next()]
        };
        assert_eq!(first(0), [0xe220_a839_7b1d_cdaf, 0x6e78_9e6a_a1b9_65f4, 0x06c4_5d18_8009_454f]);
        assert_eq!(
            first(1_234_567),
            [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]
        );
    }

    // Each flow draws for itself: all numbers come, and about equally often.
    #[test]
    fn seeds_decide_the_draw() {
        let mut counts = [0; 7];
        let mut sum = 0.0;
        for seed in 0..7000 {
            let mut draw = Draw::new(seed);
            counts[draw.below(7)] += 1;
            sum += draw.unit();
        }
        assert!(counts.iter().all(|&n| (850..1150).contains(&n)), "{counts:?}");
        assert!((sum / 7000.0 - 0.5).abs() < 0.02, "{sum}");
    }
}
