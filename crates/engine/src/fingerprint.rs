use airhop_base::Time;

/// 64-bit hash of a run's events, updated event by event. Runs with the same fingerprint had the same events
/// at the same times, apart from hash collisions.
///
/// The hash is not cryptographic. The events must not contain numbers that depend on the order of
/// construction; use [`name_hash`] instead of an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Fingerprint(u64);

impl Default for Fingerprint {
    fn default() -> Self {
        Fingerprint(0x9e37_79b9_7f4a_7c15)
    }
}

impl Fingerprint {
    /// Adds the event `what`, at time `when`.
    pub fn add_event(&mut self, when: Time, what: u64) {
        let x = (self.0 ^ when.nanos()).wrapping_mul(0xff51_afd7_ed55_8ccd);
        self.0 = (x ^ (x >> 32) ^ what).wrapping_mul(0xc4ce_b9fe_1a85_ec53).rotate_left(23);
    }

    /// Returns the hash so far.
    pub fn value(self) -> u64 {
        self.0
    }
}

/// Returns a hash of a name (FNV-1a, 64 bit) for keys of random streams and for fingerprints. The hash is the
/// same in every run.
pub fn name_hash(name: &str) -> u64 {
    name.bytes().fold(0xcbf2_9ce4_8422_2325, |h, b| (h ^ u64::from(b)).wrapping_mul(0x0000_0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fingerprint_depends_on_order_time_and_content() {
        let print = |events: &[(u64, u64)]| {
            let mut f = Fingerprint::default();
            events.iter().for_each(|&(t, w)| f.add_event(Time::from_nanos(t), w));
            f.value()
        };
        let base = print(&[(1, 2), (3, 4)]);
        assert_eq!(base, print(&[(1, 2), (3, 4)]));
        for other in [[(3, 4), (1, 2)], [(1, 2), (3, 5)], [(1, 2), (4, 4)], [(2, 1), (3, 4)]] {
            assert_ne!(base, print(&other));
        }
    }
}
