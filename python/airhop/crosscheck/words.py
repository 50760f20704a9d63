"""Words that checks of several sources share."""

from __future__ import annotations

from airhop.stats import Estimate


def percent(share: str | float) -> str:
    """Write a share in per cent: `0.01` as `1 %`."""
    return f"{100 * float(share):g} %"


def count(number: str | int, what: str) -> str:
    """Write so many of a thing: `1 hop`, `2 hops`."""
    return f"{number} {what}{'' if int(number) == 1 else 's'}"


def known(value: Estimate) -> str:
    """Write the mean of their runs and how many there are, or the value of a law, which has no width."""
    is_law = (value.n, value.half_width) == (1, 0.0)
    return f"{value.mean:.4g}" if is_law else f"{value.mean:.4g} ({count(value.n, 'run')})"
