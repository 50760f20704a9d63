"""Numbers and charts for a terminal."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

from airhop.stats import Difference, Estimate, Ratio

if TYPE_CHECKING:
    from rich.text import Text

EIGHTHS = " ▏▎▍▌▋▊▉"
BAR_STYLE = "cyan"
INTERVAL_STYLE = "bright_black"


def number(value: float | None) -> str:
    """Format a count in full, a quantity with three significant digits, and a missing value as –."""
    if value is None or value != value:
        return "–"
    if isinstance(value, int) or abs(value) >= 1000 or value == 0:
        return f"{value:,.0f}"
    return f"{value:.{_decimals(value, 3)}f}"


def mean_pm(value: Estimate | None) -> str:
    """Format `mean ± half-width` of a quantity that cannot be negative; a missing value as –.

    The half-width has two significant digits. If mean - half-width is below zero, both ends of the interval
    replace the half-width: `267 (0–646)`.
    """
    if value is None:
        return number(None)
    if value.half_width is None or not 0.0 < value.mean < value.half_width:
        return signed_pm(value)
    assert value.ends is not None
    return f"{number(value.mean)} ({number(value.ends.low)}–{number(value.ends.high)})"


def signed_pm(value: Estimate | Difference) -> str:
    """Format `mean ± half-width` of a quantity of either sign; the half-width has two significant digits."""
    if not value.half_width:
        return number(value.mean) if value.half_width is None else f"{number(value.mean)} ± 0"
    digits = _decimals(value.half_width, 2)
    return f"{value.mean:,.{digits}f} ± {value.half_width:,.{digits}f}"


def ratio(value: Ratio, least: float = -math.inf) -> str:
    """Format `× 3.85 (3.70–4.01)`.

    An unknown interval is left out. The lower end is cut at `least`. Use 0 for a ratio of quantities that
    cannot be negative.
    """
    if value.value != value.value:
        return "–"
    if value.low is None or value.high is None:
        return f"× {value.value:.2f}"
    return f"× {value.value:.2f} ({max(value.low, least):.2f}–{value.high:.2f})"


def percent(share: float) -> str:
    """Format a share of 0 to 1 in per cent, without `%`: `8.3`, `45`, `99.7`; only 1 becomes `100`."""
    hundredths = 100 * share
    margin = min(hundredths, 100 - hundredths)
    digits = 0 if margin <= 0 or margin >= 10 else min(_decimals(margin, 2), 2)
    return f"{hundredths:.{digits}f}"


def percent_interval(value: Ratio) -> str:
    """Format a share with its interval: `45 (42–48)`.

    An unknown interval or a single point is left out.
    """
    if value.low is None or value.high is None or value.low == value.high:
        return percent(value.value)
    digits = _percent_digits(value)
    mean, low, high = (f"{100 * share:.{digits}f}" for share in (value.value, value.low, value.high))
    return f"{mean} ({low}–{high})"


def percent_pm(value: Ratio) -> str:
    """Format a share with the half-width of its interval: `45 ± 3`.

    An unknown half-width is left out.
    """
    if value.low is None or value.high is None:
        return percent(value.value)
    digits = _percent_digits(value)
    return f"{100 * value.value:.{digits}f} ± {50 * (value.high - value.low):.{digits}f}"


def _percent_digits(value: Ratio) -> int:
    """Return the number of decimals for a share in per cent.

    A narrow interval gets more decimals.
    """
    half = 50 * ((value.high or 0.0) - (value.low or 0.0))
    return 0 if half == 0 or half >= 2 else 1 if half >= 0.2 else 2


def bar_chart(
    rows: Sequence[tuple[str, Estimate]], *, unit: str, width: int = 50, columns: int | None = None
) -> Text:
    """Draw one bar per row: solid up to the interval's lower end, shaded up to the interval's upper end.

    The longest bar has `width` characters, or fewer if a row would not fit in `columns`.
    """
    from rich.text import Text

    text = Text()
    ends = [e.drawn for _, e in rows]
    top = max((one.high for one in ends), default=0.0)
    labels = max((len(label) for label, _ in rows), default=0)
    figures = [f" {number(e.mean)} {unit}" for _, e in rows]
    if columns is not None:
        width = max(1, min(width, columns - labels - 1 - max(map(len, figures), default=0)))
    for (label, _), one, figure in zip(rows, ends, figures, strict=True):
        low, high = (end / top * width if top > 0 else 0.0 for end in (one.low, one.high))
        text.append(f"{label:>{labels}} ")
        solid = _bar(low)
        text.append(solid, style=BAR_STYLE)
        text.append("░" * (round(high) - len(solid)), style=INTERVAL_STYLE)
        text.append(f"{figure}\n")
    text.rstrip()
    return text


def _bar(eighths: float) -> str:
    whole, part = divmod(round(eighths * 8), 8)
    return "█" * whole + (EIGHTHS[part] if part else "")


def _decimals(value: float, significant: int) -> int:
    """Return the number of decimals needed to show a nonzero value to `significant` digits."""
    leading = int(f"{abs(value):e}".split("e")[1])  # power of ten of the first digit
    return max(0, significant - 1 - leading)
