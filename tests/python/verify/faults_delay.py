"""Faults in the one-way delays of the run document, and in the records from which they follow."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from forged import Recorded, shifted


def _times(key: str, factor: float, *path: str | int) -> Callable[[Recorded], None]:
    """Plant a delay that is too large or too small by a factor."""

    def forge(run: Recorded) -> None:
        table: Any = run.document
        for part in path:
            table = table[part]
        table["delay_ms"][key] *= factor

    forge.__name__ = f"_{path[0]}_{key}_times_{factor}"
    return forge


def _no_delays(run: Recorded) -> None:
    run.document["flows"][0]["delay_ms"] = None


def _delays_of_nothing(run: Recorded) -> None:
    run.tables["deliveries"] = run.tables["deliveries"][:0]


def _retransmissions_count(run: Recorded) -> None:
    """Plant first transmissions at the time of the retransmission."""
    again = run.find("segments", 5, retransmission="true")
    seq = run.tables["segments"]["seq"][again]
    first = run.find("segments", seq=seq)
    run.set("segments", "time_s", first, run.tables["segments"]["time_s"][again])


_FLOW, _DATAGRAMS, _CLASS = ("flows", 0), ("flows", 1), ("classes", 0)
_SLIGHTLY = 1 + 1e-6
_BEYOND = 1.017
"""Factor by which a percentile is more than two bins of the histogram (relative width 1/128) too large."""

FAULTS: list[tuple[str, str, Callable[[Recorded], None]]] = [
    ("delay", "two-kinds", _times("mean", _SLIGHTLY, *_FLOW)),
    ("delay", "two-kinds", _times("max", 1 / _SLIGHTLY, *_FLOW)),
    ("delay", "two-kinds", _times("p50", _BEYOND, *_FLOW)),
    ("delay", "two-kinds", _times("p95", 1 / _BEYOND, *_FLOW)),
    ("delay", "two-kinds", _times("p99", _BEYOND, *_FLOW)),
    ("delay", "two-kinds", _times("mean", _SLIGHTLY, *_DATAGRAMS)),
    ("delay", "two-kinds", _times("p99", 1 / _BEYOND, *_DATAGRAMS)),
    ("delay", "two-kinds", _times("max", _SLIGHTLY, *_DATAGRAMS)),
    ("delay", "two-kinds", _times("mean", _SLIGHTLY, *_CLASS)),
    ("delay", "two-kinds", _times("p95", _BEYOND, *_CLASS)),
    ("delay", "two-kinds", _no_delays),
    ("delay", "two-kinds", _delays_of_nothing),
    ("delay", "two-kinds", _retransmissions_count),
    ("delay", "last-hop", shifted("deliveries", 100)),
    ("delay", "last-hop", shifted("segments", 100)),
]
