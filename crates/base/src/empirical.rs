//! Empirical distribution of durations.

use crate::Span;

/// Measured durations with their counts.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct EmpiricalDistribution {
    /// Distinct durations in ascending order, each with its cumulative count.
    steps: Vec<(Span, u64)>,
}

impl EmpiricalDistribution {
    /// Creates the distribution from pairs of duration and count, in ascending order of duration.
    pub fn new(counts: impl IntoIterator<Item = (Span, u64)>) -> Self {
        let mut total = 0;
        let step = |(length, count)| {
            total += count;
            (length, total)
        };
        EmpiricalDistribution {
            steps: counts.into_iter().filter(|&(_, count)| count > 0).map(step).collect(),
        }
    }

    /// Returns the number of measurements.
    pub fn count(&self) -> u64 {
        self.steps.last().map_or(0, |&(_, total)| total)
    }

    /// Returns the quantile at `u`, 0 ≤ `u` < 1; zero without measurements.
    pub fn quantile(&self, u: f64) -> Span {
        let rank = (u * self.count() as f64) as u64;
        let place = self.steps.partition_point(|&(_, total)| total <= rank);
        self.steps.get(place).or(self.steps.last()).map_or(Span::ZERO, |&(length, _)| length)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    // The inverse distribution function: of n ranks spread evenly over [0, 1), each duration gets a number
    // equal to its count.
    #[test]
    fn empirical_durations_are_drawn_in_proportion_to_counts() {
        let [short, long] = [Span::from_micros(60), Span::from_millis(40)];
        let measured = EmpiricalDistribution::new([(short, 997), (Span::from_millis(1), 0), (long, 3)]);
        let drawn: Vec<Span> = (0..1000).map(|i| measured.quantile((f64::from(i) + 0.5) / 1000.0)).collect();
        assert_eq!(drawn.iter().filter(|&&length| length == short).count(), 997);
        assert_eq!(drawn.iter().filter(|&&length| length == long).count(), 3);
        assert_eq!((measured.quantile(0.0), measured.quantile(1.0)), (short, long));
    }

    #[test]
    fn an_empty_distribution_draws_zero() {
        assert_eq!(
            (EmpiricalDistribution::default().quantile(0.5), EmpiricalDistribution::default().count()),
            (Span::ZERO, 0)
        );
    }
}
