//! Quality of a game.

use super::punctuality::Punctuality;
use super::{QualityMetric, count_metric, mean_metric};

/// Quality of one direction of a game, as its receiver perceives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameQuality {
    /// Number of packets in time, late and lost. A packet counts once its deadline has passed.
    pub punctuality: Punctuality,
}

impl GameQuality {
    /// Declarations of the numbers in a game's quality.
    pub(super) const METRICS: [QualityMetric; 5] = [
        count_metric(
            "in_time",
            "Packets in time",
            "in time",
            "Packets of a game that arrived by their deadline. Counts and percentages of a game cover the packets whose deadline has \
             passed, after the warm-up. The number of these packets is the sum of the three counts.",
        ),
        count_metric("late", "Packets late", "late", "Packets of a game that arrived after their deadline."),
        count_metric(
            "lost",
            "Packets lost",
            "lost",
            "Packets of a game that had not arrived by the end of the run, although their deadline had passed.",
        ),
        mean_metric(
            "late_pct",
            "Late packets",
            "late",
            "%",
            "Percentage of the packets of a game that arrived after their deadline.",
        ),
        mean_metric(
            "lost_pct",
            "Lost packets",
            "lost",
            "%",
            "Percentage of the packets of a game that did not arrive.",
        ),
    ];

    /// Returns the values of the numbers.
    pub(super) fn values(&self) -> [Option<f64>; Self::METRICS.len()] {
        let Punctuality { in_time, late, lost, .. } = self.punctuality;
        let count = |count: u64| Some(count as f64);
        [
            count(in_time),
            count(late),
            count(lost),
            self.punctuality.percent(late),
            self.punctuality.percent(lost),
        ]
    }
}
