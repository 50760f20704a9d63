//! Quality of a call.

use super::e_model::{Codec, delay_impairment, mean_opinion_score, rating};
use super::punctuality::Punctuality;
use super::{ClassAggregation, QualityMetric, count_metric, mean_metric};
use airhop_base::Span;

/// Quality of one direction of a call, as its listener perceives it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CallQuality {
    /// Number of packets in time, late and lost. A packet counts once its playout time has passed.
    pub punctuality: Punctuality,
    /// Rating by the E-model; `None` before the first packet.
    pub rating: Option<Rating>,
}

/// Rating of one direction of a call by the E-model (ITU-T G.107).
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rating {
    /// Delay from mouth to ear in ms.
    pub mouth_to_ear_ms: f64,
    /// Burst ratio of the missed packets; `None` without missed packets.
    pub burst_ratio: Option<f64>,
    /// Impairment Idd of the delay.
    pub idd: f64,
    /// Effective equipment impairment Ie,eff: impairment of the codec and of the losses.
    pub ie_eff: f64,
    /// Transmission rating factor R, 0 to 100.
    pub r: f64,
    /// Estimated mean opinion score, 1 to 4.5.
    pub mos: f64,
}

impl CallQuality {
    /// Declarations of the numbers in a call's quality.
    pub(super) const METRICS: [QualityMetric; 11] = [
        count_metric(
            "played",
            "Packets played",
            "played",
            "Packets that arrived by their playout time. Counts and percentages of a call cover the packets whose playout time has \
             passed, after the warm-up; the first packet that arrives plays one `playout` after its arrival, and all others keep their \
             distance to it. The sum of played, late and lost packets is their number.",
        ),
        count_metric(
            "late",
            "Packets late",
            "late",
            "Packets that arrived after their playout time, and were discarded.",
        ),
        count_metric(
            "lost",
            "Packets lost",
            "lost",
            "Packets that had not arrived by the end of the run, although their playout time had passed.",
        ),
        mean_metric(
            "late_pct",
            "Late packets",
            "late",
            "%",
            "Percentage of the packets of a call that arrived after their playout time.",
        ),
        mean_metric(
            "lost_pct",
            "Lost packets",
            "lost",
            "%",
            "Percentage of the packets of a call that did not arrive.",
        ),
        mean_metric(
            "mouth_to_ear_ms",
            "Mouth-to-ear delay",
            "mouth to ear",
            "ms",
            "Delay of the voice from mouth to ear, equal for all packets: time to fill a packet (`every`), network delay of the first \
             packet that arrived, and `playout`. Null before the first packet.",
        ),
        mean_metric(
            "burst_ratio",
            "Burst ratio",
            "burst ratio",
            "",
            "BurstR of ITU-T G.107: mean number of successive packets that were late or lost, relative to the mean under random loss. \
             Null without such packets; the rating uses at least 1.",
        ),
        mean_metric(
            "idd",
            "Impairment of the delay, Idd",
            "Idd",
            "",
            "Impairment of the mouth-to-ear delay, Idd of ITU-T G.107 §7.4; echo is cancelled.",
        ),
        mean_metric(
            "ie_eff",
            "Impairment of codec and losses, Ie,eff",
            "Ie,eff",
            "",
            "Effective equipment impairment, Ie,eff of ITU-T G.107 §7.5, of the codec and of all packets that were late or lost.",
        ),
        QualityMetric {
            class_aggregation: ClassAggregation::MeanAndLowest("r_min"),
            ..mean_metric(
                "r",
                "Rating R",
                "rating R",
                "",
                "Transmission rating factor of ITU-T G.107 with the default values of all other parameters: R = 93.2 - Idd - Ie,eff, from 0 \
                 to 100. Above 80 users are satisfied, below 70 many are not (G.109). Null before the first packet.",
            )
        },
        mean_metric(
            "mos",
            "Mean opinion score",
            "MOS",
            "",
            "Mean opinion score estimated from R, 1 to 4.5 (ITU-T G.107 Annex B).",
        ),
    ];

    /// Creates the quality from the packets of one direction. `bound`: maximum one-way delay of a played
    /// packet; `None` before the first packet.
    pub(in crate::apps) fn new(
        packets: Punctuality,
        interval: Span,
        bound: Option<Span>,
        codec: Codec,
    ) -> Self {
        let rated = bound.zip(packets.percent(packets.missed()));
        CallQuality {
            punctuality: packets,
            rating: rated.map(|(bound, ppl)| {
                let mouth_to_ear_ms = (interval + bound).millis_f64();
                let burst_ratio = packets.burst_ratio();
                let idd = delay_impairment(mouth_to_ear_ms);
                let ie_eff = codec.impairment(ppl, burst_ratio.unwrap_or(1.0));
                let r = rating(idd, ie_eff);
                Rating { mouth_to_ear_ms, burst_ratio, idd, ie_eff, r, mos: mean_opinion_score(r) }
            }),
        }
    }

    /// Returns the values of the numbers.
    pub(super) fn values(&self) -> [Option<f64>; Self::METRICS.len()] {
        let Punctuality { in_time, late, lost, .. } = self.punctuality;
        let of = |number: fn(&Rating) -> f64| self.rating.as_ref().map(number);
        [
            Some(in_time as f64),
            Some(late as f64),
            Some(lost as f64),
            self.punctuality.percent(late),
            self.punctuality.percent(lost),
            of(|rating| rating.mouth_to_ear_ms),
            self.rating.and_then(|rating| rating.burst_ratio),
            of(|rating| rating.idd),
            of(|rating| rating.ie_eff),
            of(|rating| rating.r),
            of(|rating| rating.mos),
        ]
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G711: Codec = Codec { ie: 0.0, bpl: 4.3 };

    // Values computed by hand. 20 ms of speech, a network delay of 20 ms and a playout delay of 60 ms add up
    // to 100 ms from mouth to ear, which listeners do not perceive. Of 200 packets 10 are late or lost, each
    // alone: Ppl is 5 %, BurstR is 0.95 and counts as 1, and Ie,eff is 95 × 5 / 9.3.
    #[test]
    fn a_rating_combines_delay_and_losses() {
        let packets = Punctuality { in_time: 190, late: 4, lost: 6, miss_bursts: 10 };
        let rated = |bound_ms| {
            let bound = Span::from_millis(bound_ms);
            CallQuality::new(packets, Span::from_millis(20), Some(bound), G711).rating.expect("packets")
        };
        let rating = rated(80);
        assert_eq!((rating.mouth_to_ear_ms, rating.idd), (100.0, 0.0));
        assert!((rating.burst_ratio.expect("losses") - 0.95).abs() < 1e-12);
        assert!((rating.ie_eff - 475.0 / 9.3).abs() < 1e-12);
        assert!((rating.r - (93.2 - 475.0 / 9.3)).abs() < 1e-12);
        assert!((rated(380).r - (93.2 - 24.070089219773 - 475.0 / 9.3)).abs() < 1e-9);
    }

    #[test]
    fn a_call_without_packets_has_no_rating() {
        let quality = |packets, bound| CallQuality::new(packets, Span::from_millis(20), bound, G711);
        let heard = Punctuality { in_time: 1, ..Punctuality::default() };
        let bound = Some(Span::from_millis(80));
        assert_eq!(quality(Punctuality::default(), bound).values()[3..], [None; 8]);
        assert_eq!(quality(Punctuality::default(), None).rating, None);
        assert_eq!(
            quality(heard, bound).rating.map(|rating| (rating.r, rating.burst_ratio)),
            Some((93.2, None))
        );
    }
}
