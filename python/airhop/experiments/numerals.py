"""How estimates are printed, the same in the terminal, in verdicts and in the report."""

from __future__ import annotations

from airhop.stats import Estimate, Ratio


def plus_minus(estimate: Estimate, digits: int = 2) -> str:
    """`± 0.08`; a single replication has no interval and says so."""
    return f"± {estimate.half_width:.{digits}f}" if estimate.half_width is not None else "± ?"


def interval(ratio: Ratio, digits: int = 2) -> str:
    """`4.21 (4.12–4.30)`; says so where the data leave the interval open."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.{digits}f} (no interval)"
    return f"{ratio.value:.{digits}f} ({ratio.low:.{digits}f}–{ratio.high:.{digits}f})"
