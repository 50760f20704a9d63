"""Make docs/measures.md: the measures of flows, classes and runs, from the simulator's declarations."""

from __future__ import annotations

from collections.abc import Iterable

from airhop.analysis.measures import OF_CLASSES, OF_FLOWS, OF_QUEUES, OF_RUNS, OF_STATIONS, Measure
from blocks import table

HEAD = """# Measures

A measure is a number that describes a flow, a class of flows, a queue, a station or a run. Each measure is a
key of the run document (`run --json`), a column of [data frames and stores](studies.md), and a name in
formulas such as `retransmissions / sent_segments`. Three columns of the first table need an explanation:

- **In a run**: the aggregation of the flows of a run. It is the *sum* over the TCP flows, the *mean* over the
  flows that have the measure, or none (–).
- **After the warm-up**: *yes* if the value excludes the warm-up, *no* if the value covers the whole run.
- **Real hosts**: *yes* if Airhop also measures the value for [real packets](real-packets.md), *no* if only
  the kernel of the real host knows the value; the value is then null.

`flow.NAME.MEASURE` is the measure of one flow. `class.NAME.MEASURE` is the measure of a class of flows, as in
`class.bulk down.delay_p95_ms`.

A run of a study also has two derived measures: `jain` is the [fairness](statistics.md) of the goodputs of its
TCP flows, and `judged_right` is the share of their [correct loss classifications](statistics.md#judgements).
"""
ABOUT_FLOWS = "\n## Of a flow\n\n"
ABOUT_CLASSES = """
## Of a class

A class is a group of flows. Flows with the same key `class` form a class. Flows without this key form a class
if they have the same type of application and the same direction of data over the wireless link, as in
`bulk down`. Flows that an application opens belong to the class of the application. The run document lists
the classes (`classes`). In data frames and stores the columns of classes begin with `class_`, and are equal
in the rows of all flows of the class. The class of a [call or game](concepts.md#calls-and-games) contains
both directions. Counts and times of calls, games and videos are sums over the flows; percentages, ratings,
startup delays and bitrates are means over the flows that have them; `call.r_min` is the lowest R.

"""
ABOUT_QUEUES = """
## Of a queue

The run document (`queues`) lists the queues that at least one packet left, and the queues that mark. The name
of a queue is the name of the directed link behind the queue: `r1->bs`, or `bs->*` for the queue of an
interface to several stations. With EDCA a station has a queue for each access category: `bs->*` is the queue
of best effort, and `bs->* VO` that of voice.

"""
ABOUT_STATIONS = """
## Of a station

The run document (`stations`) lists the stations of 802.11 cells, each with its `cell` and `name`.

"""

ABOUT_RUNS = "\n## Of a run\n\nThese measures are equal in the rows of all flows of the run.\n\n"
IN_A_RUN = {"sum": "sum", "mean": "mean", "first": "its own", "apart": "–"}


def page() -> str:
    """Write the page."""
    flows = table(
        ("key", "column", "unit", "definition", "in a run", "after the warm-up", "real hosts"),
        (
            (_key(measure), f"`{measure.column}`", measure.unit or "–", measure.about, *_uses(measure))
            for measure in OF_FLOWS
        ),
        left=7,
    )
    classes = table(
        ("key", "column", "unit", "definition"),
        (
            (_key(measure), f"`{measure.column}`", measure.unit or "–", measure.about)
            for measure in OF_CLASSES
        ),
        left=4,
    )
    queues, stations = (
        table(
            ("key", "unit", "definition"),
            ((_key(measure), measure.unit or "–", measure.about) for measure in measures),
            left=3,
        )
        for measures in (OF_QUEUES, OF_STATIONS)
    )
    runs = table(
        ("key", "column", "definition", "after the warm-up"),
        (
            (_key(measure), f"`{measure.column}`", measure.about, _yes(measure.after_warm_up))
            for measure in OF_RUNS
        ),
        left=4,
    )
    parts = (
        (ABOUT_FLOWS, flows),
        (ABOUT_CLASSES, classes),
        (ABOUT_QUEUES, queues),
        (ABOUT_STATIONS, stations),
        (ABOUT_RUNS, runs),
    )
    return HEAD + "".join(about + rows for about, rows in parts)


def _key(measure: Measure) -> str:
    return f"`{'.'.join(measure.path)}`"


def _uses(measure: Measure) -> Iterable[str]:
    return IN_A_RUN[measure.over_flows], _yes(measure.after_warm_up), _yes(measure.of_real)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
