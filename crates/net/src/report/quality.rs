//! Quality of applications as a measure. The run document has an entry named after each kind of application.
//! Flows and classes without an application of this kind have no such entry.

use super::measure::{Column, FlowAggregation, Measure, Quantity, ReportValue};
use crate::apps::{ClassAggregation, Quality, QualityMetric};

/// Quality of the application of a flow.
impl Quantity for Option<Quality> {
    fn columns(measure: &Measure) -> Vec<Column> {
        columns(|kind, number| vec![column(measure, kind, number)])
    }

    fn value(&self) -> ReportValue {
        ReportValue::Group(self.entries(""))
    }

    fn entries(&self, _: &'static str) -> Vec<(&'static str, ReportValue)> {
        let entry = |quality: &Quality| {
            let (kind, values) = quality.values();
            let numbers = numbers_of(kind).iter().zip(values);
            (
                kind,
                ReportValue::Group(
                    numbers.map(|(number, value)| (number.key, metric_value(number, value))).collect(),
                ),
            )
        };
        self.iter().map(entry).collect()
    }
}

/// Qualities of the applications of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassQuality(pub Vec<Quality>);

impl Quantity for ClassQuality {
    fn columns(measure: &Measure) -> Vec<Column> {
        columns(|kind, number| {
            let mean = column(measure, kind, number);
            let lowest = match number.class_aggregation {
                ClassAggregation::MeanAndLowest(key) => Some(Column {
                    name: format!("{kind}_{key}"),
                    path: vec![kind, key],
                    label: format!("{}, lowest", number.label),
                    short: format!("lowest {}", number.short),
                    ..column(measure, kind, number)
                }),
                ClassAggregation::Sum | ClassAggregation::Mean => None,
            };
            [mean].into_iter().chain(lowest).collect()
        })
    }

    fn value(&self) -> ReportValue {
        ReportValue::Group(self.entries(""))
    }

    fn entries(&self, _: &'static str) -> Vec<(&'static str, ReportValue)> {
        let entry = |(kind, numbers): (&'static str, &[QualityMetric])| {
            let mine = self.0.iter().map(Quality::values).filter(|(of, _)| *of == kind);
            let mine: Vec<_> = mine.map(|(_, values)| values).collect();
            let group = numbers.iter().enumerate().flat_map(|(place, number)| {
                combine_flows(number, mine.iter().filter_map(move |values| values[place]))
            });
            (!mine.is_empty()).then(|| (kind, ReportValue::Group(group.collect())))
        };
        Quality::KINDS.into_iter().filter_map(entry).collect()
    }
}

/// Returns the columns for all numbers of all kinds of qualities.
fn columns(of: impl Fn(&'static str, &'static QualityMetric) -> Vec<Column>) -> Vec<Column> {
    let mut found = Vec::new();
    for (kind, numbers) in Quality::KINDS {
        found.extend(numbers.iter().flat_map(|number| of(kind, number)));
    }
    found
}

fn column(measure: &Measure, kind: &'static str, number: &'static QualityMetric) -> Column {
    Column {
        name: format!("{kind}_{}", number.key),
        path: vec![kind, number.key],
        label: number.label.into(),
        short: number.short.into(),
        unit: number.unit,
        about: number.about,
        over_flows: match number.class_aggregation {
            ClassAggregation::Sum => FlowAggregation::Sum,
            ClassAggregation::Mean | ClassAggregation::MeanAndLowest(_) => FlowAggregation::Mean,
        },
        ..Column::from_measure(measure, number.is_count)
    }
}

/// Returns the value of a number for a class, computed from the values of its flows.
fn combine_flows(
    number: &QualityMetric,
    values: impl Iterator<Item = f64> + Clone,
) -> Vec<(&'static str, ReportValue)> {
    let (sum, count) = (values.clone().sum::<f64>(), values.clone().count());
    let mean = (count > 0).then(|| sum / count as f64);
    match number.class_aggregation {
        ClassAggregation::Sum => vec![(number.key, metric_value(number, Some(sum)))],
        ClassAggregation::Mean => vec![(number.key, metric_value(number, mean))],
        ClassAggregation::MeanAndLowest(lowest) => {
            let least = metric_value(number, values.reduce(f64::min));
            vec![(number.key, metric_value(number, mean)), (lowest, least)]
        }
    }
}

