"""Phrases that checks of several sources share."""

from __future__ import annotations

from airhop.stats import Estimate


def percent(share: str | float) -> str:
    """Format a share as a percentage: `0.01` as `1 %`."""
    return f"{100 * float(share):g} %"


def count(number: str | int, what: str) -> str:
    """Format a count with its noun: `1 hop`, `2 hops`."""
    return f"{number} {what}{'' if int(number) == 1 else 's'}"


def known(value: Estimate) -> str:
    """Format a peer's result: mean and number of runs, or the value of a law."""
    is_law = (value.n, value.half_width) == (1, 0.0)
    return f"{value.mean:.4g}" if is_law else f"{value.mean:.4g} ({count(value.n, 'run')})"
