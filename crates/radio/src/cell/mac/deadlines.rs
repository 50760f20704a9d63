//! Earliest deadline of the stations of a cell.
use airhop_base::Time;

/// Deadlines of the stations, and the earliest deadline.
///
/// Few stations have a deadline: idle stations have none, and a busy medium stops every backoff within sense
/// range. A change needs one store and one bit. A search is necessary only after the earliest deadline was
/// cleared.
///
/// A cell has a single event in the world's queue, at the earliest deadline. With one event per station,
/// every frame would leave one obsolete event per station.
#[derive(Debug)]
pub(crate) struct Deadlines {
    /// Deadline of each station; valid only for the stations in `set`.
    at: Vec<Time>,
    /// Set of the stations that have a deadline, with 64 bits per word.
    set: Vec<u64>,
    /// Earliest deadline, and the first station with this deadline; `None` if a search is needed.
    earliest: Option<(Time, usize)>,
}

/// Value of the earliest deadline if no station has one.
const NO_DEADLINE: (Time, usize) = (Time::MAX, usize::MAX);

impl Deadlines {
    /// Creates the set for `stations` stations without a deadline.
    pub fn new(stations: usize) -> Self {
        Deadlines { at: vec![Time::MAX; stations], set: vec![0; stations.div_ceil(64)], earliest: None }
    }

    /// Returns the earliest deadline and the first station with this deadline; `Time::MAX` if no station has
    /// a deadline.
    #[inline]
    pub fn earliest(&mut self) -> (Time, usize) {
        match self.earliest {
            Some(earliest) => earliest,
            None => self.find_earliest(),
        }
    }

    fn find_earliest(&mut self) -> (Time, usize) {
        let mut earliest = NO_DEADLINE;
        for (word, &set) in self.set.iter().enumerate() {
            let mut rest = set;
            while rest != 0 {
                let station = 64 * word + rest.trailing_zeros() as usize;
                let at = self.at[station];
                if at < earliest.0 {
                    earliest = (at, station);
                }
                rest &= rest - 1;
            }
        }
        self.earliest = Some(earliest);
        earliest
    }

    /// Sets the deadline of `station`; `Time::MAX` clears it.
    #[inline]
    pub fn set(&mut self, station: usize, at: Time) {
        if at == Time::MAX {
            return self.clear(station);
        }
        self.at[station] = at;
        self.set[station / 64] |= 1 << (station % 64);
        match &mut self.earliest {
            Some((least, first)) if at < *least || at == *least && station <= *first => {
                (*least, *first) = (at, station);
            }
            Some((_, first)) if *first == station => self.earliest = None,
            _ => {}
        }
    }

    /// Clears the deadline of `station`.
    #[inline]
    pub fn clear(&mut self, station: usize) {
        self.set[station / 64] &= !(1 << (station % 64));
        if self.earliest.is_some_and(|(_, first)| first == station) {
            // Often no other station has a deadline, and no search is needed.
            self.earliest = self.set.iter().all(|&set| set == 0).then_some(NO_DEADLINE);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Law: after any sequence of changes, the earliest deadline is the minimum, and its station is the
        /// first with this minimum.
        #[test]
        fn the_earliest_deadline_is_the_minimum_of_all_stations(n in 1_usize..200, moves in prop::collection::vec((0_usize..200, 0_u64..20), 1..300)) {
            let mut plain = vec![Time::MAX; n];
            let mut deadlines = Deadlines::new(n);
            for (station, at) in moves {
                let at = if at == 0 { Time::MAX } else { Time::from_nanos(at) };
                plain[station % n] = at;
                deadlines.set(station % n, at);
                let least = *plain.iter().min().unwrap();
                let first = plain.iter().position(|t| *t == least).unwrap();
                let expect = if least == Time::MAX { (least, usize::MAX) } else { (least, first) };
                prop_assert_eq!(deadlines.earliest(), expect);
            }
        }
    }
}
