//! Quality of applications as measures of flows and of classes. The run document has an object for each kind
//! of quality, named after the kind.

use super::measure::{Column, FlowAggregation, Measure, Quantity, Value};
use crate::apps::{InClass, Number, Quality};

/// Name of the field of a report with the quality.
const FIELD: &str = "quality";

/// Returns the entries of a measure in the run document: the measure, or of a quality its kinds.
pub(super) fn entries((name, value): (&'static str, Value)) -> Vec<(&'static str, Value)> {
    match value {
        Value::Group(kinds) if name == FIELD => kinds,
        Value::Null if name == FIELD => Vec::new(),
        value => vec![(name, value)],
    }
}

impl Quantity for Option<Quality> {
    fn columns(measure: &Measure) -> Vec<Column> {
        columns(|kind, number| vec![column(measure, kind, number, number.key, number.label.into())])
    }

    fn value(&self) -> Value {
        let Some(quality) = self else { return Value::Null };
        let (kind, values) = quality.values();
        let numbers = numbers_of(kind).iter().zip(values);
        let group = numbers.map(|(number, value)| (number.key, written(number, value))).collect();
        Value::Group(vec![(kind, Value::Group(group))])
    }
}

/// Qualities of the applications of a class.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct ClassQuality(pub Vec<Quality>);

impl Quantity for ClassQuality {
    fn columns(measure: &Measure) -> Vec<Column> {
        columns(|kind, number| {
            let mut found = vec![column(measure, kind, number, number.key, number.label.into())];
            if let InClass::MeanAndLowest(key) = number.in_class {
                let lowest = column(measure, kind, number, key, format!("{}, lowest", number.label));
                found.push(Column { short: format!("lowest {}", number.short), ..lowest });
            }
            found
        })
    }

    fn value(&self) -> Value {
        let of_kinds = Quality::KINDS.iter().filter_map(|&(kind, numbers)| {
            let mine = self.0.iter().map(Quality::values).filter(|(of, _)| *of == kind);
            let mine: Vec<_> = mine.map(|(_, values)| values).collect();
            let of_number = |(i, number): (usize, &Number)| {
                combined(number, mine.iter().filter_map(move |values| values[i]))
            };
            let group = numbers.iter().enumerate().flat_map(of_number);
            (!mine.is_empty()).then(|| (kind, Value::Group(group.collect())))
        });
        Value::Group(of_kinds.collect())
    }
}

/// Returns the values of a number in a class, from the values of its flows that have the number.
fn combined(number: &Number, values: impl Iterator<Item = f64> + Clone) -> Vec<(&'static str, Value)> {
    let (sum, count) = (values.clone().sum::<f64>(), values.clone().count());
    let mean = (count > 0).then(|| sum / count as f64);
    match number.in_class {
        InClass::Sum => vec![(number.key, written(number, Some(sum)))],
        InClass::Mean => vec![(number.key, written(number, mean))],
        InClass::MeanAndLowest(lowest) => {
            let least = written(number, values.reduce(f64::min));
            vec![(number.key, written(number, mean)), (lowest, least)]
        }
    }
}

fn written(number: &Number, value: Option<f64>) -> Value {
    match value {
        None => Value::Null,
        Some(count) if number.is_count => Value::Count(count as u64),
        Some(number) => Value::Real(number),
    }
}

fn numbers_of(kind: &str) -> &'static [Number] {
    let found = Quality::KINDS.iter().find(|(known, _)| *known == kind);
    found.map_or(&[], |(_, numbers)| numbers)
}

/// Returns the columns of all numbers of all kinds.
fn columns(of: impl Fn(&'static str, &Number) -> Vec<Column>) -> Vec<Column> {
    let kinds = Quality::KINDS.into_iter();
    kinds
        .flat_map(|(kind, numbers)| numbers.iter().flat_map(|number| of(kind, number)).collect::<Vec<_>>())
        .collect()
}

fn column(
    measure: &Measure,
    kind: &'static str,
    number: &Number,
    key: &'static str,
    label: String,
) -> Column {
    // A count of packets is not a measure of a run.
    let over_flows = if number.is_count { FlowAggregation::PerFlow } else { measure.over_flows };
    Column {
        name: format!("{kind}_{key}"),
        path: vec![kind, key],
        label,
        short: number.short.into(),
        unit: number.unit,
        about: number.about,
        over_flows,
        ..Column::of(measure, number.is_count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::{GameQuality, Punctuality};

    fn game(in_time: u64, late: u64, lost: u64) -> Quality {
        Quality::Game(GameQuality { packets: Punctuality { in_time, late, lost, bursts: 1 } })
    }

    // Counts of a class are sums, and percentages are means over the flows that have one.
    #[test]
    fn a_class_combines_the_numbers_of_its_flows() {
        let class = ClassQuality(vec![game(9, 1, 0), game(7, 0, 3), game(0, 0, 0)]);
        let Value::Group(kinds) = class.value() else { panic!("a group") };
        let expected = [
            ("in_time", Value::Count(16)),
            ("late", Value::Count(1)),
            ("lost", Value::Count(3)),
            ("late_pct", Value::Real(5.0)),
            ("lost_pct", Value::Real(15.0)),
        ];
        assert_eq!(kinds, [("game", Value::Group(expected.into()))]);
        assert_eq!(ClassQuality::default().value(), Value::Group(Vec::new()));
    }

    // A class lists the lowest rating of its flows after the mean; null without ratings.
    #[test]
    fn a_class_has_the_mean_and_the_lowest_rating() {
        let (kind, numbers) = Quality::KINDS[0];
        let r = numbers.iter().find(|number| number.key == "r").expect("a rating");
        let real = [("r", Value::Real(70.0)), ("r_min", Value::Real(50.0))];
        assert_eq!((kind, combined(r, [90.0, 50.0].into_iter())), ("call", real.into()));
        assert_eq!(combined(r, std::iter::empty()), [("r", Value::Null), ("r_min", Value::Null)]);
    }
}
