"""Tables by class of flows in a terminal."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from rich.console import Console

from airhop.analysis.measures import MEASURES
from airhop.cli.output import print_table
from airhop.comparison import Comparison, Row
from airhop.stats import Estimate
from airhop.terminal import mean_pm

SHOWN = ("class_goodput_mbps", "class_jain", "class_delay_p95_ms", "class_completion_p50_ms",
         "class_completion_p95_ms", "class_completion_unfinished")  # fmt: skip
"""Columns of a class; those without a value for any arm are left out."""


def print_classes(out: Console, comparison: Comparison, rows: Sequence[Row]) -> None:
    """Print a table of the arms for each class of flows, unless one class without transfers has all flows."""
    names = list(dict.fromkeys(name for row in rows for name in row.classes))
    if len(names) < 2 and not any(_begun(found) for row in rows for found in row.classes.values()):
        return
    for name in names:
        of_arms = [(row.scheme, row.classes.get(name, {})) for row in rows]
        ends = any(_begun(found) for _, found in of_arms)
        known = (column for column in SHOWN if ends or "completion" not in column)
        shown = [column for column in known if any(found.get(column) for _, found in of_arms)]
        flows = max((value.mean for _, found in of_arms if (value := found.get("class_flows"))), default=0.0)
        print_table(
            out,
            [comparison.heading, *(MEASURES[column].heading for column in shown)],
            [[arm, *(mean_pm(found.get(column)) for column in shown)] for arm, found in of_arms],
            title=f"class {name}, {flows:.0f} flow{'' if flows == 1 else 's'}",
        )


def _begun(found: Mapping[str, Estimate | None]) -> bool:
    """Return whether a class has transfers or requests, completed or not."""
    counts = (found.get(f"class_completion_{which}") for which in ("count", "unfinished"))
    return any(count is not None and count.mean > 0 for count in counts)
