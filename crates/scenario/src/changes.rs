//! Links that change in the course of a run: what their changes say together, and what they become.

use crate::fields::Fields;
use crate::problem::{Problems, did_you_mean};
use airhop_base::{Rate, Span, Time};
use airhop_radio::link_schedule::{Change, ChangeKind, Handoff};

/// So many changes of a link at most; each takes memory in every run.
const MAX_CHANGES: u64 = 100_000;

/// Refuses changes of a link that contradict each other, or that a run of this duration does not come to.
pub(crate) fn check(link: &Fields, duration: Option<Span>, problems: &mut Problems) {
    let Some(duration) = duration else { return };
    let before = problems.len();
    if let (Some(_), true) = (link.get("deliveries"), link.get("changes").is_some()) {
        let what = "a link with `deliveries` has none: its trace says when it can deliver; expected a `rate` in its place";
        problems.add(link.at("changes"), link.path_of("changes"), what);
    }
    for change in link.tables("changes") {
        check_times(change, duration, problems);
        check_mobile(change, link, problems);
    }
    if problems.len() == before && link.tables("changes").iter().all(|change| change.sound) {
        check_order(link, duration, problems);
    }
}

fn check_times(change: &Fields, duration: Span, problems: &mut Problems) {
    let (Some(at), every) = (change.span("at"), change.span("every")) else { return };
    if at >= duration {
        let what =
            format!("expected a time before the end of the run, duration = \"{duration}\", got \"{at}\"");
        problems.add(change.at("at"), change.path_of("at"), what);
    }
    if let (Some(every), Some(lasts)) = (every, lasting(change))
        && every < lasts
    {
        let what = format!("expected at least \"{lasts}\", which it lasts, got \"{every}\"");
        problems.add(change.at("every"), change.path_of("every"), what);
    }
    if let Some(every) = every
        && duration.saturating_sub(at).whole(every) >= MAX_CHANGES
    {
        let what = format!("expected it at most {MAX_CHANGES} times in the run, got \"{every}\"");
        problems.add(change.at("every"), change.path_of("every"), what);
    }
}

fn check_mobile(change: &Fields, link: &Fields, problems: &mut Problems) {
    if change.kind == Some("handoff")
        && let (Some(mobile), Some(ends)) = (change.text("mobile"), link.ends("ends"))
        && !ends.iter().any(|end| end == mobile)
    {
        let hint = did_you_mean(mobile, ends.iter().map(String::as_str));
        let what =
            format!("expected an end of this link, \"{}\" or \"{}\", got {mobile:?}{hint}", ends[0], ends[1]);
        problems.add(change.at("mobile"), change.path_of("mobile"), what);
    }
}

/// Refuses what happens at the same time and cannot.
fn check_order(link: &Fields, duration: Span, problems: &mut Problems) {
    let all = occurrences(link, duration);
    let (lasting, rates): (Vec<_>, Vec<_>) =
        all.into_iter().partition(|(_, change)| lasting(change).is_some());
    let mut refuse =
        |change: &Fields, what: String| problems.add(change.at("at"), change.path_of("at"), what);
    let same = rates.windows(2).find(|pair| pair[0].0 == pair[1].0);
    if let Some([(at, first), (_, second)]) = same {
        let at = *at - Time::ZERO;
        refuse(
            second,
            format!("expected one rate at a time, but that of {} begins at \"{at}\", too", first.path),
        );
    }
    let end = |(at, change): &(Time, &Fields)| *at + self::lasting(change).unwrap_or(Span::ZERO);
    if let Some([first, (at, second)]) = lasting.windows(2).find(|pair| pair[1].0 < end(&pair[0])) {
        let [at, begin, end] = [*at, first.0, end(first)].map(|time| time - Time::ZERO);
        refuse(
            second,
            format!(
                "expected outages and gaps that do not overlap, but this one begins at \"{at}\", and that of {} lasts from \
                 \"{begin}\" to \"{end}\"",
                first.1.path
            ),
        );
    }
}

/// How long a change keeps everything off the link; `None`: it does not.
fn lasting(change: &Fields) -> Option<Span> {
    match change.kind? {
        "outage" => change.span("lasts"),
        "handoff" => change.span("gap"),
        _ => None,
    }
}

/// When the changes of a link happen, in order, those at the same time as the file has them.
fn occurrences(link: &Fields, duration: Span) -> Vec<(Time, &Fields)> {
    let mut all = Vec::new();
    for change in link.tables("changes") {
        let mut next = change.span("at").filter(|at| *at < duration);
        while let Some(at) = next {
            all.push((Time::ZERO + at, change));
            next = change.span("every").map(|every| at + every).filter(|at| *at < duration);
        }
    }
    all.sort_by_key(|(at, _)| *at);
    all
}

/// What changes the course of a checked link.
pub(crate) fn plan(link: &Fields, duration: Span) -> Option<Vec<Change>> {
    let in_course = |(_, change): &(Time, &Fields)| !loses(change);
    let change = |(at, change)| Some(Change { at, kind: kind(change, link)? });
    occurrences(link, duration).into_iter().filter(in_course).map(change).collect()
}

fn kind(change: &Fields, link: &Fields) -> Option<ChangeKind> {
    Some(match change.kind? {
        "rate" => ChangeKind::Rate(change.rate("rate")?),
        "outage" => ChangeKind::Outage(change.span("lasts")?),
        "handoff" => ChangeKind::Handoff(Handoff {
            gap: change.span("gap")?,
            mobile: u8::from(link.ends("ends")?[1] == change.text("mobile")?),
            is_forwarded: match change.word("fate")? {
                "forwarded" => true,
                "lost" => false,
                _ => return None,
            },
            rate: change.rate("rate"),
            delay: change.span("delay"),
        }),
        _ => return None,
    })
}

/// True of an outage in which what is sent is lost: that is an error of the channel.
fn loses(change: &Fields) -> bool {
    change.kind == Some("outage") && change.word("fate") == Some("lost")
}

/// The outages of a checked link in which what is sent is lost.
pub(crate) fn losses(link: &Fields, duration: Span) -> Vec<[Time; 2]> {
    let lost = occurrences(link, duration).into_iter().filter(|(_, change)| loses(change));
    lost.filter_map(|(at, change)| Some([at, at + lasting(change)?])).collect()
}

/// The lowest rate that a link changes to.
pub(crate) fn lowest_rate(link: &Fields) -> Option<Rate> {
    link.tables("changes")
        .iter()
        .filter(|change| change.kind != Some("outage"))
        .filter_map(|c| c.rate("rate"))
        .min()
}

/// The longest delay that a link changes to.
pub(crate) fn longest_delay(link: &Fields) -> Option<Span> {
    link.tables("changes")
        .iter()
        .filter(|change| change.kind == Some("handoff"))
        .filter_map(|c| c.span("delay"))
        .max()
}
