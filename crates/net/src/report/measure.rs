//! Measure: a number or group of numbers of a flow or run, with its description for documents, data frames,
//! tables and plots.

use super::connections::ConnectionCounts;
use super::marks::EcnCounts;
use crate::delays::DelaySummary;
use crate::ground_truth::lateness::NoticeLateness;
use crate::ground_truth::loss_ledger::{Confusion, TRUE_CAUSES};
use crate::transit::CompletionSummary;
use airhop_base::NoticeKind;
use airhop_tcp::seams::LossClass;

/// Rule that combines the flows' values into a value of the run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FlowAggregation {
    /// Sum over the TCP flows.
    Sum,
    /// Mean over the flows that have a value.
    Mean,
    /// Value of the run, repeated in the results of each flow.
    First,
    /// No value for a run: the measure is defined per flow only.
    PerFlow,
}

/// Description of a field of [`super::FlowReport`].
#[derive(Clone, Copy, Debug)]
pub(super) struct Measure {
    /// Key in the run document.
    pub name: &'static str,
    /// Label of axes and menus.
    pub label: &'static str,
    /// Heading of a narrow table column; empty if equal to the label. Lines may break at spaces.
    pub short: &'static str,
    /// Unit; empty for counts and ratios.
    pub unit: &'static str,
    /// Definition, one or two sentences.
    pub about: &'static str,
    /// Rule that combines the values of flows.
    pub over_flows: FlowAggregation,
    /// True if the measure covers only the time after the warm-up. The value at the end of the warm-up is
    /// then subtracted.
    pub after_warm_up: bool,
    /// True if the network can observe the measure for flows of real senders. False if only the senders'
    /// kernels know the measure.
    pub of_real: bool,
}

/// Default properties of a measure.
pub(super) const MEASURE: Measure = Measure {
    name: "",
    label: "",
    short: "",
    unit: "",
    about: "",
    over_flows: FlowAggregation::Sum,
    after_warm_up: true,
    of_real: true,
};

/// Single number of a measure, as a column of a data frame.
#[derive(Clone, Debug)]
pub struct Column {
    /// Name of the column.
    pub name: String,
    /// Keys that lead to the value in the entry of the flow. For a measure of the run, the keys lead through
    /// the run document.
    pub path: Vec<&'static str>,
    /// Label of axes and menus.
    pub label: String,
    /// Short label, from `Measure::short`.
    pub short: String,
    /// Unit; empty for counts and ratios.
    pub unit: &'static str,
    /// Definition of the column's measure.
    pub about: &'static str,
    /// Rule that combines the values of flows.
    pub over_flows: FlowAggregation,
    /// True for a value that covers the time after the warm-up, from `Measure::after_warm_up`.
    pub after_warm_up: bool,
    /// True if the measure exists for flows of real senders, from `Measure::of_real`.
    pub of_real: bool,
    /// True if the number is an integer.
    pub is_count: bool,
}

impl Column {
    /// Returns the column for a measure that is a single number.
    pub(super) fn from_measure(measure: &Measure, is_count: bool) -> Column {
        let &Measure { name, label, short, unit, about, over_flows, after_warm_up, of_real } = measure;
        Column {
            name: name.into(),
            path: vec![name],
            label: label.into(),
            short: if short.is_empty() { label } else { short }.into(),
            unit,
            about,
            over_flows,
            after_warm_up,
            of_real,
            is_count,
        }
    }

