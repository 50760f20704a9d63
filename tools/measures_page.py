"""Makes docs/measures.md: what a flow and a run are measured by, as the simulator declares it."""

from __future__ import annotations

from collections.abc import Iterable

from airhop.analysis.measures import OF_FLOWS, OF_RUNS, Measure
from blocks import table

HEAD = """# Measures

A run is measured by numbers of its flows and by its own. Each is a key of the run document (`run --json`), a
column of [frames and stores](studies.md), and a name in formulas such as `retransmissions / sent_segments`.

**In a run** says how flows make a run, a row of a study: the *sum* over its TCP flows, the *mean* over the
flows that have it, or not at all (–). `flow.NAME.MEASURE` is that of one flow. **After the warm-up**: the
part of the warm-up is left out (*yes*), or the value is that of the whole run and its end (*no*). **Real
hosts**: measured of [real packets](real-packets.md), too (*yes*), or known to their kernels alone (*no*), and
then null.

A run of a study also has `jain`, the [fairness](statistics.md) of the goodputs of its TCP flows, and
`judged_right`, the share of losses that they [judged right](statistics.md#judgements).
"""
ABOUT_FLOWS = "\n## Of a flow\n\n"
ABOUT_RUNS = "\n## Of a run\n\nThe same in the rows of all flows of the run.\n\n"
IN_A_RUN = {"sum": "sum", "mean": "mean", "first": "its own", "apart": "–"}


def page() -> str:
    """Write the page."""
    flows = table(
        ("key", "column", "unit", "what it is", "in a run", "after the warm-up", "real hosts"),
        (
            (_key(measure), f"`{measure.column}`", measure.unit or "–", measure.about, *_uses(measure))
            for measure in OF_FLOWS
        ),
        left=7,
    )
    runs = table(
        ("key", "column", "what it is", "after the warm-up"),
        (
            (_key(measure), f"`{measure.column}`", measure.about, _yes(measure.after_warm_up))
            for measure in OF_RUNS
        ),
        left=4,
    )
    return HEAD + ABOUT_FLOWS + flows + ABOUT_RUNS + runs


def _key(measure: Measure) -> str:
    return f"`{'.'.join(measure.path)}`"


def _uses(measure: Measure) -> Iterable[str]:
    return IN_A_RUN[measure.over_flows], _yes(measure.after_warm_up), _yes(measure.of_real)


def _yes(is_so: bool) -> str:
    return "yes" if is_so else "no"
