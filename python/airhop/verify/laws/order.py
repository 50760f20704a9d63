"""Law of order: the records of each table are sorted by time."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

from airhop.verify.trace import Finding, Trace

_TIMES = {
    "segments": "time_s",
    "acks": "time_s",
    "window": "time_s",
    "drops": "time_s",
    "queue": "time_s",
    "notices": "time_s",
    "deliveries": "time_s",
    "air": "end_s",
}
"""Column by which each table is sorted; another law checks the steps of packets."""


def check(trace: Trace) -> Iterator[Finding]:
    """Yield records that follow a later record."""
    for table, column in _TIMES.items():
        times = trace.times(table, column)
        if any(before > after for before, after in pairwise(times)):
            place = next(number for number, (a, b) in enumerate(pairwise(times)) if a > b)
            yield Finding("order", times[place] / 1e9, table, "a record stands before an earlier one")