    /// Returns the column for one number of a group. `keys`: keys below the key of the measure.
    fn from_group(measure: &Measure, keys: &[&'static str], name: String, label: String) -> Column {
        let path = [&[measure.name], keys].concat();
        Column { name, path, short: label.clone(), label, ..Column::from_measure(measure, true) }
    }
}

/// Value in the run document.
#[derive(Clone, Debug, PartialEq)]
pub enum ReportValue {
    /// `null`: the value was not measured, or only a real kernel knows it.
    Null,
    /// Integer.
    Count(u64),
    /// Any other number.
    Real(f64),
    /// Values by key.
    Group(Vec<(&'static str, ReportValue)>),
}

/// Type of a field of a report.
pub(super) trait Quantity {
    /// Returns the columns of the field in data frames.
    fn columns(measure: &Measure) -> Vec<Column>;
    /// Returns the value in the run document.
    fn value(&self) -> ReportValue;
    /// Returns the entries of the measure `name` in the run document: one entry, or one per kind of
    /// application.
    fn entries(&self, name: &'static str) -> Vec<(&'static str, ReportValue)> {
        vec![(name, self.value())]
    }
    /// Subtracts the counts of `earlier`. A rate is recomputed from the difference.
    fn leave_out(&mut self, _earlier: &Self) {}
}

impl Quantity for u64 {
    fn columns(measure: &Measure) -> Vec<Column> {
        vec![Column::from_measure(measure, true)]
    }

    fn value(&self) -> ReportValue {
        ReportValue::Count(*self)
    }

    fn leave_out(&mut self, earlier: &Self) {
        *self -= earlier;
    }
}

impl Quantity for usize {
    fn columns(measure: &Measure) -> Vec<Column> {
        vec![Column::from_measure(measure, true)]
    }

    fn value(&self) -> ReportValue {
        ReportValue::Count(*self as u64)
    }
}

impl Quantity for f64 {
    fn columns(measure: &Measure) -> Vec<Column> {
        vec![Column::from_measure(measure, false)]
    }

    fn value(&self) -> ReportValue {
        ReportValue::Real(*self)
    }
}

impl Quantity for Option<f64> {
    fn columns(measure: &Measure) -> Vec<Column> {
        vec![Column::from_measure(measure, false)]
    }

    fn value(&self) -> ReportValue {
        self.map_or(ReportValue::Null, ReportValue::Real)
    }
}

impl Quantity for Option<u64> {
    fn columns(measure: &Measure) -> Vec<Column> {
        vec![Column::from_measure(measure, true)]
    }

    fn value(&self) -> ReportValue {
        self.map_or(ReportValue::Null, ReportValue::Count)
    }

    fn leave_out(&mut self, earlier: &Self) {
        if let (Some(count), Some(earlier)) = (self, earlier) {
            *count -= earlier;
        }
    }
}

/// Number of notices, by kind.
impl Quantity for [u64; NoticeKind::ALL.len()] {
    fn columns(measure: &Measure) -> Vec<Column> {
        let column = |kind: NoticeKind| {
            let (name, label) = (kind.name(), kind.name().to_uppercase());
            Column::from_group(measure, &[name], format!("notices_{name}"), format!("{label} notices"))
        };
        NoticeKind::ALL.into_iter().map(column).collect()
    }

    fn value(&self) -> ReportValue {
        group_value(NoticeKind::ALL.iter().map(|kind| kind.name()).zip(self))
    }

    fn leave_out(&mut self, earlier: &Self) {
        subtract(self, earlier);
    }
}

impl Quantity for EcnCounts {
    fn columns(measure: &Measure) -> Vec<Column> {
        let column = |(key, label): (&'static str, &str)| {
            Column::from_group(measure, &[key], format!("marks_{key}"), label.into())
        };
        EcnCounts::KEYS.map(column).into()
    }

    fn value(&self) -> ReportValue {
        group_value(EcnCounts::KEYS.map(|(key, _)| key).into_iter().zip(&self.counts()))
    }

    fn leave_out(&mut self, earlier: &Self) {
        self.leave_out(earlier);
    }
}

impl Quantity for Option<ConnectionCounts> {
    fn columns(measure: &Measure) -> Vec<Column> {
        let column = |(key, label): (&'static str, &str)| {
            Column::from_group(measure, &[key], format!("connections_{key}"), label.into())
        };
        ConnectionCounts::KEYS.map(column).into()
    }

    fn value(&self) -> ReportValue {
        let named = |of: &ConnectionCounts| {
            group_value(ConnectionCounts::KEYS.map(|(key, _)| key).into_iter().zip(&of.counts()))
        };
        self.as_ref().map_or(ReportValue::Null, named)
    }

    fn leave_out(&mut self, earlier: &Self) {
        if let (Some(counts), Some(earlier)) = (self, earlier) {
            counts.leave_out(earlier);
        }
    }
}

impl Quantity for Confusion {
    fn columns(measure: &Measure) -> Vec<Column> {
        let column = |judged: &'static str, cause: &'static str| {
            let (name, label) =
                (format!("judged_{judged}_{cause}"), format!("LossClass {judged}, was {cause}"));
            Column::from_group(measure, &[judged, cause], name, label)
        };
        let rows = LossClass::ALL.into_iter();
        rows.flat_map(|judged| TRUE_CAUSES.map(|cause| column(judged.name(), cause))).collect()
    }

    fn value(&self) -> ReportValue {
        let row =
            |(judged, row): (LossClass, &_)| (judged.name(), group_value(TRUE_CAUSES.into_iter().zip(row)));
        ReportValue::Group(LossClass::ALL.into_iter().zip(self).map(row).collect())
    }

    fn leave_out(&mut self, earlier: &Self) {
        self.iter_mut().zip(earlier).for_each(|(row, earlier)| subtract(row, earlier));
    }
}

impl Quantity for NoticeLateness {
    fn columns(measure: &Measure) -> Vec<Column> {
        let count =
            |key, label: &str| Column::from_group(measure, &[key], format!("lateness_{key}"), label.into());
        vec![
            count("notices", "Notices that met a timer"),
            count("late", "Notices later than a timeout"),
            Column {
                over_flows: FlowAggregation::Mean,
                unit: "ms",
                is_count: false,
                ..count("mean_ms", "Lateness of notices")
            },
        ]
    }

    fn value(&self) -> ReportValue {
        let Some(mean_ms) = self.mean_ms() else { return ReportValue::Null };
        ReportValue::Group(vec![
            ("notices", ReportValue::Count(self.notices)),
            ("late", ReportValue::Count(self.late_notices)),
            ("mean_ms", ReportValue::Real(mean_ms)),
        ])
    }

    fn leave_out(&mut self, earlier: &Self) {
        self.leave_out(earlier);
    }
}

impl Quantity for Option<DelaySummary> {
    fn columns(measure: &Measure) -> Vec<Column> {
        ["mean", "p50", "p95", "p99", "max"].map(|key| time_column(measure, "delay", key)).into()
    }

    fn value(&self) -> ReportValue {
        let Some(DelaySummary { mean_ms: mean, p50_ms: p50, p95_ms: p95, p99_ms: p99, max_ms: max, .. }) =
            *self
        else {
            return ReportValue::Null;
        };
        let named = [("mean", mean), ("p50", p50), ("p95", p95), ("p99", p99), ("max", max)];
        ReportValue::Group(named.map(|(key, ms)| (key, ReportValue::Real(ms))).into())
    }
}

/// Distribution of RTT samples; `None` without a sample.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct RttSummary(pub Option<DelaySummary>);

impl Quantity for RttSummary {
    fn columns(measure: &Measure) -> Vec<Column> {
        ["min", "p50", "p95", "p99"].map(|key| time_column(measure, "rtt", key)).into()
    }

    fn value(&self) -> ReportValue {
        let Some(DelaySummary { min_ms: min, p50_ms: p50, p95_ms: p95, p99_ms: p99, .. }) = self.0 else {
            return ReportValue::Null;
        };
        let named = [("min", min), ("p50", p50), ("p95", p95), ("p99", p99)];
        ReportValue::Group(named.map(|(key, ms)| (key, ReportValue::Real(ms))).into())
    }
}

/// Distribution of sojourn times in a queue; `None` if no packet has left the queue.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SojournSummary(pub Option<DelaySummary>);

impl Quantity for SojournSummary {
    fn columns(measure: &Measure) -> Vec<Column> {
        ["mean", "p50", "p95", "p99"].map(|key| time_column(measure, "wait", key)).into()
    }

    fn value(&self) -> ReportValue {
        let Some(DelaySummary { mean_ms: mean, p50_ms: p50, p95_ms: p95, p99_ms: p99, .. }) = self.0 else {
            return ReportValue::Null;
        };
        let named = [("mean", mean), ("p50", p50), ("p95", p95), ("p99", p99)];
        ReportValue::Group(named.map(|(key, ms)| (key, ReportValue::Real(ms))).into())
    }
}

impl Quantity for Option<CompletionSummary> {
    fn columns(measure: &Measure) -> Vec<Column> {
        let count = |key: &'static str, short: &str, label: &str| Column {
            short: short.into(),
            ..Column::from_group(measure, &[key], format!("completion_{key}"), label.into())
        };
        let time = |key| Column {
            unit: "ms",
            over_flows: FlowAggregation::Mean,
            ..time_column(measure, "completion", key)
        };
        let counts = [
            count("count", "completed", "Transfers or requests completed"),
            count("unfinished", "unfinished", "Transfers or requests unfinished"),
        ];
        counts.into_iter().chain(["mean", "p50", "p95", "p99"].map(time)).collect()
    }

    fn value(&self) -> ReportValue {
        let Some(CompletionSummary { count, unfinished, times }) = *self else { return ReportValue::Null };
        let time = |of: fn(&DelaySummary) -> f64| {
            times.as_ref().map_or(ReportValue::Null, |times| ReportValue::Real(of(times)))
        };
        ReportValue::Group(vec![
            ("count", ReportValue::Count(count)),
            ("unfinished", ReportValue::Count(unfinished)),
            ("mean", time(|t| t.mean_ms)),
            ("p50", time(|t| t.p50_ms)),
            ("p95", time(|t| t.p95_ms)),
            ("p99", time(|t| t.p99_ms)),
        ])
    }
}

/// Returns the column for one statistic of a time distribution, in ms.
fn time_column(measure: &Measure, of: &str, key: &'static str) -> Column {
    Column {
        name: format!("{of}_{key}_ms"),
        path: vec![measure.name, key],
        label: format!("{}, {key}", measure.label),
        short: format!("{} {key}", measure.short),
        ..Column::from_measure(measure, false)
    }
}

fn group_value<'a>(named: impl Iterator<Item = (&'static str, &'a u64)>) -> ReportValue {
    ReportValue::Group(named.map(|(name, &count)| (name, ReportValue::Count(count))).collect())
}

pub(super) fn subtract<const N: usize>(counts: &mut [u64; N], earlier: &[u64; N]) {
    counts.iter_mut().zip(earlier).for_each(|(count, earlier)| *count -= earlier);
}
