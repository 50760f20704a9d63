//! Quality of a game.

use super::punctuality::Punctuality;
use super::{Number, count, number};

/// Quality of one direction of a game, as its receiver perceives it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GameQuality {
    /// Number of packets in time, late and lost. A packet counts once its deadline has passed.
    pub packets: Punctuality,
}

impl GameQuality {
    /// Declarations of the numbers in a game's quality.
    pub(super) const NUMBERS: [Number; 5] = [
        count(
            "in_time",
            "Packets in time",
            "in time",
            "Packets of a game that arrived by their deadline. Counts and percentages of a game cover the packets whose deadline has \
             passed, after the warm-up. The number of these packets is the sum of the three counts.",
        ),
        count("late", "Packets late", "late", "Packets of a game that arrived after their deadline."),
        count(
            "lost",
            "Packets lost",
            "lost",
            "Packets of a game that had not arrived by the end of the run, although their deadline had passed.",
        ),
        number(
            "late_pct",
            "Late packets",
            "late",
            "%",
            "Percentage of the packets of a game that arrived after their deadline.",
        ),
        number(
            "lost_pct",
            "Lost packets",
            "lost",
            "%",
            "Percentage of the packets of a game that did not arrive.",
        ),
    ];

    /// Returns the values of the numbers.
    pub(super) fn values(&self) -> [Option<f64>; Self::NUMBERS.len()] {
        let Punctuality { in_time, late, lost, .. } = self.packets;
        let count = |count: u64| Some(count as f64);
        [count(in_time), count(late), count(lost), self.packets.percent(late), self.packets.percent(lost)]
    }
}