fn metric_value(number: &QualityMetric, value: Option<f64>) -> ReportValue {
    match value {
        None => ReportValue::Null,
        Some(count) if number.is_count => ReportValue::Count(count as u64),
        Some(number) => ReportValue::Real(number),
    }
}

fn numbers_of(kind: &str) -> &'static [QualityMetric] {
    let found = Quality::KINDS.iter().find(|(known, _)| *known == kind);
    found.map_or(&[], |(_, numbers)| numbers)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::{GameQuality, Punctuality, VideoQuality};
    use airhop_base::Span;

    fn game(in_time: u64, late: u64, lost: u64) -> Quality {
        Quality::Game(GameQuality { punctuality: Punctuality { in_time, late, lost, miss_bursts: 1 } })
    }

    /// Returns the numbers of a class. All applications of the class must be of one kind.
    fn numbers(class: &[Quality]) -> Vec<(&'static str, ReportValue)> {
        match &ClassQuality(class.into()).entries("")[..] {
            [(_, ReportValue::Group(numbers))] => numbers.clone(),
            entries => panic!("one kind: {entries:?}"),
        }
    }

    // Counts of a class are sums, and percentages are means over the flows that have a percentage.
    #[test]
    fn a_class_combines_the_numbers_of_its_flows() {
        let expected = [
            ("in_time", ReportValue::Count(16)),
            ("late", ReportValue::Count(1)),
            ("lost", ReportValue::Count(3)),
            ("late_pct", ReportValue::Real(5.0)),
            ("lost_pct", ReportValue::Real(15.0)),
        ];
        assert_eq!(numbers(&[game(9, 1, 0), game(7, 0, 3), game(0, 0, 0)]), expected);
        assert_eq!(ClassQuality::default().entries(""), []);
    }

    // A class lists the mean rating of its flows, and then the lowest; null if no flow has a rating.
    #[test]
    fn a_class_has_the_mean_and_the_lowest_rating() {
        let (kind, numbers) = Quality::KINDS[0];
        let r = numbers.iter().find(|number| number.key == "r").expect("a rating");
        let real = [("r", ReportValue::Real(70.0)), ("r_min", ReportValue::Real(50.0))];
        assert_eq!((kind, combine_flows(r, [90.0, 50.0].into_iter())), ("call", real.into()));
        assert_eq!(
            combine_flows(r, std::iter::empty()),
            [("r", ReportValue::Null), ("r_min", ReportValue::Null)]
        );
    }

    // Two videos, one of which has not begun to play. Counts and times are summed. Startup delay, bitrate and
    // stalled percentage are means over the videos that have them.
    #[test]
    fn class_quality_combines_the_videos_of_its_flows() {
        let video = |startup: u64, played: u64, stalled: u64| {
            let (played, stalled) = (Span::from_secs(played), Span::from_secs(stalled));
            let startup = Some(Span::from_secs(startup));
            let played_bits = 2_000_000 * u128::from(played.nanos());
            let counts = VideoQuality {
                stalls: 3,
                bitrate_switches: 2,
                downloaded_segments: 5,
                ..VideoQuality::default()
            };
            Quality::Video(VideoQuality {
                startup_delay: startup,
                played_time: played,
                played_bits,
                stalled_time: stalled,
                ..counts
            })
        };
        let waiting = Quality::Video(VideoQuality { downloaded_segments: 1, ..VideoQuality::default() });
        let expected = [
            ("startup_s", ReportValue::Real(2.0)),
            ("stalls", ReportValue::Count(6)),
            ("stalled_s", ReportValue::Real(15.0)),
            ("stalled_pct", ReportValue::Real(37.5)),
            ("played_s", ReportValue::Real(35.0)),
            ("bitrate_mbps", ReportValue::Real(2.0)),
            ("switches", ReportValue::Count(4)),
            ("segments", ReportValue::Count(11)),
        ];
        assert_eq!(numbers(&[video(1, 30, 10), waiting, video(3, 5, 5)]), expected);
        let Some((_, ReportValue::Group(alone))) = Some(waiting).entries("").pop() else { panic!("a group") };
        assert_eq!(
            (&alone[0], &alone[7]),
            (&("startup_s", ReportValue::Null), &("segments", ReportValue::Count(1)))
        );
        assert_eq!(None::<Quality>.entries(""), [], "other flows have no entry");
    }
}
