use std::collections::VecDeque;

/// Minimum (`LEAST`) or maximum over a sliding window. A position is a count of rounds, a time in
/// nanoseconds, or another increasing number.
#[derive(Debug)]
pub struct WindowedExtreme<V, const LEAST: bool> {
    length: u64,
    /// Positions and values that may become the extreme; each value is more extreme than all later values.
    values: VecDeque<(u64, V)>,
}

/// Maximum over a sliding window.
pub type WindowedMax<V = f64> = WindowedExtreme<V, false>;
/// Minimum over a sliding window.
pub type WindowedMin<V> = WindowedExtreme<V, true>;

impl<V: PartialOrd + Copy, const LEAST: bool> WindowedExtreme<V, LEAST> {
    /// Creates the window. A value counts at its own position and at the next `length` positions.
    pub fn new(length: u64) -> Self {
        WindowedExtreme { length, values: VecDeque::new() }
    }

    /// Sets the length of the window for the next updates. Values already removed are not restored.
    pub fn resize(&mut self, length: u64) {
        self.length = length;
    }

    /// Adds a value at the position `place`; positions must not decrease.
    pub fn update(&mut self, place: u64, value: V) {
        let beats = |last: V| if LEAST { value <= last } else { value >= last };
        while self.values.back().is_some_and(|&(_, last)| beats(last)) {
            self.values.pop_back();
        }
        self.values.push_back((place, value));
        while self.values.front().is_some_and(|&(of, _)| of.saturating_add(self.length) < place) {
            self.values.pop_front();
        }
    }

    /// Returns the extreme at the last update; `None` before the first update.
    pub fn extreme(&self) -> Option<V> {
        self.values.front().map(|&(_, value)| value)
    }
}

impl WindowedMax {
    /// Returns the maximum at the last update; zero before the first update.
    pub fn current_max(&self) -> f64 {
        self.extreme().unwrap_or(0.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const VALUES: [(u64, f64); 8] =
        [(0, 5.0), (0, 9.0), (3, 7.0), (4, 6.0), (10, 1.0), (11, 2.0), (14, 3.0), (15, 3.0)];

    // The maximum remains for the length of the window; then the greatest later value replaces it.
    #[test]
    fn a_windowed_maximum_expires() {
        let mut max = WindowedMax::new(10);
        assert_eq!(max.current_max(), 0.0);
        let after = VALUES.map(|(place, value)| {
            max.update(place, value);
            max.current_max()
        });
        assert_eq!(after, [5.0, 9.0, 9.0, 9.0, 9.0, 7.0, 6.0, 3.0]);
    }

    // The minimum of the negated values behaves in the same way.
    #[test]
    fn a_windowed_minimum_expires() {
        let mut min = WindowedMin::new(10);
        assert_eq!(min.extreme(), None);
        let after = VALUES.map(|(place, value)| {
            min.update(place, -value);
            min.extreme()
        });
        assert_eq!(after, [5.0, 9.0, 9.0, 9.0, 9.0, 7.0, 6.0, 3.0].map(|value| Some(-value)));
    }

    // A shorter window removes the values outside of it. A longer window does not restore removed values.
    #[test]
    fn shortening_the_window_removes_older_values() {
        let mut min = WindowedMin::new(10);
        [(0, 1), (4, 2), (8, 3)].into_iter().for_each(|(place, value)| min.update(place, value));
        assert_eq!(min.extreme(), Some(1));
        min.resize(5);
        min.update(9, 4);
        assert_eq!(min.extreme(), Some(2));
        min.resize(20);
        min.update(20, 5);
        assert_eq!(min.extreme(), Some(2));
    }
}
