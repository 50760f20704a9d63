//! The next deadline of a cell, among those of all its stations.
use airhop_base::Time;

/// A tournament over one deadline per station: the earliest is known at once, and a change costs log2(stations).
///
/// A cell keeps a single event in the world's queue, for the earliest. A busy medium freezes every backoff within hearing, so
/// an event per station would mean as many stale events per frame.
#[derive(Debug)]
pub(crate) struct Deadlines {
    /// A complete binary tree: node i has the children 2i and 2i + 1, the root is 1, the leaves are the stations.
    nodes: Vec<Time>,
    leaves: usize,
}

impl Deadlines {
    /// No deadline for any of `stations` stations.
    pub fn new(stations: usize) -> Self {
        let leaves = stations.next_power_of_two();
        Deadlines { nodes: vec![Time::MAX; 2 * leaves], leaves }
    }

    /// The earliest deadline, `Time::MAX` if there is none.
    pub fn earliest(&self) -> Time {
        self.nodes[1]
    }

    /// The first station with the earliest deadline.
    pub fn first(&self) -> usize {
        let mut node = 1;
        while node < self.leaves {
            node *= 2;
            if self.nodes[node] != self.nodes[1] {
                node += 1;
            }
        }
        node - self.leaves
    }

    /// The deadline of `station` is now `at`; `Time::MAX` for none.
    pub fn set(&mut self, station: usize, at: Time) {
        let mut node = self.leaves + station;
        if self.nodes[node] == at {
            return;
        }
        self.nodes[node] = at;
        while node > 1 {
            node /= 2;
            let earlier = self.nodes[2 * node].min(self.nodes[2 * node + 1]);
            if self.nodes[node] == earlier {
                return;
            }
            self.nodes[node] = earlier;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Law: whatever was set last, the root is the minimum, and its holder the first with it.
        #[test]
        fn the_root_is_the_minimum(n in 1_usize..40, moves in prop::collection::vec((0_usize..40, 0_u64..20), 1..200)) {
            let mut plain = vec![Time::MAX; n];
            let mut tree = Deadlines::new(n);
            for (station, at) in moves {
                let at = if at == 0 { Time::MAX } else { Time::from_nanos(at) };
                plain[station % n] = at;
                tree.set(station % n, at);
                let least = *plain.iter().min().unwrap();
                prop_assert_eq!(tree.earliest(), least);
                prop_assert_eq!(tree.first(), plain.iter().position(|t| *t == least).unwrap());
            }
        }
    }
}
