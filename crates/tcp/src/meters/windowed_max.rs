use std::collections::VecDeque;

/// The greatest value of the last so many rounds.
#[derive(Debug)]
pub struct WindowedMax {
    rounds: u64,
    /// Each greater than all after it: what may yet become the greatest. With the round it is of.
    values: VecDeque<(u64, f64)>,
}

impl WindowedMax {
    /// Of a value's own round and `rounds` after it.
    pub fn new(rounds: u64) -> Self {
        WindowedMax { rounds, values: VecDeque::new() }
    }

    /// From the next update on, of a value's own round and `rounds` after it.
    pub fn span(&mut self, rounds: u64) {
        self.rounds = rounds;
    }

    /// A value in `round`; rounds never go back.
    pub fn update(&mut self, round: u64, value: f64) {
        while self.values.back().is_some_and(|&(_, last)| last <= value) {
            self.values.pop_back();
        }
        self.values.push_back((round, value));
        while self.values.front().is_some_and(|&(of, _)| of + self.rounds < round) {
            self.values.pop_front();
        }
    }

    /// The greatest at the last update; zero before the first.
    pub fn get(&self) -> f64 {
        self.values.front().map_or(0.0, |&(_, value)| value)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // A maximum holds for its window and then gives way to the greatest that came after it.
    #[test]
    fn a_maximum_expires() {
        let mut max = WindowedMax::new(10);
        assert_eq!(max.get(), 0.0);
        let after: Vec<f64> =
            [(0, 5.0), (0, 9.0), (3, 7.0), (4, 6.0), (10, 1.0), (11, 2.0), (14, 3.0), (15, 3.0)]
                .into_iter()
                .map(|(round, value)| {
                    max.update(round, value);
                    max.get()
                })
                .collect();
        assert_eq!(after, [5.0, 9.0, 9.0, 9.0, 9.0, 7.0, 6.0, 3.0]);
    }

    // A shorter window forgets at once what is too old for it.
    #[test]
    fn the_window_may_become_shorter() {
        let mut max = WindowedMax::new(10);
        max.update(0, 9.0);
        max.span(1);
        max.update(1, 5.0);
        assert_eq!(max.get(), 9.0);
        max.update(2, 4.0);
        assert_eq!(max.get(), 5.0);
    }
}
