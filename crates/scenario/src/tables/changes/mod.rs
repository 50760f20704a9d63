//! `changes = [{ … }]`: changes of a link between two nodes during a run. Each change has an entry in the
//! list, and a file in this folder with its keys and its plan. The checks across changes are here.

mod handoff;
mod outage;
mod rate;

use super::each_way::{self, DIRECTION_KEY, is_for_direction};
use crate::grammar::fields::Fields;
use crate::grammar::key::OmittedValue::{Nothing, Required};
use crate::grammar::key::{Choice, Key, ValueKind, Variant, key};
use crate::grammar::problem::Problems;
use airhop_base::{Rate, Span, Time};
use airhop_radio::link_schedule::{ChangeKind, ScheduledChange};

/// Declaration of a link change.
struct LinkChange {
    variant: Variant,
    /// Function that checks that the values of the change fit the link.
    check: fn(&Fields, &Fields, &mut Problems),
    /// Function that returns how long the change blocks all packets; `None` if it blocks no packets.
    lasting: fn(&Fields) -> Option<Span>,
    /// Function that returns the plan of the change on a link.
    plan: fn(&Fields, &Fields) -> Option<PlannedChange>,
}

/// Plan of a change.
enum PlannedChange {
    /// Change in the link's schedule.
    Scheduled(ChangeKind),
    /// Outage in which frames are lost, with its duration.
    Lost(Span),
}

super::kinds! {
    /// List of the changes.
    CHANGES, "change", LinkChange:
    rate, outage, handoff
}

const AT_KEY: Key = key("at", ValueKind::Span { least_ns: 0 }, Required, "start time");
const EVERY_KEY: Key = key(
    "every",
    ValueKind::Span { least_ns: 1 },
    Nothing("none; the change happens once"),
    "repetition period of the change",
);

/// Accepts any values: the change is possible on every link.
fn accept_any_values(_: &Fields, _: &Fields, _: &mut Problems) {}

/// Maximum number of changes of a link, because each change needs memory in every run.
const MAX_CHANGES: u64 = 100_000;

/// Reports changes of a link that contradict each other, and changes that start after `duration`, the end of
/// the run.
pub(super) fn check(link: &Fields, duration: Option<Span>, problems: &mut Problems) {
    let Some(duration) = duration else { return };
    let before = problems.len();
    if let (Some(_), true) = (link.get("deliveries"), link.get("changes").is_some()) {
        let what = "a link with `deliveries` has no changes: its trace defines the times of deliveries; expected a `rate` in its place";
        problems.add(link.position_of("changes"), link.path_of("changes"), what);
    }
    let ends = link.ends("ends").map_or(&[][..], |ends| ends);
    for change in link.tables("changes") {
        each_way::check_table(change, ends, false, problems);
        check_times(change, duration, problems);
        if let Some(declared) = declared(change) {
            (declared.check)(change, link, problems);
        }
    }
    for direction in each_way::DIRECTIONS {
        // A problem that both directions have is reported once.
        if problems.len() == before && link.tables("changes").iter().all(|change| change.is_valid) {
            check_order(link, direction, duration, problems);
        }
    }
}

fn check_times(change: &Fields, duration: Span, problems: &mut Problems) {
    let (Some(at), every) = (change.span("at"), change.span("every")) else { return };
    if at >= duration {
        let what =
            format!("expected a time before the end of the run, duration = \"{duration}\", got \"{at}\"");
        problems.add(change.position_of("at"), change.path_of("at"), what);
    }
    if let (Some(every), Some(lasts)) = (every, blocking_time(change))
        && every < lasts
    {
        let what = format!("expected at least \"{lasts}\", the duration of the change, got \"{every}\"");
        problems.add(change.position_of("every"), change.path_of("every"), what);
    }
    if let Some(every) = every
        && duration.saturating_sub(at).whole_multiples(every) >= MAX_CHANGES
    {
        let what = format!("expected at most {MAX_CHANGES} repetitions in the run, got \"{every}\"");
        problems.add(change.position_of("every"), change.path_of("every"), what);
    }
}

