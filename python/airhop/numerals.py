"""Common format of estimates in the terminal, in verdicts and in the report."""

from __future__ import annotations

import re
from collections.abc import Sequence

from airhop.stats import Estimate, Ratio

NO_BREAK = "\u00a0"


def tie_units(text: str) -> str:
    """Replace each space between a number and its unit by a no-break space."""
    return re.sub(r" (?=%|×|Mbit)|(?<=×) ", NO_BREAK, text)


def half_width_text(estimate: Estimate, digits: int = 2) -> str:
    """Format `± 0.08`; `±<0.01` for a half-width that rounds to 0; `± ?` for a single replication."""
    if estimate.half_width is None:
        return "± ?"
    last_digit = 10.0**-digits
    if 0.0 < estimate.half_width < last_digit / 2:
        return f"±<{last_digit:.{digits}f}"
    return f"± {estimate.half_width:.{digits}f}"


def multiple(ratio: Ratio) -> str:
    """Format a ratio as in `14.9 (13.5–16.7)`, with one decimal, or with two decimals below ten."""
    return interval(ratio, 1 if ratio.value >= 10 else 2)


def interval(ratio: Ratio, digits: int = 2) -> str:
    """Format `4.21 (4.12–4.30)`, or `4.21 (no interval)` if the interval is unbounded or unknown."""
    if ratio.low is None or ratio.high is None:
        return f"{ratio.value:.{digits}f} (no interval)"
    return f"{ratio.value:.{digits}f} ({ratio.low:.{digits}f}–{ratio.high:.{digits}f})"


def joined(words: Sequence[str], last: str = "and") -> str:
    """Join words as in `a, b and c`."""
    return f" {last} ".join(filter(None, (", ".join(words[:-1]), *words[-1:])))