/// Reports changes of a direction that cannot apply at the same time.
fn check_order(link: &Fields, direction: usize, duration: Span, problems: &mut Problems) {
    let all = occurrences(link, direction, duration);
    let (lasting, rates): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, change)| blocking_time(change).is_some());
    let mut refuse =
        |change: &Fields, what: String| problems.add(change.position_of("at"), change.path_of("at"), what);
    let same = rates.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some([(at, first), (_, second)]) = same {
        let at = *at - Time::ZERO;
        refuse(
            second,
            format!("expected one rate at a time, but the rate of {} also starts at \"{at}\"", first.path),
        );
    }
    let end = |(at, change): &(Time, &Fields)| *at + self::blocking_time(change).unwrap_or(Span::ZERO);
    if let Some([first, (at, second)]) = lasting.windows(2).find(|pair| pair[1].0 < end(&pair[0])) {
        let [at, begin, end] = [*at, first.0, end(first)].map(|time| time - Time::ZERO);
        refuse(
            second,
            format!(
                "expected outages and gaps that do not overlap, but this change starts at \"{at}\", and the change {} lasts from \
                 \"{begin}\" to \"{end}\"",
                first.1.path
            ),
        );
    }
}

fn blocking_time(change: &Fields) -> Option<Span> {
    (declared(change)?.lasting)(change)
}

fn plan_change(change: &Fields, link: &Fields) -> Option<PlannedChange> {
    (declared(change)?.plan)(change, link)
}

/// Returns the changes of a direction of a link.
fn changes_of(link: &Fields, direction: usize) -> impl Iterator<Item = &Fields> {
    link.tables("changes").iter().filter(move |change| is_for_direction(change, link, direction))
}

/// Returns the changes of one direction with their times, in chronological order. Simultaneous changes keep
/// the order of the file.
fn occurrences(link: &Fields, direction: usize, duration: Span) -> Vec<(Time, &Fields)> {
    let mut all = Vec::new();
    for change in changes_of(link, direction) {
        let mut next = change.span("at").filter(|at| *at < duration);
        while let Some(at) = next {
            all.push((Time::ZERO + at, change));
            next = change.span("every").map(|every| at + every).filter(|at| *at < duration);
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

/// Returns the changes in the schedule of one direction of a checked link.
pub(super) fn plan(link: &Fields, direction: usize, duration: Span) -> Option<Vec<ScheduledChange>> {
    let mut changes = Vec::new();
    for (at, change) in occurrences(link, direction, duration) {
        if let PlannedChange::Scheduled(kind) = plan_change(change, link)? {
            changes.push(ScheduledChange { at, kind });
        }
    }
    Some(changes)
}

/// Returns the outages of one direction in which frames are lost, each as [begin, end). The link must be
/// checked.
pub(super) fn loss_outages(link: &Fields, direction: usize, duration: Span) -> Vec<[Time; 2]> {
    let lost = |(at, change)| match plan_change(change, link)? {
        PlannedChange::Lost(lasts) => Some([at, at + lasts]),
        PlannedChange::Scheduled(_) => None,
    };
    occurrences(link, direction, duration).into_iter().filter_map(lost).collect()
}

/// Returns the lowest rate among the changes of a direction; `None` if no change sets a rate.
pub(super) fn lowest_rate(link: &Fields, direction: usize) -> Option<Rate> {
    let changes = changes_of(link, direction).filter(|change| change.may_have_key("rate"));
    changes.filter_map(|change| change.rate("rate")).min()
}

/// Returns the longest delay among the changes of a direction; `None` if no change sets a delay.
pub(super) fn longest_delay(link: &Fields, direction: usize) -> Option<Span> {
    let changes = changes_of(link, direction).filter(|change| change.may_have_key("delay"));
    changes.filter_map(|change| change.span("delay")).max()
}
